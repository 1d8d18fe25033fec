//! What configurations answered, as gates look at it: rankings of the claims that a metric counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::{AnswerWithContexts, Piece};
use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::gate::Baseline;
use crate::metric::Metric;
use crate::{Error, Result};

use super::counts::Exclusion;
use super::metric::AnswerMetric;
use crate::measure::judged::JudgedFiles;

/// What a configuration's blessed answers are called among the sides of a metric.
pub(crate) fn blessed_name(candidate: &str, baseline: &Baseline) -> String {
    format!("{candidate}, {baseline}")
}

/// And what it answers with the contexts of these.
pub(crate) fn again_name(blessed: &str) -> String {
    format!("{blessed}, asked again")
}

/// The answers of one configuration under one metric.
pub(crate) struct AnswersOf {
    /// The claims of each query that the metric is taken over, as rankings.
    pub(crate) evaluation: Evaluation,
    /// By query.
    pub(crate) pieces: BTreeMap<String, Vec<Piece>>,
    /// By query, the model's contexts and its answer.
    pub(crate) given: BTreeMap<String, AnswerWithContexts>,
    /// Why queries are in no mean of the metric.
    pub(super) excluded: BTreeMap<String, Exclusion>,
}

impl AnswersOf {
    /// The queries without an answer, where the metric needs one: they have no score.
    pub(crate) fn missing<'a>(&self, metric: &Metric, queries: &'a [Query]) -> Vec<&'a str> {
        let is_of_texts = AnswerMetric::from_metric(metric).is_some_and(AnswerMetric::is_of_texts);
        let is_missing = |query: &&Query| {
            let given = self.given.get(&query.id);
            given.is_none_or(|given| given.is_missing && (is_of_texts || given.contexts.is_empty()))
        };
        queries.iter().filter(is_missing).map(|query| query.id.as_str()).collect()
    }

    /// The queries that have an answer and are in no mean of the metric.
    pub(crate) fn left_out<'a>(&self, queries: &'a [Query]) -> Vec<&'a str> {
        let ids = queries.iter().map(|query| query.id.as_str());
        ids.filter(|id| self.excluded.contains_key(*id)).collect()
    }
}

/// All answers that gates on a metric look at, with the verdicts of the judge and people on their claims.
pub(crate) struct AnswerFiles {
    pub(crate) files: Arc<JudgedFiles>,
    pub(super) sides: BTreeMap<String, Result<Arc<AnswersOf>>>,
}

impl AnswerFiles {
    /// The same where there may be none.
    pub(crate) fn side_if_there(&self, name: &str) -> Option<Result<Arc<AnswersOf>>> {
        self.sides.get(name).cloned()
    }

    /// Those of a configuration, or of what was blessed.
    pub(crate) fn side(&self, configuration: &str) -> Result<Arc<AnswersOf>> {
        self.side_if_there(configuration).unwrap_or_else(|| {
            Err(Error::with_kind(
                crate::ErrorKind::Missing,
                format!("there are no answers of {configuration}"),
            ))
        })
    }
}
