//! Reports: `report.json` as a run of CI wrote it, unchanged.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use rankgate::benchmark::model::{ConfigurationHistory, Verdicts};
use rankgate_history::{Inconsistency, ReportContent, StoredReport};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commits::{checked_commit, other_repository};
use super::{PathParams, QueryParams, json, json_of, project};
use crate::access::Caller;
use crate::app::{App, blocking};
use crate::audit::{self, Actor};
use crate::body::receive;
use crate::body::stored_body;
use crate::column::{from_json, to_json};
use crate::compute::computing_body;
use crate::contents::{self, Base, Difference};
use crate::gzip::decompressed;
use crate::hash::sha256;
use crate::history::{About, Scoring};
use crate::log::log;
use crate::names::{checked_name, checked_text};
use crate::problem::{Answer, Problem};
use crate::records::{self, Right};
use crate::store::{Row, Session, StoreError, Stored};
use crate::trail;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportContext {
    /// The address of the run of CI.
    source: Option<String>,
    /// The first commit of the repository that it is of.
    root: Option<String>,
}

#[derive(Serialize)]
struct ReportResult {
    report: i64,
    benchmark: String,
    commit: String,
    /// Whether it was not there yet.
    new: bool,
    configurations: Vec<String>,
    /// Those of whose rankings there is no run: with them old rankings can be scored under later judgments.
    runs_wanted: Vec<String>,
}

/// A configuration of a report that is being received.
pub(crate) struct ReceivedConfiguration {
    pub(crate) name: String,
    ranking: String,
    about: String,
    pub(crate) state: String,
    /// Whether asking again gives other answers.
    varies: bool,
    /// Its scores; none where a report before had the very same.
    scores: Option<String>,
    has_run: bool,
    /// Quantiles of the times that answers took, as the report has them.
    latency: Option<String>,
}

/// A report that is being received.
struct New {
    project: String,
    key: String,
    benchmark: String,
    commit: String,
    sha256: String,
    source: String,
    size: usize,
    gzip: Vec<u8>,
    /// From the report before.
    difference: Option<Difference>,
    verdicts: Verdicts,
    placed: Vec<ReceivedConfiguration>,
}

/// What became of a report.
enum StoreOutcome {
    New(i64),
    Known(i64),
    /// The key is that of another report.
    Other,
    /// It says something else of a ranking than an earlier report.
    Contradicts(String),
}

/// Keeps a report, once for each `Idempotency-Key`: the SHA-256 of its bytes where none is sent.
pub(crate) async fn post(
    State(app): State<App>,
    caller: Caller,
    PathParams(project): PathParams<String>,
    QueryParams(beside): QueryParams<ReportContext>,
    headers: HeaderMap,
    request: Request,
) -> Answer<Response> {
    caller.may(&project, Right::Push)?;
    checked_name("project", &project)?;
    let key = match headers.get("idempotency-key").map(|key| key.to_str()) {
        None => None,
        Some(Ok(key)) if (1..=255).contains(&key.len()) => Some(key.to_owned()),
        Some(_) => return Err(Problem::invalid("Idempotency-Key: it has 1 to 255 characters of ASCII")),
    };
    let source = beside.source.unwrap_or_default();
    checked_text("/source", &source, 2_000)?;
    if let Some(root) = beside.root {
        checked_commit("/root", &root)?;
        let name = project.clone();
        blocking(&app, move |app| {
            let known = app.store.read(|session| records::root_of(session, &name))?;
            match known.filter(|known| *known != root) {
                Some(known) => Err(other_repository(&known, &root)),
                None => Ok(()),
            }
        })
        .await?;
    }
    let body = receive(request, &app, &caller).await?;
    let (name, actor) = (project.clone(), caller.actor());
    let new = computing_body(&app, caller.key(), body, move |app, body| {
        let bytes = body.decoded()?;
        let sha256 = sha256(&bytes);
        let ReadReport { report, verdicts, configurations: placed, .. } = placed(app, &name, &bytes)?;
        let size = bytes.len();
        let StoredReport { benchmark, commit, .. } = report;
        let (key, gzip) = (key.unwrap_or_else(|| sha256.clone()), body.into_gzip()?);
        let state = placed.first().map_or("", |one| one.state.as_str());
        let base = app.store.read(|session| Base::last_report(session, (&name, &benchmark, state), size))?;
        let difference = base.and_then(|base| base.difference(&bytes, gzip.len()));
        Ok(New {
            project: name,
            key,
            benchmark,
            commit,
            sha256,
            source,
            size,
            gzip,
            difference,
            verdicts,
            placed,
        })
    });
    let new = new.await?;
    let (benchmark, commit) = (new.benchmark.clone(), new.commit.clone());
    let configurations = new.placed.iter().map(|one| one.name.clone()).collect();
    let wanted = new.placed.iter().filter(|one| !one.has_run);
    let runs_wanted = wanted.map(|one| one.name.clone()).collect();
    // Others compute while this one waits for the disk.
    let stored = blocking(&app, move |app| {
        let now = app.now();
        app.store.write(move |session| keep(session, new, now, &actor))
    });
    let (report, new) = match stored.await? {
        StoreOutcome::New(id) => (id, true),
        StoreOutcome::Known(id) => (id, false),
        StoreOutcome::Other => {
            let detail = "another report was sent with this Idempotency-Key";
            return Err(Problem::new(StatusCode::CONFLICT, detail));
        }
        StoreOutcome::Contradicts(why) => {
            log(&format!("{project}: a report was refused: {why}"));
            let why = format!(
                "{why}: one ranking has one score under the same judgments, so that one of them is wrong; this report \
                 was not kept"
            );
            return Err(Problem::conflict_at("/configurations", why));
        }
    };
    app.hooks.changed(&project);
    app.counts.reports.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let answer = ReportResult { report, benchmark, commit, new, configurations, runs_wanted };
    json_of(if answer.new { StatusCode::CREATED } else { StatusCode::OK }, &answer)
}

/// Where a report stands in histories, with its scores.
fn placed(app: &App, project: &str, bytes: &[u8]) -> Answer<ReadReport> {
    let mut read = ReadReport::from_report(bytes)?;
    if let Some(Inconsistency { pointer, message }) = read.inconsistency {
        return Err(Problem::at(pointer, message));
    }
    let ReadReport { report, configurations: placed, .. } = &mut read;
    checked_text("/benchmark", &report.benchmark, 255)?;
    checked_commit("/history/commit", &report.commit)?;
    for (place, one) in report.history.configurations.iter().enumerate() {
        checked_text(&format!("/history/configurations/{place}/name"), &one.name, 255)?;
    }
    // What could not be shown is not kept.
    app.read_lists.check(bytes)?;
    app.store.read(|session| {
        let Some(project) = records::project(session, project)? else { return Ok(()) };
        for one in placed {
            one.has_run = records::has_run(session, project.id, &one.ranking)?;
        }
        Ok::<_, StoreError>(())
    })?;
    Ok(read)
}

/// A report, as far as histories read it.
pub(crate) struct ReadReport {
    pub(crate) report: StoredReport,
    pub(crate) verdicts: Verdicts,
    pub(crate) configurations: Vec<ReceivedConfiguration>,
    /// Where it does not agree with itself, if it does not: then no server takes it.
    pub(crate) inconsistency: Option<Inconsistency>,
}

impl ReadReport {
    pub(crate) fn from_report(bytes: &[u8]) -> Answer<Self> {
        let content = serde_json::from_slice::<ReportContent>(bytes);
        let content = match content {
            // JSON of another shape, of which its beginning may say more.
            Err(error) if error.is_data() => StoredReport::read(bytes).map(|_| Err(error))?,
            read => read,
        };
        let content = content.map_err(|error| Problem::json(&error))?;
        let report = StoredReport::read(bytes)?;
        let inconsistency = content.check(Some(&report.history)).err();
        let scores = content.scores(report.history.cluster.as_deref()).map_err(Problem::invalid)?;
        let placed = |one: &ConfigurationHistory| {
            let inputs = report.inputs(one);
            let about = About {
                ranking: one.ranking.clone(),
                golden: one.golden.clone(),
                queries: inputs.queries,
                judgments: inputs.judgments,
                corpus: inputs.corpus,
                depth: inputs.depth,
                definitions: inputs.definitions,
                cluster: report.history.cluster.clone(),
                gated: one.gated.clone(),
                varies: one.varies,
                accepted: one.accepted,
                alarms: report.history.alarms,
            };
            let (name, state) = (one.name.clone(), about.state(&report.benchmark, &one.name));
            // One that errored says so in the report, and has no place in a history.
            let scores = Scoring::from_scores(scores.get(&name)?, about.golden.is_some());
            Some(ReceivedConfiguration {
                latency: content.latency(&name).as_ref().map(to_json),
                varies: about.varies,
                about: to_json(&about),
                ranking: about.ranking,
                scores: Some(to_json(&scores)),
                has_run: false,
                name,
                state,
            })
        };
        let configurations = report.history.configurations.iter().filter_map(placed).collect();
        Ok(Self { verdicts: content.verdicts(), report, configurations, inconsistency })
    }
}

impl ReceivedConfiguration {
    /// What is kept of its ranking, and is another thing: the first report of it, and what. Where asking again gives other answers none has to say the same.
    pub(crate) fn contradiction(
        &self,
        session: &mut dyn Session,
        project: i64,
    ) -> Stored<Option<(i64, String)>> {
        let Some(scores) = self.scores.as_ref().filter(|_| !self.varies) else { return Ok(None) };
        let Some((scoring, known)) = scoring_of(session, project, &self.state)? else { return Ok(None) };
        if *scores == known {
            return Ok(None);
        }
        let Some(why) = from_json::<Scoring>(&known)?.contradiction(&from_json(scores)?) else {
            return Ok(None);
        };
        let sql = "SELECT MIN(report) FROM measured WHERE scoring = $1";
        let first = session.one(sql, &[scoring.into()])?.map_or(0, |row| row.int(0));
        Ok(Some((first, why)))
    }

    /// The metrics that it has scores of.
    pub(crate) fn metrics(&self) -> Stored<Vec<String>> {
        self.scores.as_deref().map_or(Ok(Vec::new()), |scores| Ok(from_json::<Scoring>(scores)?.metrics()))
    }

    /// Forgets its scores where a report before had the very same of its state; `known` has them by project and state.
    pub(crate) fn drop_known_scores(&mut self, known: &mut BTreeMap<(i64, String), String>, project: i64) {
        let Some(scores) = &self.scores else { return };
        let hash = sha256(scores.as_bytes());
        let key = (project, self.state.clone());
        if known.get(&key) == Some(&hash) {
            self.scores = None;
        } else {
            known.entry(key).or_insert(hash);
        }
    }

    /// Its row beside its report, each value as it is compared.
    pub(crate) fn row(&self, [benchmark, commit]: [&str; 2]) -> Stored<MeasuredRow> {
        let texts = [benchmark, &self.name, commit, &self.state];
        measured_row(texts, &self.about, self.latency.as_deref())
    }

    /// Adds metrics that no earlier report of its ranking had; whether there were any.
    pub(crate) fn complete(&self, session: &mut dyn Session, project: i64) -> Stored<bool> {
        let Some(scores) = &self.scores else { return Ok(false) };
        let Some((scoring, known)) = scoring_of(session, project, &self.state)? else { return Ok(false) };
        if *scores == known {
            return Ok(false);
        }
        let Some(all) = from_json::<Scoring>(&known)?.with_metrics_of(&from_json(scores)?) else {
            return Ok(false);
        };
        let sql = "UPDATE scoring SET scores = $2 WHERE id = $1";
        session.execute(sql, &[scoring.into(), to_json(&all).into()]).map(|_| true)
    }

    /// Keeps what was measured, beside its report.
    pub(crate) fn keep(
        self,
        session: &mut dyn Session,
        (project, report): (i64, i64),
        [benchmark, commit]: [&str; 2],
    ) -> Stored<()> {
        let scoring = match (scoring_of(session, project, &self.state)?, self.scores) {
            (Some((known, _)), _) => known,
            (None, Some(scores)) => {
                let scoring = session.next_id("scoring")?;
                let sql = "INSERT INTO scoring (id, project, state, scores) VALUES ($1, $2, $3, $4)";
                session.execute(sql, &[scoring.into(), project.into(), self.state.into(), scores.into()])?;
                scoring
            }
            // It was there a moment ago: whoever sends the report again brings its scores.
            (None, None) => return Err(StoreError::passing("scores were removed meanwhile")),
        };
        let sql = "INSERT INTO measured (report, project, benchmark, configuration, commit_id, about, scoring, \
                   latency) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let texts = [benchmark, &self.name, commit, &self.about].map(Into::into);
        let more = [scoring.into(), self.latency.into()];
        session.execute(sql, &[&[report.into(), project.into()], &texts[..], &more].concat())?;
        Ok(())
    }
}

/// Every state whose scores are kept, by project, and the metrics that it has scores of.
pub(crate) fn scored_metrics(session: &mut dyn Session) -> Stored<BTreeMap<(i64, String), BTreeSet<String>>> {
    let rows = session.query("SELECT project, state, scores FROM scoring", &[])?;
    let state = |row: &Row| {
        let metrics = from_json::<Scoring>(row.text(2))?.metrics();
        Ok(((row.int(0), row.text(1).to_owned()), metrics.into_iter().collect()))
    };
    rows.iter().map(state).collect()
}

/// Benchmark, configuration, commit, state, what it rests on, answer times.
pub(crate) type MeasuredRow = ([String; 4], Value, Value);

fn measured_row(texts: [&str; 4], about: &str, latency: Option<&str>) -> Stored<MeasuredRow> {
    let latency = latency.map_or(Ok(Value::Null), from_json)?;
    Ok((texts.map(str::to_owned), from_json(about)?, latency))
}

/// What is kept beside a report.
pub(crate) fn measured_rows(session: &mut dyn Session, report: i64) -> Stored<Vec<MeasuredRow>> {
    let sql = "SELECT benchmark, configuration, commit_id, state, about, latency FROM measured \
               JOIN scoring ON scoring.id = measured.scoring WHERE report = $1";
    let row = |row: &Row| {
        let latency = row.has(5).then(|| row.text(5));
        measured_row([0, 1, 2, 3].map(|column| row.text(column)), row.text(4), latency)
    };
    session.query(sql, &[report.into()])?.iter().map(row).collect()
}

/// The scores of a state, where they are known: their number, and themselves.
pub(crate) fn scoring_of(
    session: &mut dyn Session,
    project: i64,
    state: &str,
) -> Stored<Option<(i64, String)>> {
    let sql = "SELECT id, scores FROM scoring WHERE project = $1 AND state = $2";
    Ok(session.one(sql, &[project.into(), state.into()])?.map(|row| (row.int(0), row.text(1).to_owned())))
}

fn keep(session: &mut dyn Session, new: New, now: i64, actor: &Actor) -> Stored<StoreOutcome> {
    let project = records::project_or_new(session, &new.project, now)?;
    let sql = "SELECT id, sha256 FROM report WHERE project = $1 AND idempotency = $2";
    if let Some(row) = session.one(sql, &[project.into(), (&new.key).into()])? {
        return Ok(if row.text(1) == new.sha256 {
            StoreOutcome::Known(row.int(0))
        } else {
            StoreOutcome::Other
        });
    }
    for one in &new.placed {
        if let Some((first, why)) = one.contradiction(session, project)? {
            let why = format!("it contradicts report {first} on the ranking of {}: {why}", one.name);
            audit::add(session, (project, now), actor, "contradiction", &why)?;
            return Ok(StoreOutcome::Contradicts(why));
        }
    }
    let mut completed = false;
    for one in &new.placed {
        completed |= one.complete(session, project)?;
    }
    contents::add(session, (project, now), (&new.sha256, new.size), new.gzip, new.difference)?;
    let id = session.next_id("report")?;
    let sql = "INSERT INTO report (id, project, idempotency, benchmark, commit_id, sha256, source, received, verdicts) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let texts = [&new.key, &new.benchmark, &new.commit, &new.sha256, &new.source].map(Into::into);
    let more = [now.into(), to_json(&new.verdicts).into()];
    session.execute(sql, &[&[id.into(), project.into()], &texts[..], &more].concat())?;
    for one in new.placed {
        one.keep(session, (project, id), [&new.benchmark, &new.commit])?;
    }
    let about = trail::report((id, &new.sha256), [&new.benchmark, &new.commit]);
    audit::add(session, (project, now), actor, "push", &about)?;
    if completed {
        records::rewrite(session, project)?;
    } else {
        records::touch(session, project)?;
    }
    Ok(StoreOutcome::New(id))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportQuery {
    benchmark: Option<String>,
    /// Those before this one.
    before: Option<i64>,
    limit: Option<i64>,
}

#[derive(Serialize)]
struct Reports {
    reports: Vec<ReportEntry>,
}

#[derive(Serialize)]
pub(crate) struct ReportEntry {
    pub(crate) report: i64,
    pub(crate) benchmark: String,
    pub(crate) commit: String,
    pub(crate) sha256: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) source: String,
    pub(crate) received: i64,
    /// How many of its gates came to each verdict; left out where its bytes cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gates: Option<Verdicts>,
}

/// Reports, the last first.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(asked): QueryParams<ReportQuery>,
) -> Answer<Response> {
    let reports = blocking(&app, move |app| {
        let project = project(app, &caller, &name)?;
        let (before, limit) = (asked.before.unwrap_or(i64::MAX), asked.limit.unwrap_or(100).clamp(1, 1_000));
        listed(app, project.id, asked.benchmark.as_deref(), before, limit)
    });
    json_of(StatusCode::OK, &Reports { reports: reports.await? })
}

/// Reports of a project, the last first.
pub(crate) fn listed(
    app: &App,
    project: i64,
    benchmark: Option<&str>,
    before: i64,
    limit: i64,
) -> Answer<Vec<ReportEntry>> {
    let only = if benchmark.is_some() { "AND benchmark = $4" } else { "" };
    let sql = format!(
        "SELECT id, benchmark, commit_id, sha256, source, received, verdicts FROM report \
         WHERE project = $1 AND id < $2 {only} ORDER BY id DESC LIMIT $3"
    );
    let mut values = vec![project.into(), before.into(), limit.into()];
    values.extend(benchmark.map(Into::into));
    let listed = app.store.read(|session| {
        let rows = session.query(&sql, &values)?;
        let listed = |row: &Row| {
            Ok(ReportEntry {
                report: row.int(0),
                benchmark: row.text(1).to_owned(),
                commit: row.text(2).to_owned(),
                sha256: row.text(3).to_owned(),
                source: row.text(4).to_owned(),
                received: row.int(5),
                gates: records::verdicts(session, project, row, (6, 3))?,
            })
        };
        rows.iter().map(listed).collect::<Stored<Vec<ReportEntry>>>()
    })?;
    Ok(listed)
}

/// A report as it was sent.
pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    PathParams((name, report)): PathParams<(String, i64)>,
) -> Answer<Response> {
    let own = caller.clone();
    let (project, size) = blocking(&app, move |app| {
        let project = project(app, &own, &name)?;
        Ok::<_, Problem>((project.id, size(app, project.id, &[report])?))
    })
    .await?;
    Ok(json(StatusCode::OK, stored_body(&app, &caller, size, move |app| find(app, project, report)).await?))
}

/// How many bytes reports have, decompressed.
pub(crate) fn size(app: &App, project: i64, reports: &[i64]) -> Answer<usize> {
    let sql = "SELECT size FROM report JOIN blob ON blob.project = report.project AND blob.sha256 = report.sha256 \
               WHERE report.id = $1 AND report.project = $2";
    let sizes = app.store.read(|session| {
        let size = |report: &i64| session.one(sql, &[(*report).into(), project.into()]);
        reports.iter().map(size).collect::<Stored<Vec<_>>>()
    })?;
    // Of one that is not there whoever reads it says so.
    Ok(sizes.iter().flatten().map(|row| usize::try_from(row.int(0)).unwrap_or(0)).sum())
}

/// The bytes of a project's report.
pub(crate) fn find(app: &App, project: i64, report: i64) -> Answer<Vec<u8>> {
    let gzip = app.store.read(|session| {
        let sql = "SELECT sha256 FROM report WHERE id = $1 AND project = $2";
        match session.one(sql, &[report.into(), project.into()])? {
            Some(row) => contents::blob(session, project, row.text(0)),
            None => Ok(None),
        }
    })?;
    let gzip =
        gzip.ok_or_else(|| Problem::missing(format!("there is no report {report} in this project")))?;
    decompressed(&gzip, app.settings.limits.body)
}
