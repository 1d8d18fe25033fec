//! What the stages of pipelines allow: their ceilings, beside the score that came of them.

use crate::model::{Report, StepReport};

use super::clean::{shorten, shorten_name};
use super::lookup::{Column, all_measured, measured, metric};
use super::number::score;
use super::page::{Block, Section, Table, Text};
use super::phrases;

/// What the numbers are.
const NOTE: &str = "Under a stage stands its ceiling, what its documents score in the order of their grades: no reranker gets more out of \
                    them. In parentheses: what the stage itself scores.";

/// The table with its note; nothing without a stage.
pub(super) fn stages(report: &Report, heading: &str, name: usize) -> Section {
    match table(report, name) {
        Some(table) => Section::headed(heading).part([Block::Table(table)]).part([Block::paragraph(NOTE)]),
        None => Section::default(),
    }
}

/// Each metric of each pipeline: the ceilings of its stages and its score, names having at most so many characters.
pub(super) fn table(report: &Report, name: usize) -> Option<Table> {
    let (columns, all) = (measured(report), all_measured(report));
    let staged: Vec<_> = columns.iter().filter(|(one, _)| !one.steps.is_empty()).collect();
    let mut steps: Vec<String> = Vec::new();
    for step in staged.iter().flat_map(|(one, _)| &one.steps).map(label) {
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    if steps.is_empty() {
        return None;
    }
    let names = steps.iter().map(|step| shorten_name(step, name));
    let header = ["metric", "configuration"].map(str::to_owned).into_iter().chain(names);
    let mut table = Table::headed(header.chain(["score".to_owned()])).in_parts(2);
    for wanted in &report.metrics {
        for (one, own) in &staged {
            let ceiling = |step: &String| {
                let step = one.steps.iter().find(|known| label(known) == *step)?;
                let ceiling = step.ceilings.iter().find(|ceiling| ceiling.metric == *wanted)?;
                let own = step.stages.iter().filter_map(|stage| of_stage(&all, &one.name, stage));
                let own = own.filter_map(|(_, measured)| metric(&measured.metrics, wanted));
                let own: Vec<String> = own.map(|one| score(wanted, one.value)).collect();
                Some(format!("{} ({})", score(wanted, ceiling.value), own.join(", ")))
            };
            let ceilings: Vec<Option<String>> = steps.iter().map(ceiling).collect();
            if ceilings.iter().all(Option::is_none) {
                continue;
            }
            let reached = metric(&own.metrics, wanted).map(|one| score(wanted, one.value));
            let keys = [shorten(&phrases::label(report, wanted), name), shorten_name(&one.name, name)];
            let cells = ceilings.into_iter().chain([reached]);
            let cells = cells.map(|cell| cell.map_or_else(|| Text::from("-"), Text::number));
            table.row(keys.into_iter().map(Text::from).chain(cells));
        }
    }
    Some(table)
}

/// A stage of a configuration.
fn of_stage<'a>(all: &[Column<'a>], configuration: &str, name: &str) -> Option<Column<'a>> {
    let is_it = |(one, _): &&Column<'a>| {
        one.stage.as_ref().is_some_and(|stage| stage.of == configuration && stage.name == name)
    };
    all.iter().find(is_it).copied()
}

/// A step by the names of its stages.
fn label(step: &StepReport) -> String {
    step.stages.join("+")
}
