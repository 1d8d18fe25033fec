//! The rows of a table on their way to partitions.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::partitions::{Partitions, Sorter};
use super::scan::{Scan, Stopped};
use crate::{Result, threads};

/// A row of a table.
pub struct Row<'a> {
    pub query: &'a str,
    pub document: &'a str,
    /// As [`Batch::score`](super::Batch::score) has it.
    pub score: f64,
    /// The rank or the grade.
    pub whole: i64,
}

/// Puts all rows of a table into partitions by `push`; what it notes, of each group of rows.
pub fn sort<N: Default + Send>(
    scan: &Scan,
    partitions: &Partitions,
    push: impl Fn(&mut N, &mut Sorter<'_>, &Row<'_>) -> Result<()> + Sync,
) -> Result<Vec<N>> {
    let failed = AtomicUsize::new(usize::MAX);
    let sort = |group: usize| {
        let mut note = N::default();
        // What is wrong with the rows of an earlier group is told first.
        if group > failed.load(Ordering::Relaxed) {
            return Ok(note);
        }
        let mut sorter = partitions.sorter();
        let mut sorted = Ok(());
        let mut read = scan.read(group, |batch| {
            let mut row = |row: usize| {
                let (query, document) = (batch.query.get(row), batch.document.get(row));
                let row = Row { query, document, score: batch.score(row), whole: batch.integer(row) };
                push(&mut note, &mut sorter, &row)
            };
            sorted = (0..batch.rows).try_for_each(&mut row);
            if sorted.is_ok() { Stopped::No } else { Stopped::Yes }
        });
        if read.is_ok() {
            read = sorted.and_then(|()| sorter.finish());
        }
        if read.is_err() {
            failed.fetch_min(group, Ordering::Relaxed);
        }
        read.map(|()| note)
    };
    threads::map(scan.groups(), sort).into_iter().collect()
}
