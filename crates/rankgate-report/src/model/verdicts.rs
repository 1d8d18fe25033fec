//! Gates of a report, counted by what came of them.

use crate::gate::Verdict;
use crate::json::record;

record! {
    /// How many gates came to each verdict.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    whole pub struct Verdicts {
        /// Gates that hold.
        pub passed: usize,
        /// Gates that do not hold.
        pub failed: usize,
        /// Gates that the data do not decide.
        pub inconclusive: usize,
        /// Gates that could not be decided.
        pub error: usize,
        /// Gates that would have failed, and fail nothing.
        pub advisory: usize,
        /// Gates that expect nothing.
        pub reported: usize,
    }
}

impl Verdicts {
    /// Verdicts in report order, each with the number of its gates; those without a gate are left
    /// out.
    pub fn counts(&self) -> impl Iterator<Item = (Verdict, usize)> {
        let Self { passed, failed, inconclusive, error, advisory, reported } = *self;
        let of = move |verdict| match verdict {
            Verdict::Passed => passed,
            Verdict::Failed => failed,
            Verdict::Inconclusive => inconclusive,
            Verdict::Error => error,
            Verdict::Advisory => advisory,
            Verdict::Reported => reported,
        };
        Verdict::ALL.into_iter().map(move |verdict| (verdict, of(verdict))).filter(|(_, gates)| *gates > 0)
    }

    /// What all of them come to, as a command ends: failed before inconclusive before error; `None` without a gate.
    pub fn worst(&self) -> Option<Verdict> {
        use Verdict::{Advisory, Error, Failed, Inconclusive, Passed, Reported};
        let order = [Failed, Inconclusive, Error, Advisory, Passed, Reported];
        order.into_iter().find(|verdict| self.counts().any(|(own, _)| own == *verdict))
    }
}

impl FromIterator<Verdict> for Verdicts {
    fn from_iter<T: IntoIterator<Item = Verdict>>(verdicts: T) -> Self {
        let mut counted = Self::default();
        for verdict in verdicts {
            let gates = match verdict {
                Verdict::Passed => &mut counted.passed,
                Verdict::Failed => &mut counted.failed,
                Verdict::Inconclusive => &mut counted.inconclusive,
                Verdict::Error => &mut counted.error,
                Verdict::Advisory => &mut counted.advisory,
                Verdict::Reported => &mut counted.reported,
            };
            *gates += 1;
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_gate_counts_more_than_an_inconclusive_one_and_that_more_than_an_error() {
        use Verdict::{Advisory, Error, Failed, Inconclusive, Passed};
        let worst = |all: &[Verdict]| all.iter().copied().collect::<Verdicts>().worst();
        assert_eq!(worst(&[Passed, Error, Failed, Inconclusive]), Some(Failed));
        assert_eq!(worst(&[Passed, Error, Inconclusive]), Some(Inconclusive));
        assert_eq!(worst(&[Advisory, Error]), Some(Error));
        assert_eq!((worst(&[Passed, Passed]), worst(&[])), (Some(Passed), None));
        let counts: Vec<_> = [Failed, Passed, Failed].into_iter().collect::<Verdicts>().counts().collect();
        assert_eq!(counts, [(Passed, 1), (Failed, 2)]);
    }
}
