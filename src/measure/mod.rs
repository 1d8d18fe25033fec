//! The data that decide gates, each read or asked once and shared by all threads: the collection and its
//! documents, what configurations answered, golden files.
//!
//! [`Measure`] holds what there is so far: `measure.rs` what all configurations share, `configuration.rs` how one is asked and
//! measured, from top to bottom. The other files are the steps.

mod ask;
#[cfg(feature = "bm25")]
pub(crate) mod builtin;
mod columns;
mod configuration;
pub(crate) mod connect;
mod context;
mod corpus;
mod golden;
mod golden_files;
mod latency;
#[expect(clippy::module_inception, reason = "it holds the type `Measure`")]
mod measure;
mod measurement;
mod parents;
mod recorded;
mod registry;
mod second_build;

pub(crate) use self::ask::{ask, is_behind_bridge, is_started};
pub(crate) use self::columns::write_beside;
pub(crate) use self::context::{Accept, Context, normalize_path, report_file};
pub use self::context::{with_option, without_blessing};
pub(crate) use self::golden_files::{orphans, renamings};
pub(crate) use self::latency::{SideTimes, Timed, timed};
pub(crate) use self::measure::Measure;
pub(crate) use self::measurement::Measurement;
pub use self::recorded::Recorded;
pub(crate) use self::recorded::write_recorded_runs;
pub use self::registry::Registry;
pub(crate) use self::second_build::{OneBuild, SecondBuild};
