//! A program that is started once and answers, line by line, over its standard input and output.
//!
//! One thread writes requests, one reads answers and one drains standard error, so that none of the
//! three pipes can block another. Whatever breaks the conversation (an exit, a line that is no
//! answer, a request without answer in time) ends it for good: the program and what it started are
//! killed, and every request that is open or still to come fails for the same reason.

mod broken;
mod conversation;
mod process;
#[expect(clippy::module_inception, reason = "the file is named after its type, like the others")]
mod program;
mod stderr;

pub use broken::{Break, Broken};
pub use conversation::{Conversation, Protocol, Unanswered, Unstarted};
#[cfg(test)]
pub(crate) use process::End;
pub use program::Program;
