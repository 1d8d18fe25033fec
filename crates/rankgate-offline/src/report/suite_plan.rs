//! A plan for several collections, for the terminal.

use crate::gate::Expect;
use crate::{SuiteNeeded, SuitePlan, short_names};
use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::number::{DECIMALS, count, counted, fixed, percent, queries};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};

use super::plan::{none, wording};
use super::{NAME, WIDTH};

/// What the collections of a suite can show together, how many queries of each an effect takes, and what that rests on.
#[must_use]
pub fn suite_plan(plan: &SuitePlan) -> String {
    suite_plan_styled(plan, Style::Plain)
}

/// The same in a style: [`Style::Colour`] for a terminal.
#[must_use]
pub fn suite_plan_styled(plan: &SuitePlan, style: Style) -> String {
    let alike = table(plan, |needed| needed.proportional.as_ref());
    let most = table(plan, |needed| needed.optimal.as_ref());
    let sections = [
        Section::from_blocks(head(plan).into_iter().map(Block::paragraph)),
        Section::headed("all collections grow alike").part([Block::Table(alike)]),
        Section::headed("queries where they add most to the power").part([Block::Table(most)]),
        Section::from_blocks([Block::paragraph(note(plan))]),
    ];
    painter::page(&sections, WIDTH, style)
}

fn head(plan: &SuitePlan) -> Vec<String> {
    let names: Vec<&str> = plan.runs.iter().map(String::as_str).collect();
    let names: Vec<String> = short_names(&names).iter().map(|name| shorten_name(name, NAME * 2)).collect();
    let all: usize = plan.collections.iter().map(|one| one.queries).sum();
    let text = format!(
        "{}: {} on {}, {}{}{}: {}, {}, {} confidence (two-sided), power {}",
        clean(&plan.suite),
        clean(&plan.metric),
        names.join(" and "),
        plan.expect,
        plan.limit.map_or(String::new(), |limit| format!(" ({limit})")),
        plan.harm_at_most.map_or(String::new(), |limit| format!(", harm-at-most {limit}")),
        counted(plan.collections.len(), "collection", "collections"),
        queries(all),
        percent(plan.confidence),
        plan.power,
    );
    let (kind, shown) = wording(plan.expect);
    let varies = plan.collections.iter().any(|one| one.standard_deviation > 0.0);
    let detectable = match plan.minimum_detectable_effect {
        Some(effect) => format!(
            "On these queries a {kind} of {} or more in every collection is {shown}; smaller ones often are not.",
            fixed(effect, DECIMALS)
        ),
        None if plan.exhausted => {
            format!("How small a {kind} these queries show was not found within the budget of work.")
        }
        None if varies => {
            format!("On these queries no {kind}, however large, can be relied on to be {shown}.")
        }
        None => "The two runs differ by the same on every query: nothing varies to plan with.".to_owned(),
    };
    vec![text, detectable]
}

/// A row for each collection and one of all.
fn table<'a>(plan: &'a SuitePlan, needed: impl Fn(&'a SuiteNeeded) -> Option<&'a Vec<u64>>) -> Table {
    let mut header: Vec<String> = ["", "weight", "sd of diffs", "n today"].map(str::to_owned).into();
    header.extend(plan.needed.iter().map(|needed| format!("n for {}", needed.effect)));
    let mut table = Table::headed(header).right(1..4 + plan.needed.len()).in_parts(1);
    let number = |number: u64| count(usize::try_from(number).unwrap_or(usize::MAX));
    for (place, one) in plan.collections.iter().enumerate() {
        let mut cells = vec![
            shorten_name(&one.benchmark, NAME),
            percent(one.share),
            fixed(one.standard_deviation, DECIMALS),
            count(one.groups.unwrap_or(one.queries)),
        ];
        let own = |units: &Vec<u64>| units.get(place).map(|units| number(*units));
        cells.extend(
            plan.needed.iter().map(|of| needed(of).and_then(own).unwrap_or_else(|| none(of.exhausted))),
        );
        table.row(cells);
    }
    let today = plan.collections.iter().map(|one| one.groups.unwrap_or(one.queries)).sum();
    let mut all = vec!["all".to_owned(), String::new(), String::new(), count(today)];
    let sum = |units: &Vec<u64>| number(units.iter().sum());
    all.extend(plan.needed.iter().map(|of| needed(of).map_or_else(|| none(of.exhausted), sum)));
    table.row(all);
    let mut power = vec!["power today".to_owned(), String::new(), String::new(), String::new()];
    power.extend(
        plan.needed.iter().map(|of| of.power.map_or_else(|| none(of.exhausted), |power| fixed(power, 2))),
    );
    table.row(power);
    table
}

fn note(plan: &SuitePlan) -> String {
    let effect = match plan.expect {
        Expect::NoRegression => "a true drop, the same in every collection",
        Expect::NonInferiority | Expect::Equivalence => {
            "a margin that is kept where no collection loses anything"
        }
        Expect::Improvement | Expect::Identical | Expect::Overlap => {
            "a true gain, the same in every collection"
        }
    };
    let harm = match plan.harm_at_most {
        Some(limit) if plan.expect != Expect::NoRegression => {
            format!(" Each collection has to show as well that it loses less than {limit}.")
        }
        Some(_) | None => String::new(),
    };
    let grouped = plan.collections.iter().any(|one| one.groups.is_some());
    let units = if grouped { "queries, or groups of them where they are grouped," } else { "queries" };
    let exhausted = plan.exhausted || plan.needed.iter().any(|needed| needed.exhausted);
    let unknown =
        if exhausted { " ? stands where the budget of work for a plan was used up first." } else { "" };
    format!(
        "n for an effect: about how many {units} of each collection show it with probability {}, - if no number does. The effect \
         is {effect}.{harm} The rule of a suite was simulated on queries that differ in each collection as these two runs do, \
         for one comparison alone; several in a family need more.{unknown}",
        plan.power
    )
}
