//! Runs of chunks, read as runs of passages.

use crate::offline::collection::Chunks;
use crate::offline::evaluation::run_of_passages;
use crate::offline::run::{Run, RunReader};
use crate::offline::{Result, Source};

/// Reads a run of chunks as one of passages of documents, in which judged spans lie. What is wrong with a query that is
/// not judged is no error.
///
/// # Errors
///
/// Those of [`RunReader::read_judged`]; a chunk that lies nowhere, and one that comes twice.
pub fn read_passages(
    reader: &RunReader,
    source: &Source<'_>,
    chunks: &Chunks,
    is_judged: impl Fn(&str) -> bool + Sync,
) -> Result<Run> {
    let (run, _) = reader.read_judged(source, &is_judged)?;
    run_of_passages(chunks, run)
}
