//! Standard output and error.

use std::error::Error;
use std::io::{self, IsTerminal, Write};

use clap::builder::styling::{self, AnsiColor};
use rankgate::BoxError;
use rankgate::report::{self, Style};
use terminal_size::terminal_size_of;

use crate::env;

/// Where a command writes: results to standard output, everything else to standard error.
pub(crate) struct Terminal {
    quiet: bool,
    colour: bool,
}

impl Terminal {
    pub(crate) fn new(quiet: bool, no_color: bool) -> Self {
        Self { quiet, colour: !(no_color || env::no_color()) }
    }

    /// Whether to print nothing but results and errors.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// How results on standard output are shown: in colour on a terminal, unless that is forbidden.
    pub(crate) fn style(&self) -> Style {
        if self.colour && io::stdout().is_terminal() { Style::Colour } else { Style::Plain }
    }

    /// How wide tables may be: as the variable COLUMNS says, else as the terminal is, but never below what
    /// everything else takes; in a pipe that.
    pub(crate) fn width(&self) -> usize {
        const LEAST: usize = 80;
        let terminal = || terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        env::columns().or_else(terminal).map_or(LEAST, |width| width.max(LEAST))
    }

    /// Whether progress may be drawn: standard error is a terminal and --quiet is not set.
    pub(crate) fn draws_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Writes a result for people: in the log of GitHub Actions so that no line of it is a command.
    pub(crate) fn result(&self, text: &str) -> Result<(), BoxError> {
        if env::is_github() { self.raw(&report::defuse(text)) } else { self.raw(text) }
    }

    /// Writes a result for programs, as JSON; there with the same value in other characters, since the
    /// only place where JSON has a `#` is a string.
    pub(crate) fn json(&self, text: &str) -> Result<(), BoxError> {
        if env::is_github() { self.raw(&text.replace("##[", "#\\u0023[")) } else { self.raw(text) }
    }

    /// Writes output that programs read, unchanged.
    ///
    /// # Errors
    /// In a workflow of GitHub a line that would be a command to its runner, unless it goes into a file: what reads a pipe
    /// there may be the step's log.
    pub(crate) fn data(&self, text: &str) -> Result<(), BoxError> {
        if env::is_github() && !is_file() {
            let command =
                text.lines().zip(report::defuse(text).lines()).position(|(line, safe)| line != safe);
            if let Some(place) = command {
                return Err(format!(
                    "nothing was printed: line {} would be a command to the runner of GitHub Actions where it reached the \
                     step's log; let the shell write it into a file (`> FILE`)",
                    place + 1
                )
                .into());
            }
        }
        self.raw(text)
    }

    /// Writes to standard output. A reader that has gone away, such as `head`, is not an error.
    fn raw(&self, text: &str) -> Result<(), BoxError> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("cannot write to standard output: {error}").into())
            }
            _ => Ok(()),
        }
    }

    /// Prints a note, unless --quiet is set.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            drop(writeln!(io::stderr().lock(), "{}", harmless(text)));
        }
    }

    /// Says what should be known of a result even by those who want nothing but results.
    pub(crate) fn warn(&self, text: &str) {
        drop(writeln!(io::stderr().lock(), "warning: {}", harmless(text)));
    }

    /// Says what went wrong, with its causes.
    pub(crate) fn error(&self, error: &dyn Error) {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        let style = match self.colour && io::stderr().is_terminal() {
            true => AnsiColor::Red.on_default().bold(),
            false => styling::Style::new(),
        };
        drop(writeln!(io::stderr().lock(), "{style}error{style:#}: {}", harmless(&text)));
    }
}

/// Whether standard output is a file, which no runner reads.
fn is_file() -> bool {
    #[cfg(unix)]
    let own = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let own = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    #[cfg(any(unix, windows))]
    let is_file = own.and_then(|own| std::fs::File::from(own).metadata()).is_ok_and(|file| file.is_file());
    #[cfg(not(any(unix, windows)))]
    let is_file = false;
    is_file
}

/// Text that may come from data: nothing in it moves the cursor, and no line is a command to the runner
/// of GitHub Actions.
fn harmless(text: &str) -> String {
    let text = report::plain(text);
    if env::is_github() { report::defuse(&text) } else { text }
}
