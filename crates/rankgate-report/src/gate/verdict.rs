//! What a gate came to.

use crate::words::keywords;

keywords! {
    /// Whether a gate can fail the build.
    #[derive(Default)]
    pub enum Level {
        /// A gate that does not hold fails.
        #[default]
        Blocking = "blocking",
        /// A gate that does not hold is reported and fails nothing.
        Advisory = "advisory",
    }
}

keywords! {
    /// What a gate came to.
    pub enum Verdict {
        /// It holds.
        Passed = "passed",
        /// It does not hold.
        Failed = "failed",
        /// The data do not decide it.
        Inconclusive = "inconclusive",
        /// It could not be decided.
        Error = "error",
        /// It would have failed, and its level is advisory; or it is inconclusive, and the spec says
        /// `inconclusive: warn`.
        Advisory = "advisory",
        /// Nothing was expected: the result is reported, and neither passes nor fails.
        Reported = "reported",
    }
}

impl Verdict {
    /// Whether a test with this verdict fails.
    pub fn fails(self) -> bool {
        matches!(self, Self::Failed | Self::Inconclusive | Self::Error)
    }
}

#[doc(hidden)]
impl Verdict {
    /// The verdict of a gate of this level: an advisory one fails nothing, but for what kept it from being decided.
    pub fn at(self, level: Level) -> Self {
        match self {
            Self::Failed | Self::Inconclusive if level == Level::Advisory => Self::Advisory,
            verdict => verdict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Level;
    use super::Verdict::{self, Advisory, Error, Failed, Inconclusive, Passed, Reported};

    #[test]
    fn what_is_demanded_and_did_not_pass_fails() {
        for (verdict, fails) in [
            (Passed, false),
            (Advisory, false),
            (Reported, false),
            (Failed, true),
            (Inconclusive, true),
            (Error, true),
        ] {
            assert_eq!(verdict.fails(), fails, "{verdict:?}");
        }
        assert_eq!(Verdict::ALL.len(), 6);
        assert_eq!((Failed.at(Level::Advisory), Error.at(Level::Advisory)), (Advisory, Error));
    }
}
