//! Who beats whom among several configurations.

use crate::json::record;
use crate::stats::PairsTest;

record! {
    /// Every two of several configurations compared on one metric. No gate depends on it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PairsReport {
        /// Canonical name.
        pub metric: String,
        /// Metadata key and value of the segment, if it is on one.
        pub segment?: Option<[String; 2]>,
        /// How p-values are found and adjusted for all pairs.
        pub test: PairsTest,
        /// Queries that all of them have.
        pub queries: usize,
        /// Random rearrangements of the scores, not counting the observed one; `None` where all were listed.
        pub resamples?: Option<u64>,
        /// The configurations with their means, best first.
        pub configurations: Vec<RankedConfiguration>,
        /// Every pair, in the order of the configurations.
        pub pairs: Vec<PairReport>,
    }
}

record! {
    /// A configuration and its mean.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RankedConfiguration {
        /// Its name.
        pub name: String,
        /// Its mean over the queries that all of them have.
        pub mean: f64,
    }
}

record! {
    /// Two configurations.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PairReport {
        /// The one with the better mean, the lower one where less is better; of equal means the one that comes first.
        pub better: String,
        /// The other.
        pub worse: String,
        /// Its mean less that of the other: 0 or more, and where less is better 0 or less.
        pub difference: f64,
        /// The two-sided p-value, adjusted for all pairs of this metric.
        pub p_adjusted: f64,
        /// Whether that is at most 1 less the confidence, and certainly so where it is simulated.
        pub shown: bool,
    }
}
