//! The history of a configuration, from the database. What happened is decided by [`rankgate_history`].
//!
//! | file | holds |
//! |---|---|
//! | `line.rs` | the commits of a project, and the first-parent line of a branch |
//! | `scoring.rs` | scores once for each state of a configuration |
//! | `measured.rs` | what was measured of a configuration |
//! | `explanation.rs` | the queries and documents behind alarms, kept when they are known |
//! | `place.rs` | what the database keeps of a history |
//! | `p_values.rs` | what tests came to, kept when they are made |
//! | `cache.rs` | histories that are still valid, in a limited amount of memory |

mod cache;
mod explanation;
mod line;
mod measured;
mod p_values;
mod place;
mod scoring;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

use rankgate::benchmark::model::{Report, Verdicts};
use rankgate::retriever::Latency;
use rankgate_history::{Assembly, ConfigurationTimeline, History, Refused, SourceKind};
use serde::Deserialize;

use crate::column::from_json;
use crate::contents;
use crate::gzip::decompressed;
use crate::limits::Limits;
use crate::problem::{Answer, Problem};
use crate::records::{self, Project, acknowledged};
use crate::store::{Session, Store, Stored};
use cache::{CachedHistory, Room, begin};

pub(crate) use cache::Cache;
pub(crate) use scoring::{About, Scoring};

/// Which histories a request is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryQuery {
    /// All of them where none is named.
    pub(crate) benchmark: Option<String>,
    pub(crate) configuration: Option<String>,
    /// `main` where it is there, else `master`, else the first by name.
    pub(crate) branch: Option<String>,
    /// The first commit of the history.
    pub(crate) base: Option<String>,
}

/// The histories of a project that a request is about, in the order of benchmarks and configurations, and what could not
/// be placed in any.
pub(crate) fn histories(
    store: &Store,
    cache: &Cache,
    project: &Project,
    asked: &HistoryQuery,
    limits: &Limits,
) -> Answer<(Vec<Arc<ConfigurationTimeline>>, Vec<Refused>)> {
    let wanted = store.read(|session| configurations(session, project.id, asked))?;
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    for (benchmark, configuration) in wanted {
        let key =
            (project.id, benchmark.clone(), configuration.clone(), asked.branch.clone(), asked.base.clone());
        let known = cache.cached(key.clone());
        let room = Room { cache, of: &key, limit: limits.memory };
        let mut known = begin(&known);
        if let Some((_, latest)) = known.latest.as_ref().filter(|(at, _)| *at == project.changed) {
            all.push(Arc::clone(latest));
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
                known.measured.read(session, project.id, of, |share, scores| room.take(share, scores))?;
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
        let own = |one: &&[String; 4]| one[0] == benchmark && one[1] == configuration;
        let last = line.last().map(|commit| commit.id.clone());
        let history = History {
            line,
            measurements: std::mem::take(&mut known.measured.all),
            acknowledged: acknowledged.iter().filter(own).map(|one| one[2].clone()).collect(),
            base: asked.base.clone(),
        };
        let assembly = Assembly::new((&benchmark, &configuration, SourceKind::Reports), history);
        let missed = elsewhere(&assembly);
        if assembly.is_empty() {
            known.measured.all = assembly.into_measurements();
            refused.extend(missed);
            continue;
        }
        let gates = last.map_or(Ok(None), |commit| {
            store.read(|session| verdicts_at(session, project.id, &benchmark, &commit))
        });
        let one = gates.map_err(Problem::from).and_then(|gates| {
            let head = assembly.head(branch.as_deref().unwrap_or("the branch"), gates);
            let (explanations, reports) = (&mut known.explanations, &known.measured.reports);
            let rewritten = known.measured.rewritten;
            explanations.read(store, (project.id, of))?;
            known.tests.read(store, (project.id, of))?;
            assembly.tell(&known.tests.tests, (head, missed), |timeline| {
                explanations.explain(timeline, &configuration, |ranking| {
                    let report = reports.get(ranking);
                    report.map_or(Ok(None), |sha256| report_of(store, project.id, sha256, limits.body))
                })?;
                known.tests.keep(store, (project.id, of))?;
                Ok(explanations.keep(store, (project.id, of), rewritten)?)
            })
        });
        known.measured.all = assembly.into_measurements();
        let one = Arc::new(one?);
        known.latest = Some((changed, Arc::clone(&one)));
        all.push(one);
    }
    Ok((all, refused))
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

/// What was measured at commits that are not on the line, each commit once.
fn elsewhere(assembly: &Assembly) -> Vec<Refused> {
    let mut all =
        assembly.refused("not on the first-parent line of the branch, as far as its commits were sent");
    all.sort_by(|a, b| a.what.cmp(&b.what));
    all.dedup_by(|a, b| a.what == b.what);
    all
}

/// The measured benchmarks and configurations that a request is about.
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

/// A report by the hash of its bytes.
fn report_of(store: &Store, project: i64, sha256: &str, limit: usize) -> Answer<Option<Report>> {
    let found = store.read(|session| contents::blob(session, project, sha256))?;
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
        let own: Latency = from_json(row.text(1))?;
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
