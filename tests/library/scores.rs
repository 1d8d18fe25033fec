//! Columns of scores: from answers, files and golden runs to gates.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, GateReport, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::retriever::{BoxError, Response, Retriever};
use rankgate::standalone::Standalone;
use rankgate::stats::{Confidence, CorrectedMean};
use rankgate::{Hit, Query, report};

use crate::reports::joined;

/// Forty queries, each with one relevant document that both configurations find.
fn collection() -> String {
    let queries: String = (1..=40)
        .map(|query| format!("      - {{id: q{query:02}, text: query {query}, relevant: {{a: 1}}}}\n"))
        .collect();
    format!("version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n{queries}")
}

struct Counting {
    share: f64,
}

impl Retriever for Counting {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.respond(query, depth).map(|response| response.hits)
    }

    fn respond(&self, query: &Query, _: usize) -> Result<Response, BoxError> {
        let number: f64 = query.id[1..].parse()?;
        let response = Response::new([Hit::new("a", 1.0)]);
        let says = self.share == 1.0 || number < 40.0;
        Ok(if says { response.with_score("tokens", (99.0 + number) * self.share) } else { response })
    }
}

/// `mine` says tokens: 100 of the first query, 101 of the second and so on; `other` half of them, and nothing of `q40`.
fn registry() -> Registry {
    let mut registry = Registry::new();
    for (name, share) in [("mine", 1.0), ("other", 0.5)] {
        registry.retrievers.register(name, move |_: &rankgate::Setup<'_>| Ok(Counting { share })).unwrap();
    }
    registry
}

fn open(folder: &Path, rest: &str) -> Result<Benchmark, rankgate::Error> {
    let path = folder.join("toy.yaml");
    std::fs::write(&path, collection() + rest).unwrap();
    Benchmark::open(&path, &registry())
}

fn run(folder: &Path, rest: &str) -> Report {
    open(folder, rest).unwrap_or_else(|error| panic!("{error}")).run()
}

fn message(report: &Report, gate: usize) -> String {
    joined(&report::message(report, &report.gates[gate]))
}

fn value(gate: &GateReport) -> f64 {
    match &gate.finding {
        Finding::Threshold(threshold) => threshold.measured.value,
        other => panic!("{other:?}"),
    }
}

fn verdicts(report: &Report) -> Vec<Verdict> {
    report.gates.iter().map(|gate| gate.verdict).collect()
}

/// A line for each query: `value` of it and what people say, which is nothing of most.
fn file(folder: &Path, name: &str, header: &str, line: impl Fn(usize) -> String) {
    let lines: String = (1..=40).map(|query| format!("q{query:02},{}\n", line(query))).collect();
    std::fs::write(folder.join(name), format!("{header}\n{lines}")).unwrap();
}

#[test]
fn numbers_of_answers_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    for again in ["", ", repeats: 2"] {
        let report = run(
            folder.path(),
            &format!(
                "scores:\n  tokens: {{direction: lower, range: [0, inf]}}\nconfigurations:\n  mine: {{retriever: mine{again}}}\n  \
                 other: {{retriever: other}}\nthresholds:\n  - {{score: tokens, max: 119.5, for: mine}}\n  - {{score: tokens, max: \
                 130, bound: every-query, for: mine, name: each}}\n  - {{score: tokens, max: 60, for: other}}\n  - {{metric: RR@3, min: 1}}\n"
            ),
        );
        // Of 100 to 139; of 50 to 69, without the last.
        assert_eq!([0, 2].map(|gate| value(&report.gates[gate])), [119.5, 59.5]);
        let [passed, failed] = [Verdict::Passed, Verdict::Failed];
        assert_eq!(verdicts(&report), [passed, failed, passed, passed, passed]);
        assert_eq!(report.gates[0].name, "toy::mine::tokens");
        let said = message(&report, 1);
        assert!(said.contains("q40") && said.contains("139"), "{said}");
    }
}

#[test]
fn a_column_with_too_few_queries_decides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    file(folder.path(), "few.csv", "query,value", |query| query.to_string());
    let text = std::fs::read_to_string(folder.path().join("few.csv")).unwrap();
    let kept: Vec<&str> = text.lines().take(31).collect();
    std::fs::write(folder.path().join("few.csv"), kept.join("\n")).unwrap();
    let rest = |coverage: &str| {
        format!(
            "scores:\n  few: {{file: few.csv, range: [0, 40]}}\n  none: {{file: none.csv}}\nconfigurations:\n  mine: {{retriever: \
             mine}}\nthresholds:\n  - {{score: few, min: 10{coverage}}}\n  - {{score: none, min: 0.5}}\n  - {{metric: RR, min: 1}}\n"
        )
    };
    let report = run(folder.path(), &rest(""));
    assert_eq!(verdicts(&report), [Verdict::Error, Verdict::Error, Verdict::Passed]);
    let said = message(&report, 0);
    assert!(
        said.contains(
            "mine has scores for 30 of 40 queries (75%). 90% is needed. Answers that decline have none: see \
             `FalseRefusal`. Else add the missing scores (`q31`"
        ),
        "{said}"
    );
    assert!(message(&report, 1).contains("none.csv is not there, which has the column `none`"));
    let report = run(folder.path(), &rest(", coverage: 0.75"));
    assert_eq!((report.gates[0].verdict, value(&report.gates[0])), (Verdict::Passed, 15.5));
    // A few that are missing are left out, and named.
    std::fs::write(folder.path().join("few.csv"), text.lines().take(38).collect::<Vec<_>>().join("\n"))
        .unwrap();
    let report = run(folder.path(), &rest(""));
    assert_eq!((report.gates[0].verdict, value(&report.gates[0])), (Verdict::Passed, 19.0));
    assert!(message(&report, 0).contains("mine has scores for 37 of 40 queries (`q38`, `q39`, `q40`)"));
}

#[test]
fn what_is_wrong_with_a_file_is_an_error_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "scores: {own: {file: own.csv}}\nconfigurations: {mine: {retriever: mine}}\nthresholds: [{score: own, min: 0.5}]\n";
    for (line, why) in [
        ("q01,2", "own.csv:2: query `q01`: own is 2, which is not in its range from 0 to 1"),
        ("q99,1", "own.csv:2: the collection has no query `q99`: remove the line"),
        ("q01,high", "own.csv:2: `high` is not a number: `q01,high`"),
        ("q01,1\nq01,1", "own.csv:3: query `q01` has a score in line 2 already: `q01,1`"),
    ] {
        std::fs::write(folder.path().join("own.csv"), format!("query,value\n{line}\n")).unwrap();
        let report = run(folder.path(), rest);
        assert!(message(&report, 0).contains(why), "{}", message(&report, 0));
    }
    std::fs::write(folder.path().join("own.csv"), "query,value,fingerprint\nq01,1,abc\n").unwrap();
    let said = message(&run(folder.path(), rest), 0);
    assert!(
        said.contains("has fingerprints of answers, and there are no answers to compare them with"),
        "{said}"
    );
}

#[test]
fn names_of_columns_are_checked_when_the_spec_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let error = |scores: &str, gate: &str| {
        let rest = format!(
            "scores: {scores}\nconfigurations: {{mine: {{retriever: mine}}, other: {{retriever: other}}}}\n{gate}\n"
        );
        open(folder.path(), &rest).err().unwrap().to_string()
    };
    let limit = "thresholds: [{score: tokens, max: 1}]";
    for (scores, gate, why) in [
        ("{token: {}}", limit, "no column of scores is called `tokens`"),
        (
            "{tokens: {file: x.csv}}",
            limit,
            "one file of scores for 2 configurations, which would all have the same",
        ),
        ("{tokens: {range: [1, 0]}}", limit, "`[0, 1]` or `[0, inf]`"),
        ("{ndcg: {}}", limit, "metric name `ndcg` is taken: it is the built-in nDCG"),
        (
            "{tokens: {direction: lower}}",
            "comparisons: [{candidate: mine, baseline: other, scores: [tokens]}]",
            "less of tokens is better",
        ),
        ("{tokens: {}}", "thresholds: [{max: 1}]", "a threshold needs `metric` or `score`"),
    ] {
        let said = error(scores, gate);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_comparison_of_a_column_names_the_queries_though_rankings_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "scores: {own: {file: 'own-{configuration}.csv'}}\nconfigurations: {mine: {retriever: mine}, other: {retriever: \
                other}}\ncomparisons:\n  - {candidate: mine, baseline: other, scores: [own]}\n";
    file(folder.path(), "own-other.csv", "query,value", |_| "1".to_owned());
    file(folder.path(), "own-mine.csv", "query,value", |query| if query < 11 { "0" } else { "1" }.to_owned());
    let report = run(folder.path(), rest);
    assert_eq!(verdicts(&report), [Verdict::Failed]);
    let said = message(&report, 0);
    assert!(said.contains("q01") && said.contains("own"), "{said}");
    let Finding::Comparison(finding) = &report.gates[0].finding else { panic!("{report:?}") };
    assert_eq!((finding.losses, finding.ties, finding.difference), (10, 30, -0.25));
}

/// Of a judge alone a comparison blocks, and warns.
#[test]
fn a_comparison_of_what_a_judge_alone_gave_can_fail() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "scores: {own: {file: 'own-{configuration}.csv'}}\nconfigurations: {mine: {retriever: mine}, other: {retriever: \
                other}}\ncomparisons:\n  - {candidate: mine, baseline: other, scores: [own]}\n";
    let column = |name: &str, value: fn(usize) -> &'static str| {
        file(folder.path(), name, "query,value,origin", |query| format!("{},model", value(query)));
    };
    column("own-other.csv", |_| "1");
    for (mine, verdict) in [
        ((|query| if query < 11 { "0" } else { "1" }) as fn(usize) -> &'static str, Verdict::Failed),
        (|_| "1", Verdict::Passed),
    ] {
        column("own-mine.csv", mine);
        let report = run(folder.path(), rest);
        assert_eq!(verdicts(&report), [verdict]);
        let said = message(&report, 0);
        assert!(
            said.contains("own rests on the judge alone: people graded 0 of its queries, and from 20 on"),
            "{said}"
        );
    }
}

/// Three answers decline, and have no score: those that are left are as good as before.
#[test]
fn scores_that_only_the_candidate_lacks_are_told_first() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "scores: {own: {file: 'own-{configuration}.csv'}}\nconfigurations: {mine: {retriever: mine}, other: {retriever: \
                other}}\ncomparisons:\n  - {candidate: mine, baseline: other, scores: [own]}\n  - {candidate: other, baseline: \
                mine, scores: [own]}\n";
    let answered = |from: usize| {
        (from..=40).fold("query,value\n".to_owned(), |text, query| text + &format!("q{query:02},0.5\n"))
    };
    std::fs::write(folder.path().join("own-other.csv"), answered(1)).unwrap();
    std::fs::write(folder.path().join("own-mine.csv"), answered(4)).unwrap();
    let report = run(folder.path(), rest);
    assert_eq!(verdicts(&report), [Verdict::Passed, Verdict::Passed]);
    let warnings = |gate: usize| {
        let Finding::Comparison(finding) = &report.gates[gate].finding else { panic!("{report:?}") };
        finding.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(
        warnings(0)[0].starts_with(
            "mine: own has a value for 37 of 40 queries, and for 40 of other (`q01`, `q02`, `q03`). Answers that decline have none"
        ),
        "{:?}",
        warnings(0)
    );
    assert!(!warnings(1).iter().any(|one| one.contains("decline")), "{:?}", warnings(1));
}

#[test]
fn golden_columns_stand_beside_the_golden_run() {
    // On a CI machine nothing is blessed.
    let Ok(standalone) = Standalone::new().registry(registry()).bless() else { return };
    let folder = tempfile::tempdir().unwrap();
    let rest = "scores: {own: {file: own.csv}}\ngolden: golden\nconfigurations: {mine: {retriever: mine}}\ncomparisons:\n  - \
                {candidate: mine, baseline: golden, scores: [own]}\n";
    file(folder.path(), "own.csv", "query,value", |_| "1".to_owned());
    assert_eq!(verdicts(&run(folder.path(), rest)), [Verdict::Error]);
    let blessing = standalone.open(folder.path().join("toy.yaml")).unwrap();
    assert!(blessing.run().blessings.iter().all(|one| !one.refused));
    blessing.bless_measured().unwrap();
    let blessed = std::fs::read_to_string(folder.path().join("golden/toy/mine.scores.csv")).unwrap();
    assert!(blessed.starts_with("query,own\nq01,1\n"), "{blessed}");
    assert_eq!(verdicts(&run(folder.path(), rest)), [Verdict::Passed]);
    file(folder.path(), "own.csv", "query,value", |query| if query < 11 { "0" } else { "1" }.to_owned());
    assert_eq!(verdicts(&run(folder.path(), rest)), [Verdict::Failed]);
}

/// People graded every second query, and find half of what the judge does.
#[test]
fn a_judge_alone_advises_and_people_correct_it() {
    let folder = tempfile::tempdir().unwrap();
    let value = |query: usize| 0.4 + 0.01 * query as f64;
    let header = "query,value,people,origin";
    let rest = |level: &str| {
        format!(
            "scores: {{own: {{file: own.csv}}}}\nconfigurations: {{mine: {{retriever: mine}}}}\nthresholds: [{{score: own, min: \
             0.25{level}}}]\n"
        )
    };
    file(folder.path(), "own.csv", header, |query| format!("{},,model", value(query)));
    let report = run(folder.path(), &rest(""));
    assert_eq!(verdicts(&report), [Verdict::Error]);
    let said = message(&report, 0);
    assert!(said.contains("own rests on a judge alone") && said.contains("level: advisory"), "{said}");
    let report = run(folder.path(), &rest(", level: advisory"));
    assert_eq!(verdicts(&report), [Verdict::Passed]);
    file(folder.path(), "own.csv", header, |query| {
        let people = if query % 2 == 0 { (value(query) / 2.0).to_string() } else { String::new() };
        format!("{},{people},model", value(query))
    });
    let report = run(folder.path(), &rest(""));
    // People's scores are half of the judge's, whose mean over all is .4 + .01 * 20.5: no residual is left.
    assert_eq!(verdicts(&report), [Verdict::Passed]);
    assert!((self::value(&report.gates[0]) - 0.605 / 2.0).abs() < 1e-12);
    assert!(message(&report, 0).contains("people graded 20 of them"), "{}", message(&report, 0));
}

/// The permutation test of the queries that people graded is of another mean.
#[test]
fn a_comparison_that_people_corrected_prints_its_own_interval_and_test() {
    let folder = tempfile::tempdir().unwrap();
    let judge = |loss: f64, query: usize| 0.9 - loss * (query % 7) as f64 / 6.0 - 0.01 * (query % 5) as f64;
    let people = |loss: f64, query: usize| judge(loss, query) * 0.6 - 0.02 * loss * (query % 3) as f64;
    for (name, loss) in [("mine", 0.2), ("other", 0.0)] {
        file(folder.path(), &format!("{name}.csv"), "query,value,people,origin", |query| {
            let graded = if query % 2 == 0 { people(loss, query).to_string() } else { String::new() };
            format!("{},{graded},model", judge(loss, query))
        });
    }
    let report = run(
        folder.path(),
        "scores: {own: {file: \"{configuration}.csv\"}}\nconfigurations: {mine: {retriever: mine}, other: {retriever: \
         mine}}\ncomparisons: [{candidate: mine, baseline: other, scores: [own]}]\n",
    );
    let Finding::Comparison(finding) = &report.gates[0].finding else { panic!("{:?}", report.gates) };
    let queries: Vec<usize> = (1..=40).collect();
    let model: Vec<f64> = queries.iter().map(|query| judge(0.2, *query) - judge(0.0, *query)).collect();
    let moved = |query: &usize| query.is_multiple_of(2).then(|| people(0.2, *query) - people(0.0, *query));
    let moved: Vec<Option<f64>> = queries.iter().map(moved).collect();
    let corrected = CorrectedMean::within(&model, &moved, &queries, &(-1.0..=1.0)).unwrap();
    let expected = corrected.interval(Confidence::default()).unwrap();
    let [low, high] = finding.interval.unwrap();
    for (found, expected) in
        [(finding.difference, corrected.value), (low, expected.low), (high, expected.high)]
    {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    assert_eq!(finding.test, "by Student's t of the corrected mean");
}
