//! `rankgate synthesize`: queries made from documents.

use std::path::{Path, PathBuf};

use crate::health::synthesize::{QueryKind, Synthesis, Synthetic, synthesize};
use clap::Args;
use rankgate::benchmark::Benchmark;
use rankgate::{BoxError, Collection};

use crate::exit::Exit;
use crate::format::Format;
use crate::specs;
use crate::terminal::Terminal;
use crate::words::words;

/// Make queries from documents, if there are too few real queries
///
/// Documents are drawn by seed. Queries and judgments are written in the layout of BEIR, each with `origin: synthetic`.
#[derive(Args)]
#[command(after_help = "\
Such queries say which of two systems finds more, and not how good one is: a threshold's `min` on them alone has to be \
advisory, comparisons may block. No query is kept or left out by what a configuration finds; how many each finds is told.

Exit status: 0 when the queries are written, 2 when something cannot be read.

Examples:
  rankgate synthesize benchmarks/helpdesk.yaml --kind titles
  rankgate synthesize benchmarks/helpdesk.yaml --kind terms --documents 200 --per-document 2")]
pub(crate) struct Synthesize {
    /// The spec
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// What queries are made of
    #[arg(long, value_name = "KIND", value_parser = words::<QueryKind>(QueryKind::ALL.map(QueryKind::as_str)))]
    kind: QueryKind,

    /// From how many documents
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    documents: u32,

    /// How many queries of each; a title is one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20))]
    per_document: u32,

    /// How many words, with --kind terms
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=20))]
    terms: u32,

    /// How many documents, drawn by seed, are taken for not relevant to each
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=1000))]
    negatives: u32,

    /// The rules of the draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Where they are written [default: the folder synthetic beside the spec]
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,

    /// Replace other queries that are there
    #[arg(long)]
    replace: bool,

    /// Write the collection's own queries and judgments there too
    #[arg(long)]
    beside: bool,

    /// How to print what they are like
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The output.
const FILES: [&str; 2] = ["queries.jsonl", "qrels/test.tsv"];

impl Synthesize {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = specs::open_to_ask(&self.spec, terminal)?;
        let mut plan = Synthesis { kind: self.kind, seed: self.seed, ..Synthesis::default() };
        [plan.documents, plan.per_document, plan.terms, plan.negatives] =
            [self.documents, self.per_document, self.terms, self.negatives].map(|number| number as usize);
        let made = synthesize(&benchmark, &plan)?;
        let beside = if self.beside { Some(benchmark.collection()?) } else { None };
        if !made.queries.is_empty() {
            self.save(&made, beside)?;
        }
        let json = || serde_json::to_string_pretty(&made.quality).unwrap_or_default() + "\n";
        self.format.print(terminal, || self.summary(&benchmark, &made), json)?;
        Ok(if made.queries.is_empty() { Exit::Undecided } else { Exit::Passed })
    }

    /// The folder of the spec, which paths in it are relative to.
    fn beside_spec(&self) -> &Path {
        self.spec.parent().unwrap_or(Path::new(""))
    }

    fn output(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| self.beside_spec().join("synthetic"))
    }

    /// Writes the queries; over existing ones only with --force.
    fn save(&self, made: &Synthetic, beside: Option<&Collection>) -> Result<(), BoxError> {
        let output = self.output();
        if self.replace || !FILES.iter().any(|file| output.join(file).exists()) {
            return Ok(made.save(&output, beside)?);
        }
        let failed = |error: std::io::Error| format!("cannot make a temporary folder: {error}");
        let anew = tempfile::tempdir().map_err(failed)?;
        made.save(anew.path(), beside)?;
        let read = |folder: &Path, file: &str| std::fs::read(folder.join(file)).ok();
        match FILES.iter().find(|file| read(&output, file) != read(anew.path(), file)) {
            None => Ok(()),
            Some(other) => Err(format!(
                "{} is there and holds something else: --replace replaces it, --output writes elsewhere",
                output.join(other).display()
            )
            .into()),
        }
    }

    /// A file of the output as a spec names it: relative to the spec where it stands below.
    fn in_spec(&self, file: &str) -> String {
        let path = self.output().join(file);
        let below = path.strip_prefix(self.beside_spec()).map(Path::to_owned);
        let path = below.unwrap_or_else(|_| std::path::absolute(&path).unwrap_or(path));
        path.display().to_string()
    }

    fn summary(&self, benchmark: &Benchmark, made: &Synthetic) -> String {
        let (quality, name) = (&made.quality, benchmark.name());
        let mut text = match made.queries.is_empty() {
            true => format!("{name}: no query of {} (seed {})\n", self.kind, self.seed),
            false => format!(
                "{name}: {} queries of {} in {} (seed {})\n",
                quality.queries,
                self.kind,
                self.output().display(),
                self.seed
            ),
        };
        for (why, number) in &quality.left_out {
            text += &format!("  left out   {number} {}\n", why);
        }
        if made.queries.is_empty() {
            if quality.left_out.is_empty() {
                text += &format!("no document has {}, of which such a query is made\n", self.kind.needs());
            }
            return text + "nothing was written\n";
        }
        let words = quality.words;
        text += &format!("  words      {} to {}, median {}\n", words.min, words.max, words.median);
        text +=
            &format!("  overlap    {:.0}% of their words stand in their document\n", 100.0 * quality.overlap);
        text += &format!("  negatives  {} drawn by seed\n", quality.negatives);
        if !quality.found.is_empty() {
            let wide = quality.found.keys().map(String::len).max().unwrap_or_default();
            text += &format!("  {:wide$}   first  in 10   (their document is found; decides nothing)\n", "");
            for (name, [first, ten]) in &quality.found {
                text += &format!("  {name:wide$}  {first:6.3} {ten:6.3}\n");
            }
        }
        for (name, why) in &quality.unasked {
            text += &format!("  {name} was not asked: {why}\n");
        }
        let [queries, judgments] = FILES.map(|file| self.in_spec(file));
        text += &format!(
            "in this spec, beside the documents: collection: {{trec: {{queries: {queries}, qrels: {judgments}, corpus: ...}}}}\n",
        );
        text
    }
}
