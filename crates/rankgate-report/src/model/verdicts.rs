//! Gates of a report, counted by what came of them.

use crate::gate::Verdict;

/// How many gates came to each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts([usize; Verdict::ALL.len()]);

impl Verdicts {
    /// How many came to this one.
    pub fn of(&self, verdict: Verdict) -> usize {
        self.0[verdict as usize]
    }

    /// Verdicts in report order, each with the number of its gates; those without a gate are left
    /// out.
    pub fn counts(&self) -> impl Iterator<Item = (Verdict, usize)> {
        Verdict::ALL.into_iter().zip(self.0).filter(|(_, gates)| *gates > 0)
    }

    /// What all of them come to, as a command ends: failed before inconclusive before error; `None` without a gate.
    pub fn worst(&self) -> Option<Verdict> {
        use Verdict::{Advisory, Error, Failed, Inconclusive, Passed, Reported};
        let order = [Failed, Inconclusive, Error, Advisory, Passed, Reported];
        order.into_iter().find(|verdict| self.of(*verdict) > 0)
    }
}

impl FromIterator<Verdict> for Verdicts {
    fn from_iter<T: IntoIterator<Item = Verdict>>(verdicts: T) -> Self {
        let mut counted = Self::default();
        verdicts.into_iter().for_each(|verdict| counted.0[verdict as usize] += 1);
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
