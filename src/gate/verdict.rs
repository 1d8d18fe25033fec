//! What a gate came to.

use serde::{Deserialize, Serialize};

/// What a gate came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It does not hold.
    Failed,
    /// The data do not decide it.
    Inconclusive,
    /// It would have failed, and its level is advisory; or it is inconclusive, and the spec says
    /// `inconclusive: warn`.
    Advisory,
    /// It could not be decided.
    Errored,
    /// Nothing was expected: what is seen is reported, and neither passes nor fails.
    Reported,
}

impl Verdict {
    /// All of them, in the order in which they are counted for people.
    pub(crate) const ALL: [Self; 6] =
        [Self::Passed, Self::Failed, Self::Inconclusive, Self::Errored, Self::Advisory, Self::Reported];

    /// Whether a test with this verdict passes.
    #[must_use]
    pub fn is_ok(self) -> bool {
        matches!(self, Self::Passed | Self::Advisory | Self::Reported)
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::{Advisory, Errored, Failed, Inconclusive, Passed, Reported};

    #[test]
    fn only_what_passed_and_what_is_not_demanded_is_ok() {
        for (verdict, ok) in [
            (Passed, true),
            (Advisory, true),
            (Reported, true),
            (Failed, false),
            (Inconclusive, false),
            (Errored, false),
        ] {
            assert_eq!(verdict.is_ok(), ok, "{verdict:?}");
        }
    }
}
