//! The one error type of the crate.

mod detour;
mod kind;
mod problem;
mod quoted;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use detour::direct;
pub use kind::ErrorKind;
pub use problem::Span;
pub use problem::{Problem, Problems};
use quoted::Named;
pub use quoted::{Excerpt, Quoted};

/// Anything that can go wrong: a file that cannot be read, a line that cannot be parsed, an
/// argument outside its domain, a retriever that failed.
///
/// Messages are lower-case fragments that read well after `error: `; a message about a file names
/// the file, the line and the offending text. The underlying cause, where there is one, is
/// [`source`](std::error::Error::source). A clone costs nothing and is the same error.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

// An error is never changed, whatever its source is.
impl std::panic::UnwindSafe for Error {}
impl std::panic::RefUnwindSafe for Error {}

struct Inner {
    kind: ErrorKind,
    what: What,
}

/// The contents of an error.
enum What {
    /// The operating system refused an operation on a file.
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    /// A file holds something that its format does not allow; a line and its text, where they are known.
    Input { path: PathBuf, line: Option<(u64, Option<String>)>, message: String },
    /// Everything that is wrong with a YAML file at once.
    Problems(Problems),
    /// An error of another type, such as that of a retriever, in its own words.
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// A sentence.
    Said(String),
}

impl Error {
    fn new(kind: ErrorKind, what: What) -> Self {
        Self(Arc::new(Inner { kind, what }))
    }

    /// What kind of error this is, and so who can mend it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The error of another type that this one is, if it is one: for callers that know more about it.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        match &self.0.what {
            What::Other(error) => error.downcast_ref(),
            _ => None,
        }
    }

    /// Of a YAML file: everything that is wrong with it, each with its place.
    pub fn yaml_problems(&self) -> Option<&Problems> {
        match &self.0.what {
            What::Problems(problems) => Some(problems),
            _ => None,
        }
    }
}

#[doc(hidden)]
impl Error {
    /// A file that was named cannot be read.
    pub fn io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::new(ErrorKind::of_reading(&source), What::Io { action, path: direct(path), source })
    }

    /// A file of our own cannot be written.
    pub fn output(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Internal, What::Io { action, path: direct(path), source })
    }

    /// An error at a line of a file, quoting the offending text.
    pub fn at_line(path: &Path, line: u64, text: &str, message: impl Into<String>) -> Self {
        let line = Some((line, Some(text.to_owned())));
        Self::new(ErrorKind::BadInput, What::Input { path: direct(path), line, message: message.into() })
    }

    /// An error at a line of a file, whose message quotes what offends.
    pub fn in_line(path: &Path, line: u64, message: impl Into<String>) -> Self {
        Self::new(
            ErrorKind::BadInput,
            What::Input { path: direct(path), line: Some((line, None)), message: message.into() },
        )
    }

    /// An error in a file as a whole.
    pub fn in_file(path: &Path, message: impl Into<String>) -> Self {
        Self::of_file(ErrorKind::BadInput, path, message)
    }

    /// A sentence about something of this kind, of a file as a whole.
    pub fn of_file(kind: ErrorKind, path: &Path, message: impl Into<String>) -> Self {
        Self::new(kind, What::Input { path: direct(path), line: None, message: message.into() })
    }

    /// A value outside its domain: an unknown metric, an empty sample, a confidence of 2.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::with_kind(ErrorKind::BadInput, message)
    }

    /// A sentence about something of this kind.
    pub fn with_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, What::Said(message.into()))
    }

    pub fn problems(problems: Problems) -> Self {
        Self::new(problems.kind(), What::Problems(problems))
    }

    /// An error of another type, in its own words.
    pub fn other(kind: ErrorKind, error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::new(kind, What::Other(Box::new(error)))
    }
}

/// As its kind and its text, causes included: processes of one test run tell each other what failed.
impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.kind(), chain(self)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Error {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (kind, text) = <(ErrorKind, String)>::deserialize(deserializer)?;
        Ok(Self::with_kind(kind, text))
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
        match &self.0.what {
            What::Io { action, path, .. } => write!(f, "{action} {}", Named(path)),
            What::Input { path, line: None, message } => write!(f, "{}: {message}", Named(path)),
            What::Input { path, line: Some((line, text)), message } => {
                write!(f, "{}:{line}: {message}", Named(path))?;
                text.as_ref().map_or(Ok(()), |text| write!(f, ": {}", Quoted(text)))
            }
            What::Problems(problems) => problems.fmt_after_error(f),
            What::Other(error) => error.fmt(f),
            What::Said(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.what {
            What::Io { source, .. } => Some(source),
            What::Other(error) => error.source(),
            _ => None,
        }
    }
}

/// An error with all that caused it: `Display` alone loses the causes.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_a_line_names_file_line_and_text() {
        let error = Error::at_line(Path::new("a.run"), 3, "q1 Q0\td1", "expected 6 columns, found 3");
        assert_eq!(error.to_string(), r"a.run:3: expected 6 columns, found 3: `q1 Q0\td1`");
    }

    #[test]
    fn names_of_files_stay_on_their_line() {
        let error = Error::in_file(Path::new("a\n::error::x\u{1b}[2J\u{202e}"), "no run");
        assert_eq!(error.to_string(), r"a\n::error::x\u{1b}[2J\u{202e}: no run");
    }

    #[test]
    fn an_error_of_another_type_is_found_again() {
        let number = "x".parse::<u8>().unwrap_err();
        let error = Error::other(ErrorKind::BadInput, number.clone());
        assert_eq!(error.downcast_ref::<std::num::ParseIntError>(), Some(&number));
        assert!(error.downcast_ref::<fmt::Error>().is_none());
        assert!(Error::invalid("x").downcast_ref::<std::num::ParseIntError>().is_none());
    }

    #[test]
    fn another_process_is_told_kind_and_causes() {
        let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
        let error = Error::io("cannot read", Path::new("a.run"), gone);
        let told: Error = serde_json::from_str(&serde_json::to_string(&error).unwrap()).unwrap();
        assert_eq!((told.kind(), told.to_string()), (ErrorKind::Missing, chain(&error)));
    }
}
