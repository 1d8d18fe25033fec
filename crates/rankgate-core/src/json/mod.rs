//! JSON: objects that lose no key when they are read, and what this crate writes itself and reads back.

mod distinct;
mod tree;

pub use distinct::Distinct;
pub use tree::{Field, Fields, FromJson, ToJson, Tree, Unread};
pub use tree::{as_json, read_by_serde, read_json, write_json};
pub use tree::{deserialize, serialize, unknown, variant};
