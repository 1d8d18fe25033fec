//! Standard output and error.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::ValueEnum;
use clap::builder::styling::{self, AnsiColor};
use rankgate::BoxError;
use rankgate::report::{self, Style};
use serde::Serialize;
use terminal_size::terminal_size_of;

use crate::env;

/// Where a command writes: results to standard output, everything else to standard error.
pub(crate) struct Terminal {
    quiet: bool,
    colour: bool,
    messages: MessageFormat,
}

/// The form of what goes to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageFormat {
    /// For people
    #[default]
    Text,
    /// For programs: each message is an object on a line
    Json,
}

/// What a message is about.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Error,
    Warning,
    Note,
    /// Work that begins, goes on or has ended.
    Progress,
    /// Where a spec's report lies.
    Report,
    /// A command to the runner of GitHub Actions.
    Annotation,
}

/// A message, as programs read it.
#[derive(Serialize)]
struct Message<'a> {
    kind: Kind,
    text: &'a str,
    /// The spec's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    spec: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    benchmark: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'a Path>,
}

impl<'a> Message<'a> {
    fn new(kind: Kind, text: &'a str) -> Self {
        Self { kind, text, spec: None, benchmark: None, page: None }
    }

    fn write(&self) {
        // Of text and paths JSON can say everything but a path that is no Unicode.
        let Ok(line) = serde_json::to_string(self) else { return write_text(self.text) };
        drop(writeln!(io::stderr().lock(), "{}", inert_json(&line)));
    }
}

fn write_text(text: &str) {
    drop(writeln!(io::stderr().lock(), "{}", harmless(text)));
}

impl Terminal {
    pub(crate) fn new(quiet: bool, no_color: bool, messages: MessageFormat) -> Self {
        Self { quiet, colour: !(no_color || env::no_color()), messages }
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

    /// Writes a result for programs, as JSON.
    pub(crate) fn json(&self, text: &str) -> Result<(), BoxError> {
        self.raw(&inert_json(text))
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
            self.say(Kind::Note, text);
        }
    }

    /// Says what should be known of a result even by those who want nothing but results.
    pub(crate) fn warn(&self, text: &str) {
        self.say(Kind::Warning, text);
    }

    /// Says where the report of a benchmark or suite lies, unless --quiet is set.
    pub(crate) fn report(&self, benchmark: &str, page: &Path) {
        if self.quiet {
            return;
        }
        let text = format!("{benchmark}: full report: {}", page.display());
        match self.messages {
            MessageFormat::Text => write_text(&text),
            MessageFormat::Json => {
                Message { benchmark: Some(benchmark), page: Some(page), ..Message::new(Kind::Report, &text) }
                    .write()
            }
        }
    }

    /// What writes a line about work that takes long.
    pub(crate) fn progress(&self) -> fn(&str) {
        match self.messages {
            MessageFormat::Text => write_text,
            MessageFormat::Json => |text| Message::new(Kind::Progress, &report::plain(text)).write(),
        }
    }

    /// Whether lines about work go to a program, which wants to know of what takes long alone.
    pub(crate) fn is_read_by_program(&self) -> bool {
        self.messages == MessageFormat::Json
    }

    /// Writes commands to the runner of GitHub Actions.
    pub(crate) fn annotate(&self, commands: &str) {
        match self.messages {
            MessageFormat::Text => drop(io::stderr().lock().write_all(commands.as_bytes())),
            MessageFormat::Json => {
                commands.lines().for_each(|line| Message::new(Kind::Annotation, line).write())
            }
        }
    }

    /// Says what went wrong, with its causes.
    pub(crate) fn error(&self, error: &dyn Error) {
        self.error_in(None, error);
    }

    /// The same of a spec.
    pub(crate) fn error_in(&self, spec: Option<&Path>, error: &dyn Error) {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        if self.messages == MessageFormat::Json {
            return Message { spec, ..Message::new(Kind::Error, &report::plain(&text)) }.write();
        }
        let style = match self.colour && io::stderr().is_terminal() {
            true => AnsiColor::Red.on_default().bold(),
            false => styling::Style::new(),
        };
        drop(writeln!(io::stderr().lock(), "{style}error{style:#}: {}", harmless(&text)));
    }

    fn say(&self, kind: Kind, text: &str) {
        match (self.messages, kind) {
            (MessageFormat::Json, _) => Message::new(kind, &report::plain(text)).write(),
            (MessageFormat::Text, Kind::Warning) => write_text(&format!("warning: {text}")),
            (MessageFormat::Text, _) => write_text(text),
        }
    }
}

/// JSON with the same value in other characters: in the log of GitHub Actions no line is a command to its runner. The only
/// place where JSON has a `#` is a string.
fn inert_json(text: &str) -> std::borrow::Cow<'_, str> {
    if env::is_github() { text.replace("##[", "#\\u0023[").into() } else { text.into() }
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
