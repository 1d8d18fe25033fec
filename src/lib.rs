//! Regression tests for search and RAG retrieval.
//!
//! You describe a benchmark in YAML: judged queries, retrievers, metrics and limits. [`harness!`] turns each limit into a
//! test under `cargo test` and `cargo nextest run`. A failure names the queries that got worse and the documents that
//! moved. For a single limit you need no YAML. [`evaluate`] works in an ordinary test:
//!
//! ```
//! use rankgate::{CollectionBuilder, Hit, Query, evaluate};
//!
//! let mut builder = CollectionBuilder::new();
//! builder.add_query(Query::new("q1", "refund for a cancelled order"), [("refunds-3", 3), ("orders-1", 0)]);
//! let collection = builder.build()?;
//!
//! let evaluation = evaluate(&collection, 10, |_query, _depth| Ok(vec![Hit::new("refunds-3", 7.5)]))?;
//! evaluation.assert_at_least("nDCG@10", 0.60);
//! # Ok::<(), rankgate::Error>(())
//! ```
//!
//! # A tour
//!
//! - [`Collection`] contains documents, queries and judgments. Read one from a folder with [`Collection::beir`], or
//!   make one with [`CollectionBuilder`].
//! - [`Retriever`] answers queries. [`retriever_fn`] makes one of a closure.
//! - [`evaluate`] runs a retriever over all judged queries. Its [`Evaluation`] has values per query and assertions such as
//!   [`assert_at_least`](Evaluation::assert_at_least) and [`assert_no_regression`](Evaluation::assert_no_regression).
//! - [`harness!`] runs the specs of a folder as tests. [`harness::Harness`] registers your retrievers and metrics.
//! - [`metric`] has the metrics, [`stats`] the paired tests and intervals. Both are pure functions of numbers.
//! - [`run`] and [`collection`] read and write TREC, BEIR and JSON files.
//!
//! The feature `harness` (default) adds specs and the test runner, `bm25` the built-in search, and `http` retrievers behind
//! HTTP services.
//!
//! The command `rankgate` compares run files without any code: see the crate `rankgate-cli`.

// Where the documentation is built for all to see, what a feature brings says so.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Parts of what asks retrievers are for the harness alone; to gate each would hide what it does.
#![cfg_attr(
    not(feature = "harness"),
    allow(dead_code, unused_imports, unreachable_pub, reason = "the harness uses them")
)]

// What is hidden is for the command and the service of this workspace, and can change at any time.
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod benchmark;
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod gate;
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod git;
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod github;
#[cfg(feature = "harness")]
pub mod harness;
#[doc(hidden)]
pub mod progress;
pub mod retriever;
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod spec;
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod standalone;
#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod suite;

#[cfg(feature = "harness")]
mod cache;
#[cfg(feature = "harness")]
mod commit;
mod evaluate;
#[cfg(feature = "harness")]
mod gates;
#[cfg(feature = "harness")]
mod golden;
#[cfg(feature = "harness")]
mod mapping;
#[cfg(feature = "harness")]
mod measure;
#[cfg(feature = "harness")]
mod program;
#[cfg(feature = "harness")]
mod session;
mod workspace;

#[doc(inline)]
pub use crate::collection::{
    Collection, CollectionBuilder, CollectionSource, Corpus, Document, Qrels, Query,
};
pub use crate::evaluate::{evaluate, evaluate_retriever};
#[doc(inline)]
pub use crate::evaluation::{Estimate, Evaluation, Judging};
#[doc(inline)]
pub use crate::metric::IntoMetric;
pub use crate::retriever::{BoxError, Retriever, Setup, retriever_fn};
#[doc(inline)]
pub use crate::run::{Hit, Order, Run};

use rankgate_core::internal::{
    ci, content_hash, error, input, json, order, output, panic, secrets, shown, threads, utc, wire, words,
    yaml,
};
#[doc(hidden)]
pub use rankgate_core::scores;
#[doc(inline)]
pub use rankgate_core::{Error, ErrorKind, Result, Source, collection, metric, run, stats};
use rankgate_report::benchmark::model;
use rankgate_report::internal::{analysis, evaluation};
#[doc(hidden)]
pub use rankgate_report::report;

#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod __private {
    //! What the macros of this crate expand to.
    pub use crate::golden::Site;
    pub use crate::harness::own_main::{OwnMain, is_own_main, own_main};
    pub use crate::threads::{from_environment as threads_told, within};
}

#[cfg(feature = "harness")]
#[doc(hidden)]
pub mod internal {
    //! What other crates of this workspace know of this one and its users do not.

    pub use crate::content_hash::sha256;
    pub use crate::golden::IGNORED as IGNORED_BESIDE_GOLDEN;

    pub mod program {
        //! A program that is started once and answers line by line.
        pub use crate::program::{Break, Broken, Conversation, Program, Protocol, Unanswered, Unstarted};
        pub use crate::retriever::{
            Limit, check_hello, protocol_line, read_object, why_broken, why_unstarted,
        };
    }
}

/// The examples of README and book, run as documentation tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/getting-started.md")]
    struct GettingStarted;
    #[doc = include_str!("../docs/metrics.md")]
    struct Metrics;
    #[doc = include_str!("../docs/retrievers.md")]
    struct Retrievers;
    #[doc = include_str!("../docs/without-yaml.md")]
    struct WithoutYaml;
}
