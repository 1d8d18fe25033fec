//! `rankgate neighbours`, and specs that compare an index with exact search, as a user types them.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::surroundings;

/// What a command said, and its exit status.
struct Ran {
    code: Option<i32>,
    /// Without line breaks.
    text: String,
}

fn run(folder: &Path, line: &str) -> Ran {
    let output = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
        .args(line.split(' '))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let both = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(both).unwrap();
    Ran { code: output.status.code(), text: text.split_whitespace().collect::<Vec<_>>().join(" ") }
}

/// Vectors of one dimension or more, as the big-ann benchmarks write them.
fn fbin(vectors: &[&[f32]]) -> Vec<u8> {
    let header = [vectors.len(), vectors[0].len()].map(|number| (number as u32).to_le_bytes()).concat();
    let numbers = vectors.iter().copied().flatten().flat_map(|number| number.to_le_bytes());
    header.into_iter().chain(numbers).collect()
}

/// Six points on a line and two queries, at 1.4 and at 4.1; by hand: the nearest of the first are 1, 2, 0 and 3, those of the
/// second 4, 5, 3 and 2.
fn line() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("base.fbin", &fbin(&[&[0.0], &[1.0], &[2.0], &[3.0], &[4.0], &[5.0]]));
    write("query.fbin", &fbin(&[&[1.4], &[4.1]]));
    write("queries.jsonl", b"{\"_id\": \"0\", \"text\": \"\"}\n{\"_id\": \"1\", \"text\": \"\"}\n");
    // The index misses point 0.
    write(
        "index.run",
        b"0 Q0 1 1 9 t\n0 Q0 2 2 8 t\n0 Q0 3 3 7 t\n1 Q0 4 1 9 t\n1 Q0 5 2 8 t\n1 Q0 3 3 7 t\n",
    );
    folder
}

fn spec(folder: &Path, rest: &str) {
    let text = format!("version: 1\nbenchmark: line\ncollection: {{jsonl: queries.jsonl}}\n{rest}");
    fs::write(folder.join("line.yaml"), text).unwrap();
}

#[test]
fn truth_is_written_in_each_format_and_read_back() {
    let folder = line();
    for file in ["truth.parquet", "truth.ibin", "truth.ivecs", "truth.run"] {
        let ran = run(folder.path(), &format!("neighbours base.fbin query.fbin --k 3 -o {file}"));
        let expected = format!("2 queries among 6 vectors of dimension 1, l2: 3 neighbours each in {file}");
        assert_eq!((ran.code, ran.text), (Some(0), expected));
        spec(
            folder.path(),
            &format!(
                "neighbours: {{file: {file}}}\nconfigurations: {{index: {{run: index.run}}}}\nthresholds: [{{metric: NN@3, min: 0.9}}]\n"
            ),
        );
        let ran = run(folder.path(), "run line.yaml");
        // 2 of 3 and 3 of 3
        assert_eq!(ran.code, Some(1), "{}", ran.text);
        assert!(ran.text.contains("index 0.8333"), "{}", ran.text);
        assert!(ran.text.contains("0 (neighbour 3) not retrieved"), "{}", ran.text);
    }
}

#[test]
fn vectors_that_are_none_are_errors_with_their_file() {
    let folder = line();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("nan.fbin", &fbin(&[&[0.0, 1.0], &[1.0, f32::NAN]]));
    write("zero.fbin", &fbin(&[&[0.0, 1.0], &[0.0, 0.0]]));
    write("plane.fbin", &fbin(&[&[0.0, 1.0], &[1.0, 0.0]]));
    write("cut.fbin", &fbin(&[&[0.0], &[1.0]])[..14]);
    write("vectors.txt", b"1 2 3");
    for (line, expected) in [
        ("base.fbin query.fbin --k 7 -o t.ibin", "error: --k 7: base.fbin has 6 vectors"),
        ("nan.fbin plane.fbin --k 1 -o t.ibin", "error: nan.fbin: vector 1 has NaN at place 1"),
        ("zero.fbin plane.fbin --k 1 --distance cosine -o t.ibin", "zero.fbin: vector `1` has length 0"),
        ("base.fbin plane.fbin --k 1 -o t.ibin", "dimension"),
        ("base.fbin cut.fbin --k 1 -o t.ibin", "error: cut.fbin: its header says 2 vectors of dimension 1"),
        (
            "base.fbin vectors.txt --k 1 -o t.ibin",
            "error: vectors.txt: vectors are read by their file's ending",
        ),
        ("base.fbin none.fbin --k 1 -o t.ibin", "error: cannot open none.fbin"),
    ] {
        let ran = run(folder.path(), &format!("neighbours {line}"));
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.text);
        assert!(ran.text.contains(expected), "{line}: {}", ran.text);
        assert!(!folder.path().join("t.ibin").exists(), "{line}");
    }
}

#[test]
fn truth_of_other_vectors_is_an_error() {
    let folder = line();
    let truth = |rows: [[i32; 3]; 2]| {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        fs::write(folder.path().join("gt.ivecs"), bytes).unwrap();
    };
    spec(
        folder.path(),
        "neighbours: {file: gt.ivecs}
configurations:
  index: {run: index.run}
  exact: {builtin: exact, params: {vectors: base.fbin, queries: query.fbin, distance: l2}}
thresholds: [{metric: NN@2, min: 0.9, for: index}]
",
    );
    truth([[2, 1, 2], [2, 4, 1_000_000]]);
    let ran = run(folder.path(), "run line.yaml");
    assert_eq!(ran.code, Some(2), "{}", ran.text);
    let expected = "gt.ivecs: row 1 names `1000000` as neighbour 2, and ./base.fbin has the vectors 0 to 5";
    assert!(ran.text.contains(expected), "{}", ran.text);
    truth([[2, 1, 2], [2, 4, -7]]);
    let ran = run(folder.path(), "run line.yaml");
    assert!(
        ran.text.contains("row 1 names -7 as neighbour 2: numbers of documents are 0 or more"),
        "{}",
        ran.text
    );
    truth([[2, 1, 2], [2, 4, 5]]);
    assert_eq!(run(folder.path(), "run line.yaml").code, Some(0));
}

/// Documents 0 to 3 are of shop a, 4 and 5 of shop b; both queries ask for b. By hand: the nearest of both are 4 and 5.
#[test]
fn a_filter_says_which_neighbours_there_are() {
    let folder = line();
    let documents: Vec<String> = (0..6)
        .map(|id| {
            let shop = if id < 4 { "a" } else { "b" };
            format!("{{\"_id\": \"{id}\", \"text\": \"x\", \"metadata\": {{\"shop\": \"{shop}\"}}}}")
        })
        .collect();
    fs::write(folder.path().join("corpus.jsonl"), documents.join("\n")).unwrap();
    let queries = |second: &str| {
        let lines = format!(
            "{{\"_id\": \"0\", \"text\": \"\", \"metadata\": {{\"shop\": \"b\"}}}}\n{{\"_id\": \"1\", \"text\": \"\", \"metadata\": {second}}}\n"
        );
        fs::write(folder.path().join("queries.jsonl"), lines).unwrap();
    };
    queries("{\"shop\": \"b\"}");
    let text = |filter: &str| {
        format!(
            "version: 1
benchmark: line
collection: {{trec: {{queries: queries.jsonl, qrels: none.qrels, corpus: corpus.jsonl}}}}
neighbours: {{reference: exact}}
configurations:
  index: {{run: index.run}}
  exact: {{builtin: exact, params: {{vectors: base.fbin, queries: query.fbin, distance: l2, filter: {filter}}}}}
thresholds: [{{metric: NN@3, min: 0.9, for: index}}]
"
        )
    };
    fs::write(folder.path().join("none.qrels"), "0 0 0 0\n1 0 0 0\n").unwrap();
    let decide = |filter: &str| {
        fs::write(folder.path().join("line.yaml"), text(filter)).unwrap();
        run(folder.path(), "run line.yaml")
    };
    // Query 0 finds none of the two that there are, query 1 both.
    let ran = decide("{shop: $query.shop}");
    assert_eq!(ran.code, Some(1), "{}", ran.text);
    assert!(ran.text.contains("index 0.5000"), "{}", ran.text);
    assert!(ran.text.contains("4 (neighbour 1) not retrieved"), "{}", ran.text);
    let ran = decide("{tenant: $query.shop}");
    assert_eq!(ran.code, Some(2), "{}", ran.text);
    assert!(ran.text.contains("tenant"), "{}", ran.text);
    queries("{\"language\": \"de\"}");
    let ran = decide("{shop: $query.shop}");
    assert_eq!(ran.code, Some(2), "{}", ran.text);
    assert!(
        ran.text.contains("query `1` has no `shop` in its metadata, which the filter asks for"),
        "{}",
        ran.text
    );
}

#[test]
fn lint_says_what_a_spec_of_an_index_leaves_open() {
    let folder = line();
    let configurations = "neighbours: {file: truth.ibin}\nconfigurations: {index: {run: index.run}, other: {run: index.run}}\n";
    run(folder.path(), "neighbours base.fbin query.fbin --k 3 -o truth.ibin");
    spec(folder.path(), &format!("{configurations}thresholds: [{{metric: NN@3, min: 0.5, for: index}}]\n"));
    let ran = run(folder.path(), "lint line.yaml");
    for expected in [
        "no gate is on the true neighbours that 1 of the configurations finds (index-without-gate) other ->",
        "an index is held to a mean over queries alone: it hides a few queries that find next to nothing (index-mean-alone) \
         index by NN@3 ->",
        "gates compare the index with exact search alone: a worse embedding model passes all of them",
    ] {
        assert!(ran.text.contains(expected), "{}", ran.text);
    }
    // Nobody has to judge anything for that.
    assert!(!ran.text.contains("nothing is judged"), "{}", ran.text);
    spec(
        folder.path(),
        &format!(
            "{configurations}thresholds: [{{metric: NN@3, min: 0.5}}, {{metric: NN@3, at-least: 0.6, of-queries: 0.5}}]\n"
        ),
    );
    let ran = run(folder.path(), "lint line.yaml");
    assert!(!ran.text.contains("no gate is on the true"), "{}", ran.text);
    assert!(!ran.text.contains("a mean over queries alone"), "{}", ran.text);
}
