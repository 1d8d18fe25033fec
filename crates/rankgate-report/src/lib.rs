//! Internal to [rankgate](https://docs.rs/rankgate), which exports [`Evaluation`]: scores, what they show, the report as data,
//! and text and pages made of it.
//!
//! | module | contains |
//! |---|---|
//! | `gate` | what a gate can require, test names, verdicts and limits |
//! | `model`, `findings` | the report as data, and its JSON |
//! | `evaluation`, `analysis` | the scores of a configuration, query × metric, and what they show |
//! | `report` | text, Markdown and pages of a report |
//! | `assertion` | the assertions of an evaluation |

#[expect(missing_docs, reason = "it is rankgate's alone")]
mod analysis;
mod assertion;
mod evaluation;
mod findings;
#[doc(hidden)]
pub mod gate;
mod golden;
mod model;
#[doc(hidden)]
pub mod report;

pub use evaluation::{Estimate, Evaluation, Judging};

#[doc(hidden)]
pub mod benchmark {
    //! What rankgate's module of this name has from here.

    pub mod model {
        //! The report as data: everything that is said of a benchmark, in one serializable value.
        //!
        //! Terminal, Markdown, HTML, JSON and failure messages all render it and compute nothing, so that they
        //! cannot disagree. The JSON form is stable: fields are added, and [`SCHEMA`] counts changes that
        //! break a reader.
        pub use crate::model::*;
    }
}

use rankgate_core::internal::{base64, content_hash, error, order, output, shown, threads, words};
use rankgate_core::{Error, ErrorKind, Result, Source, collection, metric, run, scores, stats};

#[doc(hidden)]
pub mod internal {
    //! What rankgate knows of this crate and its users do not.
    pub mod evaluation {
        pub use crate::evaluation::*;
    }
    pub mod analysis {
        pub use crate::analysis::*;
    }
    pub mod golden {
        pub use crate::golden::*;
    }
}
