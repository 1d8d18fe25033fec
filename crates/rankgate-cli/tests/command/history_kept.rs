//! Histories of reports that CI kept, beside those of golden runs.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;

use serde_json::Value;

use crate::history::{QUERIES, Repository, texts};

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
