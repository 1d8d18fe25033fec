//! JSON: objects that lose no key when they are read, and what this crate writes itself and reads back.

mod distinct;
mod read;
mod tree;
mod write;

pub use distinct::Distinct;
pub use read::{Fields, FromJson, JsonError, deserialize, read_by_serde, read_json, unknown, variant};
pub use tree::{as_json, as_json_with_feature, record};
pub use write::{Field, ToJson, Tree, Writing, serialize, write_json};
