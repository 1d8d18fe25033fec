//! What became of an alarm, in one word.

use crate::model::Verdict;

/// Whether an alarm stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AlarmState {
    /// It stands at the last commit that was measured.
    Standing,
    /// Somebody accepted it.
    Acknowledged,
    /// The loss is gone.
    Over,
}

impl AlarmState {
    /// Of one that stands, or was acknowledged.
    pub(super) fn new(stands: bool, acknowledged: bool) -> Self {
        match (stands, acknowledged) {
            (true, _) => Self::Standing,
            (false, true) => Self::Acknowledged,
            (false, false) => Self::Over,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Standing => "ALARM",
            Self::Acknowledged => "acknowledged",
            Self::Over => "over",
        }
    }

    /// As what it is painted.
    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Standing => Verdict::Failed,
            Self::Acknowledged => Verdict::Advisory,
            Self::Over => Verdict::Passed,
        }
    }
}
