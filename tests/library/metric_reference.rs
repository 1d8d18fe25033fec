//! Metrics against values that other people's tools give for random judgments and a random run.
//!
//! `tests/reference/make_metrics.py` made the data and the values, and says how.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use rankgate::metric::{JudgedRanking, Metric, catalogue};
use rankgate::{Collection, Evaluation, Order, Qrels, Query, Run};
use serde_json::Value;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/metrics").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The run judged by the qrels, for each judged query: read and ordered as a user's would be.
fn judged_rankings() -> HashMap<String, JudgedRanking> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/metrics");
    let collection = Collection::from_qrels(Qrels::read_trec(folder.join("qrels.txt")).unwrap()).unwrap();
    let run = Run::read(folder.join("run.txt"), Order::Score).unwrap();
    let evaluation = Evaluation::of_run(&collection, run).unwrap();
    let judged =
        |(index, query): (usize, &Query)| (query.id.clone(), evaluation.judged(index).unwrap().clone());
    evaluation.queries().iter().enumerate().map(judged).collect()
}

fn text(entry: &Value, key: &str) -> String {
    entry[key].as_str().unwrap_or_else(|| panic!("no {key} in {entry}")).to_owned()
}

#[test]
fn every_value_is_that_of_the_reference() {
    let expected: Value = serde_json::from_str(&read("expected.json")).unwrap();
    let rankings = judged_rankings();
    let queries = expected["queries"].as_array().unwrap();
    assert_eq!(queries.len(), rankings.len());
    let mut wrong = Vec::new();
    for entry in expected["expected"].as_array().unwrap() {
        let metric: Metric = text(entry, "metric").parse().unwrap();
        let values = entry["values"].as_array().unwrap();
        assert_eq!(values.len(), queries.len(), "{metric}");
        for (query, value) in queries.iter().zip(values) {
            let query = query.as_str().unwrap();
            let expected = value.as_f64().unwrap();
            let value = metric.try_compute(&rankings[query]).unwrap();
            let tolerance = match entry["absolute"].as_f64() {
                Some(absolute) => absolute,
                None => entry["relative"].as_f64().unwrap() * expected.abs(),
            };
            if (value - expected).abs() > tolerance {
                wrong.push(format!("{metric} of {query}: {value}, {} gives {expected}", text(entry, "tool")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} values differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Where we follow another definition than a tool does, on purpose, the data shows the difference.
#[test]
fn where_a_tool_is_not_followed_the_values_differ() {
    let expected: Value = serde_json::from_str(&read("expected.json")).unwrap();
    let rankings = judged_rankings();
    let mut differing = 0;
    for entry in expected["differing"].as_array().unwrap() {
        let metric: Metric = text(entry, "metric").parse().unwrap();
        for (query, theirs) in entry["values"].as_object().unwrap() {
            let ours = metric.compute(&rankings[query]);
            assert!(
                (ours - theirs.as_f64().unwrap()).abs() > 1e-9,
                "{metric} of {query}: {}",
                text(entry, "why")
            );
            differing += 1;
        }
    }
    assert!(differing > 7, "{differing}");
}

/// Those of subtopics, nERR and Compat have a reference in `diversity.rs`. GMAP is AP with a floor, and its mean is worked out by hand. Those of documents' metadata are worked out by hand.
/// Those of spans are worked out by hand in `chunks.rs`. Those of answers and contexts are held against others' tools in
/// tests/peers.
#[test]
fn every_family_has_a_reference() {
    let expected: Value = serde_json::from_str(&read("expected.json")).unwrap();
    let entries = expected["expected"].as_array().unwrap();
    let covered: BTreeSet<_> = entries
        .iter()
        .map(|entry| text(entry, "metric").parse::<Metric>().unwrap().definition().unwrap().name())
        .collect();
    assert_eq!(
        covered,
        catalogue()
            .iter()
            .filter(|family| !family.requirements().documents && !family.requirements().subtopics)
            .filter(|family| !["nERR", "Compat", "GMAP", "FalseSilence"].contains(&family.name()))
            .map(|family| family.name())
            .collect()
    );
}
