//! The commands on run files, as they are seen: standard output, standard error, exit status.

use std::path::PathBuf;

use crate::repository::root;
use crate::{cli, schema};
use serde_json::Value;

fn folder() -> PathBuf {
    root().join("tests/data/cli")
}

pub(crate) fn run(arguments: &[&str]) -> cli::Output {
    cli::run(&folder(), arguments, "")
}

/// What a command line with blanks between its words shows.
fn transcript_of(line: &str) -> String {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    run(&arguments).transcript(&arguments)
}

macro_rules! shown {
    ($($name:ident: $line:literal,)+) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(transcript_of($line));
        }
    )+};
}

shown! {
    eval_text: "eval qrels.txt new.run",
    eval_several: "eval qrels.txt old.run new.run -m nDCG@10,RR@10 -m NumRelRet",
    eval_many: "eval qrels.txt old.run new.run copy.run run.json ./new.run -m nDCG@10,RR@10 -m NumRelRet",
    eval_per_query: "eval qrels.txt new.run -m RR@10,P@2 --per-query --quiet",
    eval_json: "eval qrels.txt new.run -m RR@10,NumRet --format json",
    eval_csv: "eval qrels.txt old.run run.json -m RR(rel=2)@10,NumRet --format csv -q",
    eval_trec: "eval qrels.txt run.json -m recip_rank -m ndcg_cut.5,10 -m num_ret --per-query --format trec_eval -q",
    eval_trec_official: "eval qrels.txt old.run --format trec_eval",
    eval_csv_per_query: "eval qrels.txt new.run -m AP --per-query --format csv -q",
    eval_groups: "eval qrels.txt new.run -m nDCG@10,Success@1 --queries queries.jsonl --group-by topic",
    eval_groups_json: "eval qrels.txt new.run -m RR@10 --queries queries.jsonl --group-by topic --format json",
    eval_groups_unknown: "eval qrels.txt new.run --queries queries.jsonl --group-by user",
    eval_groups_of_nothing: "eval qrels.txt new.run --group-by topic",
    eval_strict: "eval qrels.txt new.run -m R@10 --relevant-from 3 --skip-unanswered --order rank",

    compare_text: "compare qrels.txt old.run new.run -m nDCG@10,RR@10 --queries topics.tsv",
    compare_groups: "compare qrels.txt old.run new.run -m RR@10 --queries queries.jsonl --group-by topic --top 0",
    compare_several: "compare qrels.txt old.run new.run copy.run -m RR@10 --top 1",
    compare_many: "compare qrels.txt old.run new.run copy.run run.json -m RR@10,AP --min-coverage 0.1",
    compare_many_details: "compare qrels.txt old.run new.run copy.run run.json -m RR@10 --expect no-regression --all --top 1 --min-coverage 0.1",
    compare_csv: "compare qrels.txt old.run new.run -m RR@10 --format csv -q",
    compare_json: "compare qrels.txt old.run new.run -m RR@10 --format json --top 1 -q",
    compare_passed: "compare qrels.txt old.run new.run -m nDCG@10 --expect no-regression --margin 0.2 --top 0",
    compare_failed: "compare qrels.txt new.run old.run -m RR@10 --expect no-regression --top 0",
    compare_inconclusive: "compare qrels.txt old.run new.run -m RR@10 --expect equivalence --margin 0.3 --top 0",
    compare_identical: "compare qrels.txt old.run copy.run -m RR@10 --expect identical",
    compare_not_identical: "compare qrels.txt old.run new.run -m RR@10 --expect identical --top 0",

    explain_text: "explain qrels.txt old.run new.run --query q01 --queries topics.tsv --corpus docs.jsonl -m nDCG@10,RR@10",
    explain_unanswered: "explain qrels.txt old.run new.run --query q09 -k 2 -m RR@10",
    explain_json: "explain qrels.txt old.run new.run --query q08 -k 2 -m RR@10 --format json",

    power_groups: "power qrels.txt old.run new.run -m RR@10 --queries queries.jsonl --group-by topic --effect 0.3",
    power_two: "power qrels.txt old.run new.run -m RR@10",
    power_one: "power qrels.txt old.run -m RR@10 --effect 0.05 --power 0.9",
    power_json: "power qrels.txt old.run copy.run -m RR@10 --effect 0.05 --format json",
}

/// Eight gains of 1/2, by hand: random signs reach them with 2^-8. One more query that loses l undoes them in
/// (1 + 1 / 2l)^-8 of all weighings: 0.0078 where it loses (8/4 + 1) / (8/2 + 1) = 0.6, 0.039 where it loses 1. Reports
/// have twice these, beside 1 less the confidence.
#[test]
fn robustness_is_chosen_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let (mut qrels, mut first, mut second) = (String::new(), String::new(), String::new());
    for query in 0..8 {
        qrels += &format!("q{query} 0 r 1\nq{query} 0 n 0\n");
        first += &format!("q{query} Q0 r 1 9 x\nq{query} Q0 n 2 8 x\n");
        second += &format!("q{query} Q0 n 1 9 x\nq{query} Q0 r 2 8 x\n");
    }
    for (name, text) in [("qrels.txt", &qrels), ("first.run", &first), ("second.run", &second)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let compare = |line: &str| {
        let line = format!("compare qrels.txt {line} -m RR --format json");
        let output = cli::run(folder.path(), &line.split_whitespace().collect::<Vec<_>>(), "");
        (output.status, output.stdout, output.stderr)
    };
    let gain = "second.run first.run --expect improvement";
    let drop = "first.run second.run --expect no-regression";
    for (line, status, p) in [
        (gain.to_owned(), 0, Some((1.0_f64 + 1.0 / 1.2).powi(-8))),
        (format!("{gain} --robustness strict"), 1, Some(1.5_f64.powi(-8))),
        (format!("{gain} --robustness none"), 0, None),
        (drop.to_owned(), 1, None),
        (format!("{drop} --robustness strict"), 0, Some(1.5_f64.powi(-8))),
    ] {
        let (found, json, said) = compare(&line);
        assert_eq!(found, Some(status), "{line}: {json}{said}");
        let json: Value = serde_json::from_str(&json).unwrap();
        let second = &json["comparisons"][0]["claims"][0]["p_second"];
        match p {
            Some(p) => {
                assert!(
                    (second.as_f64().unwrap() / (2.0 * p) - 1.0).abs() < 1e-9,
                    "{line}: {second}, not twice {p}"
                )
            }
            None => assert!(second.is_null(), "{line}: {second}"),
        }
    }
    let (status, _, said) = compare("second.run first.run -m DCG@10 --robustness strict");
    assert_eq!(status, Some(2));
    assert!(said.contains("`robustness: strict` needs scores that have a lower and an upper end"), "{said}");
}

/// The same two rankings from a file, from JSON and from standard input: q1 finds itself and then its answer,
/// q2 its answer only.
#[test]
fn documents_with_the_id_of_their_query_are_taken_out_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let run = "q1 Q0 q1 1 9 x\nq1 Q0 r 2 8 x\nq2 Q0 r 1 9 x\n";
    write("qrels.txt", "q1 0 r 1\nq2 0 r 1\n");
    write("a.run", run);
    write("b.run", "q1 Q0 r 1 9 x\nq2 Q0 r 1 9 x\n");
    write("a.json", r#"{"q1": {"q1": 9, "r": 8}, "q2": {"r": 9}}"#);
    let told = |line: &str, input: &str| {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        cli::run(folder.path(), &arguments, input)
    };
    for file in ["a.run", "a.json", "-"] {
        let line = format!("eval qrels.txt {file} -m RR --format json");
        let mean = |output: &str| serde_json::from_str::<Value>(output).unwrap();
        let plain = told(&line, run);
        assert_eq!(mean(&plain.stdout)["mean"]["RR"], 0.75, "{}", plain.stderr);
        let without = told(&format!("{line} --exclude-identical-ids"), run);
        let scores = mean(&without.stdout);
        assert_eq!(
            (&scores["mean"]["RR"], &scores["identical_ids"]),
            (&1.0.into(), &1.into()),
            "{}",
            without.stderr
        );
        assert!(
            without.stderr.contains("documents with the id of their query: 1 (taken out"),
            "{}",
            without.stderr
        );
    }
    let alike = told("compare qrels.txt a.run b.run -m RR --expect identical --exclude-identical-ids", "");
    assert_eq!(alike.status, Some(0), "{}", alike.stderr);
    assert!(alike.stderr.contains("a.run: documents with the id of their query: 1"), "{}", alike.stderr);
}

/// Chunks of documents that were judged: by hand, the documents are c and a, so that the answer is at rank 2.
#[test]
fn rankings_of_chunks_are_scored_as_rankings_of_documents() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("qrels.txt", "q1 0 a 1\n");
    write("chunks.run", "q1 Q0 c#1 1 9 x\nq1 Q0 c#2 2 8 x\nq1 Q0 a#7 3 7 x\n");
    write("documents.run", "q1 Q0 c 1 9 x\nq1 Q0 a 2 7 x\n");
    write("chunks.tsv", "c#1\tc\nc#2\tc\na#7\ta\n");
    let command = |words: &[&str]| cli::run(folder.path(), words, "");
    let eval = ["eval", "qrels.txt", "chunks.run", "-m", "RR", "--format", "json"];
    for units in
        [&["--parents", r"^(.+)#\d+$"][..], &["--parents-file", "chunks.tsv"], &["--parents", "^(.)"]]
    {
        let scored = command(&[&eval[..], units].concat());
        let scores: Value = serde_json::from_str(&scored.stdout).unwrap();
        assert_eq!(scores["mean"]["RR"], 0.5, "{}", scored.stderr);
    }
    // The run of documents is read by the same units.
    let compare =
        ["compare", "qrels.txt", "documents.run", "chunks.run", "-m", "RR", "--expect", "identical"];
    let alike = command(&[&compare[..], &["--parents", "^(.)", "--min-coverage", "0"]].concat());
    assert_eq!(alike.status, Some(0), "{}{}", alike.stdout, alike.stderr);
    for (words, message) in [
        (&["--parents", "^(c)#"][..], "query `q1`: `a#7` belongs to no document: it does not match `^(c)#`"),
        (&["--parents", "^c#"], "has no group in parentheses"),
    ] {
        let refused = command(&[&eval[..], words].concat());
        assert!(refused.status == Some(2) && refused.stderr.contains(message), "{}", refused.stderr);
    }
}

/// The scores of two runs say of their difference what the runs say, however they were written, and are not compared if rows
/// are missing.
#[test]
fn scores_that_were_written_are_compared_as_their_runs_are() {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let (old, new) = (file("old.csv"), file("new.csv.gz"));
    for (from, to) in [("old.run", &old), ("new.run", &new)] {
        let written = run(&["eval", "qrels.txt", from, "-m", "nDCG@10,RR@10", "--write-scores", to]);
        assert_eq!(written.status, Some(0), "{}", written.stderr);
    }
    let compared = |arguments: &[&str]| {
        let told = run(&[&["compare"][..], arguments, &["-m", "RR@10", "--format", "json", "-q"]].concat());
        serde_json::from_str::<Value>(&told.stdout).unwrap()["comparisons"][0].clone()
    };
    let of_scores = compared(&["--from-scores", &old, &new]);
    let of_runs = compared(&["qrels.txt", "old.run", "new.run"]);
    // Resamples are drawn by the files' names: what rests on them may differ.
    for key in
        ["queries", "wins", "ties", "losses", "baseline_mean", "candidate_mean", "difference", "p_deciding"]
    {
        assert!(!of_runs[key].is_null(), "{key}");
        assert_eq!(of_scores[key], of_runs[key], "{key}");
    }
    assert_eq!(of_scores["movers"]["losses"][0]["query"], of_runs["movers"]["losses"][0]["query"]);
    let gate = |baseline: &str, candidate: &str| {
        run(&[
            "compare",
            "--from-scores",
            baseline,
            candidate,
            "-m",
            "RR@10",
            "--expect",
            "no-regression",
            "-q",
        ])
        .status
    };
    assert_eq!((gate(&old, &new), gate(&new, &old)), (Some(0), Some(1)));
    let text = std::fs::read_to_string(&old).unwrap();
    let first: Vec<&str> = text.lines().take(5).collect();
    std::fs::write(&old, first.join("\n")).unwrap();
    let told = run(&["compare", "--from-scores", &old, &new]);
    assert_eq!(told.status, Some(2));
    assert!(told.stderr.contains("old.csv has scores for 4 of 14 queries"), "{}", told.stderr);
    // What the message advises is taken.
    let little = run(&["compare", "--from-scores", &old, &new, "--min-coverage", "0.28", "-q"]);
    assert_eq!(little.status, Some(0), "{}", little.stderr);
}

/// One query of many that changes is the smallest change there is: what explains the verdict must not take it along.
#[test]
fn one_query_that_differs_has_a_verdict_and_a_plan() {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str, of_first: &str, queries: usize| {
        let path = scratch.path().join(name);
        let lines =
            (0..queries).map(|query| format!("q{query:04},{}\n", if query == 0 { of_first } else { "0.6" }));
        std::fs::write(&path, format!("query,AP\n{}", lines.collect::<String>())).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for queries in [162, 225, 1_000] {
        let (old, new) = (file("old.csv", "0.6", queries), file("new.csv", "0.8", queries));
        for [one, other] in [[&old, &new], [&new, &old]] {
            for expect in [
                &[][..],
                &["--expect", "no-regression"],
                &["--expect", "non-inferiority", "--margin", "0.02"],
            ] {
                let told = run(&[&["compare", "--from-scores", one, other, "-q"][..], expect].concat());
                assert!(matches!(told.status, Some(0 | 1)), "{queries} {expect:?}: {}", told.stderr);
                assert!(
                    !told.stdout.contains("no plan within the budget"),
                    "{queries} {expect:?}: {}",
                    told.stdout
                );
            }
        }
    }
}

/// Every kind of bad input, one after the other: what is said, and that it is 2.
#[test]
fn bad_input() {
    let lines = [
        "eval qrels.txt bad/columns.run",
        "eval qrels.txt bad/score.run",
        "eval qrels.txt bad/nan.run",
        "eval qrels.txt bad/twice.run",
        "eval qrels.txt bad/empty.run",
        "eval qrels.txt bad/other.run",
        "eval bad/grade.qrels old.run",
        "eval bad/empty.qrels old.run",
        "eval qrels.txt old.run -m nDGC@10",
        "eval qrels.txt old.run -m AP,,RR",
        "eval qrels.txt old.run --confidence 95",
        "eval qrels.txt old.run new.run --format trec_eval",
        "eval - -",
        "compare qrels.txt old.run bad/empty.run",
        "compare qrels.txt bad/other.run old.run",
        "compare qrels.txt old.run bad/nan.run",
        "compare qrels.txt old.run old.run",
        "compare qrels.txt old.run new.run new.run",
        "compare qrels.txt old.run new.run --expect non-inferiority",
        "compare qrels.txt old.run new.run --expect equivalence --margin -1",
        "compare qrels.txt old.run new.run --expect identical --margin 0.1",
        "compare qrels.txt old.run new.run --margin 0.1",
        "compare qrels.txt old.run new.run --report report.txt",
        "compare qrels.txt old.run new.run --queries bad/topics.tsv",
        "compare qrels.txt old.run new.run --all --format json",
        "compare --from-scores old.csv",
        "compare --from-scores",
        "explain qrels.txt old.run new.run --query q1",
        "explain qrels.txt old.run new.run --query extra",
        "explain qrels.txt old.run new.run --query something",
        "explain qrels.txt old.run new.run --query q01 -k 0",
        "power qrels.txt old.run -m AP,RR",
        "power qrels.txt old.run --effect 0",
        "power qrels.txt old.run --effect -0.1",
        "power qrels.txt old.run new.run --effect 2",
        "power qrels.txt old.run --power 80",
    ];
    let mut all = String::new();
    for line in lines {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let output = run(&arguments);
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        all += &format!("$ rankgate {line}\n{}", output.stderr);
    }
    insta::assert_snapshot!(all);
}

/// A difference of scores that sum up to the same is 0, whatever floats make of it, and a number that cannot be
/// had is null.
#[test]
fn in_json_what_is_0_is_0_and_what_cannot_be_had_is_null() {
    let dir = tempfile::tempdir().unwrap();
    // P@10 of 0.5 and 0.5 against 0.8 and 0.2.
    let run_of = |relevant: [usize; 2]| -> String {
        let line = |(query, place): (usize, usize)| {
            let document = if place < relevant[query] { "r" } else { "n" };
            format!("q{query} Q0 {document}{place} {} {} t\n", place + 1, 10 - place)
        };
        (0..2).flat_map(|query| (0..10).map(move |place| (query, place))).map(line).collect()
    };
    let qrels: String =
        (0..2).flat_map(|query| (0..10).map(move |place| format!("q{query} 0 r{place} 1\n"))).collect();
    for (name, text) in [
        ("qrels.txt", qrels),
        ("even.run", run_of([5, 5])),
        ("odd.run", run_of([8, 2])),
        ("copy.run", run_of([5, 5])),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let compared = |candidate: &str| -> Value {
        let line = ["compare", "qrels.txt", "even.run", candidate, "-m", "P@10", "--format", "json", "-q"];
        let all: Value = serde_json::from_str(&cli::run(dir.path(), &line, "").stdout).unwrap();
        all["comparisons"][0].clone()
    };
    let cancelled = compared("odd.run");
    assert_eq!(cancelled["difference"].to_string(), "0.0");
    let same = compared("copy.run");
    assert!(same.as_object().unwrap().contains_key("interval") && same["interval"].is_null(), "{same}");
    let rows = same["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["label"] != "effect size"), "{same}");
}

#[test]
fn standard_input_and_compressed_files_are_read_like_files() {
    let text = std::fs::read_to_string(folder().join("old.run")).unwrap();
    let of_file = run(&["eval", "qrels.txt", "old.run", "-m", "AP", "--format", "trec_eval"]);
    let of_pipe =
        cli::run(&folder(), &["eval", "qrels.txt", "-", "-m", "AP", "--format", "trec_eval"], &text);
    assert_eq!((&of_pipe.stdout, of_pipe.status), (&of_file.stdout, Some(0)));

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.run.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    encoder.finish().unwrap();
    let path = path.to_str().unwrap();
    let of_gzip = run(&["eval", "qrels.txt", path, "-m", "AP", "--format", "trec_eval"]);
    assert_eq!((&of_gzip.stdout, of_gzip.status), (&of_file.stdout, Some(0)));

    let broken = cli::run(&folder(), &["eval", "qrels.txt", "-"], "q01 Q0 d 1 high t\n");
    assert_eq!(broken.stderr, "error: standard input:1: score `high` is not a number: `q01 Q0 d 1 high t`\n");
    assert_eq!(broken.status, Some(2));
}

#[test]
fn the_same_command_prints_the_same_bytes_on_any_number_of_threads() {
    let printed = |threads: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_rankgate"))
            .args(["compare", "qrels.txt", "old.run", "new.run", "-m", "nDCG,AP", "--format", "json"])
            .current_dir(folder())
            .env("RANKGATE_THREADS", threads)
            .output()
            .unwrap();
        output.stdout
    };
    assert_eq!(printed("1"), printed("4"));
}

#[test]
fn a_report_of_which_nothing_was_expected_labels_nothing_a_gate() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("report.md");
    let line = ["compare", "qrels.txt", "old.run", "new.run", "copy.run", "-m", "RR@10", "--report"];
    assert_eq!(run(&[&line[..], &[path.to_str().unwrap()]].concat()).status, Some(0));
    let markdown = std::fs::read_to_string(&path).unwrap();
    for label in ["ADVISORY", "improvement", "INCONCLUSIVE"] {
        assert!(!markdown.contains(label), "{label}");
    }
    assert!(markdown.contains("REPORTED") && markdown.contains("identical"), "{markdown}");
    assert!(markdown.starts_with("## compare: 2 reported\n"), "{markdown}");
    assert!(markdown.contains("new.run-vs-old.run::RR@10 | +0.3214 "), "{markdown}");
}

#[test]
fn a_report_is_written_beside_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let arguments =
        |path: &'static str| ["compare", "qrels.txt", "old.run", "new.run", "-m", "RR@10", "--report", path];
    for (file, begins) in
        [("report.md", "## compare: "), ("report.json", "{\n  \"schema\": 2,"), ("report.html", "<!")]
    {
        let path: &'static str =
            Box::leak(dir.path().join(file).to_str().unwrap().to_owned().into_boxed_str());
        let output = run(&arguments(path));
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with(begins), "{text}");
    }
}

/// The report that `compare` writes is what its schema says.
#[test]
fn a_written_report_is_what_its_schema_says() {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    let report = report.to_str().unwrap();
    let schema: Value = serde_json::from_str(&run(&["schema", "--of", "report"]).stdout).unwrap();
    run(&["compare", "qrels.txt", "old.run", "new.run", "-m", "AP", "--report", report]);
    let mut value: Value = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    assert_eq!(schema::faults(&schema, &value), Vec::<String>::new());
    for key in value.as_object().unwrap().keys() {
        assert!(schema["properties"].get(key).is_some(), "`{key}` is not in the schema");
    }
    value["schema"] = Value::from("1");
    assert!(!schema::faults(&schema, &value).is_empty(), "the schema allows another version");
}

#[test]
fn help_shows_examples() {
    for command in ["eval", "compare", "explain", "power", "schema"] {
        let output = run(&[command, "--help"]);
        assert_eq!(output.status, Some(0));
        assert!(output.stdout.contains("Examples:\n"), "{command}");
        assert!(output.stdout.lines().all(|line| line.chars().count() <= 100), "{command}");
    }
}
