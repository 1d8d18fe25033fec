//! Carrying a checked spec out: retrieve, score, decide, explain.
//!
//! ```no_run
//! use rankgate::benchmark::{Benchmark, Registry};
//!
//! let report = Benchmark::open("benchmarks/helpdesk.yaml", &Registry::new())?.run();
//! print!("{}", rankgate::report::text(&report));
//! # Ok::<(), rankgate::Error>(())
//! ```

mod baseline;
mod bless;
mod carry;
mod compare;
mod connect;
mod context;
mod curves;
mod decide;
mod deterministic;
mod doubt;
mod family;
mod files;
mod health;
mod known;
mod likeness;
mod measure;
pub mod model;
mod movers;
mod pair;
mod pool;
mod question;
mod rankings;
mod recorded;
mod registry;
mod reporting;
mod summarize;
mod titles;

pub use crate::output::Written;
pub use carry::Benchmark;
pub(crate) use context::{Context, straight};
pub(crate) use decide::{broken, standing};
pub(crate) use deterministic::{only_ties_moved, parting};
pub use files::Rendering;
pub(crate) use files::write_error;
pub(crate) use known::{judged_some, nothing_judged};
pub(crate) use likeness::decide_expectation;
pub(crate) use movers::extreme;
pub(crate) use pair::{Alike, Pair, Side};
pub use pool::{LeftOut, Pool, PoolEntry, Pooling};
pub(crate) use question::{Answer, Question, answer, verdict as verdict_of};
pub(crate) use rankings::shown;
pub use recorded::Recorded;
pub use registry::Registry;
pub(crate) use summarize::{Scope, collection_report, metric_report};
