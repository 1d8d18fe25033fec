//! Streams of rows scored for other programs: Spark, pandas, Polars, a warehouse.

use std::io::{Read, Write};
use std::path::Path;

use crate::collection::Tables;
use crate::columnar::{Partitions, ROWS, Sorted, StreamRow, stream, write_stream};
use crate::lines::{columns, fields};
use crate::metric::{JudgedRanking, Metric};
use crate::run::Order;
use crate::{Error, Result, threads};
use crate::{Kernel, QueryScores, Scoring};

impl Scoring {
    /// Scores the rows of a stream of Arrow (IPC) and writes a line for each query as another, in the order of query
    /// ids, with the columns of [`Lines`](super::Lines).
    ///
    /// A row is of the judgments, with a `grade`, or of the run, with a `score` or a `rank`, and the other columns are
    /// null; `query` and `document` are in both. Nothing is written before everything has been read and scored. More
    /// rows than [`Tables`] has memory for wait in temporary files.
    ///
    /// # Errors
    ///
    /// No stream, or a truncated one; a row of neither side or of both; a document that a query has
    /// twice on a side; a metric that scales by the highest grade of all judgments where `max_grade` does not say it,
    /// for these rows may not be all.
    pub fn stream(
        &self,
        tables: &Tables,
        max_grade: Option<i32>,
        from: impl Read,
        to: impl Write,
    ) -> Result<()> {
        let metrics = self.kernel(0).metrics().to_vec();
        if let (None, Some(metric)) = (max_grade, metrics.iter().find(|metric| scales_by_all(metric))) {
            let message =
                format!("{metric} scales by the highest grade of all judgments, which `--max-grade` says");
            return Err(Error::invalid(message));
        }
        // Nobody knows how many rows will come.
        let partitions = Partitions::new(u64::from(u32::MAX), tables.bytes(), threads::most());
        let mut sorter = partitions.sorter();
        let by_rank = self.asked_order().map(|order| order == Order::Rank);
        let mut highest = 0;
        let by_rank =
            stream(Path::new("the stream"), from, tables, by_rank, |query, document, row| match row {
                StreamRow::Retrieved(number) => sorter.push(query, document, number, 0),
                StreamRow::Judged(grade) => {
                    highest = highest.max(grade);
                    sorter.judged(query, document, grade)
                }
            })?;
        sorter.finish()?;
        drop(sorter);
        if let Some(max) = max_grade.filter(|max| *max < highest) {
            return Err(Error::invalid(format!("--max-grade is {max}, and there is a grade of {highest}")));
        }
        let order = if by_rank { Order::Rank } else { Order::Score };
        let kernel = self.kernel(max_grade.unwrap_or(highest)).order(order);
        let refused = |_: &str, error: Error| Err(error);
        let lines = scored(&partitions, &kernel, refused).map_err(|unscored| unscored.error)?;
        let names: Vec<String> = metrics.iter().map(ToString::to_string).collect();
        write_stream(fields(&names), lines.chunks(ROWS).map(|lines| columns(names.len(), lines)), to)
    }
}

/// Why rows have no scores.
pub(super) struct Unscored {
    /// The query that has none; not known where rows could not be read back.
    pub(super) query: Option<String>,
    pub(super) error: Error,
}

/// The lines of all queries, by their ids; `unjudged` says what becomes of a query without judgments whose ranking is none.
pub(super) fn scored(
    partitions: &Partitions,
    kernel: &Kernel,
    unjudged: impl Fn(&str, Error) -> Result<QueryScores> + Sync,
) -> Result<Vec<(String, QueryScores)>, Unscored> {
    let score = |index: usize| {
        let mut lines = Vec::new();
        // Of several queries that are wrong the first by its id is told, whatever partitions there are.
        let mut wrong: Option<(String, Error)> = None;
        let mut each = |sorted: &Sorted| {
            let (mut retrieved, mut judged) = (Vec::new(), Vec::new());
            for query in sorted.queries() {
                retrieved.clear();
                judged.clear();
                for (place, row) in query.rows() {
                    let document = &sorted.text()[place];
                    match row.is_judged() {
                        true => judged.push((document, i32::try_from(row.whole).unwrap_or_default())),
                        false => retrieved.push((document, row.score)),
                    }
                }
                let line =
                    kernel.score(query.id, &retrieved, &judged).or_else(|error| match judged.is_empty() {
                        true => unjudged(query.id, error),
                        false => Err(error),
                    });
                match line {
                    Ok(line) => lines.push((query.id.to_owned(), line)),
                    Err(error) if wrong.as_ref().is_none_or(|(before, _)| query.id < before.as_str()) => {
                        wrong = Some((query.id.to_owned(), error));
                    }
                    Err(_) => {}
                }
            }
            Ok(())
        };
        partitions.take(index, &mut each).map(|()| (lines, wrong))
    };
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for partition in threads::map(partitions.count(), score) {
        let (lines, failed) = partition.map_err(|error| Unscored { query: None, error })?;
        all.extend(lines);
        wrong.extend(failed);
    }
    if let Some((query, error)) = wrong.into_iter().min_by(|a, b| a.0.cmp(&b.0)) {
        return Err(Unscored { query: Some(query), error });
    }
    all.sort_unstable_by(|a: &(String, QueryScores), b| a.0.cmp(&b.0));
    Ok(all)
}

/// Whether a metric depends on the highest grade of all judgments, by which `ERR` and graded `RBP` divide.
fn scales_by_all(metric: &Metric) -> bool {
    let of = |max: i32| {
        let ranking = JudgedRanking::sparse(2, &[(1, 1), (2, 2)], vec![2, 1]).ok()?;
        metric.try_compute(&ranking.with_max_grade(max)).ok()
    };
    of(2).map(f64::to_bits) != of(5).map(f64::to_bits)
}
