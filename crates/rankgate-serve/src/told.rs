//! The history of a configuration, told from what is kept. What happened is decided by [`rankgate::history`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rankgate::benchmark::model::Report;
use rankgate::history::{
    Commit, Golden, History, Inputs, Measurement, Refused, Rules, Scores, SourceKind, Told,
};
use rankgate::offline::explain_alarms;
use serde::{Deserialize, Serialize};

use crate::body::decompressed;
use crate::problem::Answer;
use crate::records::{self, Project, acknowledged, commits, of_json, tips};
use crate::store::{Session, Store, Stored};

/// What is kept of a measurement beside its scores.
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
}

impl About {
    /// What makes two measurements the same state of a configuration: their scores are kept once.
    pub(crate) fn state(&self, benchmark: &str, configuration: &str) -> String {
        let same = Self { gated: Vec::new(), varies: false, ..self.clone() };
        crate::hash::sha256(records::as_json(&(benchmark, configuration, same)).as_bytes())
    }
}

impl Scoring {
    pub(crate) fn of((now, golden): &(Arc<Scores>, Arc<Scores>), is_against_golden: bool) -> Self {
        // Where the ranking is the golden one both are the same.
        let differs = is_against_golden && now.by_metric != golden.by_metric;
        Self {
            queries: now.queries.clone(),
            groups: now.groups.clone(),
            now: now.by_metric.clone(),
            golden: differs.then(|| golden.by_metric.clone()),
        }
    }

    fn both(self) -> (Arc<Scores>, Arc<Scores>) {
        let now = Scores { queries: self.queries, groups: self.groups, by_metric: self.now };
        let now = Arc::new(now);
        let golden = match self.golden {
            None => Arc::clone(&now),
            Some(by_metric) => {
                Arc::new(Scores { queries: now.queries.clone(), groups: now.groups.clone(), by_metric })
            }
        };
        (now, golden)
    }
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// All of them where none is named.
    pub(crate) benchmark: Option<String>,
    pub(crate) configuration: Option<String>,
    /// `main` where it is there, else `master`, else the first by name.
    pub(crate) branch: Option<String>,
    /// The commit that is told from.
    pub(crate) base: Option<String>,
}

/// What was told and is still so: project, benchmark, configuration, branch and base, with the number of the project's
/// last change.
#[derive(Default)]
pub(crate) struct Cache(Mutex<HashMap<Key, (i64, Arc<Told>)>>);

type Key = (i64, String, String, Option<String>, Option<String>);

/// Histories that are remembered.
const REMEMBERED: usize = 256;

impl Cache {
    fn get(&self, key: &Key, changed: i64) -> Option<Arc<Told>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).filter(|(at, _)| *at == changed).map(|(_, told)| Arc::clone(told))
    }

    fn put(&self, key: Key, changed: i64, told: &Arc<Told>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key, (changed, Arc::clone(told)));
    }
}

/// The histories of a project that are asked for, in the order of benchmarks and configurations; what is in none of
/// them stands beside them.
pub(crate) fn histories(
    store: &Store,
    cache: &Cache,
    project: &Project,
    asked: &Asked,
    limit: usize,
) -> Answer<(Vec<Arc<Told>>, Vec<Refused>)> {
    let wanted = store.read(|session| configurations(session, project.id, asked))?;
    let (mut told, mut refused) = (Vec::new(), Vec::new());
    let mut line = None;
    for (benchmark, configuration) in wanted {
        let key =
            (project.id, benchmark.clone(), configuration.clone(), asked.branch.clone(), asked.base.clone());
        if let Some(known) = cache.get(&key, project.changed) {
            told.push(known);
            continue;
        }
        let line = match &line {
            Some(line) => line,
            None => line.insert(store.read(|session| line_of(session, project.id, asked.branch.as_deref()))?),
        };
        let of = (benchmark.as_str(), configuration.as_str());
        let (measurements, missed) = store.read(|session| measurements(session, project.id, of, line))?;
        if measurements.is_empty() {
            refused.extend(missed);
            continue;
        }
        let acknowledged = store.read(|session| acknowledged(session, project.id))?;
        let own = |one: &&[String; 4]| one[0] == benchmark && one[1] == configuration;
        let history = History {
            line: line.clone(),
            measurements,
            acknowledged: acknowledged.iter().filter(own).map(|one| one[2].clone()).collect(),
            base: asked.base.clone(),
        };
        let mut timeline = history.tell(&Rules::default())?;
        explain_alarms(&configuration, &mut timeline, |ranking| {
            report_of(store, project.id, of, ranking, limit)
        })?;
        let one = Told { benchmark, configuration, source: SourceKind::Reports, timeline, refused: missed };
        let one = Arc::new(one);
        cache.put(key, project.changed, &one);
        told.push(one);
    }
    Ok((told, refused))
}

/// Benchmarks and configurations that were measured, and are asked for.
fn configurations(
    session: &mut dyn Session,
    project: i64,
    asked: &Asked,
) -> Stored<BTreeSet<(String, String)>> {
    let sql = "SELECT DISTINCT benchmark, configuration FROM measured WHERE project = $1";
    let rows = session.query(sql, &[project.into()])?;
    let all = rows.iter().map(|row| (row.text(0).to_owned(), row.text(1).to_owned()));
    let takes = |asked: &Option<String>, name: &String| asked.as_ref().is_none_or(|asked| asked == name);
    Ok(all
        .filter(|(benchmark, configuration)| {
            takes(&asked.benchmark, benchmark) && takes(&asked.configuration, configuration)
        })
        .collect())
}

/// The first-parent line of a branch, oldest first, whatever order it was sent in.
pub(crate) fn line_of(session: &mut dyn Session, project: i64, branch: Option<&str>) -> Stored<Vec<Commit>> {
    let tips = tips(session, project)?;
    let names: BTreeSet<&str> = tips.iter().map(|(name, _)| name.as_str()).collect();
    let usual = || ["main", "master"].into_iter().find(|name| names.contains(name));
    let Some(branch) = branch.or_else(usual).or_else(|| names.first().copied()) else {
        return Ok(Vec::new());
    };
    let tips: BTreeSet<&str> =
        tips.iter().filter(|(name, _)| name == branch).map(|(_, commit)| commit.as_str()).collect();
    Ok(line(&commits(session, project)?, &tips))
}

/// The line that ends in the newest of the commits that a branch had: one that stands behind another is not it. Of
/// several, after the branch was made anew, the one that was made last.
fn line(commits: &[records::Commit], tips: &BTreeSet<&str>) -> Vec<Commit> {
    let by_id: HashMap<&str, &records::Commit> =
        commits.iter().map(|one| (one.commit.as_str(), one)).collect();
    let mut tips: Vec<&records::Commit> = tips.iter().filter_map(|tip| by_id.get(tip).copied()).collect();
    tips.sort_by_key(|tip| std::cmp::Reverse((tip.time, tip.commit.as_str())));
    let walk = |tip: &str| -> Vec<&records::Commit> {
        let (mut line, mut seen, mut at) = (Vec::new(), BTreeSet::new(), by_id.get(tip).copied());
        // Parents that were made up may go in circles.
        while let Some(one) = at.filter(|one| seen.insert(one.commit.as_str())) {
            line.push(one);
            at = one.parent.as_deref().and_then(|parent| by_id.get(parent).copied());
        }
        line
    };
    // Clocks may be wrong: what stands on the line of another is no tip, whatever its time is.
    let mut behind: BTreeSet<&str> = BTreeSet::new();
    for tip in &tips {
        if !behind.contains(tip.commit.as_str()) {
            behind.extend(walk(&tip.commit).iter().skip(1).map(|one| one.commit.as_str()));
        }
    }
    let newest = tips.iter().find(|tip| !behind.contains(tip.commit.as_str()));
    let mut line = newest.map_or_else(Vec::new, |tip| walk(&tip.commit));
    line.reverse();
    let commit = |one: &records::Commit| Commit {
        id: one.commit.clone(),
        time: one.time,
        subject: one.subject.clone(),
        releases: one.releases.clone(),
    };
    line.into_iter().map(commit).collect()
}

/// What was measured of a configuration at commits of the line, and what was measured elsewhere.
fn measurements(
    session: &mut dyn Session,
    project: i64,
    (benchmark, configuration): (&str, &str),
    line: &[Commit],
) -> Stored<(Vec<Measurement>, Vec<Refused>)> {
    let on_line: BTreeSet<&str> = line.iter().map(|commit| commit.id.as_str()).collect();
    let sql = "SELECT commit_id, about, scoring FROM measured \
               WHERE project = $1 AND benchmark = $2 AND configuration = $3";
    let rows = session.query(sql, &[project.into(), benchmark.into(), configuration.into()])?;
    let mut known: HashMap<i64, (Arc<Scores>, Arc<Scores>)> = HashMap::new();
    let mut abouts: HashMap<&str, About> = HashMap::new();
    let (mut found, mut elsewhere) = (Vec::new(), BTreeSet::new());
    for row in &rows {
        if !on_line.contains(row.text(0)) {
            elsewhere.insert(row.text(0));
            continue;
        }
        let about = match abouts.get(row.text(1)) {
            Some(about) => about.clone(),
            None => abouts.entry(row.text(1)).or_insert(of_json(row.text(1))?).clone(),
        };
        let (now, golden) = match known.get(&row.int(2)) {
            Some(both) => both.clone(),
            None => known.entry(row.int(2)).or_insert(scoring(session, row.int(2))?.both()).clone(),
        };
        found.push(Measurement {
            commit: row.text(0).to_owned(),
            ranking: about.ranking,
            scores: now,
            golden: about.golden.map(|ranking| Golden { ranking, scores: golden }),
            blessed: false,
            judged: about.judgments.clone(),
            inputs: Inputs {
                queries: about.queries,
                judgments: about.judgments,
                corpus: about.corpus,
                depth: about.depth,
                definitions: about.definitions,
            },
            gated: about.gated,
            varies: about.varies,
        });
    }
    let why = "not on the first-parent line of the branch, as far as its commits were sent";
    let refused =
        elsewhere.iter().map(|commit| Refused { what: format!("commit {commit}"), why: why.to_owned() });
    Ok((found, refused.collect()))
}

fn scoring(session: &mut dyn Session, id: i64) -> Stored<Scoring> {
    let row = session.one("SELECT scores FROM scoring WHERE id = $1", &[id.into()])?;
    of_json(row.as_ref().map_or("", |row| row.text(0)))
}

/// A report that has a ranking of a configuration: of several always the same one.
fn report_of(
    store: &Store,
    project: i64,
    (benchmark, configuration): (&str, &str),
    ranking: &str,
    limit: usize,
) -> Answer<Option<Report>> {
    let sql = "SELECT report.sha256, measured.about FROM measured JOIN report ON report.id = measured.report \
               WHERE measured.project = $1 AND measured.benchmark = $2 AND measured.configuration = $3";
    let found = store.read(|session| {
        let rows = session.query(sql, &[project.into(), benchmark.into(), configuration.into()])?;
        let is_of = |about: &str| of_json::<About>(about).is_ok_and(|about| about.ranking == ranking);
        let own = rows.iter().filter(|row| row.text(1).contains(ranking) && is_of(row.text(1)));
        let first = own.map(|row| row.text(0)).min();
        first.map_or(Ok(None), |sha256| records::blob(session, project, sha256))
    })?;
    let Some(gzip) = found else { return Ok(None) };
    // One of another version says nothing here, and is no error of the history.
    Ok(serde_json::from_slice(&decompressed(&gzip, limit)?).ok())
}

/// Notes by benchmark, configuration and alarm.
pub(crate) fn notes(session: &mut dyn Session, project: i64) -> Stored<BTreeMap<[String; 3], String>> {
    let all = acknowledged(session, project)?;
    Ok(all
        .into_iter()
        .map(|[benchmark, configuration, alarm, note]| ([benchmark, configuration, alarm], note))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(id: &str, parent: &str, time: i64) -> records::Commit {
        let parent = (!parent.is_empty()).then(|| parent.to_owned());
        records::Commit { commit: id.into(), parent, time, subject: String::new(), releases: Vec::new() }
    }

    #[test]
    fn the_line_is_that_of_parents_and_not_of_clocks_or_arrival() {
        let ids = |commits: &[records::Commit], tips: &[&str]| -> String {
            line(commits, &tips.iter().copied().collect()).into_iter().map(|one| one.id).collect()
        };
        // b was made by a clock that is ahead.
        let mut commits =
            vec![commit("a", "", 1), commit("b", "a", 900), commit("c", "b", 3), commit("x", "a", 4)];
        assert_eq!(ids(&commits, &["a", "c", "b"]), "abc");
        commits.reverse();
        assert_eq!(ids(&commits, &["b", "a", "c"]), "abc");
        // The branch was made anew.
        assert_eq!(ids(&commits, &["c", "x"]), "ax");
        // A commit that was not sent ends the line.
        assert_eq!(ids(&[commit("a", "", 1), commit("c", "b", 3)], &["a", "c"]), "c");
        assert_eq!(ids(&[commit("a", "b", 1), commit("b", "a", 2)], &["b"]), "ab");
        assert_eq!(ids(&[], &["gone"]), "");
    }
}
