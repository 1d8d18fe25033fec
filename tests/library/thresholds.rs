//! What gates on single configurations and the report say of data that is not as it should be.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::HashMap;
use std::sync::Mutex;

use rankgate::benchmark::model::{Finding, GateReport, Outcome, Report, ThresholdFinding, Verdict, Warning};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};

/// Three queries, of which the last has no relevant document, and a run over all of them.
const QUERIES: &str = "    queries:
      - {id: q1, text: refund for an order, relevant: {r: 2, s: 1}, topic: money}
      - {id: q2, text: change my address, relevant: {r: 1}, topic: account}
      - {id: q3, text: who are you, relevant: {n: 0}, topic: other}
";
const RUN: &str = "q1 Q0 r 1 9 x\nq1 Q0 s 2 8 x\nq2 Q0 n 1 9 x\nq2 Q0 r 2 8 x\nq3 Q0 n 1 9 x\n";

/// Decides a spec beside a run `mine`; `documents` is the inline collection's corpus.
fn decide(documents: &str, run: &str, rest: &str) -> Report {
    decide_with(documents, run, rest, &Registry::new())
}

fn decide_with(documents: &str, run: &str, rest: &str, registry: &Registry) -> Report {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.run"), run).unwrap();
    // Of three queries one is more than a tenth.
    let spec = format!(
        "version: 1\nbenchmark: toy\ngolden: golden\ncollection:\n  inline:\n{documents}{}{rest}\ncoverage: 0\n",
        QUERIES
    );
    let path = folder.path().join("toy.yaml");
    std::fs::write(&path, spec).unwrap();
    Benchmark::open(&path, registry).unwrap_or_else(|error| panic!("{error}")).run()
}

const MINE: &str = "configurations:\n  mine: {run: mine.run, order: rank}\n";

fn threshold(gate: &GateReport) -> &ThresholdFinding {
    match &gate.finding {
        Finding::Threshold(finding) => finding,
        other => panic!("{}: {other:?}", gate.name),
    }
}

fn reason(gate: &GateReport) -> &str {
    match &gate.finding {
        Finding::Undecided(undecided) => &undecided.reason,
        other => panic!("{}: {other:?}", gate.name),
    }
}

#[test]
fn results_that_are_not_in_the_corpus_are_errors_and_not_scored() {
    let documents = "    documents: {r: refunds, s: status, n: news}\n";
    let gate = format!("{MINE}thresholds: [{{metric: RR@10, min: 0.1}}]\n");
    assert_eq!(decide(documents, RUN, &gate).gates[0].verdict, Verdict::Passed);
    let report = decide(documents, "q1 Q0 1001 1 9 x\nq2 Q0 1002 1 9 x\nq2 Q0 r 2 8 x\n", &gate);
    assert_eq!(report.gates[0].verdict, Verdict::Error);
    assert_eq!(
        reason(&report.gates[0]),
        "2 of the 3 results in the top 20 of the queries are not in the corpus: `1001`, `1002` are ids of no \
         document, and the corpus has ids such as `r`"
    );
}

#[test]
fn a_limit_that_no_value_breaks_is_said_to_be_no_gate() {
    for (limit, is_none) in [
        ("metric: RR@10, min: 0", true),
        ("metric: RR@10, min: 1e-400", true),
        ("metric: P@1, max: 1", true),
        ("metric: NumRet, min: 0", true),
        ("metric: RR@10, min: 0.01", false),
        ("metric: RR@10, min: 0, max: 0.9", false),
    ] {
        let report = decide("", RUN, &format!("{MINE}thresholds: [{{{limit}}}]\n"));
        let said = report.warnings.iter().any(|warning| warning.text.contains("is no gate: "));
        assert_eq!(said, is_none, "{limit}: {:?}", report.warnings);
    }
}

#[test]
fn a_share_of_the_queries_is_held_to_its_limit() {
    // RR@10 is 1, 1/2 and 0: two of three queries reach 1/2. SciPy's binomtest(2, 3).proportion_ci(method="exact") is
    // [0.09429932405024612, 0.9915962413403874].
    let report =
        |gate: &str| decide("", RUN, &format!("{MINE}thresholds: [{{metric: RR@10>=0.5, {gate}}}]\n"));
    for (gate, verdict, held) in [
        ("min: 0.6", Verdict::Passed, 2.0 / 3.0),
        ("min: 0.7", Verdict::Failed, 2.0 / 3.0),
        ("min: 0.09, bound: lower", Verdict::Passed, 0.094_299_324_050_246_12),
        ("min: 0.6, bound: lower", Verdict::Failed, 0.094_299_324_050_246_12),
    ] {
        let report = report(gate);
        let [gate] = &report.gates[..] else { panic!("{:?}", report.gates) };
        assert_eq!((gate.name.as_str(), gate.verdict), ("toy::mine::RR@10>=0.5", verdict));
        let finding = threshold(gate);
        assert!((finding.held.unwrap() - held).abs() < 1e-9, "{:?}", finding.held);
        let [low, high] = finding.measured.interval.unwrap();
        assert!(
            (low - 0.094_299_324_050_246_12).abs() < 1e-9 && (high - 0.991_596_241_340_387_4).abs() < 1e-9
        );
    }
    let failed = report::text(&report("min: 0.7"));
    let words = "mine is below its threshold on the share of queries with RR@10>=0.5";
    assert!(failed.contains(words) && failed.contains("0.6667 < 0.7000"), "{failed}");
}

#[test]
fn a_few_foreign_documents_in_most_results_are_errors() {
    // Three documents of the corpus, and one that is not in it and stands in four of seven places.
    let documents = "    documents: {r: refunds, s: status, n: news}\n";
    let run = "q1 Q0 x 1 9 x\nq1 Q0 r 2 8 x\nq2 Q0 x 1 9 x\nq2 Q0 s 2 8 x\nq3 Q0 x 1 9 x\nq3 Q0 n 2 8 x\n";
    let gate = format!("{MINE}thresholds: [{{metric: RR@10, max: 1}}]\n");
    assert_eq!(decide(documents, run, &gate).gates[0].verdict, Verdict::Passed);
    let run = format!("{run}q3 Q0 y 3 7 x\n");
    let report = decide(documents, &run, &gate);
    assert!(
        reason(&report.gates[0]).starts_with("4 of the 7 results in the top 20"),
        "{:?}",
        report.gates[0]
    );
}

#[test]
fn a_metric_of_relevance_is_not_decided_on_results_none_of_which_is_judged() {
    let run = "q1 Q0 1001 1 9 x\nq2 Q0 1002 1 9 x\n";
    // Each would pass on a 0 that says nothing.
    for (gate, of) in [
        ("thresholds: [{metric: RR@10, max: 0.5}]\n", "RR@10 of mine"),
        ("thresholds: [{metric: nDCG@10, min: 0, segment: {topic: money}}]\n", "nDCG@10 of mine"),
        ("comparisons: [{candidate: other, baseline: mine, metrics: [RR@10]}]\n", "RR@10 of mine"),
        ("comparisons: [{candidate: mine, baseline: good, metrics: [AP], margin: 0.9}]\n", "AP of mine"),
    ] {
        let spec = format!("{MINE}  good: {{retriever: good}}\n  other: {{retriever: good}}\n{gate}");
        let mut registry = Registry::new();
        let good = |_: &rankgate::Setup<'_>| Ok(retriever_fn(|_: &Query, _| Ok(vec![Hit::new("r", 1.0)])));
        registry.retrievers.register("good", good).unwrap();
        let report = decide_with("", run, &spec, &registry);
        assert_eq!(report.gates[0].verdict, Verdict::Error, "{gate}");
        let reason = reason(&report.gates[0]);
        assert!(reason.starts_with(of), "{reason}");
        assert!(reason.contains("says nothing: not one of its 2 results was judged"), "{reason}");
        assert!(reason.contains("`1001`") && reason.contains("`r`"), "{reason}");
    }
    // An answer without a document is a 0 that was earned.
    let gate = format!("{MINE}thresholds: [{{metric: RR@10, min: 0.1, segment: {{topic: account}}}}]\n");
    assert_eq!(decide("", "q1 Q0 r 1 9 x\n", &gate).gates[0].verdict, Verdict::Failed);
}

#[test]
fn a_metric_of_relevance_is_not_decided_where_no_query_has_a_relevant_document() {
    let lists = "q1 Q0 r 1 9 x\nq1 Q0 s 2 8 x\nq2 Q0 r 1 9 x\nq3 Q0 n 1 9 x\n";
    let strict = "relevant-from: 3\n";
    let none = "no document of grade 3 or more was judged for any of the 3 queries";
    let other = "no document of grade 1 or more was judged for the one query";
    for (from, gate, said) in [
        (strict, "thresholds: [{metric: RR@10, min: 0}]\n", Some(none)),
        (strict, "thresholds: [{metric: P@1, max: 1}]\n", Some(none)),
        // Gains do not ask which grade is relevant, and neither do these.
        (strict, "thresholds: [{metric: nDCG@10, min: 0.5}]\n", None),
        (strict, "thresholds: [{metric: Judged@1, min: 0.5}]\n", None),
        (strict, "comparisons: [{candidate: less, baseline: mine, metrics: [AP]}]\n", Some(none)),
        ("", "thresholds: [{metric: RR@10, min: 0.5}]\n", None),
        ("", "thresholds: [{metric: nDCG@10, min: 0, segment: {topic: other}}]\n", Some(other)),
        (
            "",
            "comparisons: [{candidate: less, baseline: mine, metrics: [RR], segment: {topic: other}}]\n",
            Some(other),
        ),
    ] {
        let spec = format!("{MINE}  less: {{run: less.run}}\n{gate}");
        let report = decide_relevant_from(from, lists, &spec);
        match said {
            None => assert_eq!(report.gates[0].verdict, Verdict::Passed, "{gate}"),
            Some(said) => {
                assert_eq!(report.gates[0].verdict, Verdict::Error, "{gate}");
                assert!(reason(&report.gates[0]).contains(said), "{:?}", report.gates[0]);
            }
        }
    }
    // Where nothing can be found there is no value: not in the report, and not in the table of segments.
    let spec = format!("{MINE}segments: [topic]\nthresholds: [{{metric: [RR@10, nDCG@10], min: 0}}]\n");
    let report = decide_relevant_from("", lists, &spec);
    let Outcome::Measured(measured) = &report.configurations[0].outcome else { panic!("{report:?}") };
    let values: Vec<(&str, usize)> =
        measured.segments.iter().map(|one| (one.value.as_str(), one.metrics.len())).collect();
    assert_eq!(values, [("account", 2), ("money", 2), ("other", 0)]);
    let report = decide_relevant_from(strict, lists, &spec);
    let Outcome::Measured(measured) = &report.configurations[0].outcome else { panic!("{report:?}") };
    let names: Vec<&str> = measured.metrics.iter().map(|one| one.metric.as_str()).collect();
    assert_eq!(names, ["nDCG@10", "Judged@10"]);
    assert!(measured.warnings[0].text.starts_with("RR@10 has nothing to find"), "{:?}", measured.warnings);
}

/// [`decide`] with a line of the collection, beside a run `less` that answers the last query alone.
fn decide_relevant_from(from: &str, run: &str, rest: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.run"), run).unwrap();
    std::fs::write(folder.path().join("less.run"), "q3 Q0 n 1 9 x\n").unwrap();
    let from = if from.is_empty() { String::new() } else { format!("  {from}") };
    let path = folder.path().join("toy.yaml");
    // Of three queries one is more than a tenth.
    let spec =
        format!("version: 1\nbenchmark: toy\ncollection:\n{from}  inline:\n{QUERIES}{rest}coverage: 0\n");
    std::fs::write(&path, spec).unwrap();
    Benchmark::open(&path, &Registry::new()).unwrap_or_else(|error| panic!("{error}")).run()
}

#[test]
fn results_that_nobody_judged_are_told_before_a_value_that_needs_no_relevance() {
    let gate = format!("{MINE}thresholds: [{{metric: Judged@10, min: 0.1}}]\n");
    let report = decide("", "q1 Q0 1001 1 9 x\nq2 Q0 1002 1 9 x\n", &gate);
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
    let message = report::message(&report, &report.gates[0]);
    let second = message.split("\n\n").nth(1).unwrap();
    assert!(second.starts_with("  warning: not one of its 2 results was judged"), "{message}");
    assert!(second.contains("`1001`") && second.contains("`r`"), "{message}");
    assert!(report::text(&report).contains("mine: warning: not one of its 2 results was judged"));
}

#[test]
fn unanswered_queries_are_told_beside_the_value() {
    for (run, said) in [("q1 Q0 s 1 9 x\n", "3 queries, 2 of them not answered"), (RUN, "3 queries\n")] {
        let report = decide("", run, &format!("{MINE}thresholds: [{{metric: RR@10, min: 1}}]\n"));
        let message = report::message(&report, &report.gates[0]);
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn a_segment_key_that_no_query_has_is_an_error_of_every_gate() {
    let rest = format!("{MINE}segments: [topci]\nthresholds: [{{metric: [RR@10, P@1], min: 0}}]\n");
    let report = decide("", RUN, &rest);
    assert_eq!(report.gates.len(), 2);
    for gate in &report.gates {
        assert_eq!(gate.verdict, Verdict::Error);
        let (why, place) = reason(gate).split_once(" (").unwrap();
        assert_eq!(
            why,
            "`segments` names `topci`, which no judged query has as metadata: they have `topic`; did you mean \
             `topic`?"
        );
        // Behind the head of five lines, the queries and the configuration.
        assert!(place.ends_with("toy.yaml:12)"), "{place}");
    }
}

#[test]
fn a_segment_that_no_query_is_in_is_an_error_of_every_gate() {
    let thresholds = "{metric: P@1, min: 0}, {metric: RR@10, min: 0, segment: {topic: moneys}}";
    let report = decide("", RUN, &format!("{MINE}thresholds: [{thresholds}]\n"));
    assert_eq!(report.gates.len(), 2);
    for gate in &report.gates {
        let (why, place) = reason(gate).split_once(" (").unwrap();
        assert_eq!(why, "no query has topic=moneys: the values are account, money, other");
        assert!(place.ends_with("toy.yaml:12)"), "{place}");
    }
}

fn texts(warnings: Vec<Warning>) -> Vec<String> {
    warnings.into_iter().map(|warning| warning.text).collect()
}

#[test]
fn what_no_gate_needs_is_measured_for_the_report_and_told() {
    let rest = "configurations:\n  mine: {run: mine.run, order: rank}\n  other: {run: mine.run, order: score}\n\
                thresholds: [{metric: RR@10, min: 0.1, for: [mine]}]\n";
    let report = decide("", RUN, rest);
    assert!(matches!(report.configurations[1].outcome, Outcome::Measured(_)), "{:?}", report.configurations);
    assert_eq!(texts(report.warnings), ["no gate is on `other`: nothing about it can fail the build"]);
}

#[test]
fn a_spec_of_nothing_but_advice_says_that_no_score_can_fail() {
    let advice = "{metric: RR@10, min: 0.99, level: advisory}";
    let warnings =
        |thresholds: &str| texts(decide("", RUN, &format!("{MINE}thresholds: [{thresholds}]\n")).warnings);
    assert_eq!(warnings(advice), ["every gate is advisory: no score can fail the build"]);
    assert_eq!(warnings(&format!("{advice}, {{metric: P@1, min: 0.01}}")), [] as [&str; 0]);
}

#[test]
fn unjudged_documents_of_a_segment_are_held_against_the_segments_own() {
    // Judged@1 is 1 over all three queries but for q1, and 0 in its segment.
    let run = "q1 Q0 u 1 9 x\nq2 Q0 r 1 9 x\nq3 Q0 n 1 9 x\n";
    let rest = format!("{MINE}thresholds: [{{metric: P@1, min: 1, segment: {{topic: money}}}}]\n");
    let report = decide("", run, &rest);
    assert_eq!(threshold(&report.gates[0]).movers.judged, Some(0.0));
    let message = report::message(&report, &report.gates[0]);
    assert!(message.contains("1 document in the top 1 is unjudged; Judged@1 is 0.0000"), "{message}");
}

#[test]
fn queries_that_are_left_out_are_not_counted() {
    let skip =
        format!("{MINE}skip-queries-without-relevant: true\nthresholds: [{{metric: RR@10, min: 0}}]\n");
    let report = decide("", RUN, &skip);
    let collection = report.collection.as_ref().unwrap();
    assert_eq!((collection.queries, collection.unjudgeable, collection.left_out), (2, 1, 1));
    assert_eq!(threshold(&report.gates[0]).queries, 2);
    let text = report::text(&report);
    assert!(text.contains("2 judged queries (1 more without a relevant document left out)"), "{text}");

    let report = decide("", "q3 Q0 n 1 9 x\n", &skip);
    assert_eq!(
        reason(&report.gates[0]),
        "the run answers no query that has a relevant document, and the others are left out"
    );

    let segment = "thresholds: [{metric: RR@10, min: 0, segment: {topic: other}}]\nskip-queries-without-relevant: true\n";
    let report = decide("", RUN, &format!("{MINE}{segment}"));
    assert!(reason(&report.gates[0]).starts_with("1 query has topic=other, and not one is evaluated"));
}

/// Two queries that are documents themselves, as in ArguAna: each finds itself first.
#[test]
fn a_document_with_the_id_of_its_query_is_taken_out_before_scoring() {
    let mut registry = Registry::new();
    let find = |query: &Query, depth: usize| {
        let all = if query.id == "q1" { ["q1", "n", "r"] } else { ["q2", "r", "n"] };
        Ok(all.into_iter().take(depth).map(|id| Hit::new(id, 1.0)).collect())
    };
    registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
    let run = "q1 Q0 q1 1 9 x\nq1 Q0 n 2 8 x\nq1 Q0 r 3 7 x\nq2 Q0 q2 1 9 x\nq2 Q0 r 2 8 x\nq2 Q0 n 3 7 x\n";
    let rest = "configurations:\n  mine: {retriever: mine}\n  frozen: {run: mine.run}\ndepth: 2\n\
                thresholds: [{metric: RR@2, min: 0}]\ndeterministic: true\n";
    // Found at ranks 3 and 2, of which two are looked at: (0 + 1/2) / 2. Without the queries themselves at 2 and
    // 1: (1/2 + 1) / 2.
    for (key, value, taken_out) in [("", 0.25, None), ("  exclude-identical-ids: true\n", 0.75, Some(2))] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("mine.run"), run).unwrap();
        let queries = "    queries:\n      - {id: q1, text: a, relevant: [r]}\n      - {id: q2, text: b, relevant: [r]}\n";
        let path = folder.path().join("toy.yaml");
        let spec = format!("version: 1\nbenchmark: toy\ncollection:\n{key}  inline:\n{queries}{rest}");
        std::fs::write(&path, spec).unwrap();
        let report = Benchmark::open(&path, &registry).unwrap().run();
        assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Passed), "{:?}", report.gates);
        let means = report.gates.iter().filter(|gate| gate.name.ends_with("RR@2"));
        for (configuration, gate) in report.configurations.iter().zip(means) {
            let Outcome::Measured(measured) = &configuration.outcome else { panic!("{configuration:?}") };
            assert_eq!(measured.identical_ids, taken_out, "{}", configuration.name);
            assert_eq!(threshold(gate).measured.value, value, "{} {key}", configuration.name);
        }
        let said = report::text(&report).contains("mine: 2 documents with the id of the query taken out");
        assert_eq!(said, taken_out.is_some());
    }
}

#[test]
fn the_weakest_queries_name_what_the_metric_itself_calls_relevant() {
    let rest = format!("{MINE}thresholds: [{{metric: \"R(rel=2)@1\", min: 1}}]\n");
    let report = decide("", "q1 Q0 s 1 9 x\nq1 Q0 r 2 8 x\nq2 Q0 r 1 9 x\n", &rest);
    let losses = &threshold(&report.gates[0]).movers.losses;
    let first = losses.iter().find(|mover| mover.query == "q1").unwrap();
    let documents: Vec<&str> = first.documents.iter().map(|document| document.document.as_str()).collect();
    assert_eq!(documents, ["r"], "s has grade 1");
}

#[test]
fn what_breaks_an_upper_limit_are_the_highest_scores() {
    let rest = format!("{MINE}thresholds: [{{metric: RR@10, max: 0.4}}]\n");
    let report = decide("", RUN, &rest);
    let movers = &threshold(&report.gates[0]).movers;
    let gains: Vec<(&str, f64)> =
        movers.gains.iter().map(|mover| (mover.query.as_str(), mover.after)).collect();
    assert_eq!((gains, movers.losses.len()), (vec![("q1", 1.0), ("q2", 0.5)], 0));
    assert!(report::message(&report, &report.gates[0]).contains("the highest scores of 3 queries:"));
}

/// Puts the relevant document of q1 first when it is asked first, and second from then on.
fn moody() -> Registry {
    let mut registry = Registry::new();
    let build = |_: &rankgate::Setup<'_>| {
        let asked = Mutex::new(HashMap::<String, usize>::new());
        Ok(retriever_fn(move |query: &Query, _| {
            let mut asked = asked.lock().map_err(|_| "poisoned")?;
            let times = asked.entry(query.id.clone()).or_default();
            *times += 1;
            let ids = if *times == 1 { ["r", "n"] } else { ["n", "r"] };
            Ok(vec![Hit::new(ids[0], 1.0), Hit::new(ids[1], 1.0)])
        }))
    };
    registry.retrievers.register("moody", build).unwrap();
    registry
}

#[test]
fn with_repeats_the_documents_are_those_of_the_repeat_that_explains_the_mean() {
    let rest = format!(
        "{MINE}  moody: {{retriever: moody, repeats: 2}}\ncomparisons:\n  \
         - {{candidate: moody, baseline: mine, metrics: [RR@10], segment: {{topic: money}}}}\n"
    );
    let report = decide_with("", RUN, &rest, &moody());
    let Finding::Comparison(finding) = &report.gates[0].finding else { panic!("{report:?}") };
    let loss = &finding.movers.losses[0];
    assert_eq!((loss.before, loss.after), (Some(1.0), 0.75));
    let moves: Vec<_> = loss.documents.iter().map(|one| (one.document.as_str(), one.from, one.to)).collect();
    assert_eq!(moves, [("r", Some(1), Some(2)), ("s", Some(2), None)]);
    assert!(report::message(&report, &report.gates[0]).contains("scores are means over repeats"));
    // r and s against r and n, both ways: half of two, twice.
    assert!(finding.rows.iter().any(|row| row.value.starts_with("on average 50% of the first 10 documents")));
}

/// A crate without serde takes its parameters so.
#[test]
fn parameters_are_read_into_a_map() {
    use std::collections::HashMap;

    let mut registry = Registry::new();
    let build = |setup: &rankgate::Setup<'_>| {
        let texts = setup.params::<HashMap<String, String>>()?;
        let id = texts.get("id").cloned().unwrap_or_else(|| "r".to_owned());
        let score = texts.get("score").map_or(Ok(1.0), |score| score.parse::<f64>())?;
        Ok(retriever_fn(move |_: &Query, _| Ok(vec![Hit::new(id.as_str(), score)])))
    };
    registry.retrievers.register("texts", build).unwrap();
    let build = |setup: &rankgate::Setup<'_>| {
        let score = setup.params::<HashMap<String, f64>>()?.get("score").copied().unwrap_or(1.0);
        Ok(retriever_fn(move |_: &Query, _| Ok(vec![Hit::new("r", score)])))
    };
    registry.retrievers.register("numbers", build).unwrap();
    let verdict = |configuration: &str| {
        let rest =
            format!("configurations:\n  mine: {configuration}\nthresholds: [{{metric: RR@10, min: 0}}]\n");
        let report = decide_with("", RUN, &rest, &registry);
        (report.gates[0].verdict, report.gates[0].finding.undecided_reason().unwrap_or_default().to_owned())
    };
    for configuration in [
        "{retriever: texts}",
        "{retriever: texts, params: {id: r, score: 0.5}}",
        "{retriever: numbers}",
        "{retriever: numbers, params: {score: 2}}",
    ] {
        assert_eq!(verdict(configuration), (Verdict::Passed, String::new()), "{configuration}");
    }
    let (verdict, reason) = verdict("{retriever: numbers, params: {score: high}}");
    assert_eq!(verdict, Verdict::Error);
    assert!(reason.contains("\"high\"") && reason.contains("toy.yaml:11:"), "{reason}");
}

#[test]
fn a_parameter_that_nothing_reads_is_an_error_with_its_line() {
    #[derive(serde::Deserialize)]
    struct Weights {
        #[serde(default)]
        alpha: f64,
    }
    let mut registry = Registry::new();
    let build = |setup: &rankgate::Setup<'_>| {
        let Weights { alpha } = setup.params()?;
        Ok(retriever_fn(move |_: &Query, _| Ok(vec![Hit::new("r", alpha)])))
    };
    registry.retrievers.register("weighted", build).unwrap();
    registry.retrievers.register("plain", |_: &_| Ok(retriever_fn(|_: &Query, _| Ok(vec![])))).unwrap();
    let gates = "thresholds: [{metric: RR@10, min: 0}]\n";
    for (configuration, said) in [
        ("{retriever: weighted, params: {alhpa: 0.5}}", "unknown key `alhpa`"),
        ("{retriever: weighted, params: {alhpa: 0.5}}", "did you mean `alpha`?"),
        ("{retriever: plain, params: {alpha: 0.5}}", "nothing reads these parameters"),
    ] {
        let rest = format!("configurations:\n  mine: {configuration}\n{gates}");
        let report = decide_with("", RUN, &rest, &registry);
        assert_eq!(report.gates[0].verdict, Verdict::Error);
        let reason = reason(&report.gates[0]);
        assert!(reason.contains(said) && reason.contains("toy.yaml:11:"), "{reason}");
    }
    let rest = format!("configurations:\n  mine: {{retriever: weighted, params: {{alpha: 1}}}}\n{gates}");
    assert_eq!(decide_with("", RUN, &rest, &registry).gates[0].verdict, Verdict::Passed);
}

#[test]
fn a_depth_that_a_metric_without_cutoff_brings_is_told() {
    let said = "1,000 results asked for per query, because AP has no cutoff";
    for (metrics, more, told) in
        [("RR@10, AP", "", true), ("RR@10", "", false), ("RR@10, AP", "depth: 50\n", false)]
    {
        let rest = format!("{MINE}{more}thresholds: [{{metric: [{metrics}], min: 0}}]\n");
        assert_eq!(report::text(&decide("", RUN, &rest)).contains(said), told, "{rest}");
    }
}

#[test]
fn ties_of_a_run_that_is_read_by_score_have_their_own_cure() {
    let run = "q1 Q0 r 1 5 x\nq1 Q0 s 2 5 x\nq2 Q0 n 1 9 x\nq2 Q0 r 2 8 x\nq3 Q0 n 1 9 x\n";
    let rest = "configurations:\n  mine: {run: mine.run, order: rank}\n  other: {run: mine.run}\n\
                comparisons: [{candidate: other, baseline: mine, expect: identical}]\n";
    let report = decide("", run, rest);
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
    let message = report::message(&report, &report.gates[0]);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let cure = "or read a run file in the order of its lines (`order: rank`)";
    assert!(message.contains(cure), "{message}");
}

#[test]
fn a_mean_that_keeps_its_limit_is_told_to_keep_it() {
    // P@10 of .1 and .7: their floats average to a little less than .4.
    let folder = tempfile::tempdir().unwrap();
    let spec = "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n      - {id: q1, text: one, relevant: {a: 1}}\n      \
                - {id: q2, text: two, relevant: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1}}\nconfigurations:\n  \
                mine: {run: mine.run, order: rank}\nthresholds: [{metric: P@10, min: 0.4}]\n";
    std::fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    let run: String = ["q1", "q2"]
        .iter()
        .flat_map(|query| {
            (1..)
                .zip("abcdefg".chars())
                .map(move |(rank, id)| format!("{query} Q0 {id} {rank} {} x\n", 9 - rank))
        })
        .collect();
    std::fs::write(folder.path().join("mine.run"), run).unwrap();
    let report = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap().run();
    assert_eq!(report.gates[0].verdict, Verdict::Passed);
    assert_eq!(threshold(&report.gates[0]).broken(), None);
    let text = report::text(&report);
    assert!(text.contains("PASSED  mine::P@10  0.4000 >= 0.4000\n"), "{text}");
}

#[test]
fn bounds_of_grouped_queries_are_those_of_a_sample_of_groups() {
    // 24 queries of six users, a document of grade 10 (gain 1023) first for four users, of grade 8 (255) for two.
    let (mut queries, mut run) = (String::from("    queries:\n"), String::new());
    for query in 0..24 {
        let (user, grade) = (query / 4, if query < 16 { 10 } else { 8 });
        queries += &format!(
            "    - {{id: q{query:02}, text: a, relevant: {{r: {grade}}}, user: u{user}, half: h{}}}\n",
            query % 2
        );
        run += &format!("q{query:02} Q0 r 1 1 x\n");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.run"), run).unwrap();
    let decide = |statistics: &str| {
        let spec = format!(
            "version: 1\nbenchmark: toy\ngolden: golden\ncollection:\n  inline:\n{queries}{MINE}segments: [half]\nthresholds:\n  \
             - {{metric: DCG(gain=exp2)@1, min: 500, bound: lower}}\n  \
             - {{metric: DCG(gain=exp2)@1, max: 1100, bound: upper, name: most}}\n  \
             - {{metric: DCG(gain=exp2)@1, min: 500, bound: lower, segment: {{half: h0}}}}\n  \
             - {{metric: Success(rel=9)@1, min: 0.4, bound: lower}}\n{statistics}"
        );
        let path = folder.path().join("toy.yaml");
        std::fs::write(&path, spec).unwrap();
        Benchmark::open(&path, &Registry::new()).unwrap_or_else(|error| panic!("{error}")).run()
    };
    // The mean is 767. As 24 queries: sd² = (16 256² + 8 512²) / 23, t = 2.0687 with 23 degrees of freedom. As six
    // groups, whose deviations are 4 times 256 or -512: se² = 6/5 (4 1024² + 2 2048²) / 24² = 161.909², t = 2.5706 with
    // 5. Half of the queries of each user: the same with half the deviations and half the queries. Of the share, 16 of
    // 24 queries and 4 of 6 users, statsmodels proportion_confint(method="beta").
    let apart = [(610.84, 923.16), (610.84, 923.16), (526.74, 1007.26), (0.4468, 0.8437)];
    let grouped = [(350.80, 1183.20), (350.80, 1183.20), (350.80, 1183.20), (0.2228, 0.9567)];
    let verdicts = |report: &Report| report.gates.iter().map(|gate| gate.verdict).collect::<Vec<_>>();
    for (statistics, limits, groups, verdict) in [
        ("", apart, None, Verdict::Passed),
        ("statistics: {group-by: user}\n", grouped, Some(6), Verdict::Failed),
    ] {
        let report = decide(statistics);
        assert_eq!(verdicts(&report), [verdict; 4], "{statistics}");
        for (gate, (low, high)) in report.gates.iter().zip(limits) {
            let measured = &threshold(gate).measured;
            let [lower, upper] = measured.interval.unwrap();
            let digits = if high < 1.0 { 5e-5 } else { 5e-3 };
            assert!(
                (lower - low).abs() < digits && (upper - high).abs() < digits,
                "{}: {lower} {upper}",
                gate.name
            );
            assert_eq!(measured.groups, groups);
        }
        let Outcome::Measured(all) = &report.configurations[0].outcome else { panic!("not measured") };
        assert!(all.metrics.iter().chain(&all.segments[0].metrics).all(|metric| metric.groups == groups));
        let message = report::message(&report, &report.gates[0]);
        assert_eq!(message.contains("24 queries in 6 groups"), groups.is_some(), "{message}");
        let table = report::text(&report);
        assert_eq!(
            table.contains("95% intervals of the mean over 6 groups of queries"),
            groups.is_some(),
            "{table}"
        );
    }
}

#[test]
fn lists_whose_scores_do_not_fall_are_named() {
    let queries: String =
        (0..6).map(|at| format!("      - {{id: q{at}, text: ask {at}, relevant: [d{at}]}}\n")).collect();
    let spec = format!(
        "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n{queries}configurations: {{mine: {{retriever: mine}}}}\n\
         thresholds: [{{metric: RR@3, min: 0.1}}]\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.yaml");
    std::fs::write(&path, spec).unwrap();
    // By rank: whether the relevant document is first or last, and whether scores rise or fall.
    let shown = |is_first: bool, rises: bool| {
        let mut registry = Registry::new();
        let find = move |query: &Query, _: usize| {
            let found = format!("d{}", &query.id[1..]);
            let ids = if is_first { [&*found, "x", "y"] } else { ["x", "y", &*found] };
            let scores = if rises { [0.1, 0.2, 0.3] } else { [0.3, 0.2, 0.1] };
            Ok(ids.into_iter().zip(scores).map(|(id, score)| Hit::new(id, score)).collect())
        };
        registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
        let report = Benchmark::open(&path, &registry).unwrap().run();
        let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
        (text, threshold(&report.gates[0]).measured.value)
    };
    let expected = "scores rise along the list in 6 of 6 answers, first in that to `q0`";
    for (is_first, rises) in [(true, true), (false, true), (true, false), (false, false)] {
        let (text, value) = shown(is_first, rises);
        assert_eq!(text.contains(expected), rises, "{is_first} {rises}");
        // The highest score is first, wherever it stands in the list.
        assert_eq!(value, if is_first == rises { 1.0 / 3.0 } else { 1.0 }, "{is_first} {rises}");
    }
}
