//! `rankgate power`: what a number of queries can show.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;
use rankgate::metric::Metric;
use rankgate::standalone::Standalone;
use rankgate::stats::Confidence;
use rankgate::suite::ComparingSuite;
use rankgate_offline::report::{plan_styled, suite_plan_styled, to_json};
use rankgate_offline::{PlannedCollection, Planning};

use crate::exit::Exit;
use crate::expected::{Expected, with_remedies};
use crate::format::Format;
use crate::inputs::{
    Conventions, Files, Grouping, STATISTICS, TableOptions, check_standard_input, metrics, name,
};
use crate::specs;
use crate::terminal::Terminal;

/// Say how small a difference these queries can show, and how many queries an effect takes
///
/// Of two runs the differences are observed, and the rule that decides is simulated on queries like these. Of one
/// run their spread has to be assumed, and the output says how.
///
/// The plan is for the decision of `compare` and of a gate: that the second run is a gain (improvement), or the
/// expectation of --expect. Effects are true gains; with --expect no-regression true drops; with non-inferiority and
/// equivalence margins that are kept where nothing is lost.
///
/// With --suite the runs are BASELINE CANDIDATE: folders that hold `<benchmark>.run`, or paths with `{}` in place of a
/// benchmark's name, as for compare. The rule of a suite is simulated, and the output says how many queries each collection
/// takes. Judgments, weights, groups and the confidence are the suite's.
#[derive(Args)]
#[command(override_usage = "\
rankgate power [OPTIONS] <QRELS> <RUN> [RUN2]
       rankgate power [OPTIONS] --suite <SUITE> <BASELINE> <CANDIDATE>")]
#[command(after_help = "\
Examples:
  rankgate power qrels.txt bm25.run dense.run -m nDCG@10
  rankgate power qrels.txt bm25.run -m nDCG@10 --effect 0.02
  rankgate power qrels.txt bm25.run dense.run --expect non-inferiority --margin 0.02
  rankgate power qrels.txt bm25.run dense.run -m RR@10 --effect 0.01 --effect 0.05 --power 0.9
  rankgate power qrels.txt bm25.run dense.run --queries queries.jsonl --cluster page
  rankgate power --suite search.yaml runs/old runs/new --effect 0.03 --harm-at-most 0.05")]
pub(crate) struct Power {
    /// Judgments: which documents are relevant to which query (- for standard input)
    qrels: PathBuf,

    /// A run
    run: PathBuf,

    /// A second one, for the spread of differences
    run2: Option<PathBuf>,

    /// A suite of several benchmarks: plan for the mean over all of their collections
    #[arg(long, value_name = "SUITE", conflicts_with_all = ["run2", "queries", "cluster", "confidence", "relevant_from", "skip_unjudgeable", "exclude_identical_ids", "units", "units_file", "keep", "documents"])]
    suite: Option<PathBuf>,

    /// With --suite: how much a candidate may lose in any single collection, in the metric's own units
    #[arg(long, value_name = "DIFFERENCE", requires = "suite")]
    harm_at_most: Option<f64>,

    /// The metric
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC", default_value = "nDCG@10")]
    metric: String,

    #[command(flatten)]
    expected: Expected,

    /// The queries with their metadata, for --cluster: JSON lines with _id and text
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
        let mut planning = Planning::new(metric.metric.clone())
            .confidence(Confidence::new(self.confidence)?)
            .power(self.power);
        if let Some(expected) = self.expected.expectation()? {
            let scores = expected.tested().ok_or("an expectation on rankings needs no number of queries")?;
            planning = planning.expect(scores);
        }
        if !self.effects.is_empty() {
            planning = planning.effects(self.effects.iter().copied());
        }
        if let Some(suite) = &self.suite {
            return self.of_suite(suite, &metric.metric, planning, terminal);
        }
        check_standard_input([&self.qrels, &self.run].into_iter().chain(&self.run2))?;
        let files = Files::with_tables(&self.tables);
        let collection = files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?;
        let read = |path| {
            let evaluation = files.evaluation(&collection, path, &self.conventions)?;
            Ok::<_, BoxError>(match &self.grouping.cluster {
                None => evaluation,
                Some(key) => evaluation.clustered_by(key)?,
            })
        };
        let first = (name(&self.run), read(&self.run)?);
        let planned = match &self.run2 {
            None => planning.of_run(&first.0, &first.1)?,
            Some(second) => planning.of_runs((&first.0, &first.1), (&name(second), &read(second)?))?,
        };
        self.format.print(terminal, || plan_styled(&planned, terminal.style()), || to_json(&planned))?;
        Ok(Exit::Passed)
    }

    /// Plans for the collections of a suite; the first path is then the baseline.
    fn of_suite(
        &self,
        suite: &Path,
        metric: &Metric,
        planning: Planning,
        terminal: &Terminal,
    ) -> Result<Exit, BoxError> {
        if let Some(limit) = self.harm_at_most.filter(|limit| !(*limit > 0.0 && limit.is_finite())) {
            return Err(format!("--harm-at-most is an amount above 0, not {limit}").into());
        }
        let opened = Standalone::new().registry(specs::registry()).open_suite(suite)?;
        if opened.spec().statistics.test.resamples() {
            return Err(
                "the suite decides by the bootstrap, and suites are planned for the permutation test only"
                    .into(),
            );
        }
        let sides = [self.qrels.as_path(), self.run.as_path()];
        let comparing = ComparingSuite::new([]).order(self.conventions.order());
        let differences = comparing.differences(opened.spec(), sides, metric).map_err(with_remedies(true))?;
        let collection =
            |(benchmark, share, differences)| PlannedCollection { benchmark, share, differences };
        let collections: Vec<PlannedCollection> = differences.into_iter().map(collection).collect();
        let planning = planning.confidence(opened.spec().statistics.confidence);
        let names = sides.map(|side| side.display().to_string());
        let planned =
            planning.of_suite(opened.name(), [&names[0], &names[1]], &collections, self.harm_at_most)?;
        self.format.print(
            terminal,
            || suite_plan_styled(&planned, terminal.style()),
            || to_json(&planned),
        )?;
        Ok(Exit::Passed)
    }
}
