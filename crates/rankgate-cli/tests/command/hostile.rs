//! Nothing that a file holds reaches a terminal, a log, a page or another program's format as anything
//! but text: every command and every rendering, end to end.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::surroundings;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use rankgate::{CollectionBuilder, Document, Hit, Query, Run};
use tempfile::TempDir;

/// What an id, a text, a name or a message may hold.
const HOSTILE: [&str; 8] = [
    // What moves the cursor, sets the title, fills the clipboard, rings.
    "a\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}]52;c;b3duZWQ=\u{7}\u{9b}31m\u{8}\u{7f}",
    // What reorders or hides.
    "b\u{202e}txt.exe\u{2066}\u{200b}\u{200f}\u{2028}\u{feff}",
    // What begins a command of a log.
    "c\n::error file=x::owned\r\n::set-output name=a::b\n##[error]owned\n%0A::stop-commands::x",
    // What ends a script, a comment, a section, an attribute.
    "d</script><script>alert(1)</script><img src=x onerror=alert(1)>' onload='x\" onload=\"x",
    "e]]><!--<![CDATA[&lt;&amp;&#0;&x;",
    // What XML cannot hold at all.
    "f\u{0}\u{1}\u{b}\u{c}\u{fffe}\u{ffff}",
    // Markdown, LaTeX, CSV.
    "g|`x`|``` [a](javascript:alert(1)) **b** @team #1 \\input{/etc/passwd}%&_$ \"x\",=1+1",
    // Traversal.
    "../../h/../%2e%2e/\\..\\h",
];

struct Folder(TempDir);

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Folder {
    /// A benchmark in which whatever may be text is hostile.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let mut builder = CollectionBuilder::new();
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for (index, text) in HOSTILE.into_iter().enumerate() {
            let next = HOSTILE[(index + 1) % HOSTILE.len()];
            builder.add_document(Document::new(text, text).with_title(text).with(text, text));
            let query = Query::new(text, text).with("category", text).with(text, text);
            builder.add_query(query, [(text, 2), (next, 0)]);
            old.push((
                text,
                vec![Hit::new(text, 2.0), Hit::new(next, 1.0), Hit::new(format!("new {text}"), 0.5)],
            ));
            new.push((
                text,
                vec![Hit::new(next, 2.0), Hit::new(format!("new {text}"), 1.0), Hit::new(text, 0.5)],
            ));
        }
        let collection = builder.build().unwrap();
        let query = |query: &Query| {
            let judged = collection.judgments(&query.id).unwrap().iter();
            let relevant: serde_json::Map<_, _> =
                judged.map(|(document, grade)| (document.to_owned(), grade.into())).collect();
            serde_json::json!({"id": query.id, "text": query.text, "relevant": relevant, "metadata": query.metadata})
        };
        let document = |document: &Document| {
            let Document { id, title, text, metadata, .. } = document;
            serde_json::json!({"id": id, "title": title, "text": text, "metadata": metadata})
        };
        let queries: Vec<_> = collection.queries().iter().map(query).collect();
        let documents = collection.corpus().unwrap().documents().unwrap();
        let documents: Vec<_> = documents.map(|one| document(&one.unwrap())).collect();
        let toy = serde_json::json!({"queries": queries, "documents": documents});
        folder.write("toy.json", &toy.to_string());
        let judged = collection.queries().iter().map(|query| {
            let grades: serde_json::Map<_, _> = collection
                .judgments(&query.id)
                .unwrap()
                .iter()
                .map(|(document, grade)| (document.to_owned(), grade.into()))
                .collect();
            (query.id.clone(), serde_json::Value::from(grades))
        });
        let judged: serde_json::Map<String, serde_json::Value> = judged.collect();
        folder.write("qrels.json", &serde_json::Value::from(judged).to_string());
        let lines = |of: &dyn Fn(&str) -> serde_json::Value| -> String {
            HOSTILE.iter().map(|text| format!("{}\n", of(text))).collect()
        };
        folder.write("queries.jsonl", &lines(&|text| serde_json::json!({"_id": text, "text": text})));
        folder.write(
            "docs.jsonl",
            &lines(&|text| serde_json::json!({"_id": text, "title": text, "text": text})),
        );
        Run::from_rankings(old).unwrap().write_json(folder.path("old.json")).unwrap();
        Run::from_rankings(new).unwrap().write_json(folder.path(&name())).unwrap();
        folder.write("dies", "#!/bin/sh\ncat message >&2\nexit 1\n");
        folder.write("message", &HOSTILE.concat());
        let all = quoted(&HOSTILE.concat());
        let short = quoted(&HOSTILE.concat().chars().take(100).collect::<String>());
        let file = quoted(&name());
        folder
            .write("toy.yaml", &SPEC.replace("NAME", &short).replace("HOSTILE", &all).replace("FILE", &file));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn rankgate(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command)
            .args(arguments)
            .envs(variables.iter().copied())
            .current_dir(self.0.path());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// The name of a file, whose like comes in archives.
fn name() -> String {
    let name = HOSTILE.concat().replace(['/', '\0'], "");
    format!("{}.json", name.chars().take(60).collect::<String>())
}

const SPEC: &str = r#"
version: 1
benchmark: toy
collection: {json: toy.json}
configurations:
  old: {run: old.json}
  new: {run: FILE}
  dead: {command: [sh, dies]}
metrics: [RR@3, nDCG@3]
segments: [category]
coverage: 0.6 # a third of what is retrieved is in no corpus
thresholds:
  - {metric: RR@3, min: 0.99, name: NAME}
comparisons:
  - {candidate: new, baseline: old, metrics: [RR@3], expect: no-regression, name: NAME}
snapshot: true
"#;

/// A YAML string in double quotes, all ASCII.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        _ => format!("\\U{:08X}", u32::from(c)),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// What a terminal shows: lines of characters that stay where they are.
#[track_caller]
fn is_plain(what: &str, text: &str) {
    let odd = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if let Some(c) = text.chars().find(odd) {
        let line = text.lines().find(|line| line.contains(c));
        panic!("{what}: {c:?} is shown as it is: {line:?}");
    }
}

/// No line is a command of GitHub Actions.
#[track_caller]
fn commands_nothing(what: &str, text: &str) {
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{what}: {line}");
    }
}

/// Markup in which nothing but its own tags begins.
#[track_caller]
fn is_markup(what: &str, text: &str) {
    for forbidden in ["<img", "<script>alert", "<![CDATA[&lt;", "<!--<!"] {
        assert!(!text.contains(forbidden), "{what} holds {forbidden}");
    }
    assert_eq!(text.matches("<script").count(), text.matches("</script").count(), "{what}");
}

/// Markdown without its blocks of code, each between fences of backticks.
fn outside_of_code(markdown: &str) -> String {
    let (mut text, mut fence) = (String::new(), None);
    for line in markdown.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks >= open && line.len() == ticks => fence = None,
            Some(_) => {}
            None => text += &format!("{line}\n"),
        }
    }
    assert_eq!(fence, None, "every block of code ends");
    text
}

const GITHUB: &[(&str, &str)] = &[("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", "summary.md")];

#[test]
fn specs_carried_out() {
    let folder = Folder::new();
    let run = &["run", "toy.yaml", "--output", "out", "--junit", "junit.xml"];
    let ran = folder.rankgate(run, &[]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    is_plain("standard output", &ran.stdout);
    is_plain("standard error", &ran.stderr);
    for text in ["owned", "alert(1)", "txt.exe"] {
        assert!(ran.stdout.contains(text), "what is harmless is shown: {}", ran.stdout);
    }
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    for page in ["out/toy/report.html", "junit.xml"] {
        is_plain(page, &read(page));
        is_markup(page, &read(page));
    }
    assert!(!read("junit.xml").contains(['\u{fffe}', '\u{ffff}']));
    let markdown = folder.rankgate(&["report", "out/toy/report.json", "--format", "markdown"], &[]).stdout;
    is_plain("Markdown", &markdown);
    is_markup("Markdown", &outside_of_code(&markdown));
    let json = read("out/toy/report.json");
    assert!(!json.chars().any(|c| c.is_control() && c != '\n'));
    drop(serde_json::from_str::<rankgate::benchmark::model::Report>(&json).unwrap());

    for format in ["text", "markdown", "json"] {
        let ran = folder.rankgate(&[run, &["--format", format][..]].concat(), GITHUB);
        if format != "json" {
            is_plain(format, &ran.stdout);
        }
        commands_nothing(format, &ran.stdout);
        is_plain("standard error", &ran.stderr);
        for line in
            ran.stderr.lines().filter(|line| line.trim_start().starts_with("::") || line.contains("##["))
        {
            let own = ["error", "warning", "notice"]
                .iter()
                .any(|level| line.starts_with(&format!("::{level} file=")));
            assert!(own && !line.contains("##["), "{line}");
        }
        assert!(ran.stderr.contains("::error file="), "{}", ran.stderr);
    }
    is_plain("step summary", &read("summary.md"));
    is_markup("step summary", &outside_of_code(&read("summary.md")));

    let comment = folder.rankgate(&["comment", "--github", "--dry-run", "out"], GITHUB);
    assert_eq!(comment.code, Some(0), "{}", comment.stderr);
    is_plain("comment", &comment.stdout);
    commands_nothing("comment", &comment.stdout);

    for arguments in [&["report", "out/toy/report.json"][..], &["bless", "toy.yaml"], &["lint", "toy.yaml"]] {
        let ran = folder.rankgate(arguments, &[]);
        is_plain(arguments[0], &ran.stdout);
        is_plain(arguments[0], &ran.stderr);
    }
    is_plain("golden/toy/new.run", &read("golden/toy/new.run"));
    is_plain("golden/toy/new.snap", &read("golden/toy/new.snap"));
    let linted = folder.rankgate(&["lint", "toy.yaml", "--format", "json"], &[]).stdout;
    serde_json::from_str::<serde_json::Value>(&linted).unwrap();
    let pooled = folder.rankgate(&["pool", "toy.yaml"], &[]);
    is_plain("pool", &pooled.stdout.replace('\t', " "));
    is_plain("pool", &pooled.stderr);
}

/// What programs read is exact, or it is not printed: in a workflow standard output may be the step's log.
#[test]
fn a_run_whose_lines_are_commands_goes_into_a_file_alone() {
    let folder = Folder::new();
    folder.write("odd.run", "q1 Q0 d1 1 1.0 t\n::error::x Q0 d##[group] 1 1.0 t\n");
    folder.write("even.run", "q1 Q0 d1 1 1.0 t\n");
    let odd = ["fuse", "even.run", "odd.run"];
    let exact = folder.rankgate(&odd, &[]);
    assert!(exact.code == Some(0) && exact.stdout.contains("::error::x Q0 "), "{}", exact.stderr);
    let refused = folder.rankgate(&odd, GITHUB);
    assert_eq!((refused.code, &*refused.stdout), (Some(2), ""), "{}", refused.stderr);
    let place = exact.stdout.lines().position(|line| line.starts_with("::")).unwrap() + 1;
    let said = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = format!("line {place} would be a command to the runner of GitHub Actions");
    assert!(said.contains(&expected), "{said}");
    commands_nothing("standard error", &refused.stderr);
    let mut into_file = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let file = fs::File::create(folder.path("printed.run")).unwrap();
    let status = surroundings::leave(&mut into_file)
        .args(odd)
        .envs(GITHUB.iter().copied())
        .current_dir(folder.0.path())
        .stdout(file)
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(fs::read_to_string(folder.path("printed.run")).unwrap(), exact.stdout);
    let even = folder.rankgate(&["fuse", "even.run", "even.run"], GITHUB);
    assert!(even.code == Some(0) && even.stdout.starts_with("q1 Q0 d1 1 "), "{}", even.stderr);
}

#[test]
fn runs_evaluated() {
    let folder = Folder::new();
    let (name, query) = (name(), HOSTILE[2]);
    let metrics = ["-m", "RR@3,nDCG@3"];
    let files = ["--queries", "queries.jsonl", "--corpus", "docs.jsonl"];
    let commands: [(&str, Vec<&str>); 4] = [
        ("eval", [&["qrels.json", "old.json", &name][..], &metrics].concat()),
        ("eval", [&["qrels.json", "old.json", &name, "--per-query"][..], &metrics].concat()),
        (
            "compare",
            [&["qrels.json", "old.json", &name, "--queries", "queries.jsonl"][..], &metrics].concat(),
        ),
        ("explain", [&["qrels.json", "old.json", &name, "--query", query][..], &files, &metrics].concat()),
    ];
    for (command, arguments) in commands {
        for format in ["text", "json", "csv", "markdown", "trec_eval"] {
            let arguments = [&[command][..], &arguments, &["--format", format]].concat();
            let ran = folder.rankgate(&arguments, GITHUB);
            let what = format!("{command} --format {format}");
            is_plain(&what, &ran.stderr);
            if ran.code == Some(2) {
                let refused = ["invalid value", "trec_eval"].iter().any(|text| ran.stderr.contains(text));
                assert!(refused && ran.stdout.is_empty(), "{what}: {}", ran.stderr);
                continue;
            }
            match format {
                "json" => {
                    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                    let elsewhere = folder.rankgate(&arguments, &[]).stdout;
                    assert_eq!(read(&ran.stdout), read(&elsewhere), "{what}: the same values everywhere");
                }
                "csv" => is_csv(&what, &ran.stdout),
                "trec_eval" => is_plain(&what, &ran.stdout.replace('\t', " ")),
                _ => is_plain(&what, &ran.stdout),
            }
            if format != "json" {
                commands_nothing(&what, &ran.stdout);
            }
            commands_nothing(&what, &ran.stderr);
        }
    }
}

/// As many cells in each row, whatever they hold.
#[track_caller]
fn is_csv(what: &str, text: &str) {
    let (mut rows, mut cells, mut quoted) = (Vec::new(), 1, false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells += 1,
            '\n' if !quoted => rows.push(std::mem::replace(&mut cells, 1)),
            _ => {}
        }
    }
    assert!(!quoted && rows.len() > 1 && rows.iter().all(|row| *row == rows[0]), "{what}: {rows:?}\n{text}");
}

#[test]
fn what_cannot_be_read_is_named_in_plain_text() {
    let folder = Folder::new();
    for text in HOSTILE.map(|text| text.replace('\0', "")) {
        folder.write("bad.yaml", &format!("version: 1\nbenchmark: toy\n{text}: 1\n"));
        folder.write("bad.json", &format!("{{\"q\": {{\"d\": {text}}}}}"));
        folder.write("bad.run", &format!("q1 Q0 d1 1 {text}\n"));
        let quoted = quoted(&text);
        folder.write("name.yaml", &SPEC.replace("benchmark: toy", &format!("benchmark: {quoted}")));
        folder.write("metric.yaml", &SPEC.replace("[RR@3, nDCG@3]", &format!("[{quoted}]")));
        for arguments in [
            &["run", "bad.yaml"][..],
            &["run", "name.yaml"],
            &["run", "metric.yaml"],
            &["run", &text],
            &["eval", "qrels.json", "bad.json"],
            &["eval", "qrels.json", "bad.run"],
            &["eval", "bad.run", "old.json"],
            &["eval", "qrels.json", &text],
            &["eval", "qrels.json", "old.json", "-m", &text],
            &["explain", "qrels.json", "old.json", "old.json", "--query", &format!("no {text}")],
            &["report", &text],
            &["report", "bad.json"],
            &["lint", &text],
            &["run", "toy.yaml", "--filter", &format!("no {text}")],
        ] {
            for variables in [&[][..], GITHUB] {
                let ran = folder.rankgate(arguments, variables);
                assert_eq!(ran.code, Some(2), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
                is_plain(&format!("{arguments:?}"), &ran.stderr);
                is_plain(&format!("{arguments:?}"), &ran.stdout);
                commands_nothing(&format!("{arguments:?}"), &ran.stdout);
                assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
                if variables.is_empty() {
                    continue;
                }
                let told = ran.stderr.lines().filter(|line| line.trim_start().starts_with("::"));
                for line in told {
                    let own = line.starts_with("::error file=") || line.starts_with("::error title=");
                    assert!(own, "{arguments:?}: {}", ran.stderr);
                }
            }
        }
    }
}
