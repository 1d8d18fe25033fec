//! `rankgate run`: specs as gates, without `cargo test`.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;
use rankgate::standalone::Standalone;

use crate::env;
use crate::exit::Exit;
use crate::gates;
use crate::progress;
use crate::results::{Format, Results};
use crate::selection::Selection;
use crate::shell::quoted_path;
use crate::terminal::Terminal;

/// Run the gates of specs
///
/// A suite (a file with `suite:`) is carried out after its benchmarks, which are carried out once, whether they are
/// named as well or not.
#[derive(Args)]
#[command(after_help = "\
Configurations may be run files, commands, services and the built-in bm25; \
those that name a retriever registered from Rust are run by `cargo test`, \
unless --retriever says which program serves it (docs/protocol.md).

Exit status: 0 every gate passed; 1 a gate failed or was inconclusive; 2 nothing failed, and \
something could not be decided: a spec or file with an error in it, a retriever that failed.

Examples:
  rankgate run benchmarks/helpdesk.yaml
  rankgate run benchmarks --filter stemmed:: --junit junit.xml
  rankgate run benchmarks/helpdesk.yaml --format json | jq '.gates[].verdict'
  rankgate run benchmarks --list
  rankgate run benchmarks/helpdesk.yaml --retriever 'mine=python3 search.py'
  rankgate run benchmarks --format json | jq --raw-output '.gates[] | select(.verdict == \"failed\") | .message'")]
pub(crate) struct Run {
    #[command(flatten)]
    selection: Selection,

    /// The folder for report files, in which each benchmark has its own [default: target/rankgate]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Also write results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// List the gates without running anything; as JSON a line for each spec
    #[arg(long, conflicts_with = "junit")]
    list: bool,

    /// The command that messages advise to accept today's answers with [default: rankgate bless SPEC]
    #[arg(long, value_name = "COMMAND")]
    accept_with: Option<String>,

    /// Output format: tables and messages, or one document for each spec; several as JSON are lines, one each
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Run {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if env::asks_to_bless() {
            terminal
                .note("RANKGATE_BLESS is for `cargo test`: nothing is blessed here; `rankgate bless` does");
        }
        let registry = self.selection.registry()?;
        if self.list {
            return gates::list(&self.selection, &registry, self.format, terminal);
        }
        let output = self.output.unwrap_or_else(|| {
            env::ignore_output();
            env::output()
        });
        let observer = progress::observer(terminal);
        let standalone = |spec: &Path| {
            let mut standalone = Standalone::new().registry(registry.clone()).output(&output);
            let accept_with = self.accept_with.clone();
            standalone.accept_with =
                Some(accept_with.unwrap_or_else(|| format!("rankgate bless {}", quoted_path(spec))));
            standalone.observer = observer.clone();
            standalone
        };
        let mut results = Results::new(terminal, self.format);
        let selection = &self.selection;
        let instead = "use `cargo test` or `pytest`, or name a program that serves it with `--retriever`";
        selection.each(&mut results, standalone, instead, |results, standalone, subject| {
            // A report of thousands of queries is not held beside the one that is written.
            subject.decide_where(|gate| selection.names(gate));
            match standalone.write_reports(subject) {
                Ok(()) => terminal.report(subject.name(), Path::new(&subject.page())),
                Err(error) => results.refuse(&error),
            }
            let report = subject.report();
            results.add(report)
        })?;
        results.conclude(self.junit.as_ref())
    }
}
