//! Golden runs that were changed since they were written, wherever a run is read.

use crate::toy_spec::{Folder, Ran, SPEC, run};

/// With a third configuration, which reads `RUN`.
fn spec(later: &str) -> String {
    let new = "  new: {run: new.run}\n";
    SPEC.replace(new, &format!("{new}  later: {{run: {later}}}\n"))
        .replace("min: 0.60", "min: 0.40")
        .replace("baseline: old", "baseline: golden")
}

/// What reads a run, whose path is put in place of `RUN`.
const COMMANDS: [&[&str]; 7] = [
    &["eval", "qrels.txt", "RUN", "-m", "RR@2"],
    &["compare", "qrels.txt", "RUN", "new.run"],
    &["compare", "qrels.txt", "new.run", "RUN"],
    &["explain", "qrels.txt", "RUN", "new.run", "--query", "q01"],
    &["explain", "qrels.txt", "new.run", "RUN", "--query", "q01"],
    &["power", "qrels.txt", "RUN", "new.run"],
    &["run", "toy.yaml", "--filter", "later"],
];

/// Twelve queries of which every run finds the relevant document, `new` first and `old` second.
fn folder() -> Folder {
    let folder = Folder::new().judged();
    folder.write("new.run", &run(|_| true));
    folder.write("old.run", &run(|_| false));
    folder.write("later.run", &run(|_| true));
    folder.write("toy.yaml", &spec("later.run"));
    folder
}

/// What these commands say of a golden run with this text.
fn read_by(commands: &[&[&str]], folder: &Folder, text: &str) -> Vec<Ran> {
    folder.write("golden.run", text);
    folder.write("toy.yaml", &spec("golden.run"));
    let command = |command: &&[&str]| {
        let arguments: Vec<&str> =
            command.iter().map(|word| if *word == "RUN" { "golden.run" } else { word }).collect();
        folder.rankgate(&arguments)
    };
    commands.iter().map(command).collect()
}

/// A golden run as it is blessed, and as it is kept beside a report.
fn written(folder: &Folder) -> [String; 2] {
    for command in ["bless", "run"] {
        folder.rankgate(&[command, "toy.yaml"]).ends_with(0);
    }
    ["golden/toy/old.run", "target/rankgate/toy/old.run"].map(|path| folder.read(path))
}

#[test]
fn a_golden_run_that_was_changed_is_an_error_wherever_it_is_read() {
    let folder = folder();
    for text in written(&folder) {
        for output in read_by(&COMMANDS, &folder, &text) {
            output.ends_with(0);
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
            for output in read_by(commands, &folder, changed) {
                let all = output.all();
                assert_eq!(output.code, Some(2), "{damage}: {all}");
                assert!(all.contains("golden.run"), "{damage}: {all}");
                assert!(!all.contains("passed\n"), "{damage}: {all}");
            }
        }
    }
}

#[test]
fn the_error_says_which_digests_there_are_and_what_to_do() {
    let folder = folder();
    let [text, _] = written(&folder);
    let digest = text.lines().find_map(|line| line.strip_prefix("# digest: ")).unwrap();
    let changed = text.replacen("q07 n r\n", "", 1);
    let error = |text: &str| {
        let output = &read_by(&COMMANDS[..1], &folder, text)[0];
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{}", output.all());
        output.stderr.clone()
    };
    let beginning = format!(
        "error: golden.run: changed since it was written, by hand or in a merge: 12 queries were written and it holds 11; \
         its digest is `{digest}`, and what it holds has `"
    );
    let message = error(&changed);
    let rest = message.strip_prefix(&beginning).unwrap_or_else(|| panic!("{message}"));
    let (found, rest) = rest.split_at(digest.len());
    assert_eq!(rest, "`. Restore it with `git checkout`, or bless again\n");
    // With that digest the number of queries is wrong all the same.
    let message = error(&changed.replacen(digest, found, 1));
    assert!(message.contains("12 queries were written and it holds 11; its digest is"), "{message}");
}
