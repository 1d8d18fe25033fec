//! A report as its own page shows it, and two of them side by side.

use std::collections::BTreeMap;

use axum::extract::State;
use rankgate::benchmark::model::{Finding, Measured, Outcome, Report};
use rankgate::metric::Polarity;
use rankgate::stats::{
    Confidence, Correction, Differences, PairedT, PermutationOptions, adjust, permutation_test,
};
use rankgate_history::report::site::{Block, Cell, Table, View, day, page, report};
use serde::Deserialize;

use super::{PagePath, PageQuery, PageResult, Served, Visitor, below, project_path, query, short, source};
use crate::access::Caller;
use crate::api::project;
use crate::api::reports::{find, listed, size};
use crate::app::{App, blocking};
use crate::compute::computing_kept;
use crate::problem::{Answer, Problem};

/// Queries that are listed.
const QUERIES: usize = 20;
/// Characters of a query.
const TEXT: usize = 80;

fn read(app: &App, project: i64, number: i64) -> Answer<Report> {
    let bytes = find(app, project, number)?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Problem::json(&error).for_name(&format!("report {number}")))
}

/// The project, and how many bytes reports of it have.
async fn sizes(app: &App, caller: &Caller, name: &str, reports: Vec<i64>) -> Answer<(i64, usize)> {
    let (caller, name) = (caller.clone(), name.to_owned());
    blocking(app, move |app| {
        let own = project(app, &caller, &name)?;
        Ok::<_, Problem>((own.id, size(app, own.id, &reports)?))
    })
    .await
}

pub(crate) async fn get(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath((name, number)): PagePath<(String, i64)>,
) -> PageResult {
    let (project, size) = sizes(&app, &caller, &name, vec![number]).await?;
    let own = caller.clone();
    let served = computing_kept(&app, &own, size, move |app| {
        let model = read(app, project, number)?;
        let facts = facts(app, (&name, project), number, &model)?;
        let frame = below(&caller, &name, &format!("Report {number}"));
        Ok(Served::from(report(&frame, &[Block::Facts(facts)], &model)))
    });
    Ok(served.await?)
}

/// Where a report is from, and where it leads: what came before it, its trends, their alarms.
fn facts(
    app: &App,
    (name, project): (&str, i64),
    number: i64,
    model: &Report,
) -> Answer<Vec<(String, Vec<Cell>)>> {
    let own = listed(app, project, None, number.saturating_add(1), 1)?;
    let own = own.first().filter(|own| own.report == number);
    let own = own.ok_or_else(|| Problem::missing(format!("there is no report {number}")))?;
    let forge = View { days: None, commit_url: app.commit_url(name) }.links(&own.commit).forge;
    let mut facts = vec![
        ("commit", vec![Cell { text: short(&own.commit), to: forge, ..Cell::default() }]),
        ("received", vec![day(own.received).into()]),
    ];
    if !own.source.is_empty() {
        facts.push(("from", vec![source(&own.source)]));
    }
    if let Some(before) = listed(app, project, Some(&own.benchmark), number, 1)?.first() {
        let text = format!("report {} at {}", before.report, short(&before.commit));
        let to = project_path(name, &format!("/compare?a={}&b={number}", before.report));
        facts.push(("against the one before", vec![Cell::link(text, to)]));
    }
    let of = |page: &str, configuration: Option<&str>| {
        let fields = [("benchmark", Some(own.benchmark.as_str())), ("configuration", configuration)];
        project_path(name, &format!("/{page}{}", query(&fields)))
    };
    let trends: Vec<Cell> = measured(model).map(|(one, _)| Cell::link(one, of("trend", Some(one)))).collect();
    if !trends.is_empty() && model.history.is_some() {
        facts.push(("trends", trends));
        facts.push(("alarms", vec![Cell::link("of this benchmark", of("alarms", None))]));
    }
    Ok(facts.into_iter().map(|(title, cells)| (title.to_owned(), cells)).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Two {
    a: i64,
    b: i64,
}

/// A metric of a configuration in both reports.
struct Row {
    configuration: String,
    metric: String,
    polarity: Polarity,
    /// Its values before and after.
    values: [f64; 2],
    test: Option<Test>,
}

/// What is known where both reports have a score of each query.
struct Test {
    differences: Differences,
    /// Two-sided, of the permutation test, unadjusted.
    p: f64,
}

pub(crate) async fn compare(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath(name): PagePath<String>,
    PageQuery(two): PageQuery<Two>,
) -> PageResult {
    let (project, size) = sizes(&app, &caller, &name, vec![two.a, two.b]).await?;
    let own = caller.clone();
    let served = computing_kept(&app, &own, size, move |app| {
        let sides = [read(app, project, two.a)?, read(app, project, two.b)?];
        let frame = below(&caller, &name, &format!("Report {} against {}", two.b, two.a));
        Ok(Served::from(page(&frame, "Two reports", &compared(&name, two, &sides)?)))
    });
    Ok(served.await?)
}

fn measured(report: &Report) -> impl Iterator<Item = (&str, &Measured)> {
    report.configurations.iter().filter_map(|one| match &one.outcome {
        Outcome::Measured(measured) => Some((one.name.as_str(), measured.as_ref())),
        Outcome::Errored(_) | Outcome::Ignored(_) | Outcome::NotAsked => None,
    })
}

fn compared<'a>(project: &str, two: Two, [a, b]: &[Report; 2]) -> Answer<Vec<Block<'a>>> {
    let side = |word: &str, number: i64, report: &Report| {
        let commit =
            report.history.as_ref().and_then(|history| history.commit.as_deref()).unwrap_or("unknown");
        vec![
            Cell::link(
                format!("{word}: report {number}"),
                project_path(project, &format!("/reports/{number}")),
            ),
            report.benchmark.as_str().into(),
            short(commit).into(),
        ]
    };
    // What came first is before the other; whoever asks for it the other way round gets it so.
    let words = if two.a < two.b { ["before", "after"] } else { ["reference", "held"] };
    let mut blocks = vec![Block::Table(Table {
        name: "Both reports".to_owned(),
        titles: vec!["report", "benchmark", "commit"],
        right: Vec::new(),
        rows: vec![side(words[1], two.b, b), side(words[0], two.a, a)],
    })];
    let changed: Vec<&str> = match (&a.history, &b.history) {
        (Some(a), Some(b)) => [
            ("queries", a.queries != b.queries),
            ("judgments", a.judgments != b.judgments),
            ("documents", a.corpus != b.corpus),
            ("definitions of metrics", a.definitions != b.definitions),
        ]
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect(),
        _ => Vec::new(),
    };
    if !changed.is_empty() {
        blocks.push(Block::Error(format!(
            "Their {} differ: what changed is not the ranking alone.",
            changed.join(", ")
        )));
    }
    let befores: BTreeMap<&str, &Measured> = measured(a).collect();
    let mut rows = Vec::new();
    let mut moved = Vec::new();
    for (configuration, after) in measured(b) {
        let Some(before) = befores.get(configuration) else { continue };
        for (number, metric) in b.metrics.iter().enumerate() {
            let scores = paired(before, after, metric);
            let polarity = polarity([a, b], configuration, metric);
            if scores.len() < 2 {
                rows.extend(untested(before, after, (configuration, metric), polarity));
                continue;
            }
            let [x, y] = [0, 1].map(|at| scores.iter().map(|(_, _, both)| both[at]).collect::<Vec<f64>>());
            let differences = Differences::new(&x, &y)?;
            let p = permutation_test(&differences, 0.0, &PermutationOptions::default())?.p_two_sided();
            rows.push(Row {
                configuration: configuration.to_owned(),
                metric: metric.clone(),
                polarity,
                values: [differences.baseline_mean(), differences.candidate_mean()],
                test: Some(Test { differences, p }),
            });
            if number == 0 {
                let number = scores.iter().filter(|(_, _, [before, after])| before != after).count();
                moved.push((configuration.to_owned(), metric.clone(), number, movers(scores, words)));
            }
        }
    }
    if rows.is_empty() {
        blocks.push(Block::Text("They have no configuration, metric and two queries in common.".to_owned()));
        return Ok(blocks);
    }
    blocks.push(Block::Heading("Metrics".to_owned()));
    blocks.push(Block::Table(metrics(&rows, words)?));
    blocks.push(Block::Text(about(&rows)));
    for (configuration, metric, number, table) in moved {
        if table.rows.is_empty() {
            blocks.push(Block::Text(format!("{configuration}: no query has another {metric}.")));
        } else {
            let of = if number > QUERIES { format!(", {QUERIES} of {number}") } else { String::new() };
            blocks.push(Block::Heading(format!("{configuration}: queries that moved most by {metric}{of}")));
            blocks.push(Block::Table(table));
        }
    }
    Ok(blocks)
}

/// Id, text and both scores of each query that both have.
fn paired<'r>(before: &Measured, after: &'r Measured, metric: &str) -> Vec<(&'r str, &'r str, [f64; 2])> {
    let known: BTreeMap<&str, f64> = before
        .queries
        .iter()
        .filter_map(|query| Some((query.id.as_str(), *query.scores.get(metric)?)))
        .collect();
    let both = after.queries.iter().filter_map(|query| {
        let scores = [*known.get(query.id.as_str())?, *query.scores.get(metric)?];
        Some((query.id.as_str(), query.text.as_str(), scores))
    });
    both.collect()
}

/// Which way a metric is better: by its definition, or by what gates of either report limit it to.
fn polarity(reports: [&Report; 2], configuration: &str, metric: &str) -> Polarity {
    let gates = reports.into_iter().flat_map(|report| &report.gates);
    let limits = gates.filter(|gate| gate.configuration == configuration).filter_map(|gate| {
        let (own, min, max) = match &gate.finding {
            Finding::Threshold(one) => (&one.metric, one.min, one.max),
            Finding::Bounds(one) => (&one.metric, one.min, one.max),
            _ => return None,
        };
        (own == metric).then_some((min.is_some(), max.is_some()))
    });
    Polarity::of_name(metric).or_limits(limits)
}

/// A metric of which reports have a value and no score for each query: nothing tests its difference.
fn untested(
    before: &Measured,
    after: &Measured,
    (configuration, metric): (&str, &str),
    polarity: Polarity,
) -> Option<Row> {
    let value = |of: &Measured| Some(of.metrics.iter().find(|one| one.metric == metric)?.value);
    let values = [value(before)?, value(after)?];
    let (configuration, metric) = (configuration.to_owned(), metric.to_owned());
    Some(Row { configuration, metric, polarity, values, test: None })
}

/// What the table of metrics is of.
fn about(rows: &[Row]) -> String {
    let mut text = "Over the queries that both have. Intervals: 95%, Student's t; there is none where all queries differ \
                    alike. p: two-sided paired permutation test, adjusted over all lines by Holm's procedure."
        .to_owned();
    if rows.iter().any(|row| row.test.is_some() && row.polarity == Polarity::Unknown) {
        text +=
            " Higher or lower is said where neither the metric's definition nor a gate says which is better.";
    }
    let mut names: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.test.is_none()) {
        if !names.contains(&row.metric.as_str()) {
            names.push(&row.metric);
        }
    }
    if !names.is_empty() {
        text += &format!(" Not tested, as reports have no score of it for each query: {}.", names.join(", "));
    }
    text
}

fn metrics(rows: &[Row], [before, after]: [&'static str; 2]) -> Answer<Table> {
    let all: Vec<f64> = rows.iter().filter_map(|row| Some(row.test.as_ref()?.p)).collect();
    let mut adjusted = adjust(&all, Correction::Holm)?.into_iter();
    let row = |row: &Row| {
        let [before, after] = row.values;
        // There is a p for each that was tested, in their order.
        let tested = row.test.as_ref().and_then(|test| Some((&test.differences, adjusted.next()?)));
        let (verdict, interval, p) = match tested {
            None => {
                let way = match row.polarity.is_better(after - before) {
                    Some(true) => "better, not tested",
                    Some(false) => "worse, not tested",
                    None => "not tested",
                };
                (way.into(), "-".to_owned(), "-".to_owned())
            }
            Some((differences, p)) => {
                let interval = PairedT::new(differences).and_then(|t| t.interval(Confidence::default()).ok());
                let interval = interval.map(|one| format!("{:+.4} to {:+.4}", one.low, one.high));
                let shown = if p >= 0.0001 { format!("{p:.4}") } else { format!("{p:.1e}") };
                (verdict(row.polarity, differences, p), interval.unwrap_or_else(|| "none".to_owned()), shown)
            }
        };
        vec![
            format!("{}, {}", row.configuration, row.metric).into(),
            verdict,
            format!("{before:.4}").into(),
            format!("{after:.4}").into(),
            format!("{:+.4}", after - before).into(),
            interval.into(),
            p.into(),
        ]
    };
    Ok(Table {
        name: "Metrics".to_owned(),
        titles: vec!["metric", "verdict", before, after, "difference", "95% interval", "p"],
        right: vec![2, 3, 4, 5, 6],
        rows: rows.iter().map(row).collect(),
    })
}

/// Better or worse only where something says which way that is.
fn verdict(polarity: Polarity, differences: &Differences, p: f64) -> Cell {
    let difference = differences.mean();
    if p > 0.05 {
        let is_same = differences.wins() + differences.losses() == 0;
        return if is_same { "identical" } else { "no difference shown" }.into();
    }
    match polarity.is_better(difference) {
        Some(true) => Cell::state(true, "better"),
        Some(false) => Cell::state(false, "worse"),
        None if difference > 0.0 => "higher".into(),
        None => "lower".into(),
    }
}

fn movers(mut scores: Vec<(&str, &str, [f64; 2])>, [before, after]: [&'static str; 2]) -> Table {
    scores.retain(|(_, _, [before, after])| before != after);
    scores.sort_by(|(a, _, [x, y]), (b, _, [v, w])| (w - v).abs().total_cmp(&(y - x).abs()).then(a.cmp(b)));
    let row = |(id, text, [x, y]): &(&str, &str, [f64; 2])| {
        let text: String = text.chars().take(TEXT).collect();
        vec![
            Cell::from(*id),
            text.into(),
            format!("{x:.4}").into(),
            format!("{y:.4}").into(),
            format!("{:+.4}", y - x).into(),
        ]
    };
    Table {
        name: "Queries that moved most".to_owned(),
        titles: vec!["query", "asked", before, after, "difference"],
        right: vec![2, 3, 4],
        rows: scores.iter().take(QUERIES).map(row).collect(),
    }
}
