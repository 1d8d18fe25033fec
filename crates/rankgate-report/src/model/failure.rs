//! Failures of a retriever.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::row::Row;
use crate::error::{Error, ErrorKind, Quoted};
use crate::words::counted;

/// Why a retriever gave no usable answer, and on which query.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Failure {
    /// The query it failed on; `None` when it could not be built at all.
    pub query: Option<String>,
    /// What happened.
    pub cause: FailureCause,
    /// How many queries failed in all; asking stops early once there are many.
    pub failed: usize,
    /// Queries in total.
    pub asked: usize,
    /// Queries that had been run when the failure stopped the rest, where it stopped before the last. Those that
    /// failed only because of another query's failure, as with a program that ended, had not been run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_after: Option<usize>,
    /// The first queries that failed, in the order of the collection: the id, the beginning of the text, and what happened, if
    /// the failure as a whole does not say it. None where it is not known which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<Row>,
    /// The beginning of the text of a query that was not answered in time, and the line of the spec that limits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Box<String>>,
}

#[doc(hidden)]
impl Failure {
    /// A failure that is not one query's; the number is that of all queries.
    pub fn of_all(cause: FailureCause, asked: usize) -> Self {
        Self { query: None, cause, failed: 1, asked, stopped_after: None, queries: Vec::new(), late: None }
    }

    /// Adds the line of the spec that limits the time of a late query.
    pub fn limited_in(&mut self, line: Option<usize>) {
        if let (Some(late), Some(line)) = (&mut self.late, line) {
            **late += &format!(", as `timeout` in line {line} of the spec says");
        }
    }

    /// The failure without its list of queries.
    pub fn brief(&self) -> String {
        Self { queries: Vec::new(), ..self.clone() }.to_string()
    }
}

/// What a retriever did instead of answering.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FailureCause {
    /// The retriever could not be built: its factory returned an error or panicked.
    Setup(String),
    /// The collection could not be loaded, so there was nothing to ask.
    Collection(String),
    /// Its frozen run could not be read.
    Run(String),
    /// It returned an error.
    Error(String),
    /// It panicked.
    Panic(String),
    /// It had not answered after so many milliseconds.
    TimedOut(u64),
    /// It returned this document twice.
    Duplicate(String),
    /// It gave this document the score NaN.
    NotANumber(String),
    /// It returned a document with an empty id at this rank.
    EmptyId(usize),
    /// A batch of so many queries got so many answers.
    BatchSize(usize, usize),
}

impl fmt::Display for FailureCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(message) => write!(f, "could not be set up: {message}"),
            Self::Collection(message) | Self::Run(message) | Self::Error(message) => f.write_str(message),
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
        if let Some(late) = &self.late {
            cause += &format!(" to {late}");
        }
        // Of a cause with details, such as the last words of a program, the first line is the failure.
        let (what, details) = cause.split_at(cause.find('\n').unwrap_or(cause.len()));
        f.write_str(what)?;
        let failed = self.failed;
        match self.stopped_after.map(|asked| (asked, self.asked.saturating_sub(asked))) {
            Some((_, left)) if failed == 1 => write!(f, " (asking stopped with {left} to go)")?,
            Some((asked, left)) => {
                write!(f, " ({failed} of the first {asked} asked failed; asking stopped with {left} to go)")?;
            }
            None if failed > 1 => {
                write!(f, " (the first of {failed} failures among {} queries)", self.asked)?
            }
            None => {}
        }
        match &self.queries[..] {
            [] => {}
            [one] if what.contains(&Quoted(&one.value).to_string()) => {}
            [one] => write!(f, "\nits text: {}", Quoted(&one.value))?,
            all => {
                f.write_str("\nthe queries that failed:")?;
                for Row { label, value, remark } in all {
                    let cause = if remark.is_empty() { String::new() } else { format!(": {remark}") };
                    write!(f, "\n  {} {}{cause}", Quoted(label), Quoted(value))?;
                }
                if let more @ 1.. = failed.saturating_sub(all.len()) {
                    write!(f, "\n  and {more} more")?;
                }
            }
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

    #[test]
    fn every_query_that_failed_is_named_with_its_text() {
        let failed =
            |query: &str, text: &str, cause: &str| Row { remark: cause.to_owned(), ..Row::new(query, text) };
        let one = Failure {
            query: Some("q1".to_owned()),
            queries: vec![failed("q1", "late parcel", "")],
            ..Failure::of_all(FailureCause::Error("died\nlast words".into()), 9)
        };
        assert_eq!(one.to_string(), "query `q1`: died\nits text: `late parcel`\nlast words");
        assert_eq!(one.brief(), "query `q1`: died\nlast words");
        let two = Failure {
            failed: 2,
            stopped_after: Some(4),
            queries: vec![
                failed("q1", "late parcel", ""),
                failed("q4", "refund", "returned document `d1` twice"),
            ],
            ..one
        };
        assert_eq!(
            two.to_string(),
            "query `q1`: died (2 of the first 4 asked failed; asking stopped with 5 to go)\nthe queries that \
             failed:\n  `q1` `late parcel`\n  `q4` `refund`: returned document `d1` twice\nlast words"
        );
    }
}
