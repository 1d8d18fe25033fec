//! Golden runs that were changed since they were written, wherever a run is read.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::cli::{Output, run};

const SPEC: &str = "\
version: 1
benchmark: toy
collection: {trec: {queries: topics.tsv, qrels: qrels.txt}}
configurations:
  old: {run: old.run}
  new: {run: new.run}
  later: {run: later.run}
metrics: [RR@2]
thresholds:
  - {metric: RR@2, min: 0.4}
comparisons:
  - {candidate: new, baseline: golden, metrics: [RR@2]}
";

/// What reads a run, whose path is put in place of `RUN`.
const COMMANDS: [&[&str]; 8] = [
    &["eval", "qrels.txt", "RUN", "-m", "RR@2"],
    &["compare", "qrels.txt", "RUN", "new.run"],
    &["compare", "qrels.txt", "new.run", "RUN"],
    &["explain", "qrels.txt", "RUN", "new.run", "--query", "q01"],
    &["explain", "qrels.txt", "new.run", "RUN", "--query", "q01"],
    &["power", "qrels.txt", "RUN", "new.run"],
    &["export", "RUN"],
    &["run", "toy.yaml", "--filter", "later"],
];

/// Twelve queries of which every run finds the relevant document, `new` first and `old` second.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, line: &dyn Fn(usize) -> String| {
        fs::write(folder.path().join(name), (1..=12).map(line).collect::<String>()).unwrap();
    };
    write("topics.tsv", &|q| format!("q{q:02}\tquestion {q}\n"));
    write("qrels.txt", &|q| format!("q{q:02} 0 r 1\nq{q:02} 0 n 0\n"));
    write("new.run", &|q| format!("q{q:02} Q0 r 1 2 x\nq{q:02} Q0 n 2 1 x\n"));
    write("old.run", &|q| format!("q{q:02} Q0 n 1 2 x\nq{q:02} Q0 r 2 1 x\n"));
    fs::copy(folder.path().join("new.run"), folder.path().join("later.run")).unwrap();
    fs::write(folder.path().join("toy.yaml"), SPEC).unwrap();
    folder
}

fn all(output: &Output) -> String {
    format!("{:?}\n{}{}", output.status, output.stdout, output.stderr)
}

/// What these commands say of a golden run with this text.
fn read_by(commands: &[&[&str]], folder: &Path, text: &str) -> Vec<Output> {
    fs::write(folder.join("golden.run"), text).unwrap();
    let spec = SPEC.replace("later: {run: later.run}", "later: {run: golden.run}");
    fs::write(folder.join("toy.yaml"), spec).unwrap();
    let command = |command: &&[&str]| {
        let arguments: Vec<&str> =
            command.iter().map(|word| if *word == "RUN" { "golden.run" } else { word }).collect();
        run(folder, &arguments, "")
    };
    commands.iter().map(command).collect()
}

/// A golden run as it is blessed, and as it is kept beside a report.
fn written(folder: &Path) -> [String; 2] {
    for command in ["bless", "run"] {
        let output = run(folder, &[command, "toy.yaml"], "");
        assert_eq!(output.status, Some(0), "{}", all(&output));
    }
    ["golden/toy/old.run", "target/rankgate/toy/old.run"]
        .map(|path| fs::read_to_string(folder.join(path)).unwrap())
}

#[test]
fn a_golden_run_that_was_changed_is_an_error_wherever_it_is_read() {
    let folder = folder();
    for text in written(folder.path()) {
        for output in read_by(&COMMANDS, folder.path(), &text) {
            assert_eq!(output.status, Some(0), "{}", all(&output));
        }
        let (head, rankings): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("# "));
        let file = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let swapped = |line: &&str| match line.split(' ').collect::<Vec<_>>()[..] {
            // A line a query, or one a document.
            [query, first, second] => format!("{query} {second} {first}"),
            [query, q0, document, rank, score, tag] => {
                format!("{query} {q0} {document} {} {score} {tag}", if rank == "1" { 2 } else { 1 })
            }
            _ => panic!("{line}"),
        };
        let reversed: Vec<String> = rankings.iter().map(swapped).collect();
        let turned: Vec<&str> = head.iter().chain(rankings.iter().rev()).copied().collect();
        let mut damaged = vec![
            ("the better order", format!("{}{}\n", file(&head), reversed.join("\n"))),
            ("lines in another order", file(&turned)),
            ("cut at the end of a line", file(&[&head[..], &rankings[..rankings.len() - 1]].concat())),
            ("cut within a line", text[..text.len() - 4].to_owned()),
            ("another value", text.replacen("# judgeable: 12", "# judgeable: 2", 1)),
            ("another name", text.replacen("# judgeable: ", "# absent: ", 1)),
            ("another count", text.replacen("# asked: 12", "# asked: 11", 1)),
            ("one more line", text.replacen("# asked: 12", "# note: mine\n# asked: 12", 1)),
        ];
        for line in &head {
            let others: Vec<&str> = text.lines().filter(|other| other != line).collect();
            damaged.push((line, file(&others)));
        }
        for (place, (damage, changed)) in damaged.iter().enumerate() {
            assert_ne!(*changed, text, "{damage}");
            // What one command refuses, all do: they have one reader.
            let commands = if place < 3 { &COMMANDS[..] } else { &COMMANDS[..1] };
            for output in read_by(commands, folder.path(), changed) {
                let said = all(&output);
                assert_eq!(output.status, Some(2), "{damage}: {said}");
                assert!(said.contains("golden.run"), "{damage}: {said}");
                assert!(!said.contains("passed\n"), "{damage}: {said}");
            }
        }
    }
}

#[test]
fn the_error_says_which_digests_there_are_and_what_to_do() {
    let folder = folder();
    let [text, _] = written(folder.path());
    let digest = text.lines().find_map(|line| line.strip_prefix("# digest: ")).unwrap();
    let changed = text.replacen("q07 n r\n", "", 1);
    let said = |text: &str| {
        let output = &read_by(&COMMANDS[..1], folder.path(), text)[0];
        assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{}", all(output));
        output.stderr.clone()
    };
    let beginning = format!(
        "error: golden.run: changed since it was written, by hand or in a merge: 12 queries were written and it holds 11; \
         its digest is `{digest}`, and what it holds has `"
    );
    let error = said(&changed);
    let rest = error.strip_prefix(&beginning).unwrap_or_else(|| panic!("{error}"));
    let (found, rest) = rest.split_at(digest.len());
    assert_eq!(rest, "`. Restore it with `git checkout`, or bless again\n");
    // With that digest the number of queries is wrong all the same.
    let error = said(&changed.replacen(digest, found, 1));
    assert!(error.contains("12 queries were written and it holds 11; its digest is"), "{error}");
}
