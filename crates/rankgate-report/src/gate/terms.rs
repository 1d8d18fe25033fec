//! What a gate demands, in the words that its report repeats.

use crate::stats;
use crate::words::keywords;

keywords! {
    /// Which value of a metric is held against the limits.
    #[derive(Default)]
    pub enum Bound {
        /// The mean over the queries.
        #[default]
        Mean = "mean",
        /// The lower end of the mean's interval, held against `min`.
        Lower = "lower",
        /// The upper end of the mean's interval, held against `max`.
        Upper = "upper",
        /// The value of each query: no single one may break the limit.
        EveryQuery = "every-query",
    }
}

keywords! {
    /// What has to repeat, where a configuration has to rank the same twice.
    pub enum Repetition {
        /// The answers of one build, which is asked twice.
        Answers = "answers",
        /// Those of two builds as well: a retriever is built twice, a program started twice.
        Builds = "builds",
    }
}

keywords! {
    /// What a comparison expects.
    #[derive(Default)]
    pub enum Expect {
        /// No drop is shown, or only one within `margin`.
        #[default]
        NoRegression = "no-regression",
        /// It is shown that the candidate loses less than `margin`.
        NonInferiority = "non-inferiority",
        /// A gain of at least `margin` is shown.
        Improvement = "improvement",
        /// It is shown that the difference is less than `margin` either way.
        Equivalence = "equivalence",
        /// Both rank the same documents in the same order.
        Identical = "identical",
        /// Both have at least the share `min` of their first `cutoff` documents in common.
        Overlap = "overlap",
    }
}

impl From<stats::Expectation> for Expect {
    fn from(of_scores: stats::Expectation) -> Self {
        match of_scores {
            stats::Expectation::NoRegression { .. } => Self::NoRegression,
            stats::Expectation::NonInferiority { .. } => Self::NonInferiority,
            stats::Expectation::Improvement { .. } => Self::Improvement,
            stats::Expectation::Equivalence { .. } => Self::Equivalence,
        }
    }
}

keywords! {
    /// What a comparison takes documents for that nobody judged.
    #[derive(Default)]
    pub enum Unjudged {
        /// They count as not relevant.
        #[default]
        Zero = "zero",
        /// A document has the highest grade if the baseline ranks it higher than the candidate, and is not relevant otherwise.
        Worst = "worst",
    }
}
