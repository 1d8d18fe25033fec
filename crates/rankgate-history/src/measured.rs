//! A configuration's known past: commits, and their measurements.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::stats::{self, Differences};
use crate::{Error, Result};

use crate::commit::Commit;
use crate::model::{AlarmRules, ConfigurationHistory, HistoryReport};
use crate::words::keywords;

/// All that was measured of one configuration of one benchmark.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The line of commits, oldest first: git's first-parent line. Whether any was measured does not matter.
    pub line: Vec<Commit>,
    /// What was measured, in any order; the same twice counts once.
    pub measurements: Vec<Measurement>,
    /// Ids of [alarms](crate::Alarm) that somebody has acknowledged.
    pub acknowledged: BTreeSet<String>,
    /// First commit of the history; an error if it has no measurement.
    pub base: Option<String>,
}

/// What was measured at a commit.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Id of the commit.
    pub commit: String,
    /// Fingerprint of the ranking: equal where all queries have the same documents in the same order.
    pub ranking: String,
    /// Its scores.
    pub scores: Arc<Scores>,
    /// The golden ranking that stood there.
    pub golden: Option<Golden>,
    /// Whether the ranking is the golden one from here on.
    pub blessed: bool,
    /// Whether who blessed it said that its loss is accepted.
    pub accepted: bool,
    /// Fingerprints of what else it depends on.
    pub inputs: Inputs,
    /// Fingerprint of the judgments that `scores` are under: those of `inputs`, or today's.
    pub judged: String,
    /// Metrics that gates stand on; those of the last commit are what alarms are about.
    pub gated: Vec<String>,
    /// What its spec said of alarms; that of the last commit decides.
    pub alarms: AlarmRules,
    /// Whether a second pass, or a new build, gives another ranking: then scores are means over repeats.
    pub varies: bool,
}

/// A golden ranking.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Its fingerprint.
    pub ranking: String,
    /// Its scores, under the same judgments and definitions as those of the measurement that it stands beside.
    pub scores: Arc<Scores>,
}

keywords! {
    /// Something beside the retriever that a measurement depends on.
    pub enum Changed {
        /// The judged queries.
        Queries = "queries",
        /// Their judgments.
        Judgments = "judgments",
        /// The documents.
        Documents = "documents",
        /// Results per query that the retriever should return.
        Depth = "depth",
        /// How metrics are defined.
        Definitions = "metric definitions" => "definitions of metrics",
    }
}

impl Changed {
    /// Whether rankings of before can be scored under what it became: the documents that they hold are still the same.
    pub(crate) fn is_of_scoring(self) -> bool {
        matches!(self, Self::Judgments | Self::Definitions)
    }
}

/// Fingerprints of what a measurement depends on beside the retriever; any text that changes as they do.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inputs {
    /// Of the judged queries.
    pub queries: String,
    /// Of their judgments.
    pub judgments: String,
    /// Of the documents; empty where they are not known.
    pub corpus: String,
    /// Results per query that the retriever should return.
    pub depth: usize,
    /// Of how metrics are defined, their names aside.
    pub definitions: String,
}

impl Inputs {
    /// Those of a configuration, as a report places it.
    #[must_use]
    pub fn from_report(report: &HistoryReport, one: &ConfigurationHistory) -> Self {
        Self {
            queries: one.queries.as_ref().unwrap_or(&report.queries).clone(),
            judgments: report.judgments.clone(),
            corpus: report.corpus.clone(),
            depth: one.depth,
            definitions: report.definitions.clone(),
        }
    }

    /// An input that changed.
    pub(crate) fn changed_since(&self, before: &Self) -> Vec<Changed> {
        [
            (self.queries != before.queries, Changed::Queries),
            (self.judgments != before.judgments, Changed::Judgments),
            (self.corpus != before.corpus, Changed::Documents),
            (self.depth != before.depth, Changed::Depth),
            (self.definitions != before.definitions, Changed::Definitions),
        ]
        .into_iter()
        .filter_map(|(changed, what)| changed.then_some(what))
        .collect()
    }
}

/// The scores of a ranking.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// Ids of the judged queries, sorted.
    pub queries: Vec<String>,
    /// What each is grouped by, where queries belong together.
    pub groups: Option<Vec<String>>,
    /// Scores per query, by canonical metric name, in report order.
    pub by_metric: Vec<(String, Vec<f64>)>,
}

impl Scores {
    pub(crate) fn values(&self, metric: &str) -> Option<&[f64]> {
        self.by_metric.iter().find(|(name, _)| name == metric).map(|(_, values)| values.as_slice())
    }

    pub(crate) fn mean(&self, metric: &str) -> Option<f64> {
        stats::mean(self.values(metric)?).ok()
    }

    /// `self` minus `before`; `None` where either side lacks the metric, or they are of other queries.
    pub(crate) fn since(&self, before: &Self, metric: &str) -> Option<Differences> {
        if self.queries != before.queries {
            return None;
        }
        let (before, now) = (before.values(metric)?, self.values(metric)?);
        match &self.groups {
            None => Differences::new(before, now),
            Some(groups) => Differences::grouped(before, now, groups),
        }
        .ok()
    }
}

/// The measurements at one commit.
pub(crate) struct CommitMeasurements<'a> {
    /// The commit's place on the line.
    pub(crate) place: usize,
    pub(crate) measured: Vec<&'a Measurement>,
}

impl History {
    /// The measurements by commit, in the order of the line, from the base on.
    pub(crate) fn in_order(&self) -> Result<Vec<CommitMeasurements<'_>>> {
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(self.line.len());
        let mut checked: HashSet<*const Scores> = HashSet::new();
        for (place, commit) in self.line.iter().enumerate() {
            if places.insert(&commit.id, place).is_some() {
                return Err(Error::invalid(format!("commit {} is on the line twice", commit.id)));
            }
        }
        let mut by_place: BTreeMap<usize, Vec<&Measurement>> = BTreeMap::new();
        for one in &self.measurements {
            let unknown = || {
                Error::invalid(format!(
                    "commit {} was measured and is not on the line of commits",
                    one.commit
                ))
            };
            // Thousands of commits may share one ranking's scores.
            let all = std::iter::once(&one.scores).chain(one.golden.iter().map(|golden| &golden.scores));
            for scores in all.filter(|scores| checked.insert(Arc::as_ptr(scores))) {
                check(&one.commit, scores)?;
            }
            by_place.entry(*places.get(one.commit.as_str()).ok_or_else(unknown)?).or_default().push(one);
        }
        if let Some(base) = &self.base {
            let place = places.get(base.as_str()).ok_or_else(|| {
                Error::invalid(format!(
                    "the base {base} is not on the line of commits: no other is taken for it"
                ))
            })?;
            if !by_place.contains_key(place) {
                let message = format!("the base {base} was not measured: no other commit is taken for it");
                return Err(Error::invalid(message));
            }
            by_place = by_place.split_off(place);
        }
        for measured in by_place.values_mut() {
            measured.sort_by(|a, b| a.order(b));
            measured.dedup_by(|a, b| (&a.inputs, &a.ranking) == (&b.inputs, &b.ranking));
        }
        Ok(by_place.into_iter().map(|(place, measured)| CommitMeasurements { place, measured }).collect())
    }
}

impl Measurement {
    /// By all there is, so that it does not matter which of several came first; of those of one ranking the one that
    /// says most is the first.
    fn order(&self, other: &Self) -> Ordering {
        let key = |one: &Self| {
            let golden = one.golden.as_ref().map(|golden| golden.ranking.clone());
            let rest = (!one.varies, one.judged.clone(), one.gated.clone());
            (!one.blessed, !one.accepted, golden.is_none(), golden, rest)
        };
        let same = (&self.inputs, &self.ranking).cmp(&(&other.inputs, &other.ranking));
        same.then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.scores.order(&other.scores))
            .then_with(|| {
                let goldens = self.golden.as_ref().zip(other.golden.as_ref());
                goldens.map_or(Ordering::Equal, |(own, other)| own.scores.order(&other.scores))
            })
    }
}

impl Scores {
    fn order(&self, other: &Self) -> Ordering {
        let names = |one: &Self| {
            let metrics: Vec<String> = one.by_metric.iter().map(|(metric, _)| metric.clone()).collect();
            (one.queries.clone(), one.groups.clone(), metrics)
        };
        let bits = |one: &Self| -> Vec<u64> {
            one.by_metric.iter().flat_map(|(_, values)| values.iter().map(|value| value.to_bits())).collect()
        };
        names(self).cmp(&names(other)).then_with(|| bits(self).cmp(&bits(other)))
    }
}

/// Scores that could not be tested are refused, not left out.
fn check(commit: &str, scores: &Scores) -> Result<()> {
    let groups = scores.groups.as_ref().map_or(scores.queries.len(), Vec::len);
    for (metric, values) in &scores.by_metric {
        if values.len() != scores.queries.len() || groups != values.len() || values.is_empty() {
            let message = format!("commit {commit}: {metric} has not one score for each query");
            return Err(Error::invalid(message));
        }
        if values.iter().any(|value| !value.is_finite()) {
            let message = format!("commit {commit}: {metric} has a score that is no number");
            return Err(Error::invalid(message));
        }
    }
    Ok(())
}
