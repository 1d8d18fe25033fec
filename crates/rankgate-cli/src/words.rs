//! Options whose values are words.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Takes one of these words, and names them where it is another.
pub(crate) fn words<K>(all: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = K>
where
    K: FromStr<Err = rankgate::Error> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(all).try_map(|word| word.parse::<K>())
}
