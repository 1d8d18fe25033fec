//! Two judges side by side: how far they agree, and what a swap would do to gates.

use rankgate_report::benchmark::model::{Finding, GateReport, Verdict};

use crate::agreement::{Agreeing, Bias};
use crate::json::record;

record! {
    /// Another judge in the place of this one. It decides nothing.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct JudgeSwap {
        /// What its judgments call the other judge.
        pub judge: String,
        /// The other's model.
        pub model: String,
        /// How far both agree on what both have graded: this judge's grades are the rows of the confusion, the other's its columns.
        pub agreement: Option<Agreeing>,
        /// How much higher the other grades.
        pub bias: Option<Bias>,
        /// What people judged as well.
        pub anchors: Anchors,
        /// The gates that rest on a judge, with this one and with the other.
        pub gates: Vec<SwappedGate>,
    }
}

record! {
    /// Pairs that people judged: both judges must have graded them, so that they are compared on the same ones.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct Anchors {
        /// How many there are.
        pub pairs: usize,
        /// How many of them have no grade by this judge, and by the other.
        pub without: [usize; 2],
        /// How far people agree with this judge, and with the other, on those that both have graded.
        pub agreement: Option<[Agreeing; 2]>,
    }
}

record! {
    /// A gate with this judge, and with the other in its place.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct SwappedGate {
        /// The gate's name.
        pub gate: String,
        /// Its value, or the difference where it is a comparison; none where there is none.
        pub values: [Option<f64>; 2],
        /// The interval of it, or what it lies between where people have not judged enough.
        pub intervals: [Option<[f64; 2]>; 2],
        /// The verdicts.
        pub verdicts: [Verdict; 2],
        /// What keeps the gate from being decided with the other judge.
        pub reason?: Option<String>,
    }
}

impl JudgeSwap {
    /// Which judge lacks anchors, a sentence each.
    pub(crate) fn lacking_anchors(&self, judge: &str) -> Vec<String> {
        let lacking =
            [judge, &self.judge].into_iter().zip(self.anchors.without).filter(|(_, without)| *without > 0);
        let all = self.anchors.pairs;
        lacking
            .map(|(judge, without)| {
                format!("{without} of {all} anchors, which people judged, have no grade by {judge}")
            })
            .collect()
    }

    /// How many gates would have another verdict.
    #[must_use]
    pub fn changed_verdicts(&self) -> usize {
        self.gates.iter().filter(|gate| gate.verdicts[0] != gate.verdicts[1]).count()
    }
}

impl SwappedGate {
    /// The same gate, decided with this judge and with the other.
    pub(crate) fn new(here: &GateReport, there: &GateReport) -> Self {
        let both = [here, there].map(|gate| numbers(&gate.finding));
        let reason = there.finding.undecided_reason().and_then(|reason| reason.lines().next());
        Self {
            gate: here.name.clone(),
            values: both.map(|(value, _)| value),
            intervals: both.map(|(_, interval)| interval),
            verdicts: [here.verdict, there.verdict],
            reason: reason.map(str::to_owned),
        }
    }

    /// By how much the value moves.
    #[must_use]
    pub fn shift(&self) -> Option<f64> {
        Some(self.values[1]? - self.values[0]?)
    }
}

/// The value of a gate and its interval.
fn numbers(finding: &Finding) -> (Option<f64>, Option<[f64; 2]>) {
    match finding {
        Finding::Threshold(one) => (Some(one.measured.value), one.measured.interval),
        Finding::Comparison(one) => (Some(one.difference), one.t_interval),
        Finding::Bounds(one) => {
            (None, one.lowest.zip(one.highest).map(|(low, high)| [low.value, high.value]))
        }
        _ => (None, None),
    }
}
