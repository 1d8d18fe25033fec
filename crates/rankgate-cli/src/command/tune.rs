//! `rankgate tune`: which setting, and whether it is believed.

use std::path::PathBuf;

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::metric::Metric;
use rankgate::spec::{Configuration, Sweep};
use rankgate::standalone::write_file;
use rankgate_health::{TuneDemand, TuneReport, tune, tune_cost, tune_json, tune_page, tune_text};

use crate::exit::Exit;
use crate::format::Format;
use crate::specs;
use crate::terminal::Terminal;

/// Choose a setting on half of the queries, and confirm it on the other half
///
/// Tries every setting of the `sweep` of a configuration. One half of the queries, by a hash of their ids, chooses; on the other the
/// best setting is compared with what stands in the spec today, by the paired test of gates. Each such look is written into the golden
/// folder and counted: the second is asked for half the p-value of the first. Prints first what nobody judged, by setting; then the
/// curve, which settings may be the best in truth, and what choosing gains on queries that did not choose.
///
/// Weights and methods of a fusion ask no retriever again. Settings of a retriever that is registered from Rust are asked by its
/// test: RANKGATE_TUNE=1 cargo test.
#[derive(Args)]
#[command(after_help = "\
The exit status is 0 where a gain is shown, or no setting is better than today's; 1 where a better setting is not shown to be \
better; 2 where it cannot be tried.

Examples:
  rankgate tune benchmarks/helpdesk.yaml
  rankgate tune benchmarks/helpdesk.yaml --for hybrid --metric nDCG@10 --no-look
  rankgate tune benchmarks/helpdesk.yaml --format json | jq '.[0].nested'
  rankgate tune benchmarks/helpdesk.yaml --page tune.html")]
pub(crate) struct Tune {
    /// The spec; some of its configurations have a `sweep`
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// Only this configuration; may be repeated
    #[arg(long = "for", value_name = "NAME")]
    configurations: Vec<String>,

    /// The metric that chooses [default: the first of the spec]
    #[arg(long, short, value_name = "METRIC")]
    metric: Option<Metric>,

    /// Leave the locked half alone: nothing is confirmed, and no look is counted
    #[arg(long)]
    no_look: bool,

    /// Try as many settings as there are, whatever that takes
    #[arg(long)]
    yes: bool,

    /// The key of the hash that halves the queries [default: the benchmark's name]
    #[arg(long, value_name = "TEXT")]
    key: Option<String>,

    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Write a page of HTML with every setting and the curve
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

impl Tune {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = specs::open_to_ask(&self.spec, terminal)?;
        let chosen = self.chosen(&benchmark)?;
        let metric = match (&self.metric, benchmark.spec().metrics.first()) {
            (Some(metric), _) => metric.clone(),
            (None, Some(metric)) => metric.clone(),
            (None, None) => return Err("the spec has no metric: name one with --metric".into()),
        };
        for configuration in &chosen {
            self.check_cost(&benchmark, configuration)?;
        }
        let demand = TuneDemand {
            metric,
            key: self.key.clone().unwrap_or_else(|| benchmark.name().to_owned()),
            look: !self.no_look,
        };
        let reports: Vec<TuneReport> = chosen
            .into_iter()
            .map(|configuration| tune(&benchmark, configuration, &demand))
            .collect::<Result<_, _>>()?;
        if let Some(path) = &self.page {
            write_file(path, &tune_page(&reports))?;
        }
        self.format.print(terminal, || tune_text(&reports), || tune_json(&reports))?;
        Ok(if reports.iter().all(is_settled) { Exit::Passed } else { Exit::Failed })
    }

    /// The configurations that are named, or all with a sweep that the spec does not ignore.
    fn chosen<'a>(&self, benchmark: &'a Benchmark) -> Result<Vec<&'a Configuration>, BoxError> {
        let all = || benchmark.spec().configurations.iter().filter(|one| one.variant.is_none());
        if self.configurations.is_empty() {
            let swept: Vec<&Configuration> =
                all().filter(|one| one.sweep.is_some() && one.ignore.is_none()).collect();
            if swept.is_empty() {
                return Err("no configuration of the spec has a `sweep`: add one, such as `sweep: {alpha: {from: 0, to: 1, step: 0.1}}`".into());
            }
            return Ok(swept);
        }
        let find = |name: &String| {
            let unknown = || {
                let known: Vec<&str> = all().map(|one| one.name.as_str()).collect();
                format!("the spec has no configuration `{name}`: there is {}", known.join(", "))
            };
            all().find(|one| one.name == *name).ok_or_else(|| unknown().into())
        };
        self.configurations.iter().map(find).collect()
    }

    /// Refuses a sweep that takes long, unless it is wanted.
    fn check_cost(&self, benchmark: &Benchmark, configuration: &Configuration) -> Result<(), BoxError> {
        let cost = tune_cost(benchmark, configuration)?;
        if self.yes || (cost.settings <= Sweep::MOST_SETTINGS && cost.questions <= Sweep::MOST_QUESTIONS) {
            return Ok(());
        }
        let questions = match cost.questions {
            0 => "no question to a retriever".to_owned(),
            questions => format!("{questions} questions to a retriever"),
        };
        Err(format!(
            "{}: {} settings, {questions}. That may take long, and of so many settings the best looks better than it is: try coarser \
             steps, or --yes",
            configuration.name, cost.settings
        )
        .into())
    }
}

/// Whether nothing is left to decide: a gain is shown, or there is none to show.
fn is_settled(report: &TuneReport) -> bool {
    report.best.is_none() || report.look.as_ref().is_some_and(|look| look.shown)
}
