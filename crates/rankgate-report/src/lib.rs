//! What [rankgate](https://docs.rs/rankgate) says of a benchmark: scores and what they show, the report as data, and all
//! that shows it. A crate of its own without features, so that every build reads and shows every report; whoever uses rankgate meets it there,
//! under the same names. What is hidden here is rankgate's alone and may change with any version.
//!
//! | room | holds |
//! |---|---|
//! | [`gate`] | what may be demanded, names of tests, verdicts and limits |
//! | [`benchmark::model`] | everything that is said of a benchmark, as data; its JSON form |
//! | [`Evaluation`] | scores of one configuration, query × metric; what they show as findings |
//! | [`report`] | the model as a tree of text, and painters, plots, pages and files made of it |
//! | `assertion` | an evaluation held to limits and to a baseline, in ordinary tests |
//!
//! Each knows those above it and nothing of those below.

#[expect(missing_docs, reason = "it is rankgate's alone")]
mod analysis;
mod assertion;
mod evaluation;
mod findings;
pub mod gate;
mod golden;
mod model;
pub mod report;

pub use evaluation::{Estimate, Evaluation, Judging};

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

use rankgate_core::internal::{
    base64, content_hash, error, json, neighbours, order, output, shown, threads, words,
};
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
