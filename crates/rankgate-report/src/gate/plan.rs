//! The demands of a spec, checked: each value is valid by itself.

use std::fmt;

use super::{Bound, Expect, Level, Unjudged};
use crate::metric::Metric;
use crate::stats::{self, Confidence, Correction, DecidingTest, Robustness};
use crate::words::keywords;

keywords! {
    /// What an inconclusive comparison does.
    #[derive(Default)]
    pub enum Inconclusive {
        /// It fails: what was expected has not been shown.
        #[default]
        Fail = "fail",
        /// Reported as advisory; it fails nothing.
        Warn = "warn",
    }
}

/// The queries that have a value under a metadata key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
pub struct Threshold {
    /// The metrics; at least one.
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
    /// The share of the data that it needs, if the entry has its own.
    pub coverage: Option<f64>,
    /// What sets it apart from other gates on the same metric.
    pub name: Option<String>,
}

impl Threshold {
    /// Whether no value of one of its metrics breaks a limit: `min: 0` of a share is written as a gate, and is none.
    #[doc(hidden)]
    pub fn never_fails(&self, metric: &Metric) -> bool {
        let range = metric.range();
        self.min.is_none_or(|min| min <= *range.start()) && self.max.is_none_or(|max| max >= *range.end())
    }
}

/// What a candidate is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Another configuration, by name.
    Configuration(String),
    /// The candidate's own run that was last blessed.
    Golden,
}

#[doc(hidden)]
impl Baseline {
    /// The configuration that it is, where it is one.
    pub fn configuration(&self) -> Option<&str> {
        match self {
            Self::Configuration(name) => Some(name),
            Self::Golden => None,
        }
    }

    /// Whether it is read from golden files.
    pub fn is_blessed(&self) -> bool {
        self.configuration().is_none()
    }
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

/// What a comparison demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expectation {
    /// Something of the scores, decided by a paired test.
    Scores(stats::Expectation),
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

impl From<stats::Expectation> for Expectation {
    fn from(of_scores: stats::Expectation) -> Self {
        Self::Scores(of_scores)
    }
}

impl Expectation {
    /// Which one it is, without its limits.
    pub fn kind(&self) -> Expect {
        match *self {
            Self::Scores(of_scores) => of_scores.into(),
            Self::Identical => Expect::Identical,
            Self::Overlap { .. } => Expect::Overlap,
        }
    }

    /// The same as a question to the statistics; `None` where rankings are compared, which needs no test.
    pub fn tested(&self) -> Option<stats::Expectation> {
        match *self {
            Self::Scores(of_scores) => Some(of_scores),
            Self::Identical | Self::Overlap { .. } => None,
        }
    }
}

/// The word that a spec uses, such as `non-inferiority`.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

/// A candidate held against a baseline: one gate per metric, or one where no metric is needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Index of the entry in the spec's `comparisons`, from 0: the candidates of one entry are one family.
    pub entry: usize,
    /// Name of the configuration that is judged.
    pub candidate: String,
    /// What it is compared with, never itself.
    pub baseline: Baseline,
    /// The metrics; empty exactly where rankings are compared, not scores.
    pub metrics: Vec<Metric>,
    /// The demand.
    pub expect: Expectation,
    /// What happens where the data do not decide.
    pub inconclusive: Inconclusive,
    /// How unjudged documents count.
    pub unjudged: Unjudged,
    /// The queries it is about, unless all.
    pub segment: Option<Segment>,
    /// Whether it can fail the build.
    pub level: Level,
    /// The share of the data that it needs, if the entry has its own.
    pub coverage: Option<f64>,
    /// What sets it apart from other gates on the same pair and metric.
    pub name: Option<String>,
}

#[doc(hidden)]
impl Comparison {
    /// The configurations that are compared: the candidate and, unless that is golden, its baseline.
    pub fn configurations(&self) -> impl Iterator<Item = &str> {
        [Some(self.candidate.as_str()), self.baseline.configuration()].into_iter().flatten()
    }
}

/// How comparisons are decided.
#[derive(Clone, Debug, PartialEq)]
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
    /// How much an unseen query may change a result before a claim fails.
    pub robustness: Robustness,
    /// The metadata key whose groups of queries belong together, if any.
    pub group_by: Option<String>,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            confidence: Confidence::default(),
            resamples: 9999,
            correction: Correction::default(),
            seed: 1,
            test: DecidingTest::default(),
            robustness: Robustness::default(),
            group_by: None,
        }
    }
}
