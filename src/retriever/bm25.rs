//! The BM25 that comes with rankgate, as a retriever.

use rankgate_bm25::Bm25;

use super::{BoxError, Retriever};
use crate::collection::Query;
use crate::run::Hit;

impl Retriever for Bm25 {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        Ok(self.search(&query.text, depth))
    }
}
