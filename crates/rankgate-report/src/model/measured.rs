//! What was measured of a configuration: values, segments, rankings.

use std::collections::BTreeMap;

use super::answer_times::Latency;
use super::warning::Warning;
use crate::collection::Metadata;
use crate::json::record;

record! {
    /// The measurements of one configuration.
    #[derive(Clone, Debug, PartialEq)]
    whole pub struct Measured {
        /// Answer times; `None` for a frozen run.
        pub latency?: Option<Latency>,
        /// Judged queries without a single result, by id. They score 0.
        pub unanswered: Vec<String>,
        /// Unjudged queries of a frozen run; ignored.
        pub unjudged_queries: usize,
        /// Documents taken out of the rankings because their id is that of their query, over all repeats; `None`
        /// where the spec does not demand that.
        pub identical_ids?: Option<usize>,
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
        pub unanswerable?: Vec<QueryReport>,
        /// What should be known before the numbers are believed.
        pub warnings?: Vec<Warning>,
    }
}

record! {
    /// One metric over a set of queries.
    #[derive(Clone, Debug, PartialEq)]
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
        pub groups?: Option<usize>,
        /// Smallest and largest value over the repeats, where there are several.
        pub spread?: Option<[f64; 2]>,
        /// The value of the blessed run with today's judgments, over all queries.
        pub golden?: Option<f64>,
        /// Of a suite the value of each collection, in their order.
        pub by_collection?: Vec<f64>,
    }
}

record! {
    /// The metrics of the queries that share a metadata value.
    #[derive(Clone, Debug, PartialEq)]
    whole pub struct SegmentReport {
        /// Metadata key.
        pub key: String,
        /// Its value.
        pub value: String,
        /// Judged queries in the segment.
        pub queries: usize,
        /// As in [`Measured::metrics`], without `Judged@k`.
        pub metrics: Vec<MetricReport>,
    }
}

record! {
    /// One query of one configuration. With repeats the scores are means over them, and everything else is
    /// that of the first.
    #[derive(Clone, Debug, Default, PartialEq)]
    whole pub struct QueryReport {
        /// Query id.
        pub id: String,
        /// The query's text; of a later turn of a conversation after the text of the one before it.
        pub text: String,
        /// The query's metadata.
        pub metadata?: Metadata,
        /// Score per metric, canonical names; the mean over repeats.
        pub scores: BTreeMap<String, f64>,
        /// Results retrieved.
        pub retrieved: usize,
        /// Relevant documents in the judgments.
        pub relevant: usize,
        /// Relevant documents among the results.
        pub found: usize,
        /// Rank of the first relevant document.
        pub first_relevant?: Option<usize>,
        /// The ranking's top, of the first repeat where there are several: as many documents as the deepest cutoff of the report's
        /// metrics that is not above 20, at least 10. Then the relevant documents below, highest grade first, at most 10.
        pub ranking?: Option<Vec<RankedDocument>>,
        /// The blessed run with today's judgments; `None` where nothing was blessed or that day's run did not have the query.
        pub golden?: Option<GoldenQuery>,
    }
}

record! {
    /// A document of a ranking.
    #[derive(Clone, Debug, PartialEq, Eq)]
    whole pub struct RankedDocument {
        /// Document id.
        pub document: String,
        /// Its grade; `None` when it is unjudged.
        pub grade?: Option<i32>,
        /// Its rank below the top; `None` of the top, whose order is its ranks, and when it was not retrieved.
        pub rank?: Option<usize>,
        /// Whether it is relevant and not in the top.
        pub missed?: bool,
    }
}

record! {
    /// A query of the blessed run. Fields equal to today's are left out.
    #[derive(Clone, Debug, Default, PartialEq)]
    whole pub struct GoldenQuery {
        /// The scores that differ from [`QueryReport::scores`].
        pub scores?: BTreeMap<String, f64>,
        /// The ranking; `None` when it shows the same as [`QueryReport::ranking`].
        pub ranking?: Option<Vec<RankedDocument>>,
    }
}
