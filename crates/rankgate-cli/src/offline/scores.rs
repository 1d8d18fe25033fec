//! The scores of one run.

use serde::Serialize;

use rankgate_core::scores::{Score, ScoreTable};

use crate::offline::by_metric::{ByMetric, PerQuery};
use crate::offline::{Error, Result};

/// One run's scores; its JSON form is stable: fields are added, and `schema` counts changes that break a
/// reader.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scores {
    /// The version of the JSON form.
    pub schema: u32,
    /// The run, by the name of its file as it was given.
    pub run: String,
    /// Queries that the means are taken over: all judged ones, unless some were to be left out.
    pub queries: usize,
    /// Of these, queries for which the run has no document; they score 0.
    pub unanswered: usize,
    /// Unjudged queries of the run; they are ignored.
    pub unjudged_queries: usize,
    /// Documents that were taken out because their id is that of their query; left out where nobody asked for
    /// that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identical_ids: Option<usize>,
    /// Documents within the deepest cutoff that share their score with a neighbour, so that their order is
    /// a convention; 0 where ranks say the order.
    pub tied_scores: usize,
    /// Whether the file holds scores as floats of 32 bits or 16, so that ties are those of such floats; left out where it
    /// does not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub float32_scores: bool,
    /// A sentence where scores rise with the ranks of the file in nearly all queries: what ranks first counts as last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rising_scores: Option<String>,
    /// A sentence where nearly all lists end at one rank above the cutoff of a metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_lists: Option<String>,
    /// Of the queries, those without a relevant document; they score 0 in every relevance metric.
    pub without_relevant: usize,
    /// Judged queries that were left out on request.
    pub left_out: usize,
    /// Documents that the run has for these queries.
    pub results: usize,
    /// How many of them were judged; of a run that belongs to another collection none.
    pub judged_results: usize,
    /// The confidence of the intervals, between 0 and 1.
    pub confidence: f64,
    /// Groups of queries that the intervals are of, where queries are grouped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
    /// By metric, canonical names: the mean over the queries; the sum for counts such as `NumRet`.
    pub mean: ByMetric<f64>,
    /// By metric: the limits of the mean's interval, or null where there is none.
    pub interval: ByMetric<Option<[f64; 2]>>,
    /// By query and metric, on request: the scores of each query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_query: Option<PerQuery>,
}

impl Scores {
    /// The scores of each query as a table with a column for each metric.
    ///
    /// # Errors
    ///
    /// Scores that do not have those [of each query](Self::per_query).
    pub fn table(&self) -> Result<ScoreTable> {
        let missing = || Error::invalid("there are no scores of single queries to write");
        let per_query = self.per_query.as_ref().ok_or_else(missing)?;
        let column =
            |at: usize| per_query.iter().map(move |(query, row)| (query.to_owned(), Score::new(row[at])));
        let columns = per_query.metrics().iter().enumerate();
        Ok(ScoreTable { columns: columns.map(|(at, name)| (name.clone(), column(at).collect())).collect() })
    }
}
