//! The report's model: what gates, comparisons and measurements found, as data. Callers of the crate know it as
//! `benchmark::model`.

mod answer_times;
mod blessing;
mod coverage;
mod document_move;
mod failure;
mod gate;
mod history;
mod measured;
mod movers;
#[cfg(test)]
mod reading_tests;
mod row;
mod suite;
mod verdicts;
mod warning;

use std::collections::BTreeMap;

pub use self::answer_times::Latency;
pub use self::blessing::Blessing;
pub use self::coverage::{CoverageCount, CoverageReport, Covered, LowCoverage};
pub use self::document_move::DocumentMove;
pub use self::failure::{Failure, FailureCause};
pub use self::gate::{GateReport, Texts};
pub use self::history::{ConfigurationHistory, HistoryReport};
pub use self::measured::{GoldenQuery, Measured, MetricReport, QueryReport, RankedDocument, SegmentReport};
pub use self::movers::{Mover, Movers};
pub use self::row::Row;
pub use self::suite::{CollectionValue, SuiteReport};
pub use self::verdicts::Verdicts;
pub use self::warning::Warning;
pub use crate::findings::Finding;
pub use crate::findings::comparison::{ClaimReport, ComparisonFinding, Conclusion};
pub use crate::findings::deterministic::{DeterministicFinding, Disagreement};
pub use crate::findings::latency::LatencyFinding;
pub use crate::findings::overlap::OverlapFinding;
pub use crate::findings::snapshot::{SnapshotFinding, SnapshotState};
pub use crate::findings::threshold::ThresholdFinding;
pub use crate::findings::undecided::UndecidedFinding;
pub use crate::gate::{Bound, Expect, Limit, Verdict};
use serde::{Deserialize, Serialize};

use crate::stats::Confidence;

/// The version of the JSON form.
pub const SCHEMA: u32 = 2;

/// All that is known of a benchmark after its gates were decided.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The benchmark's name, or the suite's.
    pub benchmark: String,
    /// What places the report among others of the benchmark; `None` where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryReport>,
    /// The spec's file, relative to the workspace.
    pub spec: String,
    /// SHA-256 of the spec's file as it was read, which tells whether it has changed since; `None` where
    /// there is no such file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_sha256: Option<String>,
    /// The command that runs one of its gates again: the gate's name goes behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun: Option<String>,
    /// Everything that is wrong with the spec, where nothing of it was run for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Confidence of every interval, between 0 and 1.
    pub confidence: f64,
    /// What is searched and judged; `None` when it could not be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<CollectionReport>,
    /// The collections of a suite, and the means over them; `None` of a benchmark, which has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite: Option<SuiteReport>,
    /// Metrics in the order of the spec, canonical names.
    pub metrics: Vec<String>,
    /// The metric without a cutoff that made the depth what it is, where the spec does not give one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_because: Option<String>,
    /// Metrics without a cutoff, where the spec asks for fewer results than such metrics see by default: their
    /// values are those at the depth of the configurations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut_short: Vec<String>,
    /// One per configuration of the spec, in its order.
    pub configurations: Vec<ConfigurationReport>,
    /// Titles of documents in the rankings, by id, where the corpus has any and is not too large to be read
    /// for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub titles: BTreeMap<String, String>,
    /// One per gate that was decided, in the order of the spec.
    pub gates: Vec<GateReport>,
    /// How many gates the spec has, decided or not; 0 where nobody counted.
    #[serde(default)]
    pub gates_in_spec: usize,
    /// What blessing did in this test run, by configuration in the order of the spec.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blessings: Vec<Blessing>,
    /// What a reader should know before trusting the numbers.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// How many of its gates came to each verdict.
    pub fn verdicts(&self) -> Verdicts {
        self.gates.iter().map(|gate| gate.verdict).collect()
    }

    /// Whether one of its gates fails the build. An advisory gate that could not be decided does so only where no blocking
    /// gate was asked for: then nothing else says whether anything was measured.
    pub fn fails_by(&self, gate: &GateReport) -> bool {
        let is_beside_blocking = || self.gates.iter().any(|one| !one.advisory);
        gate.verdict.fails() && !(gate.advisory && is_beside_blocking())
    }
}

#[doc(hidden)]
impl Report {
    /// A report in which nothing is said of a benchmark.
    pub fn blank(benchmark: &str) -> Self {
        Self {
            schema: SCHEMA,
            benchmark: benchmark.to_owned(),
            confidence: Confidence::default().level(),
            ..Self::default()
        }
    }
}

/// The collection in numbers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct CollectionReport {
    /// Judged queries: those that means are taken over.
    pub queries: usize,
    /// Queries of the collection that nobody judged; they are not asked.
    pub without_judgments: usize,
    /// Judged queries without a relevant document; they score 0, or are left out with
    /// `skip-queries-without-relevant`.
    pub unjudgeable: usize,
    /// How many of those are left out, and so are not among `queries`.
    pub left_out: usize,
    /// Queries that no document answers: they are asked, are not among `queries`, and `FalseAnswer` alone measures
    /// them.
    pub unanswerable: usize,
    /// Judged pairs of query and document.
    pub judgments: usize,
    /// Documents of the corpus, where it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// Lowest grade that counts as relevant.
    pub relevant_from: i32,
}

/// One configuration: measured, or why not.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ConfigurationReport {
    /// Its name in the spec.
    pub name: String,
    /// What answers, in a few words: `builtin bm25`, `retriever mine`, `run legacy.run`.
    pub source: String,
    /// Results asked for per query.
    pub depth: usize,
    /// How often every query was asked.
    pub repeats: usize,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a configuration.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It answered every query.
    Measured(Box<Measured>),
    /// It could not be measured: no number of it exists.
    Error(Failure),
    /// No selected gate needed it.
    NotAsked,
}
