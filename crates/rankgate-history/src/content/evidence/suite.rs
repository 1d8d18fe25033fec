//! What the gates of a suite demand of the mean and of each collection.

use serde::Deserialize;

use super::Demand;
use super::comparison::ComparisonContent;
use super::threshold::ThresholdContent;
use crate::model::Verdict;
use crate::stats::Outcome;

#[derive(Deserialize)]
struct UnmetContent {
    gates: Vec<UnmetGateContent>,
}

#[derive(Deserialize)]
struct UnmetGateContent {
    gate: String,
    verdict: Verdict,
}

impl UnmetContent {
    /// A suite's gate is no better than those of its collections.
    fn shown(unmet: &Option<Self>) -> Demand {
        let gates = unmet.iter().flat_map(|unmet| &unmet.gates);
        Demand::first(gates.map(|one| {
            let said = || format!("{} came to `{}`", one.gate, one.verdict);
            match one.verdict {
                verdict if verdict.is_ok() => Demand::Kept,
                Verdict::Failed | Verdict::Errored => Demand::Broken("unmet", said()),
                _ => Demand::Open("unmet", said()),
            }
        }))
    }
}

#[derive(Deserialize)]
pub(in crate::content) struct SuiteContent {
    pub(in crate::content) whole: ComparisonContent,
    outcome: Outcome,
    harm_at_most: Option<HarmContent>,
    unmet: Option<UnmetContent>,
}

#[derive(Deserialize)]
struct HarmContent {
    verdict: Verdict,
}

impl SuiteContent {
    pub(in crate::content) fn shown(&self, verdict: Verdict) -> Demand {
        let said = || format!("its mean comes to `{}`", self.outcome);
        // Where nothing was expected, the outcome is that of a gain.
        let by_outcome = match self.outcome {
            _ if self.whole.expect.is_none() => Demand::Kept,
            Outcome::Passed => Demand::Kept,
            Outcome::Failed => Demand::Broken("outcome", said()),
            Outcome::Inconclusive => Demand::Open("outcome", said()),
        };
        let harm = self.harm_at_most.as_ref().map_or(Demand::Kept, |harm| {
            let said = || format!("what each collection may lose comes to `{}`", harm.verdict);
            match harm.verdict {
                Verdict::Passed => Demand::Kept,
                Verdict::Failed => Demand::Broken("harm_at_most", said()),
                _ => Demand::Open("harm_at_most", said()),
            }
        });
        Demand::first([self.whole.shown(verdict), by_outcome, harm, UnmetContent::shown(&self.unmet)])
    }
}

#[derive(Deserialize)]
pub(in crate::content) struct SuiteThresholdContent {
    pub(in crate::content) whole: ThresholdContent,
    unmet: Option<UnmetContent>,
}

impl SuiteThresholdContent {
    pub(in crate::content) fn shown(&self) -> Demand {
        Demand::first([self.whole.shown(), UnmetContent::shown(&self.unmet)])
    }
}
