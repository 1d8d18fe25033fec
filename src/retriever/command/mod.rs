//! A program that answers queries as JSON lines over its standard input and output, as
//! `docs/protocol.md` says.

mod broken;
mod message;
mod retriever;
#[cfg(all(test, unix))]
mod tests;

pub use broken::{why_broken, why_unstarted};
pub use message::line as protocol_line;
pub(crate) use message::{Hello, Served};
pub use message::{check_hello, read_object};
pub(crate) use retriever::CommandRetriever;
