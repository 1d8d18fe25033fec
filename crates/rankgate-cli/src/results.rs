//! The common parts of commands on specs: results printed, reported to CI systems, and counted.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use rankgate::benchmark::model::{Outcome, Report, Verdict};
use rankgate::github::append_step_summary;
use rankgate::report::{self, Style};
use rankgate::standalone::{Subject, write_file};
use rankgate::{BoxError, Error};

use crate::env;
use crate::exit::Exit;
use crate::rendering::{BrokenSpec, annotations, junit as junit_xml};
use crate::terminal::Terminal;

/// The form of the reports on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Markdown,
}

/// Everything that came of the specs of one command.
pub(crate) struct Results<'a> {
    terminal: &'a Terminal,
    format: Format,
    /// Whether each report is a line of JSON: there may be several.
    lines: bool,
    reports: Vec<Report>,
    broken: Vec<BrokenSpec>,
    /// Something was refused that has no report and is no broken spec.
    undecided: bool,
    /// The spec that is carried out.
    current: Option<PathBuf>,
}

impl<'a> Results<'a> {
    pub(crate) fn new(terminal: &'a Terminal, format: Format) -> Self {
        Self {
            terminal,
            format,
            lines: false,
            reports: Vec::new(),
            broken: Vec::new(),
            undecided: false,
            current: None,
        }
    }

    /// Says how many specs or reports there are, before the first of them is added: of several each is a line of JSON,
    /// whether or not the others succeed.
    pub(crate) fn expect(&mut self, number: usize) {
        self.lines = number > 1;
    }

    /// Takes a report and prints it.
    pub(crate) fn add(&mut self, report: Report) -> Result<(), BoxError> {
        let gap = if self.reports.is_empty() { "" } else { "\n" };
        let printed = match self.format {
            Format::Text => {
                self.terminal.result(&(gap.to_owned() + &report::text_styled(&report, self.style())))
            }
            Format::Json if self.lines => self.terminal.json(&report::json_line(&report)),
            Format::Json => self.terminal.json(&report::json(&report)),
            Format::Markdown => self.terminal.result(&(gap.to_owned() + &report::markdown(&report))),
        };
        self.reports.push(report);
        printed
    }

    /// Takes a spec that cannot be read, and says why.
    pub(crate) fn add_broken(&mut self, file: &Path, error: &Error) {
        self.terminal.error_in(Some(file), error);
        self.broken.push(BrokenSpec::new(file.display().to_string(), error));
    }

    /// Takes a spec that can be read and not be run, and says why.
    pub(crate) fn add_refused(&mut self, file: &Path, line: Option<usize>, message: String) {
        let name = file.display().to_string();
        self.terminal.error_in(Some(file), &*BoxError::from(format!("{name}: {message}")));
        self.broken.push(BrokenSpec { file: name, line, message });
    }

    /// Takes a spec whose name another one has already; the message.
    pub(crate) fn add_twin(&mut self, file: &Path, other: &Subject) -> String {
        let message = format!("{} already has a {} of this name", other.path().display(), other.kind());
        self.add_refused(file, None, message.clone());
        message
    }

    /// Takes the report of a spec that could not be run, and says why.
    pub(crate) fn add_unrun(&mut self, report: &Report, message: &str) {
        self.terminal.error(&*BoxError::from(message));
        let (file, message) = (report.spec.clone(), message.to_owned());
        self.broken.push(BrokenSpec { file, line: None, message });
    }

    /// What is refused from here on is refused of this spec; of none, of all.
    pub(crate) fn concern(&mut self, spec: Option<PathBuf>) {
        self.current = spec;
    }

    /// Takes something that keeps gates from being decided, and says it.
    pub(crate) fn refuse(&mut self, error: &dyn std::error::Error) {
        self.terminal.error_in(self.current.as_deref(), error);
        self.undecided = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.reports.is_empty() && self.broken.is_empty() && !self.undecided
    }

    /// Prints one line for each spec, writes what CI systems read, and says how the command ends.
    pub(crate) fn conclude(mut self, junit: Option<&PathBuf>) -> Result<Exit, BoxError> {
        self.summarize()?;
        if let Some(file) = junit {
            let xml = junit_xml(&self.reports, &self.broken);
            if let Err(error) = write_file(file, &xml) {
                self.refuse(&error);
            }
        }
        if env::is_github() {
            let folder = env::folder_in_repository();
            self.terminal.annotate(&annotations(&self.reports, &self.broken, &folder));
        }
        if let Some(file) = env::step_summary()
            && !self.reports.is_empty()
            && let Err(error) = append_step_summary(file, &self.reports)
        {
            self.refuse(&error);
        }
        Ok(self.exit())
    }

    /// How a command ends that decides no gates: by its specs alone.
    pub(crate) fn end_without_verdicts(self) -> Exit {
        if self.broken.is_empty() && !self.undecided { Exit::Passed } else { Exit::Undecided }
    }

    fn summarize(&self) -> Result<(), BoxError> {
        let line = |report| report::summary_line_styled(report, self.style()) + "\n";
        let mut lines: String = self.reports.iter().map(line).collect();
        // Whoever reads the last line alone has to see them as well.
        match self.broken.len() {
            broken if broken == 0 || lines.is_empty() => {}
            1 => lines += "1 spec was not run: why stands above\n",
            more => lines += &format!("{more} specs were not run: why stands above\n"),
        }
        match self.format {
            Format::Text if !lines.is_empty() => self.terminal.result(&format!("\n{lines}")),
            _ => Ok(()),
        }
    }

    fn exit(&self) -> Exit {
        // Where there is no gate, nothing else tells that a configuration could not be measured.
        let unmeasured = |report: &Report| {
            let outcomes = report.configurations.iter().map(|configuration| &configuration.outcome);
            report.gates_in_spec == 0 && outcomes.into_iter().any(|one| matches!(one, Outcome::Error(_)))
        };
        let failing = || {
            let of_report = |report: &'_ Report| {
                let gates = report.gates.iter().filter(|gate| report.fails_by(gate));
                gates.map(|gate| gate.verdict).collect::<Vec<_>>()
            };
            self.reports.iter().flat_map(of_report)
        };
        if failing().any(|verdict| verdict != Verdict::Error) {
            Exit::Failed
        } else if self.undecided
            || !self.broken.is_empty()
            || failing().next().is_some()
            || self.reports.iter().any(unmeasured)
        {
            Exit::Undecided
        } else {
            Exit::Passed
        }
    }

    fn style(&self) -> Style {
        self.terminal.style()
    }
}
