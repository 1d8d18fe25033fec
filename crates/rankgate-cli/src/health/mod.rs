//! Checks of a collection and its gates, and what should be judged next.
//!
//! | function | effect |
//! |---|---|
//! | [`examine`] | finds errors in a collection |
//! | [`examine_benchmark`] | also finds the gates of a spec that cannot decide |
//! | [`Pool::gather`] | collects unjudged documents among the first of all configurations |
//! | [`add_judgments`] | adds judgments to the collection's file |
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
mod text;

pub use checks::examine;
pub use lint::examine_benchmark;
pub use merge::{Merged, NewJudgment, NewJudgments, add_judgments};
pub use model::{CollectionFacts, Example, Finding, Health, SCHEMA, Severity, Spread};
pub use pool::{Pool, PoolEntry, Pooling, SkippedConfiguration, pool_lines};
pub use text::{health_json, health_text};

use rankgate::gate;
use rankgate::{Error, ErrorKind, Result, collection, metric, run, spec, stats};
use rankgate_core::internal::{content_hash, error, threads, words};
use rankgate_report::internal::{analysis, evaluation};

use crate::shingles;
