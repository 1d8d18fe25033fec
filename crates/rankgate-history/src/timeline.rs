//! Types of a timeline and its alarms.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::measured::{Commit, Standing};

/// All histories that were read.
#[derive(Debug, Default, Serialize)]
pub struct Histories {
    /// One for each configuration, by benchmark and configuration.
    pub histories: Vec<Timeline>,
    /// Files and commits that are in none of them.
    pub unplaced: Vec<Unplaced>,
}

/// A report or a golden run that is in no history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unplaced {
    /// The file or commit.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// The history of one configuration.
#[derive(Clone, Debug, Serialize)]
pub struct Timeline {
    /// The benchmark.
    pub benchmark: String,
    /// The configuration.
    pub configuration: String,
    /// Metrics that alarms are about.
    pub metrics: Vec<String>,
    /// Measured commits, oldest first.
    pub commits: Vec<Entry>,
    /// All alarms, oldest first.
    pub alarms: Vec<Alarm>,
    /// Number of distinct rankings.
    pub rankings: usize,
    /// The one-sided level of the first ranking.
    pub alpha: f64,
}

/// A measured commit.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The commit.
    pub commit: Commit,
    /// Number of its ranking, from 1.
    pub ranking: usize,
    /// Whether this commit changed the ranking.
    pub moved: bool,
    /// Means by metric.
    pub means: BTreeMap<String, f64>,
    /// Inputs that changed here: nothing before is comparable with anything from here on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<&'static str>,
}

/// What a ranking is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReferenceKind {
    /// The golden ranking before this commit.
    Golden,
    /// The ranking before this commit.
    Previous,
    /// The ranking of the last release.
    Release,
    /// The first ranking.
    First,
}

impl fmt::Display for ReferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Golden => "the golden ranking",
            Self::Previous => "the previous ranking",
            Self::Release => "the last release",
            Self::First => "the first ranking",
        })
    }
}

/// A significant loss on one metric.
#[derive(Clone, Debug, Serialize)]
pub struct Alarm {
    /// Its id: the commit, the configuration and the metric.
    pub id: String,
    /// The metric.
    pub metric: String,
    /// The first commit at which the loss is significant.
    pub commit: Commit,
    /// Commits that may have caused it, oldest first: those since the last measured commit with the ranking before.
    pub suspects: Vec<Commit>,
    /// The commit of the largest step since the reference, if that is not `commit`.
    pub largest_step: Option<Commit>,
    /// The references that it lost against; the largest loss first.
    pub against: Vec<Against>,
    /// The queries that lost most against the first of them.
    pub queries: Vec<QueryLoss>,
    /// Whether somebody acknowledged it, or blessed the ranking with `--accept-loss`.
    pub acknowledged: bool,
    /// Why, if the acknowledgement has a note.
    pub note: Option<String>,
    /// When and why it ended.
    pub ended: Option<Ended>,
}

impl Alarm {
    /// Whether it has to be looked at: neither ended nor acknowledged.
    pub fn is_open(&self) -> bool {
        self.ended.is_none() && !self.acknowledged
    }

    /// What happened, in one sentence.
    pub fn sentence(&self) -> String {
        crate::text::sentence(self)
    }

    /// The commit that most likely caused it.
    pub fn cause(&self) -> &Commit {
        self.largest_step.as_ref().unwrap_or(&self.commit)
    }
}

/// A reference that a ranking lost against.
#[derive(Clone, Debug, Serialize)]
pub struct Against {
    /// Its kind.
    pub reference: ReferenceKind,
    /// The last commit that had this ranking, or the first at which it was golden.
    pub commit: String,
    /// Its mean.
    pub before: f64,
    /// The mean of the ranking with the loss.
    pub now: f64,
    /// The one-sided p-value, adjusted over the metrics.
    pub p: f64,
    /// The level that it was compared with.
    pub level: f64,
    #[serde(skip)]
    pub(crate) standing: Standing,
}

/// A query behind a loss.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryLoss {
    /// Its id.
    pub query: String,
    /// Its score in the reference.
    pub before: f64,
    /// Its score at the alarm.
    pub now: f64,
}

/// The end of an alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ended {
    /// Id of the commit.
    pub commit: String,
    /// The reason.
    pub why: &'static str,
}

impl Timeline {
    /// Alarms that have to be looked at.
    pub fn open(&self) -> impl Iterator<Item = &Alarm> {
        self.alarms.iter().filter(|alarm| alarm.is_open())
    }
}

impl Histories {
    /// Returns true if any alarm is open.
    pub fn has_alarm(&self) -> bool {
        self.histories.iter().any(|one| one.open().next().is_some())
    }
}
