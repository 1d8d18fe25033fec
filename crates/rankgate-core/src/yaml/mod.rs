//! YAML as a tree that knows where everything stands, and errors that show it.
//!
//! What of YAML is read: one document with anchors, aliases and merge keys (`<<`), without
//! tags. Keys are text. A scalar is kept as it is written until somebody says what it is meant to
//! be: where text is wanted `01`, `no` and `1.10` are text, where a number is wanted only what is
//! one is taken. Nothing but `null`, `~` and an empty place is nothing.
//!
//! Everything is bounded: the size of the file, the depth of nesting, the number of values (those
//! that aliases repeat included) and the number of problems that are kept.

mod de;
mod node;
mod params;
mod parse;
mod problem;
mod source;
mod suggest;

pub use crate::error::{Problem, Problems};
pub use node::{Entry, Key, Kind, Node, Scalar, Typed, Value};
pub use params::Params;
pub use parse::parse;
pub use problem::Found;
pub use source::{Source, Span};
pub use suggest::{all_of, any_of, nearest};
