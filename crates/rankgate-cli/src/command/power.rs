//! `rankgate power`: what a number of queries can show.

use std::path::PathBuf;

use crate::offline::Planning;
use crate::offline::report::{plan_styled, to_json};
use clap::Args;
use rankgate::BoxError;
use rankgate::stats::Confidence;

use crate::exit::Exit;
use crate::expected::{CoverageOptions, Expected, with_remedy};
use crate::format::Format;
use crate::inputs::{
    Conventions, Files, Grouping, STATISTICS, TableOptions, check_standard_input, metrics, name,
};
use crate::terminal::Terminal;

/// Compute the smallest difference that queries can show, and how many it takes
///
/// Of two runs the differences are observed. Of one
/// run their spread has to be assumed, and the output says how.
///
/// The plan is for the decision of `compare` and of a gate: that the second run is a gain (improvement), or the
/// expectation of --expect. Effects are true gains; with --expect no-regression true drops; with non-inferiority and
/// equivalence margins that are kept where nothing is lost.
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate power qrels.txt bm25.run dense.run -m nDCG@10
  rankgate power qrels.txt bm25.run -m nDCG@10 --effect 0.02
  rankgate power qrels.txt bm25.run dense.run --expect non-inferiority --margin 0.02
  rankgate power qrels.txt bm25.run dense.run -m RR@10 --effect 0.01 --effect 0.05 --power 0.9
  rankgate power qrels.txt bm25.run dense.run --queries queries.jsonl --group-by page")]
pub(crate) struct Power {
    /// Judgments: which documents are relevant to which query (- for standard input)
    qrels: PathBuf,

    /// A run
    run: PathBuf,

    /// A second one, for the spread of differences
    run2: Option<PathBuf>,

    /// The metric
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC", default_value = "nDCG@10")]
    metric: String,

    #[command(flatten)]
    expected: Expected,

    #[command(flatten)]
    coverage: CoverageOptions,

    /// The queries with their metadata, for --group-by: JSON lines with _id and text
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,

    #[command(flatten)]
    grouping: Grouping,

    /// Drops, gains or margins to plan for, in the metric's own units; may be given several times
    #[arg(long = "effect", value_name = "DIFFERENCE", allow_negative_numbers = true)]
    effects: Vec<f64>,

    /// Probability with which a true difference is to be shown
    #[arg(long, default_value_t = 0.8, help_heading = STATISTICS)]
    power: f64,

    /// Confidence of the two-sided test
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    confidence: f64,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    #[command(flatten)]
    conventions: Conventions,

    #[command(flatten)]
    tables: TableOptions,
}

impl Power {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let metrics = metrics(std::slice::from_ref(&self.metric), "")?;
        let [metric] = metrics.as_slice() else {
            return Err(
                format!("power is planned for one metric at a time, not for `{}`", self.metric).into()
            );
        };
        let mut planning = Planning {
            confidence: Confidence::new(self.confidence)?,
            power: self.power,
            effects: self.effects.clone(),
            min_coverage: self.coverage.share()?,
            ..Planning::new(metric.metric.clone())
        };
        if let Some(expected) = self.expected.expectation()? {
            let scores = expected.tested().ok_or("an expectation on rankings needs no number of queries")?;
            planning.expect = scores;
        }
        check_standard_input([&self.qrels, &self.run].into_iter().chain(&self.run2))?;
        let files = Files::new(&self.tables, self.conventions.order());
        let collection = files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?;
        let read = |path| {
            let evaluation = files.evaluation(&collection, path, &self.conventions)?;
            Ok::<_, BoxError>(match &self.grouping.group_by {
                None => evaluation,
                Some(key) => evaluation.clustered_by(key)?,
            })
        };
        let first = (name(&self.run), read(&self.run)?);
        let planned = match &self.run2 {
            None => planning.of_run(&first.0, &first.1),
            Some(second) => planning.of_runs((&first.0, &first.1), (&name(second), &read(second)?)),
        };
        let planned = planned.map_err(with_remedy)?;
        self.format.print(terminal, || plan_styled(&planned, terminal.style()), || to_json(&planned))?;
        Ok(Exit::Passed)
    }
}
