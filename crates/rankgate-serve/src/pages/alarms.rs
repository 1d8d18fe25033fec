//! Alarms, and their acknowledgement with a note.

use std::collections::HashMap;

use axum::extract::{Request, State};
use axum::response::Response;
use rankgate_history::ConfigurationTimeline;
use rankgate_history::report::site::{Block, Cell, Field, Form, Links, Table, page};

use super::forms::{FormData, proof};
use super::{
    Fault, PageResult, Served, Visitor, below, go, hidden, history_query, links_of, project_path, states,
};
use crate::access::Caller;
use crate::api::alarms::{AcknowledgementRequest, acknowledged};
use crate::api::{PathParams, QueryParams, project, trends};
use crate::app::App;
use crate::compute::{computing, computing_read};
use crate::history::{HistoryQuery, notes};
use crate::problem::Answer;
use crate::records::Right;

/// Bytes of a note.
const NOTE: usize = 4_000;

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
    PathParams(name): PathParams<String>,
    QueryParams(asked): QueryParams<HistoryQuery>,
) -> PageResult {
    let served = computing_read(&app, caller.key(), move |app| {
        let told = trends::all(app, &caller, &name, &asked)?;
        let own = project(app, &caller, &name)?;
        let notes = app.store.read(|session| notes(session, own.id))?;
        let frame = below(&caller, &name, "Alarms");
        let mut blocks = vec![Block::States(states(&told.histories))];
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
            let row = |([benchmark, configuration, alarm], note): (&[String; 3], &String)| {
                let note = if note.is_empty() { "without a note" } else { note };
                vec![Cell::from(alarm.as_str()), format!("{benchmark}, {configuration}").into(), note.into()]
            };
            blocks.push(Block::Heading("Acknowledged".to_owned()));
            blocks.push(Block::Table(Table {
                name: "Acknowledged alarms".to_owned(),
                titles: vec!["alarm", "benchmark", "note"],
                right: Vec::new(),
                rows: notes.iter().map(row).collect(),
            }));
        }
        Ok(Served::from(page(&frame, "Losses beyond chance", &blocks)))
    });
    Ok(served.await?)
}

pub(crate) async fn acknowledge(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PathParams((name, id)): PathParams<(String, String)>,
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
        Some("trend") => project_path(&name, &format!("/trend{}", history_query(&asked))),
        _ => project_path(&name, "/alarms"),
    };
    computing(&app, caller.key(), move |app| acknowledged(app, &caller, &name, &id, noted)).await?;
    Ok(go(&back)?)
}
