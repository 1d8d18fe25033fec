//! Samples that are drawn from strata one by one.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, Outcome, ThresholdFinding};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::judge::{HumansFile, Sample, sha256};
use rankgate::stats::{Confidence, CorrectedMean};
use rankgate_judge::{Assessment, People};

use crate::judged::{Toy, edit, grade, reason, run};

fn open(folder: &Path) -> Benchmark {
    Benchmark::open(folder.join("toy.yaml"), &Registry::new()).unwrap()
}

fn draw(folder: &Path, by: Option<&str>, queries: Option<usize>) -> rankgate::Result<People> {
    match by {
        Some(by) => Assessment::new(&open(folder)).draw_strata(queries, None, by),
        None => Assessment::new(&open(folder)).draw_sample(queries, None),
    }
}

/// People grade as the truth is.
fn judge(folder: &Path, people: &People) {
    let graded = people.pairs.iter().map(|pair| {
        let (query, document) = pair.document.id[1..].split_once('-').unwrap();
        let grade = grade(query.parse().unwrap(), document.parse().unwrap());
        let [query_sha256, document_sha256] =
            [&*pair.query.text, &*pair.document.text].map(|text| sha256(text.as_bytes()));
        let line = serde_json::json!({
            "query": pair.query.id, "query_sha256": query_sha256,
            "document": pair.document.id, "document_sha256": document_sha256, "grade": grade,
        });
        format!("{line}\n")
    });
    let file = ("anna.jsonl".to_owned(), graded.collect::<String>());
    Assessment::new(&open(folder)).merge_grades(&[file]).unwrap();
}

fn sample(folder: &Path) -> Sample {
    HumansFile::read(&folder.join("humans.jsonl")).unwrap().sample
}

/// A judge that finds everything perfect that hard queries return, one in four, and is right about the others.
fn toy() -> Toy {
    let judge = |grade, query: usize| Some(if query.is_multiple_of(4) { 3 } else { grade });
    Toy { drawn: 0, judge, ..Toy::default() }
}

fn folder(by: Option<&str>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    toy().write(folder.path());
    let people = draw(folder.path(), by, Some(40)).unwrap();
    judge(folder.path(), &people);
    folder
}

fn threshold(folder: &Path) -> Box<ThresholdFinding> {
    let (gate, message) = run(folder).remove(0);
    let Finding::Threshold(finding) = gate.finding else { panic!("{message}") };
    finding
}

#[test]
fn each_stratum_counts_by_its_size() {
    let by_kind = folder(Some("kind"));
    // A quarter is hard: 10 of 40, where chance would draw another number.
    let drawn = sample(by_kind.path());
    let strata = drawn.strata.as_ref().unwrap();
    let names: Vec<(&str, usize)> = strata.of.iter().map(|(name, of)| (name.as_str(), of.len())).collect();
    assert_eq!((strata.by.as_str(), names), ("kind", vec![("easy", 90), ("hard", 30)]));
    let hard = drawn.drawn.iter().filter(|id| id[1..].parse::<usize>().unwrap().is_multiple_of(4)).count();
    assert_eq!((hard, drawn.drawn.len()), (10, 40));

    // The gate's value and interval are those of both kinds of scores by query, each kind of query counted by its number.
    let report = open(by_kind.path()).run();
    let configuration = report.configurations.iter().find(|one| one.name == "new").unwrap();
    let Outcome::Measured(measured) = &configuration.outcome else { panic!("{:?}", configuration.outcome) };
    let judged = measured.queries.iter().map(|query| query.judged["nDCG@5"].clone());
    let (model, people): (Vec<f64>, Vec<Option<f64>>) = judged.map(|one| (one.model, one.people)).unzip();
    let ids: Vec<&str> = measured.queries.iter().map(|query| query.id.as_str()).collect();
    let kinds: Vec<bool> = ids.iter().map(|id| id[1..].parse::<usize>().unwrap().is_multiple_of(4)).collect();
    let expected = CorrectedMean::stratified(&model, &people, &ids, &kinds, &(0.0..=1.0)).unwrap();
    let simple = CorrectedMean::within(&model, &people, &ids, &(0.0..=1.0)).unwrap();
    let finding = threshold(by_kind.path());
    let limits = |one: CorrectedMean| {
        one.interval(Confidence::default()).map(|limits| [limits.low, limits.high]).unwrap()
    };
    assert_eq!((finding.measured.value, finding.measured.interval), (expected.value, Some(limits(expected))));
    assert_ne!(limits(expected), limits(simple));
    let corrected = finding.corrected.as_ref().unwrap();
    assert_eq!((corrected.drawn, corrected.units, corrected.weight), (40, 120, Some(expected.weight)));
    let truth = Toy::default().truth();
    let [low, high] = limits(expected);
    assert!(low < truth && truth < high, "{low} {truth} {high}");
}

#[test]
fn strata_by_the_judges_scores_are_kept_with_the_sample() {
    let folder = folder(Some("nDCG@5"));
    let strata = sample(folder.path()).strata.unwrap();
    assert_eq!(strata.of.values().map(Vec::len).sum::<usize>(), 120);
    assert!(
        (2..=4).contains(&strata.of.len()) && strata.of.keys().next().unwrap().starts_with("1: "),
        "{strata:?}"
    );
    assert_eq!(threshold(folder.path()).corrected.unwrap().drawn, 40);
    // More queries are drawn from the same strata; what is judged stays.
    let before = sample(folder.path());
    draw(folder.path(), None, Some(60)).unwrap();
    let after = sample(folder.path());
    assert_eq!((after.strata.as_ref(), after.drawn.len()), (Some(&strata), 60));
    assert!(before.drawn.iter().all(|id| after.drawn.contains(id)));
}

#[test]
fn queries_that_the_judge_knows_nothing_of_are_a_stratum_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    toy().write(folder.path());
    let first = ["q000", "q001", "q002"];
    edit(folder.path(), "judged.jsonl", |text| {
        let is_first = |line: &&str| first.iter().any(|id| line.contains(id));
        text.lines().filter(|line| !is_first(line)).map(|line| format!("{line}\n")).collect()
    });
    // People have judged nothing of the collection yet.
    edit(folder.path(), "collection.json", |text| {
        let mut collection: serde_json::Value = serde_json::from_str(&text).unwrap();
        for query in collection["queries"].as_array_mut().unwrap().iter_mut() {
            query["judgments"] = serde_json::json!({});
        }
        collection.to_string()
    });
    draw(folder.path(), Some("nDCG@5"), Some(40)).unwrap();
    let strata = sample(folder.path()).strata.unwrap();
    assert_eq!(strata.of.get("(none)").map(Vec::as_slice), Some(&first.map(str::to_owned)[..]), "{strata:?}");
    assert_eq!(strata.of.values().map(Vec::len).sum::<usize>(), 120);
}

#[test]
fn another_kind_of_sample_is_a_choice_once_people_have_judged() {
    let error = |folder: &Path, by: &str| draw(folder, Some(by), Some(40)).unwrap_err().to_string();
    let of_all = folder(None);
    let said = error(of_all.path(), "kind");
    assert!(
        said.contains("the sample was drawn from all queries; one from strata of kind, would be a choice"),
        "{said}"
    );
    let by_kind = folder(Some("kind"));
    let said = error(by_kind.path(), "nDCG@5");
    assert!(
        said.contains("drawn from strata of kind; one from strata of nDCG@5, would be a choice"),
        "{said}"
    );
    let said = error(by_kind.path(), "nothing");
    assert!(said.contains("would be a choice"), "{said}");
    // Before that it is none.
    let fresh = tempfile::tempdir().unwrap();
    toy().write(fresh.path());
    draw(fresh.path(), None, Some(40)).unwrap();
    assert!(draw(fresh.path(), Some("kind"), Some(40)).unwrap().sample.strata.is_some());
    let said = error(fresh.path(), "nothing");
    assert!(said.contains("`nothing` is no metadata key of queries (kind, user), and no metric"), "{said}");
    let said = error(fresh.path(), "user");
    assert!(
        said.contains("60 strata of user need 120 drawn queries, 5 of each or all of it, and not 40"),
        "{said}"
    );
}

#[test]
fn strata_that_were_edited_are_refused() {
    let folder = folder(Some("kind"));
    edit(folder.path(), "humans.jsonl", |text| {
        text.replacen("\"q001\",\"q002\",\"q003\"", "\"q001\",\"q003\"", 1)
    });
    let (gate, _) = run(folder.path()).remove(0);
    assert!(
        reason(&gate).contains("the strata of kind hold other queries than there are"),
        "{}",
        reason(&gate)
    );
}
