//! Runs.

use std::path::{Path, PathBuf};

use rankgate_core::internal::input::{RunRows, Source};
use rankgate_core::run::Order;
use rankgate_core::{Error, Result};

use crate::columns::{ColumnNames, TableSide};
use crate::file::open;
use crate::values::{floats, ids, integers};

/// Reads a run, which messages call by `name`: columns of queries, documents, and scores or ranks. Ranks give the order if
/// they are asked for, or if there are no scores.
///
/// # Errors
///
/// A file that cannot be read; a column that is missing; a null, NaN or impossible number; too many rows.
pub fn read_run(
    name: &Path,
    paths: &[PathBuf],
    columns: &ColumnNames,
    order: Option<Order>,
) -> Result<Source<'static>> {
    let side = TableSide::Run { by_rank: order.map(|order| order == Order::Rank) };
    let mut rows = RunRows::default();
    let mut number = 0;
    for (index, file) in open(paths)?.iter().enumerate() {
        let found = columns.find(&file.names(), side, file.path())?;
        let by_rank = found.rank.is_some();
        if index > 0 && by_rank != rows.by_rank {
            return Err(Error::in_file(
                file.path(),
                "it has ranks or scores where the files beside it do not",
            ));
        }
        rows.by_rank = by_rank;
        rows.single |= found.score.is_some_and(|place| file.is_single(place));
        let places = found.places();
        let at = found.among(&places);
        file.batches(&places, |batch| {
            let (queries, documents) = (batch.values(at.query, ids)?, batch.values(at.document, ids)?);
            let scores = at.score.map(|at| batch.values(at, floats)).transpose()?;
            // Whatever else is in a column of ranks, scores say the order beside it.
            let ranks = match (at.rank, at.rank_beside_score) {
                (Some(at), _) => Some(batch.values(at, integers)?),
                (None, beside) => beside.and_then(|at| batch.values(at, integers).ok()),
            };
            rows.has_ranks |= ranks.is_some();
            for row in 0..batch.rows {
                number += 1;
                let rank = ranks.as_ref().map_or(0, |ranks| ranks[row]);
                let score = scores.as_ref().map_or(-(rank as f64), |scores| scores[row]);
                rows.push(&queries[row], &documents[row], (score, rank), number);
            }
            Ok(())
        })?;
    }
    Ok(Source::rows(name, rows))
}
