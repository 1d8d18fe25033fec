//! The retriever that comes with rankgate: BM25, behind the feature `bm25`.

use std::sync::Arc;

use rankgate_bm25::{Bm25, Bm25Params, Tokenizer, is_without_spaces};

use crate::Result;
use crate::collection::Query;
use crate::retriever::{Retriever, Setup};
use crate::spec::ConfigurationSource;

/// Its parameters, if it is what answers; anything else has none.
pub(crate) fn parameters(source: &ConfigurationSource) -> Result<Option<Bm25Params>> {
    let ConfigurationSource::Bm25 { params } = source else { return Ok(None) };
    params.deserialize().map(Some)
}

pub(super) fn build(setup: &Setup<'_>) -> Result<Arc<dyn Retriever>> {
    Ok(Arc::new(Bm25::build(setup.corpus()?.documents()?, &setup.params()?)?))
}

/// The warning that it takes each sentence of the queries for one word.
pub(super) fn words_without_spaces(source: &ConfigurationSource, queries: &[Query]) -> Option<String> {
    let by_words = parameters(source).ok()??.tokenizer == Tokenizer::Words;
    let spaceless = queries.iter().filter(|query| is_without_spaces(&query.text)).count();
    (by_words && 2 * spaceless > queries.len()).then(|| {
        format!(
            "{spaceless} of {} queries are in a script without spaces, and `tokenizer: words` takes a whole sentence for \
             one word: set `tokenizer: {{ngram: {{min: 2, max: 3}}}}`",
            queries.len()
        )
    })
}
