//! All projects, and one of them: its benchmarks, what stands, its reports.

use axum::extract::State;
use rankgate::benchmark::model::Verdict;
use rankgate::report::verdict_counts;
use rankgate_history::report::site::{Block, Cell, Field, Form, Frame, Table, day, page};
use rankgate_history::{ConfigurationTimeline, Histories};
use serde::Deserialize;

use super::{
    PagePath, PageQuery, PageResult, Served, Visitor, home, leave, project_path, query, short, source,
    states, titled,
};
use crate::access::Caller;
use crate::api::labels;
use crate::api::reports::{ReportEntry, listed};
use crate::api::{project, trends};
use crate::app::App;
use crate::compute::computing_read;
use crate::history::HistoryQuery;
use crate::problem::Answer;
use crate::records::{self, Right};

/// Reports on a page.
const REPORTS: usize = 30;

pub(crate) async fn all(State(app): State<App>, Visitor(caller): Visitor) -> PageResult {
    let served = computing_read(&app, caller.key(), move |app| {
        let mut table = Table {
            name: "Projects".to_owned(),
            titles: vec!["project", "state", "benchmarks", "last report"],
            right: vec![2],
            rows: Vec::new(),
        };
        let names = app.store.read(records::projects)?;
        for name in names.into_iter().filter(|name| caller.may(name, Right::Read).is_ok()) {
            // One that cannot be told does not hide the others.
            let state =
                trends::all(app, &caller, &name, &HistoryQuery::default()).map(|told| standing(&told));
            let own = project(app, &caller, &name)?;
            let last = listed(app, own.id, None, i64::MAX, 1)?;
            let last = last.first().map_or(String::from("none yet"), |one| day(one.received));
            let (state, benchmarks) = match state {
                Ok((state, benchmarks)) => (state, benchmarks.to_string()),
                Err(problem) => (Cell::from(problem.detail()), String::new()),
            };
            table.rows.push(vec![
                Cell::link(&name, project_path(&name, "")),
                state,
                benchmarks.into(),
                last.into(),
            ]);
        }
        let frame = Frame { leave: leave(&caller), ..titled("Projects") };
        let block = if table.rows.is_empty() {
            Block::Text(
                "There is no project yet. `rankgate push --to ADDRESS --project NAME` after `cargo test` or `rankgate run` \
                 makes the first."
                    .to_owned(),
            )
        } else {
            Block::Table(table)
        };
        Ok(Served::from(page(&frame, "Retrieval quality", &[block])))
    });
    Ok(served.await?)
}

/// Whether alarms stand, and how many benchmarks there are.
fn standing(told: &Histories) -> (Cell, usize) {
    let mut names: Vec<&String> = told.histories.iter().map(|one| &one.benchmark).collect();
    names.dedup();
    (state(&told.histories), names.len())
}

/// What stands of histories, or of their newest commits, that somebody has to look at; else that no alarm does.
fn state(told: &[ConfigurationTimeline]) -> Cell {
    let states = states(told);
    let first = states.first().map_or(Verdict::Passed, |(verdict, _)| *verdict);
    let worst = states.iter().map(|(verdict, _)| *verdict).find(|verdict| !verdict.is_ok()).unwrap_or(first);
    let words: Vec<&str> = states.iter().map(|(_, words)| words.as_str()).collect();
    Cell::verdict(worst, words.join("; "))
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportsQuery {
    /// Reports before this one.
    before: Option<i64>,
}

pub(crate) async fn one(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath(name): PagePath<String>,
    PageQuery(asked): PageQuery<ReportsQuery>,
) -> PageResult {
    let served = computing_read(&app, caller.key(), move |app| {
        let own = project(app, &caller, &name)?;
        let told = trends::all(app, &caller, &name, &HistoryQuery::default())?;
        let reports = listed(app, own.id, None, asked.before.unwrap_or(i64::MAX), REPORTS as i64 + 1)?;
        let frame = Frame { above: home(), leave: leave(&caller), ..titled(&name) };
        let mut blocks = vec![Block::States(states(&told.histories))];
        if !told.histories.is_empty() {
            blocks.push(Block::Heading("Benchmarks".to_owned()));
            blocks.push(Block::Table(benchmarks(&name, &told.histories)));
            blocks.push(Block::Table(ways(&name)));
        }
        let lists = app.store.read(|session| labels::names(session, own.id))?;
        if !lists.is_empty() {
            blocks.push(Block::Heading("Documents to grade".to_owned()));
            let row = |list: &String| vec![Cell::link(list, project_path(&name, &format!("/labels/{list}")))];
            let rows = lists.iter().map(row).collect();
            let name = "Documents to grade".to_owned();
            blocks.push(Block::Table(Table { name, titles: vec!["list"], right: Vec::new(), rows }));
        }
        blocks.extend(of_reports(&name, &reports));
        Ok(Served::from(page(&frame, "Project", &blocks)))
    });
    Ok(served.await?)
}

fn benchmarks(project: &str, told: &[ConfigurationTimeline]) -> Table {
    let row = |one: &ConfigurationTimeline| {
        let timeline = &one.timeline;
        let metric = timeline.gated.first().or(timeline.metrics.first());
        let value = |at: Option<usize>| {
            let state = timeline.states.get(at?.checked_sub(1)?)?;
            Some(state.values.iter().find(|value| Some(&value.metric) == metric)?.mean)
        };
        let now = value(timeline.commits.last().map(|entry| entry.state));
        let address =
            query(&[("benchmark", Some(&one.benchmark)), ("configuration", Some(&one.configuration))]);
        vec![
            Cell::link(
                format!("{}, {}", one.benchmark, one.configuration),
                project_path(project, &format!("/trend{address}")),
            ),
            state(std::slice::from_ref(one)),
            metric.map_or("", String::as_str).into(),
            now.map_or(String::new(), |now| format!("{now:.4}")).into(),
            timeline.states.len().to_string().into(),
            timeline.commits.len().to_string().into(),
            timeline.commits.last().map_or(String::new(), |entry| day(entry.commit.time)).into(),
        ]
    };
    Table {
        name: "Benchmarks".to_owned(),
        titles: vec!["benchmark", "state", "metric", "now", "rankings", "commits", "last commit"],
        right: vec![3, 4, 5],
        rows: told.iter().map(row).collect(),
    }
}

/// Further pages of a project.
fn ways(project: &str) -> Table {
    Table {
        name: "Further pages".to_owned(),
        titles: vec!["page", "what it shows"],
        right: Vec::new(),
        rows: vec![
            vec![
                Cell::link("Alarms", project_path(project, "/alarms")),
                "all of them, to acknowledge with a note".into(),
            ],
            vec![
                Cell::link("Trends", project_path(project, "/trend")),
                "of all benchmarks on one page".into(),
            ],
        ],
    }
}

/// The newest of them, and a form that holds two against each other.
fn of_reports<'a>(project: &str, reports: &[ReportEntry]) -> Vec<Block<'a>> {
    if reports.is_empty() {
        return vec![Block::Text("There is no report yet.".to_owned())];
    }
    let shown = &reports[..reports.len().min(REPORTS)];
    let row = |one: &ReportEntry| {
        let gates = one.gates.unwrap_or_default();
        let counts = verdict_counts(&gates);
        vec![
            Cell::link(
                format!("Report {}", one.report),
                project_path(project, &format!("/reports/{}", one.report)),
            ),
            gates.worst().map_or(Cell::from("no gate was decided"), |worst| Cell::verdict(worst, counts)),
            one.benchmark.as_str().into(),
            short(&one.commit).into(),
            day(one.received).into(),
            source(&one.source),
        ]
    };
    let mut blocks = vec![Block::Heading("Reports".to_owned())];
    if let [newest, older @ ..] = shown
        && let Some(before) = older.iter().find(|one| one.benchmark == newest.benchmark).or(older.first())
    {
        let options: Vec<(String, String)> = shown
            .iter()
            .map(|one| {
                let text = format!("{}: {} at {}", one.report, one.benchmark, short(&one.commit));
                (one.report.to_string(), text)
            })
            .collect();
        // In the order in which the page's title says them.
        blocks.push(Block::Form(Form {
            action: project_path(project, "/compare"),
            post: false,
            fields: vec![
                Field::Choice("b", "Hold report".to_owned(), options.clone(), newest.report.to_string()),
                Field::Choice("a", "against report".to_owned(), options, before.report.to_string()),
            ],
            button: "Compare".to_owned(),
        }));
    }
    blocks.push(Block::Table(Table {
        name: "Reports".to_owned(),
        titles: vec!["report", "gates", "benchmark", "commit", "received", "from"],
        right: Vec::new(),
        rows: shown.iter().map(row).collect(),
    }));
    if let Some(last) = shown.last().filter(|_| reports.len() > REPORTS) {
        blocks.push(Block::Table(Table {
            name: "Older reports".to_owned(),
            titles: vec!["more"],
            right: Vec::new(),
            rows: vec![vec![Cell::link(
                "Older reports",
                project_path(project, &format!("?before={}", last.report)),
            )]],
        }));
    }
    blocks
}

/// The branches of a project.
pub(super) fn branches(app: &App, caller: &Caller, name: &str) -> Answer<Vec<String>> {
    let own = project(app, caller, name)?;
    app.cache.branches(&app.store, own.id)
}
