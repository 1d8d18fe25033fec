//! How anyone is asked who is not this process: programs, services, and the secrets that they are told.
//!
//! Nothing here knows what is asked for. Whoever asks gives the words, and gets back what was answered or a
//! failure with a type of its own, whose secrets are hidden.

mod bodies;
#[cfg(feature = "http")]
pub(crate) mod http;
#[cfg(feature = "harness")]
pub(crate) mod program;
mod secrets;

pub use bodies::show_bodies;
pub use secrets::Secrets;
