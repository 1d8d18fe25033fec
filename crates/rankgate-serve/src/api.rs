//! Handlers of the JSON interface.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use rankgate_history::{Timeline, read_report};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json_, json};

use crate::app::App;
use crate::evaluate::{Compared, Evaluated, compare_all, evaluate as score};
use crate::log::micros;
use crate::problem::{Answer, Problem, from_json};
use crate::store::{NewReport, Summary};
use crate::token::{Caller, new_id};
use crate::trend::{Line, trend};

/// Characters of a name, and of a commit's description.
const NAME: usize = 200;
const TEXT: usize = 500;
/// Reports of a list, at most.
const LIST: i64 = 1_000;

pub(crate) type Shared = State<Arc<App>>;

pub(crate) async fn health() -> Json<Json_> {
    Json(json!({"status": "ok"}))
}

pub(crate) async fn ready(State(app): Shared) -> Answer<Json<Json_>> {
    app.store.ready().await?;
    Ok(Json(json!({"status": "ready"})))
}

pub(crate) async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], include_str!("openapi.json"))
}

/// OpenMetrics.
pub(crate) async fn metrics(State(app): Shared) -> impl IntoResponse {
    let counts = &app.counts;
    let mut text = String::from("# TYPE rankgate_requests counter\n");
    for (class, count) in counts.requests.iter().enumerate().skip(2) {
        // Writing to a String cannot fail.
        let count = count.load(Ordering::Relaxed);
        let _ = writeln!(text, "rankgate_requests_total{{status=\"{class}xx\"}} {count}");
    }
    let seconds = counts.micros.load(Ordering::Relaxed) as f64 / 1e6;
    let (reports, evaluations) =
        (counts.reports.load(Ordering::Relaxed), counts.evaluations.load(Ordering::Relaxed));
    let _ = write!(
        text,
        "# TYPE rankgate_request_seconds counter\nrankgate_request_seconds_total {seconds}\n\
         # TYPE rankgate_reports counter\nrankgate_reports_total {reports}\n\
         # TYPE rankgate_evaluations counter\nrankgate_evaluations_total {evaluations}\n# EOF\n"
    );
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
}

pub(crate) async fn evaluate(State(app): Shared, body: Bytes) -> Answer<Json<Evaluated>> {
    app.counts.evaluations.fetch_add(1, Ordering::Relaxed);
    app.compute(move || score(&body)).await.map(Json)
}

pub(crate) async fn compare(State(app): Shared, body: Bytes) -> Answer<Json<Compared>> {
    app.counts.evaluations.fetch_add(1, Ordering::Relaxed);
    app.compute(move || compare_all(&body)).await.map(Json)
}

/// Where a report belongs, and what it does not contain of its commit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    project: String,
    branch: Option<String>,
    /// Seconds since 1970.
    time: Option<i64>,
    #[serde(default)]
    subject: String,
    #[serde(default)]
    author: String,
    #[serde(default)]
    release: String,
}

pub(crate) async fn push(
    State(app): Shared,
    Query(place): Query<Place>,
    body: Bytes,
) -> Answer<(StatusCode, Json<Summary>)> {
    let report = app.compute(move || new_report(place, &body)).await?;
    let summary = report.summary.clone();
    app.store.insert(report).await?;
    app.counts.reports.fetch_add(1, Ordering::Relaxed);
    Ok((StatusCode::CREATED, Json(summary)))
}

fn new_report(place: Place, body: &[u8]) -> Answer<NewReport> {
    let Place { project, branch, time, subject, author, release } = place;
    let unusable = |detail: String| Problem::at("", detail);
    let report =
        std::str::from_utf8(body).map_err(|error| unusable(format!("This is not UTF-8: {error}")))?;
    let read = read_report(body).map_err(|error| unusable(error.to_string()))?;
    let received = micros();
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let short = |text: String| text.replace('\0', " ").chars().take(TEXT).collect::<String>();
    let summary = Summary {
        id: new_id().map_err(|error| Problem::fault(&error))?,
        project: name("project", project)?,
        benchmark: name("benchmark", read.benchmark)?,
        branch: name("branch", branch.unwrap_or_else(main))?,
        commit: name("commit", read.commit)?,
        time: time.unwrap_or(received / 1_000_000),
        received,
        subject: short(subject),
        author: short(author),
        release: short(release),
        verdicts: read.verdicts.into_iter().map(|(verdict, number)| (verdict, count(number))).collect(),
    };
    let measurements = serde_json::to_string(&read.measurements).map_err(|error| Problem::fault(&error))?;
    Ok(NewReport { summary, measurements, report: report.to_owned() })
}

pub(crate) fn main() -> String {
    "main".to_owned()
}

fn name(what: &str, name: String) -> Answer<String> {
    match name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
        true => Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("The name of the {what} must have 1 to {NAME} characters, and no control characters."),
        )),
        false => Ok(name),
    }
}

pub(crate) async fn report(State(app): Shared, Path(id): Path<String>) -> Answer<impl IntoResponse> {
    let (_, report) = app.store.report(&id).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], report))
}

pub(crate) async fn projects(State(app): Shared) -> Answer<Json<Json_>> {
    let mut projects: BTreeMap<String, Vec<Json_>> = BTreeMap::new();
    for (project, benchmark, reports) in app.store.benchmarks().await? {
        let one = json!({"benchmark": benchmark, "reports": reports});
        projects.entry(project).or_default().push(one);
    }
    let projects: Vec<Json_> = projects
        .into_iter()
        .map(|(project, benchmarks)| json!({"project": project, "benchmarks": benchmarks}))
        .collect();
    Ok(Json(json!({"projects": projects})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    benchmark: Option<String>,
    branch: Option<String>,
    limit: Option<i64>,
    offset: Option<i64>,
}

pub(crate) async fn reports(
    State(app): Shared,
    Path(project): Path<String>,
    Query(list): Query<List>,
) -> Answer<Json<Json_>> {
    let limit = (list.limit.unwrap_or(100).clamp(1, LIST), list.offset.unwrap_or(0).max(0));
    let of = (project.as_str(), list.benchmark.as_deref(), list.branch.as_deref());
    let reports = app.store.reports(of, limit).await?;
    Ok(Json(json!({"reports": reports})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Of {
    benchmark: String,
    branch: Option<String>,
}

impl Of {
    fn line(self, project: String) -> Line {
        (project, self.benchmark, self.branch.unwrap_or_else(main))
    }
}

/// A history of a benchmark.
#[derive(Serialize)]
struct Histories<'a> {
    histories: &'a [Timeline],
}

pub(crate) async fn trends(
    State(app): Shared,
    Path(project): Path<String>,
    Query(of): Query<Of>,
) -> Answer<impl IntoResponse> {
    let told = trend(&app, of.line(project)).await?;
    let text =
        serde_json::to_string(&Histories { histories: &told }).map_err(|error| Problem::fault(&error))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text))
}

/// Open alarms.
pub(crate) async fn alarms(
    State(app): Shared,
    Path(project): Path<String>,
    Query(of): Query<Of>,
) -> Answer<Json<Json_>> {
    let told = trend(&app, of.line(project)).await?;
    let mut alarms = Vec::new();
    for one in told.iter() {
        for alarm in one.open() {
            let mut json = serde_json::to_value(alarm).map_err(|error| Problem::fault(&error))?;
            json["configuration"] = one.configuration.clone().into();
            json["text"] = alarm.sentence().into();
            alarms.push(json);
        }
    }
    Ok(Json(json!({"alarms": alarms})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Acknowledgement {
    benchmark: String,
    alarm: String,
    note: String,
}

pub(crate) async fn acknowledge(
    State(app): Shared,
    Path(project): Path<String>,
    axum::Extension(caller): axum::Extension<Caller>,
    body: Bytes,
) -> Answer<StatusCode> {
    let Acknowledgement { benchmark, alarm, note } = from_json(&body)?;
    keep(&app, (&project, &benchmark, &alarm), &note, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Keeps an acknowledgement, which needs a note.
pub(crate) async fn keep(
    app: &App,
    (project, benchmark, alarm): (&str, &str, &str),
    note: &str,
    caller: &Caller,
) -> Answer<()> {
    let note: String = note.trim().replace('\0', " ").chars().take(TEXT).collect();
    if note.is_empty() {
        return Err(Problem::at("/note", "An acknowledgement needs a note: why is this loss acceptable?"));
    }
    name("alarm", alarm.to_owned())?;
    app.store.acknowledge((project, benchmark, alarm), (&note, &caller.name)).await
}
