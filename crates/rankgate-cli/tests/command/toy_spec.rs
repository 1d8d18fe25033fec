//! A spec of twelve queries in a folder, and the command in it.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::process::Command;

use crate::surroundings;
use tempfile::TempDir;

/// A folder with what a test needs, in which the command runs.
pub(crate) struct Folder(pub(crate) TempDir);

/// How a command ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn all(&self) -> String {
        format!("exit {}\n--- stdout\n{}--- stderr\n{}", self.code.unwrap_or(-1), self.stdout, self.stderr)
    }

    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.all());
        self
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Twelve queries on which `new` is as good as `old`, or worse.
    pub(crate) fn with_spec(worse: bool) -> Self {
        let folder = Self::new();
        folder.write("toy.yaml", SPEC);
        folder.write("old.run", &run(|_| true));
        folder.write("new.run", &run(|query| !worse || query % 4 == 0));
        folder
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn rankgate(&self, arguments: &[&str]) -> Ran {
        self.rankgate_with(arguments, &[])
    }

    pub(crate) fn rankgate_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        self.rankgate_in(".", arguments, variables)
    }

    pub(crate) fn rankgate_in(&self, folder: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        let output = surroundings::leave(&mut command)
            .args(arguments)
            .envs(variables.iter().copied())
            .current_dir(self.path(folder))
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            assert!(!text.contains('\u{1b}'), "no colour outside of a terminal: {text}");
            text
        };
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

pub(crate) const SPEC: &str = "\
version: 1
benchmark: toy
collection: {trec: {queries: topics.tsv, qrels: qrels.txt}}
configurations:
  old: {run: old.run}
  new: {run: new.run}
metrics: [RR@2]
thresholds:
  - {metric: RR@2, min: 0.60}
comparisons:
  - {candidate: new, baseline: old, metrics: [RR@2]}
";

/// A run in which the queries that `good` names find the relevant document first.
pub(crate) fn run(good: impl Fn(usize) -> bool) -> String {
    let line = |query: usize| {
        let (first, second) = if good(query) { ("r", "n") } else { ("n", "r") };
        format!("q{query:02} Q0 {first} 1 2 x\nq{query:02} Q0 {second} 2 1 x\n")
    };
    (1..=12).map(line).collect()
}

impl Folder {
    pub(crate) fn judged(self) -> Self {
        let topics: String = (1..=12).map(|query| format!("q{query:02}\tquestion {query}\n")).collect();
        let qrels: String = (1..=12).map(|query| format!("q{query:02} 0 r 1\nq{query:02} 0 n 0\n")).collect();
        self.write("topics.tsv", &topics);
        self.write("qrels.txt", &qrels);
        self
    }
}
