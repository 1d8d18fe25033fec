use serde_json::{Value, json};

use super::*;
use crate::model::HistoryReport;

/// Two queries: nDCG@10 is (.25 + .75) / 2 = .5 now and (.5 + .75) / 2 = .625 in the golden run, found is 1 + 2 = 3.
fn report() -> Value {
    let query = |id: &str, ndcg: f64, found: usize, rank: usize, golden: Value| {
        json!({"id": id, "metadata": {"kind": ["short", id]}, "scores": {"NumRelRet": found, "nDCG@10": ndcg, "ours": 7.5},
            "retrieved": 10, "relevant": 2, "found": found, "first_relevant": rank, "dcg": 1.5, "ideal_dcg": 2.0,
            "golden": golden, "anchors": {"golden@v1": {"scores": {"nDCG@10": 1.0}}}})
    };
    let row = |metric: &str, value: f64| json!({"metric": metric, "value": value, "interval": null});
    let first = query("q1", 0.25, 1, 10, json!({"scores": {"nDCG@10": 0.5}}));
    let second = query("q2", 0.75, 2, 1, json!({}));
    json!({"schema": 2, "benchmark": "toy", "confidence": 0.95, "collection": {"queries": 2}, "metrics": ["nDCG@10", "NumRelRet", "ours"],
        "history": {"commit": "c1", "queries": "q", "judgments": "j", "corpus": "", "definitions": "1",
            "configurations": [{"name": "words", "depth": 10, "ranking": "r", "golden": "g", "gated": ["nDCG@10"]}]},
        "configurations": [
            {"name": "words", "depth": 10, "outcome": {"measured": {
                "latency": {"p50_ms": 1.0, "p95_ms": 2.0, "max_ms": 2.0}, "unanswered": ["q1"],
                "metrics": [
                    {"metric": "nDCG@10", "value": 0.5, "interval": [0.1, 0.9], "spread": [0.5, 0.5], "golden": 0.625},
                    row("NumRelRet", 3.0), row("ours", 7.5)],
                "segments": [{"key": "kind", "value": "q2", "queries": 1, "metrics": [row("nDCG@10", 0.75)]},
                    {"key": "kind", "value": "short", "queries": 2, "metrics": [row("nDCG@10", 0.5)]}],
                "curves": [{"metric": "nDCG", "points": [{"cutoff": 1, "value": 0.5}]}],
                "queries": [first, second]}}},
            {"name": "other", "outcome": "not-asked"}],
        "gates": [
            {"verdict": "passed", "finding": {"kind": "threshold", "metric": "nDCG@10", "min": 0.4, "bound": "mean",
                "held": 0.5, "measured": {"metric": "nDCG@10", "value": 0.5, "interval": [0.1, 0.9]}}},
            {"verdict": "failed", "finding": {"kind": "comparison", "metric": "nDCG@10", "units": 2, "wins": 0, "ties": 1,
                "losses": 1, "baseline_mean": 0.625, "candidate_mean": 0.5, "difference": -0.125, "p_two_sided": 1.0,
                "p_greater": 1.0, "p_less": 0.5, "p_deciding": 1.0, "p_adjusted": 1.0}},
            {"verdict": "passed", "finding": {"kind": "weather", "metric": 3, "held": "wet"}}]})
}

fn check(report: &Value) -> Result<(), String> {
    let content: ReportContent = serde_json::from_value(report.clone()).map_err(|error| error.to_string())?;
    let history: HistoryReport = serde_json::from_value(report["history"].clone()).unwrap();
    content.check(Some(&history)).map_err(|wrong| wrong.to_string())
}

#[test]
fn a_report_that_agrees_with_itself_is_taken() {
    assert_eq!(check(&report()), Ok(()));
}

/// Each changes one value of a report that agrees with itself.
#[test]
fn what_contradicts_itself_is_named_with_its_place() {
    let measured = "/configurations/0/outcome/measured";
    let cases = [
        // What is no score of its metric, or no mean of its queries.
        (
            "queries/0/scores/nDCG@10",
            json!(7.5),
            "nDCG@10 of query `q1` is 7.5, and nDCG@10 lies between 0 and 1",
        ),
        (
            "queries/0/scores/NumRelRet",
            json!(-1),
            "NumRelRet of query `q1` is -1, and NumRelRet is never below 0",
        ),
        ("queries/1/golden", json!({"scores": {"nDCG@10": -0.1}}), ""),
        ("queries/1/anchors/golden@v1/scores/nDCG@10", json!(1.1), ""),
        ("metrics/0/value", json!(0.75), "nDCG@10 is 0.75, and the mean of its queries is 0.5"),
        ("metrics/0/value", json!(7.5), "nDCG@10 is 7.5, and nDCG@10 lies between 0 and 1"),
        ("metrics/0/golden", json!(0.5), "nDCG@10 is 0.5, and the mean of its queries is 0.625"),
        ("metrics/1/value", json!(1.5), "NumRelRet is 1.5, and the sum of its queries is 3"),
        ("metrics/2/value", json!(0.5), "ours is 0.5, and the mean of its queries is 7.5"),
        ("segments/0/metrics/0/value", json!(0.5), "nDCG@10 is 0.5, and the mean of its queries is 0.75"),
        ("curves/0/points/0/value", json!(1.5), "nDCG@1 is 1.5, and nDCG@1 lies between 0 and 1"),
        // An interval beside its value, or from its end to its beginning.
        ("metrics/0/interval", json!([0.6, 0.9]), "nDCG@10 is 0.5, which is not between 0.6 and 0.9"),
        ("metrics/0/interval", json!([0.9, 0.1]), "nDCG@10 is 0.5, which is not between 0.9 and 0.1"),
        ("metrics/0/spread", json!([0.0, 0.4]), "nDCG@10 is 0.5, which is not between 0 and 0.4"),
        // Counts and their lists.
        ("unanswered/0", json!("q3"), "`q3` is none of the queries"),
        ("segments/0/queries", json!(2), "2 queries of kind=q2, and 1 are listed"),
        ("queries/0/found", json!(3), "query `q1` finds 3 of 2 relevant documents in 10 results"),
        ("queries/0/first_relevant", json!(11), ""),
        ("queries/0/first_relevant", Value::Null, ""),
        ("queries/0/dcg", json!(2.5), "query `q1` has a gain of 2.5, and the best ranking one of 2"),
        ("latency", json!({"p50_ms": 2.0, "p95_ms": 1.0, "max_ms": 2.0}), ""),
    ];
    let cases = cases.map(|(key, value, message)| (format!("{measured}/{key}"), value, message));
    let gates = [
        ("/gates/0/finding/held", json!(0.6), "it is 0.6, and `measured` has 0.5 there"),
        ("/gates/1/finding/units", json!(3), "0 wins, 1 ties and 1 losses are not 3 units"),
        ("/gates/1/finding/p_less", json!(1.5), "1.5 is no p-value: they lie between 0 and 1"),
        ("/gates/1/finding/difference", json!(0.125), "it is 0.125, and the means differ by -0.125"),
        ("/gates/1/finding/baseline_mean", json!(62.5), ""),
        ("/confidence", json!(95), "95 is no confidence: it lies between 0 and 1"),
        ("/history/configurations/0/depth", json!(100), "it is 100 here, and 10 in `configurations`"),
        (
            "/history/configurations/0/gated",
            json!(["RR"]),
            "a gate stands on RR, and no query has a score of it",
        ),
    ];
    let gates = gates.map(|(pointer, value, message)| (pointer.to_owned(), value, message));
    for (pointer, value, message) in cases.into_iter().chain(gates) {
        let mut report = report();
        *report.pointer_mut(&pointer).unwrap_or_else(|| panic!("there is no {pointer}")) = value;
        let said = check(&report).expect_err(&pointer);
        assert!(said.starts_with(&pointer), "{pointer}: {said}");
        assert!(message.is_empty() || said == format!("{pointer}: {message}"), "{said}");
    }
}

#[test]
fn what_is_missing_or_comes_twice_is_named() {
    let change = |change: &dyn Fn(&mut Value)| {
        let mut report = report();
        change(&mut report);
        check(&report).unwrap_err()
    };
    let measured = "/configurations/0/outcome/measured";
    let said = change(&|report| report["history"]["configurations"][0]["name"] = json!("other"));
    assert_eq!(said, "/configurations: `configurations` has no scores of other");
    let said = change(&|report| report["collection"]["queries"] = json!(3));
    assert_eq!(said, format!("{measured}/queries: it lists 2 queries, and `collection` counts 3"));
    let twice = |list: &mut Value| {
        let first = list[0].clone();
        list.as_array_mut().unwrap().push(first);
    };
    for (pointer, name) in [
        (format!("{measured}/queries"), "q1"),
        (format!("{measured}/metrics"), "nDCG@10"),
        (format!("{measured}/unanswered"), "q1"),
        ("/configurations".to_owned(), "words"),
        ("/history/configurations".to_owned(), "words"),
        ("/metrics".to_owned(), "nDCG@10"),
    ] {
        let said = change(&|report| twice(report.pointer_mut(&pointer).unwrap()));
        assert_eq!(said, format!("{pointer}: `{name}` comes twice"));
    }
    let said = change(&|report| {
        let scores = &mut report["configurations"][0]["outcome"]["measured"]["queries"][1]["scores"];
        drop(scores.as_object_mut().unwrap().remove("ours"));
    });
    assert_eq!(
        said,
        format!("{measured}/queries/1/scores: query `q2` has scores of other metrics than the first")
    );
    // A gate passes on a value that breaks its limit.
    let said = change(&|report| report["gates"][0]["finding"]["min"] = json!(0.6));
    assert_eq!(said, "/gates/0/finding/held: the gate passed, and 0.5 breaks its limit");
}

#[test]
fn numbers_that_are_not_finite_and_keys_that_come_twice_are_not_read() {
    let text = report().to_string();
    let read =
        |text: &str| serde_json::from_str::<ReportContent>(text).map(drop).map_err(|error| error.to_string());
    assert_eq!(read(&text), Ok(()));
    for number in ["1e999", "-1e999", "NaN", "Infinity"] {
        assert!(read(&text.replace("0.625", number)).is_err(), "{number}");
    }
    for key in ["schema", "benchmark", "history", "metrics", "configurations", "gates"] {
        let twice = text.replacen('{', &format!("{{\"{key}\": null, "), 1);
        assert!(read(&twice).is_err(), "{key}");
    }
}

#[test]
fn rounding_is_no_contradiction() {
    let mut report = report();
    let measured = &mut report["configurations"][0]["outcome"]["measured"];
    measured["metrics"][0]["value"] = json!(0.5 + 1e-12);
    measured["queries"][0]["anchors"]["golden@v1"]["scores"]["nDCG@10"] = json!(1.0 + 1e-15);
    assert_eq!(check(&report), Ok(()));
}

/// A report in which no query has a score of nDCG@10, on which a gate stands.
fn without_scores() -> Value {
    let mut report = report();
    report["configurations"][0]["outcome"]["measured"]["metrics"].as_array_mut().unwrap().remove(0);
    for key in ["segments", "curves"] {
        report["configurations"][0]["outcome"]["measured"][key] = json!([]);
    }
    for query in report["configurations"][0]["outcome"]["measured"]["queries"].as_array_mut().unwrap() {
        drop(query["scores"].as_object_mut().unwrap().remove("nDCG@10"));
        (query["golden"], query["anchors"]) = (json!({}), json!({}));
    }
    report["gates"] = json!([]);
    report
}

#[test]
fn a_metric_without_scores_is_no_contradiction_where_its_gate_is_errored() {
    let mut report = without_scores();
    assert_eq!(check(&report), Ok(()), "the gate was not selected");
    let undecided = json!({"kind": "undecided", "gate": "threshold", "metric": "nDCG@10", "failure": {}});
    report["gates"] = json!([{"configuration": "words", "verdict": "errored", "finding": undecided}]);
    assert_eq!(check(&report), Ok(()));
    let threshold = json!({"kind": "threshold", "metric": "nDCG@10", "min": 0.4, "bound": "mean", "held": 0.5,
        "measured": {"metric": "nDCG@10", "value": 0.5, "interval": [0.45, 0.9]}});
    let of = |finding: &Value, configuration: &str| {
        let mut report = without_scores();
        report["gates"] = json!([{"configuration": configuration, "verdict": "passed", "finding": finding}]);
        check(&report)
    };
    let said = "/gates/0/verdict: it was decided on nDCG@10, and no query of words has a score of it";
    assert_eq!(of(&threshold, "words"), Err(said.to_owned()));
    assert_eq!(of(&threshold, "other"), Ok(()));
    for (key, value) in [
        ("segment", json!(["kind", "q2"])),
        ("answers", json!({})),
        ("corrected", json!({})),
        ("metric", json!("RR")),
    ] {
        let mut finding = threshold.clone();
        finding[key] = value;
        assert_eq!(of(&finding, "words"), Ok(()), "{key}");
    }
}

/// FalseAnswer and MissedRefusal are of unanswerable queries, and the list is of those that are judged.
#[test]
fn a_gate_on_a_metric_of_unanswerable_queries_needs_no_score_of_a_judged_one() {
    for metric in ["FalseAnswer", "MissedRefusal"] {
        let mut report = report();
        report["metrics"].as_array_mut().unwrap().push(json!(metric));
        report["history"]["configurations"][0]["gated"] = json!(["nDCG@10", metric]);
        let gate = json!({"configuration": "words", "verdict": "passed", "finding": {"kind": "threshold",
            "metric": metric, "max": 0.4, "bound": "mean", "held": 0.25,
            "measured": {"metric": metric, "value": 0.25, "interval": null}}});
        report["gates"].as_array_mut().unwrap().push(gate);
        assert_eq!(check(&report), Ok(()), "{metric}");
    }
}

/// One metric that cannot be scored leaves a configuration without scores, and other gates on it are decided: then it
/// says `errored`, which nobody takes for a score.
#[test]
fn a_configuration_that_errored_needs_no_scores() {
    let mut report = report();
    report["configurations"][0]["outcome"] = json!({"errored": {"cause": {"error": "no documents"}}});
    assert_eq!(check(&report), Ok(()));
    report["configurations"][0]["depth"] = json!(20);
    assert!(check(&report).is_err());
    report["configurations"][0]["depth"] = json!(10);
    for outcome in [json!("not-asked"), json!({"ignored": "slow"})] {
        report["configurations"][0]["outcome"] = outcome;
        assert_eq!(
            check(&report),
            Err("/configurations: `configurations` has no scores of words".to_owned())
        );
    }
}
