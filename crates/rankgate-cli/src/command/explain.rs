//! `rankgate explain`: one query under two runs, or the stages of a pipeline.

use std::path::PathBuf;

use crate::offline::Explaining;
use crate::offline::report::{explanation_styled, to_json};
use clap::Args;
use rankgate::metric::Metric;
use rankgate::{BoxError, Corpus};

use crate::exit::Exit;
use crate::format::Format;
use crate::inputs::{Conventions, Files, TableOptions, check_standard_input, metrics, name};
use crate::stages::{self, Pipeline};
use crate::terminal::Terminal;

const DEFAULT: &str = "nDCG@10,AP,RR@10,P@10,R@100";

/// Show what moved for one query, or which stage of a pipeline a difference falls to
///
/// With two runs and --query: both rankings side by side, with grades. With --stages: what the documents of each stage score in
/// the order of their grades, the most that a reranker can make of them, and with --baseline how the difference of the two
/// pipelines falls to their stages.
#[derive(Args)]
#[command(after_help = "\
In the rankings, `now` is where the candidate has the baseline's document and `was` where the \
baseline has the candidate's; `=` is the same rank, and a grade of `-` means that nobody judged it.

Examples:
  rankgate explain qrels.txt old.run new.run --query q042
  rankgate explain qrels.txt old.run new.run --query q042 -k 20 --corpus corpus.jsonl
  rankgate explain qrels.txt old.run new.run --query q042 --format json
  rankgate explain qrels.txt --stages candidates.run fused.run final.run
  rankgate explain qrels.txt --stages bm25.run,dense.run final.run --baseline old/bm25.run,old/dense.run old/final.run")]
pub(crate) struct Explain {
    /// Judgments: which documents are relevant to which query (- for standard input)
    qrels: PathBuf,

    /// The run that the candidate is compared with
    #[arg(required_unless_present = "stages", conflicts_with = "stages", value_name = "BASELINE")]
    old: Option<PathBuf>,

    /// The run to compare with it
    #[arg(required_unless_present = "stages", conflicts_with = "stages", value_name = "CANDIDATE")]
    new: Option<PathBuf>,

    /// The query's id
    #[arg(
        long,
        value_name = "ID",
        required_unless_present = "stages",
        conflicts_with = "stages",
        allow_hyphen_values = true
    )]
    query: Option<String>,

    /// The runs of a pipeline's stages in their order, the returned ranking last; commas join stages that are side by side
    #[arg(long, value_name = "RUN", num_args = 2..)]
    stages: Vec<String>,

    /// The same of the pipeline that it is compared with
    #[arg(long, value_name = "RUN", num_args = 2.., requires = "stages")]
    baseline: Vec<String>,

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
        match (&self.old, &self.new, &self.query) {
            (Some(old), Some(new), Some(query)) => self.query([old, new], query, terminal),
            _ => self.stages(terminal),
        }
    }

    fn query(&self, runs: [&PathBuf; 2], query: &str, terminal: &Terminal) -> Result<Exit, BoxError> {
        let metrics = metrics(&self.metrics, DEFAULT)?;
        let corpus = self.corpus.as_ref().map(Corpus::open).transpose()?;
        check_standard_input([&self.qrels].into_iter().chain(runs))?;
        let files = Files::new(&self.tables, self.conventions.order());
        let collection = files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?;
        let read = |path| files.evaluation(&collection, path, &self.conventions);
        let (baseline, candidate) = (read(runs[0])?, read(runs[1])?);
        let names = runs.map(|path| name(path));
        let mut told = Explaining::new(metrics.into_iter().map(|one| one.metric), self.depth).explain(
            (&names[0], &baseline),
            (&names[1], &candidate),
            query,
        )?;
        if let Some(corpus) = &corpus {
            told.add_titles(corpus)?;
        }
        self.format.print(terminal, || explanation_styled(&told, terminal.style()), || to_json(&told))?;
        Ok(Exit::Passed)
    }

    fn stages(&self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let metrics = metrics(&self.metrics, "nDCG@10")?;
        let metrics: Vec<Metric> = metrics.into_iter().map(|one| one.metric).collect();
        let steps = |steps: &[String]| -> Vec<Vec<PathBuf>> {
            steps.iter().map(|step| step.split(',').map(PathBuf::from).collect()).collect()
        };
        let (ours, theirs) = (steps(&self.stages), steps(&self.baseline));
        check_standard_input([&self.qrels].into_iter().chain(ours.iter().chain(&theirs).flatten()))?;
        let files = Files::new(&self.tables, self.conventions.order());
        let collection = files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?;
        let pipeline = |steps: &[Vec<PathBuf>]| -> Result<Pipeline, BoxError> {
            let read = |path: &PathBuf| -> Result<_, BoxError> {
                Ok((name(path), files.evaluation(&collection, path, &self.conventions)?))
            };
            let steps: Result<Vec<Vec<_>>, BoxError> =
                steps.iter().map(|step| step.iter().map(read).collect()).collect();
            let pipeline = Pipeline::new(steps?, self.conventions.judging())?;
            let foreign = pipeline.foreign();
            if foreign > 0 {
                terminal.warn(&format!(
                    "the last ranking has documents for {foreign} queries that the stage before it does not have: its ceiling \
                     does not bound them"
                ));
            }
            Ok(pipeline)
        };
        let candidate = pipeline(&ours)?;
        let baseline = if theirs.is_empty() { None } else { Some(pipeline(&theirs)?) };
        let report = stages::explain(&metrics, &candidate, baseline.as_ref())?;
        self.format.print(terminal, || stages::text(&report, terminal.style()), || to_json(&report))?;
        Ok(Exit::Passed)
    }
}
