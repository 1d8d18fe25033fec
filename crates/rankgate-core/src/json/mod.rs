//! JSON read back: objects that lose no key, and what this crate wrote itself.

mod distinct;
mod tree;

pub use distinct::Distinct;
pub use tree::{Fields, FromJson, Unread, deserialize, from_json, read_by_serde, unknown, variant};
