//! Retrieval quality on one machine: what CI measured is posted, and trends, alarms and comparisons are asked for.
//!
//! One process, one folder. What is shown of a history is decided by [`rankgate_history`]; here it is kept, and told.
//!
//! | room | holds |
//! |---|---|
//! | [`store`] | SQLite or PostgreSQL behind one dialect: one writer with group commit, readers apart, migrations |
//! | `records` | what is kept, as types: projects, tokens, blobs, commits, reports, measurements, acknowledgements |
//! | `told` | the history of a benchmark, told from what is kept |
//! | `budget` | memory for the scores of histories |
//! | `access` | who asks, and what they may |
//! | `oidc` | runs of CI that need no token of ours |
//! | `audit` | who changed what |
//! | `connections` | how many there are, and how they end |
//! | `body`, `limits` | what is read of a request, and no more |
//! | `work` | what is computed: how much at a time, for whom, in how much memory |
//! | `hook` | alarms told to an address |
//! | [`problem`] | errors as documents |
//! | `pages` | the same for a browser, from what reports are rendered with |
//! | `api` | one file a resource, and the OpenAPI document that is tested against the routes |

mod access;
mod api;
mod audit;
mod body;
mod budget;
mod connections;
#[cfg(any(fuzzing, test))]
#[doc(hidden)]
pub mod fuzzing;
pub mod hash;
mod hook;
mod limits;
pub mod maintenance;
mod oidc;
mod pages;
pub mod problem;
mod records;
mod server;
pub mod store;
mod told;
mod work;

pub use audit::Entry;
pub use limits::Limits;
pub use records::{NewToken, Right, Rights, TokenRecord};
pub use server::{App, Settings, router, serve};
