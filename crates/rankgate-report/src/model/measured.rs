//! What was measured of a configuration: values, segments, rankings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answer_times::Latency;
use super::warning::Warning;
use crate::collection::Metadata;

/// The measurements of one configuration.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Measured {
    /// Answer times; `None` for a frozen run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Judged queries without a single result, by id. They score 0.
    pub unanswered: Vec<String>,
    /// Unjudged queries of a frozen run; ignored.
    pub unjudged_queries: usize,
    /// Documents taken out of the rankings because their id is that of their query, over all repeats; `None`
    /// where the spec does not demand that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identical_ids: Option<usize>,
    /// Results inside the deepest cutoff that share their score with a neighbour; with repeats, in the
    /// repeat that has most.
    pub tied_scores: usize,
    /// Over all queries, in the order of the report's metrics, then `Judged@k` for each cutoff.
    pub metrics: Vec<MetricReport>,
    /// The same per segment, in the order of the spec's keys and of the segment's values.
    pub segments: Vec<SegmentReport>,
    /// One per judged query, by id.
    pub queries: Vec<QueryReport>,
    /// One per query that no document answers, by id, where a metric is of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswerable: Vec<QueryReport>,
    /// What should be known before the numbers are believed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// One metric over a set of queries.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct MetricReport {
    /// Canonical name.
    pub metric: String,
    /// The mean over queries; the sum for the counts (`NumRet`, `NumRel`, `NumRelRet`).
    pub value: f64,
    /// Limits of the interval of the mean; `None` where there is none (`interval_kind` says why).
    pub interval: Option<[f64; 2]>,
    /// How the interval was made, or why there is none.
    pub interval_kind: String,
    /// Groups of queries behind the interval, with `statistics.group-by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<usize>,
    /// Smallest and largest value over the repeats, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<[f64; 2]>,
    /// The value of the blessed run with today's judgments, over all queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub golden: Option<f64>,
    /// Of a suite the value of each collection, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_collection: Vec<f64>,
}

/// The metrics of the queries that share a metadata value.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct SegmentReport {
    /// Metadata key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Judged queries in the segment.
    pub queries: usize,
    /// As in [`Measured::metrics`], without `Judged@k`.
    pub metrics: Vec<MetricReport>,
}

/// One query of one configuration. With repeats the scores are means over them, and everything else is
/// that of the first.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct QueryReport {
    /// Query id.
    pub id: String,
    /// The query's text; of a later turn of a conversation after the text of the one before it.
    pub text: String,
    /// The query's metadata.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Score per metric, canonical names; the mean over repeats.
    pub scores: BTreeMap<String, f64>,
    /// Results retrieved.
    pub retrieved: usize,
    /// Relevant documents in the judgments.
    pub relevant: usize,
    /// Relevant documents among the results.
    pub found: usize,
    /// Rank of the first relevant document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_relevant: Option<usize>,
    /// The ranking's top, of the first repeat where there are several: as many documents as the deepest cutoff of the report's
    /// metrics that is not above 20, at least 10. Then the relevant documents below, highest grade first, at most 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Vec<RankedDocument>>,
    /// The blessed run with today's judgments; `None` where nothing was blessed or that day's run did not have the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub golden: Option<GoldenQuery>,
}

/// A document of a ranking.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct RankedDocument {
    /// Document id.
    pub document: String,
    /// Its grade; `None` when it is unjudged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<i32>,
    /// Its rank below the top; `None` of the top, whose order is its ranks, and when it was not retrieved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Whether it is relevant and not in the top.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missed: bool,
}

/// A query of the blessed run. Fields equal to today's are left out.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct GoldenQuery {
    /// The scores that differ from [`QueryReport::scores`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// The ranking; `None` when it shows the same as [`QueryReport::ranking`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Vec<RankedDocument>>,
}
