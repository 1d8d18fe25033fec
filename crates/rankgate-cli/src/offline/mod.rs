//! Rankings that exist already, without a spec: scored, compared, explained, planned for.
//!
//! This is what the commands `eval`, `compare`, `explain` and `power` compute. Each has a model that is
//! written as JSON as it is; [`report`] renders it as text and CSV.
//!
//! | asks | type | answers |
//! |---|---|---|
//! | how good is this run? | [`Scoring`] | [`Scores`] |
//! | how good is it, of rows that some engine has? | [`Kernel`], [`Scoring::lines`] | [`QueryScores`], [`Scores`] |
//! | is this run better than that one? | [`Comparing`] | [`Comparisons`] |
//! | is it by its scores, which some program wrote? | [`score_columns`], [`of_tables`] | [`Comparisons`] |
//! | what happened to this query? | [`Explaining`] | [`Explanation`] |
//! | what could these queries show? | [`Planning`] | [`Plan`] |

mod baseline;
mod by_metric;
mod comparing;
mod comparison;
mod explaining;
mod kernel;
mod names;
mod of_tables;
mod planning;
pub mod report;
mod scores;
mod scoring;

pub use by_metric::{ByMetric, PerQuery};
pub use comparing::Comparing;
pub use comparison::{Comparisons, GateOutcome};
pub use explaining::{Explained, Explaining, Explanation, Judged, RankedHit, Row};
pub use kernel::{Kernel, QueryScores};
use names::short_names;
pub use of_tables::{of_tables, score_columns};
pub use planning::{Needed, Plan, Planning, Spread};
pub use scores::Scores;
pub use scoring::Scoring;

pub use rankgate_report::benchmark::model::Conclusion;

use rankgate_core::internal::error;
use rankgate_core::{Error, ErrorKind, Result, Source, collection, metric, run, stats};
use rankgate_report::benchmark::model;
use rankgate_report::gate;
use rankgate_report::internal::{analysis, evaluation};

/// The version of the JSON forms of this module; that of [`Comparisons`] is the
/// [report](rankgate_report::benchmark::model::SCHEMA)'s, as the comparisons are the same.
pub const SCHEMA: u32 = 1;
