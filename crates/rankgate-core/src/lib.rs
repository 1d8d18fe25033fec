//! Internal to [rankgate](https://docs.rs/rankgate), which exports what you need under the same names: collections and
//! runs with their formats, metrics of a ranking, paired tests and intervals, and the error type.

pub mod collection;
pub mod metric;
pub mod run;
#[doc(hidden)]
pub mod scores;
pub mod stats;

#[expect(missing_docs, reason = "it is rankgate's alone")]
mod base64;
mod content_hash;
mod error;
#[expect(missing_docs, reason = "parts of it are rankgate's alone")]
mod input;
#[expect(missing_docs, reason = "parts of it are rankgate's alone")]
mod json;
mod neighbours;
mod order;
#[expect(missing_docs, reason = "parts of it are rankgate's alone")]
mod output;
mod panic;
mod parents;
mod passage;
mod places;
mod shown;
mod threads;
mod utc;
#[expect(missing_docs, reason = "parts of it are rankgate's alone")]
mod words;
#[expect(missing_docs, reason = "parts of it are rankgate's alone")]
mod yaml;

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
    pub mod base64 {
        pub use crate::base64::*;
    }
    pub mod content_hash {
        pub use crate::content_hash::*;
    }
    pub mod error {
        pub use crate::error::*;
    }
    pub mod input {
        pub use crate::input::*;
    }
    pub mod json {
        pub use crate::json::*;
    }
    pub mod neighbours {
        pub use crate::neighbours::*;
    }
    pub mod order {
        pub use crate::order::*;
    }
    pub mod output {
        pub use crate::output::*;
    }
    pub mod panic {
        pub use crate::panic::*;
    }
    pub mod shown {
        pub use crate::shown::*;
    }
    pub mod threads {
        pub use crate::threads::*;
    }
    pub mod utc {
        pub use crate::utc::*;
    }
    pub mod words {
        pub use crate::words::*;
    }
    pub mod yaml {
        pub use crate::yaml::*;
    }
    #[cfg(feature = "schemars")]
    pub use schemars;
}
