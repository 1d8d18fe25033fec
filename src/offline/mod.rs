//! Runs that exist already, without a spec: scored, compared, explained, planned for.
//!
//! This is what the commands `eval`, `compare`, `explain` and `power` compute. Each has a model that is
//! written as JSON as it is; [`report`](crate::report) renders it as text, CSV, LaTeX.
//!
//! | asks | type | answers |
//! |---|---|---|
//! | how good is this run? | [`Scoring`] | [`Scores`] |
//! | how good is it, of rows that some engine has? | [`Kernel`], [`Scoring::lines`] | [`QueryScores`], [`Scores`] |
//! | is this run better than that one? | [`Comparing`] | [`Comparisons`] |
//! | is it by its scores, which some program wrote? | [`ScoreTable`] | [`ScoreComparisons`] |
//! | what do the lines say that an engine gave? | `Lines` (feature `parquet`) | [`Scores`] |
//! | is it over several collections? | [`ComparingSuite`] | a [`Report`](crate::benchmark::model::Report) |
//! | what happened to this query? | [`Explaining`] | [`Explanation`] |
//! | what could these queries show? | [`Planning`] | [`Plan`] |

mod baseline;
mod by_metric;
mod comparing;
mod comparison;
mod evidence;
mod explaining;
mod kernel;
#[cfg(feature = "parquet")]
mod lines;
mod names;
mod of_scores;
#[cfg(feature = "parquet")]
mod pieces;
mod planning;
mod scoring;
mod seal;
#[cfg(feature = "parquet")]
mod stream;
mod suite;
mod table;
#[cfg(feature = "parquet")]
mod table_columns;

pub use by_metric::{ByMetric, PerQuery};
pub use comparing::Comparing;
pub use comparison::{Comparisons, GateOutcome};
pub use explaining::{Explained, Explaining, Explanation, Judged, Placed, Row};
pub use kernel::{Kernel, QueryScores};
#[cfg(feature = "parquet")]
pub use lines::Lines;
pub(crate) use names::short_names;
pub use of_scores::{ScoreComparison, ScoreComparisons};
pub use planning::{Needed, Plan, Planning, Spread};
pub use scoring::{Scores, Scoring};
pub use seal::Seal;
pub use suite::ComparingSuite;
pub use table::ScoreTable;

pub use crate::model::Conclusion;
pub use crate::threads::unless_given_up;

/// The version of the JSON forms of this module; that of [`Comparisons`] is the
/// [report](crate::benchmark::model::SCHEMA)'s, as the comparisons are the same.
pub const SCHEMA: u32 = 1;
