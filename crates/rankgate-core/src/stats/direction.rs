//! On which side of the null a claim lies.

use crate::words::keywords;

keywords! {
    /// A side of a one-sided test.
    pub enum Direction {
        /// The candidate is better than the null says.
        Greater = "greater",
        /// The candidate is worse than the null says.
        Less = "less",
    }
}

impl Direction {
    /// What a number is multiplied with so that more of it speaks for this side.
    pub(super) fn sign(self) -> f64 {
        if self == Self::Greater { 1.0 } else { -1.0 }
    }
}
