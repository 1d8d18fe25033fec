//! `rankgate bless`: golden files, without `cargo test`.

use std::path::Path;

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::model::Outcome;
use rankgate::report;
use rankgate::standalone::{Standalone, Subject, with_option, without_blessing};

use crate::exit::Exit;
use crate::progress;
use crate::results::{Format, Results};
use crate::selection::Selection;
use crate::shell::quoted_path;
use crate::terminal::Terminal;

/// Accept the answers of today: write golden runs and snapshots
#[derive(Args)]
#[command(after_help = "\
Writes what `RANKGATE_BLESS=1 cargo test` writes, so that both ways may be mixed: the run of \
each configuration, and its metric report where the spec says `snapshot: true`. What changed is printed \
as Markdown for whoever reviews it. Only what changed is written, never for a configuration that could not \
be measured, and never on a CI machine. Golden files that are there are left alone where a blocking \
threshold of their configuration fails, unless --force is given. Limits in the spec stay as they are.

A history goes on to show an alarm of a loss that was blessed, until somebody acknowledges it. --accept-loss says with \
the bless that the loss is wanted: golden runs record it (`# loss: accepted`), and no alarm is raised of it.

Exit status: 0 everything is blessed, whatever other gates say; 2 something is not.

Examples:
  rankgate bless benchmarks/helpdesk.yaml
  rankgate bless benchmarks --filter stemmed::")]
pub(crate) struct Bless {
    #[command(flatten)]
    selection: Selection,

    /// Bless configurations as well whose blocking thresholds fail
    #[arg(long)]
    force: bool,

    /// The command that messages advise, with its options behind it [default: rankgate bless SPEC]
    #[arg(long, value_name = "COMMAND")]
    accept_with: Option<String>,

    /// Accept what is lost with the new rankings: `rankgate history` and servers raise no alarm of it
    #[arg(long)]
    accept_loss: bool,
}

impl Bless {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let mut blessing = Standalone::new().registry(self.selection.registry()?).bless()?;
        blessing = blessing.blessing_all(self.force, self.accept_loss);
        blessing.observer = progress::observer(terminal);
        let standalone = |_: &Path| blessing.clone();
        let mut results = Results::new(terminal, Format::Text);
        let (selection, accept_with) = (&self.selection, &self.accept_with);
        let instead = "use `RANKGATE_BLESS=1 cargo test` or `pytest --rankgate-bless`";
        let mut gap = "";
        selection.each(&mut results, standalone, instead, |results, _, subject| {
            // A suite has no golden files of its own: those of its benchmarks are written.
            let Subject::Benchmark(benchmark) = subject else { return Ok(()) };
            let mut report = benchmark.run_where(|gate| selection.names(gate));
            if let Err(error) = benchmark.bless_measured() {
                results.refuse(&error);
            }
            // Read before the files were written; what was done to them is known by now.
            report.blessings = benchmark.blessings();
            terminal.result(&(gap.to_owned() + &report::golden_files(&report)))?;
            gap = "\n";
            let spec = quoted_path(&benchmark.spec().path);
            for refused in report.blessings.iter().filter(|one| one.refused) {
                let refusal = report::refusal(benchmark.name(), refused);
                let command = accept_with.clone().unwrap_or_else(|| format!("rankgate bless {spec}"));
                let force =
                    format!("{refusal}; `{}` blesses it all the same", with_option(&command, "force"));
                results.refuse(&*BoxError::from(force));
            }
            for configuration in &report.configurations {
                if let Outcome::Error(failure) = &configuration.outcome {
                    let name = &configuration.name;
                    let left = format!("{}: {name} is not blessed: {failure}", benchmark.name());
                    results.refuse(&*BoxError::from(left));
                }
            }
            let failing = report.gates.iter().filter(|gate| gate.verdict.fails()).count();
            if failing > 0 {
                let deciding = accept_with.as_deref().and_then(without_blessing);
                let says = deciding.map_or_else(|| format!("rankgate run {spec}"), str::to_owned);
                let name = benchmark.name();
                terminal.note(&format!("{name}: {failing} of its gates do not pass; `{says}` says why"));
            }
            Ok(())
        })?;
        Ok(results.end_without_verdicts())
    }
}
