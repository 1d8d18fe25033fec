//! What variants of the queries cost: configurations by variants.

use crate::model::{Report, VariantReport};

use super::clean::{clean, shorten, shorten_name};
use super::lookup::{all_measured, measured, metric};
use super::number::{DECIMALS, count, metric_change, queries, score};
use super::page::{Block, Section, Table, Text};
use super::phrases;

/// The column of the queries as they are.
const ORIGINAL: &str = "as typed";

/// The table with its notes; nothing without a variant.
pub(super) fn variants(report: &Report, heading: &str, name: usize) -> Section {
    match table(report, name) {
        Some(table) => {
            Section::headed(heading).part([Block::Table(table)]).part(notes(report).map(Block::paragraph))
        }
        None => Section::default(),
    }
}

/// Variants that were measured, each once, in their order.
fn distinct(report: &Report) -> Vec<&VariantReport> {
    let all = all_measured(report).into_iter().filter_map(|(one, _)| one.variant.as_ref());
    let mut known: Vec<&VariantReport> = Vec::new();
    for variant in all {
        if !known.iter().any(|one| one.name == variant.name) {
            known.push(variant);
        }
    }
    known
}

/// Each metric of each configuration, as typed and under each variant with the change, names having at most so many
/// characters.
pub(super) fn table(report: &Report, name: usize) -> Option<Table> {
    let known = distinct(report);
    if known.is_empty() {
        return None;
    }
    let (own, all) = (measured(report), all_measured(report));
    let names = known.iter().map(|variant| shorten_name(&variant.name, name));
    let header = ["metric", "configuration", ORIGINAL].map(str::to_owned).into_iter().chain(names);
    let mut table = Table::headed(header).in_parts(2);
    let of = all.iter().filter_map(|(one, _)| Some(one.variant.as_ref()?.of.as_str()));
    let mut configurations: Vec<&str> = Vec::new();
    of.for_each(|name| {
        if !configurations.contains(&name) {
            configurations.push(name);
        }
    });
    for label in &report.metrics {
        for configuration in &configurations {
            let original = own.iter().find(|(one, _)| one.name == **configuration);
            let original = original.and_then(|(_, measured)| metric(&measured.metrics, label));
            let original = original.map_or_else(|| "-".to_owned(), |one| score(label, one.value));
            let cells = known.iter().map(|variant| {
                let mut under = all.iter().filter_map(|(one, _)| one.variant.as_ref());
                let one = under.find(|one| one.of == **configuration && one.name == variant.name);
                let found = one.and_then(|one| one.changes.iter().find(|change| change.metric == *label));
                found.map_or_else(
                    || Text::from("-"),
                    |found| {
                        let value = Text::from(score(label, found.value));
                        let moved = found
                            .original
                            .map(|original| metric_change(label, found.value - original, DECIMALS));
                        moved.map_or_else(|| value.clone(), |moved| value.clone().and(" ").and(moved))
                    },
                )
            });
            let keys =
                [shorten(&phrases::label(report, label), name), shorten_name(configuration, name), original];
            table.row(keys.into_iter().map(Text::from).chain(cells));
        }
    }
    Some(table)
}

/// How variants were made, how many queries have none, and what the numbers are over.
pub(super) fn notes(report: &Report) -> impl Iterator<Item = String> {
    let of_one = |variant: &VariantReport| {
        let made = format!("{}: {}, ", clean(&variant.name), clean(&variant.source));
        let asked = match variant.asked == variant.queries {
            true => queries(variant.queries),
            false => format!("{} texts of {}", count(variant.asked), queries(variant.queries)),
        };
        let left = match variant.left_out {
            0 => String::new(),
            more => format!("; {} without one left out", queries(more)),
        };
        made + &asked + &left
    };
    let known = distinct(report);
    let said =
        (!known.is_empty()).then(|| "Behind a value: the change from the same queries as typed".to_owned());
    let all: Vec<String> = known.into_iter().map(of_one).chain(said).collect();
    (!all.is_empty()).then(|| all.join(". ") + ".").into_iter()
}
