//! Golden runs: what was blessed or recorded, and a digest by which a reader sees that the file was changed since.
//!
//! ```text
//! # rankgate golden run, version 8
//! # depth: 100
//! # digest: 8fd1...
//! q001 delivery-1 delivery-19 =plus-8
//! ```
//!
//! Versions 8 and 9 have a ranking a line, versions 6 and 7 the columns of TREC with scores; 7 and 9 have several rankings
//! of each query. The digest is XXH3 (128 bits) of all other lines, as `grep -v '^# digest: ' FILE | xxh128sum` prints it.
//! Versions 2 to 5 are the same four forms with a digest of what they say. Version 1 had none, and is not read.

use crate::Result;
use crate::input::{Input, Source};
use crate::run::golden_form::GoldenForm;
use crate::run::reader::{Contents, Judge, RunReader};
use crate::run::{golden_lines, trec};

pub(super) fn is(input: &mut Input<'_>) -> Result<bool> {
    Ok(GoldenForm::peek(input)?.is_some())
}

pub(super) fn read<T: Send>(
    reader: &RunReader,
    source: &Source<'_>,
    mut input: Input<'_>,
    judge: &Judge<'_, T>,
) -> Result<Contents<T>> {
    let reader = &reader.of_golden(&mut input)?;
    match reader.form {
        Some(GoldenForm { ranking_a_line: true, .. }) => golden_lines::read(reader, input, judge),
        _ => trec::read(reader, source, input, judge),
    }
}
