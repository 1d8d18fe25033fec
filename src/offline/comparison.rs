//! What is known of runs that were compared.

use serde::Serialize;

use crate::gate::Expect;
use crate::model::{
    BootstrapReport, Caution, ComparisonFinding, Conclusion, JudgedOnly, JudgedReport, Likeness, Movers,
    Report, Verdict,
};
use crate::stats::{Correction, DecidingTest, Engine, Reason};

/// Candidates compared with one baseline, on each metric. Differences are candidate minus baseline; the
/// JSON form is stable: fields are added, and `schema` counts changes that break a reader.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "rankgate compare --format json"))]
#[non_exhaustive]
pub struct Comparisons {
    /// The version of the JSON form, which is that of a benchmark's report.
    pub schema: u32,
    /// The confidence of the intervals, between 0 and 1; what is held to be shown has an adjusted p-value
    /// of at most 1 less this.
    pub confidence: f64,
    /// How p-values are adjusted for the number of comparisons.
    pub correction: Correction,
    /// That number: candidates times metrics.
    pub family: usize,
    /// What random numbers are derived from.
    pub seed: u64,
    /// Which test decides.
    pub test: DecidingTest,
    /// What the candidates were held against, where anything was expected of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateOutcome>,
    /// One per candidate and metric: by candidate, then by metric.
    pub comparisons: Vec<Compared>,
    /// The same as a benchmark's report: measurements of all runs and a gate per comparison, which is only
    /// reported where nothing was expected.
    #[serde(skip)]
    pub report: Report,
}

/// What came of all that was expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GateOutcome {
    /// What was expected of every candidate.
    pub expect: Expect,
    /// The margin, tolerance or smallest gain, in the metric's own units; left out where it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// The worst verdict: `failed`, else `inconclusive`, else `passed`.
    pub verdict: Verdict,
    /// The verdict on each comparison, in their order; on each candidate for `identical`, which looks at
    /// rankings and not at scores.
    pub verdicts: Vec<Verdict>,
}

/// A candidate compared with the baseline on one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Compared {
    /// The metric's canonical name.
    pub metric: String,
    /// The baseline, by the name of its file as it was given.
    pub baseline: String,
    /// The candidate, likewise.
    pub candidate: String,
    /// What may be said of the difference.
    pub conclusion: Conclusion,
    /// What that rests on.
    pub reason: Reason,
    /// Queries compared: all judged ones.
    pub queries: usize,
    /// Queries in which the two differ.
    pub nonzero: usize,
    /// Queries in which the candidate scores higher.
    pub wins: usize,
    /// Queries in which both score the same.
    pub ties: usize,
    /// Queries in which the candidate scores lower.
    pub losses: usize,
    /// The baseline's mean.
    pub baseline_mean: f64,
    /// The candidate's mean.
    pub candidate_mean: f64,
    /// The mean difference.
    pub difference: f64,
    /// The mean difference over the standard deviation of the differences (d_z); null without spread.
    pub effect_dz: Option<f64>,
    /// The interval of the difference that goes with the deciding test, not adjusted for other
    /// comparisons; null where there is none.
    pub interval: Option<[f64; 2]>,
    /// The interval of the paired t test; null where there is none.
    pub t_interval: Option<[f64; 2]>,
    /// Two-sided p-value of the permutation test.
    pub p_two_sided: f64,
    /// One-sided: that the candidate is better.
    pub p_greater: f64,
    /// One-sided: that the candidate is worse.
    pub p_less: f64,
    /// Two-sided p-value of the deciding test.
    pub p_deciding: f64,
    /// The same adjusted for the family.
    pub p_adjusted: f64,
    /// The standard error of simulated p-values; null where they are exact.
    pub p_error: Option<f64>,
    /// How the permutation p-values were computed.
    pub engine: Engine,
    /// What the bootstrap says.
    pub bootstrap: BootstrapReport,
    /// The smallest difference that so many queries show with a power of 0.8, an estimate; null without
    /// spread.
    pub minimum_detectable_effect: Option<f64>,
    /// How much of what both return was judged, down to the metric's cutoff.
    pub judged: JudgedReport,
    /// The same comparison with unjudged documents removed, where the two differ in how much was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged_only: Option<JudgedOnly>,
    /// How alike the rankings are, whatever was judged.
    pub likeness: Likeness,
    /// What to know before believing it.
    pub warnings: Vec<Caution>,
    /// The queries that lost and gained most, and which documents moved.
    pub movers: Movers,
    /// The shortest names that tell the two files apart.
    #[serde(skip)]
    pub(crate) short: Short,
}

/// Names for people.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Short {
    pub(crate) baseline: String,
    pub(crate) candidate: String,
}

impl Compared {
    /// `names`: baseline and candidate as they were given.
    pub(super) fn of(
        finding: &ComparisonFinding,
        names: [&str; 2],
        conclusion: Conclusion,
        movers: Movers,
    ) -> Self {
        let finding = finding.clone();
        Self {
            metric: finding.metric,
            baseline: names[0].to_owned(),
            candidate: names[1].to_owned(),
            conclusion,
            reason: finding.reason,
            queries: finding.queries,
            nonzero: finding.wins + finding.losses,
            wins: finding.wins,
            ties: finding.ties,
            losses: finding.losses,
            baseline_mean: finding.baseline_mean,
            candidate_mean: finding.candidate_mean,
            difference: finding.difference,
            effect_dz: finding.effect_dz,
            interval: finding.interval,
            t_interval: finding.t_interval,
            p_two_sided: finding.p_two_sided,
            p_greater: finding.p_greater,
            p_less: finding.p_less,
            p_deciding: finding.p_deciding,
            p_adjusted: finding.p_adjusted,
            p_error: finding.p_error,
            engine: finding.engine,
            bootstrap: finding.bootstrap,
            minimum_detectable_effect: finding.minimum_detectable_effect,
            judged: finding.judged,
            judged_only: finding.judged_only,
            likeness: finding.likeness,
            warnings: finding.cautions,
            movers,
            short: Short { baseline: finding.baseline, candidate: finding.candidate },
        }
    }
}

impl Comparisons {
    /// Whether everything that was expected holds; `None` where nothing was.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        self.gate.as_ref().map(|gate| gate.verdict == Verdict::Passed)
    }
}
