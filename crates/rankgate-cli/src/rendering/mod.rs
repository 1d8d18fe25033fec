//! Renderings of reports for other tools and forges.
//!
//! | file | renders |
//! |---|---|
//! | `annotation.rs` | lines of a file on GitHub |
//! | `csv.rs` | the scores of all queries |
//! | `junit.rs` | the list of tests of a CI system |
//! | `losses.rs` | the largest losses, for a comment |
//! | `broken.rs` | a spec that was not run, which has no report |

mod annotation;
mod broken;
pub(crate) mod csv;
mod junit;
mod losses;

pub(crate) use annotation::annotations;
pub(crate) use broken::BrokenSpec;
pub(crate) use csv::csv;
pub(crate) use junit::junit;
pub(crate) use losses::losses;

#[cfg(test)]
mod tests;
