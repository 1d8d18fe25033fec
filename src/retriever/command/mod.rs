//! A program that answers queries as JSON lines over its standard input and output, as
//! `docs/protocol.md` says.

mod broken;
mod message;
mod retriever;
#[cfg(all(test, unix))]
mod tests;

pub(crate) use message::Hello;
#[cfg(fuzzing)]
pub(crate) use message::{answer, check_hello};
pub(crate) use retriever::CommandRetriever;
