//! The result of comparing runs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::offline::gate::Expect;
use crate::offline::model::{ComparisonFinding, Finding, Report, Verdict};
use crate::offline::stats::{Correction, DecidingTest};

/// Candidates compared with one baseline, on each metric. Differences are candidate minus baseline; the
/// JSON form is stable: fields are added, and `schema` counts changes that break a reader.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparisons {
    /// The version of the JSON form, which is that of a benchmark's report.
    pub schema: u32,
    /// The confidence of the intervals, between 0 and 1; a shown difference has an adjusted p-value
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
    /// One per candidate and metric: by candidate, then by metric. Both sides are called by the names of their
    /// files as they were given, and every one has a conclusion. Where something of the scores is expected,
    /// `expect`, `limit`, `claims`, `test` and `warnings` are those of the gate, and so is what
    /// was planned; everything else answers which of the two is better.
    pub comparisons: Vec<ComparisonFinding>,
    /// The same as a benchmark's report: measurements of all runs and a gate per comparison, which is only
    /// reported where nothing was expected.
    #[serde(skip)]
    pub report: Report,
    /// Whether p-values were simulated.
    #[serde(skip)]
    pub(super) simulated: bool,
    /// Whether the p-value of an unseen query stands in the place of the test's own.
    #[serde(skip)]
    pub(super) by_unseen_query: bool,
    /// The shortest names that tell the files apart, by the names as they were given.
    #[serde(skip)]
    pub(super) short: BTreeMap<String, String>,
}

/// What came of all that was expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GateOutcome {
    /// What was expected of every candidate.
    pub expect: Expect,
    /// The margin, in the metric's own units; left out where it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// The worst verdict: `failed`, else `inconclusive`, else `passed`.
    pub verdict: Verdict,
    /// The verdict on each comparison, in their order; on each candidate for `identical`, which looks at
    /// rankings and not at scores.
    pub verdicts: Vec<Verdict>,
    /// The interval of the difference that agrees with each verdict: that of its own question, and null where there is
    /// none. Intervals of comparisons are of the question whether there is any difference. Neither is adjusted for other
    /// comparisons. Left out for rankings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<Option<[f64; 2]>>,
}

/// The interval that agrees with the verdict of a gate on scores.
pub(crate) fn deciding_interval(finding: &Finding) -> Option<Option<[f64; 2]>> {
    match finding {
        Finding::Comparison(gate) => Some(gate.interval),
        _ => None,
    }
}

impl Comparisons {
    /// Whether everything that was expected holds; `None` where nothing was.
    pub fn holds(&self) -> Option<bool> {
        self.gate.as_ref().map(|gate| gate.verdict == Verdict::Passed)
    }

    /// The shortest name that tells a file from the others.
    pub(crate) fn short<'a>(&'a self, name: &'a str) -> &'a str {
        self.short.get(name).map_or(name, String::as_str)
    }
}

/// The worst of the verdicts, of a gate that several make up.
pub(super) fn worst(verdicts: impl Iterator<Item = Verdict> + Clone) -> Verdict {
    let any = |verdict| verdicts.clone().any(|one| one == verdict);
    if any(Verdict::Failed) {
        Verdict::Failed
    } else if any(Verdict::Inconclusive) {
        Verdict::Inconclusive
    } else {
        Verdict::Passed
    }
}
