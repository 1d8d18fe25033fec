//! The command `rankgate` as a shell sees it. One program: each links the whole crate.

#[path = "../schema/mod.rs"]
mod schema;
#[path = "../surroundings/mod.rs"]
mod surroundings;

mod cli;
mod faults;
mod hostile;
mod limits;
mod lint;
mod readme;
mod runs;
#[cfg(feature = "http")]
mod secrets;
#[cfg(feature = "http")]
mod services;
mod specs;
