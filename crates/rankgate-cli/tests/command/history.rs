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
}

pub(crate) fn texts<'a>(value: &'a Value, path: &str) -> Vec<&'a str> {
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
