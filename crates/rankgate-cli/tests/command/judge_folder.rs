//! A spec with a judge in a folder, and the command in it.

#![cfg(all(unix, feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::judge_server::{Reply, Shape, completion, graded};
use crate::{secrets, surroundings};
use serde_json::Value;
use tempfile::TempDir;

/// The key, of which nothing may be seen however it is written.
pub(crate) const KEY: &str = secrets::SECRETS[4].1;

/// Four queries, of which each has one judged document, and a run that returns two more for each.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new(judge: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let (mut documents, mut queries, mut run) = (String::new(), String::new(), String::new());
        for query in 1..=4 {
            queries += &format!(
                "      - {{id: q{query}, text: question {query}, relevant: [d{query}0], difficulty: {}}}\n",
                ["easy", "hard"][query % 2]
            );
            for (rank, letters) in [(0, "xxx"), (1, &"xxxx"[..query]), (2, "y")] {
                documents += &format!("      d{query}{rank}: title {letters}\n");
                run += &format!("q{query} Q0 d{query}{rank} {} {} mine\n", rank + 1, 9 - rank);
            }
        }
        let spec = format!(
            "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    documents:\n{documents}    queries:\n{queries}\
             configurations:\n  mine: {{run: mine.run}}\nthresholds: [{{metric: nDCG@10, min: 0.1}}]\nsegments: [difficulty]\n\
             judge:\n  endpoint: '${{JUDGE_URL}}'\n  api-key: '${{JUDGE_KEY}}'\n  model: qwen2.5-7b-q4\n  judgments: judged/toy.jsonl\n\
             \x20 humans: judged/people.jsonl\n{judge}"
        );
        folder.write("toy.yaml", &spec);
        folder.write("mine.run", &run);
        folder
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    pub(crate) fn command(&self, url: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(arguments).current_dir(self.path());
        command.env("JUDGE_URL", url).env("JUDGE_KEY", KEY).env("NO_PROXY", "*");
        command
    }

    /// Runs the command; gives its exit status and all that it said.
    #[track_caller]
    pub(crate) fn run(&self, url: &str, arguments: &[&str]) -> (i32, String) {
        let output = self.command(url, arguments).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains("panicked"), "{said}");
        secrets::is_clean("what is said", said.as_bytes());
        secrets::is_clean("the file", self.read("judged/toy.jsonl").as_bytes());
        (output.status.code().unwrap(), said)
    }

    #[track_caller]
    pub(crate) fn judge(&self, url: &str, more: &[&str]) -> (i32, String) {
        self.run(url, &[&["judge", "toy.yaml"][..], more].concat())
    }

    /// The judgments on file, without what describes the judge.
    pub(crate) fn items(&self) -> Vec<Value> {
        let text = self.read("judged/toy.jsonl");
        text.lines()
            .filter(|line| !line.starts_with("{\"describes\""))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// What was said, on one line.
pub(crate) fn flat(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn good(_: usize, prompt: &str) -> Reply {
    completion(Shape::OpenAi, &graded(prompt), "stop")
}
