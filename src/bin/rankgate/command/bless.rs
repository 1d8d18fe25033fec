//! `rankgate bless`: golden files, without `cargo test`.

use std::path::Path;

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::model::Outcome;
use rankgate::report;
use rankgate::standalone::Standalone;

use crate::exit::Exit;
use crate::progress;
use crate::results::{Format, Results};
use crate::selection::Selection;
use crate::shell::quoted_path;
use crate::specs;
use crate::terminal::Terminal;

/// Write golden runs and snapshots: accept what retrievers answer now
#[derive(Args)]
#[command(after_help = "\
Writes what `RANKGATE_BLESS=1 cargo test` writes, so that both ways may be mixed: the run of \
each configuration, and its metric report where the spec says `snapshot: true`. Only what changed is \
written, never for a configuration that fails, and never on a CI machine. Limits in the spec stay as \
they are.

Exit status: 0 everything is blessed, whatever the gates say; 2 something is not.

Examples:
  rankgate bless benchmarks/helpdesk.yaml
  rankgate bless benchmarks --filter stemmed::")]
pub(crate) struct Bless {
    #[command(flatten)]
    selection: Selection,
}

impl Bless {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let blessing = Standalone::new().registry(specs::registry()).bless()?;
        let observer = progress::observer(terminal);
        let standalone = |_: &Path| match &observer {
            Some(observer) => blessing.clone().observer(observer.clone()),
            None => blessing.clone(),
        };
        let mut results = Results::new(terminal, Format::Text);
        let selection = &self.selection;
        let instead = "use `RANKGATE_BLESS=1 cargo test`";
        selection.each(&mut results, standalone, instead, |results, _, benchmark| {
            let report = benchmark.run_where(|gate| selection.takes(benchmark, gate));
            if let Err(error) = benchmark.bless_measured() {
                results.refuse(&error);
            }
            terminal.result(&report::golden_files(&benchmark.blessed()))?;
            for configuration in &report.configurations {
                if let Outcome::Errored(failure) = &configuration.outcome {
                    let name = &configuration.name;
                    let left = format!("{}: {name} is not blessed: {failure}", benchmark.name());
                    results.refuse(&*BoxError::from(left));
                }
            }
            let failing = report.gates.iter().filter(|gate| !gate.verdict.is_ok()).count();
            if failing > 0 {
                terminal.note(&format!(
                    "{}: {failing} of its gates do not pass; `rankgate run {}` says why",
                    benchmark.name(),
                    quoted_path(&benchmark.spec().path)
                ));
            }
            Ok(())
        })?;
        Ok(results.end_of_blessing())
    }
}
