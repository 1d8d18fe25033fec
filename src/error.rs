//! The one error type of the crate.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::yaml::Problems;

/// Anything that can go wrong: a file that cannot be read, a line that cannot be parsed, an
/// argument outside its domain, a retriever that failed.
///
/// Messages are lower-case fragments that read well after `error: `; a message about a file names
/// the file, the line and the offending text. The underlying cause, where there is one, is
/// [`source`](std::error::Error::source).
pub struct Error(Box<ErrorKind>);

/// What kind of error an [`Error`] is.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused an operation on a file.
    Io {
        /// What was being done, such as `cannot read`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// A file holds something that its format does not allow.
    Input {
        /// The file, or a name for what is being read when it is not a file.
        path: PathBuf,
        /// 1-based line number, where one is known.
        line: Option<u64>,
        /// The offending text, where quoting it helps.
        text: Option<String>,
        /// What is wrong.
        message: String,
    },
    /// A YAML file holds what it should not; everything that is wrong with it at once.
    Problems(Problems),
    /// A retriever gave no usable answer; a [`Failure`](crate::retriever::Failure).
    Retrieval(Box<dyn std::error::Error + Send + Sync>),
    /// A value given by the caller is outside its domain: an unknown metric, an empty sample, a
    /// confidence of 2.
    Invalid {
        /// What is wrong.
        message: String,
    },
}

/// Offending text is quoted up to this many characters.
const QUOTE: usize = 80;

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self(Box::new(ErrorKind::Io { action, path: path.to_owned(), source }))
    }

    /// An error at a line of a file, quoting the offending text.
    pub(crate) fn at_line(path: &Path, line: u64, text: &str, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorKind::Input {
            path: path.to_owned(),
            line: Some(line),
            text: Some(text.to_owned()),
            message: message.into(),
        }))
    }

    /// An error in a file as a whole.
    pub(crate) fn in_file(path: &Path, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorKind::Input {
            path: path.to_owned(),
            line: None,
            text: None,
            message: message.into(),
        }))
    }

    pub(crate) fn problems(problems: Problems) -> Self {
        Self(Box::new(ErrorKind::Problems(problems)))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self(Box::new(ErrorKind::Invalid { message: message.into() }))
    }

    pub(crate) fn retrieval(failure: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(ErrorKind::Retrieval(Box::new(failure))))
    }

    /// What kind of error this is.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

/// As people read it, causes included: this is what `fn main() -> Result<(), rankgate::Error>` and
/// `unwrap` print.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&chain(self))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::Io { action, path, .. } => write!(f, "{action} {}", path.display()),
            ErrorKind::Input { path, line, text, message } => {
                write!(f, "{}", path.display())?;
                if let Some(line) = line {
                    write!(f, ":{line}")?;
                }
                write!(f, ": {message}")?;
                match text {
                    Some(text) => write!(f, ": {}", Quoted(text)),
                    None => Ok(()),
                }
            }
            ErrorKind::Problems(problems) => problems.fmt_after_error(f),
            ErrorKind::Retrieval(failure) => write!(f, "{failure}"),
            ErrorKind::Invalid { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// An error with all that caused it: `Display` alone loses the causes.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some libraries already print their cause.
        if !text.ends_with(&cause_text) {
            text += ": ";
            text += &cause_text;
        }
        source = cause.source();
    }
    text
}

/// Text from data, between backticks, shortened, with control characters made visible so that it
/// cannot move a terminal's cursor.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Excerpt(self.0, QUOTE).fmt(f)
    }
}

/// The same with another limit: for an answer that explains itself in its own words.
pub(crate) struct Excerpt<'a>(pub(crate) &'a str, pub(crate) usize);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`")?;
        let mut rest = self.0.chars();
        for c in rest.by_ref().take(self.1) {
            if c.is_control() {
                write!(f, "{}", c.escape_default())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        f.write_str("`")?;
        if rest.next().is_some() {
            f.write_str("...")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_a_line_names_file_line_and_text() {
        let error = Error::at_line(Path::new("a.run"), 3, "q1 Q0\td1", "expected 6 columns, found 3");
        assert_eq!(error.to_string(), r"a.run:3: expected 6 columns, found 3: `q1 Q0\td1`");
    }

    #[test]
    fn long_text_is_shortened() {
        assert_eq!(Quoted(&"x".repeat(100)).to_string(), format!("`{}`...", "x".repeat(80)));
    }
}
