//! What is said where every query has to keep a limit.

use crate::metric::Polarity;
use crate::model::EveryQueryReport;
use crate::report::clean::clean;
use crate::report::number::{count, percent, queries};
use crate::report::page::{Block, Part};

use super::movers;
use crate::words::agree;

/// Each query that breaks the limit, with its documents; where none does, what such a run leaves open.
pub fn part(report: &EveryQueryReport, polarity: Polarity, confidence: f64) -> Part {
    let mut part = Part::new();
    if !report.queries.is_empty() {
        let meaning = report.attribute.as_ref().map_or_else(String::new, |one| format!(" ({})", clean(one)));
        let verb = agree(report.queries.len(), "breaks", "break");
        part.push(Block::line(format!("{} {verb} it{meaning}:", queries(report.queries.len()))));
        part.push(movers::whole(&report.queries, polarity));
        return part;
    }
    part.push(Block::paragraph(match report.largest_share {
        Some(share) => format!(
            "None of the {} with results breaks it. Up to {} of queries like these could all the same ({} confidence, \
             Clopper-Pearson).",
            queries(report.answered),
            percent(round_up(share)),
            percent(confidence)
        ),
        None => "No query has a result, so none could break it.".to_owned(),
    }));
    part
}

/// The same in a list of gates.
pub fn short(report: &EveryQueryReport, all: usize) -> String {
    let open = report.largest_share.map(|share| format!("; up to {} could", percent(round_up(share))));
    let (number, of) = match report.queries.len() {
        0 => ("none".to_owned(), count(all)),
        some => (count(some), queries(all)),
    };
    let verb = agree(report.queries.len().max(1), "breaks", "break");
    format!("{number} of {of} {verb} it{}", open.unwrap_or_default())
}

/// A share with two significant digits, never less than it is.
fn round_up(share: f64) -> f64 {
    let digits = 10_f64.powi(1 - share.log10().floor() as i32);
    ((share * digits).ceil() / digits).min(1.0)
}
