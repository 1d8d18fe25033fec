//! What came instead of an answer.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use ureq::http::StatusCode;

use crate::error::Excerpt;

/// Why a service cannot be asked at all.
#[derive(Debug)]
#[expect(missing_docs, reason = "the variants say it")]
pub enum Unusable {
    /// The address as it is shown, and why it is none.
    Address { shown: String, why: &'static str },
    /// The variable of the environment that names a proxy, and why that is none.
    Proxy { variable: &'static str, why: &'static str },
    /// The variable of the environment that names a file of authorities, the file, and why it is none.
    Authorities { variable: &'static str, path: PathBuf, why: String },
    /// A header that holds what none can hold, as it is shown.
    Header { name: String, shown: String },
    /// A user in the URL and a header that says another.
    TwoUsers,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { shown, why } => write!(f, "`{shown}` is not the address of a service: {why}"),
            Self::Proxy { variable, why } => {
                write!(f, "the variable `{variable}` has no address of a proxy that can be used: {why}")
            }
            Self::Authorities { variable, path, why } => {
                write!(f, "the variable `{variable}` names {}, which {why}", path.display())
            }
            Self::Header { name, shown } => write!(
                f,
                "the header `{name}: {shown}` cannot be sent: with its variables filled in it holds a line break \
                 or another control character"
            ),
            Self::TwoUsers => f.write_str(
                "the URL has a user, and there is a header `Authorization`: one of them is enough",
            ),
        }
    }
}

impl std::error::Error for Unusable {}

/// How one request ended without an answer. It is shown as a phrase that follows the address.
#[derive(Debug)]
#[expect(missing_docs, reason = "it is of this workspace alone")]
pub enum Failure {
    /// There was no answer in time.
    TimedOut,
    /// Nothing came, or nothing that can be read; whether it may be otherwise the next time.
    Unreadable { what: String, again: bool },
    /// An answer that is no success: its status, after what time it may be one, of what kind and length it is and where
    /// somebody asks for it its beginning, and the `code` of an `error` in it, which is never shown.
    Status { status: StatusCode, wish: Option<Duration>, said: String, code: Option<String> },
    /// An answer that is to be had elsewhere, at another host if there is one.
    Redirected { status: StatusCode, host: Option<String> },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut => f.write_str("did not answer in time"),
            Self::Unreadable { what, .. } => f.write_str(what),
            Self::Status { status, said, .. } => write!(f, "answered {status}{said}"),
            Self::Redirected { status, host } => {
                write!(f, "answered {status}: it redirects to ")?;
                match host {
                    Some(host) => write!(f, "the host {}", Excerpt(host, 80))?,
                    None => f.write_str("another path")?,
                }
                f.write_str(", which is not followed")
            }
        }
    }
}

/// Why a service was not asked again.
#[derive(Debug)]
#[expect(missing_docs, reason = "the variants say it")]
pub enum GaveUp {
    /// It would answer the same.
    Final(Failure),
    /// It did not answer in time, after what else it answered.
    TimedOut { before: Option<Failure> },
    /// It was asked often enough.
    Tries { last: Failure, tries: u32 },
    /// Time would be up before it is asked again, which it may have wished for so late.
    NoTime { last: Failure, tries: u32, wish: Option<Duration> },
}
