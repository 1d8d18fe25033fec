//! What happened to quality over commits, since when, and how sure that is.
//!
//! A gate judges one change, by its inputs alone. An alarm depends on history, states its error, and changes no
//! gate's verdict. A deterministic retriever's history is no noisy series: the same ranking has the same score
//! to the last bit, and what is uncertain is the sample of queries. So nothing here estimates noise from commit
//! to commit; each *distinct ranking* is tested once against rankings that do not move along with the data.
//!
//! - An [`Epoch`] begins where queries, judgments, documents, depth or the definitions of metrics change. It is
//!   never an alarm; only where what is scored can be scored alike on both sides do references reach over it.
//! - A [`State`] is a distinct ranking. One that was there before spends nothing, however many commits have it.
//! - A state is held against each [`ReferenceKind`]: `p <= alpha / 4 / (k (k + 1))` for the k-th ranking against
//!   one reference is an [`Alarm`], so that the chance of any false one against it is at most `alpha / 4`,
//!   whatever the rankings have to do with each other.
//! - Its suspects are exact: the commits after the last one that was measured with the old ranking.
//!
//! Telling is a function of [`History`], which reads no file, no clock and no network: whoever keeps
//! measurements calls [`History::tell`]. In which order they came, late or twice, changes nothing.

pub mod report;

mod assembly;
mod best;
mod commit;
mod content;
mod loss;
mod measured;
mod reference;
mod rescore;
mod spending;
mod stored;
mod tell;
mod timeline;
mod varying;

#[cfg(test)]
mod tests;

pub use crate::assembly::Assembly;
pub use crate::commit::{Commit, CommitName};
pub use crate::content::{Inconsistency, ReportContent};
pub use crate::loss::{TestNews, Tests};
pub use crate::measured::{Changed, Golden, History, Inputs, Measurement, Scores};
pub use crate::rescore::{Rescorer, StoredRanking};
pub use crate::spending::{ReferenceKind, Rules};
pub use crate::stored::{StoredReport, StoredReports, StoredRun, explain_alarms};
pub use crate::timeline::{
    Alarm, ConfigurationTimeline, End, Ended, Entry, Epoch, Head, Histories, Lost, Move, Notice,
    ReferenceComparison, ReferenceReport, Refused, SCHEMA, SourceKind, State, Timeline, Value,
};
pub use crate::varying::{Detection, Split, Varying};

use rankgate_core::internal::{json, order, threads, utc, words};
use rankgate_core::{Error, Result, collection, metric, stats};
use rankgate_report::benchmark::model;
pub use rankgate_report::benchmark::model::AlarmRules;
