//! The command `rankgate` as a shell sees it. One program: each links the whole crate.

#[path = "../../examples/quickstart/src/main.rs"]
#[expect(dead_code, reason = "of the program, its `main` alone is not used here")]
mod quickstart;
#[path = "../schema/mod.rs"]
mod schema;
#[path = "../surroundings/mod.rs"]
mod surroundings;

mod action;
mod book;
mod check;
mod cli;
mod faults;
#[cfg(feature = "fetch")]
mod fetch;
mod history;
mod hostile;
mod inputs;
mod judge;
#[cfg(all(unix, feature = "http"))]
mod judge_server;
mod latency;
mod limits;
mod lint;
#[cfg(feature = "http")]
mod loopback;
mod programs;
#[cfg(all(unix, feature = "http"))]
mod push;
mod runs;
#[cfg(feature = "http")]
mod secrets;
#[cfg(feature = "http")]
mod services;
mod specs;
#[cfg(feature = "http")]
mod synthesize;
