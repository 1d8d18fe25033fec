//! `rankgate eval`: scores of runs.

use std::path::PathBuf;

use crate::offline::report::{check_judged, remarks, scores_csv, scores_within, to_json, trec_eval};
use crate::offline::{Scores, Scoring};
use clap::{Args, ValueEnum};
use rankgate::metric::NamedMetric;
use rankgate::stats::Confidence;
use rankgate::{BoxError, Collection, Judging};

use crate::exit::Exit;
use crate::inputs::{
    CONVENTIONS, Conventions, Files, Grouping, STATISTICS, TableOptions, check_standard_input, metrics, name,
    note_scale, runs_and_metrics,
};
use crate::terminal::Terminal;

/// The default metrics.
const DEFAULT: &str = "nDCG@10,AP,RR@10,P@10,R@100,Judged@10";
/// What `trec_eval` reports then.
const OFFICIAL: &str = "official";

/// Score runs against judgments
///
/// Means are taken over all judged queries: a query that a run does not answer scores 0. Runs are TREC run
/// files or JSON objects, plain or compressed (.gz); judgments are TREC qrels, BEIR's tsv or JSON. Both may be Parquet, too:
/// a file or a folder of them.
///
/// Several runs are a row each, best first by the first metric. Tables are as
/// wide as the terminal, or COLUMNS says; 80 columns in a pipe.
#[derive(Args)]
#[command(override_usage = "rankgate eval [OPTIONS] <QRELS> <RUN>... [METRIC]...")]
#[command(after_help = "\
Metrics are named as ir_measures and trec_eval name them: nDCG@10, RR@10 or mrr@10, R@100, AP or \
map, P_5, ndcg_cut_10, RBP(p=0.9), nDCG(gain=exp2)@10, RR(rel=2)@10. Groups: official, set, \
all_trec, P, ndcg_cut, map_cut, success, iprec_at_recall, relative_P; of all_trec those that are \
metrics here. By default: nDCG@10, AP, RR@10, P@10, R@100, Judged@10; with --format trec_eval the \
official ones, but for the lines runid and num_q.

Examples:
  rankgate eval qrels.txt bm25.run
  rankgate eval qrels.txt bm25.run dense.run -m nDCG@10,R@100
  rankgate eval qrels.txt bm25.run nDCG@10 P@5
  rankgate eval scifact bm25.run -m all_trec --format trec_eval
  rankgate eval qrels.txt bm25.run.gz -m nDCG@10 --per-query --format csv > scores.csv
  rankgate eval qrels.txt bm25.run -m map -m ndcg_cut.10 --format trec_eval
  rankgate eval qrels.parquet runs/new --columns query=session,document=sku
  rankgate eval spans.jsonl chunks.run --documents pages.jsonl -m R@10
  python3 search.py | rankgate eval qrels.txt - --format json | jq '.mean[\"nDCG@10\"]'")]
pub(crate) struct Eval {
    /// Judgments: which documents are relevant to which query (- for standard input). A folder of BEIR stands for its
    /// qrels/test.tsv, or for its only split
    qrels: PathBuf,

    /// Runs to score (- for standard input); behind them metrics, as --metric takes them. What is a file is a run
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Metrics, with commas or blanks between them; may be given several times
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC")]
    metrics: Vec<String>,

    /// Print the scores of each query as well
    #[arg(long)]
    per_query: bool,

    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Write the scores of each query as well, for compare --from-scores: a CSV file, compressed where it ends in .gz,
    /// or Parquet where it ends in .parquet
    #[arg(long, value_name = "FILE")]
    write_scores: Option<PathBuf>,

    /// Confidence of the intervals of means
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    confidence: f64,

    /// The queries with their metadata: JSON lines with _id and text. For --group-by, and to leave out of all metrics but
    /// FalseAnswer those that are marked with `unanswerable: true`
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,

    #[command(flatten)]
    grouping: Grouping,

    #[command(flatten)]
    conventions: Conventions,

    #[command(flatten)]
    tables: TableOptions,

    /// Take means over the answered queries alone, as trec_eval does without -c: a run that fails on hard
    /// queries then looks better than it is
    #[arg(long, help_heading = CONVENTIONS)]
    skip_unanswered: bool,
}

/// How scores are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    #[default]
    Text,
    /// An object; an array of them for several runs
    Json,
    /// A line per run and metric, and per query with --per-query
    Csv,
    /// The lines of trec_eval
    #[value(name = "trec_eval")]
    TrecEval,
}

impl Eval {
    pub(crate) fn run(mut self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let (runs, named) = runs_and_metrics(std::mem::take(&mut self.runs));
        self.runs = runs;
        self.metrics.extend(named);
        let default = if self.format == Format::TrecEval { OFFICIAL } else { DEFAULT };
        let metrics = metrics(&self.metrics, default)?;
        if self.runs.is_empty() {
            return Err(
                "no run is named: `rankgate eval QRELS RUN`, with metrics behind it or after -m".into()
            );
        }
        if self.format == Format::TrecEval && self.runs.len() > 1 {
            return Err("the lines of trec_eval do not say the run: give one run at a time".into());
        }
        if self.write_scores.is_some() {
            if self.runs.len() > 1 {
                return Err("--write-scores is of one run: give one run at a time".into());
            }
            if let Some(one) = metrics.iter().find(|one| one.metric.requirements().unanswerable) {
                return Err(format!(
                    "--write-scores is of answerable queries, and {} is of the others",
                    one.metric
                )
                .into());
            }
            metrics.iter().try_for_each(|one| one.metric.check_arithmetic())?;
        }
        check_standard_input(std::iter::once(&self.qrels).chain(&self.runs))?;
        let files = Files::new(&self.tables, self.conventions.order());
        let mut scoring =
            self.scoring(&metrics)?.order(self.conventions.order()).parents(self.conventions.parents()?);
        let of_subtopics = metrics.iter().any(|one| one.metric.requirements().subtopics);
        let of_passages = self.conventions.documents.is_some();
        let collection = match of_passages || of_subtopics || self.queries.is_some() {
            true => Some(files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?),
            false => None,
        };
        if let (Some(key), Some(collection)) = (&self.grouping.group_by, &collection) {
            scoring = scoring.clustered_by(collection, key)?;
        }
        let qrels = match &collection {
            Some(whole) if of_passages || of_subtopics || !whole.unanswerable().is_empty() => {
                return self.of_collection(whole, &scoring, &files, &metrics, terminal);
            }
            Some(collection) => collection.qrels().clone(),
            None => files.qrels(&self.qrels)?,
        };
        note_scale(&metrics, qrels.max_grade(), terminal);
        // Judged while it is read, and never held.
        let score = |path: &PathBuf| self.written(scoring.source(&qrels, &name(path), files.run(path)?)?);
        let all = self.runs.iter().map(score).collect::<Result<Vec<_>, BoxError>>()?;
        self.print(&all, &metrics, terminal)
    }

    /// Scores by a collection that knows more than judgments of documents: judged spans, unanswerable queries.
    fn of_collection(
        &self,
        collection: &Collection,
        scoring: &Scoring,
        files: &Files,
        metrics: &[NamedMetric],
        terminal: &Terminal,
    ) -> Result<Exit, BoxError> {
        if let many @ 1.. = collection.unanswerable().len() {
            let queries = if many == 1 { "query is" } else { "queries are" };
            terminal.note(&format!(
                "note: {many} unanswerable {queries} left out of all metrics but FalseAnswer"
            ));
        }
        note_scale(metrics, collection.qrels().max_grade(), terminal);
        // Which queries are left out is counted with the scores.
        let judging = Judging { skip_queries_without_relevant: false, ..self.conventions.judging() };
        let score = |path: &PathBuf| {
            let evaluation = files.evaluation_by(judging, collection, path, &self.conventions)?;
            self.written(scoring.evaluation(&name(path), &evaluation)?)
        };
        let all = self.runs.iter().map(score).collect::<Result<Vec<_>, BoxError>>()?;
        self.print(&all, metrics, terminal)
    }

    /// Writes the scores of each query with --write-scores.
    fn written(&self, mut scores: Scores) -> Result<Scores, BoxError> {
        let Some(path) = &self.write_scores else { return Ok(scores) };
        let table = scores.table()?;
        match path.extension().is_some_and(|ending| ending == "parquet") {
            true => rankgate_tables::write_scores(path, &table)?,
            false => table.write(path)?,
        }
        scores.per_query = scores.per_query.take().filter(|_| self.per_query);
        Ok(scores)
    }

    fn scoring(&self, metrics: &[NamedMetric]) -> Result<Scoring, BoxError> {
        Ok(Scoring::new(metrics.iter().map(|one| one.metric.clone()))
            .judging(self.conventions.judging())
            .answered_only(self.skip_unanswered)
            .confidence(Confidence::new(self.confidence)?)
            .per_query(self.per_query || self.write_scores.is_some()))
    }

    fn print(&self, all: &[Scores], metrics: &[NamedMetric], terminal: &Terminal) -> Result<Exit, BoxError> {
        all.iter().try_for_each(|scores| {
            check_judged(scores, metrics.iter().map(|one| &one.metric), &self.qrels)
        })?;
        for remark in remarks(all) {
            terminal.note(&format!("note: {remark}"));
        }
        match self.format {
            Format::Text => terminal.result(&scores_within(all, terminal.style(), terminal.width())),
            Format::Json => terminal.json(&json(all)),
            Format::Csv => terminal.result(&scores_csv(all)),
            Format::TrecEval => {
                let lines: String = all.iter().map(|scores| trec_eval(scores, metrics)).collect();
                terminal.result(&lines)
            }
        }?;
        Ok(Exit::Passed)
    }
}

fn json(all: &[Scores]) -> String {
    match all {
        [one] => to_json(one),
        all => to_json(all),
    }
}
