//! True neighbours, end to end: an index held against exact search, or against a file of truth.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};

const COLLECTION: &str = "version: 1
benchmark: vectors
collection:
  inline:
    queries:
      - {id: 0, text: '', selectivity: low}
      - {id: 1, text: '', selectivity: high}
";
const THRESHOLD: &str = "thresholds: [{metric: NN@2, min: 0.9, for: index}]\n";

/// Points on a line, a hit's score being its distance with another sign; the index never sees point 2.
fn registry() -> Registry {
    let mut registry = Registry::new();
    for (name, blind) in [("exact", None), ("index", Some(2)), ("broken", Some(99))] {
        let find = move |query: &Query, depth: usize| {
            if blind == Some(99) {
                return Err("no such segment".into());
            }
            let at: i32 = query.id.parse()?;
            let mut found: Vec<i32> = (0..6).filter(|point| Some(*point) != blind).collect();
            found.sort_by_key(|point| ((point - at).abs(), *point));
            let hit = |point: &i32| Hit::new(point.to_string(), -f64::from((point - at).abs()));
            Ok(found.iter().take(depth).map(hit).collect())
        };
        registry.retrievers.register(name, move |_| Ok(retriever_fn(find))).unwrap();
    }
    registry
}

fn decide(folder: &Path, rest: &str) -> Report {
    let path = folder.join("vectors.yaml");
    std::fs::write(&path, format!("{COLLECTION}{rest}")).unwrap();
    Benchmark::open(&path, &registry()).unwrap_or_else(|error| panic!("{error}")).run()
}

/// The text without its line breaks.
fn shown(report: &Report) -> String {
    report::text(report).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn problem(rest: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.yaml");
    std::fs::write(&path, format!("{COLLECTION}{rest}")).unwrap();
    std::fs::write(folder.path().join("gt.run"), []).unwrap();
    Benchmark::open(&path, &registry()).map(drop).unwrap_err().to_string()
}

const CONFIGURATIONS: &str =
    "configurations: {exact: {retriever: exact}, index: {retriever: index}, broken: {retriever: broken}}\n";

#[test]
fn an_index_is_held_against_exact_search() {
    let folder = tempfile::tempdir().unwrap();
    let rest = format!(
        "{CONFIGURATIONS}ground-truth: {{reference: exact}}\nmetrics: [NN@2, NN@3]\nsegments: selectivity\n{THRESHOLD}"
    );
    let report = decide(folder.path(), &rest);
    assert_eq!(report.gates[0].verdict, Verdict::Passed, "{report:?}");
    let index = report.configurations.iter().find(|one| one.name == "index").unwrap();
    let Outcome::Measured(measured) = &index.outcome else { panic!("{index:?}") };
    let values: Vec<(&str, f64)> =
        measured.metrics.iter().map(|one| (one.metric.as_str(), one.value)).collect();
    // Query 0: points 0 1 2 are nearest, and 0 1 3 found. Query 1: 0 ties with 2, so that 1 and 0 are both of two;
    // 0, 1 and 3 are found where 0, 1 and 2 are nearest. Nothing is judged, so that no Judged@k stands there.
    assert_eq!(values, [("NN@2", 1.0), ("NN@3", 2.0 / 3.0)]);
    let text = shown(&report);
    assert!(text.contains("2 queries, no judgments"), "{text}");
    assert!(!text.contains("no gate is on `exact`"), "{text}");
}

#[test]
fn a_failure_names_the_neighbours_that_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let rest = format!(
        "{CONFIGURATIONS}ground-truth: {{reference: exact}}\ndepth: 4\nthresholds: [{{metric: NN@3, min: 0.9, for: index}}]\n"
    );
    let text = shown(&decide(folder.path(), &rest));
    assert!(text.contains("2 (neighbour 3) not retrieved"), "{text}");
    assert!(!text.contains("unjudged"), "{text}");
}

#[test]
fn truth_from_a_file_is_read_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let truth = |rows: &[[i32; 2]]| {
        std::fs::write(folder.path().join("gt.run"), truth_without_distances(rows)).unwrap();
    };
    let rest = format!("{CONFIGURATIONS}ground-truth: {{file: gt.run}}\n{THRESHOLD}");
    truth(&[[0, 1], [1, 2]]);
    let report = decide(folder.path(), &rest);
    // Ids alone do not say that 0 ties with 2.
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
    let text = shown(&report);
    assert!(
        text.contains("names neighbours without distances: a document that ties with the last"),
        "{text}"
    );
    truth(&[[0, 1]]);
    let report = decide(folder.path(), &rest);
    assert_eq!(report.gates[0].verdict, Verdict::Error);
    let text = shown(&report);
    assert!(text.contains("gt.run: it has no neighbours of query `1`"), "{text}");
    truth(&[[0, 1], [1, 2]]);
    let report = decide(folder.path(), &rest.replace("NN@2", "NN@3"));
    let text = shown(&report);
    let expected = "has 2 true neighbours of query `0`, and 3 are needed, and too few of 1 other query: write 3 of each; where \
                    filters leave fewer, name the configuration that searches exactly";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("the collection could not be loaded"), "{text}");
}

/// Nothing is judged, and all queries are measured: a document that comes twice is no answer that found nothing.
#[test]
fn a_run_with_a_document_twice_is_an_error_where_nothing_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("gt.run", "0 Q0 0 1 9 t\n0 Q0 1 2 8 t\n1 Q0 1 1 9 t\n1 Q0 0 2 8 t\n");
    let rest = "configurations: {index: {run: index.run}}\nground-truth: {file: gt.run}\n";
    write("index.run", "0 Q0 0 1 9 t\n0 Q0 0 2 8 t\n1 Q0 1 1 9 t\n1 Q0 0 2 8 t\n");
    let report = decide(folder.path(), &format!("{rest}{THRESHOLD}"));
    assert_eq!(report.gates[0].verdict, Verdict::Error, "{}", shown(&report));
    let text = shown(&report);
    assert!(text.contains("index.run:2: document of query `0` again (first in line 1): `0`"), "{text}");
}

#[test]
fn a_reference_that_fails_is_no_truth() {
    let folder = tempfile::tempdir().unwrap();
    let rest = format!("{CONFIGURATIONS}ground-truth: {{reference: broken}}\n{THRESHOLD}");
    let report = decide(folder.path(), &rest);
    assert_eq!(report.gates[0].verdict, Verdict::Error);
    let text = shown(&report);
    assert!(text.contains("the reference `broken` was not measured: query `0`: no such segment"), "{text}");
}

#[test]
fn what_is_wrong_with_neighbours_has_its_line() {
    for (rest, expected) in [
        (format!("{CONFIGURATIONS}{THRESHOLD}"), "NN@2 needs the true nearest neighbours"),
        (format!("{CONFIGURATIONS}ground-truth: {{reference: exakt}}\n{THRESHOLD}"), "did you mean `exact`?"),
        (
            format!("{CONFIGURATIONS}ground-truth: {{file: t.run, reference: exact}}\n{THRESHOLD}"),
            "there already",
        ),
    ] {
        let problem = problem(&rest);
        assert!(problem.contains(expected), "{problem}");
    }
}

/// A run of two neighbours a query, whose scores do not say how far they are.
fn truth_without_distances(neighbours: &[[i32; 2]]) -> String {
    let of_query = |(query, ids): (usize, &[i32; 2])| {
        format!("{query} Q0 {} 1 1 t\n{query} Q0 {} 2 1 t\n", ids[0].max(ids[1]), ids[0].min(ids[1]))
    };
    neighbours.iter().enumerate().map(of_query).collect()
}

/// Of query 1 the points 1, 0 and 2 are nearest, at distances 0, 1 and 1; a list of two ends between 0 and 2.
#[test]
fn a_list_that_ends_in_a_tie_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = "0 Q0 0 1 0 t\n0 Q0 1 2 -1 t\n1 Q0 1 1 0 t\n1 Q0 0 2 -1 t\n";
    std::fs::write(folder.path().join("gt.run"), run).unwrap();
    let rest = format!("{CONFIGURATIONS}ground-truth: {{file: gt.run}}\n{THRESHOLD}");
    let text = shown(&decide(folder.path(), &rest));
    let expected = "gt.run: the neighbours of 2 queries end with one that is as near as neighbour 2: a document beyond it that \
                    ties counts as a miss";
    assert!(text.contains(expected), "{text}");
    // Of the first neighbour alone the list says what is farther.
    let text = shown(&decide(folder.path(), &rest.replace("NN@2", "NN@1")));
    assert!(!text.contains("as near as neighbour"), "{text}");
}

#[test]
fn neighbours_that_are_no_document_are_an_error_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let gates = format!("{CONFIGURATIONS}ground-truth: {{file: gt.run}}\n{THRESHOLD}");
    let line = |id: usize| format!("{{\"_id\": \"{id}\", \"text\": \"x\"}}\n");
    std::fs::create_dir_all(folder.path().join("data/qrels")).unwrap();
    std::fs::write(folder.path().join("data/corpus.jsonl"), (0..6).map(line).collect::<String>()).unwrap();
    std::fs::write(folder.path().join("data/queries.jsonl"), (0..2).map(line).collect::<String>()).unwrap();
    std::fs::write(folder.path().join("data/qrels/test.tsv"), "query-id\tcorpus-id\tscore\n").unwrap();
    std::fs::write(folder.path().join("gt.run"), truth_without_distances(&[[0, 1], [1, 6]])).unwrap();
    let in_corpus = |gates: &str| {
        let path = folder.path().join("in-corpus.yaml");
        std::fs::write(&path, format!("version: 1\nbenchmark: vectors\ncollection: {{beir: data}}\n{gates}"))
            .unwrap();
        Benchmark::open(&path, &registry()).unwrap_or_else(|error| panic!("{error}")).run()
    };
    let text = shown(&in_corpus(&gates));
    let expected = "gt.run: query `1` names `6` as neighbour 1, and the corpus has no such document; its ids are such as `0`";
    assert!(text.contains(expected), "{text}");
    std::fs::write(folder.path().join("gt.run"), truth_without_distances(&[[0, 1], [1, 5]])).unwrap();
    let report = in_corpus(&gates);
    assert_ne!(report.gates[0].verdict, Verdict::Error, "{}", shown(&report));
    std::fs::write(
        folder.path().join("gt.run"),
        "0 Q0 0 1 9 t\n0 Q0 p1 2 8 t\n1 Q0 p1 1 9 t\n1 Q0 0 2 8 t\n",
    )
    .unwrap();
    let text = shown(&in_corpus(&gates));
    let expected = "gt.run: query `0` names `p1` as neighbour 2, and the corpus has no such document; its ids are such as `0`. \
                    So it is with 1 other query";
    assert!(text.contains(expected), "{text}");
    // Nothing is known of documents without a corpus: a warning says what would change that.
    std::fs::write(folder.path().join("gt.run"), truth_without_distances(&[[0, 1], [1, 6]])).unwrap();
    let report = decide(folder.path(), &gates);
    assert_ne!(report.gates[0].verdict, Verdict::Error);
    let text = shown(&report);
    let expected = "gt.run: no documents are known here, so a neighbour that is none counts as a miss: add documents to the collection";
    assert!(text.contains(expected), "{text}");
    // What a configuration finds is what there is.
    let gates = format!("{CONFIGURATIONS}ground-truth: {{reference: exact}}\n{THRESHOLD}");
    let text = shown(&decide(folder.path(), &gates));
    assert!(!text.contains("no documents are known"), "{text}");
}
