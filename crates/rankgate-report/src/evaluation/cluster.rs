//! Queries that belong together: paraphrases of one question, the queries of one user.

use std::sync::Arc;

use super::Evaluation;
use crate::Result;
use crate::collection::Query;

/// The metadata key that queries are grouped by, and each query's value.
#[derive(Debug)]
pub(super) struct Clusters {
    key: String,
    groups: Vec<String>,
}

impl Clusters {
    fn new(queries: &[Query], key: &str) -> Result<Self> {
        let groups = queries.iter().map(|query| query.group(key)).collect::<Result<_>>()?;
        Ok(Self { key: key.to_owned(), groups })
    }

    /// Those of other queries of the same collection.
    pub(super) fn again(all: Option<&Arc<Self>>, queries: &[Query]) -> Result<Option<Arc<Self>>> {
        all.map(|all| Ok(Arc::new(Self::new(queries, &all.key)?))).transpose()
    }

    /// Those of the queries that are kept.
    pub(super) fn keeping(&self, kept: &[bool]) -> Self {
        let groups = self.groups.iter().zip(kept).filter(|(_, kept)| **kept);
        Self { key: self.key.clone(), groups: groups.map(|(group, _)| group.clone()).collect() }
    }
}

impl Evaluation {
    /// The same with the queries that share a value of a metadata key taken for one group: intervals and paired
    /// tests are then of groups.
    ///
    /// # Errors
    /// A query without the key, or with several values of it.
    pub fn clustered_by(&self, key: &str) -> Result<Self> {
        let clusters = Some(Arc::new(Clusters::new(&self.queries, key)?));
        Ok(Self { clusters, ..self.clone() })
    }

    /// The metadata key that queries are grouped by, if they are.
    #[must_use]
    pub fn cluster(&self) -> Option<&str> {
        self.clusters.as_ref().map(|clusters| clusters.key.as_str())
    }

    /// The group of each of the [queries](Self::queries), where they are grouped.
    #[must_use]
    pub fn groups(&self) -> Option<&[String]> {
        self.clusters.as_ref().map(|clusters| clusters.groups.as_slice())
    }
}
