//! `rankgate-datafusion sql`

use std::sync::Arc;

use clap::{Args, ValueEnum};
use datafusion::arrow::json::ArrayWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use rankgate_datafusion::Memory;
use rankgate_datafusion::{Place, Stores, connect, runtime, state};

use super::{BoxError, cores, memory_bytes, result};

/// Run a query with the functions rank_eval and exact_mean
///
/// rank_eval(query, document, score, grade [, metrics [, options]]) scores a query from its rows, which come from the run
/// (with a score, the grade NULL) or from the judgments (with a grade, the score NULL): unite both, group by query, and join
/// nothing. exact_mean(x) is avg(x) from the exact sum. Nothing compares the rows with the files, as eval does.
#[derive(Args)]
pub(crate) struct Sql {
    /// The query
    query: String,

    /// A table, as a file, a folder, or a URL; may be given several times
    #[arg(long = "table", short, value_name = "NAME=PATH", value_parser = table)]
    tables: Vec<(String, String)>,

    /// How to print what comes out
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Parts that rows are split into [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    partitions: Option<u16>,

    /// Memory for rows, as 512M or 2G; above it they wait in temporary files
    #[arg(long, value_name = "SIZE", conflicts_with = "scheduler")]
    memory: Option<Memory>,

    /// Have a cluster do it, whose scheduler listens there
    #[arg(long, value_name = "HOST:PORT")]
    scheduler: Option<String>,
}

/// How rows are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    #[default]
    Text,
    /// An array of objects
    Json,
}

fn table(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.to_owned(), path.to_owned())),
        _ => Err("write NAME=PATH".to_owned()),
    }
}

impl Sql {
    pub(crate) async fn run(self) -> Result<(), BoxError> {
        let stores = Arc::new(Stores::default());
        let config =
            SessionConfig::new().with_target_partitions(self.partitions.map_or_else(cores, usize::from));
        let context = match &self.scheduler {
            Some(scheduler) => connect(scheduler, config, stores).await?,
            None => {
                SessionContext::new_with_state(state(config, runtime(stores, memory_bytes(self.memory)?)?))
            }
        };
        for (name, path) in &self.tables {
            let path = Place::parse(path)?.url();
            context.register_parquet(name.as_str(), path, ParquetReadOptions::default()).await?;
        }
        let batches = context.sql(&self.query).await?.collect().await?;
        match self.format {
            Format::Text => result(&pretty_format_batches(&batches)?.to_string()),
            Format::Json => {
                let mut writer = ArrayWriter::new(Vec::new());
                writer.write_batches(&batches.iter().collect::<Vec<_>>())?;
                writer.finish()?;
                let rows = String::from_utf8(writer.into_inner())?;
                result(if rows.is_empty() { "[]" } else { &rows })
            }
        }
    }
}
