//! Histories of repositories, as the command tells them.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::{cli, surroundings};

pub(crate) const QUERIES: usize = 80;

pub(crate) const SPEC: &str = "version: 1
benchmark: toy
collection: {trec: {queries: topics.tsv, qrels: qrels.txt}}
configurations:
  words: {run: runs/words.run}
metrics: [RR@10, P@1, Judged@10]
thresholds:
  - {metric: RR@10, min: 0.2}
comparisons:
  - {candidate: words, baseline: golden, metrics: [RR@10]}
";

/// A repository with a benchmark of 80 queries, each with one relevant document.
pub(crate) struct Repository {
    folder: TempDir,
    /// At which rank each query has its document.
    pub(crate) ranks: Vec<usize>,
    commits: usize,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: String| fs::write(folder.path().join(path), text).unwrap();
        fs::create_dir_all(folder.path().join("benchmarks/runs")).unwrap();
        let lines = |line: &dyn Fn(usize) -> String| (0..QUERIES).map(line).collect::<String>();
        write("benchmarks/topics.tsv", lines(&|query| format!("q{query:02}\twhat about {query}?\n")));
        write("benchmarks/qrels.txt", lines(&|query| format!("q{query:02} 0 good-{query:02} 1\n")));
        write("benchmarks/toy.yaml", SPEC.to_owned());
        let new = Self {
            folder,
            ranks: (0..QUERIES).map(|query| 1 + usize::from(query % 4 == 0)).collect(),
            commits: 0,
        };
        new.git(&["init", "--quiet", "--initial-branch=main", "."]);
        new
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let time = format!("{} +0000", 1_767_225_600 + 86_400 * self.commits);
        let output = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_COMMITTER_DATE", &time)
            .env("GIT_AUTHOR_DATE", &time)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn commit(&mut self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", subject]);
        self.commits += 1;
        self.git(&["rev-parse", "HEAD"])
    }

    /// Writes what is answered now.
    pub(crate) fn answer(&self) {
        let mut run = String::new();
        for (query, rank) in self.ranks.iter().enumerate() {
            for place in 1..=6 {
                let other = format!("other-{query:02}-{place}");
                let document = if place == *rank { format!("good-{query:02}") } else { other };
                writeln!(run, "q{query:02} Q0 {document} {place} {} t", 10 - place).unwrap();
            }
        }
        fs::write(self.path().join("benchmarks/runs/words.run"), run).unwrap();
    }

    /// Blesses what is answered now, and commits it.
    pub(crate) fn bless(&mut self, subject: &str) -> String {
        self.answer();
        let output = self.run(&["bless", "--force", "benchmarks/toy.yaml"]);
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        self.commit(subject)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> cli::Output {
        cli::run(self.path(), arguments, "")
    }

    /// Keeps the report of what is answered now, as CI does.
    pub(crate) fn keep(&self, commit: &str, folder: &str) {
        self.answer();
        let status = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
            .args(["run", "--quiet", "--output", folder, "benchmarks/toy.yaml"])
            .env("RANKGATE_COMMIT", commit)
            .current_dir(self.path())
            .output()
            .unwrap();
        assert!(self.path().join(folder).join("toy/report.json").is_file(), "{status:?}");
    }

    pub(crate) fn transcript(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["history", "--format", "json", "--quiet"], arguments].concat());
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        serde_json::from_str(&output.stdout).unwrap()
    }

    /// The text without what differs from one repository to the next: the ids of commits.
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(&[&["history"], arguments].concat());
        let mut text = output.transcript(&[&["history"], arguments].concat());
        let ids = self.git(&["log", "--reverse", "--format=%H"]);
        for (number, id) in ids.lines().enumerate() {
            text =
                text.replace(id, &format!("{number:040}")).replace(&id[..8], &format!("commit{number:02}"));
        }
        text
    }

    fn status(&self, arguments: &[&str]) -> Option<i32> {
        self.run(&[&["history", "benchmarks/toy.yaml"], arguments].concat()).status
    }

    fn lose(&mut self) -> String {
        self.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
        self.bless("Lose")
    }
}

/// Twelve commits: harmless ones, a release, a step that is taken back.
fn twelve_commits() -> (Repository, Vec<String>) {
    let mut repository = Repository::new();
    let good: Vec<usize> = (0..QUERIES).filter(|query| query % 4 != 0).collect();
    let mut ids = Vec::new();
    for number in 0..12 {
        ids.push(match number {
            0 => repository.bless("Begin"),
            3 | 4 => {
                repository.ranks[good[number]] = 2;
                repository.bless(&format!("Tidy up, part {}", number - 2))
            }
            7 => {
                good[20..45].iter().for_each(|query| repository.ranks[*query] = 4);
                repository.bless("Rewrite the tokenizer")
            }
            9 => {
                good[20..45].iter().for_each(|query| repository.ranks[*query] = 1);
                repository.bless("Revert \"Rewrite the tokenizer\"")
            }
            _ => {
                fs::write(repository.path().join("notes.txt"), number.to_string()).unwrap();
                repository.commit(&format!("Change {number}"))
            }
        });
        if number == 0 {
            repository.git(&["tag", "v1.0"]);
        }
    }
    (repository, ids)
}

#[test]
fn a_step_is_named_and_its_alarm_ends_with_the_revert() {
    let (repository, ids) = twelve_commits();
    let all = repository.transcript(&["benchmarks/toy.yaml"]);
    let told = &all["histories"][0];
    let numbers: Vec<u64> =
        told["commits"].as_array().unwrap().iter().map(|one| one["ranking"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 3]);
    let alarm = &told["alarms"][0];
    assert_eq!(alarm["id"], format!("{}.words.RR@10", &ids[7][..8]));
    assert_eq!(alarm["commit"]["id"], *ids[7]);
    let suspects: Vec<&Value> = alarm["suspects"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(suspects, [&ids[5], &ids[6], &ids[7]]);
    assert_eq!(alarm["against"][0]["reference"], "release");
    assert_eq!(alarm["ended"]["commit"], *ids[9]);
    insta::assert_snapshot!(repository.text(&["benchmarks/toy.yaml"]));
    // A metric that no gate uses any more raises no alarm.
    fs::write(repository.path().join("benchmarks/toy.yaml"), SPEC.split("thresholds").next().unwrap())
        .unwrap();
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    assert_eq!(told["histories"][0]["alarms"].as_array().unwrap().len(), 0);
}

#[test]
fn an_alarm_fails_if_that_is_wanted_until_it_is_acknowledged() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    let lost = repository.lose();
    assert_eq!((repository.status(&[]), repository.status(&["--fail-on-alarm"])), (Some(0), Some(1)));
    let list = format!("# known\n{}.words.RR@10 meant, see the wiki\n", &lost[..8]);
    fs::write(repository.path().join("acknowledged.txt"), list).unwrap();
    assert_eq!(repository.status(&["--fail-on-alarm", "--acknowledged", "acknowledged.txt"]), Some(0));
    let output = repository.run(&["history", "benchmarks/toy.yaml", "-m", "nDCG@5"]);
    let said = "error: --metric nDCG@5: it has no scores. There are scores of RR@10, P@1, Judged@10\n";
    assert_eq!((output.status, output.stderr.as_str()), (Some(2), said));
    assert_eq!(repository.status(&["--page", "trend.html"]), Some(0));
    let page = fs::read_to_string(repository.path().join("trend.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("1 open alarm") && page.contains("<svg"));
}

#[test]
fn a_bless_that_accepts_the_loss_closes_the_alarm() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.lose();
    assert_eq!(repository.status(&["--fail-on-alarm"]), Some(1));
    repository.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    repository.answer();
    let accept = ["bless", "--force", "--accept-loss", "benchmarks/toy.yaml"];
    assert_eq!(repository.run(&accept).status, Some(0));
    repository.commit("Accept it");
    assert_eq!(repository.status(&["--fail-on-alarm"]), Some(0));
    repository.ranks[40..70].iter_mut().for_each(|rank| *rank = 6);
    repository.bless("Lose more");
    assert_eq!(repository.status(&["--fail-on-alarm"]), Some(1));
}

#[test]
fn golden_runs_are_scored_under_todays_judgments() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    let more: String = (0..QUERIES).map(|query| format!("q{query:02} 0 other-{query:02}-3 1\n")).collect();
    let qrels = repository.path().join("benchmarks/qrels.txt");
    fs::write(&qrels, fs::read_to_string(&qrels).unwrap() + &more).unwrap();
    repository.bless("Judge more");
    repository.lose();
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    let told = &told["histories"][0];
    assert!(told["commits"].as_array().unwrap().iter().all(|one| one["changed"].is_null()), "{told}");
    assert_eq!(told["alarms"].as_array().unwrap().len(), 1);
}

#[test]
fn kept_reports_have_the_same_alarm_and_are_placed_by_their_commit() {
    let mut repository = Repository::new();
    let first = repository.bless("Begin");
    repository.keep(&first, "kept/1");
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    let second = repository.commit("Lose");
    repository.keep(&second, "kept/2");
    repository.keep(&"f".repeat(40), "kept/3");
    let all = repository.transcript(&["kept"]);
    let alarm = &all["histories"][0]["alarms"][0];
    assert_eq!(
        (&alarm["commit"]["id"], &alarm["against"][0]["reference"]),
        (&second.into(), &"golden".into())
    );
    let why = all["unplaced"][0]["why"].as_str().unwrap();
    assert_eq!(why, format!("its commit {} is not on the first-parent line of HEAD", "f".repeat(40)));
}

#[test]
fn a_golden_run_of_head_that_cannot_be_read_is_an_error() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    let golden = repository.path().join("benchmarks/golden/toy/words.run");
    let whole = fs::read_to_string(&golden).unwrap();
    fs::write(&golden, &whole[..whole.trim_end().rfind('\n').unwrap() + 1]).unwrap();
    repository.commit("Cut the file");
    let output = repository.run(&["history", "benchmarks/toy.yaml"]);
    assert_eq!(output.status, Some(2));
    assert!(output.stderr.contains("golden/toy/words.run at "), "{}", output.stderr);
}

#[test]
fn golden_runs_are_followed_where_they_are_moved() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.lose();
    let spec = repository.path().join("benchmarks/toy.yaml");
    fs::create_dir_all(repository.path().join("benchmarks/deep")).unwrap();
    repository.git(&["mv", "benchmarks/golden", "benchmarks/deep/golden"]);
    fs::write(&spec, format!("{SPEC}golden: deep/golden\n")).unwrap();
    repository.commit("Move it");
    assert_eq!(repository.status(&["--fail-on-alarm"]), Some(1));
}

#[test]
fn a_repository_without_golden_runs_gets_the_command_that_makes_one() {
    let mut repository = Repository::new();
    repository.answer();
    repository.commit("Begin");
    let output = repository.run(&["history", "benchmarks/toy.yaml"]);
    let said = "error: No golden runs found in this repository's history. Create one: rankgate bless benchmarks/toy.yaml\n";
    assert_eq!((output.status, output.stderr.as_str()), (Some(2), said));
}
