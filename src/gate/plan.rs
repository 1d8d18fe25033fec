//! What is demanded, checked: nothing here can still be wrong by itself.

use std::fmt;

use crate::metric::Metric;
use crate::stats::{self, Confidence, Correction, DecidingTest};

/// A set of words that a spec chooses from.
pub(crate) trait Keyword: Copy + PartialEq + 'static {
    /// Every word, in the order of the documentation.
    const ALL: &'static [Self];

    fn as_str(self) -> &'static str;

    /// What it means, from the documentation of the variant.
    fn meaning(self) -> &'static str;
}

/// The words for the variants of an enum, and what they mean.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal: $meaning:expr,)+ }) => {
        impl $crate::gate::Keyword for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)+
                }
            }
        }
    };
}
pub(crate) use words;

/// An enum whose variants are words of the spec: the words, their documentation and the enum from
/// one list.
macro_rules! keywords {
    ($(#[$outer:meta])* $vis:vis enum $name:ident {
        $($(#[doc = $doc:literal])+ $(#[default $($default:tt)?])? $variant:ident = $word:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        $vis enum $name {
            $($(#[doc = $doc])+ $(#[default $($default)?])? $variant,)+
        }

        $crate::gate::words! {
            $name { $($variant = $word: concat!($($doc),+).trim_ascii(),)+ }
        }

        /// The word that a spec uses.
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad($crate::gate::Keyword::as_str(*self))
            }
        }
    };
}
pub(crate) use keywords;

keywords! {
    /// Whether a gate can fail the build.
    pub enum Level {
        /// A gate that does not hold fails.
        #[default]
        Blocking = "blocking",
        /// A gate that does not hold is reported and fails nothing.
        Advisory = "advisory",
    }
}

keywords! {
    /// Which value of a metric is held against the limits.
    pub enum Bound {
        /// The mean over the queries.
        #[default]
        Mean = "mean",
        /// The lower end of the mean's interval, held against `min`.
        Lower = "lower",
        /// The upper end of the mean's interval, held against `max`.
        Upper = "upper",
    }
}

keywords! {
    /// What an inconclusive comparison does.
    pub enum Inconclusive {
        /// It fails: what was expected has not been shown.
        #[default]
        Fail = "fail",
        /// It is told as advisory, and fails nothing.
        Warn = "warn",
    }
}

keywords! {
    /// Which interval of a difference is reported.
    pub enum IntervalMethod {
        /// The dual of the permutation test: the margins that it would not reject.
        #[default]
        Dual = "dual",
        /// Student's t.
        T = "t",
        /// Percentiles of the bootstrap.
        Percentile = "percentile",
        /// Efron's bias-corrected and accelerated bootstrap.
        Bca = "bca",
        /// The studentised bootstrap.
        Studentised = "studentised",
    }
}

impl IntervalMethod {
    /// The one that goes with a test: it holds a value where that does not reject it.
    #[must_use]
    pub fn of(test: DecidingTest) -> Self {
        match test {
            DecidingTest::Permutation => Self::Dual,
            DecidingTest::Bootstrap => Self::Studentised,
        }
    }
}

keywords! {
    /// Which gates share one error rate.
    pub enum Family {
        /// The gates of one entry under `comparisons`.
        #[default]
        Comparison = "comparison",
        /// All comparisons of the spec.
        Spec = "spec",
    }
}

/// The queries that have a value under a metadata key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Segment {
    /// Metadata key.
    pub key: String,
    /// Its value, as text.
    pub value: String,
}

impl Segment {
    /// The queries whose metadata `key` is `value`, or a list that has it.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into() }
    }
}

/// Limits on metrics of configurations: one gate per configuration and metric.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Threshold {
    /// What is measured; at least one.
    pub metrics: Vec<Metric>,
    /// Smallest value allowed. It or `max` is there, and `min` is at most `max`.
    pub min: Option<f64>,
    /// Largest value allowed.
    pub max: Option<f64>,
    /// Which value is held against the limits.
    pub bound: Bound,
    /// Names of the configurations that are held to it; at least one.
    pub configurations: Vec<String>,
    /// The queries it is about, unless all.
    pub segment: Option<Segment>,
    /// Whether it can fail the build.
    pub level: Level,
    /// What sets it apart from other gates on the same metric.
    pub name: Option<String>,
}

/// What a candidate is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Another configuration, by name.
    Configuration(String),
    /// The candidate's own run that was last blessed.
    Golden,
}

/// As in the names of tests: the configuration, or `golden`.
impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(name) => f.pad(name),
            Self::Golden => f.pad("golden"),
        }
    }
}

/// What a comparison demands. Margins are in the metric's own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expectation {
    /// No drop larger than the tolerance is shown.
    NoRegression {
        /// 0 or more.
        tolerance: f64,
    },
    /// The candidate is shown to lose less than the margin.
    NonInferiority {
        /// More than 0.
        margin: f64,
    },
    /// A gain of at least this much is shown.
    Improvement {
        /// 0 or more.
        min_gain: f64,
    },
    /// The difference is shown to be less than the margin either way.
    Equivalence {
        /// More than 0.
        margin: f64,
    },
    /// Both rank the same documents in the same order.
    Identical,
    /// Both have enough documents in common among the first ones.
    Overlap {
        /// How many documents are looked at, 1 or more.
        cutoff: usize,
        /// Smallest share in common, over 0 and at most 1.
        min: f64,
    },
}

impl Expectation {
    /// The word that a spec uses, such as `non-inferiority`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NoRegression { .. } => "no-regression",
            Self::NonInferiority { .. } => "non-inferiority",
            Self::Improvement { .. } => "improvement",
            Self::Equivalence { .. } => "equivalence",
            Self::Identical => "identical",
            Self::Overlap { .. } => "overlap",
        }
    }

    /// The same as a question to the statistics; `None` for an overlap, which needs no test.
    #[must_use]
    pub fn tested(&self) -> Option<stats::Expectation> {
        Some(match *self {
            Self::NoRegression { tolerance } => stats::Expectation::NoRegression { tolerance },
            Self::NonInferiority { margin } => stats::Expectation::NonInferiority { margin },
            Self::Improvement { min_gain } => stats::Expectation::Improvement { min_gain },
            Self::Equivalence { margin } => stats::Expectation::Equivalence { margin },
            Self::Identical => stats::Expectation::Identical,
            Self::Overlap { .. } => return None,
        })
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A candidate held against a baseline: one gate per metric, or one where no metric is needed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// Name of the configuration that is judged.
    pub candidate: String,
    /// What it is compared with, never itself.
    pub baseline: Baseline,
    /// What is measured; empty exactly where rankings are compared, not scores.
    pub metrics: Vec<Metric>,
    /// What is demanded.
    pub expect: Expectation,
    /// What happens where the data do not decide.
    pub inconclusive: Inconclusive,
    /// The queries it is about, unless all.
    pub segment: Option<Segment>,
    /// Whether it can fail the build.
    pub level: Level,
    /// What sets it apart from other gates on the same pair and metric.
    pub name: Option<String>,
}

/// How comparisons are decided.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Statistics {
    /// Confidence of every interval and, with it, the level of every test.
    pub confidence: Confidence,
    /// How often the bootstrap resamples; ends in 9.
    pub resamples: u64,
    /// How p-values are adjusted within a family.
    pub correction: Correction,
    /// What random numbers are derived from.
    pub seed: u64,
    /// Which test decides.
    pub test: DecidingTest,
    /// Which interval of a difference is reported.
    pub interval: IntervalMethod,
    /// The metadata key whose groups of queries belong together, if any.
    pub cluster: Option<String>,
    /// Which gates share one error rate.
    pub family: Family,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            confidence: Confidence::default(),
            resamples: 9999,
            correction: Correction::default(),
            seed: 1,
            test: DecidingTest::default(),
            interval: IntervalMethod::default(),
            cluster: None,
            family: Family::default(),
        }
    }
}

/// One test: a demand on one configuration, by one metric where it has one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gate {
    /// The test's name, such as `helpdesk::bm25::nDCG@10`; unique within the spec.
    pub name: String,
    /// The configuration that is judged.
    pub configuration: String,
    /// Whether it can fail the build.
    pub level: Level,
    /// What is demanded.
    pub kind: GateKind,
    /// The line of the spec that demands it, from 1.
    pub line: usize,
    /// The character of the line at which it starts, from 1.
    pub column: usize,
}

/// What a gate demands.
#[derive(Clone, Debug, PartialEq)]
pub enum GateKind {
    /// A limit on a metric.
    Threshold {
        /// Which of the spec's thresholds.
        threshold: usize,
        /// Which of its metrics.
        metric: Metric,
    },
    /// A comparison with something else.
    Comparison {
        /// Which of the spec's comparisons.
        comparison: usize,
        /// Which of its metrics; `None` where rankings are compared.
        metric: Option<Metric>,
    },
    /// The metric report is as it was when it was blessed.
    Snapshot,
    /// The configuration answers the same when it is asked twice.
    Deterministic,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expectation_has_one_word_here_and_in_the_statistics() {
        for expectation in [
            Expectation::NoRegression { tolerance: 0.0 },
            Expectation::NonInferiority { margin: 0.1 },
            Expectation::Improvement { min_gain: 0.0 },
            Expectation::Equivalence { margin: 0.1 },
            Expectation::Identical,
        ] {
            assert_eq!(expectation.tested().unwrap().to_string(), expectation.as_str());
        }
        assert_eq!(Expectation::Overlap { cutoff: 10, min: 0.9 }.tested(), None);
    }

    #[test]
    fn words_mean_what_their_documentation_says() {
        assert_eq!(IntervalMethod::Studentised.to_string(), "studentised");
        assert_eq!(Bound::Lower.meaning(), "The lower end of the mean's interval, held against `min`.");
        assert_eq!(Level::ALL.len(), 2);
        assert_eq!(Level::default(), Level::Blocking);
    }
}
