//! A folder with files in it, in which the command is run as a user types it.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::surroundings;

/// A folder with files in it, in which the command is run.
pub(crate) struct Folder(tempfile::TempDir);

/// What a command said and how it ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn with(self, name: &str, text: &str) -> Self {
        self.write(name, text);
        self
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command)
            .args(line.split(' '))
            .current_dir(self.0.path())
            .env("NO_COLOR", "1");
        command
    }

    /// Runs a command whose judge, if it asks one, is at `url`; all that it says, in one line.
    #[track_caller]
    pub(crate) fn asking(&self, url: &str, line: &str, code: i32) -> String {
        let output = self.command(line).env("JUDGE_URL", url).env("NO_PROXY", "*").output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        let output = self.command(line).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Several commands after each other, as a terminal shows them.
    pub(crate) fn session(&self, lines: &[&str]) -> String {
        let mut session = String::new();
        for line in lines {
            let Ran { code, stdout, stderr } = self.run(line);
            writeln!(session, "$ rankgate {line}\n{stdout}[stderr]\n{stderr}[exit {}]\n", code.unwrap())
                .unwrap();
        }
        session
    }
}

/// Queries whose relevant document is at some rank in two runs, and a spec over them.
pub(crate) fn benchmark(queries: usize, rest: &str) -> Folder {
    let (mut asked, mut judged, mut old, mut new) =
        (String::new(), String::new(), String::new(), String::new());
    for q in 1..=queries {
        let size = if q <= 3 { "small" } else { "large" };
        writeln!(asked, "{{\"_id\": \"q{q}\", \"text\": \"number {q}\", \"size\": \"{size}\"}}").unwrap();
        writeln!(judged, "q{q}\tr{q}\t2\nq{q}\tn{q}\t0").unwrap();
        // On every third query the new one is better, on every fourth the old one.
        let (ours, theirs) = (if q % 3 == 0 { 1 } else { 2 }, if q % 4 == 0 { 1 } else { 2 });
        for (run, place) in [(&mut new, ours), (&mut old, theirs)] {
            for (rank, document) in (1..).zip(if place == 1 {
                [format!("r{q}"), format!("x{q}")]
            } else {
                [format!("n{q}"), format!("r{q}")]
            }) {
                writeln!(run, "q{q} Q0 {document} {rank} {} t", 9 - rank).unwrap();
            }
        }
        writeln!(new, "q{q} Q0 y{q} 3 1 t").unwrap();
    }
    let documents: String = (1..=queries)
        .flat_map(|q| {
            ["r", "n", "x"].map(|kind| {
                format!("{{\"_id\": \"{kind}{q}\", \"title\": \"Title {q}\", \"text\": \"text {kind}\"}}\n")
            })
        })
        .collect();
    Folder::new()
        .with("data/queries.jsonl", &asked)
        .with("data/qrels/test.tsv", &judged)
        .with("data/corpus.jsonl", &documents)
        .with("old.run", &old)
        .with("new.run", &new)
        .with(
            "spec.yaml",
            &format!(
                "version: 1\nbenchmark: toy\ncollection:\n  beir: data\nconfigurations:\n  old: {{run: old.run}}\n  \
                 new: {{run: new.run}}\nmetrics: [RR@10, nDCG@10]\n{rest}"
            ),
        )
}
