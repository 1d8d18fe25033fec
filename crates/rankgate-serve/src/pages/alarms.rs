//! Alarms, and their acknowledgement with a note.

use std::collections::{BTreeMap, HashMap};

use axum::extract::{Request, State};
use axum::response::Response;
use rankgate::service::in_address;
use rankgate_history::report::site::{Block, Cell, Field, Form, Links, Table, page};
use rankgate_history::{ConfigurationTimeline, Histories};
use serde::Deserialize;

use super::forms::{FormData, proof};
use super::{
    Fault, PagePath, PageQuery, PageResult, Served, Visitor, below, go, hidden, history_query, links_of,
    project_path, query, states,
};
use crate::access::Caller;
use crate::api::alarms::{AcknowledgementRequest, WithdrawalRequest, acknowledged, withdrawn};
use crate::api::{project, trends};
use crate::app::App;
use crate::compute::{computing, computing_read};
use crate::history::{HistoryQuery, notes};
use crate::problem::Answer;
use crate::records::Right;

/// Bytes of a note, and characters of it that are said again.
const NOTE: usize = 4_000;
const SAID: usize = 200;

/// What alarms are shown, and which of them somebody just did something with.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlarmsQuery {
    benchmark: Option<String>,
    configuration: Option<String>,
    branch: Option<String>,
    base: Option<String>,
    done: Option<String>,
}

/// Makes the form that acknowledges an alarm of a configuration, for those who may.
pub(super) fn form<'a>(
    caller: &'a Caller,
    project: &'a str,
    told: &'a ConfigurationTimeline,
    asked: &'a HistoryQuery,
    back: &'a str,
) -> impl Fn(&str) -> Option<Form> + use<'a> {
    move |id| {
        caller.may(project, Right::Acknowledge).ok()?;
        let mut fields = vec![
            proof(Some(caller)),
            Field::Hidden("benchmark", told.benchmark.clone()),
            Field::Hidden("configuration", told.configuration.clone()),
            Field::Hidden("back", back.to_owned()),
        ];
        fields.extend(hidden("branch", asked.branch.as_deref()));
        let label = format!("Note: why {id} is accepted");
        fields.push(Field::Lines("note", label, NOTE));
        let action = project_path(project, &format!("/alarms/{id}/acknowledge"));
        Some(Form { action, post: true, fields, button: "Acknowledge".to_owned() })
    }
}

pub(crate) async fn get(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath(name): PagePath<String>,
    PageQuery(query): PageQuery<AlarmsQuery>,
) -> PageResult {
    let AlarmsQuery { benchmark, configuration, branch, base, done: just_done } = query;
    let asked = HistoryQuery { benchmark, configuration, branch, base };
    let served = computing_read(&app, caller.key(), move |app| {
        let told = trends::all(app, &caller, &name, &asked)?;
        let own = project(app, &caller, &name)?;
        let notes = app.store.read(|session| notes(session, own.id))?;
        let frame = below(&caller, &name, "Alarms");
        let mut blocks = Vec::from_iter(just_done.and_then(|id| done(&id, &told, &notes)));
        blocks.push(Block::States(states(&told.histories)));
        let forms: Vec<_> =
            told.histories.iter().map(|one| form(&caller, &name, one, &asked, "alarms")).collect();
        let with_any =
            |one: &ConfigurationTimeline| !one.timeline.alarms.is_empty() || one.timeline.varying.is_some();
        let links = told.histories.iter().map(|one| links_of(app, (&name, own.id), one));
        let links = links.collect::<Answer<Vec<_>>>()?;
        let link =
            |links: &HashMap<String, Links>, commit: &str| links.get(commit).cloned().unwrap_or_default();
        let links: Vec<_> = links.iter().map(|links| move |commit: &str| link(links, commit)).collect();
        let all = told.histories.iter().zip(&forms).zip(&links);
        for ((one, form), links) in all.filter(|((one, _), _)| with_any(one)) {
            blocks.push(Block::Heading(format!("{}, {}", one.benchmark, one.configuration)));
            blocks.push(Block::Alarms(one, form, links));
        }
        if !notes.is_empty() {
            blocks.push(Block::Heading("Acknowledged".to_owned()));
            blocks.push(Block::Table(accepted(&caller, &name, &notes)));
        }
        Ok(Served::from(page(&frame, "Losses beyond chance", &blocks)))
    });
    Ok(served.await?)
}

/// What was accepted, why, and a button to take that back for those who may.
fn accepted(caller: &Caller, project: &str, notes: &BTreeMap<[String; 3], String>) -> Table {
    let may = caller.may(project, Right::Acknowledge).is_ok();
    let row = |([benchmark, configuration, alarm], note): (&[String; 3], &String)| {
        let note = if note.is_empty() { "without a note" } else { note };
        let mut row =
            vec![Cell::from(alarm.as_str()), format!("{benchmark}, {configuration}").into(), note.into()];
        if may {
            let fields = vec![
                proof(Some(caller)),
                Field::Hidden("benchmark", benchmark.clone()),
                Field::Hidden("configuration", configuration.clone()),
            ];
            let action = project_path(project, &format!("/alarms/{alarm}/withdraw"));
            let button = format!("Withdraw {alarm}");
            row.push(Cell { form: Some(Form { action, post: true, fields, button }), ..Cell::default() });
        }
        row
    };
    let mut titles = vec!["alarm", "benchmark", "note"];
    if may {
        titles.push("acknowledgement");
    }
    let name = "Acknowledged alarms".to_owned();
    Table { name, titles, right: Vec::new(), rows: notes.iter().map(row).collect() }
}

/// What became of an alarm by what somebody just did.
pub(super) fn done<'a>(
    id: &str,
    told: &Histories,
    notes: &BTreeMap<[String; 3], String>,
) -> Option<Block<'a>> {
    let own = notes.iter().find(|([_, _, alarm], _)| alarm == id);
    if let Some(([benchmark, configuration, _], note)) = own {
        let note: String = note.chars().take(SAID).collect();
        return Some(Block::Done(format!(
            "Alarm {id} of {benchmark}, {configuration} is acknowledged: {note}"
        )));
    }
    let is_own = |one: &ConfigurationTimeline| {
        let detected = one.timeline.varying.iter().flat_map(|varying| &varying.detected);
        one.timeline.alarms.iter().any(|alarm| alarm.id == id && alarm.open)
            || detected.filter(|one| one.stands()).any(|one| one.id.as_deref() == Some(id))
    };
    let one = told.histories.iter().find(|one| is_own(one))?;
    let of = format!("{}, {}", one.benchmark, one.configuration);
    Some(Block::Done(format!("Alarm {id} of {of} is not acknowledged: it stands.")))
}

/// Takes an acknowledgement back.
pub(crate) async fn withdraw(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath((name, id)): PagePath<(String, String)>,
    request: Request,
) -> Result<Response, Fault> {
    caller.may(&name, Right::Acknowledge)?;
    let sent = FormData::receive(request, &app, Some(&caller)).await?;
    let asked = WithdrawalRequest {
        benchmark: sent.get_nonempty("benchmark"),
        configuration: sent.get_nonempty("configuration"),
    };
    let back = project_path(&name, &format!("/alarms{}", query(&[("done", Some(&id))])));
    computing(&app, caller.key(), move |app| withdrawn(app, &caller, &name, &id, &asked)).await?;
    Ok(go(&back)?)
}

pub(crate) async fn acknowledge(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath((name, id)): PagePath<(String, String)>,
    request: Request,
) -> Result<Response, Fault> {
    caller.may(&name, Right::Acknowledge)?;
    let sent = FormData::receive(request, &app, Some(&caller)).await?;
    let asked = HistoryQuery {
        benchmark: sent.get_nonempty("benchmark"),
        configuration: sent.get_nonempty("configuration"),
        branch: sent.get_nonempty("branch"),
        base: None,
    };
    let noted = AcknowledgementRequest {
        note: sent.get("note").unwrap_or_default().replace("\r\n", "\n"),
        benchmark: asked.benchmark.clone(),
        configuration: asked.configuration.clone(),
        branch: asked.branch.clone(),
    };
    // Back to where the form was.
    let back = match sent.get("back") {
        Some("trend") => {
            let address = history_query(&asked);
            let mark = if address.is_empty() { '?' } else { '&' };
            project_path(&name, &format!("/trend{address}{mark}done={}", in_address(&id)))
        }
        _ => project_path(&name, &format!("/alarms{}", query(&[("done", Some(&id))]))),
    };
    computing(&app, caller.key(), move |app| acknowledged(app, &caller, &name, &id, noted)).await?;
    Ok(go(&back)?)
}
