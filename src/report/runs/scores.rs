//! Scores for the terminal.

use crate::offline::{Scores, short_names};
use crate::report::clean::{clean, shorten_name};
use crate::report::lookup::highest;
use crate::report::number::{DECIMALS, count, counted, interval, percent, score};
use crate::report::table::Table;

use super::{NAME, Part, Style, WIDTH, painted};

/// Characters of a query's id.
const ID: usize = 36;

/// One run's scores with their intervals, or several runs side by side with the highest score of each
/// metric marked; then the queries, where the scores have them.
///
/// ```
/// # use rankgate::{Hit, Qrels, Run, offline::Scoring};
/// # let qrels = Qrels::parse("mine.qrels", b"q1 0 d1 1\nq2 0 d1 1\n")?;
/// # let run = Run::from_rankings([("q1", vec![Hit::new("d7", 2.5), Hit::new("d1", 2.0)])])?;
/// let scores = Scoring::new(["RR".parse()?]).run(&qrels, "mine.run", &run)?;
/// let text = rankgate::report::runs::scores(&[scores]);
/// assert!(text.starts_with("mine.run: 2 judged queries, 1 of them unanswered (scored 0)\n"));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[must_use]
pub fn scores(runs: &[Scores]) -> String {
    scores_styled(runs, Style::Plain)
}

/// The same in a style: [`Style::Colour`] for a terminal.
#[must_use]
pub fn scores_styled(runs: &[Scores], style: Style) -> String {
    let names: Vec<&str> = runs.iter().map(|run| run.run.as_str()).collect();
    let short: Vec<String> = short_names(&names).iter().map(|name| shorten_name(name, NAME)).collect();
    let mut sections = vec![(Part::Prose, runs.iter().map(told).collect())];
    let mut tables = match runs {
        [run] => vec![alone(run)],
        runs => side_by_side(runs, &short),
    };
    for (run, name) in runs.iter().zip(&short) {
        tables.extend(queries(run, name));
    }
    sections.extend(tables.into_iter().map(|table| (Part::Table, table)));
    painted(sections, style)
}

/// The run and what its means are taken over.
fn told(run: &Scores) -> String {
    let mut text = format!("{}: {}", clean(&run.run), counted(run.queries, "judged query", "judged queries"));
    if run.unanswered > 0 {
        text += &format!(", {} of them unanswered (scored 0)", count(run.unanswered));
    }
    if run.left_out > 0 {
        text += &format!(", {} more left out", count(run.left_out));
    }
    text
}

fn alone(run: &Scores) -> Vec<String> {
    let mut table = Table::right([1]);
    table.row(["metric".to_owned(), "value".to_owned(), format!("{} CI", percent(run.confidence))]);
    for (metric, value) in run.mean.iter() {
        let limits = run.interval.get(metric).copied().flatten();
        let limits = limits.map_or("-".to_owned(), |limits| interval(limits, DECIMALS));
        table.row([clean(metric), score(metric, *value), limits]);
    }
    table.lines()
}

fn side_by_side(runs: &[Scores], names: &[String]) -> Vec<Vec<String>> {
    let Some(first) = runs.first() else { return Vec::new() };
    let mut table = Table::right(1..=runs.len());
    // The mark behind a number stands in a column that every number leaves free.
    table.row(std::iter::once("metric".to_owned()).chain(names.iter().map(|name| format!("{name} "))));
    let mut marked = false;
    for (metric, _) in first.mean.iter() {
        let values: Vec<f64> = runs.iter().filter_map(|run| run.mean.get(metric).copied()).collect();
        let best = highest(metric, values.iter().copied());
        let cell = |value: &f64| {
            let mark = if best == Some(*value) { '*' } else { ' ' };
            format!("{}{mark}", score(metric, *value))
        };
        marked |= best.is_some();
        table.row(std::iter::once(clean(metric)).chain(values.iter().map(cell)));
    }
    let mut sections = table.split(1, WIDTH);
    if marked {
        sections.push(vec!["* highest; `rankgate compare` says whether that is more than chance".to_owned()]);
    }
    sections
}

fn queries(run: &Scores, name: &str) -> Vec<Vec<String>> {
    let Some(per_query) = &run.per_query else { return Vec::new() };
    let mut table = Table::right(1..=per_query.metrics().len());
    table.row(std::iter::once("query".to_owned()).chain(per_query.metrics().iter().map(|name| clean(name))));
    for (query, row) in per_query.iter() {
        let cells = per_query.metrics().iter().zip(row).map(|(metric, value)| score(metric, *value));
        table.row(std::iter::once(shorten_name(query, ID)).chain(cells));
    }
    let mut sections = vec![vec![format!("{name}, query by query:")]];
    sections.extend(table.split(1, WIDTH));
    sections
}
