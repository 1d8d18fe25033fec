//! A spec that was not run: it has no report, and must not be missing from what programs read.

use crate::Error;
use crate::error::chain;

/// A spec that could not be read or run, for [`junit`](super::junit()) and [`annotations`](super::annotations()).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenSpec {
    /// The spec's file, as it was named.
    pub file: String,
    /// The line of the first error, where it has one.
    pub line: Option<usize>,
    /// Everything that is wrong with it, or what keeps it from being run.
    pub message: String,
}

impl BrokenSpec {
    /// What an error says of a spec.
    #[must_use]
    pub fn new(file: impl Into<String>, error: &Error) -> Self {
        let first = error.yaml_problems().and_then(|problems| problems.iter().next());
        let line = first.map(|problem| problem.line());
        Self { file: file.into(), line, message: chain(error) }
    }
}
