//! Judgments by who gave them: a model's count where people gave none, and people's of a sample correct the metrics.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use rankgate::benchmark::model::{Finding, GateReport, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::collection::CollectionSource;
use rankgate::report;
use rankgate::retriever::retriever_fn;
use rankgate::{CollectionBuilder, Hit, Query, evaluate};

use crate::reports::joined;

/// Forty queries, each with the document `r`, which people found relevant; nobody judged `d` yet.
fn open(folder: &Path, judgments: &str, rest: &str) -> Result<Benchmark, rankgate::Error> {
    let queries: String = (1..=40)
        .map(|query| format!("      - {{id: q{query:02}, text: query {query}, relevant: {{r: 1}}}}\n"))
        .collect();
    let text = format!(
        "version: 1\nbenchmark: toy\ncollection:\n  judgments: {judgments}\n  inline:\n    queries:\n{queries}\
         configurations: {{mine: {{retriever: mine}}, other: {{retriever: other}}}}\n{rest}"
    );
    let mut registry = Registry::new();
    for (name, ids) in [("mine", ["d", "r"]), ("other", ["r", "d"])] {
        let build = move |_: &rankgate::Setup<'_>| {
            Ok(retriever_fn(move |_, _| Ok(vec![Hit::new(ids[0], 2.0), Hit::new(ids[1], 1.0)])))
        };
        registry.retrievers.register(name, build).unwrap();
    }
    let path = folder.join("toy.yaml");
    std::fs::write(&path, text).unwrap();
    Benchmark::open(&path, &registry)
}

fn run(folder: &Path, judgments: &str, rest: &str) -> Report {
    open(folder, judgments, rest).unwrap_or_else(|error| panic!("{error}")).run()
}

fn message(report: &Report, gate: usize) -> String {
    joined(&report::message(report, &report.gates[gate]))
}

/// What the model says of `d`: relevant to every second query.
fn of_model(query: usize) -> i32 {
    i32::from(query.is_multiple_of(2))
}

/// What people say, who find less.
fn of_people(query: usize) -> i32 {
    if query % 8 == 1 { 1 } else { i32::from(query.is_multiple_of(4)) }
}

fn write(folder: &Path, name: &str, queries: impl Iterator<Item = usize>, grade: impl Fn(usize) -> i32) {
    let mut text = String::new();
    for query in queries {
        let grade = grade(query);
        writeln!(text, "{{\"query\": \"q{query:02}\", \"document\": \"d\", \"grade\": {grade}}}").unwrap();
    }
    std::fs::write(folder.join(name), text).unwrap();
}

fn measured(gate: &GateReport) -> (f64, Option<[f64; 2]>) {
    match &gate.finding {
        Finding::Threshold(one) => (one.measured.value, one.measured.interval),
        Finding::Comparison(one) => (one.difference, one.interval),
        other => panic!("{other:?}"),
    }
}

/// `nDCG@2` of a list with `d` first and `r` second.
fn ndcg(grade: i32) -> f64 {
    let second = 1.0 / 3f64.log2();
    if grade == 1 { 1.0 } else { second }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Cochran, "Sampling Techniques", 12.6: the regression estimator of double sampling.
fn regression(model: &[f64], drawn: &[usize], people: &[f64]) -> f64 {
    let f: Vec<f64> = drawn.iter().map(|at| model[*at]).collect();
    let (mean_f, mean_y) = (mean(&f), mean(people));
    let product: f64 = f.iter().zip(people).map(|(f, y)| (f - mean_f) * (y - mean_y)).sum();
    let square: f64 = f.iter().map(|f| (f - mean_f).powi(2)).sum();
    mean_y + product / square * (mean(model) - mean_f)
}

const DRAWN: [usize; 24] =
    [1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 14, 16, 17, 18, 20, 22, 24, 25, 28, 30, 33, 34, 36, 39];

#[test]
fn peoples_sample_corrects_a_metric_as_it_corrects_a_column() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "model.jsonl", 1..=40, of_model);
    write(folder.path(), "sample.jsonl", DRAWN.into_iter(), of_people);
    let of = |column: &str, value: &dyn Fn(i32) -> f64| {
        let mut csv = "query,value,people,origin\n".to_owned();
        for query in 1..=40 {
            let people =
                if DRAWN.contains(&query) { value(of_people(query)).to_string() } else { String::new() };
            writeln!(csv, "q{query:02},{},{people},model", value(of_model(query))).unwrap();
        }
        std::fs::write(folder.path().join(column), csv).unwrap();
    };
    of("mine.csv", &ndcg);
    of("other.csv", &|_| 1.0);
    let report = run(
        folder.path(),
        "{model: model.jsonl, sample: sample.jsonl}",
        "scores: {column: {file: '{configuration}.csv'}}\nthresholds:\n  - {metric: nDCG@2, min: 0.6, for: mine}\n  \
         - {score: column, min: 0.6, for: mine}\n  - {metric: Judged@2, min: 1}\ncomparisons:\n  - {candidate: mine, baseline: \
         other, metrics: [nDCG@2]}\n  - {candidate: mine, baseline: other, scores: [column], name: c}\n",
    );
    let model: Vec<f64> = (1..=40).map(|query| ndcg(of_model(query))).collect();
    let places = DRAWN.map(|query| query - 1);
    let people = DRAWN.map(|query| ndcg(of_people(query)));
    let expected = regression(&model, &places, &people);
    let (value, limits) = measured(&report.gates[0]);
    assert!((value - expected).abs() < 1e-12 && (mean(&model) - expected).abs() > 0.01, "{value} {expected}");
    assert_eq!((value, limits), measured(&report.gates[1]));
    assert!(message(&report, 0).contains("people graded 24 of them"), "{}", message(&report, 0));
    // What people judged and what the model judged is judged.
    assert_eq!(measured(&report.gates[2]).0, 1.0);
    let [metric, column] = [4, 5].map(|gate| measured(&report.gates[gate]));
    assert!((metric.0 - (expected - 1.0)).abs() < 1e-12, "{metric:?}");
    assert_eq!(metric, column);
    assert!(message(&report, 4).contains("people"), "{}", message(&report, 4));
}

#[test]
fn a_model_alone_advises_and_compares() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "model.jsonl", 1..=40, of_model);
    // One below what corrects.
    write(folder.path(), "sample.jsonl", DRAWN.into_iter().take(19), of_people);
    let rest = "thresholds:\n  - {metric: nDCG@2, min: 0.6, for: mine}\n  - {metric: nDCG@2, min: 0.6, for: mine, level: advisory, \
                name: a}\ncomparisons:\n  - {candidate: mine, baseline: other, metrics: [nDCG@2]}\n";
    for (judgments, graded) in
        [("{model: model.jsonl}", 0), ("{model: model.jsonl, sample: sample.jsonl}", 19)]
    {
        let report = run(folder.path(), judgments, rest);
        let verdicts: Vec<Verdict> = report.gates.iter().map(|gate| gate.verdict).collect();
        assert_eq!(verdicts, [Verdict::Error, Verdict::Passed, Verdict::Failed]);
        let said = message(&report, 0);
        assert!(said.contains("level: advisory") && said.contains(&format!("graded {graded} ")), "{said}");
        assert!((measured(&report.gates[1]).0 - (1.0 + ndcg(0)) / 2.0).abs() < 1e-12);
        let said = message(&report, 2);
        assert!(said.contains("rests on the judge alone"), "{said}");
    }
}

#[test]
fn people_are_right_and_a_half_graded_query_is_not_in_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "model.jsonl", 1..=40, of_model);
    write(folder.path(), "people.jsonl", 1..=40, of_people);
    let rest = "thresholds: [{metric: nDCG@2, min: 0.6, for: mine, level: advisory}]\n";
    let report = run(folder.path(), "{people: people.jsonl, model: model.jsonl}", rest);
    let people: Vec<f64> = (1..=40).map(|query| ndcg(of_people(query))).collect();
    assert!((measured(&report.gates[0]).0 - mean(&people)).abs() < 1e-12);
    assert!(!message(&report, 0).contains("judge"), "people graded all: {}", message(&report, 0));

    let lines: String = DRAWN
        .into_iter()
        .map(|query| {
            let document = if query == 39 { "r" } else { "d" };
            let grade = if query == 39 { 1 } else { of_people(query) };
            format!("q{query:02} 0 {document} {grade}\n")
        })
        .collect();
    std::fs::write(folder.path().join("sample.qrels"), lines).unwrap();
    let report = run(folder.path(), "{model: model.jsonl, sample: sample.qrels}", rest);
    assert!(message(&report, 0).contains("people graded 23 of them"), "{}", message(&report, 0));
    let warnings: BTreeSet<&str> = report.warnings.iter().map(|one| one.text.as_str()).collect();
    let said = "1 of 24 queries is left out of the sample, such as `q39`: people did not grade every document of it that the model \
                graded";
    assert!(warnings.iter().any(|warning| warning.ends_with(said)), "{warnings:?}");
}

#[test]
fn what_is_wrong_with_the_files_is_an_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "thresholds: [{metric: nDCG@2, min: 0.6, for: mine, level: advisory}]\n";
    write(folder.path(), "model.jsonl", 1..=40, of_model);
    for (sample, why) in [
        (
            "q01 0 d 1\nq99 0 d 1\n",
            "sample.qrels:2: judgment of a query that the collection does not have: `q99`",
        ),
        ("q01 0 r 0\n", "sample.qrels:1: document `r` of query `q01` has grade 0 here and 1"),
        ("q01 0 d high\n", "sample.qrels:1: grade `high` is not a whole number"),
    ] {
        std::fs::write(folder.path().join("sample.qrels"), sample).unwrap();
        let report = run(folder.path(), "{model: model.jsonl, sample: sample.qrels}", rest);
        assert!(message(&report, 0).contains(why), "{}", message(&report, 0));
    }
    for (judgments, why) in [
        ("{sample: sample.qrels}", "`people` or `model`"),
        ("{people: model.jsonl, sample: sample.qrels}", "`sample`"),
    ] {
        let error = open(folder.path(), judgments, rest).err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
#[should_panic(expected = "nDCG@2 rests on a judge alone")]
fn an_assertion_does_not_rest_on_a_model_alone() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "model.jsonl", 1..=40, of_model);
    let queries: Vec<Query> = (1..=40).map(|query| Query::new(format!("q{query:02}"), "text")).collect();
    let mut builder = CollectionBuilder::new();
    for query in queries {
        builder.add_query(query, [("r", 1)]);
    }
    let source = CollectionSource::Judged {
        collection: Box::new(CollectionSource::Inline(builder.build().unwrap())),
        judgments: Vec::new(),
        model: Some(folder.path().join("model.jsonl")),
        sample: None,
    };
    let hits = |_: &Query, _| Ok(vec![Hit::new("d", 2.0), Hit::new("r", 1.0)]);
    evaluate(&source.load().unwrap(), 2, hits).unwrap().assert_at_least("nDCG@2", 0.1);
}
