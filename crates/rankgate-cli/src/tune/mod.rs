//! Choices made on one half of the queries and confirmed on the other: of a run, and of a score threshold.

mod choice;
mod halves;
mod threshold;

pub(crate) use choice::choose;
pub(crate) use threshold::{Demand, choose_threshold};

/// The version of the JSON forms.
const SCHEMA: u32 = 1;
/// Characters of a run's name.
const NAME: usize = 40;
const WIDTH: usize = 80;
