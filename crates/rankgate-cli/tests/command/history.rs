//! Histories of repositories and of kept reports, as the command tells them.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::repository::root;
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

    fn transcript(&self, arguments: &[&str]) -> Value {
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
        let mut text = output.transcript(&[&["history"], arguments].concat());
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
    let all = repository.transcript(&["benchmarks/toy.yaml"]);
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
    // The drift: 2 k queries have lost after k steps, p = 2^-2k, held against .003125 / (k (k + 1)): the eighth is the
    // first to get there, .000015 <= .000043. The best so far
    // has to pay for its choice, 9 * 2^-18 = .0000343 <= .0000347, and follows.
    let alarms = told["alarms"].as_array().unwrap();
    assert_eq!(texts(&told["alarms"], "/commit"), [&ids[12], &ids[13], &ids[20]]);
    let drift = &alarms[0];
    assert_eq!(texts(&drift["against"], "/reference"), ["first", "release"]);
    assert_eq!(drift["against"][0]["p"].as_f64(), Some(0.5f64.powi(16)));
    assert_eq!((drift["open"].as_bool(), drift["steps"].as_array().unwrap().len()), (Some(true), 5));
    assert_eq!(
        drift["against"][1]["ended"],
        Value::Null,
        "v1.17 takes the place of v1.0, and repairs nothing"
    );
    assert_eq!(drift["blessed"]["commit"], ids[12]);
    assert_eq!(texts(&alarms[1]["against"], "/reference"), ["best"]);
    // The step, on 25 queries: exactly those commits that may have done it, its queries and their documents; over
    // against the release once it was taken back.
    let step = &alarms[2];
    assert_eq!(texts(&step["suspects"], "/commit"), [&ids[18], &ids[19], &ids[20]]);
    assert_eq!(texts(&step["against"], "/reference"), ["golden", "release", "before"]);
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
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
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
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
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
    assert_eq!(status(&["--page", "trend.html"]), Some(0));
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
fn a_blessed_loss_stands_until_a_bless_says_that_it_is_accepted() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    let lost = repository.bless("Lose");
    let status = |repository: &Repository| {
        repository.run(&["history", "benchmarks/toy.yaml", "--fail-on-alarm"]).status
    };
    assert_eq!(status(&repository), Some(1));
    let text = repository.text(&["benchmarks/toy.yaml"]).split_whitespace().collect::<Vec<_>>().join(" ");
    let said =
        "golden since commit01: the bless accepted the ranking for its gate, and said nothing of the loss";
    assert!(text.contains(said), "{text}");
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    assert_eq!(told["histories"][0]["alarms"][0]["blessed"]["commit"], lost.as_str());
    let refused = repository.run(&["bless", "--accept-loss", "--tag", "v1", "benchmarks/toy.yaml"]);
    assert_eq!(refused.status, Some(2), "{}", refused.stderr);
    let accept = ["bless", "--force", "--accept-loss", "benchmarks/toy.yaml"];
    assert_eq!(repository.run(&accept).status, Some(0));
    let golden = || fs::read_to_string(repository.path().join("benchmarks/golden/toy/words.run")).unwrap();
    let accepted = golden();
    assert!(accepted.contains("\n# loss: accepted\n"), "{accepted}");
    // Blessing the same ranking again forgets nothing.
    assert_eq!(repository.run(&["bless", "--force", "benchmarks/toy.yaml"]).status, Some(0));
    assert_eq!(golden(), accepted);
    repository.commit("Accept it");
    assert_eq!(status(&repository), Some(0));
    // Another ranking is not what was accepted.
    repository.ranks[40..70].iter_mut().for_each(|rank| *rank = 6);
    repository.bless("Lose more");
    assert_eq!(status(&repository), Some(1));
}

#[test]
fn golden_runs_and_kept_reports_see_the_same_blessed_steps() {
    same_blessed_steps(3, 12);
}

#[test]
#[ignore = "takes a minute: eight lines of forty commits"]
fn golden_runs_and_kept_reports_see_the_same_blessed_steps_of_long_lines() {
    same_blessed_steps(8, 40);
}

/// Each change of the ranking is blessed in its commit; the lines differ in what changes besides the step in their middle.
fn same_blessed_steps(lines: usize, commits: usize) {
    for line in 0..lines {
        let mut repository = Repository::new();
        for number in 0..commits {
            if number == commits / 2 {
                repository.ranks[2..50].iter_mut().for_each(|rank| *rank = 5);
            } else if number % (lines + 1) == line {
                repository.ranks[60 + number % (QUERIES - 60)] = 3;
            }
            let id = repository.bless(&format!("Change {number}"));
            repository.keep(&id, &format!("kept/{number}"));
        }
        let alarms = |arguments: &[&str]| {
            let told = repository.transcript(arguments)["histories"][0].take();
            let alarms = told["alarms"].as_array().unwrap().iter();
            let of = |alarm: &Value| {
                let place =
                    (alarm["commit"].clone(), alarm["blessed"]["commit"].clone(), alarm["open"].clone());
                let mut against = alarm["against"].clone();
                // Golden runs are measured where they change, and reports at each commit.
                against.as_array_mut().unwrap().iter_mut().for_each(|held| drop(held["from"].take()));
                (place, against, alarm["suspects"].as_array().unwrap().last().cloned())
            };
            (alarms.map(of).collect::<Vec<_>>(), told["blessings"].clone())
        };
        let golden = alarms(&["benchmarks/toy.yaml"]);
        assert_eq!(alarms(&["kept"]), golden, "{line}");
        let [(place, against, suspects)] = golden.0.as_slice() else { panic!("{golden:?}") };
        let suspect = suspects.as_ref().map(|last| last["subject"].clone());
        assert_eq!((suspect, &place.2), (Some(format!("Change {}", commits / 2).into()), &Value::Bool(true)));
        assert_eq!(texts(against, "/reference"), ["golden", "first", "best", "before"]);
    }
}

#[test]
fn a_fresh_clone_without_todays_runs_has_a_history() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    repository.bless("Lose");
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    fs::remove_dir_all(repository.path().join("benchmarks/runs")).unwrap();
    assert_eq!(repository.transcript(&["benchmarks/toy.yaml"]), told);
    // Whatever asks for the runs still says which one is not there.
    let output = repository.run(&["run", "benchmarks/toy.yaml"]);
    assert!(output.stderr.contains("no such file: `benchmarks/runs/words.run`"), "{}", output.stderr);
}

#[test]
fn a_spec_says_which_losses_count() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    repository.bless("Lose");
    let with = |history: &str| {
        fs::write(repository.path().join("benchmarks/toy.yaml"), format!("{SPEC}history: {history}\n"))
            .unwrap();
        repository.run(&["history", "benchmarks/toy.yaml", "--fail-on-alarm"])
    };
    assert_eq!(with("{smallest-loss: 0.5}").status, Some(0));
    assert_eq!(with("{smallest-loss: 0.01, guarantee: none}").status, Some(1));
    let output = with("{smallest-loss: -1}");
    assert!(output.stderr.contains("a loss is 0 or more, not -1"), "{}", output.stderr);
    assert!(with("{}").stderr.contains("smallest-loss"), "{}", with("{}").stderr);
}

#[test]
fn a_broken_head_is_not_told_of_as_if_it_had_been_looked_at() {
    let mut repository = Repository::new();
    let blessed = repository.bless("Begin");
    repository.ranks.iter_mut().for_each(|rank| *rank = 6);
    let broken = repository.commit("Break the tokenizer");
    let text = || repository.text(&["benchmarks/toy.yaml"]).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "Looked at: golden runs of 1 commit, scored under today's judgments; 1 distinct ranking. No alarm stands \
                on the golden run of commit00. HEAD is commit01, 1 commit later, and changes no golden run: what it ranks \
                was not looked at. No report of it was found.";
    assert!(text().contains(said), "{}", text());
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    let head = &told["histories"][0]["head"];
    assert_eq!(
        (&head["name"], &head["commit"], &head["subject"]),
        (&"HEAD".into(), &broken.clone().into(), &"Break the tokenizer".into())
    );
    assert_eq!(
        (&head["measured"], &head["behind"], &head["gates"]),
        (&false.into(), &1.into(), &Value::Null)
    );
    // A report of another commit is none of it; its own says what its gates do.
    repository.keep(&blessed, "target/rankgate");
    assert!(text().contains("No report of it was found."), "{}", text());
    repository.keep(&broken, "target/rankgate");
    assert!(text().contains("was not looked at. The gates of its report: 2 failed."), "{}", text());
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    assert_eq!(told["histories"][0]["head"]["gates"]["failed"], 2);
    // The page has it beside the badge.
    repository.run(&["history", "benchmarks/toy.yaml", "--page", "trend.html"]);
    let page = fs::read_to_string(repository.path().join("trend.html")).unwrap();
    assert!(page.contains("no alarm stands") && page.contains("HEAD: 2 failed"), "{page}");
    // Told of reports it is measured, and its gates failed none the less.
    let told = repository.transcript(&["target/rankgate"]);
    let head = &told["histories"][0]["head"];
    assert_eq!(
        (&head["measured"], &head["behind"], &head["gates"]["failed"]),
        (&true.into(), &0.into(), &2.into())
    );
    let next = repository.commit("Change nothing");
    let text = repository.text(&["target/rankgate"]).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "1 alarm stands at commit01, the last commit measured. HEAD is commit02, 1 commit later, and was not measured: \
                what it ranks is not known. No report of it was found.";
    assert!(text.contains(said), "{next}: {text}");
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
    let told = repository.transcript(&["benchmarks/toy.yaml", "-m", "P@1"]);
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

    let all = repository.transcript(&["kept"]);
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
    assert_eq!(texts(&alarm["against"], "/reference"), ["golden", "first", "best", "before"]);
    assert_eq!(alarm["queries"][0]["documents"][0]["to"], 5);
    // The runs beside them, under today's judgments: the same rankings, the same alarm.
    let again = repository.transcript(&["kept", "benchmarks/toy.yaml"]);
    let again = &again["histories"][0];
    assert_eq!((again["source"].as_str(), &again["states"]), (Some("runs"), &told["states"]));
    assert_eq!(texts(&again["alarms"][0]["against"], "/reference"), ["golden", "first", "best", "before"]);
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
    let told = repository.transcript(&["kept", "benchmarks/toy.yaml"]);
    let alarms = &told["histories"][0]["alarms"];
    assert_eq!(texts(&alarms[0]["against"], "/reference"), ["golden", "first", "best", "before"], "{told}");
}

/// That no alarm stood before says nothing of what cannot be read.
#[test]
fn a_golden_run_of_head_that_cannot_be_read_is_no_good_news() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    let run = |repository: &Repository, arguments: &[&str]| {
        repository.run(&[&["history", "benchmarks/toy.yaml"], arguments].concat())
    };
    assert_eq!(run(&repository, &["--fail-on-alarm"]).status, Some(0));
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    repository.answer();
    assert_eq!(repository.run(&["bless", "--force", "benchmarks/toy.yaml"]).status, Some(0));
    let golden = repository.path().join("benchmarks/golden/toy/words.run");
    let whole = fs::read_to_string(&golden).unwrap();
    fs::write(&golden, &whole[..whole.trim_end().rfind('\n').unwrap() + 1]).unwrap();
    repository.commit("Lose, and cut the file");
    let told = run(&repository, &["--fail-on-alarm"]);
    assert_eq!(told.status, Some(2), "{}", told.stdout);
    let said = told.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("golden/toy/words.run, cannot be read: whether it lost something is not known"),
        "{said}"
    );
    assert_eq!(run(&repository, &[]).status, Some(0), "nobody asked");
    // Another commit on top of it changes nothing; the whole file does.
    repository.commit("Rest");
    assert_eq!(run(&repository, &["--fail-on-alarm"]).status, Some(2));
    fs::write(&golden, whole).unwrap();
    repository.commit("Mend it");
    assert_eq!(run(&repository, &["--fail-on-alarm"]).status, Some(1));
}

#[test]
fn golden_runs_are_followed_where_they_are_moved() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.ranks[1..40].iter_mut().for_each(|rank| *rank = 5);
    let lost = repository.bless("Lose");
    let told = |repository: &Repository| {
        let told = repository.transcript(&["benchmarks/toy.yaml"]);
        let told = &told["histories"][0];
        let ids: Vec<Value> =
            told["alarms"].as_array().unwrap().iter().map(|alarm| alarm["commit"].clone()).collect();
        (told["states"].as_array().unwrap().len(), ids)
    };
    let before = told(&repository);
    assert_eq!(before, (2, vec![Value::from(lost)]));
    let spec = repository.path().join("benchmarks/toy.yaml");
    let mut golden = "golden".to_owned();
    for folder in ["gold2", "deep/gold3", "golden"] {
        fs::create_dir_all(repository.path().join("benchmarks/deep")).unwrap();
        let [from, to] = [&golden, folder].map(|name| format!("benchmarks/{name}"));
        repository.git(&["mv", &from, &to]);
        fs::write(&spec, format!("{SPEC}golden: {folder}\n")).unwrap();
        repository.commit("Move it");
        assert_eq!(told(&repository), before, "{folder}");
        let status = repository.run(&["history", "benchmarks/toy.yaml", "--fail-on-alarm"]).status;
        assert_eq!(status, Some(1), "{folder}");
        folder.clone_into(&mut golden);
    }
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    let mut repository = Repository::new();
    repository.bless("Begin");
    let output = repository.run(&["history", "benchmarks/toy.yaml", "--configuration", "wrds"]);
    let said = "error: --configuration wrds: there is none of this name; there are words\n";
    assert_eq!((output.status, output.stderr.as_str()), (Some(2), said));
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
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
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
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    let gated = told["histories"][0]["gated"].as_array().unwrap().clone();
    assert_eq!(gated, ["RR@10", "P@1"]);
}

#[test]
fn without_git_or_a_repository_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("tests/data/cli");
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
    assert!(said.ends_with(": there is no commit yet, and a history needs commits\n"), "{said}");
    let (status, said) = told(Some(""));
    assert_eq!(status, Some(2));
    assert!(said.ends_with("the program `git` is not installed, and it reads the commits\n"), "{said}");
}

/// Makes a folder of the tree look like a repository whose settings name programs, as whoever commits to it can. Gives
/// what the programs would make.
#[cfg(unix)]
fn embed(repository: &Repository, folder: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let place = repository.path().join(folder);
    let mark = repository.path().join("somebody-was-here");
    let program = repository.path().join("program.sh");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display();
    fs::create_dir_all(place.join("objects")).unwrap();
    fs::create_dir_all(place.join("refs/heads")).unwrap();
    fs::write(place.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let settings = format!(
        "[core]\n repositoryformatversion = 0\n bare = false\n worktree = {}\n fsmonitor = {program}\n hooksPath = \
         {program}\n[log]\n showSignature = true\n[gpg]\n program = {program}\n[diff]\n external = {program}\n",
        place.join("within").display()
    );
    fs::create_dir_all(place.join("within")).unwrap();
    fs::write(place.join("config"), settings).unwrap();
    let git = |arguments: &[&str], input: &str| {
        let mut child = Command::new("git")
            .arg("--git-dir=.")
            .args(["-c", "core.fsmonitor=false", "-c", "core.bare=true"])
            .args(arguments)
            .current_dir(&place)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let tree = git(&["hash-object", "-w", "-t", "tree", "--stdin"], "");
    let signed = format!(
        "tree {tree}\nauthor a <a@b.c> 1767225600 +0000\ncommitter a <a@b.c> 1767225600 +0000\ngpgsig -----BEGIN PGP \
         SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    );
    let commit = git(&["hash-object", "-w", "-t", "commit", "--stdin"], &signed);
    fs::write(place.join("refs/heads/main"), format!("{commit}\n")).unwrap();
    // The attack works where git is asked without care.
    let mut careless = Command::new("git");
    let careless = careless.args(["log", "-1"]).current_dir(place.join("within")).output().unwrap();
    assert!(mark.exists(), "the attack has to work: {careless:?}");
    fs::remove_file(&mark).unwrap();
    mark
}

#[test]
#[cfg(unix)]
fn no_program_runs_that_a_folder_of_the_tree_names_for_git() {
    let mut repository = Repository::new();
    for folder in ["benchmarks", "golden"] {
        fs::create_dir_all(repository.path().join(folder)).unwrap();
    }
    // The spec lies in what looks like a repository, and a work tree of it.
    let mark = embed(&repository, "benchmarks");
    let second = embed(&repository, "benchmarks/within/deep");
    assert_eq!(mark, second);
    let first = repository.bless("Bless the first rankings");
    repository.commit("Change nothing");
    let within = repository.path().join("benchmarks/within/deep/within");
    for file in ["topics.tsv", "qrels.txt", "toy.yaml"] {
        fs::copy(repository.path().join("benchmarks").join(file), within.join(file)).unwrap();
    }
    fs::create_dir_all(within.join("runs")).unwrap();
    fs::copy(repository.path().join("benchmarks/runs/words.run"), within.join("runs/words.run")).unwrap();
    let head = repository.commit("Copy the benchmark");
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    assert_eq!(told["histories"][0]["commits"][0]["commit"], *first, "{told}");
    for spec in ["benchmarks/toy.yaml", "benchmarks/within/deep/within/toy.yaml"] {
        let folder = repository.path().parent().unwrap().join(format!("{head}-kept"));
        let output = repository.run(&["run", "--output", folder.to_str().unwrap(), spec]);
        let report = fs::read_to_string(folder.join("toy/report.json")).unwrap();
        assert!(report.contains(&head), "{}\n{report}", output.stderr);
        fs::remove_dir_all(folder).unwrap();
        let output = repository.run(&["history", spec]);
        assert!(matches!(output.status, Some(0 | 2)), "{}", output.stderr);
    }
    assert!(!mark.exists(), "a program of the repository ran");
}

#[test]
fn what_a_hook_or_a_script_says_of_its_own_repository_is_not_heard() {
    let mut repository = Repository::new();
    let first = repository.bless("Bless the first rankings");
    let other = Repository::new();
    fs::write(other.path().join("file"), "another").unwrap();
    other.git(&["add", "."]);
    let at = |name: &str| other.path().join(name).to_str().unwrap().to_owned();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let command = surroundings::leave(&mut command).current_dir(repository.path());
    let variables = [
        ("GIT_DIR", at(".git")),
        ("GIT_WORK_TREE", at("")),
        ("GIT_INDEX_FILE", at(".git/index")),
        ("GIT_OBJECT_DIRECTORY", at(".git/objects")),
        ("GIT_NAMESPACE", "other".to_owned()),
        ("GIT_CONFIG_COUNT", "1".to_owned()),
        ("GIT_CONFIG_KEY_0", "core.worktree".to_owned()),
        ("GIT_CONFIG_VALUE_0", at("")),
        ("GIT_CONFIG_PARAMETERS", "'core.bare'='true'".to_owned()),
        ("GIT_EXTERNAL_DIFF", "false".to_owned()),
        ("GIT_TRACE", "1".to_owned()),
    ];
    command.envs(variables).args(["history", "--format", "json", "benchmarks/toy.yaml"]);
    let output = command.output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && stdout.contains(&first), "{stderr}");
    assert!(!stderr.contains("trace"), "{stderr}");
}

#[test]
fn worktrees_submodules_and_bare_repositories_are_told_or_refused() {
    let mut repository = Repository::new();
    let first = repository.bless("Bless the first rankings");
    let elsewhere = tempfile::tempdir().unwrap();
    let tree = elsewhere.path().join("tree");
    repository.git(&["worktree", "add", "--quiet", tree.to_str().unwrap(), "HEAD"]);
    let history = |folder: &Path, spec: &str| cli::run(folder, &["history", "--format", "json", spec], "");
    let output = history(&tree, "benchmarks/toy.yaml");
    assert!(output.status == Some(0) && output.stdout.contains(&first), "{}", output.stderr);
    let mut outer = Repository::new();
    let url = repository.path().to_str().unwrap();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "vendor/toy"]);
    outer.commit("Add a submodule");
    let output = history(outer.path(), "vendor/toy/benchmarks/toy.yaml");
    assert!(output.status == Some(0) && output.stdout.contains(&first), "{}", output.stderr);
    let bare = elsewhere.path().join("bare");
    repository.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let arguments = ["history", "--repository", bare.to_str().unwrap(), "benchmarks/toy.yaml"];
    let output = repository.run(&arguments);
    assert_eq!(output.status, Some(2));
    assert!(
        output.stderr.contains("not a git repository: neither it nor a folder above has a `.git`"),
        "{}",
        output.stderr
    );
}

/// What a container sees of a checkout that its host made.
#[test]
#[cfg(unix)]
fn a_repository_of_another_owner_is_read_where_its_user_says_so() {
    let mut repository = Repository::new();
    repository.bless("Bless the first rankings");
    let root = repository.path();
    // Only a superuser can give files away.
    for path in [root.to_owned(), root.join(".git")] {
        if std::os::unix::fs::chown(&path, Some(54_321), None).is_err() {
            return;
        }
    }
    let history = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        let command = surroundings::leave(&mut command).current_dir(root).env("HOME", root);
        command.envs(variables.iter().copied()).args(["history", "benchmarks/toy.yaml"]).output().unwrap()
    };
    let output = history(&[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("detected dubious ownership") && said.contains("safe.directory"), "{said}");
    let output = history(&[
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "safe.directory"),
        ("GIT_CONFIG_VALUE_0", "*"),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn filters_of_the_settings_do_not_run() {
    let mut repository = Repository::new();
    repository.bless("Bless the first rankings");
    fs::write(repository.path().join(".gitattributes"), "*.tsv filter=mark\n").unwrap();
    let head = repository.commit("Name a filter");
    let mark = repository.path().join(".git/filtered");
    let program = format!("touch '{}' && cat", mark.display());
    repository.git(&["config", "filter.mark.clean", &program]);
    repository.git(&["config", "filter.mark.required", "true"]);
    let topics = repository.path().join("benchmarks/topics.tsv");
    // As after a checkout that was copied: the same, and touched.
    let text = fs::read(&topics).unwrap();
    fs::remove_file(&topics).unwrap();
    fs::write(&topics, text).unwrap();
    let output = repository.run(&["run", "--quiet", "--output", ".git/kept", "benchmarks/toy.yaml"]);
    let report = fs::read_to_string(repository.path().join(".git/kept/toy/report.json")).unwrap();
    assert!(report.contains(&head), "{}", output.stderr);
    assert!(!mark.exists(), "a filter ran");
}
