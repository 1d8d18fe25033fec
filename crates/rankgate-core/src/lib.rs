//! Internal to [rankgate](https://docs.rs/rankgate), which exports what you need under the same names: collections and
//! runs with their formats, metrics of a ranking, paired tests and intervals, and the error type.

pub mod collection;
pub mod metric;
pub mod run;
#[doc(hidden)]
pub mod scores;
pub mod stats;

mod parents;
mod passage;
mod places;

// For rankgate's other crates, under `internal`.
#[doc(hidden)]
pub mod base64;
#[doc(hidden)]
pub mod ci;
#[doc(hidden)]
pub mod content_hash;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod input;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
#[doc(hidden)]
pub mod order;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod panic;
#[doc(hidden)]
pub mod secrets;
#[doc(hidden)]
pub mod shown;
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod utc;
#[doc(hidden)]
pub mod wire;
#[doc(hidden)]
pub mod words;
#[doc(hidden)]
pub mod yaml;

pub use error::{Error, ErrorKind};
pub use input::Source;

#[doc(hidden)]
pub mod benchmark {
    //! What rankgate's module of this name has from here.
    pub use crate::output::Written;
}

#[doc(hidden)]
pub mod spec {
    //! What rankgate's module of this name has from here.
    pub use crate::yaml::{Params, Problem, Problems};
}

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[doc(hidden)]
pub mod internal {
    //! What rankgate knows of this crate and its users do not.
    pub use crate::{
        base64, ci, content_hash, error, input, json, order, output, panic, secrets, shown, threads, utc,
        wire, words, yaml,
    };
}
