//! `rankgate export`: a run for other tools, and reports for dashboards.

use std::path::PathBuf;

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::model::{Outcome, Report};
use rankgate::report;
use rankgate::run::{RunReader, RunWriter};

use super::report::current_reports;
use crate::exit::Exit;
use crate::inputs::{Files, TableOptions};
use crate::terminal::Terminal;

/// Print a run in the columns of TREC: query, Q0, document, rank, score, tag
///
/// Of a run in any form that is read: golden runs, JSON, Parquet, TREC itself. Ranks are those that decide here. A golden run
/// has no scores: falling whole numbers stand in their place, equal ones where documents tied.
///
/// With --openmetrics, --bencher or --badge prints what the last reports say, for dashboards. Nothing is asked or
/// computed.
#[derive(Args)]
#[command(override_usage = "\
rankgate export [OPTIONS] <RUN>
       rankgate export --openmetrics|--bencher|--badge [REPORT]...")]
#[command(after_help = "\
Examples:
  rankgate export golden/helpdesk/words.run > words.trec
  rankgate export golden/helpdesk/hnsw.run --repeat 2 | trec_eval qrels -
  rankgate export --openmetrics > /var/lib/node_exporter/rankgate.prom
  rankgate export --bencher > results.json    # bencher run --adapter json --file results.json
  rankgate export --badge target/rankgate/helpdesk/report.json > badge.svg")]
pub(crate) struct Export {
    /// The run, `-` for standard input; or specs, report.json files, and folders with reports in them [default for
    /// reports: target/rankgate]
    #[arg(value_name = "RUN|REPORT", required_unless_present_any = ["openmetrics", "bencher", "badge"])]
    of: Vec<PathBuf>,

    /// Print the values of reports with their intervals in the text format of OpenMetrics, for Prometheus
    #[arg(long, conflicts_with_all = OF_RUNS)]
    openmetrics: bool,

    /// Print the values of reports with their intervals as Bencher Metric Format, JSON for `bencher run`
    #[arg(long, conflicts_with_all = OF_RUNS, conflicts_with = "openmetrics")]
    bencher: bool,

    /// Print the verdicts of reports as a badge, in SVG
    #[arg(long, conflicts_with_all = OF_RUNS, conflicts_with_all = ["openmetrics", "bencher"])]
    badge: bool,

    /// What stands in the last column [default: as the run has it, else rankgate]
    #[arg(long, value_name = "WORD")]
    tag: Option<String>,

    /// Which ranking of each query, where a golden run has several, from 1
    #[arg(long, value_name = "N")]
    repeat: Option<usize>,

    /// Percent-encode blanks and `%` in ids, which no column can hold otherwise
    #[arg(long)]
    percent_encode: bool,

    #[command(flatten)]
    tables: TableOptions,
}

/// Options of runs alone.
const OF_RUNS: [&str; 4] = ["tag", "repeat", "percent_encode", "columns"];

impl Export {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if self.openmetrics || self.bencher || self.badge {
            return self.reports(terminal);
        }
        let [run] = &self.of[..] else {
            return Err("one run is printed at a time: name one".into());
        };
        let source = Files::new(&self.tables, None).run(run)?;
        let mut reader = RunReader::new();
        if let Some(repeat) = self.repeat {
            reader = reader.repeat(repeat);
        }
        let run = reader.read_source(&source)?;
        let own = Some(run.tag()).filter(|tag| !tag.is_empty()).unwrap_or("rankgate");
        let writer =
            RunWriter::new(self.tag.as_deref().unwrap_or(own)).percent_encoded_ids(self.percent_encode);
        let mut text = Vec::new();
        writer.write_to(&run, &mut text)?;
        terminal.data(&String::from_utf8(text)?)?;
        Ok(Exit::Passed)
    }

    /// Prints what dashboards read of reports, and says what is not in it.
    fn reports(&self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let reports = current_reports(&self.of)?;
        for report in &reports {
            warn_of_unmeasured(report, terminal);
        }
        let text = match (self.openmetrics, self.bencher) {
            (true, _) => report::openmetrics(&reports),
            (_, true) => report::bencher(&reports),
            _ => report::badge(&reports),
        };
        terminal.data(&text)?;
        Ok(Exit::Passed)
    }
}

fn warn_of_unmeasured(report: &Report, terminal: &Terminal) {
    let name = &report.benchmark;
    if report.error.is_some() {
        terminal.warn(&format!("{name}: its spec was not run, so it has no values"));
    }
    for one in &report.configurations {
        if let Outcome::Errored(_) = one.outcome {
            terminal.warn(&format!("{name}: {} could not be measured, and is left out", one.name));
        }
    }
}
