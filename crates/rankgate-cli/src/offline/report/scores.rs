//! Scores for the terminal.

use std::cmp::Ordering;

use crate::offline::by_metric::PerQuery;
use crate::offline::{Scores, short_names};
use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::lookup::{highest, is_highest};
use rankgate_report::report::internal::number::{DECIMALS, count, counted, interval, percent, score};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};

use super::{FEW, NAME, WIDTH, is_best_low, labels, widths};

/// Characters of a query's id.
const ID: usize = 36;

/// One run's scores with their intervals; or a row for each run, best first by the first metric. The highest score of each metric is marked. Then the queries, where the scores have them.
///
/// ```
/// # use rankgate::{Qrels, Source};
/// # use rankgate_cli::offline::Scoring;
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\nq2 0 d1 1\n")?;
/// # let run = Source::stream("mine.run", &b"q1 Q0 d7 1 2.5 t\nq1 Q0 d1 2 2.0 t\n"[..]);
/// let scores = Scoring::new(["RR".parse()?]).source(&qrels, "mine.run", run)?;
/// let text = rankgate_cli::offline::report::scores(&[scores]);
/// assert!(text.starts_with("mine.run: 2 judged queries, 1 of them unanswered (scored 0)\n"));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn scores(runs: &[Scores]) -> String {
    scores_within(runs, Style::Plain, WIDTH)
}

/// The same in a style, [`Style::Colour`] for a terminal, with tables as wide as that is.
pub fn scores_within(runs: &[Scores], style: Style, width: usize) -> String {
    let names: Vec<&str> = runs.iter().map(|run| run.run.as_str()).collect();
    let names = short_names(&names);
    let short: Vec<String> = names.iter().map(|name| shorten_name(name, NAME)).collect();
    let head = match runs.len() <= FEW {
        true => runs.iter().map(heading).collect(),
        false => vec![told_together(runs)],
    };
    let table = if let [run] = runs { alone(run) } else { best_first(runs, &names, width) };
    let mut sections = vec![
        Section::from_blocks(head.into_iter().map(Block::line)),
        Section::from_blocks([Block::Table(table)]),
    ];
    if runs.len() > 1
        && runs.iter().any(|run| run.mean.iter().any(|(metric, _)| best(runs, metric).is_some()))
    {
        let note = "* highest; `rankgate compare` tests if the difference is significant";
        sections.push(Section::from_blocks([Block::line(note)]));
    }
    for (run, name) in runs.iter().zip(&short) {
        sections.extend(queries(run, name));
    }
    painter::page(&sections, widths(width), style)
}

/// The run and what its means are taken over.
fn heading(run: &Scores) -> String {
    let mut text = format!("{}: {}", clean(&run.run), counted(run.queries, "judged query", "judged queries"));
    if let Some(groups) = run.groups {
        text += &format!(" in {}", counted(groups, "group", "groups"));
    }
    if run.unanswered > 0 {
        text += &format!(", {} of them unanswered (scored 0)", count(run.unanswered));
    }
    if run.left_out > 0 {
        text += &format!(", {} more left out", count(run.left_out));
    }
    text
}

/// What the means of many runs are taken over.
fn told_together(runs: &[Scores]) -> String {
    let queries = runs.iter().map(|run| run.queries);
    let (least, most) = (queries.clone().min().unwrap_or(0), queries.max().unwrap_or(0));
    let over = match least == most {
        true => counted(most, "judged query", "judged queries"),
        false => format!("{} to {} judged queries", count(least), count(most)),
    };
    let unanswered = match runs.iter().filter(|run| run.unanswered > 0).count() {
        0 => String::new(),
        1 => "; 1 of them leaves some unanswered (scored 0)".to_owned(),
        many => format!("; {} of them leave some unanswered (scored 0)", count(many)),
    };
    format!("{} runs on {over}{unanswered}", count(runs.len()))
}

fn alone(run: &Scores) -> Table {
    let limits = format!("{} CI", percent(run.confidence));
    let mut table = Table::headed(["metric", "value", &limits]).right([1]);
    for (metric, value) in run.mean.iter() {
        let limits = run.interval.get(metric).copied().flatten();
        let limits = limits.map_or("-".to_owned(), |limits| interval(limits, DECIMALS));
        table.row([clean(metric), score(metric, *value), limits]);
    }
    table
}

/// A row per run, the one with the best mean of the first metric first: the lowest where less is better.
fn best_first(runs: &[Scores], names: &[String], width: usize) -> Table {
    let metrics: Vec<&str> =
        runs.iter().take(1).flat_map(|run| run.mean.iter()).map(|(name, _)| name).collect();
    let first = |run: &Scores| metrics.first().and_then(|metric| run.mean.get(metric).copied());
    let mut order: Vec<usize> = (0..runs.len()).collect();
    let descending =
        |a: usize, b: usize| first(&runs[b]).partial_cmp(&first(&runs[a])).unwrap_or(Ordering::Equal);
    let is_low = metrics.first().is_some_and(|metric| is_best_low(metric));
    order.sort_by(|&a, &b| if is_low { descending(b, a) } else { descending(a, b) });
    let best: Vec<Option<f64>> = metrics.iter().map(|metric| best(runs, metric)).collect();
    let header = metrics.iter().map(|metric| format!("{} ", clean(metric)));
    let header = std::iter::once(String::new()).chain(header);
    let mut table = Table::headed(header).right(1..=metrics.len()).in_parts(1);
    for &index in &order {
        let cells = metrics.iter().zip(&best).map(|(metric, best)| cell(&runs[index], metric, *best));
        table.row(std::iter::once(String::new()).chain(cells));
    }
    let labels = labels(
        order.iter().map(|&index| names[index].as_str()),
        width.saturating_sub(painter::width(&table)),
    );
    table.first(std::iter::once("run".to_owned()).chain(labels));
    table
}

/// The highest mean of a metric, where that says something.
fn best(runs: &[Scores], metric: &str) -> Option<f64> {
    highest(metric, runs.iter().filter_map(|run| run.mean.get(metric).copied()))
}

fn cell(run: &Scores, metric: &str, best: Option<f64>) -> String {
    let Some(value) = run.mean.get(metric).copied() else { return String::new() };
    let mark = if is_highest(value, best) { '*' } else { ' ' };
    format!("{}{mark}", score(metric, value))
}

/// The scores of each query.
fn queries(run: &Scores, name: &str) -> Vec<Section> {
    // Metrics of unanswerable queries have none.
    let Some(per_query) = run.per_query.as_ref().filter(|one| !one.metrics().is_empty()) else {
        return Vec::new();
    };
    let head = Block::line(format!("{name}, query by query:"));
    vec![Section::from_blocks([head]), Section::from_blocks([Block::Table(query_table(per_query))])]
}

fn query_table(per_query: &PerQuery) -> Table {
    let header =
        std::iter::once("query".to_owned()).chain(per_query.metrics().iter().map(|name| clean(name)));
    let mut table = Table::headed(header).right(1..=per_query.metrics().len()).in_parts(1);
    for (query, row) in per_query.iter() {
        let cells = per_query.metrics().iter().zip(row).map(|(metric, value)| score(metric, *value));
        table.row(std::iter::once(shorten_name(query, ID)).chain(cells));
    }
    table
}
