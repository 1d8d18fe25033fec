//! A report as its own page shows it, and two of them side by side.

use std::collections::BTreeMap;

use axum::extract::State;
use rankgate::benchmark::model::{Measured, Outcome, Report};
use rankgate::stats::{
    Confidence, Correction, Differences, PairedT, PermutationOptions, adjust, permutation_test,
};
use rankgate_history::report::site::{Block, Cell, Table, page, report};
use serde::Deserialize;

use super::{PageResult, Served, Visitor, below, project_path, short};
use crate::access::Caller;
use crate::api::reports::{find, size};
use crate::api::{PathParams, QueryParams, project};
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
    PathParams((name, number)): PathParams<(String, i64)>,
) -> PageResult {
    let (project, size) = sizes(&app, &caller, &name, vec![number]).await?;
    let own = caller.clone();
    let served = computing_kept(&app, &own, size, move |app| {
        let model = read(app, project, number)?;
        Ok(Served::from(report(&below(&caller, &name, &format!("Report {number}")), &model)))
    });
    Ok(served.await?)
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
    differences: Differences,
    /// Two-sided, of the permutation test, unadjusted.
    p: f64,
}

pub(crate) async fn compare(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PathParams(name): PathParams<String>,
    QueryParams(two): QueryParams<Two>,
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
            if scores.len() < 2 {
                continue;
            }
            let [x, y] = [0, 1].map(|at| scores.iter().map(|(_, _, both)| both[at]).collect::<Vec<f64>>());
            let differences = Differences::new(&x, &y)?;
            let p = permutation_test(&differences, 0.0, &PermutationOptions::default())?.p_two_sided();
            rows.push(Row {
                configuration: configuration.to_owned(),
                metric: metric.clone(),
                differences,
                p,
            });
            if number == 0 {
                moved.push((configuration.to_owned(), metric.clone(), movers(scores, words)));
            }
        }
    }
    if rows.is_empty() {
        blocks.push(Block::Text("They have no configuration, metric and two queries in common.".to_owned()));
        return Ok(blocks);
    }
    blocks.push(Block::Heading("Metrics".to_owned()));
    blocks.push(Block::Table(metrics(&rows, words)?));
    blocks.push(Block::Text(
        "Over the queries that both have. Intervals: 95%, Student's t. p: two-sided paired permutation test, adjusted \
         over all lines by Holm's procedure."
            .to_owned(),
    ));
    for (configuration, metric, table) in moved {
        if table.rows.is_empty() {
            blocks.push(Block::Text(format!("{configuration}: no query has another {metric}.")));
        } else {
            blocks.push(Block::Heading(format!("{configuration}: queries that moved most by {metric}")));
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

fn metrics(rows: &[Row], [before, after]: [&'static str; 2]) -> Answer<Table> {
    let all: Vec<f64> = rows.iter().map(|row| row.p).collect();
    let adjusted = adjust(&all, Correction::Holm)?;
    let row = |(row, p): (&Row, f64)| {
        let differences = &row.differences;
        let interval = PairedT::new(differences).and_then(|t| t.interval(Confidence::default()).ok());
        let interval = interval.map(|one| format!("{:+.4} to {:+.4}", one.low, one.high));
        let verdict = match (p <= 0.05, differences.mean() > 0.0) {
            (true, true) => Cell::state(true, "better"),
            (true, false) => Cell::state(false, "worse"),
            (false, _) if differences.wins() + differences.losses() == 0 => "identical".into(),
            (false, _) => "no difference shown".into(),
        };
        vec![
            format!("{}, {}", row.configuration, row.metric).into(),
            verdict,
            format!("{:.4}", differences.baseline_mean()).into(),
            format!("{:.4}", differences.candidate_mean()).into(),
            format!("{:+.4}", differences.mean()).into(),
            interval.unwrap_or_default().into(),
            if p >= 0.0001 { format!("{p:.4}") } else { format!("{p:.1e}") }.into(),
        ]
    };
    Ok(Table {
        name: "Metrics".to_owned(),
        titles: vec!["metric", "", before, after, "difference", "95% interval", "p"],
        right: vec![2, 3, 4, 5, 6],
        rows: rows.iter().zip(adjusted).map(row).collect(),
    })
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
