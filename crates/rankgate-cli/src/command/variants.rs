//! `rankgate variants`: the queries of a collection as people type them.

use std::path::PathBuf;

use clap::Args;
use rankgate::{BoxError, Collection, Query};
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::Terminal;
use crate::variants::Kind;

/// Write other texts for queries that ask for the same
///
/// The judgments hold for these texts as they stand: name the file as the queries of another collection with the same
/// judgments. Every query stands in it. One that the rule does not change keeps its text and has `changed: false` in its
/// metadata.
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate variants queries.jsonl --kind typos --seed 7 --out typos.jsonl
  rankgate variants topics.tsv --kind keywords --out keywords.jsonl")]
pub(crate) struct Variants {
    /// The queries: JSON lines with `_id` and `text`, or id, tab, text
    queries: PathBuf,

    /// The change to the text
    #[arg(long, value_enum)]
    kind: Kind,

    /// For typos and word-order: the seed of random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Variants {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let Self { queries: path, kind, seed, out } = self;
        let (mut text, mut unchanged) = (String::new(), 0);
        let queries = Collection::read_queries(&path)?;
        for query in &queries {
            let other = kind.text(query, seed);
            unchanged += usize::from(other.is_none());
            text += &line(query, other);
        }
        if unchanged == queries.len() {
            let queries = queries.len();
            return Err(format!("{}: the rule changes none of the {queries} queries", path.display()).into());
        }
        if unchanged > 0 {
            terminal.warn(&format!(
                "{unchanged} of {} queries keep their text: the rule does not change them",
                queries.len()
            ));
        }
        match out {
            Some(path) => drop(rankgate_core::internal::output::write_whole(&path, text.as_bytes())?),
            None => terminal.data(&text)?,
        }
        Ok(Exit::Passed)
    }
}

fn line(query: &Query, other: Option<String>) -> String {
    let mut metadata = query.metadata.clone();
    metadata.insert("changed".into(), other.is_some().into());
    let text = other.as_ref().unwrap_or(&query.text);
    format!("{}\n", json!({"_id": query.id, "text": text, "metadata": metadata}))
}
