//! `rankgate synthesize`: queries made from documents.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::{BoxError, CollectionBuilder};
use rankgate_core::internal::words::counted;

use crate::exit::Exit;
use crate::specs;
use crate::synthesize::{Kind, synthesize};
use crate::terminal::Terminal;

/// Make queries from documents, if there are too few real queries
///
/// Documents are drawn by seed. Queries and judgments are written in the layout of BEIR, each with `origin: synthetic`.
#[derive(Args)]
#[command(after_help = "\
Such queries tell which of two systems finds more, not how good one is: a `min` on them alone has to be advisory.

Examples:
  rankgate synthesize benchmarks/helpdesk.yaml --kind titles
  rankgate synthesize benchmarks/helpdesk.yaml --kind terms --documents 200")]
pub(crate) struct Synthesize {
    /// The spec
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// What queries are made of
    #[arg(long, value_enum)]
    kind: Kind,

    /// The number of documents, each of which gives one query
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    documents: u32,

    /// The seed of the draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// The folder to write [default: the folder synthetic beside the spec]
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,

    /// Replace queries that are there
    #[arg(long)]
    replace: bool,
}

impl Synthesize {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let beside = self.spec.parent().unwrap_or(Path::new(""));
        let output = self.output.clone().unwrap_or_else(|| beside.join("synthetic"));
        let queries = output.join("queries.jsonl");
        if !self.replace && queries.exists() {
            let queries = queries.display();
            return Err(format!("{queries} exists: --replace replaces it, --output writes elsewhere").into());
        }
        let benchmark = specs::open(&self.spec)?;
        let made = synthesize(benchmark.collection()?, self.kind, self.documents as usize, self.seed)?;
        let left_out = counted(made.left_out, "document left out", "documents left out");
        if made.queries.is_empty() {
            let kind = clap::ValueEnum::to_possible_value(&self.kind);
            let needs = kind.and_then(|kind| Some(kind.get_help()?.to_string())).unwrap_or_default();
            return Err(format!("no document gives a query ({left_out}). Needed: {needs}").into());
        }
        let grade = benchmark.spec().collection.relevant_from.max(1);
        let mut builder = CollectionBuilder::new();
        let number = made.queries.len();
        for (query, source) in made.queries {
            builder.add_query(query, [(source, grade)]);
        }
        builder.build()?.save_beir(&output, "test")?;
        let below = output.strip_prefix(beside).unwrap_or(&output).display();
        terminal.result(&format!(
            "{} in {} ({left_out}: their query would be a near copy of another)\nin a spec: collection: {{trec: {{queries: \
             {below}/queries.jsonl, qrels: {below}/qrels/test.tsv, corpus: ...}}}}\n",
            counted(number, "query", "queries"),
            output.display(),
        ))?;
        Ok(Exit::Passed)
    }
}
