//! The lowest layer of reading: inputs, plain or compressed, as numbered lines of checked
//! UTF-8 or as JSON objects that lose no key.

mod ahead;
mod compression;
mod entries;
mod foreign;
mod lines;
mod open;
mod run_rows;
mod source;

pub use compression::{ENDING, uncompressed};
pub use entries::{Entries, Json, LineIndex};
pub use foreign::{foreign, holds_conflict};
pub use lines::{HashIds, Line, Lines, is_comment};
pub use open::{open, refuse_pipe};
pub use run_rows::{QueryRows, RunRow, RunRows};
pub use source::Input;
pub use source::Source;

/// The longest line that is read, in bytes; a longer one is an error, not a reason to run out of
/// memory.
pub const MAX_LINE: usize = 64 << 20;

/// The largest file that is read as one JSON text, in bytes after decompression.
const MAX_TEXT: u64 = 1 << 30;

/// The beginning of a text, enough of it for an error message.
fn excerpt(text: &str) -> &str {
    text.char_indices().nth(100).map_or(text, |(end, _)| &text[..end])
}
