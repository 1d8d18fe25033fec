//! `rankgate pool`: unjudged documents.

use std::path::{Path, PathBuf};

use crate::health::{
    NewJudgment, NewJudgments, Pool as Pooled, Pooling, SkippedConfiguration, add_judgments, pool_lines,
};
use clap::Args;
use rankgate::{BoxError, standalone};
use rankgate_judge::{LabelPair, label_page};

use crate::exit::Exit;
use crate::specs;
use crate::terminal::Terminal;

/// The guidelines for graders.
pub(crate) const GUIDELINES: &str = "\
0 = not relevant: it has nothing to do with what is asked.
1 = partially relevant: it is about the subject and does not answer what is asked.
2 = relevant: it answers what is asked, incompletely or among much else.
3 = highly relevant: it is dedicated to what is asked and answers it.";

/// Print unjudged documents of the top k, and read judged ones back
///
/// Asks all configurations of the spec and prints each unjudged document among their first ones:
/// query and document with their texts, the ranks at which it was returned, and a grade of null to be replaced.
/// Lines come query by query; within a query their order is a hash of the ids, so that neither rank nor
/// configuration sways the grader.
#[derive(Args)]
#[command(after_help = "\
With --merge nothing is asked: the graded lines of FILE are added to the collection's judgments. Lines that \
are there stay as they are; another grade for a document that has one is an error. Lines whose grade is \
still null are left for later. A grade of a text that is another now is left out, and said; one above 3 and above all grades \
of the collection is said. One below 0 is an error where the collection has none.

Retrievers that are registered from Rust cannot be asked by this command: what they answered in the last test \
run is read from target/rankgate, else their golden run, and which it was is said on standard error. Those that \
have neither are left out; the exit status is 2 where nothing else could be asked.

Examples:
  rankgate pool benchmarks/helpdesk.yaml > pool.jsonl
  rankgate pool benchmarks/helpdesk.yaml -k 20 --queries q017 q042
  rankgate pool --merge pool.jsonl benchmarks/helpdesk.yaml")]
pub(crate) struct Pool {
    /// The spec
    spec: PathBuf,

    /// How many of the first documents of each configuration
    #[arg(long, short = 'k', value_name = "K", default_value_t = 10, value_parser = depth)]
    depth: usize,

    /// Only these queries, judged or not
    #[arg(long, value_name = "ID", num_args = 1..)]
    queries: Vec<String>,

    /// Also queries of which nothing is judged so far
    #[arg(long, conflicts_with = "queries")]
    unjudged_queries: bool,

    /// Write a page on which a person grades them, in place of the lines; what it saves is taken in with --merge
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Add the graded lines of FILE to the judgments
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "queries", "unjudged_queries", "page"])]
    merge: Option<PathBuf>,

    /// Add them to this file instead; one that does not exist becomes a copy with them added
    #[arg(long, value_name = "QRELS", requires = "merge")]
    into: Option<PathBuf>,
}

fn depth(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(depth @ 1..=100_000) => Ok(depth),
        _ => Err("expected a whole number from 1 to 100000".to_owned()),
    }
}

impl Pool {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        match &self.merge {
            None => self.print(terminal),
            Some(file) => merge(&self.spec, file, self.into.as_deref(), terminal),
        }
    }

    fn print(&self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let pooling = Pooling {
            depth: self.depth,
            queries: self.queries.clone(),
            unjudged_queries: self.unjudged_queries,
            ..Pooling::default()
        };
        let benchmark = specs::open_to_ask(&self.spec, terminal)?;
        let of_rust = benchmark.spec().configurations.iter().filter(|one| one.is_from_rust());
        let elsewhere: Vec<&String> = of_rust.map(|one| &one.name).collect();
        let pool = Pooled::gather(&benchmark, &pooling)?;
        let failed = |one: &&SkippedConfiguration| !elsewhere.contains(&&one.configuration);
        for one in &pool.left_out {
            let hint = match failed(&one) {
                true => "",
                false => "; after a test run its answers are read from target/rankgate",
            };
            terminal.warn(&format!("{} is left out: {}{hint}", one.configuration, one.reason));
        }
        for one in &pool.recorded {
            terminal.note(&format!("{} is not asked but read: {}", one.configuration, one.describe()));
        }
        if pool.foreign_documents > 0 {
            terminal.warn(&format!(
                "{} of the documents are not in the corpus, and have no text here",
                pool.foreign_documents
            ));
        }
        if pool.configurations.is_empty() {
            return Err("no configuration could be asked".into());
        }
        match &self.page {
            Some(path) => {
                let pairs: Vec<LabelPair> = pool.entries.iter().map(Into::into).collect();
                let title = self.spec.file_stem().and_then(|stem| stem.to_str()).unwrap_or("pool");
                standalone::write_file(path, &label_page(title, GUIDELINES, &pairs, 1))?;
            }
            None => terminal.json(&pool_lines(&pool))?,
        }
        terminal.note(&summary(&pool));
        // What could not be asked would have had documents of its own.
        Ok(if pool.left_out.iter().any(|one| failed(&one)) { Exit::Undecided } else { Exit::Passed })
    }
}

fn summary(pool: &Pooled) -> String {
    let mut queries: Vec<&str> = pool.entries.iter().map(|entry| entry.query.as_str()).collect();
    queries.dedup();
    let count =
        |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let asked = count(pool.queries, "query", "queries");
    let configurations = pool.configurations.join(", ");
    match pool.entries.len() {
        0 => format!("everything that {configurations} returned for {asked} is judged"),
        some => format!(
            "{} of {} to be judged, out of {asked} asked of {configurations}",
            count(some, "document", "documents"),
            count(queries.len(), "query", "queries"),
        ),
    }
}

fn merge(spec: &Path, file: &Path, into: Option<&Path>, terminal: &Terminal) -> Result<Exit, BoxError> {
    let benchmark = specs::open(spec)?;
    let source = benchmark.spec().collection.resolve()?;
    let new = NewJudgments::read(file)?;
    let merged = add_judgments(&source, &new, into)?;
    let judgments =
        |count: usize| if count == 1 { "1 judgment".to_owned() } else { format!("{count} judgments") };
    let mut said = format!("{} added to {}", judgments(merged.added), merged.path.display());
    if merged.known > 0 {
        said += &format!("; {} there already", merged.known);
    }
    if new.unjudged() > 0 {
        said += &format!("; {} without a grade", new.unjudged());
    }
    if !merged.changed.is_empty() {
        let first = listed(&merged.changed, |one| one.place.clone());
        terminal.warn(&format!(
            "{} of another text than today's, and left out ({first}): `rankgate pool {}` lists what to judge again",
            match merged.changed.len() {
                1 => "1 grade is".to_owned(),
                count => format!("{count} grades are"),
            },
            spec.display()
        ));
        said += &format!("; {} of another text left out", merged.changed.len());
    }
    if !merged.above_scale.is_empty() {
        let all = listed(&merged.above_scale, |one| format!("{}: {}", one.place, one.grade));
        terminal
            .warn(&format!("grades above 3 and above all that the collection has ({all}): is that meant?"));
    }
    said.push('\n');
    terminal.result(&said)?;
    Ok(Exit::Passed)
}

/// The first few of these.
fn listed(all: &[NewJudgment], said: impl Fn(&NewJudgment) -> String) -> String {
    const SHOWN: usize = 5;
    let mut first: Vec<String> = all.iter().take(SHOWN).map(said).collect();
    if let more @ 1.. = all.len().saturating_sub(SHOWN) {
        first.push(format!("and {more} more"));
    }
    first.join(", ")
}
