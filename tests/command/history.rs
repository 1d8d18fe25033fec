//! Histories of repositories and of kept reports, as the command tells them.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::{cli, schema, surroundings};

const QUERIES: usize = 80;

const SPEC: &str = "version: 1
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

    fn told(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["history", "--format", "json", "--quiet"], arguments].concat());
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        let told: Value = serde_json::from_str(&output.stdout).unwrap();
        let schema = self.run(&["schema", "--of", "history"]).stdout;
        let faults = schema::faults(&serde_json::from_str(&schema).unwrap(), &told);
        assert!(faults.is_empty(), "{faults:?}");
        told
    }

    /// The text without what differs from one repository to the next: the ids of commits.
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(&[&["history"], arguments].concat());
        let mut text = output.told(&[&["history"], arguments].concat());
        let ids = self.git(&["log", "--reverse", "--format=%H"]);
        for (number, id) in ids.lines().enumerate() {
            text =
                text.replace(id, &format!("{number:040}")).replace(&id[..8], &format!("commit{number:02}"));
        }
        text
    }
}

fn texts<'a>(value: &'a Value, path: &str) -> Vec<&'a str> {
    let list = value.as_array().unwrap();
    list.iter().map(|one| one.pointer(path).unwrap().as_str().unwrap()).collect()
}

/// Thirty commits: ten that lose two queries' first ranks each, a release, a step that is taken back.
fn thirty_commits() -> (Repository, Vec<String>) {
    let mut repository = Repository::new();
    let good: Vec<usize> = (0..QUERIES).filter(|query| query % 4 != 0).collect();
    let mut ids = Vec::new();
    for number in 0..30 {
        ids.push(match number {
            0 => repository.bless("Begin"),
            5..15 => {
                for query in &good[2 * (number - 5)..2 * (number - 4)] {
                    repository.ranks[*query] = 2;
                }
                repository.bless(&format!("Tidy up, part {}", number - 4))
            }
            20 => {
                good[20..45].iter().for_each(|query| repository.ranks[*query] = 4);
                repository.bless("Rewrite the tokenizer")
            }
            24 => {
                good[20..45].iter().for_each(|query| repository.ranks[*query] = 1);
                repository.bless("Revert \"Rewrite the tokenizer\"")
            }
            _ => {
                fs::write(repository.path().join("notes.txt"), number.to_string()).unwrap();
                repository.commit(&format!("Change {number}"))
            }
        });
        if number == 0 || number == 17 {
            repository.git(&["tag", &format!("v1.{number}")]);
        }
    }
    (repository, ids)
}

#[test]
fn a_repository_with_a_step_and_a_drift_is_told_commit_by_commit() {
    let (repository, ids) = thirty_commits();
    let all = repository.told(&["benchmarks/toy.yaml"]);
    let told = &all["histories"][0];
    assert_eq!((told["source"].as_str(), told["gated"].as_array().unwrap().len()), (Some("golden-runs"), 1));
    // Commit by commit: those that blessed, and the release, which has the ranking before it.
    let expected: Vec<(&str, &str, u64)> = [(0, "first", 1)]
        .into_iter()
        .chain((5..15).map(|number| (number, "new", number as u64 - 3)))
        .chain([(17, "same", 11), (20, "new", 12), (24, "return", 11)])
        .map(|(number, moved, state)| (ids[number].as_str(), moved, state))
        .collect();
    let commits = told["commits"].as_array().unwrap();
    let found: Vec<(&str, &str, u64)> = commits
        .iter()
        .map(|one| {
            (one["commit"].as_str().unwrap(), one["moved"].as_str().unwrap(), one["state"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(found, expected);
    // Two of 80 queries from rank 1 to 2: -.0125 each time.
    for one in &commits[1..11] {
        assert!((one["differences"][0][1].as_f64().unwrap() + 0.0125).abs() < 1e-12, "{one}");
    }
    // The drift: 2 k queries have lost after k steps, p = 2^-2k, held against .00625 / (k (k + 1)): the seventh is the
    // first to get there, .000061 <= .00011. The best so far
    // has to pay for its choice, 9 * 2^-18 <= .000069, and follows.
    let alarms = told["alarms"].as_array().unwrap();
    assert_eq!(texts(&told["alarms"], "/commit"), [&ids[11], &ids[13], &ids[20]]);
    let drift = &alarms[0];
    assert_eq!(texts(&drift["against"], "/reference"), ["first", "release"]);
    assert_eq!(drift["against"][0]["p"].as_f64(), Some(0.5f64.powi(14)));
    assert_eq!((drift["open"].as_bool(), drift["steps"].as_array().unwrap().len()), (Some(true), 5));
    assert_eq!(drift["against"][1]["ended"]["how"], "replaced", "v1.17 takes the place of v1.0");
    assert_eq!(texts(&alarms[1]["against"], "/reference"), ["best"]);
    // The step, on 25 queries: exactly those commits that may have done it, its queries and their documents; over
    // against the release once it was taken back.
    let step = &alarms[2];
    assert_eq!(texts(&step["suspects"], "/commit"), [&ids[18], &ids[19], &ids[20]]);
    assert_eq!(texts(&step["against"], "/reference"), ["golden", "release"]);
    assert_eq!(
        (step["against"][0]["p"].as_f64(), step["open"].as_bool()),
        (Some(0.5f64.powi(25)), Some(false))
    );
    assert_eq!(
        (&step["against"][1]["ended"]["commit"], &step["against"][1]["ended"]["how"]),
        (&ids[24].clone().into(), &"returned".into())
    );
    let moved = &step["queries"][0]["documents"][0];
    assert_eq!((moved["from"].as_u64(), moved["to"].as_u64()), (Some(1), Some(4)));
    assert_eq!(step["queries"][0]["text"], "what about 27?");
    insta::assert_snapshot!(repository.text(&["benchmarks/toy.yaml"]));
    // What is gone from the spec alarms no more.
    let spec = SPEC.split("thresholds").next().unwrap();
    fs::write(repository.path().join("benchmarks/toy.yaml"), spec).unwrap();
    let told = repository.told(&["benchmarks/toy.yaml"]);
    assert_eq!(told["histories"][0]["alarms"].as_array().unwrap().len(), 0);
}

#[test]
fn alarms_end_with_1_where_that_is_asked_for_until_they_are_acknowledged() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    repository.bless("Lose");
    let status = |arguments: &[&str]| {
        repository.run(&[&["history", "benchmarks/toy.yaml"], arguments].concat()).status
    };
    assert_eq!((status(&[]), status(&["--fail-on-alarm"])), (Some(0), Some(1)));
    let told = repository.told(&["benchmarks/toy.yaml"]);
    let id = told["histories"][0]["alarms"][0]["id"].as_str().unwrap().to_owned();
    fs::write(repository.path().join("acknowledged.txt"), format!("# known\n{id} meant, see the wiki\n"))
        .unwrap();
    assert_eq!(status(&["--fail-on-alarm", "--acknowledged", "acknowledged.txt"]), Some(0));
    // Of a metric that is not scored nothing could ever be heard.
    let output = repository.run(&["history", "benchmarks/toy.yaml", "-m", "nDCG@5", "--fail-on-alarm"]);
    assert_eq!(output.status, Some(2));
    assert!(
        output
            .stderr
            .starts_with("error: --metric nDCG@5: it is not scored, and could never alarm; scored are "),
        "{}",
        output.stderr
    );
    // A page, and a base that is none.
    assert_eq!(status(&["--html", "trend.html"]), Some(0));
    let page = fs::read_to_string(repository.path().join("trend.html")).unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("1 alarm stands") && page.contains("<polyline")
    );
    let output = repository.run(&["history", "benchmarks/toy.yaml", "--base", "v9"]);
    assert_eq!((output.status, output.stderr.as_str()), (Some(2), "error: `v9` is no commit here\n"));
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "Rest"]);
    let output = repository.run(&["history", "benchmarks/toy.yaml", "--base", "HEAD"]);
    assert!(
        output.stderr.ends_with("was not measured: no other commit is taken for it\n"),
        "{}",
        output.stderr
    );
}

#[test]
fn changed_judgments_begin_an_epoch_and_old_rankings_are_scored_under_todays() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    // The document at rank 3 of each query is as good: blessed again, the ranking is the same.
    let more: String = (0..QUERIES).map(|query| format!("q{query:02} 0 other-{query:02}-3 1\n")).collect();
    let qrels = repository.path().join("benchmarks/qrels.txt");
    fs::write(&qrels, fs::read_to_string(&qrels).unwrap() + &more).unwrap();
    repository.bless("Judge more");
    let told = repository.told(&["benchmarks/toy.yaml", "-m", "P@1"]);
    let told = &told["histories"][0];
    assert_eq!(
        (told["epochs"][1]["changed"][0].as_str(), told["epochs"][1]["anew"].as_bool()),
        (Some("judgments"), Some(false))
    );
    assert_eq!(
        (told["states"].as_array().unwrap().len(), told["commits"][1]["moved"].as_str()),
        (1, Some("same"))
    );
    assert_eq!(told["alarms"].as_array().unwrap().len(), 0);
}

#[test]
fn kept_reports_tell_the_same_and_what_cannot_be_placed_is_named() {
    let mut repository = Repository::new();
    let mut ids = Vec::from([repository.bless("Begin")]);
    repository.keep(&ids[0], "kept/0");
    for number in 1..6 {
        if number == 3 {
            repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
        }
        ids.push(repository.commit(&format!("Change {number}")));
        if number != 4 {
            repository.keep(&ids[number], &format!("kept/{number}"));
        }
    }
    // One of another branch, and one of before there was a history in reports.
    repository.keep(&"a".repeat(40), "kept/branch");
    let report = fs::read_to_string(repository.path().join("kept/0/toy/report.json")).unwrap();
    let mut old: Value = serde_json::from_str(&report).unwrap();
    old.as_object_mut().unwrap().remove("history");
    fs::create_dir_all(repository.path().join("kept/old")).unwrap();
    fs::write(repository.path().join("kept/old/report.json"), old.to_string()).unwrap();

    let all = repository.told(&["kept"]);
    assert_eq!(all["refused"][0]["what"], "kept/old/report.json");
    assert!(all["refused"][0]["why"].as_str().unwrap().starts_with("it has no `history`: "));
    let told = &all["histories"][0];
    assert_eq!(
        (told["source"].as_str(), &told["refused"][0]["what"]),
        (Some("reports"), &format!("commit {}", "a".repeat(40)).into())
    );
    assert_eq!(told["commits"].as_array().unwrap().len(), 5);
    assert_eq!(texts(&told["alarms"], "/commit"), [&ids[3]]);
    let alarm = &told["alarms"][0];
    assert_eq!(texts(&alarm["suspects"], "/commit"), [&ids[3]]);
    assert_eq!(texts(&alarm["against"], "/reference"), ["golden", "first", "best"]);
    assert_eq!(alarm["queries"][0]["documents"][0]["to"], 5);
    // The runs beside them, under today's judgments: the same rankings, the same alarm.
    let again = repository.told(&["kept", "benchmarks/toy.yaml"]);
    let again = &again["histories"][0];
    assert_eq!((again["source"].as_str(), &again["states"]), (Some("runs"), &told["states"]));
    assert_eq!(texts(&again["alarms"][0]["against"], "/reference"), ["golden", "first", "best"]);
}

#[test]
fn a_blessing_counts_whichever_file_its_ranking_was_first_read_of() {
    let mut repository = Repository::new();
    let mut ids = Vec::from([repository.commit("Begin")]);
    repository.keep(&ids[0], "kept/0");
    // The same ranking in another file: there, a run of another program.
    let run = repository.path().join("kept/0/toy/words.run");
    fs::copy(repository.path().join("benchmarks/runs/words.run"), &run).unwrap();
    ids.push(repository.bless("Bless"));
    repository.keep(&ids[1], "kept/1");
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    ids.push(repository.commit("Lose"));
    repository.keep(&ids[2], "kept/2");
    let told = repository.told(&["kept", "benchmarks/toy.yaml"]);
    let alarms = &told["histories"][0]["alarms"];
    assert_eq!(texts(&alarms[0]["against"], "/reference"), ["golden", "first", "best"], "{told}");
}

#[test]
fn a_golden_run_that_was_deleted_stands_no_more() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    fs::remove_file(repository.path().join("benchmarks/golden/toy/words.run")).unwrap();
    repository.commit("Delete it");
    repository.git(&["tag", "v2"]);
    repository.ranks[1] = 5;
    repository.bless("Begin anew");
    let told = repository.told(&["benchmarks/toy.yaml"]);
    let told = &told["histories"][0];
    assert_eq!(
        (told["commits"].as_array().unwrap().len(), &told["unmeasured_releases"][0]),
        (2, &"v2".into())
    );
}

#[test]
fn a_snapshot_gate_stands_on_what_can_be_lost() {
    let mut repository = Repository::new();
    let spec = SPEC.split("thresholds").next().unwrap().to_owned() + "snapshot: true\n";
    fs::write(repository.path().join("benchmarks/toy.yaml"), spec).unwrap();
    repository.bless("Begin");
    let told = repository.told(&["benchmarks/toy.yaml"]);
    let gated = told["histories"][0]["gated"].as_array().unwrap().clone();
    assert_eq!(gated, ["RR@10", "P@1"]);
}

#[test]
fn without_git_or_a_repository_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cli");
    fs::write(folder.path().join("toy.yaml"), SPEC.replace("runs/words.run", "new.run")).unwrap();
    for name in ["new.run", "qrels.txt", "topics.tsv"] {
        fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    let told = |path: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(["history", "toy.yaml"]).current_dir(folder.path());
        command.env("GIT_CEILING_DIRECTORIES", folder.path().parent().unwrap());
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, said) = told(None);
    assert_eq!(status, Some(2));
    assert!(said.starts_with("error: .: its commits cannot be read: not a git repository"), "{said}");
    let mut git = Command::new("git");
    assert!(git.args(["init", "--quiet"]).current_dir(folder.path()).status().unwrap().success());
    let (status, said) = told(None);
    assert_eq!(status, Some(2));
    assert!(said.ends_with(": there is no commit yet, and a history is told of commits\n"), "{said}");
    let (status, said) = told(Some(""));
    assert_eq!(status, Some(2));
    assert!(
        said.ends_with("the program `git` is not installed, and it is what tells of commits\n"),
        "{said}"
    );
}
