//! Times of two sides, in pairs.

use crate::{Error, Result};

/// Times of a baseline and a candidate that were asked for the same things in turns, over and over.
///
/// A *pair* is one query, or one batch of queries, asked of both sides right after each other in an order drawn by lot; a
/// *block* asks every pair once.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedTimes {
    pub(super) baseline: Vec<Vec<f64>>,
    pub(super) candidate: Vec<Vec<f64>>,
}

impl PairedTimes {
    /// From the times of both sides, in any unit: one list a block, in each of them one time a pair, in the same order.
    ///
    /// # Errors
    /// No block or no pair, blocks of different lengths, a time that is not a finite number above 0.
    pub fn new(baseline: Vec<Vec<f64>>, candidate: Vec<Vec<f64>>) -> Result<Self> {
        let pairs = baseline.first().map_or(0, Vec::len);
        let blocks = || baseline.iter().chain(&candidate);
        if pairs == 0 || baseline.len() != candidate.len() || blocks().any(|block| block.len() != pairs) {
            return Err(Error::invalid("both sides need the same pairs in every block, and at least one"));
        }
        if let Some(time) = blocks().flatten().find(|time| !(time.is_finite() && **time > 0.0)) {
            return Err(Error::invalid(format!("{time} is no time that an answer took")));
        }
        Ok(Self { baseline, candidate })
    }

    /// How often every pair was asked.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.baseline.len()
    }

    /// How many pairs there are.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.baseline[0].len()
    }

    /// How many times there are of each side.
    #[must_use]
    pub fn answers(&self) -> usize {
        self.blocks() * self.pairs()
    }

    /// Both times of every pair: block, pair, baseline's, candidate's.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, usize, f64, f64)> {
        let blocks = self.baseline.iter().zip(&self.candidate).enumerate();
        blocks.flat_map(|(block, (baseline, candidate))| {
            let pairs = baseline.iter().zip(candidate).enumerate();
            pairs.map(move |(pair, (&baseline, &candidate))| (block, pair, baseline, candidate))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_none_are_errors() {
        let one = || vec![vec![1.0, 2.0], vec![3.0, 4.0]];
        assert_eq!(PairedTimes::new(one(), one()).unwrap().answers(), 4);
        for wrong in [vec![], vec![vec![], vec![]], vec![vec![1.0, 2.0]], vec![vec![1.0], vec![2.0, 3.0]]] {
            assert!(PairedTimes::new(wrong.clone(), one()).is_err(), "{wrong:?}");
            assert!(PairedTimes::new(one(), wrong.clone()).is_err(), "{wrong:?}");
        }
        for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut wrong = one();
            wrong[1][0] = time;
            assert!(PairedTimes::new(one(), wrong).is_err(), "{time}");
        }
    }
}
