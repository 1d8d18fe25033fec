//! Rankings of chunks as rankings of passages of documents, in which judged spans lie.

use crate::collection::Chunks;
use crate::error::Quoted;
use crate::run::{Hit, Run};
use crate::{Error, Result};

/// A ranking of chunks as one of passages: of several in one place the first counts.
///
/// # Errors
/// A chunk that lies nowhere, and one that comes twice.
pub fn passages(places: &Chunks, chunks: &[Hit]) -> Result<Vec<Hit>> {
    let ids: Vec<&str> = chunks.iter().map(|chunk| chunk.id.as_str()).collect();
    let located = places.locate(&ids)?.into_iter();
    Ok(located.map(|(at, id)| Hit::new(id, chunks[at].score)).collect())
}

/// The same of all rankings of a run.
///
/// # Errors
/// As of [`passages`], with the query.
pub fn run_of_passages(places: &Chunks, mut run: Run) -> Result<Run> {
    run.change(|query, chunks| {
        let of_query = |error| Error::invalid(format!("query {}: {error}", Quoted(query)));
        passages(places, &chunks).map_err(of_query)
    })?;
    Ok(run)
}
