//! The command itself.

use std::path::Path;
use std::process::Command;

use rankgate_cli::offline::report::to_json;
use rankgate_cli::offline::Scoring;
use rankgate_core::collection::Qrels;
use rankgate_core::run::Order;
use rankgate_core::scores::ScoreTable;
use rankgate_core::stats::Confidence;
use rankgate_report::Judging;

use crate::cluster::command;
use crate::rows::{by_text, judgments_batch, rows, run_batch, split};

#[test]
fn the_command_says_and_writes_what_the_text_road_does() {
    let folder = tempfile::tempdir().unwrap();
    let (retrieved, judged) = rows(50, 20);
    let expected = by_text(folder.path(), &retrieved, &judged);
    split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 3);
    let eval = |arguments: &[&str]| {
        let output = command().current_dir(folder.path()).arg("eval").args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, printed, notes) = eval(&[
        "qrels",
        "run/*.parquet",
        "-m",
        "nDCG@10,AP",
        "--format",
        "json",
        "--write-scores",
        "scores.csv",
    ]);
    assert_eq!(code, Some(0), "{notes}");
    let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed["mean"]["nDCG@10"].as_f64(), expected.mean.get("nDCG@10").copied());
    assert_eq!(printed["unanswered"], expected.unanswered);
    assert!(notes.contains("unanswered"), "{notes}");
    let written = ScoreTable::read(&*folder.path().join("scores.csv"), "value").unwrap();
    for (query, row) in expected.per_query.as_ref().unwrap().iter() {
        let value = |metric: &str| written.columns[metric].get(query).map(|score| score.value);
        assert_eq!(["nDCG@10", "AP"].map(value), [Some(row[0]), Some(row[1])]);
    }
    let (code, printed, said) = eval(&["qrels", "run", "--columns", "document=sku"]);
    assert_eq!((code, printed.as_str()), (Some(2), ""));
    assert!(said.contains("there is no column `sku` for the document"), "{said}");
    let (code, _, said) = eval(&["qrels", "nowhere"]);
    assert_eq!(code, Some(2));
    assert_eq!(said, "error: nowhere: there is no Parquet file (no name ends in .parquet)\n");
    let (_, _, said) = eval(&["qrels", "ftp://host/run"]);
    assert_eq!(said, "error: ftp://host/: `ftp://` is none of s3://, gs://, az://, file://\n");
}

/// What is asked for reaches whoever scores.
#[test]
fn conventions_are_those_of_the_text_road() {
    let folder = tempfile::tempdir().unwrap();
    let (mut retrieved, mut judged) = rows(40, 20);
    // A document with its query's id, and a query that has nothing from grade 2 on.
    retrieved.push(("q0".to_owned(), "q0".to_owned(), 1e9));
    judged.push(("low".to_owned(), "d1".to_owned(), 1));
    split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 2);
    by_text(folder.path(), &retrieved, &judged);
    let judging = Judging { relevant_from: 2, skip_queries_without_relevant: true, exclude_identical_ids: true };
    let scoring =
        Scoring::new(["AP".parse().unwrap(), "ERR@5".parse().unwrap()]).order(Order::Score).judging(judging);
    let scoring = scoring.answered_only(true).confidence(Confidence::new(0.9).unwrap());
    let qrels = Qrels::read(folder.path().join("text.qrels")).unwrap();
    let mut expected = scoring.file(&qrels, folder.path().join("text.run")).unwrap();
    assert!(expected.identical_ids == Some(1) && expected.left_out > 1);
    expected.run = "run".to_owned();
    let mut eval = command();
    eval.current_dir(folder.path()).args(["eval", "qrels", "run", "-m", "AP,ERR@5", "--format", "json"]);
    eval.args(["--relevant-from", "2", "--skip-queries-without-relevant", "--exclude-identical-ids", "--skip-unanswered"]);
    let output = eval.args(["--confidence", "0.9"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), to_json(&expected).trim());
}

/// The README's commands, one after the other in a folder of their own, print what it shows.
#[test]
fn the_readme_shows_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_rankgate-datafusion")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut typed = 0;
    for block in include_str!("../../README.md").split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for part in format!("\n{block}").split("\n$ ").skip(1) {
            let (line, shown) = part.split_once('\n').unwrap_or((part, ""));
            let mut shell = Command::new("bash");
            let output =
                shell.env("PATH", &path).current_dir(folder.path()).args(["-c", line]).output().unwrap();
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
            let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
            assert_eq!(lines(&String::from_utf8(output.stdout).unwrap()), lines(shown.trim_end()), "{line}");
            typed += 1;
        }
    }
    assert!(typed > 3, "{typed} commands");
}
