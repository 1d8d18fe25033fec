//! The queries that share a value of a metadata key.

use super::Evaluation;
use crate::collection::Query;
use crate::order;
use crate::words::{agree, counted};
use crate::{Error, Result};

impl Evaluation {
    /// The queries whose metadata `key` holds `value`.
    ///
    /// # Errors
    /// When there is none; the message lists the values there are.
    pub fn segment(&self, key: &str, value: &str) -> Result<Self> {
        let belongs = |query: &Query| query.segments(key).iter().any(|segment| segment == value);
        self.keeping(belongs).ok_or_else(|| self.no_such_segment(key, value))
    }

    fn no_such_segment(&self, key: &str, value: &str) -> Error {
        let belongs = |query: &&Query| query.segments(key).iter().any(|segment| segment == value);
        let left_out = self.collection.queries().iter().filter(belongs).count();
        if left_out > 0 {
            return Error::invalid(format!(
                "{} {} {key}={value}, and not one is evaluated: queries without a relevant document can be left \
                 out, and those that only one side has are",
                counted(left_out, "query", "queries"),
                agree(left_out, "has", "have")
            ));
        }
        Error::invalid(nowhere(&self.queries, key, value))
    }

    /// The values of a metadata key over the evaluated queries, sorted.
    #[must_use]
    pub fn segment_values(&self, key: &str) -> Vec<String> {
        values_of(&self.queries, key)
    }
}

fn values_of(queries: &[Query], key: &str) -> Vec<String> {
    let mut values: Vec<String> = queries.iter().flat_map(|query| query.segments(key)).collect();
    order::sort(&mut values);
    values.dedup();
    values
}

/// What to say where no query is in a segment: what there is instead.
pub fn nowhere(queries: &[Query], key: &str, value: &str) -> String {
    let values = values_of(queries, key);
    if !values.is_empty() {
        return format!("no query has {key}={value}: the values are {}", values.join(", "));
    }
    let mut keys: Vec<&str> = queries.iter().flat_map(|q| q.metadata.keys().map(String::as_str)).collect();
    keys.sort_unstable();
    keys.dedup();
    let keys = if keys.is_empty() {
        "they have no metadata".into()
    } else {
        format!("they have {}", keys.join(", "))
    };
    format!("no query has the metadata key `{key}`: {keys}")
}
