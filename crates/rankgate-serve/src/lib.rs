//! Retrieval quality on one machine: what CI measured is posted, and trends, alarms and comparisons are asked for.
//!
//! One process, one folder. What is shown of a history is decided by [`rankgate_history`]; here it is kept, and told.
//!
//! | room | holds |
//! |---|---|
//! | `hash`, `gzip`, `random`, `clock`, `log`, `names` | the ground |
//! | [`store`] | SQLite or PostgreSQL behind one dialect: one writer with group commit, readers apart, migrations |
//! | [`problem`] | errors as documents |
//! | `column` | values in columns |
//! | `records` | what is kept, as types: projects, tokens, blobs, commits, reports, measurements, acknowledgements |
//! | `audit` | who changed what |
//! | `retention` | what is deleted because it is old |
//! | `history`, `budget` | the history of a benchmark, told from what is kept, and memory for its scores |
//! | `oidc` | runs of CI that need no token of ours |
//! | `limits`, `connections` | how much is taken from anyone; how many connections there are, and how they end |
//! | `work` | room for what is computed: how much at a time, for whom, in how much memory |
//! | `hook` | the address that alarms are told to |
//! | `app` | what all requests share |
//! | `access` | who asks, and what they may |
//! | `body` | what is read of a request, and no more |
//! | `compute` | the turns of what is computed, and their end |
//! | `api` | one file a resource, and the OpenAPI document that is tested against the routes |
//! | `pages` | the same for a browser, from what reports are rendered with |
//! | `notify` | alarms told to the address |
//! | [`maintenance`] | what is done with the data beside serving them |
//! | `server` | what is opened and answered, until it stops |
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
mod work;

pub use app::{App, Settings};
pub use audit::Entry;
pub use limits::Limits;
pub use records::{NewToken, Right, Rights, TokenRecord};
pub use server::{router, serve};
