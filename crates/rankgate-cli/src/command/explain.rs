//! `rankgate explain`: one query under two runs.

use std::path::PathBuf;

use crate::offline::Explaining;
use crate::offline::report::{explanation_styled, to_json};
use clap::Args;
use rankgate::{BoxError, Corpus};

use crate::exit::Exit;
use crate::format::Format;
use crate::inputs::{
    Conventions, Files, TableOptions, check_no_configurations, check_standard_input, metrics, name,
};
use crate::terminal::Terminal;

const DEFAULT: &str = "nDCG@10,AP,RR@10,P@10,R@100";

/// Show both rankings of one query side by side, with grades
#[derive(Args)]
#[command(after_help = "\
In the rankings, `now` is where the candidate has the baseline's document and `was` where the
baseline has the candidate's; `=` is the same rank, and a grade of `-` means that nobody judged it.

Examples:
  rankgate explain qrels.txt old.run new.run --query q042
  rankgate explain qrels.txt old.run new.run --query q042 -k 20 --corpus corpus.jsonl
  rankgate explain qrels.txt old.run new.run --query q042 --format json")]
pub(crate) struct Explain {
    /// Judgments: which documents are relevant to which query (- for standard input)
    qrels: PathBuf,

    /// The run that the candidate is compared with
    baseline: PathBuf,

    /// The run to compare with it
    candidate: PathBuf,

    /// The query's id
    #[arg(long, value_name = "ID", required = true, allow_hyphen_values = true)]
    query: String,

    /// Ranks to show
    #[arg(long = "depth", short = 'k', value_name = "RANKS", default_value_t = 10)]
    depth: usize,

    /// Metrics, with commas or blanks between them; may be given several times
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC")]
    metrics: Vec<String>,

    /// Texts of the queries: id, tab, text a line, or JSON lines with _id and text
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,

    /// Documents, to show their titles: JSON lines with _id, title and text, or id, tab, text a line
    #[arg(long, value_name = "FILE")]
    corpus: Option<PathBuf>,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    #[command(flatten)]
    conventions: Conventions,

    #[command(flatten)]
    tables: TableOptions,
}

impl Explain {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if self.depth == 0 {
            return Err("-k 0 shows no rank at all".into());
        }
        check_no_configurations([&self.baseline, &self.candidate])?;
        let metrics = metrics(&self.metrics, DEFAULT)?;
        let corpus = self.corpus.as_ref().map(Corpus::open).transpose()?;
        check_standard_input([&self.qrels, &self.baseline, &self.candidate])?;
        let files = Files::new(&self.tables, self.conventions.order());
        let collection = files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?;
        let read = |path| files.evaluation(&collection, path, &self.conventions);
        let (baseline, candidate) = (read(&self.baseline)?, read(&self.candidate)?);
        let names = [name(&self.baseline), name(&self.candidate)];
        let mut told = Explaining::new(metrics.into_iter().map(|one| one.metric)).depth(self.depth).explain(
            (&names[0], &baseline),
            (&names[1], &candidate),
            &self.query,
        )?;
        if let Some(corpus) = &corpus {
            told.add_titles(corpus)?;
        }
        self.format.print(terminal, || explanation_styled(&told, terminal.style()), || to_json(&told))?;
        Ok(Exit::Passed)
    }
}
