//! The command `rankgate` as a shell sees it. One program: each links the whole crate.

#[path = "../../../../examples/quickstart/src/main.rs"]
#[expect(dead_code, reason = "of the program, its `main` alone is not used here")]
mod quickstart;
#[path = "../../../../tests/repository/mod.rs"]
mod repository;
#[path = "../../../../tests/schema/mod.rs"]
mod schema;

mod action;
mod blessing;
mod book;
mod check;
mod chunks;
mod cli;
mod comment;
mod earlier_reports;
mod faults;
mod fetch;
mod fetch_broken;
mod fetch_server;
mod folder;
mod fuse;
mod golden;
mod habits;
mod history;
mod history_git;
mod hostile;
mod inputs;
mod judge;
mod judge_server;
mod latency;
mod limits;
mod lint;
mod lint_specs;
mod lists;
mod loopback;
mod many_runs;
mod pool;
mod programs;
mod push;
mod read_back;
mod runs;
mod secrets;
mod served;
mod services;
mod specs;
mod surroundings;
mod synthesize;
mod titles;
mod toy_spec;
mod tune;
mod variants;
mod wrong_files;
