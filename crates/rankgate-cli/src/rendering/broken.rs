//! A spec that was not run: it has no report, and must not be missing from what programs read.

use rankgate::Error;
use rankgate_core::internal::error::chain;

/// A spec that could not be read or run.
pub(crate) struct BrokenSpec {
    /// The spec's file, as it was named.
    pub(crate) file: String,
    /// The line of the first error, where it has one.
    pub(crate) line: Option<usize>,
    /// Everything that is wrong with it, or what keeps it from being run.
    pub(crate) message: String,
}

impl BrokenSpec {
    /// What an error says of a spec.
    pub(crate) fn new(file: impl Into<String>, error: &Error) -> Self {
        let first = error.yaml_problems().and_then(|problems| problems.iter().next());
        let line = first.map(|problem| problem.line());
        Self { file: file.into(), line, message: chain(error) }
    }
}
