//! Whether one side takes longer than the other, from times that were taken in turns.
//!
//! | file | what |
//! |---|---|
//! | `times.rs` | [`PairedTimes`]: two sides asked for the same things, block by block |
//! | `ratio.rs` | [`latency_ratio`]: how many times as long one of them takes, with its tests and interval |
//! | `rule.rs` | [`latency_outcome`], [`held_time`]: whether a limit holds, and why nothing is decided |

mod ratio;
mod rule;
mod times;

pub use self::ratio::{LatencyRatio, latency_ratio};
pub use self::rule::{HeldTime, LatencyOutcome, LatencyReason, held_time, latency_outcome};
pub use self::times::PairedTimes;
