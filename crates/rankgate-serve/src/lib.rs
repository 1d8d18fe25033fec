//! Retrieval quality on one machine: CI posts what it measured, and people read trends, alarms and comparisons.
//!
//! One process, one folder. [`rankgate_history`] decides what happened; the server stores measurements and shows it.
//!
//! | room | holds |
//! |---|---|
//! | `hash`, `gzip`, `difference`, `random`, `clock`, `log`, `names` | the ground |
//! | [`store`] | SQLite or PostgreSQL behind one dialect: one writer with group commit, readers apart, migrations |
//! | [`problem`] | errors as documents |
//! | `column` | values in columns |
//! | `contents` | bytes by their hash; reports as what they differ by from one before |
//! | `records` | the tables as types: projects, tokens, commits, reports, measurements, acknowledgements |
//! | `audit` | who changed what |
//! | `trail` | whether the audit says what rows say |
//! | `retention` | deletes what is old |
//! | `history`, `budget` | the history of a benchmark, and memory for its scores |
//! | `oidc` | runs of CI that need no token of ours |
//! | `limits`, `connections` | how much one caller may send; how many connections there are, and how they end |
//! | `work` | places for work: how much at a time, for whom, in how much memory |
//! | `whole` | whether all of a report can be read, and what was read before |
//! | `hook` | the address that alarms are sent to |
//! | `app` | the state that all requests share |
//! | `access` | who a caller is, and their rights |
//! | `body` | reads the body of a request, within limits |
//! | `compute` | work waits for its turn, and ends with its caller |
//! | `api` | one file a resource, and the OpenAPI document that is tested against the routes |
//! | `pages` | the same for a browser, from what reports are rendered with |
//! | `notify` | alarms sent to the address |
//! | [`maintenance`] | backups, checks, tokens: what the command does with the data |
//! | `server` | opens the data, and answers until it stops |
//!
//! Each knows those above it and none below, which `src/layer_tests.rs` of the workspace holds.

mod access;
mod api;
mod app;
mod audit;
mod body;
mod budget;
mod clock;
mod column;
mod compute;
mod connections;
mod contents;
mod difference;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
mod gzip;
pub mod hash;
mod history;
mod hook;
mod limits;
mod log;
pub mod maintenance;
mod names;
mod notify;
mod oidc;
mod pages;
pub mod problem;
mod random;
mod records;
mod retention;
mod server;
pub mod store;
mod trail;
mod whole;
mod work;

pub use app::{App, Settings};
pub use audit::Entry;
pub use limits::Limits;
pub use records::{NewToken, Right, Rights, TokenRecord};
pub use server::{router, serve};
