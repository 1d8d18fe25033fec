//! Collections: queries, judgments and documents; one file a format.

mod query;

pub use query::{Metadata, Query};
