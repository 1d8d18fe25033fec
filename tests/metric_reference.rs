//! Metrics against values that other people's tools give for random judgments and a random run.
//!
//! `tests/reference/make_metrics.py` made the data and the values, and says how.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use rankgate::metric::{JudgedRanking, Metric, catalogue};
use serde_json::Value;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/metrics").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The run's rankings judged by the qrels, for each judged query: by descending score, ties by
/// descending id as bytes.
fn judged_rankings() -> HashMap<String, JudgedRanking> {
    let mut qrels: BTreeMap<String, HashMap<String, i32>> = BTreeMap::new();
    for line in read("qrels.txt").lines() {
        let [query, _, doc, grade] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        qrels.entry(query.to_owned()).or_default().insert(doc.to_owned(), grade.parse().unwrap());
    }
    let mut run: HashMap<String, Vec<(f64, String)>> = HashMap::new();
    for line in read("run.txt").lines() {
        let [query, _, doc, _, score, _] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        run.entry(query.to_owned()).or_default().push((score.parse().unwrap(), doc.to_owned()));
    }
    let largest = *qrels.values().flat_map(HashMap::values).max().unwrap();
    let mut judge = |query: String, grades: HashMap<String, i32>| {
        let mut results = run.remove(&query).unwrap_or_default();
        results.sort_by(|(a, a_doc), (b, b_doc)| b.partial_cmp(a).unwrap().then_with(|| b_doc.cmp(a_doc)));
        let ranked = results.iter().map(|(_, doc)| grades.get(doc).copied()).collect();
        let ranking = JudgedRanking::new(ranked, grades.into_values().collect()).with_max_grade(largest);
        (query, ranking)
    };
    qrels.into_iter().map(|(query, grades)| judge(query, grades)).collect()
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
    assert!(differing > 20, "{differing}");
}

#[test]
fn every_family_has_a_reference() {
    let expected: Value = serde_json::from_str(&read("expected.json")).unwrap();
    let entries = expected["expected"].as_array().unwrap();
    let covered: BTreeSet<_> = entries
        .iter()
        .map(|entry| text(entry, "metric").parse::<Metric>().unwrap().definition().unwrap().name())
        .collect();
    assert_eq!(covered, catalogue().iter().map(|family| family.name()).collect());
}
