//! What a suite of several collections saw.

pub(crate) mod message;

use crate::gate::{Verdict, Weights};
use crate::json::record;
use crate::stats::Outcome;

use super::Kind;
use super::comparison::ComparisonFinding;
use super::threshold::ThresholdFinding;

record! {
    /// A limit on the weighted mean over collections.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SuiteThresholdFinding {
        /// The weighted mean and its limits.
        pub whole: ThresholdFinding,
        /// The value of each collection, in their order.
        pub by_collection: Vec<CollectionValue>,
        /// The collections' own gates on the same configuration that do not pass, if there are any.
        pub unmet?: Option<Unmet>,
    }
}

record! {
    /// A metric in one collection.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CollectionValue {
        /// The benchmark's name.
        pub benchmark: String,
        /// Its share of the mean.
        pub share: f64,
        /// Judged queries.
        pub queries: usize,
        /// The value.
        pub value: f64,
    }
}

record! {
    /// A candidate against a baseline over several collections. P-values are two-sided.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SuiteFinding {
        /// The weighted mean of the collections' differences, and all that is shown of it. It speaks of queries like these
        /// in these collections. Wins, ties and losses are queries of all of them.
        pub whole: ComparisonFinding,
        /// What comes of the weighted mean alone.
        pub outcome: Outcome,
        /// How much each collection counts.
        pub weights: Weights,
        /// Each collection by itself, in the order of the suite.
        pub collections: Vec<CollectionFinding>,
        /// Collections in which a drop of any size is shown, by Holm's correction over all of them.
        pub worse_in: Vec<String>,
        /// The collections' own gates on the candidate that do not pass, if there are any.
        pub unmet?: Option<Unmet>,
    }
}

record! {
    /// The collections' own blocking gates that do not pass: a suite's gate is no better than the worst of them. Gates on
    /// answer times have no say.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Unmet {
        /// The gates, in the order of the collections; never empty.
        pub gates: Vec<UnmetGate>,
        /// What the suite's gate comes to without them.
        pub without: Verdict,
    }
}

impl Unmet {
    /// Whether a verdict of the suite's gate is theirs and not its own.
    #[must_use]
    pub fn decides(&self, verdict: Verdict) -> bool {
        verdict != self.without
    }
}

record! {
    /// A collection's own gate that does not pass.
    #[derive(Clone, Debug, PartialEq)]
    pub struct UnmetGate {
        /// Its name, which begins with the benchmark's.
        pub gate: String,
        /// What it came to.
        pub verdict: Verdict,
    }
}

record! {
    /// A candidate against a baseline in one collection of several.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CollectionFinding {
        /// The benchmark's name.
        pub benchmark: String,
        /// Its share of the mean.
        pub share: f64,
        /// Queries that are compared.
        pub queries: usize,
        /// The baseline's mean.
        pub baseline_mean: f64,
        /// The candidate's mean.
        pub candidate_mean: f64,
        /// The mean difference.
        pub difference: f64,
        /// Its interval, not adjusted.
        pub interval: Option<[f64; 2]>,
        /// That it is worse.
        pub p_worse: f64,
        /// The same by Holm's correction over the collections.
        pub p_worse_adjusted: f64,
    }
}

impl Kind for SuiteFinding {
    fn comparison(&self) -> Option<&ComparisonFinding> {
        Some(&self.whole)
    }

    fn over_collections(&self) -> Option<&SuiteFinding> {
        Some(self)
    }

    fn unmet(&self) -> Option<&Unmet> {
        self.unmet.as_ref()
    }
}

impl Kind for SuiteThresholdFinding {
    fn limit_over_collections(&self) -> Option<&SuiteThresholdFinding> {
        Some(self)
    }

    fn unmet(&self) -> Option<&Unmet> {
        self.unmet.as_ref()
    }
}
