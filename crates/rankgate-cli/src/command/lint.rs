//! `rankgate lint`: checks of collections, specs and gates.

use std::path::{Path, PathBuf};

use crate::health::{Finding, Health, Severity, examine, examine_benchmark, health_json, health_text};
use clap::Args;
use rankgate::spec::SuiteSpec;
use rankgate::standalone::{Opened, Refusal, Standalone, files_below, open_all};
use rankgate::{BoxError, CollectionSource};
use rankgate_core::internal::words::counted;

use crate::exit::Exit;
use crate::format::Format;
use crate::inputs::{Files, name};
use crate::results::{Format as ReportFormat, Results};
use crate::specs;
use crate::terminal::Terminal;

/// Check a collection, its judgments and the gates on it
///
/// Finds queries copied from documents, repeated documents and queries, also across splits, judgments of missing
/// documents, and queries or segments without relevant documents. For a spec, lint also runs the configurations, and finds
/// saturated metrics and gates that cannot decide with these queries.
#[derive(Args)]
#[command(after_help = "\
Two texts are near copies if the Jaccard index of their runs of three words (of their words, for queries) is at least \
0.8. A query of six words or more is copied if a document contains 80% of its runs of three words.

For retrievers registered in Rust, lint reads the answers of the last test run from target/rankgate, or the golden run.

The exit status is 0 whatever is found, but 1 with --deny and such a finding, and 2 if something cannot be read.

Examples:
  rankgate lint benchmarks/helpdesk.yaml
  rankgate lint data/helpdesk --split dev --deny problem
  rankgate lint --parse-only benchmarks/*.rankgate.yaml
  rankgate lint helpdesk.json --format json
  rankgate lint --qrels judged.qrels
  rankgate lint --queries topics.tsv --qrels judged.qrels --corpus corpus.jsonl.gz")]
pub(crate) struct Lint {
    /// A spec (.yaml, .yml), a folder in the layout of BEIR, or a collection in one file (.json, .jsonl); with --parse-only
    /// specs, and folders of specs
    #[arg(value_name = "SPEC|COLLECTION", required_unless_present_any = ["queries", "qrels"])]
    targets: Vec<PathBuf>,

    /// Parse specs and name everything that is wrong in them. No retriever runs, and no collection is read
    #[arg(long, conflicts_with_all = ["queries", "qrels", "split", "relevant_from", "format", "deny"])]
    parse_only: bool,

    /// The judgments of a BEIR folder: qrels/NAME.tsv
    #[arg(long, value_name = "NAME", default_value = "test")]
    split: String,

    /// Topics instead of a collection: query id, tab, text
    #[arg(long, value_name = "FILE", requires = "qrels", conflicts_with_all = ["targets", "split"])]
    queries: Option<PathBuf>,

    /// The judgments of the topics, or judgments alone
    #[arg(long, value_name = "FILE", conflicts_with_all = ["targets", "split"])]
    qrels: Option<PathBuf>,

    /// The documents, as JSON lines or as id, tab, text
    #[arg(long, value_name = "FILE", requires = "queries")]
    corpus: Option<PathBuf>,

    /// The lowest grade that counts as relevant; a spec has its own [default: 1]
    #[arg(long, value_name = "GRADE", allow_negative_numbers = true)]
    relevant_from: Option<i32>,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// End with 1 if there is a finding of this severity or a worse one
    #[arg(long, value_name = "SEVERITY", value_enum)]
    deny: Option<Severity>,
}

impl Lint {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if self.parse_only {
            return parse(self.targets, terminal);
        }
        if self.targets.len() > 1 {
            return Err(
                "lint checks one spec or collection at a time; --parse-only takes several specs".into()
            );
        }
        let health = self.health(terminal)?;
        self.format.print(terminal, || health_text(&health), || health_json(&health))?;
        let is_denied = |one: &Finding| self.deny.is_some_and(|denied| one.severity <= denied);
        Ok(if health.findings.iter().any(is_denied) { Exit::Failed } else { Exit::Passed })
    }

    fn health(&self, terminal: &Terminal) -> Result<Health, BoxError> {
        if let Some(path) = self.targets.first().filter(|path| specs::is_spec(path)) {
            if self.relevant_from.is_some() {
                return Err("`--relevant-from` is for collections: a spec has it under `collection:`".into());
            }
            if SuiteSpec::is_in(path) {
                return Err(format!("{} is a suite: lint each of its benchmarks", path.display()).into());
            }
            terminal.note(&format!("checking {} and running its configurations", path.display()));
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
        let Some(path) = self.targets.first().cloned() else {
            return Err("name a spec or a collection".into());
        };
        let subject = path.display().to_string();
        if path.is_dir() {
            return Ok((subject, CollectionSource::Beir { dir: path, split: self.split.clone() }));
        }
        let source = match extension(&path).as_str() {
            "json" | "jsonl" | "ndjson" => CollectionSource::Json { path },
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

/// The file's ending in lower case, that of a compressed file without `.gz`.
fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).rsplit('.').next().unwrap_or_default().to_owned()
}

/// Parses specs, and those in folders, and prints how many gates each has or what is wrong with it.
fn parse(targets: Vec<PathBuf>, terminal: &Terminal) -> Result<Exit, BoxError> {
    let mut files = Vec::new();
    for target in targets {
        match target.is_dir() {
            true => files.extend(files_below(&target, specs::is_spec)?),
            false => files.push(target),
        }
    }
    let mut results = Results::new(terminal, ReportFormat::Text);
    let standalone = |_: &Path| Standalone::new().registry(specs::registry());
    for Opened { file, subject } in open_all(files, standalone) {
        match subject {
            Ok(subject) => {
                let gates = counted(subject.gates().len(), "gate", "gates");
                let (file, kind, name) = (file.display(), subject.kind(), subject.name());
                terminal.result(&format!("{file}: {kind} {name}, {gates}\n"))?;
            }
            Err(Refusal::Broken(error)) => results.add_broken(&file, &error),
            Err(Refusal::Twin(other)) => drop(results.add_twin(&file, &other)),
        }
    }
    Ok(results.end_without_verdicts())
}
