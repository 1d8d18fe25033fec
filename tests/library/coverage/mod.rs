//! Coverage: with too little data a gate is an error, whatever the rest shows.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

mod answers;
mod judgments;
mod limits;
mod lists;

use std::fmt::Write;
use std::path::PathBuf;

use rankgate::benchmark::model::{Covered, Finding, GateReport, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::standalone::Standalone;

/// Twenty queries in a folder of BEIR, each with one relevant document among four of its own.
struct Folder(tempfile::TempDir);

const QUERIES: usize = 20;

fn id(query: usize) -> String {
    format!("q{query:02}")
}

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let (mut queries, mut documents) = (String::new(), String::new());
        for query in 0..QUERIES {
            let topic = if query < 8 { "billing" } else { "delivery" };
            let metadata = format!("{{\"topic\": \"{topic}\"}}");
            writeln!(queries, "{{\"_id\": \"{}\", \"text\": \"x\", \"metadata\": {metadata}}}", id(query))
                .unwrap();
            for document in 0..4 {
                writeln!(documents, "{{\"_id\": \"{}-{document}\", \"text\": \"x\"}}", id(query)).unwrap();
            }
        }
        folder.write("data/queries.jsonl", &queries);
        folder.write("data/corpus.jsonl", &documents);
        folder.judge("test", 0..QUERIES, |_| true);
        // `old` finds everything first; `new` is worse on every query, or on every second one.
        folder.write("old.run", &run(0..QUERIES, |_| 1));
        folder.write("worse.run", &run(0..QUERIES, |query| 2 + query % 3));
        folder
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The judgments of a split: the first document of a query is relevant, or else none is.
    fn judge(&self, split: &str, queries: impl Iterator<Item = usize>, relevant: impl Fn(usize) -> bool) {
        let mut text = "query-id\tcorpus-id\tscore\n".to_owned();
        for query in queries {
            for document in 0..4 {
                let grade = usize::from(document == 0 && relevant(query));
                writeln!(text, "{0}\t{0}-{document}\t{grade}", id(query)).unwrap();
            }
        }
        self.write(&format!("data/qrels/{split}.tsv"), &text);
    }

    fn spec(&self, rest: &str) -> PathBuf {
        let text = format!(
            "version: 1\nbenchmark: toy\ngolden: golden\ndepth: 10\ncollection: {{beir: data}}\n\
             configurations:\n  old: {{run: old.run}}\n  new: {{run: new.run}}\n{rest}"
        );
        self.write("toy.yaml", &text);
        self.path("toy.yaml")
    }

    fn decide(&self, rest: &str) -> Report {
        Benchmark::open(self.spec(rest), &Registry::new()).unwrap_or_else(|error| panic!("{error}")).run()
    }

    /// Blesses what stands there; `false` on a CI machine, where nothing is blessed.
    fn bless(&self, rest: &str) -> bool {
        let Ok(standalone) = Standalone::new().bless() else { return false };
        let benchmark = standalone.open(self.spec(rest)).unwrap();
        let refused = benchmark.run().blessings.iter().any(|one| one.refused);
        benchmark.bless_measured().unwrap();
        !refused
    }
}

/// A run of some queries, with the relevant document at a rank of 1 to 4.
fn run(queries: impl Iterator<Item = usize>, rank: impl Fn(usize) -> usize) -> String {
    let mut text = String::new();
    for query in queries {
        let mut documents = vec![1, 2, 3];
        documents.insert(rank(query) - 1, 0);
        for (place, document) in documents.into_iter().enumerate() {
            writeln!(text, "{0} Q0 {0}-{document} {1} {2} t", id(query), place + 1, 9 - place).unwrap();
        }
    }
    text
}

fn reason(gate: &GateReport) -> &str {
    match &gate.finding {
        Finding::Undecided(undecided) => &undecided.reason,
        other => panic!("{}: {other:?}", gate.name),
    }
}

fn verdicts(report: &Report) -> Vec<Verdict> {
    report.gates.iter().map(|gate| gate.verdict).collect()
}

/// What of a gate's data is not complete: what, how much of it, of how much.
fn counts(gate: &GateReport) -> Vec<(Covered, usize, usize)> {
    let counts = gate.coverage.iter().flat_map(|coverage| &coverage.counts);
    counts.map(|count| (count.kind, count.there, count.of)).collect()
}

const EITHER: &str = "comparisons:
  - {candidate: new, baseline: old, metric: RR@10}
  - {candidate: new, baseline: old, metric: RR@10, expect: improvement, name: better}
";

/// What an assertion says.
fn panic_message(assertion: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(assertion).unwrap_err();
    let text = panic.downcast::<String>().unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A run with the first so many results of each query.
fn cut(text: &str, depth: impl Fn(usize) -> usize) -> String {
    let is_kept = |line: &&str| {
        let columns: Vec<&str> = line.split(' ').collect();
        columns[3].parse::<usize>().unwrap() <= depth(columns[0][1..].parse().unwrap())
    };
    text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
}

/// The relevant document at rank 1, or for every second query at rank 2; `worse` has it at rank 4 there.
fn good() -> String {
    run(0..QUERIES, |query| 1 + query % 2)
}

fn worse() -> String {
    run(0..QUERIES, |query| 1 + 3 * (query % 2))
}
