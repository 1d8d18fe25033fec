//! Queries without an answer, those apart that failed because another query had failed before.

use std::fmt;

use super::FailureCause;

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoAnswer {
    pub(super) cause: FailureCause,
    /// Whether another query's failure is the cause, so that this one says nothing of its own.
    pub(super) is_in_line: bool,
}

impl NoAnswer {
    /// A failure of the query itself, unless it met a lock that another query's panic left poisoned.
    pub(super) fn new(cause: FailureCause) -> Self {
        Self { is_in_line: is_poison(&cause), cause }
    }

    /// A query that stood in line behind the one that failed.
    pub(super) fn in_line(cause: FailureCause) -> Self {
        Self { cause, is_in_line: true }
    }
}

/// By the standard library's own words, which come as text: no type of its outlives the lock.
fn is_poison(cause: &FailureCause) -> bool {
    match cause {
        FailureCause::Panic(message) | FailureCause::Error(message) => {
            message.contains("PoisonError") || message.contains("poisoned lock")
        }
        _ => false,
    }
}

/// The error of a query that a program never got, or got no time for, because it had ended over another.
#[derive(Debug)]
pub(crate) struct NotReached(pub(crate) String);

impl fmt::Display for NotReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotReached {}
