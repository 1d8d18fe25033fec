//! The history of a configuration, told from what is kept. What happened is decided by [`rankgate_history`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rankgate::benchmark::model::{Mover, Report, Verdicts};
use rankgate::retriever::Latency;
use rankgate_history::explain_alarms;
use rankgate_history::{
    Commit, ConfigurationTimeline, Golden, Head, History, Inputs, Measurement, Refused, Rules, Scores,
    SourceKind, Tests, Timeline,
};
use serde::{Deserialize, Serialize};

use crate::body::decompressed;
use crate::budget::{Budget, Share, bytes};
use crate::limits::Limits;
use crate::problem::Answer;
use crate::records::{self, Project, acknowledged, as_json, of_json};
use crate::store::{Session, Store, StoreError, Stored};

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
    /// There was a golden ranking, and what it scores is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    without_golden: bool,
}

/// By how much two scores of one ranking may differ.
const ROUNDING: f64 = 1e-9;

/// Scores of a ranking, and of the golden one that stood there.
type Both = (Arc<Scores>, Option<Arc<Scores>>);

impl About {
    /// What makes two measurements the same state of a configuration: their scores are kept once.
    pub(crate) fn state(&self, benchmark: &str, configuration: &str) -> String {
        let same = Self { gated: Vec::new(), varies: false, ..self.clone() };
        crate::hash::sha256(as_json(&(benchmark, configuration, same)).as_bytes())
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

    fn both(self) -> Both {
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

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryQuery {
    /// All of them where none is named.
    pub(crate) benchmark: Option<String>,
    pub(crate) configuration: Option<String>,
    /// `main` where it is there, else `master`, else the first by name.
    pub(crate) branch: Option<String>,
    /// The commit that is told from.
    pub(crate) base: Option<String>,
}

/// What was told and is still so, and what it was told of: what comes next is added to it, so that of thousands of reports
/// the last one is read. It is thrown away where something was not only added.
#[derive(Default)]
pub(crate) struct Cache {
    told: Mutex<HashMap<Key, Arc<Mutex<CachedHistory>>>>,
    budget: Budget,
    lines: Mutex<HashMap<i64, Arc<Mutex<Commits>>>>,
}

/// Project, benchmark, configuration, branch and base.
type Key = (i64, String, String, Option<String>, Option<String>);

/// Measurements that are remembered, of all histories together.
const REMEMBERED: usize = 100_000;
/// Histories, and projects.
const HISTORIES: usize = 256;

/// A history.
#[derive(Default)]
struct CachedHistory {
    told: Option<(i64, Arc<ConfigurationTimeline>)>,
    measured: Measured,
    tests: Tests,
    /// What was named behind alarms, by what was asked.
    explained: HashMap<String, Vec<Mover>>,
}

/// All that was measured of a configuration, as far as reports were read.
#[derive(Default)]
struct Measured {
    /// The number of the last report.
    last: i64,
    rewritten: i64,
    all: Vec<Measurement>,
    /// By their number.
    scores: HashMap<i64, (bool, Both)>,
    /// The memory that they take.
    share: Option<Share>,
    /// By what stands in the column.
    abouts: HashMap<String, About>,
    /// Of each ranking a report that has it, always the same one.
    reports: HashMap<String, String>,
}

/// The commits of a project, as far as they were read.
#[derive(Default)]
struct Commits {
    line: i64,
    by_id: HashMap<String, records::Commit>,
    /// By branch.
    tips: BTreeMap<String, HashSet<String>>,
}

impl Cache {
    /// The first-parent line of a branch, oldest first.
    pub(crate) fn line(&self, store: &Store, project: i64, branch: Option<&str>) -> Answer<Vec<Commit>> {
        let commits = self.commits(project);
        let mut commits = commits.lock().unwrap_or_else(PoisonError::into_inner);
        store.read(|session| commits.read(session, project))?;
        Ok(commits.line_of(branch))
    }

    /// The branches that there are, by name.
    pub(crate) fn branches(&self, store: &Store, project: i64) -> Answer<Vec<String>> {
        let commits = self.commits(project);
        let mut commits = commits.lock().unwrap_or_else(PoisonError::into_inner);
        store.read(|session| commits.read(session, project))?;
        Ok(commits.tips.keys().cloned().collect())
    }

    fn commits(&self, project: i64) -> Arc<Mutex<Commits>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= HISTORIES && !lines.contains_key(&project) {
            lines.clear();
        }
        Arc::clone(lines.entry(project).or_default())
    }

    fn cached(&self, key: Key) -> Arc<Mutex<CachedHistory>> {
        let mut all = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is being told counts as none: it is not waited for.
        let number =
            |known: &Arc<Mutex<CachedHistory>>| known.try_lock().map_or(0, |known| known.measured.all.len());
        if !all.contains_key(&key)
            && (all.len() >= HISTORIES || all.values().map(number).sum::<usize>() >= REMEMBERED)
        {
            all.clear();
        }
        Arc::clone(all.entry(key).or_default())
    }
}

/// Room for the scores of a history.
struct Room<'a> {
    cache: &'a Cache,
    of: &'a Key,
    limit: usize,
}

impl Room<'_> {
    /// Takes memory for more scores. Others are forgotten where there is none left, and read again when they are asked for.
    fn take(&self, share: &mut Option<Share>, (now, golden): &Both) -> Stored<()> {
        let budget = &self.cache.budget;
        let share = share.get_or_insert_with(|| budget.share());
        let golden = golden.as_ref().filter(|golden| !Arc::ptr_eq(now, golden));
        share.grow(bytes(now) + golden.map_or(0, |golden| bytes(golden)));
        if budget.is_within(self.limit) {
            return Ok(());
        }
        let others = {
            let mut all = self.cache.told.lock().unwrap_or_else(PoisonError::into_inner);
            let mut others = std::mem::take(&mut *all);
            all.extend(others.remove_entry(self.of));
            others
        };
        drop(others);
        if budget.is_within(self.limit) {
            return Ok(());
        }
        if share.is_within(self.limit) {
            return Err(StoreError::passing("other histories have the memory that this one needs"));
        }
        let (_, benchmark, configuration, ..) = self.of;
        let why = format!(
            "the scores of {benchmark}, {configuration} take more than {} MiB, which is the limit of this server \
             (`--memory`); `retain` keeps fewer reports",
            self.limit >> 20
        );
        Err(StoreError { is_invalid: true, ..StoreError::new(why) })
    }
}

/// What is known of a history, to be added to. Of what somebody left in the middle, who gave up or panicked, the tests
/// stay: each is whole.
fn begin(history: &Mutex<CachedHistory>) -> MutexGuard<'_, CachedHistory> {
    history.lock().unwrap_or_else(|left| {
        let mut known = left.into_inner();
        let measured = Measured { rewritten: known.measured.rewritten, ..Measured::default() };
        *known =
            CachedHistory { tests: std::mem::take(&mut known.tests), measured, ..CachedHistory::default() };
        history.clear_poison();
        known
    })
}

/// The histories of a project that are asked for, in the order of benchmarks and configurations; what is in none of
/// them stands beside them.
pub(crate) fn histories(
    store: &Store,
    cache: &Cache,
    project: &Project,
    asked: &HistoryQuery,
    limits: &Limits,
) -> Answer<(Vec<Arc<ConfigurationTimeline>>, Vec<Refused>)> {
    let wanted = store.read(|session| configurations(session, project.id, asked))?;
    let (mut told, mut refused) = (Vec::new(), Vec::new());
    for (benchmark, configuration) in wanted {
        let key =
            (project.id, benchmark.clone(), configuration.clone(), asked.branch.clone(), asked.base.clone());
        let known = cache.cached(key.clone());
        let room = Room { cache, of: &key, limit: limits.memory };
        let mut known = begin(&known);
        if let Some((_, told_so_far)) = known.told.as_ref().filter(|(at, _)| *at == project.changed) {
            told.push(Arc::clone(told_so_far));
            continue;
        }
        let of = (benchmark.as_str(), configuration.as_str());
        let commits = cache.commits(project.id);
        let (line, branch, acknowledged, changed) = {
            let mut commits = commits.lock().unwrap_or_else(PoisonError::into_inner);
            let read = store.read(|session| {
                let now = records::project_by(session, project.id)?;
                let (changed, rewritten) = now.map_or((0, 0), |now| (now.changed, now.rewritten));
                if known.measured.rewritten != rewritten {
                    *known = CachedHistory::default();
                    known.measured.rewritten = rewritten;
                }
                commits.read(session, project.id)?;
                known.measured.read(session, project.id, of, &room)?;
                Ok((acknowledged(session, project.id)?, changed))
            });
            // What was read in part is read again.
            let read = read.inspect_err(|_| *known = CachedHistory::default())?;
            (
                commits.line_of(asked.branch.as_deref()),
                commits.branch(asked.branch.as_deref()),
                read.0,
                read.1,
            )
        };
        let known = &mut *known;
        let on_line: HashSet<&str> = line.iter().map(|commit| commit.id.as_str()).collect();
        let all = std::mem::take(&mut known.measured.all);
        let (measurements, elsewhere): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| on_line.contains(one.commit.as_str()));
        let missed = not_on_line(&elsewhere);
        let own = |one: &&[String; 4]| one[0] == benchmark && one[1] == configuration;
        let history = History {
            line,
            measurements,
            acknowledged: acknowledged.iter().filter(own).map(|one| one[2].clone()).collect(),
            base: asked.base.clone(),
        };
        let line = history.line.clone();
        let none = history.measurements.is_empty();
        let timeline = if none { None } else { Some(history.tell_again(&Rules::default(), &known.tests)) };
        known.measured.all = history.measurements;
        known.measured.all.extend(elsewhere);
        let Some(timeline) = timeline else {
            refused.extend(missed);
            continue;
        };
        let mut timeline = timeline?;
        let last = line.last().map(|commit| commit.id.clone());
        let gates = match last {
            Some(commit) => store.read(|session| verdicts_at(session, project.id, &benchmark, &commit))?,
            None => None,
        };
        let measured: HashSet<&str> =
            timeline.commits.iter().map(|entry| entry.commit.commit.as_str()).collect();
        let head =
            Head::new(branch.as_deref().unwrap_or("the branch"), &line, |id| measured.contains(id), gates);
        known.explain(&mut timeline, &configuration, |sha256| {
            report_of(store, project.id, sha256, limits.body)
        })?;
        let source = SourceKind::Reports;
        let one = ConfigurationTimeline { benchmark, configuration, source, head, timeline, refused: missed };
        let one = Arc::new(one);
        known.told = Some((changed, Arc::clone(&one)));
        told.push(one);
    }
    Ok((told, refused))
}

/// Verdicts of the last report of a benchmark at a commit.
fn verdicts_at(
    session: &mut dyn Session,
    project: i64,
    benchmark: &str,
    commit: &str,
) -> Stored<Option<Verdicts>> {
    let sql = "SELECT verdicts, sha256 FROM report WHERE project = $1 AND benchmark = $2 AND commit_id = $3 \
               ORDER BY id DESC LIMIT 1";
    let Some(row) = session.one(sql, &[project.into(), benchmark.into(), commit.into()])? else {
        return Ok(None);
    };
    records::verdicts(session, project, &row, (0, 1))
}

/// What was measured at commits that are not on the line.
fn not_on_line(elsewhere: &[Measurement]) -> Vec<Refused> {
    let commits: BTreeSet<&str> = elsewhere.iter().map(|one| one.commit.as_str()).collect();
    let why = "not on the first-parent line of the branch, as far as its commits were sent";
    commits.iter().map(|commit| Refused { what: format!("commit {commit}"), why: why.to_owned() }).collect()
}

impl CachedHistory {
    /// Names the documents behind alarms; of those that were there before it is known.
    fn explain(
        &mut self,
        timeline: &mut Timeline,
        configuration: &str,
        report: impl Fn(&str) -> Answer<Option<Report>>,
    ) -> Answer<()> {
        let (explained, reports) = (&mut self.explained, &self.measured.reports);
        for (place, mut alarm) in std::mem::take(&mut timeline.alarms).into_iter().enumerate() {
            let state = timeline.states.iter().find(|state| state.number == alarm.state);
            let against = alarm.largest().map(|held| &held.against);
            let key = as_json(&(against, state.map(|state| &state.ranking), &alarm.queries));
            if let Some(known) = explained.get(&key) {
                alarm.queries.clone_from(known);
                timeline.alarms.push(alarm);
                continue;
            }
            timeline.alarms.push(alarm);
            let before = timeline.alarms.drain(..place).collect::<Vec<_>>();
            explain_alarms(configuration, timeline, |ranking| {
                reports.get(ranking).map_or(Ok(None), |sha256| report(sha256))
            })?;
            timeline.alarms.splice(..0, before);
            explained.insert(key, timeline.alarms[place].queries.clone());
        }
        Ok(())
    }
}

/// Benchmarks and configurations that were measured, and are asked for.
fn configurations(
    session: &mut dyn Session,
    project: i64,
    asked: &HistoryQuery,
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

impl Commits {
    /// Reads what is not known yet.
    fn read(&mut self, session: &mut dyn Session, project: i64) -> Stored<()> {
        let now = records::project_by(session, project)?.map_or(0, |project| project.line);
        if now == self.line && now > 0 {
            return Ok(());
        }
        // What was there before changes were counted has the number 0.
        let since = if self.line == 0 { -1 } else { self.line };
        for commit in records::commits_since(session, project, since)? {
            self.by_id.insert(commit.commit.clone(), commit);
        }
        for (branch, commit) in records::tips_since(session, project, since)? {
            self.tips.entry(branch).or_default().insert(commit);
        }
        self.line = now;
        Ok(())
    }

    /// The branch that is meant: `main` where it is there, else `master`, else the first by name.
    fn branch(&self, branch: Option<&str>) -> Option<String> {
        let usual = || ["main", "master"].into_iter().find(|name| self.tips.contains_key(*name));
        let first = || self.tips.keys().next().map(String::as_str);
        branch.or_else(usual).or_else(first).map(str::to_owned)
    }

    /// The first-parent line of a branch, oldest first, whatever order it was sent in.
    fn line_of(&self, branch: Option<&str>) -> Vec<Commit> {
        let tips = self.branch(branch).and_then(|branch| self.tips.get(&branch));
        tips.map_or_else(Vec::new, |tips| line(&self.by_id, tips))
    }
}

/// The line that ends in the newest of the commits that a branch had: one that stands behind another is not it. Of
/// several, after the branch was made anew, the one that was made last.
fn line(by_id: &HashMap<String, records::Commit>, tips: &HashSet<String>) -> Vec<Commit> {
    let mut tips: Vec<&records::Commit> = tips.iter().filter_map(|tip| by_id.get(tip)).collect();
    tips.sort_by_key(|tip| std::cmp::Reverse((tip.time, tip.commit.as_str())));
    let walk = |tip: &str| -> Vec<&records::Commit> {
        let (mut line, mut seen, mut at) = (Vec::new(), HashSet::new(), by_id.get(tip));
        // Parents that were made up may go in circles.
        while let Some(one) = at.filter(|one| seen.insert(one.commit.as_str())) {
            line.push(one);
            at = one.parent.as_ref().and_then(|parent| by_id.get(parent));
        }
        line
    };
    // Clocks may be wrong: what stands on the line of another is no tip, whatever its time is.
    let mut behind: HashSet<&str> = HashSet::new();
    for tip in &tips {
        // What stands behind a commit that was walked already was walked with it; parents may go in circles.
        let mut at = tip
            .parent
            .as_ref()
            .filter(|_| !behind.contains(tip.commit.as_str()))
            .and_then(|parent| by_id.get(parent));
        while let Some(one) = at.filter(|one| one.commit != tip.commit && behind.insert(one.commit.as_str()))
        {
            at = one.parent.as_ref().and_then(|parent| by_id.get(parent));
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

impl Measured {
    /// Reads what was measured of a configuration since.
    fn read(
        &mut self,
        session: &mut dyn Session,
        project: i64,
        (benchmark, configuration): (&str, &str),
        room: &Room<'_>,
    ) -> Stored<()> {
        let sql = "SELECT measured.commit_id, about, scoring, measured.report, sha256 FROM measured \
                   JOIN report ON report.id = measured.report WHERE measured.project = $1 \
                   AND measured.benchmark = $2 AND configuration = $3 AND measured.report > $4";
        let values = [project.into(), benchmark.into(), configuration.into(), self.last.into()];
        let rows = session.query(sql, &values)?;
        let sql = "SELECT judgments FROM rejudged WHERE project = $1 AND benchmark = $2";
        let today = session.one(sql, &[project.into(), benchmark.into()])?.map(|row| row.text(0).to_owned());
        for row in &rows {
            if !self.abouts.contains_key(row.text(1)) {
                self.abouts.insert(row.text(1).to_owned(), of_json(row.text(1))?);
            }
            let (is_anew, (now, golden)) = match self.scores.get(&row.int(2)) {
                Some(known) => known.clone(),
                None => {
                    let (is_anew, scoring) = scoring(session, row.int(2), today.is_some())?;
                    let both = scoring.both();
                    room.take(&mut self.share, &both)?;
                    self.scores.entry(row.int(2)).or_insert((is_anew, both)).clone()
                }
            };
            let Some(about) = self.abouts.get(row.text(1)).cloned() else { continue };
            let report = self.reports.entry(about.ranking.clone()).or_insert_with(|| row.text(4).to_owned());
            if row.text(4) < report.as_str() {
                row.text(4).clone_into(report);
            }
            self.last = self.last.max(row.int(3));
            self.all.push(Measurement {
                commit: row.text(0).to_owned(),
                ranking: about.ranking,
                scores: now,
                golden: about.golden.zip(golden).map(|(ranking, scores)| Golden { ranking, scores }),
                blessed: false,
                judged: today.as_ref().filter(|_| is_anew).unwrap_or(&about.judgments).clone(),
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
        Ok(())
    }
}

/// Scores of a ranking: under today's judgments where it was scored anew, which is said, else as its report has them.
fn scoring(session: &mut dyn Session, id: i64, today: bool) -> Stored<(bool, Scoring)> {
    if today && let Some(row) = session.one("SELECT scores FROM rescored WHERE scoring = $1", &[id.into()])? {
        return Ok((true, of_json(row.text(0))?));
    }
    let row = session.one("SELECT scores FROM scoring WHERE id = $1", &[id.into()])?;
    Ok((false, of_json(row.as_ref().map_or("", |row| row.text(0)))?))
}

/// A report by the hash of its bytes.
fn report_of(store: &Store, project: i64, sha256: &str, limit: usize) -> Answer<Option<Report>> {
    let found = store.read(|session| records::blob(session, project, sha256))?;
    let Some(gzip) = found else { return Ok(None) };
    // One of another version says nothing here, and is no error of the history.
    Ok(serde_json::from_slice(&decompressed(&gzip, limit)?).ok())
}

/// The last report of each commit that measured a configuration.
pub(crate) fn reports_by_commit(
    session: &mut dyn Session,
    project: i64,
    (benchmark, configuration): (&str, &str),
) -> Stored<HashMap<String, i64>> {
    let sql = "SELECT commit_id, MAX(report) FROM measured WHERE project = $1 AND benchmark = $2 \
               AND configuration = $3 GROUP BY commit_id";
    let rows = session.query(sql, &[project.into(), benchmark.into(), configuration.into()])?;
    Ok(rows.iter().map(|row| (row.text(0).to_owned(), row.int(1))).collect())
}

/// How long answers took, by commit: of several reports as the fastest had it.
pub(crate) fn latencies(
    session: &mut dyn Session,
    project: i64,
    (benchmark, configuration): (&str, &str),
) -> Stored<BTreeMap<String, Latency>> {
    let sql = "SELECT commit_id, latency FROM measured WHERE project = $1 AND benchmark = $2 \
               AND configuration = $3 AND latency IS NOT NULL";
    let mut fastest: BTreeMap<String, Latency> = BTreeMap::new();
    for row in session.query(sql, &[project.into(), benchmark.into(), configuration.into()])? {
        let own: Latency = of_json(row.text(1))?;
        let key = |one: &Latency| (one.p50.to_bits(), one.p95.to_bits(), one.max.to_bits());
        let known = fastest.entry(row.text(0).to_owned()).or_insert(own);
        if key(&own) < key(known) {
            *known = own;
        }
    }
    Ok(fastest)
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
            let by_id = commits.iter().map(|one| (one.commit.clone(), one.clone())).collect();
            line(&by_id, &tips.iter().map(|tip| (*tip).to_owned()).collect())
                .into_iter()
                .map(|one| one.id)
                .collect()
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
