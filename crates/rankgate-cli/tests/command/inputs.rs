//! What files and pipes hold, and how they are named: read, or said what is wrong and what to do.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fmt::Write;
use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::cli::{self, Output};

struct Folder(TempDir);

impl Folder {
    /// Two judged queries, and a run that answers both.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("q.txt", "q1 0 d1 1\nq2 0 d2 1\n");
        folder.write("a.run", "q1 Q0 d1 1 2 t\nq2 Q0 d3 1 1 t\n");
        folder
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, line: &str, input: &str) -> Output {
        let arguments: Vec<&str> = line.split(' ').collect();
        cli::run(self.0.path(), &arguments, input)
    }

    /// What the command says on standard error when it can do nothing.
    #[track_caller]
    fn refused(&self, line: &str) -> String {
        let ran = self.run(line, "");
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{line}\n{}", ran.stderr);
        ran.stderr
    }

    #[track_caller]
    fn json(&self, line: &str, input: &str) -> Value {
        let ran = self.run(&format!("{line} --format json"), input);
        assert_eq!(ran.status, Some(0), "{line}\n{}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    }
}

#[test]
fn metrics_stand_in_one_text_with_commas_or_blanks() {
    let folder = Folder::new();
    for typed in ["nDCG@10, R@100", "nDCG@10 R@100"] {
        let ran = cli::run(folder.0.path(), &["eval", "q.txt", "a.run", "-q", "-m", typed], "");
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{typed}");
        assert!(ran.stdout.contains("\nnDCG@10  0.5000") && ran.stdout.contains("\nR@100"), "{}", ran.stdout);
    }
    let wrong = folder.refused("eval q.txt a.run -m nDGC@10,AP,mapp");
    let said = "error: 2 metrics are wrong:\n  unknown metric `nDGC@10`; did you mean `nDCG@10`?\n  unknown metric `mapp`; did \
                you mean `map`?\n";
    assert_eq!(wrong, said);
}

#[test]
fn metrics_of_a_spec_stand_in_one_text_and_each_that_is_wrong_has_its_place() {
    let folder = Folder::new();
    folder.write("topics.tsv", "q1\tone\nq2\ttwo\n");
    let spec = |metrics: &str| {
        format!(
            "version: 1\nbenchmark: toy\ncollection:\n  trec: {{queries: topics.tsv, qrels: q.txt}}\nconfigurations:\n  a: {{run: \
             a.run}}\nthresholds:\n- {{metric: \"{metrics}\", min: 0.4}}\n"
        )
    };
    folder.write("toy.yaml", spec("nDCG@10, R@10 AP"));
    let ran = folder.run("run toy.yaml", "");
    assert!(ran.stdout.starts_with("toy: 3 passed\n"), "{}{}", ran.stdout, ran.stderr);
    folder.write("toy.yaml", spec("nDCG@10, Rcall@10 nDGC@10,"));
    let wrong = folder.refused("run toy.yaml");
    for part in [
        "error: 3 errors in toy.yaml",
        "unknown metric `Rcall@10`\n --> toy.yaml:8:22",
        "unknown metric `nDGC@10`\n --> toy.yaml:8:31",
        "metric ``: expected a name",
    ] {
        assert!(wrong.contains(part), "{part}\n{wrong}");
    }
}

/// trec_eval looks at the rankings of judged queries alone, and four official runs of CLEF have such queries.
#[test]
fn a_document_twice_is_an_error_whether_its_query_is_judged_or_not() {
    let folder = Folder::new();
    let run = |more: &str| format!("q1 Q0 d1 1 2 t\nq2 Q0 d3 1 1 t\n{more}");
    folder.write("twice.run", run("q9 Q0 x 1 1 t\nq9 Q0 x 2 0.5 t\n"));
    folder.write("judged.run", run("q1 Q0 d1 2 0.5 t\n"));
    let said = folder.refused("eval q.txt twice.run");
    assert!(
        said.starts_with("error: twice.run:4: document of query `q9` again (first in line 3): `x`"),
        "{said}"
    );
    for line in [
        "eval q.txt judged.run",
        "compare q.txt a.run judged.run",
        "explain q.txt a.run judged.run --query q2",
    ] {
        let said = folder.refused(line);
        assert!(
            said.starts_with("error: judged.run:3: document of query `q1` again (first in line 1): `d1`"),
            "{said}"
        );
    }
}

#[test]
fn what_is_absent_is_said_to_be_absent() {
    let folder = Folder::new();
    folder.write("benchmarks/toy.yaml", "version: 1\nbenchmark: toy\ncollection: {beir: ../data/nosuch}\nconfigurations:\n  a: {run: ../a.run}\nmetrics: AP\n");
    folder.write(
        "suite.yaml",
        "version: 1\nsuite: all\nbenchmarks: [one.yaml, two.yaml]\nmetrics: RR\nthresholds: [{metric: RR, min: 0.1, for: a}]\n",
    );
    folder.write("topics.tsv", "q1\tone\nq2\ttwo\n");
    for name in ["one", "two"] {
        folder.write(
            &format!("{name}.yaml"),
            format!(
                "version: 1\nbenchmark: {name}\ncollection:\n  trec: {{queries: topics.tsv, qrels: q.txt}}\nconfigurations:\n  a: \
                 {{run: a.run}}\nmetrics: RR\n"
            ),
        );
    }
    folder.write("empty/x.txt", "");
    for (line, said) in [
        // Without the way there and back.
        ("run benchmarks/toy.yaml", "error: no such folder: `data/nosuch`"),
        ("lint nosuch", "there is no file or folder nosuch"),
        ("lint empty", "empty: there is no queries.jsonl (or queries.jsonl.gz) in this folder"),
        ("eval q.txt empty/../b.run", "error: cannot open b.run: No such file"),
    ] {
        let refused = folder.refused(line);
        assert!(refused.contains(said), "{line}\n{refused}");
    }
}

#[test]
fn ids_between_tabs_may_have_blanks() {
    let folder = Folder::new();
    folder.write("tabs.txt", "q 1\t0\tmy doc\t1\nq2\t0\td2\t1\n");
    folder.write(
        "tabs.run",
        "q 1\tQ0\tother doc\t1\t2\tmy run\nq 1\tQ0\tmy doc\t2\t1\tmy run\nq2\tQ0\td2\t1\t1\tmy run\n",
    );
    let scores = folder.json("eval tabs.txt tabs.run -m RR", "");
    // By hand: rank 2 and rank 1.
    assert_eq!((&scores["mean"]["RR"], &scores["queries"]), (&Value::from(0.75), &Value::from(2)));
    let said = folder.refused("eval q.txt d.run");
    assert!(said.contains("cannot open d.run"), "{said}");
    folder.write("d.run", "q1 Q0 my doc 1 2 t\n");
    let said = folder.refused("eval q.txt d.run");
    assert!(
        said.contains("neither ids nor the tag may hold spaces, unless tabs separate all columns"),
        "{said}"
    );
}

#[test]
fn standard_input_is_one_file_and_is_not_waited_for_twice() {
    let folder = Folder::new();
    let said = "error: standard input (`-`) can be read only once: give a file in place of the others\n";
    for line in [
        "eval - -",
        "eval - /dev/stdin",
        "compare - - a.run",
        "compare q.txt - -",
        "explain - a.run - --query q1",
        "power - -",
    ] {
        assert_eq!(folder.refused(line), said, "{line}");
    }
}

/// A run of 40 queries whose lines stand together, or in no order.
fn long_run(scattered: bool) -> String {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for query in 0..40 {
        for rank in 0..200 {
            let line = format!("q{query} Q0 d{} {rank} {}.5 t\n", (query * 7 + rank * 3) % 211, 500 - rank);
            lines.push((if scattered { rank } else { query }, line));
        }
    }
    lines.sort_by_key(|(place, _)| *place);
    lines.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn a_pipe_gives_what_the_file_gives() {
    let folder = Folder::new();
    let mut judged = String::new();
    (0..40).for_each(|query| writeln!(judged, "q{query} 0 d{} 1", query * 5 % 211).unwrap());
    folder.write("judged.txt", &judged);
    for scattered in [false, true] {
        let text = long_run(scattered);
        folder.write("long.run", &text);
        let of_file = folder.json("eval judged.txt long.run -m AP --per-query", "");
        let of_pipe = folder.json("eval judged.txt - -m AP --per-query", &text);
        assert_eq!(of_pipe["per_query"], of_file["per_query"], "{scattered}");
        let line = "compare judged.txt long.run - -m AP --expect identical";
        assert_eq!(folder.run(line, &text).status, Some(0), "{scattered}");
        let of_judgments = folder.json("eval - long.run -m AP --per-query", &judged);
        assert_eq!(of_judgments["per_query"], of_file["per_query"], "{scattered}");
    }
}
