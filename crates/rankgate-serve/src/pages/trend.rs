//! What became of a benchmark: its trend, alarms with suspects, references, commits.

use std::collections::{BTreeMap, HashMap};

use axum::extract::State;
use rankgate::retriever::Latency;
use rankgate_history::report::site::{Block, Cell, Field, Form, Links, Table, page};
use rankgate_history::{ConfigurationTimeline, Entry};

use super::projects::branches;
use super::{PageResult, Served, Visitor, alarms, below, hidden, links_of, project_path, short, states};
use crate::api::{PathParams, QueryParams, project, trends};
use crate::app::App;
use crate::compute::computing_read;
use crate::history::{HistoryQuery, latencies};
use crate::problem::Answer;

/// Commits whose answer times are shown.
const COMMITS: usize = 20;

pub(crate) async fn get(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PathParams(name): PathParams<String>,
    QueryParams(asked): QueryParams<HistoryQuery>,
) -> PageResult {
    let served = computing_read(&app, caller.key(), move |app| {
        let told = trends::all(app, &caller, &name, &asked)?;
        let own = project(app, &caller, &name)?;
        let branches = branches(app, &caller, &name)?;
        let title = match (&asked.benchmark, &asked.configuration) {
            (Some(benchmark), Some(configuration)) => format!("{benchmark}, {configuration}"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => "Trends".to_owned(),
        };
        let frame = below(&caller, &name, &title);
        let forms: Vec<_> =
            told.histories.iter().map(|one| alarms::form(&caller, &name, one, &asked, "trend")).collect();
        let mut blocks = Vec::new();
        let links = told.histories.iter().map(|one| links_of(app, (&name, own.id), one));
        let links = links.collect::<Answer<Vec<_>>>()?;
        let link =
            |links: &HashMap<String, Links>, commit: &str| links.get(commit).cloned().unwrap_or_default();
        let of_commits: Vec<_> = links.iter().map(|links| move |commit: &str| link(links, commit)).collect();
        if !told.histories.is_empty() {
            blocks.push(Block::States(states(&told.histories)));
        }
        for (place, (one, form)) in told.histories.iter().zip(&forms).enumerate() {
            if told.histories.len() > 1 {
                blocks.push(Block::Heading(format!("{}, {}", one.benchmark, one.configuration)));
            }
            blocks.push(Block::History(one, form, &of_commits[place]));
            let of = (one.benchmark.as_str(), one.configuration.as_str());
            let times = app.store.read(|session| latencies(session, own.id, of))?;
            blocks.extend(table_of(one, &times, &links[place]));
        }
        for refused in &told.refused {
            blocks.push(Block::Text(format!("Not placed: {}: {}", refused.what, refused.why)));
        }
        if blocks.is_empty() {
            blocks.push(Block::Text("Nothing was measured on this branch.".to_owned()));
        }
        if branches.len() > 1 {
            let own = asked.branch.clone().unwrap_or_default();
            let usual = ("main", "master");
            let chosen = if own.is_empty() {
                [usual.0, usual.1].into_iter().find(|name| branches.iter().any(|one| one == name))
            } else {
                Some(own.as_str())
            };
            let chosen = chosen.unwrap_or(&branches[0]).to_owned();
            let options = branches.into_iter().map(|name| (name.clone(), name)).collect();
            let kept = [("benchmark", &asked.benchmark), ("configuration", &asked.configuration)];
            let mut fields: Vec<Field> =
                kept.into_iter().filter_map(|(name, value)| hidden(name, value.as_deref())).collect();
            fields.push(Field::Choice("branch", "Branch".to_owned(), options, chosen));
            let action = project_path(&name, "/trend");
            blocks.push(Block::Form(Form { action, post: false, fields, button: "Show".to_owned() }));
        }
        Ok(Served::from(page(&frame, "Quality over commits", &blocks)))
    });
    Ok(served.await?)
}

/// How long answers took at the last commits that were measured live.
fn table_of<'a>(
    told: &ConfigurationTimeline,
    times: &BTreeMap<String, Latency>,
    links: &HashMap<String, Links>,
) -> Vec<Block<'a>> {
    let row = |entry: &Entry| {
        let latency = times.get(&entry.commit.commit)?;
        let shown = |ms: f64| Cell::from(format!("{ms:.2}"));
        let cells = [shown(latency.p50), shown(latency.p95), shown(latency.max)];
        let to = links.get(&entry.commit.commit).and_then(|links| links.report.clone());
        let text = format!("{} {}", short(&entry.commit.commit), entry.commit.subject);
        Some(std::iter::once(Cell { text, to, state: None }).chain(cells).collect())
    };
    let rows: Vec<Vec<Cell>> = told.timeline.commits.iter().rev().filter_map(row).take(COMMITS).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Heading("Answer times".to_owned()),
        Block::Table(Table {
            name: "Answer times in milliseconds".to_owned(),
            titles: vec!["commit", "half within, ms", "95% within, ms", "slowest, ms"],
            right: vec![1, 2, 3],
            rows,
        }),
        Block::Text(
            "As each run of CI saw them, on whatever machine that was: they are shown, and never an alarm. Of several \
             reports of a commit the fastest."
                .to_owned(),
        ),
    ]
}
