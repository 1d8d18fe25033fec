//! Mappings with known keys, as YAML files of users have them: every problem is kept with its place, and the schema
//! follows from the declaration that reads them.
//!
//! To add a key, add a line to the mapping that has it ([`mapping!`]): its documentation, its place in the list of keys
//! and in the schema follow from there.

mod keys;
mod read;
mod registry;

pub(crate) use self::keys::{Field, FieldValue, Keys, Rule, Shape, mapping};
pub(crate) use self::read::{Count, FromNode, List, OneOrMany, Reader, Spanned};
pub use self::registry::Registry;
