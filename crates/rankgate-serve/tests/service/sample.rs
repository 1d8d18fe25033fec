//! Reports and commits that were made up.

use serde_json::{Value, json};

use crate::running::Running;

const EXAMPLE: &str = include_str!("../../../rankgate-report/src/report/example.json");
const QUERIES: usize = 60;

/// The id of a commit.
pub(crate) fn id(number: usize) -> String {
    format!("{number:040x}")
}

/// Scores around .6 that differ from query to query.
pub(crate) fn base() -> Vec<f64> {
    (0..QUERIES).map(|query| 0.4 + (query * 37 % 41) as f64 / 100.0).collect()
}

/// The same with every query lower by about `loss`, as far as it can be.
pub(crate) fn lower(values: &[f64], loss: f64) -> Vec<f64> {
    let share = |query: usize| 0.5 + (query * 17 % 11) as f64 / 10.0;
    values.iter().enumerate().map(|(query, value)| (value - loss * share(query)).max(0.0)).collect()
}

/// Each ranking is known by its scores.
pub(crate) fn ranking(values: &[f64]) -> String {
    let bits: String = values.iter().map(|value| format!("{:x}", value.to_bits())).collect();
    rankgate_serve::hash::sha256(bits.as_bytes())
}

/// A report of a commit.
pub(crate) fn report(benchmark: &str, commit: usize, values: &[f64], golden: &[f64]) -> Value {
    let mut report: Value = serde_json::from_str(EXAMPLE).unwrap();
    let (now, then) = (ranking(values), ranking(golden));
    let history = json!({
        "commit": id(commit), "queries": "q", "judgments": "j", "corpus": "c", "definitions": "d",
        "configurations": [{"name": "bm25", "depth": 100, "ranking": now, "golden": then, "gated": ["nDCG@10"]}],
    });
    // What places a report stands at its beginning.
    let fields = report.as_object_mut().unwrap();
    let rest = std::mem::take(fields);
    fields.insert("schema".into(), rest["schema"].clone());
    fields.insert("benchmark".into(), json!(benchmark));
    fields.insert("history".into(), history);
    fields.extend(rest.into_iter().filter(|(key, _)| key != "schema" && key != "benchmark"));
    fields["metrics"] = json!(["nDCG@10"]);
    let measured = &mut report["configurations"][0]["outcome"]["measured"];
    let template = measured["queries"][0].clone();
    let query = |(number, (now, then)): (usize, (&f64, &f64))| {
        let mut query = template.clone();
        query["id"] = json!(format!("q{number:03}"));
        query["scores"] = json!({"nDCG@10": now});
        query["golden"]["scores"] = json!({"nDCG@10": then});
        query
    };
    measured["queries"] = values.iter().zip(golden).enumerate().map(query).collect();
    (measured["unanswered"], measured["segments"], measured["curves"]) = (json!([]), json!([]), json!([]));
    report["collection"]["queries"] = json!(values.len());
    summarize(&mut report);
    report
}

/// Makes the means of the first configuration those of its queries.
pub(crate) fn summarize(report: &mut Value) {
    let measured = &mut report["configurations"][0]["outcome"]["measured"];
    let queries = measured["queries"].as_array().unwrap();
    let mean = |of: &dyn Fn(&Value) -> f64| queries.iter().map(of).sum::<f64>() / queries.len() as f64;
    let row = |metric: &String| {
        let now = |query: &Value| query["scores"][metric].as_f64().unwrap();
        let golden = |query: &Value| query["golden"]["scores"][metric].as_f64().unwrap_or_else(|| now(query));
        json!({"metric": metric, "value": mean(&now), "interval": null, "interval_kind": "too-few-units", "golden": mean(&golden)})
    };
    measured["metrics"] = queries[0]["scores"].as_object().unwrap().keys().map(row).collect();
}

/// Commits from one to another, each with the one before as its parent.
pub(crate) fn commits(from: usize, until: usize) -> Value {
    let commit = |number: usize| {
        let parent = number.checked_sub(1).map(id);
        let releases = if number == 0 { vec!["v1.0"] } else { Vec::new() };
        let subject = format!("Change {number}");
        json!({"commit": id(number), "parent": parent, "time": 86_400 * number, "subject": subject, "releases": releases})
    };
    json!({"branch": "main", "commits": (from..=until).map(commit).collect::<Vec<_>>()})
}

/// Pushes a ranking for each commit, the first being golden.
pub(crate) fn push(server: &Running, states: &[Vec<f64>], order: &[usize]) {
    for number in order {
        let report = report("helpdesk", *number, &states[*number], &states[0]);
        server.post_json("/v1/projects/search/reports", &report).expect(201);
        server
            .post_json("/v1/projects/search/commits", &commits(number.saturating_sub(2), *number))
            .expect(200);
    }
}

/// Twenty commits of one ranking, then one that lost.
pub(crate) fn step() -> Vec<Vec<f64>> {
    let mut states = vec![base(); 20];
    states.push(lower(&base(), 0.25));
    states
}
