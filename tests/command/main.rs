//! The command `rankgate` as a shell sees it. One program: each links the whole crate.

#[cfg(all(unix, feature = "http"))]
#[path = "../judge_server/mod.rs"]
mod judge_server;
#[path = "../../examples/quickstart/src/main.rs"]
#[expect(dead_code, reason = "of the program, its `main` alone is not used here")]
mod quickstart;
#[path = "../schema/mod.rs"]
mod schema;
#[path = "../surroundings/mod.rs"]
mod surroundings;

mod cli;
mod faults;
#[cfg(feature = "fetch")]
mod fetch;
mod history;
mod hostile;
mod judge;
mod latency;
mod limits;
mod lint;
mod readme;
mod runs;
#[cfg(feature = "http")]
mod secrets;
#[cfg(feature = "http")]
mod services;
mod specs;
