//! What a collection is put together from: queries and judgments that fit each other.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::collection::origins::Origins;
use crate::collection::{Corpus, JudgedPassages, Qrels, Query};
use crate::error::Quoted;
use crate::words::{agree, counted};
use crate::{Error, Result};

/// What a collection is put together from.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) queries: Vec<Query>,
    pub(super) qrels: Qrels,
    pub(super) corpus: Option<Corpus>,
    pub(super) add_corpus: String,
    pub(super) warnings: Vec<String>,
    /// The spans that judgments are of.
    pub(super) passages: Option<JudgedPassages>,
    /// Whether queries without judgments are named: where queries and judgments stand side by side, they are
    /// likely a slip.
    pub(super) names_unjudged: bool,
    /// Ids of queries that should have judgments: nothing in the files says that they are meant to have none.
    pub(super) expected: HashSet<String>,
    /// Whose the judgments are, if a model gave some.
    pub(super) origins: Option<Arc<Origins>>,
}

impl Parts {
    /// Queries and judgments from two files, checked against each other.
    pub(super) fn judged(
        queries_path: &Path,
        queries: Vec<Query>,
        qrels_path: &Path,
        qrels: Qrels,
    ) -> Result<Self> {
        if qrels.is_empty() {
            return Err(Error::in_file(qrels_path, "there are no judgments"));
        }
        let mut parts = Self { queries, ..Self::default() };
        let place = queries_path.display().to_string();
        parts.judge(qrels_path, qrels, &place)?;
        Ok(parts)
    }

    /// Adds the judgments of another file; `place` is where its queries must be.
    pub(super) fn judge(&mut self, path: &Path, qrels: Qrels, place: &str) -> Result<()> {
        let qrels = self.known_queries(path, qrels, place)?;
        self.qrels.merge(qrels)
    }

    /// The judgments of a file, if `place` has all of their queries.
    pub(super) fn known_queries(&self, path: &Path, qrels: Qrels, place: &str) -> Result<Qrels> {
        let known: HashSet<&str> = self.queries.iter().map(|query| query.id.as_str()).collect();
        let unknown = qrels.iter().filter(|(query, _)| !known.contains(query));
        if let Some((query, judgments)) = unknown.min_by_key(|(_, judgments)| judgments.first_line()) {
            let line = judgments.first_line().unwrap_or_default();
            let message = format!("judgment of a query that {place} does not have");
            return Err(Error::at_line(path, line, query, message));
        }
        Ok(qrels)
    }

    /// What there is to tell of queries without judgments.
    pub(super) fn unjudged(&self) -> Option<String> {
        let unjudged = |query: &&Query| self.qrels.judgments(&query.id).is_none() && !query.is_unanswerable();
        let without: Vec<_> = self.queries.iter().filter(unjudged).map(|query| Quoted(&query.id)).collect();
        if !self.names_unjudged || without.is_empty() || self.qrels.is_empty() {
            return None;
        }
        let (count, all) = (without.len(), counted(self.queries.len(), "query", "queries"));
        let more = if count > 5 { ", ..." } else { "" };
        let shown = without.iter().take(5).map(Quoted::to_string).collect::<Vec<_>>().join(", ");
        Some(format!("{count} of {all} {} no judgments: {shown}{more}", agree(count, "has", "have")))
    }
}

/// Of queries with one id it cannot be told which one a judgment is of.
pub(super) fn two_queries(id: &str) -> Error {
    Error::invalid(format!("two queries have the id {}", Quoted(id)))
}
