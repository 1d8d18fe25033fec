//! How much depends on the share of a span that a chunk covers to be relevant.

use crate::model::Report;

use super::clean::{shorten, shorten_name};
use super::lookup::measured;
use super::number::score;
use super::page::{Block, Section, Table, Text};
use super::phrases;

/// The table with what it says; nothing where judgments are of documents.
pub(super) fn overlaps(report: &Report, heading: &str, name: usize) -> Section {
    match table(report, name) {
        Some(table) => Section::headed(heading).part([Block::Table(table), Block::paragraph(NOTE)]),
        None => Section::default(),
    }
}

pub(super) const NOTE: &str = "A chunk is relevant that covers so much of a judged span. Where the order of configurations depends on that, look at \
     EvidenceRecall.";

/// Each metric of each configuration at each overlap, names having at most so many characters.
pub(super) fn table(report: &Report, name: usize) -> Option<Table> {
    let all = measured(report);
    let mut shares: Vec<f64> =
        all.iter().flat_map(|(_, measured)| measured.overlaps.iter().map(|one| one.overlap)).collect();
    shares.sort_unstable_by(f64::total_cmp);
    shares.dedup();
    if shares.is_empty() {
        return None;
    }
    let header = ["metric", "configuration"].map(str::to_owned).into_iter();
    let mut table = Table::headed(header.chain(shares.iter().map(|share| format!("of {share}")))).in_parts(2);
    for label in &report.metrics {
        for (one, measured) in &all {
            let found =
                |share: &f64| measured.overlaps.iter().find(|at| at.metric == *label && at.overlap == *share);
            if shares.iter().all(|share| found(share).is_none()) {
                continue;
            }
            let cell = |share| found(share).map_or_else(|| "-".to_owned(), |at| score(label, at.value));
            let keys = [shorten(&phrases::label(report, label), name), shorten_name(&one.name, name)];
            table.row(keys.into_iter().chain(shares.iter().map(cell)).map(Text::from));
        }
    }
    Some(table)
}
