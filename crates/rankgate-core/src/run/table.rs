//! Runs whose rows are in memory.

use std::path::Path;

use super::Order;
use super::answer::{Answer, TOO_LONG};
use super::reader::{Contents, Judge, RunReader};
use super::rising::Ranks;
use crate::error::Quoted;
use crate::input::RunRows;
use crate::places::Places;
use crate::{Error, Result, threads};

/// Puts the rows of each query into rank order and has `judge` called for it.
pub(super) fn read<T: Send>(
    reader: &RunReader,
    path: &Path,
    table: &RunRows,
    judge: &Judge<'_, T>,
) -> Result<Contents<T>> {
    let order = if table.by_rank { Order::Rank } else { Order::Score };
    let known = if table.has_ranks { Ranks::Column } else { Ranks::Missing };
    let answer = || Answer { known, ..reader.answer() };
    let queries: Vec<_> = table.queries().collect();
    let of_query = |(answer, seen): &mut (Answer, Places), index: usize| {
        let (query, rows) = queries[index];
        answer.clear();
        let mut begin = 0;
        for row in &rows.rows {
            let pushed = answer.push_place(begin..row.end, row.score, row.rank, row.number);
            pushed.map_err(|_| Error::in_file(path, format!("query {}: {TOO_LONG}", Quoted(query))))?;
            begin = row.end;
        }
        let ranking = answer.ranking_in(&rows.ids, order, query, path, seen)?;
        Ok((query.to_owned(), judge(query, &ranking)?))
    };
    let judged = threads::map_with(queries.len(), || (answer(), Places::default()), of_query);
    let rankings = judged.into_iter().collect::<Result<_>>()?;
    Ok(Contents { single: table.single, ..Contents::new(rankings, None, Vec::new()) })
}
