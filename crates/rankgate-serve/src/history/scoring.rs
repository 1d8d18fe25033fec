//! Measurements as the database holds them: scores once for each state of a configuration, and what they rest on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rankgate_history::{AlarmRules, Scores};
use serde::{Deserialize, Serialize};

use crate::column::{from_json, to_json};
use crate::hash::sha256;
use crate::store::{Session, Stored};

/// What the scores of a measurement rest on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) ranking: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) golden: Option<String>,
    pub(crate) queries: String,
    pub(crate) judgments: String,
    pub(crate) corpus: String,
    pub(crate) depth: usize,
    pub(crate) definitions: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cluster: Option<String>,
    pub(crate) gated: Vec<String>,
    pub(crate) varies: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) accepted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) alarms: Option<AlarmRules>,
}

/// Scores of a ranking and of the golden one that stood there, as they are kept: once for each state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scoring {
    queries: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<String>>,
    now: Vec<(String, Vec<f64>)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    golden: Option<Vec<(String, Vec<f64>)>>,
    /// There was a golden ranking, and what it scores is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    without_golden: bool,
}

/// By how much two scores of one ranking may differ.
const ROUNDING: f64 = 1e-9;

/// Scores of a ranking, and of the golden one that stood there.
pub(super) type Both = (Arc<Scores>, Option<Arc<Scores>>);

impl About {
    /// What makes two measurements the same state of a configuration: their scores are kept once.
    pub(crate) fn state(&self, benchmark: &str, configuration: &str) -> String {
        let same = Self { gated: Vec::new(), varies: false, accepted: false, alarms: None, ..self.clone() };
        sha256(to_json(&(benchmark, configuration, same)).as_bytes())
    }
}

impl Scoring {
    pub(crate) fn from_scores((now, golden): &(Arc<Scores>, Arc<Scores>), is_against_golden: bool) -> Self {
        // Where the ranking is the golden one both are the same.
        let differs = is_against_golden && now.by_metric != golden.by_metric;
        Self {
            queries: now.queries.clone(),
            groups: now.groups.clone(),
            now: now.by_metric.clone(),
            golden: differs.then(|| golden.by_metric.clone()),
            without_golden: false,
        }
    }

    /// Scores under other judgments, with those of the golden ranking where it is another, as far as they are known.
    pub(crate) fn rescored(now: Scores, golden: Option<Option<Scores>>) -> Self {
        let known = golden.as_ref().map(Option::as_ref);
        // Queries may be others where the golden run was asked others.
        let same = known.map(|known| known.filter(|golden| golden.queries == now.queries));
        Self {
            without_golden: same == Some(None),
            golden: same.flatten().map(|golden| golden.by_metric.clone()),
            queries: now.queries,
            groups: now.groups,
            now: now.by_metric,
        }
    }

    pub(crate) fn metrics(&self) -> Vec<String> {
        self.now.iter().map(|(metric, _)| metric.clone()).collect()
    }

    /// How many of its queries have scores in another, of how many.
    pub(crate) fn covered_by(&self, scores: &Scores) -> (usize, usize) {
        let there: BTreeSet<&String> = scores.queries.iter().collect();
        (self.queries.iter().filter(|query| there.contains(query)).count(), self.queries.len())
    }

    /// What each query is grouped by, where queries belong together.
    pub(crate) fn groups(&self) -> Option<BTreeMap<&str, &str>> {
        let groups = self.groups.as_ref()?;
        Some(self.queries.iter().map(String::as_str).zip(groups.iter().map(String::as_str)).collect())
    }

    /// Where two measurements of one ranking under the same judgments say something else: the metric, the query and both
    /// values. Metrics that only one of them has say nothing of the other.
    pub(crate) fn contradiction(&self, other: &Self) -> Option<String> {
        if self.queries != other.queries {
            return Some("other queries".to_owned());
        }
        if self.groups != other.groups {
            return Some("queries in other groups".to_owned());
        }
        if self.without_golden || other.without_golden {
            return self.between("", [&self.now, &other.now]);
        }
        let golden = |one: &'_ Self| one.golden.clone().unwrap_or_else(|| one.now.clone());
        self.between("", [&self.now, &other.now])
            .or_else(|| self.between(" of the golden run", [&golden(self), &golden(other)]))
    }

    fn between(&self, of: &str, [one, other]: [&[(String, Vec<f64>)]; 2]) -> Option<String> {
        for (metric, values) in one {
            let Some((_, others)) = other.iter().find(|(name, _)| name == metric) else { continue };
            let pairs = self.queries.iter().zip(values.iter().zip(others));
            for (query, (a, b)) in pairs {
                // Sums may be rounded otherwise on another machine.
                if (a - b).abs() > ROUNDING {
                    return Some(format!("{metric} of {query}{of} is {a} in one and {b} in the other"));
                }
            }
            if values.len() != others.len() {
                return Some(format!(
                    "{metric}{of} has {} values in one and {} in the other",
                    values.len(),
                    others.len()
                ));
            }
        }
        None
    }

    /// The same with metrics that another measurement of the ranking has and this one lacks, if there are any: whoever
    /// measured it first does not say which metrics there are.
    pub(crate) fn with_metrics_of(&self, other: &Self) -> Option<Self> {
        let names =
            |one: &Self| one.now.iter().map(|(metric, _)| metric.clone()).collect::<BTreeSet<String>>();
        let (own, theirs) = (names(self), names(other));
        if theirs.is_subset(&own) || self.without_golden || other.without_golden {
            return None;
        }
        let golden = |one: &'_ Self| one.golden.clone().unwrap_or_else(|| one.now.clone());
        let union = |mine: Vec<(String, Vec<f64>)>, more: Vec<(String, Vec<f64>)>| {
            let mut all: Vec<(String, Vec<f64>)> = if own.is_subset(&theirs) {
                more
            } else {
                let missing = more.into_iter().filter(|(metric, _)| !own.contains(metric));
                let mut all: Vec<_> = mine.into_iter().chain(missing).collect();
                all.sort_by(|(a, _), (b, _)| a.cmp(b));
                all
            };
            all.dedup_by(|(a, _), (b, _)| a == b);
            all
        };
        let now = union(self.now.clone(), other.now.clone());
        let has_golden = self.golden.is_some() || other.golden.is_some();
        let golden = has_golden.then(|| union(golden(self), golden(other)));
        Some(Self { now, golden, ..self.clone() })
    }

    pub(super) fn both(self) -> Both {
        let now = Scores { queries: self.queries, groups: self.groups, by_metric: self.now };
        let now = Arc::new(now);
        let golden = match self.golden {
            None if self.without_golden => None,
            None => Some(Arc::clone(&now)),
            Some(by_metric) => {
                let (queries, groups) = (now.queries.clone(), now.groups.clone());
                Some(Arc::new(Scores { queries, groups, by_metric }))
            }
        };
        (now, golden)
    }
}

/// Scores of a ranking: under today's judgments where it was scored again, which is marked, else as its report has them.
pub(super) fn scoring(session: &mut dyn Session, id: i64, today: bool) -> Stored<(bool, Scoring)> {
    if today && let Some(row) = session.one("SELECT scores FROM rescored WHERE scoring = $1", &[id.into()])? {
        return Ok((true, from_json(row.text(0))?));
    }
    let row = session.one("SELECT scores FROM scoring WHERE id = $1", &[id.into()])?;
    Ok((false, from_json(row.as_ref().map_or("", |row| row.text(0)))?))
}
