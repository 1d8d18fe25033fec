//! What the numbers of a finding come to, whatever the verdict beside it says.

mod bounds;
mod comparison;
mod latency;
mod rankings;
mod suite;
#[cfg(test)]
mod tests;
mod threshold;

use serde::Deserialize;
use serde::de::IgnoredAny;

pub(super) use self::bounds::BoundsContent;
pub(super) use self::comparison::ComparisonContent;
pub(super) use self::latency::LatencyContent;
pub(super) use self::rankings::{DeterministicContent, OverlapContent, SnapshotContent};
pub(super) use self::suite::{SuiteContent, SuiteThresholdContent};
pub(super) use self::threshold::ThresholdContent;
use super::numbers::slack;
use crate::model::Verdict;

/// What the numbers of a finding come to.
#[derive(Debug, PartialEq)]
pub(super) enum Demand {
    /// They let the gate pass, or say nothing of it.
    Kept,
    /// The gate does not hold: the key of the number, and why.
    Broken(&'static str, String),
    /// They do not decide it: the key, and why.
    Open(&'static str, String),
}

impl Demand {
    /// The first of these that does not let the gate pass; what is broken comes before what is open.
    fn first(all: impl IntoIterator<Item = Self>) -> Self {
        let worse = |worst: Self, one: Self| match (&worst, &one) {
            (Self::Kept, _) | (Self::Open(..), Self::Broken(..)) => one,
            _ => worst,
        };
        all.into_iter().fold(Self::Kept, worse)
    }

    /// The same where something else decides: what looks broken is open.
    fn undecided_if(self, is_undecided: bool) -> Self {
        match self {
            Self::Broken(key, why) if is_undecided => Self::Open(key, why),
            other => other,
        }
    }

    /// The same where a model's judgments may leave a gate open: then nothing is broken yet.
    fn while_open(self, is_open: bool) -> Self {
        match self.undecided_if(is_open) {
            Self::Kept if is_open => Self::Open("open", "its model's judgments leave it open".to_owned()),
            other => other,
        }
    }

    fn broken_if(is_broken: bool, key: &'static str, why: impl FnOnce() -> String) -> Self {
        if is_broken { Self::Broken(key, why()) } else { Self::Kept }
    }

    fn open_if(is_open: bool, key: &'static str, why: impl FnOnce() -> String) -> Self {
        if is_open { Self::Open(key, why()) } else { Self::Kept }
    }

    /// Why a gate of this verdict cannot have these numbers, if it cannot: the key, and a sentence.
    ///
    /// Of what fails nothing alone this can be said: a gate that failed may lack more than its numbers show.
    pub(super) fn contradiction(
        &self,
        verdict: Verdict,
        is_advisory: bool,
    ) -> Option<(&'static str, String)> {
        let (key, why, only_warns) = match self {
            Self::Kept => return None,
            Self::Broken(key, why) => (key, why, is_advisory),
            // What is open fails nothing where the spec says so.
            Self::Open(key, why) => (key, why, true),
        };
        let what = match verdict {
            Verdict::Passed => "passed",
            Verdict::Reported => "expects nothing",
            Verdict::Skipped => "was skipped",
            Verdict::Advisory if !only_warns => "warns alone",
            Verdict::Advisory | Verdict::Failed | Verdict::Inconclusive | Verdict::Errored => return None,
        };
        Some((key, format!("the gate {what}, and {why}")))
    }
}

/// What people make of a model's judgments; it is read for what keeps the gate open.
#[derive(Deserialize)]
pub(super) struct JudgedContent {
    open: Option<IgnoredAny>,
}

fn is_open(judged: &[&Option<JudgedContent>]) -> bool {
    judged.iter().filter_map(|one| one.as_ref()).any(|one| one.open.is_some())
}

/// Whether a value keeps its limits; one that is its limit but for rounding does.
fn is_kept(value: f64, min: Option<f64>, max: Option<f64>) -> bool {
    let is_below = min.is_some_and(|min| value < min - slack(value, min));
    let is_above = max.is_some_and(|max| value > max + slack(value, max));
    !is_below && !is_above
}

/// Where a whole interval is to its limits.
fn held_interval(
    key: &'static str,
    interval: Option<[f64; 2]>,
    min: Option<f64>,
    max: Option<f64>,
) -> Demand {
    let Some([low, high]) = interval else {
        return Demand::Open(key, "there is no interval to hold against its limit".to_owned());
    };
    let said = || format!("[{low}, {high}] is not within its limit");
    // Both ends are beyond the same limit, or one of them is.
    let is_beyond = !is_kept(high, min, None) || !is_kept(low, None, max);
    let is_within = is_kept(low, min, max) && is_kept(high, min, max);
    Demand::first([Demand::broken_if(is_beyond, key, said), Demand::open_if(!is_within, key, said)])
}

/// What is said of a gate that could not be decided.
pub(super) fn undecided() -> Demand {
    Demand::Open("reason", "it could not be decided".to_owned())
}
