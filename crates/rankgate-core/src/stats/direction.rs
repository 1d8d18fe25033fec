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
