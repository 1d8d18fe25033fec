//! What tests read in reports.

use rankgate::benchmark::model::{Measured, Outcome, Report};

/// What was measured of a configuration.
pub(crate) fn measured<'a>(report: &'a Report, name: &str) -> &'a Measured {
    match report.configurations.iter().find(|one| one.name == name).map(|one| &one.outcome) {
        Some(Outcome::Measured(measured)) => measured,
        other => panic!("{name}: {other:?}"),
    }
}

/// A text without its line breaks.
pub(crate) fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
