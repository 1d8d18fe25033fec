//! Painters: a [page](super::page) as text of one kind. Wrapping, alignment and colour are theirs alone.
//!
//! | file | paints |
//! |---|---|
//! | `plain.rs` | lines of a width, for everything that has no other form |
//! | `terminal.rs` | the same lines, in colour |
//! | `markdown.rs` | parts of a file for GitHub |
//!
//! `wrap.rs`, `columns.rs` and `queries.rs` lay out what plain lines are made of.

mod columns;
pub mod markdown;
mod plain;
mod queries;
mod terminal;
mod wrap;

pub use columns::width;
pub use plain::{Widths, message};
pub use terminal::Style;
pub use terminal::{line, page};
