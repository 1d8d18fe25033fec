//! `rankgate floor`: the score below which a system should say nothing.

use std::path::PathBuf;

use crate::health::{
    FloorDemand, FloorOutcome, FloorReport, HeldOut, choose_floor, floor_json, floor_scores, floor_text,
};
use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::spec::Configuration;

use crate::exit::Exit;
use crate::format::Format;
use crate::specs;
use crate::terminal::Terminal;

/// Choose the score below which a system should say nothing
///
/// Asks the configurations of a spec, and finds for each the lowest floor at which so few of its unanswerable queries are
/// shown to be answered. Half of these queries choose it, by Learn then Test with exact binomial tails; the other half
/// tests it. Prints what each floor costs in false silences, and how many more queries would allow fewer false answers. A
/// `floor` that a configuration has already is left out of account.
#[derive(Args)]
#[command(after_help = "\
The exit status is 0 where a floor was chosen, or none is needed, and the other half does not contradict it; 1 where \
there are too few unanswerable queries, or the other half contradicts it; 2 where a configuration cannot be asked or \
has no scores.

Examples:
  rankgate floor benchmarks/helpdesk.yaml
  rankgate floor benchmarks/helpdesk.yaml --false-answer 0.02 --confidence 0.9 --for dense
  rankgate floor benchmarks/helpdesk.yaml --format json | jq '.[0].floor'")]
pub(crate) struct Floor {
    /// The spec; its collection has queries with `answerable: false`
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// The share of unanswerable queries that may be answered
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    false_answer: f64,

    /// The probability with which the true share is no larger
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    confidence: f64,

    /// Only this configuration; may be repeated
    #[arg(long = "for", value_name = "NAME")]
    configurations: Vec<String>,

    /// The key of the hash that halves the queries [default: the benchmark's name]
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,

    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Floor {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = specs::open_to_ask(&self.spec, terminal)?;
        let demand = FloorDemand {
            false_answer: self.false_answer,
            confidence: self.confidence,
            key: self.key.clone().unwrap_or_else(|| benchmark.name().to_owned()),
            gates: benchmark.spec().statistics.confidence,
        };
        demand.check()?;
        let reports: Vec<FloorReport> = self
            .chosen(&benchmark)?
            .into_iter()
            .map(|configuration| {
                let (unanswerable, answerable) = floor_scores(&benchmark, configuration)?;
                let names = (benchmark.name(), configuration.name.as_str());
                Ok(choose_floor(&demand, names, &unanswerable, &answerable)?)
            })
            .collect::<Result<_, BoxError>>()?;
        self.format.print(terminal, || floor_text(&reports), || floor_json(&reports))?;
        Ok(if reports.iter().all(is_usable) { Exit::Passed } else { Exit::Failed })
    }

    /// The configurations that are named, or all that the spec does not ignore; a variant asks no unanswerable queries.
    fn chosen<'a>(&self, benchmark: &'a Benchmark) -> Result<Vec<&'a Configuration>, BoxError> {
        let spec = benchmark.spec();
        let of_spec = || spec.configurations.iter();
        if self.configurations.is_empty() {
            return Ok(of_spec().filter(|one| one.ignore.is_none()).collect());
        }
        let find = |name: &String| {
            let unknown = || {
                let known: Vec<&str> = of_spec().map(|one| one.name.as_str()).collect();
                format!("the spec has no configuration `{name}`: there is {}", known.join(", "))
            };
            of_spec().find(|one| one.name == *name).ok_or_else(|| unknown().into())
        };
        self.configurations.iter().map(find).collect()
    }
}

/// Whether the floor, or that there is none, can be used.
fn is_usable(report: &FloorReport) -> bool {
    report.outcome != FloorOutcome::TooFewQueries && report.held_out != Some(HeldOut::Broken)
}
