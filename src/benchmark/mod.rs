//! Carrying a checked spec out: retrieve, score, decide, explain.
//!
//! ```no_run
//! use rankgate::benchmark::{Benchmark, Registry};
//!
//! let report = Benchmark::open("benchmarks/helpdesk.yaml", &Registry::new())?.run();
//! print!("{}", rankgate::report::text(&report));
//! # Ok::<(), rankgate::Error>(())
//! ```

// Each of these rooms uses those above it and knows nothing of those below:
//
// | room | holds |
// |---|---|
// | `decide` | gates and their families, from what is cached to findings; what may be blessed |
// | `benchmark`, `report` | what callers ask for; everything that is known by then, as model and as files |
// | `inspection` | what suites know of it, and crates that examine it |

#[expect(clippy::module_inception, reason = "it holds the type `Benchmark`")]
mod benchmark;
#[cfg(test)]
mod changed_lists_tests;
pub(crate) mod decide;
#[cfg(test)]
mod golden_tests;
mod inspection;
mod past;
mod report;

pub use self::benchmark::Benchmark;
pub(crate) use self::benchmark::names;
pub use self::past::PastRanking;
pub(crate) use self::report::{never_failing, write_error, write_files};
#[doc(inline)]
pub use crate::measure::{Recorded, Registry};
#[doc(inline)]
pub use rankgate_core::benchmark::Written;

#[doc(inline)]
pub use rankgate_report::benchmark::model;
