//! `rankgate score`: the rows of a stream, scored query by query.

use std::io::{self, BufWriter, IsTerminal, Write};

use clap::{ArgAction, Args};
use rankgate::{BoxError, Judging, Order};
use rankgate_offline::Scoring;

use crate::exit::Exit;
use crate::inputs::{By, TableOptions, metrics};

/// The default metrics.
const DEFAULT: &str = "nDCG@10,R@100";

/// Score the rows of a stream: a line for each query, for rows in Spark, pandas, Polars or a warehouse
///
/// Standard input is a stream of Arrow (IPC) of judgments and run in one table: columns query, document, score or rank, and
/// grade. A row with a grade is a judgment, one with a score or a rank a retrieved document; both or neither is an error.
/// Rows may come in any order. Standard output is another such stream, by query: its scores, retrieved, judged,
/// judged_retrieved, tied_scores, best_grade, identical. Scores and best_grade are null for an unjudged query.
/// Nothing is written unless all rows were read and scored; after an error there is no output, and the exit status is 2.
#[derive(Args)]
#[command(after_help = "\
The lines, kept as Parquet, are what eval --from-lines and compare --from-scores read:
  rankgate eval --from-lines lines.parquet
  rankgate compare --from-scores old.parquet new.parquet -m nDCG@10 --expect no-regression

Where a program sees a part of the judgments, as a task of Spark does, ERR and graded RBP ask for --max-grade.")]
pub(crate) struct Score {
    /// Read and write streams of Arrow
    #[arg(long, required = true, action = ArgAction::SetTrue)]
    arrow: bool,

    /// Metrics, with commas or blanks between them; may be given several times
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC")]
    metrics: Vec<String>,

    /// The highest grade of all judgments, by which ERR and graded RBP scale
    #[arg(long, value_name = "GRADE")]
    max_grade: Option<i32>,

    /// What says the order of a run [default: score, or rank where there is no column of scores]
    #[arg(long, value_enum)]
    order: Option<By>,

    /// Lowest grade that counts as relevant
    #[arg(long, value_name = "GRADE", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    relevant_from: i32,

    /// Take documents out whose id is that of their query, as BEIR does where queries are documents
    #[arg(long)]
    exclude_identical_ids: bool,

    #[command(flatten)]
    tables: TableOptions,
}

impl Score {
    pub(crate) fn run(self) -> Result<Exit, BoxError> {
        debug_assert!(self.arrow, "there is no other way yet");
        if io::stdin().is_terminal() || io::stdout().is_terminal() {
            return Err("streams of Arrow are no text: standard input and output are pipes or files".into());
        }
        let judging = Judging {
            relevant_from: self.relevant_from,
            exclude_identical_ids: self.exclude_identical_ids,
            ..Judging::default()
        };
        let metrics = metrics(&self.metrics, DEFAULT)?;
        let scoring = Scoring::new(metrics.into_iter().map(|one| one.metric))
            .judging(judging)
            .order(self.order.map(Order::from));
        let mut out = BufWriter::new(io::stdout().lock());
        scoring.stream(&self.tables.tables(), self.max_grade, io::stdin().lock(), &mut out)?;
        out.flush().map_err(|error| format!("cannot write to standard output: {error}"))?;
        Ok(Exit::Passed)
    }
}
