//! What [rankgate](https://docs.rs/rankgate) says of a benchmark: the report as data, and all that shows it. A crate of
//! its own without features, so that every build reads and shows every report; whoever uses rankgate meets it there,
//! under the same names. What is hidden here is rankgate's alone and may change with any version.
//!
//! | room | holds |
//! |---|---|
//! | [`gate`] | what may be demanded, names of tests, verdicts and limits |
//! | [`benchmark::model`] | everything that is said of a benchmark, as data; its JSON form |
//! | [`report`] | that as a tree of text, and painters, plots, pages and files made of it |
//!
//! Each knows those above it and nothing of those below.

mod findings;
pub mod gate;
mod model;
pub mod report;

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

use rankgate_core::internal::{base64, error, json, order, output, shown, words};
use rankgate_core::{Error, collection, metric, stats};
