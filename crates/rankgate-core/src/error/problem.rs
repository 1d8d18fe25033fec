//! Errors in a text, each with its place, in the form that is shown.

use std::fmt;

use super::ErrorKind;

/// A range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends: the first byte behind it.
    pub end: u32,
}

/// One thing that is wrong with a YAML file.
#[derive(Clone, Debug)]
pub struct Problem {
    kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) at: Span,
    pub(crate) related: Option<Box<(Span, String)>>,
    pub(crate) helps: Vec<String>,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// With its line and a caret; empty where it has no place.
    pub(crate) shown: String,
}

impl Problem {
    /// The error, in one sentence without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line it is on, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The character of the line at which it starts, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What to do about it, most helpful first; often empty.
    pub fn helps(&self) -> impl ExactSizeIterator<Item = &str> {
        self.helps.iter().map(String::as_str)
    }
}

#[doc(hidden)]
impl Problem {
    pub fn new(at: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        let (helps, shown) = (Vec::new(), String::new());
        Self { kind: ErrorKind::BadInput, message, at, related: None, helps, line: 0, column: 0, shown }
    }

    /// A problem that is of another kind than bad input.
    #[must_use]
    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Another place that has to do with it, and how.
    #[must_use]
    pub fn related(mut self, at: Span, label: impl Into<String>) -> Self {
        self.related = Some(Box::new((at, label.into())));
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.helps.push(help.into());
        self
    }
}

/// Everything that is wrong with a YAML file, in the order of the lines.
///
/// [`Display`](fmt::Display) shows each problem with its line and a caret, as rustc does.
#[derive(Clone, Debug)]
pub struct Problems {
    pub(crate) file: String,
    pub(crate) problems: Vec<Problem>,
    /// How many there are besides.
    pub(crate) more: usize,
}

impl Problems {
    /// The file's name, as messages give it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The problems, in the order of the lines.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Problem> {
        self.problems.iter()
    }

    /// Their kind; errors of several kinds count as errors of the file.
    pub(super) fn kind(&self) -> ErrorKind {
        let kind = self.problems.first().map_or(ErrorKind::BadInput, |problem| problem.kind);
        if self.problems.iter().all(|problem| problem.kind == kind) { kind } else { ErrorKind::BadInput }
    }
}

#[doc(hidden)]
impl Problems {
    /// The largest number that is shown; mending these reveals the rest.
    pub const SHOWN: usize = 50;

    /// The text as a message that something else introduces with `error: `.
    pub fn fmt_after_error(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [problem] = &self.problems[..] {
            return f.write_str(problem.shown.strip_prefix("error: ").unwrap_or(&problem.shown));
        }
        let count = self.problems.len() + self.more;
        write!(f, "{count} errors in {}\n\n{self}", self.file())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().take(Self::SHOWN).enumerate() {
            let gap = if index == 0 { "" } else { "\n\n" };
            write!(f, "{gap}{}", problem.shown)?;
        }
        match self.problems.len().saturating_sub(Self::SHOWN) + self.more {
            0 => Ok(()),
            more => write!(f, "\n\n... and {more} more"),
        }
    }
}

impl std::error::Error for Problems {}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.problems.iter()
    }
}
