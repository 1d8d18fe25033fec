//! The metric report that is kept under `golden/` and reviewed as a difference.

use crate::model::{ConfigurationReport, Outcome, Report};

use super::clean::{clean, shorten_name};
use super::number::score;

/// Every value begins in this column, for labels of any length: a new metric moves no other line.
const COLUMN: usize = 40;
/// More unanswered queries than this are counted only.
const UNANSWERED: usize = 100;

/// The [`snapshot`] of the configuration of this name.
pub fn snapshot_of(report: &Report, name: &str) -> Option<String> {
    snapshot(report, report.configurations.iter().find(|configuration| configuration.name == name)?)
}

/// The measurements of one configuration, one a line, as they are snapshot-tested; `None` when it was
/// not measured.
///
/// Measurements only: no verdict, no time, no path, nothing that depends on which gates were
/// selected, and means rounded to 4 decimals. A change of one number changes one line.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let text = rankgate::report::snapshot(&report, &report.configurations[0]).unwrap();
/// assert!(text.contains("\nnDCG@10                                 0.5312\n"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn snapshot(report: &Report, configuration: &ConfigurationReport) -> Option<String> {
    let Outcome::Measured(measured) = &configuration.outcome else {
        return None;
    };
    let mut lines = Lines::default();
    lines.push("benchmark", &clean(&report.benchmark));
    lines.push("configuration", &clean(&configuration.name));
    if let Some(collection) = &report.collection {
        if let Some(documents) = collection.documents {
            lines.push("documents", &documents.to_string());
        }
        lines.push("queries", &collection.queries.to_string());
        // So that what was blessed before there were any stays as it is.
        if collection.unanswerable > 0 {
            lines.push("unanswerable queries", &collection.unanswerable.to_string());
        }
        lines.push("queries without judgments", &collection.without_judgments.to_string());
        lines.push("queries without a relevant document", &collection.unjudgeable.to_string());
        lines.push("judgments", &collection.judgments.to_string());
        lines.push("relevant from grade", &collection.relevant_from.to_string());
    }
    lines.push("depth", &configuration.depth.to_string());

    lines.blank();
    for metric in &measured.metrics {
        lines.push(&clean(&metric.metric), &score(&metric.metric, metric.value));
    }

    lines.blank();
    lines.push("unanswered queries", &measured.unanswered.len().to_string());
    for query in measured.unanswered.iter().take(UNANSWERED) {
        lines.push("unanswered", &clean(query));
    }

    for segment in &measured.segments {
        lines.blank();
        let name = format!("[{}={}]", shorten_name(&segment.key, 40), shorten_name(&segment.value, 60));
        lines.push(&format!("queries {name}"), &segment.queries.to_string());
        for metric in &segment.metrics {
            lines.push(&format!("{} {name}", clean(&metric.metric)), &score(&metric.metric, metric.value));
        }
    }
    Some(lines.0)
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn push(&mut self, label: &str, value: &str) {
        // A label that is too long still stands apart from its value.
        let line = format!("{label:<width$}  {value}", width = COLUMN - 2);
        self.0 += line.trim_end();
        self.0.push('\n');
    }

    fn blank(&mut self) {
        self.0.push('\n');
    }
}
