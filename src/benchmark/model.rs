//! The report's model: everything that is said of a benchmark, in one serializable value.
//!
//! Terminal, Markdown, HTML, JSON and failure messages all render it and compute nothing, so that they
//! cannot disagree. The JSON form is stable: fields are added, and [`SCHEMA`] counts changes that
//! break a reader.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::collection::Metadata;
pub use crate::gate::Verdict;
use crate::retriever::{Failure, Latency};

/// The version of the JSON form.
pub const SCHEMA: u32 = 1;

/// All that is known of a benchmark after its gates were decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The benchmark's name.
    pub benchmark: String,
    /// What the spec says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The spec's file, relative to the crate.
    pub spec: String,
    /// Confidence of every interval, between 0 and 1.
    pub confidence: f64,
    /// What is searched and judged; `None` when it could not be loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<CollectionReport>,
    /// Metrics in the order of the spec, canonical names.
    pub metrics: Vec<String>,
    /// The metric without a cutoff that made the depth what it is, where the spec does not give one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth_because: Option<String>,
    /// One per configuration of the spec, in its order.
    pub configurations: Vec<ConfigurationReport>,
    /// One per gate that was decided, in the order of the spec.
    pub gates: Vec<GateReport>,
    /// How many gates the spec has, decided or not; 0 where nobody counted.
    #[serde(default)]
    pub gates_in_spec: usize,
    /// What a reader should know before trusting the numbers.
    pub warnings: Vec<String>,
}

/// The collection in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectionReport {
    /// Judged queries: those that means are taken over.
    pub queries: usize,
    /// Queries of the collection that nobody judged; they are not asked.
    pub without_judgments: usize,
    /// Judged queries without a relevant document; they score 0, or are left out with
    /// `skip-unjudgeable`.
    pub unjudgeable: usize,
    /// How many of those are left out, and so are not among `queries`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Judged pairs of query and document.
    pub judgments: usize,
    /// Documents of the corpus, where it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// Lowest grade that counts as relevant.
    pub relevant_from: i32,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// One configuration: measured, or why not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It answered every query.
    Measured(Box<Measured>),
    /// It could not be measured: no number of it exists.
    Errored(Failure),
    /// The spec ignores it, for this reason.
    Ignored(String),
    /// No selected gate needed it.
    NotAsked,
}

/// The measurements of one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Measured {
    /// Answer times; `None` for a frozen run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Judged queries without a single result, by id. They score 0.
    pub unanswered: Vec<String>,
    /// Queries of a frozen run that nobody judged; ignored.
    pub unjudged_queries: usize,
    /// Results inside the deepest cutoff that share their score with a neighbour; with repeats, in the
    /// repeat that has most.
    pub tied_scores: usize,
    /// Over all queries, in the order of the report's metrics, then `Judged@k` for each cutoff.
    pub metrics: Vec<MetricReport>,
    /// The same per segment, in the order of the spec's keys and of the segment's values.
    pub segments: Vec<SegmentReport>,
    /// The metrics with a cutoff at other cutoffs, in the order of the report's metrics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<CurveReport>,
    /// One per judged query, by id.
    pub queries: Vec<QueryReport>,
    /// What should be known before the numbers are believed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
}

/// A metric over all queries at several cutoffs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CurveReport {
    /// Canonical name without the cutoff: `nDCG`, `F(beta=2)`.
    pub metric: String,
    /// By cutoff: 1, 2, 3, 5, 10 and so on to the depth that was asked for, the depth, and the cutoffs
    /// that the spec names.
    pub points: Vec<CurvePoint>,
}

/// The value of a metric at one cutoff.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CurvePoint {
    /// The cutoff.
    pub cutoff: usize,
    /// The mean over all queries.
    pub value: f64,
}

/// One metric over a set of queries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MetricReport {
    /// Canonical name.
    pub metric: String,
    /// The mean over queries; the sum for the counts (`NumRet`, `NumRel`, `NumRelRet`).
    pub value: f64,
    /// Limits of the interval of the mean; `None` where there is none (`interval_kind` says why).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// How the interval was made (`t`, `wilson`), or why there is none.
    pub interval_kind: String,
    /// Smallest and largest value over the repeats, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<[f64; 2]>,
    /// The value of the blessed run with today's judgments, over all queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub golden: Option<f64>,
}

/// The metrics of the queries that share a metadata value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct QueryReport {
    /// Query id.
    pub id: String,
    /// What was asked.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_relevant: Option<usize>,
    /// Discounted gain of the results, the grade being the gain.
    pub dcg: f64,
    /// That of the best ranking there could be, to the same depth.
    pub ideal_dcg: f64,
    /// The ranking's top; of the first repeat, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingReport>,
    /// The blessed run with today's judgments; `None` where nothing was blessed or the query was not
    /// asked that day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub golden: Option<GoldenQuery>,
}

/// The top of a ranking, and which relevant documents are not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RankingReport {
    /// Rank 1 first: as many as the deepest cutoff of the report's metrics that is not above 20, at
    /// least 10.
    pub top: Vec<RankedDocument>,
    /// Relevant documents that are not in the top, highest grade first, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<MissedDocument>,
}

/// A document of a ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RankedDocument {
    /// Document id.
    pub document: String,
    /// Its grade; `None` when nobody judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<i32>,
}

/// A relevant document that is not in the top of a ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MissedDocument {
    /// Document id.
    pub document: String,
    /// Its grade.
    pub grade: i32,
    /// Its rank; `None` when it was not retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
}

/// A query of the blessed run. What is as it is now is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GoldenQuery {
    /// The scores that differ from [`QueryReport::scores`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// The ranking; `None` when it shows the same as [`QueryReport::ranking`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingReport>,
}

/// One gate: what was asked for, what was seen, what follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GateReport {
    /// The test's name.
    pub name: String,
    /// The configuration that is judged.
    pub configuration: String,
    /// Whether it only advises.
    pub advisory: bool,
    /// What came of it.
    pub verdict: Verdict,
    /// Where the spec asks for it.
    pub place: Place,
    /// What was asked and seen.
    pub finding: Finding,
    /// What a reader should know before acting on the verdict, such as inputs that changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What to do next, most helpful first.
    pub advice: Vec<Advice>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// Path relative to the crate.
    pub file: String,
    /// 1-based.
    pub line: u64,
}

/// Something a reader may do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Advice {
    /// Why one would: `accept the new ranking`.
    pub purpose: String,
    /// The command to type or the file to open.
    pub action: String,
}

/// What a gate asked for and saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Finding {
    /// A limit on one metric of one configuration.
    Threshold(Box<ThresholdFinding>),
    /// The metric report against what was blessed.
    Snapshot(SnapshotFinding),
    /// Whether asking twice gives the same rankings.
    Deterministic(DeterministicFinding),
    /// A candidate against a baseline, by the scores of the queries that both have.
    Comparison(Box<ComparisonFinding>),
    /// A candidate against a baseline, by their rankings alone: no judgments needed.
    Overlap(Box<OverlapFinding>),
    /// The gate could not be decided: why, in one sentence.
    Undecided {
        /// What kept it from being decided.
        reason: String,
    },
}

/// A limit on one metric of one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ThresholdFinding {
    /// Canonical name.
    pub metric: String,
    /// Metadata key and value of the segment, if it is on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<[String; 2]>,
    /// Smallest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest value allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// What is held against the limits: `mean`, `lower` or `upper`.
    pub bound: String,
    /// Judged queries the value is taken over.
    pub queries: usize,
    /// How many of them were not answered, and so scored 0.
    #[serde(default)]
    pub unanswered: usize,
    /// What should be known before the value is believed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
    /// The value and its interval.
    pub measured: MetricReport,
    /// Queries that explain the value: against the blessed run where there is one, else the weakest.
    pub movers: Movers,
}

/// The queries that explain a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Movers {
    /// What is compared with: `golden`, another configuration, or nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The other side's mean over the same queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_value: Option<f64>,
    /// Queries that score lower than on the other side.
    pub worse: usize,
    /// Queries that score higher.
    pub better: usize,
    /// Queries that score the same.
    pub unchanged: usize,
    /// Largest losses first; without another side, lowest scores first, unless high ones are the trouble.
    pub losses: Vec<Mover>,
    /// Largest gains first; without another side, highest scores first where an upper limit is broken.
    pub gains: Vec<Mover>,
    /// Unjudged documents inside the cutoff, on this side; with repeats the mean over them, rounded.
    pub unjudged: usize,
    /// Unjudged documents inside the cutoff, on the other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_unjudged: Option<usize>,
    /// `Judged@cutoff` on this side, over the queries that the value is taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<f64>,
    /// The cutoff by which documents are said to have entered or left.
    pub cutoff: usize,
    /// Whether a side was asked several times: then scores are means over its repeats, and documents
    /// are those of the repeat that explains most, on the other side of the one nearest to its mean.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// A query and what happened to its judged documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mover {
    /// Query id.
    pub query: String,
    /// What was asked.
    pub text: String,
    /// Score on the other side, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Score on this side.
    pub after: f64,
    /// Its judged documents that moved; without another side, its relevant documents and where they
    /// are. Highest grade first.
    pub documents: Vec<DocumentMove>,
}

/// Where a document was and is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DocumentMove {
    /// Document id.
    pub document: String,
    /// Its grade; `None` when nobody judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<i32>,
    /// Rank on the other side; `None` when it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// Rank on this side; `None` when it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
}

/// The metric report against what was blessed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SnapshotFinding {
    /// The golden file, relative to the crate.
    pub file: String,
    /// What was found.
    pub state: SnapshotState,
    /// Lines of the difference: `-` blessed, `+` now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// How a metric report compares with what was blessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotState {
    /// They agree.
    Same,
    /// Nothing was blessed so far.
    Missing,
    /// They differ.
    Differs,
    /// It was blessed just now.
    Blessed,
}

/// Whether asking twice gives the same rankings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DeterministicFinding {
    /// Queries asked.
    pub queries: usize,
    /// Queries with two different answers, by id.
    pub differing: Vec<Disagreement>,
}

/// A query that was answered in two ways.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// Query id.
    pub query: String,
    /// What was asked.
    pub text: String,
    /// First rank at which the answers differ.
    pub rank: usize,
    /// The documents there, in the first and the second answer.
    pub documents: [Option<String>; 2],
    /// Whether documents that changed places have the same score: the usual cause.
    pub tied: bool,
}

/// A candidate against a baseline on one metric. Differences are candidate minus baseline, in the
/// metric's own units; intervals are two-sided and not adjusted for other comparisons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparisonFinding {
    /// The configuration that is judged.
    pub candidate: String,
    /// What it is compared with: a configuration, or `golden`.
    pub baseline: String,
    /// Canonical name.
    pub metric: String,
    /// Metadata key and value of the segment, if it is on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<[String; 2]>,
    /// What is expected: `no-regression`, `non-inferiority`, `improvement`, `equivalence`.
    pub expect: String,
    /// The tolerance, margin or smallest gain; `None` where it is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// What the verdict rests on, in a few words: `it is shown`, `nothing is shown either way`.
    pub reason: String,
    /// Queries that both sides have.
    pub queries: usize,
    /// Queries that only one side has: left out of the comparison.
    pub unpaired: usize,
    /// What is paired: queries, or groups of them with `statistics.cluster`.
    pub units: usize,
    /// Units in which the candidate scores higher.
    pub wins: usize,
    /// Units in which both score the same.
    pub ties: usize,
    /// Units in which the candidate scores lower.
    pub losses: usize,
    /// The baseline's mean.
    pub baseline_mean: f64,
    /// The candidate's mean.
    pub candidate_mean: f64,
    /// The mean difference.
    pub difference: f64,
    /// The mean difference over its standard deviation (d_z).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_dz: Option<f64>,
    /// The interval of the difference that the spec asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// How it was made (`dual`, `t`, `percentile`, `bca`, `studentised`), or why there is none.
    pub interval_kind: String,
    /// The t interval of the difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_interval: Option<[f64; 2]>,
    /// Two-sided p-value of the permutation test against no difference.
    pub p_two_sided: f64,
    /// One-sided: that the candidate is better.
    pub p_greater: f64,
    /// One-sided: that the candidate is worse.
    pub p_less: f64,
    /// Two-sided p-value of the deciding test, adjusted for the family.
    pub p_adjusted: f64,
    /// How far a simulated p-value may be off (its standard error); `None` when it is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_error: Option<f64>,
    /// How the permutation p-values were computed: `exact-...` or `monte-carlo`.
    pub engine: String,
    /// Resamples of a simulated p-value; `None` when it is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permutation_resamples: Option<u64>,
    /// The claims that the verdict rests on.
    pub claims: Vec<ClaimReport>,
    /// Which test decides: `permutation` or `bootstrap`.
    pub test: String,
    /// How p-values are adjusted.
    pub correction: String,
    /// How many gates they are adjusted for.
    pub family: usize,
    /// What random numbers are derived from.
    pub seed: u64,
    /// The bootstrap.
    pub bootstrap: BootstrapReport,
    /// The smallest difference that these queries would show with power .8; an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_detectable_effect: Option<f64>,
    /// About how many units would show a difference as large as `queries_needed_for` with power .8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries_needed: Option<u64>,
    /// The limit; for an `improvement` without one the difference that was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries_needed_for: Option<f64>,
    /// `Judged@k` of both sides at the metric's cutoff: how much of what they return was judged.
    pub judged: JudgedReport,
    /// The same comparison on judged documents only, where the sides differ in how much was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_only: Option<JudgedOnly>,
    /// Largest difference between two repeats of one side, where a side was asked several times: a
    /// difference within it may be the retriever's own noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// How alike the rankings are.
    pub likeness: Likeness,
    /// What else a reader should know before believing the verdict.
    pub cautions: Vec<String>,
    /// The queries and documents that moved.
    pub movers: Movers,
}

/// A one-sided claim and what the data say to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClaimReport {
    /// `greater` or `less`: the side of `null` that is claimed for the difference.
    pub direction: String,
    /// The difference compared with: 0 or a margin.
    pub null: f64,
    /// One-sided p-value of the deciding test.
    pub p: f64,
    /// The same adjusted for the family, where claims are adjusted.
    pub p_adjusted: f64,
    /// The one-sided level that it is held against.
    pub level: f64,
    /// The t test's one-sided p-value, where few queries make it necessary; adjusted for the family where
    /// `p_adjusted` is (by Holm where that is by max-t), and held against the same level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_t: Option<f64>,
    /// `shown`, `not-shown`, `disputed` or `undecided`.
    pub evidence: String,
}

/// What the bootstrap says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BootstrapReport {
    /// Resamples.
    pub resamples: u64,
    /// Limits of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// `percentile`, `bca` or `studentised`, or why there is no interval.
    pub kind: String,
    /// Two-sided p-value of the studentised bootstrap; `None` where differences have no spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// The share of resamples in which the candidate scores higher: a description, not a p-value.
    pub win_share: f64,
}

/// How much of what both sides return was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JudgedReport {
    /// The cutoff.
    pub cutoff: usize,
    /// The baseline's `Judged@cutoff`.
    pub baseline: f64,
    /// The candidate's.
    pub candidate: f64,
}

/// A comparison repeated with unjudged documents removed from both rankings: what stood below them moves
/// up, from as far down as the spec's `depth` reaches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct JudgedOnly {
    /// The mean difference then.
    pub difference: f64,
    /// The verdict then.
    pub verdict: Verdict,
}

/// How alike two sets of rankings are, whatever was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Likeness {
    /// The cutoff of the overlap.
    pub cutoff: usize,
    /// Mean share of documents that both sides have inside the cutoff; like `rbo` a mean over all repeats
    /// of both sides, where there are several.
    pub overlap: f64,
    /// Mean rank-biased overlap (extrapolated, p = 0.9).
    pub rbo: f64,
    /// Queries with the same documents in the same order, to the full depth and in all repeats.
    pub identical: usize,
    /// Queries compared.
    pub queries: usize,
}

/// A candidate against a baseline by their rankings alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OverlapFinding {
    /// The configuration that is judged.
    pub candidate: String,
    /// What it is compared with: a configuration, or `golden`.
    pub baseline: String,
    /// `identical` or `overlap`.
    pub expect: String,
    /// Smallest mean overlap allowed, for `overlap`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Metadata key and value of the segment, if it is on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<[String; 2]>,
    /// How alike the rankings are.
    pub likeness: Likeness,
    /// Queries that only one side has.
    pub unpaired: usize,
    /// The queries that are least alike, with the rank at which they first differ; documents of the
    /// baseline first.
    pub differing: Vec<Disagreement>,
    /// Sides that are frozen runs read by score: documents of equal scores stand in the order of their ids,
    /// whatever the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_by_score: Vec<String>,
    /// What else a reader should know.
    pub cautions: Vec<String>,
}
