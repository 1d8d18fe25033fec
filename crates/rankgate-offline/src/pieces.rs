//! Judgments and a run in Parquet where memory does not hold the judgments: rows of both are put together by query.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::collection::judged_twice;
use crate::columnar::{Partitions, Scan, sort};
use crate::input::{Source, TableSide};
use crate::run::{Order, located};
use crate::stream::{Unscored, scored};
use crate::{QueryScores, Scores, Scoring, Seal};
use crate::{Result, threads};

/// What a judgment takes where all are held, in bytes, with ten of a query: its id, its grade and its part of two tables.
const HELD: u64 = 100;

impl Scoring {
    /// Scores a run as [`file`](Self::file) does, where both are Parquet and the judgments alone would take more memory
    /// than [`Tables`](crate::collection::Tables) has; the seal is that of the judgments. `None` where they take less, or
    /// are something else: then they are held. Every value is the same to the last bit.
    ///
    /// # Errors
    ///
    /// As for [`file`](Self::file) and [`Qrels::read`](rankgate_core::collection::Qrels::read); a temporary file that cannot be written.
    pub fn in_pieces(
        &self,
        judgments: impl AsRef<Path>,
        run: impl AsRef<Path>,
    ) -> Result<Option<(Scores, Seal)>> {
        let (judgments, run) = (Source::from(judgments.as_ref()), Source::from(run.as_ref()));
        let tables = self.asked_tables();
        // What is wrong with files as a whole is told by who reads them.
        let open = |source: &Source<'_>, side| Scan::open(source, source.table().ok()??, tables, side).ok();
        let Some(judged) = open(&judgments, TableSide::Judgments) else { return Ok(None) };
        if judged.rows().saturating_mul(HELD) <= tables.bytes() {
            return Ok(None);
        }
        let by_rank = self.asked_order().map(|order| order == Order::Rank);
        let Some(retrieved) = open(&run, TableSide::Run { by_rank }) else { return Ok(None) };
        let order = if retrieved.by_rank() { Order::Rank } else { Order::Score };

        let rows = judged.rows().saturating_add(retrieved.rows());
        let partitions = Partitions::new(rows, tables.bytes(), threads::most());
        let (mut highest, mut seal) = (0, Seal::default());
        let grades = sort(&judged, &partitions, |(most, seal): &mut (i32, Seal), sorter, row| {
            // Whatever does not fit has been refused.
            let grade = i32::try_from(row.whole).unwrap_or_default();
            *most = grade.max(*most);
            seal.judged(row.query, row.document, grade);
            sorter.judged(row.query, row.document, grade)
        })?;
        for (most, part) in grades {
            highest = most.max(highest);
            seal.merge(part);
        }
        sort(&retrieved, &partitions, |(): &mut (), sorter, row| {
            let number = if order == Order::Rank { row.whole as f64 } else { row.score };
            sorter.push(row.query, row.document, number, 0)
        })?;

        let kernel = self.kernel(highest).order(order);
        // As where judgments are held: a document twice in a query that nobody judged is no error.
        let repeats = AtomicUsize::new(0);
        let unjudged = |_: &str, _| {
            repeats.fetch_add(1, Ordering::Relaxed);
            // That it was answered is all that is said of such a query.
            Ok(QueryScores { retrieved: 1, ..QueryScores::default() })
        };
        let lines = scored(&partitions, &kernel, unjudged).or_else(|Unscored { query, error }| {
            let Some(query) = query else { return Err(error) };
            let excluding = self.excludes_identical_ids();
            let place = match judged_twice(&judged, &query)? {
                Some(place) => Some(place),
                None => located(&retrieved, order, excluding, &query)?,
            };
            Err(place.unwrap_or(error))
        })?;
        let scores = self.lines(&run.path().display().to_string(), lines)?;
        let unjudged_repeats = repeats.into_inner();
        Ok(Some((Scores { float32_scores: retrieved.single(), unjudged_repeats, ..scores }, seal)))
    }
}
