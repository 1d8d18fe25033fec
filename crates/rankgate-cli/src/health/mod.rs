//! What to know of a benchmark before its numbers are trusted, and what should be judged next.
//!
//! | function | says |
//! |---|---|
//! | [`examine`] | errors in a collection |
//! | [`examine_benchmark`] | the same, what the configurations of a spec can show on it, and which gates cannot decide |
//! | [`examine_suite`] | which gates of a suite can decide anything |
//! | [`Pool::gather`] | unjudged documents among the first of all configurations |
//! | [`add_judgments`] | judgments added to the collection's file |
//! | [`synthesize`] | queries made from documents, where real queries are too few |
//!
//! ```
//! use rankgate::{CollectionBuilder, Document, Query};
//!
//! let mut builder = CollectionBuilder::new();
//! builder.add_document(Document::new("d1", "How to get a refund"));
//! builder.add_query(Query::new("q1", "money back"), [("d1", 1), ("d2", 1)]);
//! let health = rankgate_cli::health::examine("helpdesk", &builder.build()?, 1)?;
//! assert_eq!(health.findings[0].code, "missing-documents");
//! # Ok::<(), rankgate::Error>(())
//! ```

mod checks;
mod lint;
mod merge;
mod model;
mod pool;
pub mod synthesize;
mod text;

pub use checks::examine;
pub use lint::{examine_benchmark, examine_suite};
pub use merge::{Merged, NewJudgment, NewJudgments, add_judgments};
pub use model::{
    CollectionFacts, ConfigurationFacts, Detectable, Example, Finding, Grade, Health, JudgedShare,
    Resolution, SCHEMA, SegmentFacts, Severity, Spread,
};
pub use pool::{Pool, PoolEntry, Pooling, SkippedConfiguration, pool_lines};
pub use text::{findings_text, health_json, health_text};

use rankgate::gate;
use rankgate::{Error, ErrorKind, Result, collection, metric, run, spec, stats};
use rankgate_core::internal::{content_hash, error, json, shingles, threads, words};
use rankgate_report::benchmark::model as report_model;
use rankgate_report::internal::{analysis, evaluation};
