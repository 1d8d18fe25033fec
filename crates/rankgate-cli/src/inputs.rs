//! Judgments, runs and queries that several commands read, and the conventions for reading them.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use rankgate::collection::{Chunks, CollectionSource};
use rankgate::metric::{NamedMetric, parse_list, replacement};
use rankgate::run::{Parents, RunReader};
use rankgate::{BoxError, Collection, Evaluation, Judging, Order, Qrels, Source};
use rankgate_core::scores::ScoreTable;
use rankgate_report::internal::analysis::above_scale;
use rankgate_report::internal::evaluation::run_of_passages;
use rankgate_tables::ColumnNames;

use crate::beir;
use crate::terminal::Terminal;

/// What options stand under in help: said of each, since a heading for all that follow is one of the options after
/// these, too.
pub(crate) const CONVENTIONS: &str = "Conventions";
pub(crate) const STATISTICS: &str = "Statistics";
const PARQUET: &str = "Parquet";

/// Which column of a run says the order.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum By {
    /// The highest score first, equal scores by document id descending: as trec_eval does
    Score,
    /// The rank column
    Rank,
}

impl From<By> for Order {
    fn from(by: By) -> Self {
        match by {
            By::Score => Self::Score,
            By::Rank => Self::Rank,
        }
    }
}

/// How rankings are judged.
#[derive(Args)]
pub(crate) struct Conventions {
    /// What says the order of a run [default: rank for a golden run, score for any other]
    #[arg(long, value_enum, help_heading = CONVENTIONS)]
    pub(crate) order: Option<By>,

    /// Lowest grade that counts as relevant
    #[arg(long, value_name = "GRADE", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=1_000_000), help_heading = CONVENTIONS)]
    pub(crate) relevant_from: i32,

    /// Leave out judged queries without a relevant document
    #[arg(long, help_heading = CONVENTIONS)]
    pub(crate) skip_queries_without_relevant: bool,

    /// Take out documents whose id is that of their query, as BEIR does
    #[arg(long, help_heading = CONVENTIONS)]
    pub(crate) exclude_identical_ids: bool,

    /// Score rankings of chunks as rankings of documents: a regular expression whose first group is the
    /// document's id, as '^(.+)#\d+$'
    #[arg(long, value_name = "PATTERN", conflicts_with = "parents_file", help_heading = CONVENTIONS)]
    pub(crate) parents: Option<String>,

    /// Take QRELS for judged spans of these documents: JSON lines with query, document, and quote or start and end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["parents", "parents_file"], help_heading = CONVENTIONS)]
    pub(crate) documents: Option<PathBuf>,

    /// Where the chunks of runs lie: JSON lines with _id, document, start and end, or _id, document and text
    #[arg(long, value_name = "FILE", requires = "documents", help_heading = CONVENTIONS)]
    pub(crate) chunks: Option<PathBuf>,

    /// The same by a file of lines: chunk, tab, document
    #[arg(long, value_name = "FILE", help_heading = CONVENTIONS)]
    pub(crate) parents_file: Option<PathBuf>,
}

impl Conventions {
    /// The documents that chunks belong to, as --parents and --parents-file say.
    pub(crate) fn parents(&self) -> Result<Option<Parents>, BoxError> {
        Ok(match (&self.parents, &self.parents_file) {
            (Some(pattern), _) => Some(Parents::pattern(pattern)?),
            (None, Some(path)) => Some(Parents::read(path)?),
            (None, None) => None,
        })
    }

    /// Where the chunks of runs lie, where spans of documents are judged.
    fn places(&self, collection: &Collection) -> Result<Option<Chunks>, BoxError> {
        let Some(passages) = collection.passages() else { return Ok(None) };
        Ok(Some(match &self.chunks {
            Some(path) => Chunks::read(passages, path)?,
            None => Chunks::from_hits(passages),
        }))
    }

    /// The order that --order names.
    pub(crate) fn order(&self) -> Option<Order> {
        self.order.map(Order::from)
    }

    pub(crate) fn judging(&self) -> Judging {
        Judging {
            relevant_from: self.relevant_from,
            skip_queries_without_relevant: self.skip_queries_without_relevant,
            exclude_identical_ids: self.exclude_identical_ids,
        }
    }
}

/// What to say of a run where judgments belong.
fn swapped(path: &Path) -> Option<BoxError> {
    // What arrives once cannot be read again.
    let is_run = path.is_file() && RunReader::new().read(path).is_ok();
    is_run.then(|| {
        let name = name(path);
        format!("{name} is a run, not judgments. Did you swap the arguments? Try: rankgate eval QRELS {name}")
            .into()
    })
}

/// How tables are read that are Parquet files.
#[derive(Args)]
pub(crate) struct TableOptions {
    /// Names of columns, as in query=session,document=sku [default: usual names such as qid, docno, relevance]
    #[arg(long, value_name = "ROLE=NAME,...", help_heading = PARQUET)]
    columns: Option<ColumnNames>,
}

/// Which queries belong together.
#[derive(Args)]
pub(crate) struct Grouping {
    /// Take the queries that share a value of this metadata key for one group, in every interval and test;
    /// --queries has the metadata
    #[arg(long, value_name = "KEY", requires = "queries", help_heading = STATISTICS)]
    pub(crate) group_by: Option<String>,
}

/// Runs, and the metrics that are typed behind them as for ir_measures: `run.txt nDCG@10 P@5`. What is a file is a run.
/// What is none, and is written like a metric, is one, so that errors in all of them are reported at once.
pub(crate) fn runs_and_metrics(typed: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<String>) {
    let (metrics, runs): (Vec<_>, Vec<_>) = typed.into_iter().partition(|path| is_metric(path));
    (runs, metrics.iter().map(|path| name(path)).collect())
}

/// Refuses metrics where files are expected: a gate is not to depend on which files are there.
pub(crate) fn check_no_metrics<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), BoxError> {
    let metrics: Vec<String> =
        paths.into_iter().filter(|path| is_metric(path)).map(|path| name(path)).collect();
    if metrics.is_empty() {
        return Ok(());
    }
    let there = if metrics.len() == 1 { "no such file" } else { "no such files" };
    Err(format!("{}: {there}; metrics are named with -m: `-m {}`", metrics.join(", "), metrics.join(","))
        .into())
}

/// Whether a path that leads nowhere is written like a metric, or like a misspelt one with a cutoff.
pub(crate) fn is_metric(path: &Path) -> bool {
    let name = name(path);
    let is_path = name == "-" || name.contains(std::path::is_separator) || path.symlink_metadata().is_ok();
    // `hits@10` and `11pt_avg`: measures of other tools say what to type.
    let is_written_so = || name.contains(['@', '(']) || replacement(&name).is_some();
    !is_path && (parse_list(&name).is_ok() || is_written_so())
}

/// Metrics as they were typed: `-m` may come several times and hold several.
pub(crate) fn metrics(typed: &[String], default: &str) -> Result<Vec<NamedMetric>, BoxError> {
    Ok(if typed.is_empty() { parse_list(default) } else { parse_list(&typed.join(",")) }?)
}

/// Notes the metrics that take the highest grades for lower ones.
pub(crate) fn note_scale(metrics: &[NamedMetric], highest: i32, terminal: &Terminal) {
    for note in above_scale(metrics.iter().map(|one| &one.metric), highest) {
        terminal.note(&format!("note: {note}"));
    }
}

/// Reads files, and standard input once where a file is called `-`.
#[derive(Default)]
pub(crate) struct Files {
    taken: Cell<bool>,
    columns: ColumnNames,
    order: Option<Order>,
}

/// What errors call standard input.
const STANDARD_INPUT: &str = "standard input";
const TWICE: &str = "standard input (`-`) can be read only once: give a file in place of the others";

/// Refuses paths of which more than one is standard input, before anything of it is read.
pub(crate) fn check_standard_input<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), BoxError> {
    let is_it = |path: &&PathBuf| {
        ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path.as_os_str() == *name)
    };
    if paths.into_iter().filter(is_it).count() > 1 { Err(TWICE.into()) } else { Ok(()) }
}

impl Files {
    /// Of tables with these columns, and runs in this order.
    pub(crate) fn new(tables: &TableOptions, order: Option<Order>) -> Self {
        Self { taken: Cell::new(false), columns: tables.columns.clone().unwrap_or_default(), order }
    }

    /// What a path leads to: standard input where it is `-`.
    pub(crate) fn source(&self, path: &Path) -> Result<Source<'static>, BoxError> {
        if path != Path::new("-") {
            return Ok(Source::from(path));
        }
        if self.taken.replace(true) {
            return Err(TWICE.into());
        }
        Ok(Source::stream(STANDARD_INPUT, io::stdin()))
    }

    /// A run, which may be a table.
    pub(crate) fn run(&self, path: &Path) -> Result<Source<'static>, BoxError> {
        match rankgate_tables::files(path)? {
            Some(files) => Ok(rankgate_tables::read_run(path, &files, &self.columns, self.order)?),
            None => self.source(path),
        }
    }

    /// Judgments, of which there is at least one.
    pub(crate) fn qrels(&self, path: &Path) -> Result<Qrels, BoxError> {
        let path = &*beir::judgments(path)?;
        let qrels = match rankgate_tables::files(path)? {
            Some(files) => rankgate_tables::read_judgments(path, &files, &self.columns)?,
            None => Qrels::read(self.source(path)?).map_err(|error| swapped(path).unwrap_or(error.into()))?,
        };
        if qrels.is_empty() {
            let name = if path == Path::new("-") { STANDARD_INPUT.to_owned() } else { name(path) };
            return Err(format!("{name}: there are no judgments").into());
        }
        Ok(qrels)
    }

    /// Judgments, or judged spans where the conventions say so, with the texts of their queries where a file has them.
    pub(crate) fn collection_by(
        &self,
        conventions: &Conventions,
        qrels: &Path,
        queries: Option<&PathBuf>,
    ) -> Result<Collection, BoxError> {
        match &conventions.documents {
            Some(documents) => self.spans(qrels, queries, documents),
            None => self.collection(qrels, queries),
        }
    }

    /// Judgments of documents, with the texts of their queries where a file has them.
    pub(crate) fn collection(&self, qrels: &Path, queries: Option<&PathBuf>) -> Result<Collection, BoxError> {
        let judgments = self.qrels(qrels)?;
        Ok(match queries {
            Some(queries) => Collection::with_queries(queries, judgments)?,
            None => Collection::from_qrels(judgments)?,
        })
    }

    /// Judged spans of documents.
    fn spans(
        &self,
        spans: &Path,
        queries: Option<&PathBuf>,
        documents: &Path,
    ) -> Result<Collection, BoxError> {
        Ok(match queries {
            Some(queries) => {
                let (queries, documents, spans) = (queries.clone(), documents.to_owned(), spans.to_owned());
                CollectionSource::Spans { queries, documents, spans }.load()?
            }
            None => Collection::spans(self.source(spans)?, documents)?,
        })
    }

    /// A run, judged.
    pub(crate) fn evaluation(
        &self,
        collection: &Collection,
        path: &Path,
        conventions: &Conventions,
    ) -> Result<Evaluation, BoxError> {
        self.evaluation_by(conventions.judging(), collection, path, conventions)
    }

    /// The same by another judging.
    pub(crate) fn evaluation_by(
        &self,
        judging: Judging,
        collection: &Collection,
        path: &Path,
        conventions: &Conventions,
    ) -> Result<Evaluation, BoxError> {
        let reader = RunReader::new().order(conventions.order()).parents(conventions.parents()?);
        let named = |error: rankgate::Error| format!("{}: {error}", path.display());
        let mut run = reader.read_source(&self.run(path)?)?;
        if let Some(chunks) = conventions.places(collection)? {
            run = run_of_passages(&chunks, run).map_err(named)?;
        }
        let evaluation = Evaluation::of_run(collection, run).map_err(named)?;
        match judging {
            usual if usual == Judging::default() => Ok(evaluation),
            judging => Ok(evaluation.judged_by(judging).map_err(named)?),
        }
    }
}

/// A table of scores, Parquet or text.
pub(crate) fn score_table(path: &Path) -> Result<ScoreTable, BoxError> {
    Ok(match rankgate_tables::files(path)? {
        Some(files) => rankgate_tables::read_scores(&files)?,
        None => ScoreTable::read(path, "value")?,
    })
}

/// A path as a name in results: as it was typed.
pub(crate) fn name(path: &Path) -> String {
    path.display().to_string()
}
