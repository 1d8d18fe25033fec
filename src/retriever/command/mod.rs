//! A program that answers queries as JSON lines over its standard input and output, as
//! `docs/protocol.md` says.
//!
//! One thread writes requests, one reads answers and one drains standard error, so that none of the
//! three pipes can block another. Whatever breaks the conversation (an exit, a line that is no
//! answer, a query without answer in time) ends it for good: the program and what it started are
//! killed, and every query that is open or still to come fails for the same reason.

mod broken;
mod conversation;
mod message;
mod process;
mod program;
mod retriever;
mod stderr;
#[cfg(all(test, unix))]
mod tests;

pub(crate) use message::Hello;
#[cfg(fuzzing)]
pub(crate) use message::{answer, check_hello};
use process::Process;
pub(crate) use program::Program;
pub(crate) use retriever::CommandRetriever;
use stderr::Tail;
