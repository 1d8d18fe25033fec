//! Failures of a retriever.

use std::fmt;

use crate::error::{Error, ErrorKind, Quoted};
use crate::json::record;
use crate::words::counted;

record! {
    /// Why a retriever gave no usable answer, and on which query.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Failure {
        /// The query it failed on; `None` when it could not be built at all.
        pub query: Option<String>,
        /// What happened.
        pub cause: FailureCause,
        /// How many queries failed in all; asking stops early once there are many.
        pub failed: usize,
        /// Queries in total.
        pub asked: usize,
        /// Queries that had been run when the failure stopped the rest, where it stopped before the last.
        pub stopped_after?: Option<usize>,
        /// More of a query that was not answered in time.
        pub late?: Option<Box<Late>>,
    }
}

record! {
    /// A query that was not answered in time.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Late {
        /// The beginning of its text.
        pub text: String,
        /// The line of the spec that says how long a query may take.
        pub line: Option<usize>,
    }
}

#[doc(hidden)]
impl Failure {
    /// A failure that is not one query's; the number is that of all queries.
    pub fn of_all(cause: FailureCause, asked: usize) -> Self {
        Self { query: None, cause, failed: 1, asked, stopped_after: None, late: None }
    }
}

record! {
    /// What a retriever did instead of answering.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum FailureCause {
        /// The retriever could not be built: its factory returned an error or panicked.
        Setup(message: String) = "setup",
        /// The collection could not be loaded, so there was nothing to ask.
        Collection(message: String) = "collection",
        /// Its frozen run could not be read.
        Run(message: String) = "run",
        /// It returned an error.
        Error(message: String) = "error",
        /// It panicked.
        Panic(message: String) = "panic",
        /// It had not answered after so many milliseconds.
        TimedOut(limit: u64) = "timed-out",
        /// It returned this document twice.
        Duplicate(document: String) = "duplicate",
        /// It gave this document the score NaN.
        NotANumber(document: String) = "not-a-number",
        /// It returned a document with an empty id at this rank.
        EmptyId(rank: usize) = "empty-id",
        /// A batch of so many queries got so many answers.
        BatchSize(queries: usize, answers: usize) = "batch-size",
    }
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(message) => write!(f, "could not be set up: {message}"),
            Self::Collection(message) => write!(f, "the collection could not be loaded: {message}"),
            Self::Run(message) | Self::Error(message) => f.write_str(message),
            Self::Panic(message) => write!(f, "panicked: {message}"),
            Self::TimedOut(limit) => write!(f, "no answer within {}", Milliseconds(*limit)),
            Self::Duplicate(document) => write!(f, "returned document {} twice", Quoted(document)),
            Self::NotANumber(document) => {
                write!(f, "gave document {} a score that is not a number", Quoted(document))
            }
            Self::EmptyId(rank) => write!(f, "returned a document without an id at rank {rank}"),
            Self::BatchSize(queries, answers) => {
                let queries = counted(*queries, "query", "queries");
                write!(f, "answered a batch of {queries} with {}", counted(*answers, "ranking", "rankings"))
            }
        }
    }
}

struct Milliseconds(u64);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_multiple_of(1000) {
            write!(f, "{} s", self.0 / 1000)
        } else {
            write!(f, "{} ms", self.0)
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(query) = &self.query {
            write!(f, "query {}: ", Quoted(query))?;
        }
        let mut cause = self.cause.to_string();
        if let Some(Late { text, line }) = self.late.as_deref() {
            cause += &format!(" to {}", Quoted(text));
            cause.extend(line.map(|line| format!(", as `timeout` in line {line} of the spec says")));
        }
        // Of a cause with details, such as the last words of a program, the first line is the failure.
        let (what, details) = cause.split_at(cause.find('\n').unwrap_or(cause.len()));
        f.write_str(what)?;
        if let Some(asked) = self.stopped_after.filter(|_| self.failed > 1) {
            let (failed, left) = (self.failed, self.asked.saturating_sub(asked));
            write!(f, " ({failed} of the first {asked} asked failed; asking stopped with {left} to go)")?;
        } else if self.failed > 1 {
            write!(f, " (the first of {} failures among {} queries)", self.failed, self.asked)?;
        }
        f.write_str(details)
    }
}

impl std::error::Error for Failure {}

/// Whose fault it is that nothing usable was answered, not always the retriever's.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let kind = match failure.cause {
            FailureCause::Setup(_) => ErrorKind::Setup,
            FailureCause::Collection(_) | FailureCause::Run(_) => ErrorKind::BadInput,
            FailureCause::Error(_)
            | FailureCause::Panic(_)
            | FailureCause::TimedOut(_)
            | FailureCause::Duplicate(_)
            | FailureCause::NotANumber(_)
            | FailureCause::EmptyId(_)
            | FailureCause::BatchSize(..) => ErrorKind::Retrieval,
        };
        Self::other(kind, failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_failed_is_said_before_the_details() {
        let failure = |cause: &str, failed| {
            let (query, cause) = (Some("q1".to_owned()), FailureCause::Error(cause.into()));
            Failure { query, failed, ..Failure::of_all(cause, 9) }.to_string()
        };
        assert_eq!(failure("died", 1), "query `q1`: died");
        assert_eq!(failure("died", 2), "query `q1`: died (the first of 2 failures among 9 queries)");
        assert_eq!(
            failure("died\nlast words", 2),
            "query `q1`: died (the first of 2 failures among 9 queries)\nlast words"
        );
    }
}
