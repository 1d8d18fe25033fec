//! How a verdict is written.

use crate::model::Verdict;

use super::page::{Role, Text};

/// The word for a verdict.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "PASSED",
        Verdict::Failed => "FAILED",
        Verdict::Inconclusive => "INCONCLUSIVE",
        Verdict::Advisory => "ADVISORY",
        Verdict::Error => "ERROR",
        Verdict::Skipped => "SKIPPED",
        Verdict::Reported => "REPORTED",
    }
}

/// The same as text.
pub fn verdict(verdict: Verdict) -> Text {
    Text::with_role(Role::Verdict(verdict), word(verdict))
}
