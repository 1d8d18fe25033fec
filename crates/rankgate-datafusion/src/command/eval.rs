//! `rankgate-datafusion eval`

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use datafusion::prelude::{SessionConfig, SessionContext};
use rankgate_cli::offline::Scoring;
use rankgate_cli::offline::report::{check_judged, remarks, scores, scores_csv, to_json, trec_eval};
use rankgate_core::metric::parse_list;
use rankgate_core::run::Order;
use rankgate_core::stats::Confidence;
use rankgate_datafusion::Memory;
use rankgate_datafusion::{
    DEFAULT_METRICS, Evaluating, Options, Place, Side, Stores, Table, Unscorable, connect, runtime, state,
};
use rankgate_report::Judging;
use rankgate_tables::ColumnNames;
use tokio::time::timeout;

use super::{BoxError, cores, memory_bytes, result, say};

/// Score a run against judgments, both of them Parquet
///
/// What is printed is what `rankgate eval` prints, the same in every bit, however many files, partitions and machines
/// there are. The rows that were scored are compared with those in the files; a difference is an error.
#[derive(Args)]
pub(crate) struct Eval {
    /// Judgments: a file, a folder, a pattern or a URL
    judgments: String,

    /// The run to score, likewise
    run: String,

    /// Metrics, with commas between them; may be given several times
    #[arg(long = "metric", short, value_name = "METRIC")]
    metrics: Vec<String>,

    /// Print the scores of each query as well
    #[arg(long)]
    per_query: bool,

    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Write the scores of each query, for rankgate compare --from-scores
    #[arg(long, value_name = "FILE")]
    write_scores: Option<PathBuf>,

    /// Confidence of the intervals of means
    #[arg(long, default_value_t = 0.95)]
    confidence: f64,

    /// What columns are called: some of query, document, score, rank and grade, as in query=session,document=sku
    /// [default: these, or usual names such as qid, docno and relevance]
    #[arg(long, value_name = "ROLE=NAME,...")]
    columns: Option<ColumnNames>,

    /// Parts that rows are split into by query [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    partitions: Option<u16>,

    /// Memory for the rows of queries, as 512M or 2G; above it they wait in temporary files
    #[arg(long, value_name = "SIZE", conflicts_with = "scheduler")]
    memory: Option<Memory>,

    /// Have a cluster do it, whose scheduler listens there
    #[arg(long, value_name = "HOST:PORT")]
    scheduler: Option<String>,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,

    /// What says the order of a run [default: score where there is such a column, rank otherwise]
    #[arg(long, value_enum)]
    order: Option<By>,

    /// Lowest grade that counts as relevant
    #[arg(long, value_name = "GRADE", default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    relevant_from: i32,

    /// Leave out judged queries that have no relevant document, instead of scoring them 0
    #[arg(long)]
    skip_queries_without_relevant: bool,

    /// Take documents out whose id is that of their query
    #[arg(long)]
    exclude_identical_ids: bool,

    /// Take means over the answered queries alone
    #[arg(long)]
    skip_unanswered: bool,
}

/// How scores are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    #[default]
    Text,
    /// An object
    Json,
    /// A line per metric, and per query with --per-query
    Csv,
    /// The lines of trec_eval
    #[value(name = "trec_eval")]
    TrecEval,
}

/// Which column of a run says the order.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// The highest score first, equal scores by document id descending: as trec_eval does
    Score,
    /// The rank column
    Rank,
}

impl Eval {
    pub(crate) async fn run(self) -> Result<(), BoxError> {
        let typed = if self.metrics.is_empty() { DEFAULT_METRICS.to_owned() } else { self.metrics.join(",") };
        let metrics = parse_list(&typed)?;
        let stores = Arc::new(Stores::default());
        let names = self.columns.clone().unwrap_or_default();
        let order = self.order.map(|by| match by {
            By::Score => Order::Score,
            By::Rank => Order::Rank,
        });
        let judgments =
            Table::open(Side::Judgments, Place::parse(&self.judgments)?, &names, order, &stores).await?;
        let run = Table::open(Side::Run, Place::parse(&self.run)?, &names, order, &stores).await?;
        let judging = Judging {
            relevant_from: self.relevant_from,
            skip_queries_without_relevant: self.skip_queries_without_relevant,
            exclude_identical_ids: self.exclude_identical_ids,
        };
        let scoring = Scoring::new(metrics.iter().map(|one| one.metric.clone()))
            .order(run.order())
            .judging(judging)
            .answered_only(self.skip_unanswered)
            .confidence(Confidence::new(self.confidence)?)
            .per_query(self.per_query || self.write_scores.is_some());
        let options = Options {
            metrics: metrics.iter().map(|one| one.metric.clone()).collect(),
            judging,
            order: run.order(),
            max_grade: None,
            unscorable: Unscorable::default(),
        };
        let short_floats = run.has_short_floats();
        let evaluating = Evaluating { judgments, run, scoring, options, tasks: cores() };
        let engine = self.engine(stores).await?;
        let evaluated = match self.timeout {
            Some(seconds) => match timeout(Duration::from_secs(seconds), evaluating.by(&engine)).await {
                Ok(evaluated) => evaluated,
                Err(_) => return Err(format!("no answer after {seconds} seconds (--timeout)").into()),
            },
            None => evaluating.by(&engine).await,
        }?;
        let mut all = [evaluated.scores];
        all[0].float32_scores = short_floats;
        check_judged(&all[0], metrics.iter().map(|one| &one.metric), self.judgments.as_ref())?;
        if let Some(path) = &self.write_scores {
            all[0].table()?.write(path)?;
            all[0].per_query = all[0].per_query.take().filter(|_| self.per_query);
        }
        for remark in remarks(&all) {
            say(&format!("note: {remark}"));
        }
        result(&match self.format {
            Format::Text => scores(&all),
            Format::Json => to_json(&all[0]),
            Format::Csv => scores_csv(&all),
            Format::TrecEval => trec_eval(&all[0], &metrics),
        })
    }

    /// DataFusion here, or Ballista there.
    async fn engine(&self, stores: Arc<Stores>) -> Result<SessionContext, BoxError> {
        let partitions = self.partitions.map_or_else(cores, usize::from);
        let config = SessionConfig::new().with_target_partitions(partitions);
        Ok(match &self.scheduler {
            Some(scheduler) => connect(scheduler, config, stores).await?,
            None => {
                SessionContext::new_with_state(state(config, runtime(stores, memory_bytes(self.memory)?)?))
            }
        })
    }
}
