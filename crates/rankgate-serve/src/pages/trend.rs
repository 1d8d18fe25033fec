//! What became of a benchmark: its trend, alarms with suspects, references, commits.

use std::collections::{BTreeMap, HashMap};

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use rankgate::retriever::Latency;
use rankgate_history::report::site::{Block, Cell, Field, Form, Links, Table, View, page};
use rankgate_history::{ConfigurationTimeline, Entry};
use serde::Deserialize;

use super::projects::branches;
use super::{
    Fault, PagePath, PageQuery, PageResult, Served, Visitor, alarms, below, hidden, links_of, project_path,
    short, states,
};
use crate::api::{project, trends};
use crate::app::App;
use crate::compute::computing_read;
use crate::history::{HistoryQuery, latencies, notes};
use crate::problem::{Answer, Problem};

/// Commits whose answer times are shown.
const COMMITS: usize = 20;

pub(crate) async fn get(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath(name): PagePath<String>,
    PageQuery(query): PageQuery<TrendQuery>,
) -> PageResult {
    let TrendQuery { benchmark, configuration, branch, base, days, done } = query;
    let asked = HistoryQuery { benchmark, configuration, branch, base };
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
        let view = View { days, commit_url: app.commit_url(&name) };
        let mut blocks = Vec::new();
        if let Some(id) = done {
            let notes = app.store.read(|session| notes(session, own.id))?;
            blocks.extend(alarms::done(&id, &told, &notes));
        }
        let links = told.histories.iter().map(|one| links_of(app, (&name, own.id), one));
        let links = links.collect::<Answer<Vec<_>>>()?;
        let link =
            |links: &HashMap<String, Links>, commit: &str| links.get(commit).cloned().unwrap_or_default();
        let of_commits: Vec<_> = links.iter().map(|links| move |commit: &str| link(links, commit)).collect();
        if !told.histories.is_empty() {
            blocks.push(Block::States(states(&told.histories)));
            blocks.push(Block::Form(window(&name, &asked, days)));
        }
        if told.histories.len() > 1 {
            blocks.push(Block::Configurations(&told.histories, &view));
        }
        for (place, (one, form)) in told.histories.iter().zip(&forms).enumerate() {
            blocks.push(Block::Heading(match told.histories.len() {
                1 => "Trend".to_owned(),
                _ => format!("{}, {}", one.benchmark, one.configuration),
            }));
            blocks.push(Block::History(one, &view, form, &of_commits[place]));
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
            let mut fields = subject(&asked);
            fields.push(Field::Choice("branch", "Branch".to_owned(), options, chosen));
            let action = project_path(&name, "/trend");
            blocks.push(Block::Form(Form { action, post: false, fields, button: "Show".to_owned() }));
        }
        Ok(Served::from(page(&frame, "Quality over commits", &blocks)))
    });
    Ok(served.await?)
}

/// What of histories is shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrendQuery {
    benchmark: Option<String>,
    configuration: Option<String>,
    branch: Option<String>,
    base: Option<String>,
    /// Plots begin so many days before the last commit.
    days: Option<u32>,
    /// The alarm that somebody just did something with.
    done: Option<String>,
}

/// The form that chooses how much of the line plots show.
fn window(project: &str, asked: &HistoryQuery, days: Option<u32>) -> Form {
    let mut fields = subject(asked);
    fields.extend(hidden("branch", asked.branch.as_deref()));
    fields.extend(hidden("base", asked.base.as_deref()));
    let named = [("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("36500", "all")];
    let chosen = days.map_or("36500".to_owned(), |days| days.to_string());
    let mut options: Vec<(String, String)> =
        named.map(|(value, text)| (value.to_owned(), text.to_owned())).into();
    if !options.iter().any(|(value, _)| *value == chosen) {
        options.push((chosen.clone(), format!("{chosen} days")));
    }
    fields.push(Field::Choice("days", "Plots show".to_owned(), options, chosen));
    let action = project_path(project, "/trend");
    Form { action, post: false, fields, button: "Show".to_owned() }
}

/// Hidden fields of which histories are shown.
fn subject(asked: &HistoryQuery) -> Vec<Field> {
    let kept = [("benchmark", &asked.benchmark), ("configuration", &asked.configuration)];
    kept.into_iter().filter_map(|(name, value)| hidden(name, value.as_deref())).collect()
}

/// The trend of a metric as a picture to embed.
pub(crate) async fn svg(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath(name): PagePath<String>,
    PageQuery(query): PageQuery<PictureQuery>,
) -> Result<Response, Fault> {
    let PictureQuery { benchmark, configuration, branch, metric, days } = query;
    let asked =
        HistoryQuery { benchmark: Some(benchmark), configuration: Some(configuration), branch, base: None };
    let drawn = computing_read(&app, caller.key(), move |app| {
        let told = trends::all(app, &caller, &name, &asked)?;
        let missing = || Problem::missing("nothing was measured of that on this branch");
        let one = told.histories.first().ok_or_else(missing)?;
        let metric = metric.or(one.timeline.gated.first().cloned()).or(one.timeline.metrics.first().cloned());
        let metric = metric.ok_or_else(missing)?;
        let view = View { days, commit_url: None };
        rankgate_history::report::svg(one, &metric, &view)
            .ok_or_else(|| Problem::missing(format!("there is no {metric} in this history")))
    });
    Ok(picture(drawn.await?))
}

/// Which trend.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureQuery {
    benchmark: String,
    configuration: String,
    branch: Option<String>,
    /// The first that a gate stands on, where none is named.
    metric: Option<String>,
    days: Option<u32>,
}

/// Whether alarms stand, as a picture to embed.
pub(crate) async fn badge(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath(name): PagePath<String>,
    PageQuery(asked): PageQuery<HistoryQuery>,
) -> Result<Response, Fault> {
    let drawn = computing_read(&app, caller.key(), move |app| {
        let told = trends::all(app, &caller, &name, &asked)?;
        Ok(rankgate_history::report::badge(asked.benchmark.as_deref().unwrap_or(&name), &told.histories))
    });
    Ok(picture(drawn.await?))
}

/// A picture that holds no script and loads nothing.
fn picture(svg: String) -> Response {
    let head = [
        (header::CONTENT_TYPE, "image/svg+xml"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (head, svg).into_response()
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
        Some(std::iter::once(Cell { text, to, ..Cell::default() }).chain(cells).collect())
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
