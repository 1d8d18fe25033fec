//! Decisions on answer times.
//!
//! | file | what |
//! |---|---|
//! | `held.rs` | [`HeldLatency`]: a value, its interval, and the reason of the verdict |
//! | `ratio.rs` | [`held_ratio`]: two sides that were asked in turns |
//! | `time.rs` | [`held_time`]: a quantile of one side's times |

mod held;
mod ratio;
mod time;

pub use self::held::{HeldLatency, LatencyReason};
pub use self::ratio::held_ratio;
pub use self::time::held_time;
