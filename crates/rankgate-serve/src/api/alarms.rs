//! Alarms, and their acknowledgement: from then on the ranking is what further losses are held against.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use rankgate_history::{Alarm, CommitName, ConfigurationTimeline, Detection, Head, Histories, SourceKind};
use serde::{Deserialize, Serialize};

use super::{PathParams, QueryParams, json_of, object, project, trends};
use crate::access::Caller;
use crate::app::App;
use crate::audit;
use crate::body::receive;
use crate::compute::{computing_body, computing_read};
use crate::history::{HistoryQuery, notes};
use crate::names::checked_text;
use crate::problem::{Answer, Problem};
use crate::records::{self, Right};
use crate::trail;

#[derive(Serialize)]
pub(crate) struct Alarms {
    schema: u32,
    /// Those that stand at the last commit that was measured.
    standing: usize,
    alarms: Vec<AlarmParameters>,
    /// What they were looked for in.
    histories: Vec<LookedAt>,
    /// Whether the commit that was asked for is among the commits that alarms are told of.
    #[serde(skip_serializing_if = "Option::is_none")]
    covers_commit: Option<bool>,
}

/// A history, and how far it reaches.
#[derive(Serialize)]
struct LookedAt {
    benchmark: String,
    configuration: String,
    source: SourceKind,
    /// Commits that were measured.
    commits: usize,
    /// The last of them.
    last: Option<CommitName>,
    /// The newest commit of the branch, measured or not.
    head: Option<Head>,
    /// The commit at which the epoch at hand began, if the ranking changed there as well: a loss at it cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    untold: Option<String>,
    /// Metrics that gates stand on and alarms do not watch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unwatched: Vec<String>,
}

/// What alarms are asked for.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    benchmark: Option<String>,
    configuration: Option<String>,
    branch: Option<String>,
    base: Option<String>,
    /// A commit: whether alarms are told of it is answered.
    commit: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct AlarmParameters {
    pub(crate) benchmark: String,
    pub(crate) configuration: String,
    #[serde(flatten)]
    alarm: What,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Of a ranking, or of rankings that vary.
#[derive(Serialize)]
#[serde(untagged)]
enum What {
    State(Box<Alarm>),
    Varying(Detection),
}

/// All alarms of what is asked for, whether they stand or not.
pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(query): QueryParams<Query>,
) -> Answer<Response> {
    let Query { benchmark, configuration, branch, base, commit } = query;
    let asked = HistoryQuery { benchmark, configuration, branch, base };
    let alarms = computing_read(&app, caller.key(), move |app| {
        let histories = trends::all(app, &caller, &name, &asked)?;
        let covers_commit = commit.map(|commit| {
            let has = |one: &ConfigurationTimeline| {
                one.timeline.commits.iter().any(|entry| entry.commit.commit == commit)
            };
            histories.histories.iter().any(has)
        });
        Ok(Alarms { covers_commit, ..alarms_of_project(app, &caller, &name, histories)? })
    });
    json_of(StatusCode::OK, &alarms.await?)
}

pub(crate) fn alarms(app: &App, caller: &Caller, name: &str, asked: &HistoryQuery) -> Answer<Alarms> {
    alarms_of_project(app, caller, name, trends::all(app, caller, name, asked)?)
}

fn alarms_of_project(app: &App, caller: &Caller, name: &str, histories: Histories) -> Answer<Alarms> {
    let project = project(app, caller, name)?;
    let notes = app.store.read(|session| notes(session, project.id))?;
    let standing = histories.histories.iter().map(|one| one.timeline.standing()).sum();
    let looked_at = |one: &ConfigurationTimeline| LookedAt {
        benchmark: one.benchmark.clone(),
        configuration: one.configuration.clone(),
        source: one.source,
        commits: one.timeline.commits.len(),
        last: one.timeline.commits.last().map(|entry| entry.commit.clone()),
        head: one.head.clone(),
        untold: one.timeline.untold().map(|epoch| epoch.from.clone()),
        unwatched: one.timeline.unwatched.clone(),
    };
    let looked_at = histories.histories.iter().map(looked_at).collect();
    let mut alarms = Vec::new();
    for one in histories.histories {
        let (benchmark, configuration) = (one.benchmark, one.configuration);
        let note = |id: &str| notes.get(&[benchmark.clone(), configuration.clone(), id.to_owned()]).cloned();
        let mut push = |note, alarm| {
            let (benchmark, configuration) = (benchmark.clone(), configuration.clone());
            alarms.push(AlarmParameters { benchmark, configuration, alarm, note });
        };
        for alarm in one.timeline.alarms {
            push(note(&alarm.id), What::State(Box::new(alarm)));
        }
        let detected = one.timeline.varying.into_iter().flat_map(|varying| varying.detected);
        for alarm in detected.filter(|one| one.alarm.is_some()) {
            push(alarm.id.as_deref().and_then(note), What::Varying(alarm));
        }
    }
    Ok(Alarms {
        schema: rankgate_history::SCHEMA,
        standing,
        alarms,
        histories: looked_at,
        covers_commit: None,
    })
}

impl Alarms {
    /// Those that stand at the last commit.
    pub(crate) fn standing_ones(&self) -> impl Iterator<Item = &AlarmParameters> {
        self.alarms.iter().filter(|one| match &one.alarm {
            What::State(alarm) => alarm.open,
            What::Varying(alarm) => alarm.stands(),
        })
    }
}

impl AlarmParameters {
    pub(crate) fn id(&self) -> Option<&str> {
        match &self.alarm {
            What::State(alarm) => Some(&alarm.id),
            What::Varying(alarm) => alarm.id.as_deref(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcknowledgementRequest {
    /// Why it is accepted.
    #[serde(default)]
    pub(crate) note: String,
    /// Where alarms of several benchmarks or configurations have the same id.
    pub(crate) benchmark: Option<String>,
    pub(crate) configuration: Option<String>,
    pub(crate) branch: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct AcknowledgementResult {
    alarm: String,
    benchmark: String,
    configuration: String,
    note: String,
}

/// Acknowledges an alarm.
pub(crate) async fn acknowledge(
    State(app): State<App>,
    caller: Caller,
    PathParams((name, id)): PathParams<(String, String)>,
    request: Request,
) -> Answer<Response> {
    caller.may(&name, Right::Acknowledge)?;
    let body = receive(request, &app, &caller).await?;
    let done = computing_body(&app, caller.key(), body, move |app, body| {
        let body = body.into_decoded()?;
        let body = if body.is_empty() { b"{}".to_vec() } else { body };
        let noted: AcknowledgementRequest = object(&body)?;
        acknowledged(app, &caller, &name, &id, noted)
    });
    json_of(StatusCode::OK, &done.await?)
}

pub(crate) fn acknowledged(
    app: &App,
    caller: &Caller,
    name: &str,
    id: &str,
    noted: AcknowledgementRequest,
) -> Answer<AcknowledgementResult> {
    checked_note(&noted.note)?;
    let asked = HistoryQuery {
        benchmark: noted.benchmark,
        configuration: noted.configuration,
        branch: noted.branch,
        base: None,
    };
    let found = alarms(app, caller, name, &asked)?;
    let own: Vec<&AlarmParameters> = found.alarms.iter().filter(|alarm| alarm.id() == Some(id)).collect();
    let [alarm] = own.as_slice() else {
        return Err(match own.len() {
            0 => Problem::missing(format!("there is no alarm {id} in this project")),
            number => several(number, id),
        });
    };
    let (benchmark, configuration) = (alarm.benchmark.clone(), alarm.configuration.clone());
    let done = AcknowledgementResult { alarm: id.to_owned(), benchmark, configuration, note: noted.note };
    let (project, now, actor) = (project(app, caller, name)?.id, app.now(), caller.actor());
    let texts = [&done.benchmark, &done.configuration, &done.alarm, &done.note].map(Into::into);
    let about = trail::acknowledgement([&done.benchmark, &done.configuration, &done.alarm, &done.note]);
    app.store.write(move |session| {
        let sql = "INSERT INTO acknowledged (project, benchmark, configuration, alarm, note, token, made) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) \
                   ON CONFLICT (project, benchmark, configuration, alarm) DO UPDATE SET note = excluded.note";
        session.execute(sql, &[&[project.into()], &texts[..], &[actor.token.into(), now.into()]].concat())?;
        audit::add(session, (project, now), &actor, trail::ACKNOWLEDGE, &about)?;
        records::touch(session, project)
    })?;
    Ok(done)
}

/// A loss is accepted for a reason, which whoever comes later can read.
fn checked_note(note: &str) -> Answer<()> {
    if note.trim().is_empty() {
        return Err(Problem::at("/note", "there is none: say why the loss is accepted"));
    }
    checked_text("/note", note, 4_000)
}

fn several(number: usize, id: &str) -> Problem {
    let detail = format!("{number} configurations have an alarm {id}: say `benchmark` and `configuration`");
    Problem::new(StatusCode::CONFLICT, detail)
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WithdrawalRequest {
    /// Where alarms of several benchmarks or configurations have the same id.
    pub(crate) benchmark: Option<String>,
    pub(crate) configuration: Option<String>,
}

/// Withdraws the acknowledgement of an alarm: its loss is told as if nobody had accepted it.
pub(crate) async fn withdraw(
    State(app): State<App>,
    caller: Caller,
    PathParams((name, id)): PathParams<(String, String)>,
    request: Request,
) -> Answer<Response> {
    caller.may(&name, Right::Acknowledge)?;
    let body = receive(request, &app, &caller).await?;
    let done = computing_body(&app, caller.key(), body, move |app, body| {
        let body = body.into_decoded()?;
        let asked = if body.is_empty() { WithdrawalRequest::default() } else { object(&body)? };
        withdrawn(app, &caller, &name, &id, &asked)
    });
    json_of(StatusCode::OK, &done.await?)
}

pub(crate) fn withdrawn(
    app: &App,
    caller: &Caller,
    name: &str,
    id: &str,
    asked: &WithdrawalRequest,
) -> Answer<AcknowledgementResult> {
    let project = project(app, caller, name)?.id;
    let (now, actor, id, name) = (app.now(), caller.actor(), id.to_owned(), name.to_owned());
    let takes = |asked: &Option<String>, own: &String| asked.as_ref().is_none_or(|asked| asked == own);
    // What is acknowledged is looked for there: its alarm may be of a branch that is gone.
    let all = app.store.read(|session| records::acknowledged(session, project))?;
    let mut own = all.into_iter().filter(|[benchmark, configuration, alarm, _]| {
        *alarm == id && takes(&asked.benchmark, benchmark) && takes(&asked.configuration, configuration)
    });
    let Some([benchmark, configuration, alarm, note]) = own.next() else {
        return Err(Problem::missing(format!("no acknowledged alarm {id} is in the project {name}")));
    };
    if let more @ 1.. = own.count() {
        return Err(several(more + 1, &id));
    }
    let about = trail::withdrawal([&benchmark, &configuration, &alarm]);
    let texts = [&benchmark, &configuration, &alarm].map(Into::into);
    app.store.write(move |session| {
        let sql = "DELETE FROM acknowledged WHERE project = $1 AND benchmark = $2 AND configuration = $3 AND alarm = $4";
        session.execute(sql, &[&[project.into()], &texts[..]].concat())?;
        audit::add(session, (project, now), &actor, trail::WITHDRAW, &about)?;
        records::touch(session, project)
    })?;
    Ok(AcknowledgementResult { alarm, benchmark, configuration, note })
}

/// What is done of the body without a store.
#[cfg(any(fuzzing, test))]
pub(crate) fn read(body: &[u8]) -> Answer<()> {
    checked_note(&object::<AcknowledgementRequest>(body)?.note)
}
