//! `rankgate lint`: the health of a collection.

use std::path::{Path, PathBuf};

use crate::health::{
    Finding, Health, SCHEMA, Severity, examine, examine_benchmark, examine_suite, findings_text, health_json,
    health_text,
};
use clap::{Args, ValueEnum};
use rankgate::spec::SuiteSpec;
use rankgate::standalone::Standalone;
use rankgate::{BoxError, CollectionSource};

use super::check::check;
use crate::env;
use crate::exit::Exit;
use crate::format::Format;
use crate::inputs::{Files, name};
use crate::specs;
use crate::terminal::Terminal;

/// Check a collection, its judgments and the gates on it
///
/// Finds queries copied out of documents, whole or in long parts, documents and queries that are there twice, in this
/// split or another, judgments of missing documents and of older ones than there are, queries without relevant
/// documents or in another language; shows grades, judgments per query and segments. Of a spec it also
/// asks the configurations, and says how much of what they return was judged, which differences these queries
/// can show, and which gates they cannot decide.
#[derive(Args)]
#[command(after_help = "\
Two texts are near copies when the Jaccard index of their runs of three words (of their words, for queries) \
is at least 0.8. A query of six words or more stands in a document that holds 80% of its runs of three words, \
a shorter one where it stands there word for word; it shares a long part with one from eight words in a row on. \
Languages are told by script and, among seven in Latin letters, by function words: where few of them stand, \
nothing is said. Dates are those of the metadata: `updated`, `modified`, `date` and the like of documents, \
`judged` of queries.

For retrievers that are registered from Rust what they answered in the last test run speaks, which is read \
from target/rankgate, else their golden run.

The exit status is 0 whatever is found; with --deny problem it is 1 where there is a problem, with --deny caution \
where there is a caution too. What cannot be read ends with 2. With --parse-only it is 1 if `cargo test` leaves out a \
gate, or if there is none.

Examples:
  rankgate lint benchmarks/helpdesk.yaml
  rankgate lint benchmarks/search.yaml       # a suite: which of its gates can decide anything
  rankgate lint data/helpdesk --split dev --deny problem
  rankgate lint --parse-only benchmarks/*.rankgate.yaml
  rankgate lint --parse-only crates/search   # does `cargo test` run its gates?
  rankgate lint helpdesk.json --format json
  rankgate lint --qrels judged.qrels
  rankgate lint --queries topics.tsv --qrels judged.qrels --corpus corpus.jsonl.gz")]
pub(crate) struct Lint {
    /// A spec (.yaml, .yml), a folder in the layout of BEIR, or a collection in one file (.json, .jsonl); with --parse-only
    /// specs, and folders of specs, crates or workspaces [default: the current one]
    #[arg(value_name = "SPEC|COLLECTION", required_unless_present_any = ["queries", "qrels", "parse_only"])]
    targets: Vec<PathBuf>,

    /// Parse specs and name everything that is wrong in them, or check that a plain `cargo test` runs the gates of a crate. No
    /// retriever runs, no collection is read, and nothing is compiled
    #[arg(long, conflicts_with_all = ["queries", "qrels", "split", "relevant_from", "format", "deny", "strict"])]
    parse_only: bool,

    /// Which judgments of a BEIR folder to read: qrels/NAME.tsv
    #[arg(long, value_name = "NAME", default_value = "test")]
    split: String,

    /// Topics instead of a collection: query id, tab, text
    #[arg(long, value_name = "FILE", requires = "qrels", conflicts_with_all = ["targets", "split"])]
    queries: Option<PathBuf>,

    /// The judgments of the topics, or judgments alone, which are examined without texts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["targets", "split"])]
    qrels: Option<PathBuf>,

    /// The documents, as JSON lines or as id, tab, text
    #[arg(long, value_name = "FILE", requires = "queries")]
    corpus: Option<PathBuf>,

    /// The lowest grade that counts as relevant; a spec says it itself [default: 1]
    #[arg(long, value_name = "GRADE", allow_negative_numbers = true)]
    relevant_from: Option<i32>,

    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// End with 1 where there is a finding of this severity or a worse one; may be given several times
    #[arg(long, value_name = "SEVERITY", value_enum)]
    deny: Vec<Denied>,

    /// The same as --deny problem
    #[arg(long)]
    strict: bool,
}

/// Findings that fail the command.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Denied {
    /// Numbers from this collection mislead, or a gate cannot do what it is there for
    Problem,
    /// A problem, or what may mislead
    Caution,
}

impl Denied {
    fn severity(self) -> Severity {
        match self {
            Self::Problem => Severity::Problem,
            Self::Caution => Severity::Caution,
        }
    }
}

impl Lint {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if self.parse_only {
            return check(self.targets, terminal);
        }
        if self.targets.len() > 1 {
            return Err(
                "lint examines one spec or collection at a time; --parse-only takes several specs".into()
            );
        }
        if let Some(suite) = self.target().filter(|path| SuiteSpec::is_in(path)) {
            return self.suite(suite, terminal);
        }
        let health = self.health(terminal)?;
        self.format.print(terminal, || health_text(&health), || health_json(&health))?;
        Ok(self.exit(&health.findings))
    }

    fn target(&self) -> Option<&Path> {
        self.targets.first().map(PathBuf::as_path)
    }

    /// The gates of a suite; its benchmarks are examined by themselves.
    fn suite(&self, path: &Path, terminal: &Terminal) -> Result<Exit, BoxError> {
        terminal
            .note(&format!("asking the benchmarks of {}; examine each by itself as well", path.display()));
        let standalone = Standalone::new().registry(specs::registry()).output(env::output()).recorded();
        let suite = standalone.open_suite(path)?;
        let found = examine_suite(&suite);
        let subject = path.display().to_string();
        let text = || findings_text(&subject, &found);
        let json = || {
            format!("{:#}\n", serde_json::json!({"schema": SCHEMA, "subject": subject, "findings": found}))
        };
        self.format.print(terminal, text, json)?;
        Ok(self.exit(&found))
    }

    /// How the command ends with these findings.
    fn exit(&self, found: &[Finding]) -> Exit {
        let strict = self.strict.then_some(Severity::Problem);
        let denied = self.deny.iter().map(|denied| denied.severity()).chain(strict).max();
        let is_denied = |one: &Finding| denied.is_some_and(|denied| one.severity <= denied);
        if found.iter().any(is_denied) { Exit::Failed } else { Exit::Passed }
    }

    fn health(&self, terminal: &Terminal) -> Result<Health, BoxError> {
        if let Some(path) = self.target().filter(|path| specs::is_spec(path)) {
            if self.relevant_from.is_some() {
                return Err("`--relevant-from` is for collections: a spec says it under `collection:`".into());
            }
            terminal.note(&format!("examining {} and asking its configurations", path.display()));
            return Ok(examine_benchmark(&specs::open_to_ask(path, terminal)?)?);
        }
        if let (None, Some(qrels)) = (&self.queries, &self.qrels) {
            let collection = Files::default().collection(qrels, None)?;
            return Ok(examine(&name(qrels), &collection, self.relevant_from.unwrap_or(1))?);
        }
        let (subject, source) = self.source()?;
        Ok(examine(&subject, &source.load()?, self.relevant_from.unwrap_or(1))?)
    }

    /// The collection and what it is called.
    fn source(&self) -> Result<(String, CollectionSource), BoxError> {
        if let (Some(queries), Some(qrels)) = (&self.queries, &self.qrels) {
            let corpus = self.corpus.clone();
            let source = CollectionSource::Trec { queries: queries.clone(), qrels: qrels.clone(), corpus };
            return Ok((qrels.display().to_string(), source));
        }
        let Some(path) = self.target().map(Path::to_owned) else {
            return Err("name a spec or a collection".into());
        };
        let subject = path.display().to_string();
        if path.is_dir() {
            return Ok((subject, CollectionSource::Beir { dir: path, split: self.split.clone() }));
        }
        let source = match extension(&path).as_str() {
            "json" => CollectionSource::Json { path },
            "jsonl" | "ndjson" => CollectionSource::Jsonl { path },
            _ if !path.exists() => return Err(format!("there is no file or folder {subject}").into()),
            _ => {
                return Err(format!(
                    "{subject} is neither a spec (.yaml, .yml) nor a collection: a folder in the layout of BEIR, \
                     a .json or a .jsonl file; for other files there are --queries, --qrels and --corpus"
                )
                .into());
            }
        };
        Ok((subject, source))
    }
}

/// The file's ending in lower case, that of a compressed file without `.gz` or `.zst`.
fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let plain = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending));
    plain.unwrap_or(&name).rsplit('.').next().unwrap_or_default().to_owned()
}
