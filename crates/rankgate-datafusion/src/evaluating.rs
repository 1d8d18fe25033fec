//! A run judged: two tables in, the report of `rankgate eval` out.

use crate::Seal;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err, internal_datafusion_err};
use datafusion::prelude::SessionContext;
use futures::{TryStreamExt, try_join};
use rankgate_cli::offline::{QueryScores, Scores, Scoring};

use crate::aggregate::{Options, Unscorable, read_results};
use crate::source::{Columns, Table, duplicates, plain_scan};

/// What is to be evaluated, and how.
#[derive(Clone, Debug)]
pub struct Evaluating {
    /// The judgments.
    pub judgments: Table,
    /// The run.
    pub run: Table,
    /// How means are taken. Its metrics, order and conventions have to be those of `options`.
    pub scoring: Scoring,
    /// How queries are scored.
    pub options: Options,
    /// Row groups that the plain scan reads at once.
    pub tasks: usize,
}

/// Scores, and what they were made of.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The report.
    pub scores: Scores,
    /// The seal of the judgments, for [`Scores::write`].
    pub judgments: Seal,
    /// The seal of the run.
    pub run: Seal,
}

impl Evaluating {
    /// Reads both tables plainly, has an engine score the queries, and compares what either saw.
    ///
    /// # Errors
    ///
    /// Rows that cannot be scored, with file and row where that can be known; rows that the engine lost, changed or
    /// doubled; whatever the engine fails with.
    pub async fn by(&self, engine: &SessionContext) -> Result<Evaluated> {
        let (judgments, run) =
            try_join!(plain_scan(&self.judgments, self.tasks), plain_scan(&self.run, self.tasks))?;
        // What one query's rows do not tell, and ERR asks for.
        let options =
            Options { max_grade: judgments.max_grade, unscorable: Unscorable::Told, ..self.options.clone() };
        let (lines, seen) = self.lines(engine, &options).await?;
        // A document that comes twice has come twice in the files where these are the rows that are in them.
        let wrong = seen.wrong.as_ref().map(|(_, why)| why.as_str());
        same(&self.judgments, judgments.seal, seen.judgments, wrong)?;
        same(&self.run, run.seal, seen.run, wrong)?;
        if let Some((query, why)) = &seen.wrong {
            return Err(self.located(query, why).await);
        }
        let scores =
            self.scoring.lines(self.run.name(), lines).map_err(|error| exec_datafusion_err!("{error}"))?;
        Ok(Evaluated { scores, judgments: judgments.seal, run: run.seal })
    }

    /// The lines of all queries that could be scored, and what the engine made them of.
    async fn lines(
        &self,
        engine: &SessionContext,
        options: &Options,
    ) -> Result<(Vec<(String, QueryScores)>, Seals)> {
        for table in [&self.judgments, &self.run] {
            let name = table.side().name();
            engine.deregister_table(name)?;
            engine.register_table(name, table.provider()?)?;
        }
        let sql = sql(self.judgments.columns(), self.run.columns(), options);
        let mut batches = engine.sql(&sql).await?.execute_stream().await?;
        let (mut lines, mut seen) = (Vec::new(), Seals::default());
        while let Some(batch) = batches.try_next().await? {
            let strange = || internal_datafusion_err!("the engine gave other columns than were asked for");
            let queries = cast(batch.column(0), &DataType::Utf8View)?;
            let queries = queries.as_string_view_opt().ok_or_else(strange)?;
            for (query, result) in queries.iter().zip(read_results(batch.column(1))?) {
                let (query, result) = query.zip(result).ok_or_else(strange)?;
                seen.judgments.merge(result.judged);
                seen.run.merge(result.retrieved);
                match result.scores {
                    Ok(scores) => lines.push((query.to_owned(), scores)),
                    // Of several the first by its id is told, in whatever order they come.
                    Err(why) if seen.wrong.as_ref().is_none_or(|(first, _)| query < first.as_str()) => {
                        seen.wrong = Some((query.to_owned(), why));
                    }
                    Err(_) => {}
                }
            }
        }
        Ok((lines, seen))
    }

    /// Why a query was not scored; where a document that comes twice stands is looked up, as `rank_eval` knows no files.
    async fn located(&self, query: &str, why: &str) -> DataFusionError {
        for table in [&self.judgments, &self.run] {
            match duplicates(table, query).await {
                Ok(Some(found)) => {
                    let [first, second] = found.places;
                    let document = found.document;
                    return exec_datafusion_err!(
                        "{second}: query {query:?}, document {document:?} again (first in {first})"
                    );
                }
                Ok(None) => {}
                Err(error) => return error,
            }
        }
        exec_datafusion_err!("{why}")
    }
}

/// The seals of what an engine saw, and the first query that cannot be scored, with the reason.
#[derive(Default)]
struct Seals {
    judgments: Seal,
    run: Seal,
    wrong: Option<(String, String)>,
}

/// Both sides through one union, grouped by query, and no join.
fn sql(judgments: &Columns, run: &Columns, options: &Options) -> String {
    let select = |columns: &Columns, score: &str, grade: &str, table: &str| {
        let (query, document) = (quoted(&columns.query), quoted(&columns.document));
        format!(
            "SELECT {query} AS query, {document} AS document, {score} AS score, {grade} AS grade FROM {table}"
        )
    };
    let run = select(run, &quoted(&run.value), "CAST(NULL AS INT)", "run");
    let judgments = select(judgments, "CAST(NULL AS DOUBLE)", &quoted(&judgments.value), "judgments");
    let (metrics, options) = (options.metrics_text().replace('\'', "''"), options.text());
    format!(
        "SELECT query, rank_eval(query, document, score, grade, '{metrics}', '{options}') AS result \
         FROM ({run} UNION ALL {judgments}) GROUP BY query"
    )
}

/// A column's name as SQL takes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Whether the engine saw the rows that are in the files; `wrong` is why it could not score a query, if so.
fn same(table: &Table, plain: Seal, seen: Seal, wrong: Option<&str>) -> Result<()> {
    if plain == seen {
        return Ok(());
    }
    let side = table.side().name();
    let (rows, saw) = (plain.rows(), seen.rows());
    let what = match saw.cmp(&rows) {
        std::cmp::Ordering::Less => format!("{} were lost", rows - saw),
        std::cmp::Ordering::Greater => format!("{} came twice or from nowhere", saw - rows),
        std::cmp::Ordering::Equal => "as many, but not the same".to_owned(),
    };
    exec_err!(
        "{}: the {side} in the files has {rows} rows, and the engine scored {saw} rows ({what}): seal {plain} is not {seen}; \
         no scores are given{}{}",
        table.name(),
        if wrong.is_some() { "; " } else { "" },
        wrong.unwrap_or_default()
    )
}
