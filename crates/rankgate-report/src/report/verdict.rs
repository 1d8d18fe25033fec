//! How a verdict is written.

use crate::model::Verdict;

/// The word for a verdict.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "PASSED",
        Verdict::Failed => "FAILED",
        Verdict::Inconclusive => "INCONCLUSIVE",
        Verdict::Advisory => "ADVISORY",
        Verdict::Error => "ERROR",
        Verdict::Reported => "REPORTED",
    }
}
