//! Standard output and error.

use std::borrow::Cow;
use std::error::Error;
use std::io::{self, IsTerminal, Write};

use clap::builder::styling::{AnsiColor, Style};
use rankgate::BoxError;

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

    /// Whether nothing but results and errors is to be said.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether results on standard output may be coloured.
    pub(crate) fn colours_results(&self) -> bool {
        self.colour && io::stdout().is_terminal()
    }

    /// Whether progress may be drawn: standard error is a terminal and nobody asked for quiet.
    pub(crate) fn draws_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Writes a result. A reader that has gone away, such as `head`, is not an error.
    pub(crate) fn result(&self, text: &str) -> Result<(), BoxError> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("cannot write to standard output: {error}").into())
            }
            _ => Ok(()),
        }
    }

    /// Says something that is not a result, unless it was asked to be quiet.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            drop(writeln!(io::stderr().lock(), "{}", harmless(text)));
        }
    }

    /// Says what should be known of a result even by those who want nothing but results.
    pub(crate) fn warn(&self, text: &str) {
        // What a retriever says must not move the cursor.
        let safe = |c: char| match c.is_control() && c != '\n' {
            true => c.escape_default().to_string(),
            false => c.to_string(),
        };
        let text: String = text.chars().map(safe).collect();
        drop(writeln!(io::stderr().lock(), "warning: {text}"));
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
            false => Style::new(),
        };
        drop(writeln!(io::stderr().lock(), "{style}error{style:#}: {}", harmless(&text)));
    }
}

/// Text that may come from data, in which no line is a command to the runner of GitHub Actions.
fn harmless(text: &str) -> Cow<'_, str> {
    if env::is_github() { Cow::Owned(rankgate::report::defuse(text)) } else { Cow::Borrowed(text) }
}
