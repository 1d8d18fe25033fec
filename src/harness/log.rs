//! What is said beside the results of tests, in a way that fits where it is read: a terminal, the report
//! of nextest, the log and the pages of GitHub Actions.

use std::io::Write;

use libtest_mimic::{Failed, Trial};

use crate::Result;
use crate::github::append_step_summary;
use crate::model::Report;
use crate::report;

use super::env::GitHub;

/// Where things are said.
pub(super) struct Log {
    pub(super) github: GitHub,
    /// Whether nextest keeps what is said, test by test.
    pub(super) is_nextest: bool,
    /// Whether a program reads standard output, which is for results alone then.
    pub(super) is_json: bool,
}

impl Log {
    /// A test that fails, for what has no test of its own.
    pub(super) fn failing(self: &std::sync::Arc<Self>, name: &str, message: String) -> Trial {
        let log = std::sync::Arc::clone(self);
        Trial::test(name, move || Err(log.failure(&message)))
    }

    /// A test's failure, as the runner prints it.
    pub(super) fn failure(&self, message: &str) -> Failed {
        let message = self.harmless(message);
        if self.is_nextest {
            // nextest takes the failure message of its JUnit report from such a line, and shows the whole
            // message with standard output.
            let headline = message.lines().next().unwrap_or_default();
            drop(writeln!(std::io::stderr().lock(), "Error: {headline}"));
        }
        Failed::from(message)
    }

    /// Says lines that are no results of tests.
    pub(super) fn say(&self, lines: &str) {
        if lines.is_empty() {
            return;
        }
        if self.is_json {
            self.note(lines);
        } else {
            drop(writeln!(std::io::stdout().lock(), "{}", self.harmless(lines)));
        }
    }

    /// Says what is neither a result nor a fault.
    pub(super) fn note(&self, line: &str) {
        drop(writeln!(std::io::stderr().lock(), "{}", self.harmless(line)));
    }

    /// Says what makes the whole run fail beside its tests.
    pub(super) fn error(&self, message: &str) {
        drop(writeln!(std::io::stderr().lock(), "error: {}", self.harmless(message)));
    }

    /// Tells GitHub of everything that this process has decided; nothing where that is but a share.
    pub(super) fn conclude(&self, reports: &[Report]) -> Result<()> {
        match &self.github.step_summary {
            Some(path) if !reports.is_empty() && !self.is_nextest => append_step_summary(path, reports),
            _ => Ok(()),
        }
    }

    /// Text in which no line is a command to the runner of GitHub Actions.
    fn harmless(&self, text: &str) -> String {
        if self.github.actions { report::defuse(text) } else { text.to_owned() }
    }
}
