//! A plan for the terminal.

use crate::offline::gate::Expect;
use crate::offline::{Needed, Plan, short_names};
use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::number::{DECIMALS, count, counted, fixed, percent, queries};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};

use super::{NAME, WIDTH};

/// What so many queries can show, how many an effect takes, and what that rests on.
pub fn plan_styled(plan: &Plan, style: Style) -> String {
    let sections = [
        Section::from_blocks(head(plan).into_iter().map(Block::paragraph)),
        Section::from_blocks([Block::Table(table(plan))]),
        Section::from_blocks([Block::paragraph(basis(plan))]),
        Section::from_blocks([Block::paragraph(note(plan))]),
    ];
    painter::page(&sections, WIDTH, style)
}

fn head(plan: &Plan) -> Vec<String> {
    let names: Vec<&str> = plan.runs.iter().map(String::as_str).collect();
    let names: Vec<String> = short_names(&names).iter().map(|name| shorten_name(name, NAME * 2)).collect();
    let text = format!(
        "{} on {}, {}{}: {}{}, {} confidence (two-sided), power {}",
        clean(&plan.metric),
        names.join(" and "),
        plan.expect,
        plan.limit.map_or(String::new(), |limit| format!(" ({limit})")),
        queries(plan.queries),
        match (plan.groups, &plan.cluster) {
            (Some(groups), Some(key)) =>
                format!(" in {} of `{}`", counted(groups, "group", "groups"), clean(key)),
            _ => String::new(),
        },
        percent(plan.confidence),
        plan.power,
    );
    let mut told = vec![text];
    told.extend(shown(plan));
    told
}

/// What these queries show: of assumptions only what holds under each of them.
fn shown(plan: &Plan) -> Option<String> {
    let (kind, shown) = wording(plan.expect);
    let effects = plan.spreads.iter().filter_map(|spread| spread.minimum_detectable_effect);
    match (effects.reduce(f64::min), plan.observed) {
        (Some(effect), true) => {
            let effect = fixed(effect, DECIMALS);
            Some(format!(
                "On these queries a {kind} of {effect} or more is {shown}; smaller ones often are not."
            ))
        }
        (Some(_), false) => None,
        (None, _) if plan.spreads.iter().any(|spread| spread.standard_deviation > 0.0) => {
            Some(format!("On these queries no {kind}, however large, can be relied on to be {shown}."))
        }
        (None, true) => {
            Some("The two runs differ by the same on every query: nothing varies to plan with.".to_owned())
        }
        (None, false) => {
            Some("The run has the same score on every query: nothing varies to plan with.".to_owned())
        }
    }
}

fn table(plan: &Plan) -> Table {
    let effects = plan.spreads.first().map(|spread| spread.needed.as_slice()).unwrap_or_default();
    let mut header = vec!["correlation".to_owned(), "sd of diffs".to_owned(), "detectable".to_owned()];
    header.extend(effects.iter().map(|needed| format!("n for {}", needed.effect)));
    let mut table = Table::headed(header).right(0..3 + effects.len()).in_parts(1);
    for spread in &plan.spreads {
        let mut cells = vec![
            spread.correlation.map_or("-".to_owned(), |correlation| fixed(correlation, 2)),
            fixed(spread.standard_deviation, DECIMALS),
            spread.minimum_detectable_effect.map_or_else(none, |effect| fixed(effect, DECIMALS)),
        ];
        let number = |number: u64| count(usize::try_from(number).unwrap_or(usize::MAX));
        let needed = |one: &Needed| one.queries.map_or_else(none, number);
        cells.extend(spread.needed.iter().map(needed));
        table.row(cells);
    }
    table
}

/// What stands in a cell without a number.
fn none() -> String {
    "-".to_owned()
}

/// What the spread of differences is taken from.
fn basis(plan: &Plan) -> String {
    match plan.score_deviation {
        None => "Runs that are more alike than these two need fewer queries, others more.".to_owned(),
        Some(deviation) => format!(
            "ASSUMED: one run does not show how its differences from another vary. Each line assumes a run \
             whose scores spread as this one's (standard deviation {}) and correlate with them as its first \
             column says; then the differences have the standard deviation sd * sqrt(2 (1 - correlation)). \
             Unlike retrievers are nearer to the first lines, variants of one retriever to the last. Where \
             two runs exist, give both: then nothing is assumed.",
            fixed(deviation, DECIMALS)
        ),
    }
}

fn note(plan: &Plan) -> String {
    let of = match plan.expect {
        Expect::NoRegression => "true drop that is significant",
        Expect::NonInferiority | Expect::Equivalence => {
            "margin that is kept significantly when nothing is lost"
        }
        Expect::Improvement | Expect::Identical | Expect::Overlap => "true gain that is significant",
    };
    let units = if plan.groups.is_some() { "groups of queries" } else { "queries" };
    format!(
        "detectable: the smallest {of} on {} with probability {}, - if none is; n for an effect: about how many \
         {units} it takes, - if no number does. Both are estimates from a t test, for one comparison: several in a family \
         need more queries.",
        queries(plan.queries),
        plan.power
    )
}

/// What an effect is, and what becomes of one that is large enough.
pub(super) fn wording(expect: Expect) -> (&'static str, &'static str) {
    match expect {
        Expect::NoRegression => ("drop", "significant"),
        Expect::NonInferiority | Expect::Equivalence => ("margin", "kept significantly"),
        Expect::Improvement | Expect::Identical | Expect::Overlap => ("gain", "significant"),
    }
}
