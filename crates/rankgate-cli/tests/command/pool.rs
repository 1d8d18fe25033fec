//! `rankgate pool` as a user types it: what nobody judged, judgments merged, what cannot be pooled.

use serde_json::Value;

use crate::folder::{Folder, benchmark};

#[test]
fn a_pool_shows_what_nobody_judged() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    insta::assert_snapshot!(folder.session(&["pool spec.yaml", "pool spec.yaml -k 2 --queries q2"]));

    let pool = folder.run("pool spec.yaml").stdout;
    let judged: String = pool
        .lines()
        .map(|line| {
            if line.contains("\"y2\"") {
                line.to_owned()
            } else {
                line.replace("\"grade\":null", "\"grade\":1")
            }
        })
        .map(|line| line + "\n")
        .collect();
    let folder = folder.with("judged.jsonl", &judged);
    let before = folder.read("data/qrels/test.tsv");
    // y1 is in no corpus, and the line of y2 has no grade.
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.ends_with("the collection has no document `y1`\n"), "{}", ran.stderr);
    assert_eq!(folder.read("data/qrels/test.tsv"), before);
}

#[test]
fn what_was_merged_is_no_longer_in_the_pool() {
    let folder = benchmark(4, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let pool = folder.run("pool spec.yaml -k 2").stdout;
    assert_eq!(pool.lines().count(), 2, "{pool}");
    let judged = pool.replace("\"grade\":null", "\"grade\":3");
    let folder = folder.with("judged.jsonl", &judged);
    let before = folder.read("data/qrels/test.tsv");
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "2 judgments added to data/qrels/test.tsv\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.read("data/qrels/test.tsv"), format!("{before}q3\tx3\t3\nq4\tx4\t3\n"));
    let ran = folder.run("pool spec.yaml -k 2");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert_eq!(ran.stderr, "everything that old, new returned for 4 queries is judged\n");
    // Once more changes nothing; another grade is an error that names both lines.
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(ran.stdout, "0 judgments added to data/qrels/test.tsv; 2 there already\n");
    let folder = folder.with("other.jsonl", &judged.replace("\"grade\":3", "\"grade\":0"));
    let ran = folder.run("pool --merge other.jsonl spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: other.jsonl:1: document `x3` of query `q3` has grade 0 here and 3 in data/qrels/test.tsv:9\n\
         other.jsonl:2: document `x4` of query `q4` has grade 0 here and 3 in data/qrels/test.tsv:10\n"
    );
}

#[test]
fn grades_of_another_text_and_off_the_scale_are_told_when_they_are_merged() {
    let folder = benchmark(4, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let pool = folder.run("pool spec.yaml -k 2").stdout;
    let lines: Vec<String> =
        pool.lines().map(|line| line.replace("\"grade\":null", "\"grade\":99") + "\n").collect();
    let stale = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["document_text"] = "as it was".into();
        format!("{line}\n")
    };
    let folder = folder.with("judged.jsonl", &(stale(&lines[0]) + &lines[1]));
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            Some(0),
            "1 judgment added to data/qrels/test.tsv; 1 of another text left out\n",
            "warning: 1 grade is of another text than today's, and left out (judged.jsonl:1): `rankgate pool spec.yaml` lists what to \
             judge again\nwarning: grades above 3 and above all that the collection has (judged.jsonl:2: 99): is that meant?\n"
        )
    );
    let folder = folder.with("judged.jsonl", &lines[0].replace("99", "-1"));
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("judged.jsonl:1: document `x3` has grade -1"), "{}", ran.stderr);
}

#[test]
fn judged_lines_of_a_pool_stand_beside_a_collection_in_one_file() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let spec = folder.read("spec.yaml").replace("beir: data", "json: queries.jsonl");
    let lines = "{\"id\": \"q2\", \"text\": \"b\", \"relevant\": {\"r2\": 2}}\n";
    let folder = folder.with("spec.yaml", &spec).with("queries.jsonl", lines);
    let pool = folder.run("pool spec.yaml").stdout;
    assert_eq!(pool.lines().count(), 2, "{pool}");
    // One of both is judged.
    let judged: String = pool
        .lines()
        .map(|line| {
            if line.contains("\"y2\"") { line.replace("\"grade\":null", "\"grade\":1") } else { line.into() }
        })
        .map(|line| line + "\n")
        .collect();
    let folder = folder.with("judged.jsonl", &judged);
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (
            Some(2),
            "error: the judgments stand in queries.jsonl, which is left as it is: name the file of the new ones beside \
             it, as `judgments:` of the `collection:`\n"
        )
    );
    let folder = folder
        .with("spec.yaml", &spec.replace("queries.jsonl", "queries.jsonl\n  judgments: judged.jsonl"))
        .with("more.jsonl", "{\"query\": \"q2\", \"document\": \"n2\", \"grade\": 0}\n");
    let ran = folder.run("pool spec.yaml");
    assert!(ran.stdout.lines().count() == 1 && ran.stdout.contains("\"document\":\"n2\""), "{}", ran.stdout);
    let ran = folder.run("pool --merge more.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "1 judgment added to judged.jsonl\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.run("pool spec.yaml").stdout, "");
    assert_eq!(folder.read("queries.jsonl"), lines);
}

#[test]
fn retrievers_of_rust_are_left_out_and_named() {
    let with = |more: &str| {
        let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
        let spec = folder.read("spec.yaml").replace("metrics:", &format!("{more}metrics:"));
        folder.with("spec.yaml", &spec)
    };
    let ran = with("  mine: {retriever: mine}\n").run("pool spec.yaml -k 1");
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr.starts_with(
            "warning: mine is left out: could not be set up: it is registered from Rust, which `cargo test` can ask"
        ),
        "{}",
        ran.stderr
    );
    // What is broken is not what cannot be: that something is missing is said by the exit status too.
    let ran = with("  gone: {run: gone.run}\n").with("gone.run", "q1 Q0\n").run("pool spec.yaml -k 1");
    let warning = "warning: gone is left out: gone.run:1: expected 6 columns, found 2; a run is `query Q0 document rank score tag`: `q1 Q0`";
    assert_eq!((ran.code, ran.stderr.lines().next()), (Some(2), Some(warning)));
    let alone = with("")
        .read("spec.yaml")
        .replace("{run: old.run}", "{retriever: a}")
        .replace("{run: new.run}", "{retriever: a}");
    let ran = with("").with("spec.yaml", &alone).run("pool spec.yaml");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.ends_with("error: no configuration could be asked\n"), "{}", ran.stderr);
}

#[test]
fn for_retrievers_of_rust_the_last_test_run_speaks_and_else_the_golden_run() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let with = |source: &str| {
        folder.read("spec.yaml").replace("metrics:", &format!("  mine: {{{source}}}\nmetrics:"))
    };
    let (spec, frozen) = (with("retriever: mine"), with("run: mine.run"));
    let run = |document: &str| format!("q1 Q0 {document} 1 1.0 mine\n");
    // What a test run would write.
    let folder = folder.with("spec.yaml", &frozen).with("mine.run", &run("x1"));
    assert_eq!(folder.run("bless spec.yaml --force").code, Some(0));
    let folder = folder.with("spec.yaml", &spec);
    let said = |folder: &Folder, document: &str, of: &str| {
        let pool = folder.run("pool spec.yaml -k 1");
        assert_eq!(pool.code, Some(0), "{}", pool.stderr);
        let ranks = format!("\"document\":\"{document}\"");
        assert!(pool.stdout.contains(&ranks) && pool.stdout.contains("\"mine\":1"), "{}", pool.stdout);
        assert!(pool.stderr.contains(&format!("mine is not asked but read: {of}")), "{}", pool.stderr);
        assert!(pool.stderr.contains("; changed since: parameters"), "{}", pool.stderr);
    };
    said(&folder, "x1", "golden/toy/mine.run, the blessed run");
    let folder = folder.with("spec.yaml", &frozen).with("mine.run", &run("r2"));
    folder.run("run spec.yaml");
    let folder = folder.with("spec.yaml", &spec);
    said(&folder, "r2", "target/rankgate/toy/mine.run, made 2");
    // To decide gates it is no retriever.
    let ran = folder.run("run spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("cannot run `mine`"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_pooled_or_merged_ends_with_2() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let inline = folder
        .read("spec.yaml")
        .replace("beir: data", "inline:\n    queries:\n      - {id: q1, text: a, relevant: [d]}");
    let folder = folder
        .with("inline.yaml", &inline)
        .with("judged.jsonl", "{\"query\": \"q1\", \"document\": \"x1\", \"grade\": 1}\n")
        .with("slip.jsonl", "{\"query\": \"q9\", \"document\": \"x1\", \"grade\": 1}\n")
        .with("half.jsonl", "{\"query\": \"q1\", \"document\": \"x1\", \"grade\": 1}\n{\"query\": \"q1\"}\n");
    insta::assert_snapshot!(folder.session(&[
        "pool",
        "pool spec.yaml -k 0",
        "pool spec.yaml --queries q1 q9",
        "pool nowhere.yaml",
        "pool --merge judged.jsonl inline.yaml",
        "pool --merge slip.jsonl spec.yaml",
        "pool --merge half.jsonl spec.yaml",
        "pool --merge nowhere.jsonl spec.yaml",
        "pool --into b.tsv spec.yaml",
    ]));
    assert!(!folder.path("b.tsv").exists());
}
