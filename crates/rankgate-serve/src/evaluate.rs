//! `POST /v1/evaluate` and `POST /v1/compare`: queries with relevant documents, and lists of ids.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use rankgate_core::Result as CoreResult;
use rankgate_core::collection::{Collection, Qrels};
use rankgate_core::metric::Metric;
use rankgate_core::run::{Hit, Run};
use rankgate_core::stats::{
    ComparisonSettings, Differences, Expectation, Outcome, Question, Stream, compare,
};
use rankgate_report::Evaluation;
use serde::{Deserialize, Serialize};

use crate::problem::{Answer, Problem, escaped, from_json};

/// Values of k, retrievers, and tests of one request, at most.
const K_VALUES: usize = 20;
const RETRIEVERS: usize = 20;
const TESTS: usize = 200;
const DEEPEST: usize = 100_000;
/// A query without a relevant document scores 0 by this one, which nothing retrieves.
const NOTHING: &str = "\u{0}";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(default, rename = "query_text")]
    _text: Option<String>,
    query_id: Option<String>,
    relevant_docs: Option<Vec<String>>,
    relevance_grades: Option<BTreeMap<String, i32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvaluateRequest {
    queries: Vec<Query>,
    retrieved: Vec<Vec<String>>,
    k_values: Option<Vec<usize>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompareRequest {
    queries: Vec<Query>,
    retrievers: BTreeMap<String, Vec<Vec<String>>>,
    k_values: Option<Vec<usize>>,
    /// What pairs are tested on; nDCG at the largest k unless it is given.
    metrics: Option<Vec<String>>,
}

/// Means over queries.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Means {
    mrr: f64,
    map_score: f64,
    precision_at_k: ByK,
    recall_at_k: ByK,
    f1_at_k: ByK,
    ndcg_at_k: ByK,
    hit_rate_at_k: ByK,
}

type ByK = BTreeMap<usize, f64>;

#[derive(Debug, Serialize)]
pub(crate) struct Evaluated {
    num_queries: usize,
    #[serde(flatten)]
    means: Means,
    latency_ms: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    num_queries: usize,
    retrievers: BTreeMap<String, Means>,
    pairs: Vec<Pair>,
    latency_ms: f64,
}

#[derive(Debug, Serialize)]
struct Pair {
    baseline: String,
    candidate: String,
    metric: String,
    /// Candidate minus baseline.
    difference: f64,
    interval: Option<[f64; 2]>,
    /// Two-sided, for this pair alone.
    p: f64,
    /// Adjusted over all pairs and metrics of the request (Holm).
    p_adjusted: f64,
    verdict: &'static str,
}

/// Scores the lists of one retriever.
pub(crate) fn evaluate(body: &[u8]) -> Answer<Evaluated> {
    let begun = Instant::now();
    let EvaluateRequest { queries, retrieved, k_values } = from_json(body)?;
    let k_values = checked(k_values)?;
    let (ids, collection) = judged(&queries)?;
    let evaluation = evaluated(&collection, run(&ids, "/retrieved", &retrieved)?)?;
    Ok(Evaluated {
        num_queries: ids.len(),
        means: means(&evaluation, &k_values).map_err(|error| invalid(&error))?,
        latency_ms: begun.elapsed().as_secs_f64() * 1e3,
    })
}

/// Scores the lists of several retrievers, and tests each pair of them.
pub(crate) fn compare_all(body: &[u8]) -> Answer<Compared> {
    let begun = Instant::now();
    let CompareRequest { queries, retrievers, k_values, metrics } = from_json(body)?;
    let k_values = checked(k_values)?;
    if !(2..=RETRIEVERS).contains(&retrievers.len()) {
        let found = retrievers.len();
        return Err(Problem::at(
            "/retrievers",
            format!("Compare 2 to {RETRIEVERS} retrievers, not {found}."),
        ));
    }
    let deepest = k_values.last().copied().unwrap_or(10);
    let metrics = metrics.unwrap_or_else(|| vec![format!("nDCG@{deepest}")]);
    let tests = metrics.len() * retrievers.len() * (retrievers.len() - 1) / 2;
    if tests == 0 || tests > TESTS {
        return Err(Problem::at(
            "/metrics",
            format!("These are {tests} tests; the server makes 1 to {TESTS}."),
        ));
    }
    let (ids, collection) = judged(&queries)?;
    let mut evaluations = Vec::new();
    for (name, lists) in &retrievers {
        let pointer = format!("/retrievers/{}", escaped(name));
        evaluations.push((name, evaluated(&collection, run(&ids, &pointer, lists)?)?));
    }
    let mut told = BTreeMap::new();
    for (name, evaluation) in &evaluations {
        let means = means(evaluation, &k_values).map_err(|error| invalid(&error))?;
        told.insert((*name).clone(), means);
    }
    Ok(Compared {
        num_queries: ids.len(),
        retrievers: told,
        pairs: pairs(&evaluations, &metrics)?,
        latency_ms: begun.elapsed().as_secs_f64() * 1e3,
    })
}

fn pairs(evaluations: &[(&String, Evaluation)], metrics: &[String]) -> Answer<Vec<Pair>> {
    let mut named = Vec::new();
    let mut differences = Vec::new();
    for (place, metric) in metrics.iter().enumerate() {
        let failed =
            |error: &rankgate_core::Error| Problem::at(format!("/metrics/{place}"), error.to_string());
        let parsed = metric.parse::<Metric>().and_then(|metric| metric.check_gain());
        parsed.map_err(|error| failed(&error))?;
        let scores: Vec<Vec<f64>> = evaluations
            .iter()
            .map(|(_, one)| one.scores(metric.as_str()).map_err(|error| failed(&error)))
            .collect::<Answer<_>>()?;
        for baseline in 0..scores.len() {
            for candidate in baseline + 1..scores.len() {
                let one = Differences::new(&scores[baseline], &scores[candidate]);
                differences.push(one.map_err(|error| failed(&error))?);
                let other = Differences::new(&scores[candidate], &scores[baseline]);
                differences.push(other.map_err(|error| failed(&error))?);
                named.push((evaluations[baseline].0, evaluations[candidate].0, metric));
            }
        }
    }
    let stream = Stream::new(1);
    let gain = Expectation::Improvement { margin: 0.0 };
    let questions: Vec<Question<'_>> =
        differences.iter().map(|one| Question { expectation: gain, ..Question::new(one, &stream) }).collect();
    let compared = compare(&questions, &ComparisonSettings::default()).map_err(|error| invalid(&error))?;
    let pair = |((baseline, candidate, metric), two): ((&String, &String, &String), &[_])| {
        let [forth, back]: &[rankgate_core::stats::Comparison; 2] = two.try_into().ok()?;
        let wins = |one: &rankgate_core::stats::Comparison| one.decision.outcome == Outcome::Passed;
        Some(Pair {
            baseline: baseline.clone(),
            candidate: candidate.clone(),
            metric: metric.clone(),
            difference: forth.difference,
            interval: forth.interval.as_ref().ok().map(|interval| [interval.low, interval.high]),
            p: forth.p_two_sided(),
            p_adjusted: (2.0 * forth.p_adjusted.0.min(back.p_adjusted.0)).min(1.0),
            verdict: match (wins(forth), wins(back)) {
                (true, _) => "better",
                (_, true) => "worse",
                _ => "not_significant",
            },
        })
    };
    Ok(named.into_iter().zip(compared.chunks(2)).filter_map(pair).collect())
}

/// Values of k, each once and in their order.
fn checked(k_values: Option<Vec<usize>>) -> Answer<Vec<usize>> {
    let given = k_values.unwrap_or_else(|| vec![1, 3, 5, 10]);
    if given.is_empty() || given.len() > K_VALUES {
        let found = given.len();
        return Err(Problem::at("/k_values", format!("Give 1 to {K_VALUES} values of k, not {found}.")));
    }
    if let Some(place) = given.iter().position(|k| !(1..=DEEPEST).contains(k)) {
        let detail = format!("k is {}; it must be 1 to {DEEPEST}.", given[place]);
        return Err(Problem::at(format!("/k_values/{place}"), detail));
    }
    Ok(given.into_iter().collect::<BTreeSet<_>>().into_iter().collect())
}

/// The ids of the queries, and a collection of their judgments.
fn judged(queries: &[Query]) -> Answer<(Vec<String>, Collection)> {
    if queries.is_empty() {
        return Err(Problem::at("/queries", "There is no query."));
    }
    let mut qrels = Qrels::new();
    let (mut ids, mut seen) = (Vec::new(), BTreeSet::new());
    for (place, query) in queries.iter().enumerate() {
        let at = |key: &str, detail: String| Problem::at(format!("/queries/{place}{key}"), detail);
        let id = query.query_id.clone().unwrap_or_else(|| (place + 1).to_string());
        if !seen.insert(id.clone()) {
            return Err(at("/query_id", format!("Two queries have the id {id:?}.")));
        }
        let none = BTreeMap::new();
        let grades = match (&query.relevant_docs, &query.relevance_grades) {
            (None, None) => return Err(at("", "Give `relevant_docs` or `relevance_grades`.".to_owned())),
            (_, grades) => grades.as_ref().unwrap_or(&none),
        };
        for (document, grade) in grades {
            let pointer = || format!("/relevance_grades/{}", escaped(document));
            qrels.insert(&id, document, *grade).map_err(|error| at(&pointer(), error.to_string()))?;
        }
        for (number, document) in query.relevant_docs.iter().flatten().enumerate() {
            let key = format!("/relevant_docs/{number}");
            match grades.get(document) {
                None => qrels.insert(&id, document, 1).map_err(|error| at(&key, error.to_string()))?,
                Some(grade) if *grade > 0 => {}
                Some(grade) => {
                    return Err(at(&key, format!("{document:?} is relevant and has the grade {grade}.")));
                }
            }
        }
        if grades.is_empty() && query.relevant_docs.as_ref().is_none_or(Vec::is_empty) {
            qrels.insert(&id, NOTHING, 0).map_err(|error| at("", error.to_string()))?;
        }
        ids.push(id);
    }
    let collection =
        Collection::from_qrels(qrels).map_err(|error| Problem::at("/queries", error.to_string()))?;
    Ok((ids, collection))
}

/// Lists of ids, one for each query, as a run.
fn run(ids: &[String], pointer: &str, lists: &[Vec<String>]) -> Answer<Run> {
    if lists.len() != ids.len() {
        let detail = format!("There are {} lists for {} queries.", lists.len(), ids.len());
        return Err(Problem::at(pointer, detail));
    }
    for (place, list) in lists.iter().enumerate() {
        let mut seen = BTreeSet::new();
        if let Some(rank) = list.iter().position(|id| !seen.insert(id)) {
            let detail = format!("{:?} is in the list twice.", list[rank]);
            return Err(Problem::at(format!("{pointer}/{place}/{rank}"), detail));
        }
    }
    let hits = |list: &Vec<String>| -> Vec<Hit> {
        list.iter().enumerate().map(|(rank, id)| Hit::new(id, -(rank as f64))).collect()
    };
    let rankings = ids.iter().zip(lists).map(|(id, list)| (id.clone(), hits(list)));
    Run::from_rankings(rankings).map_err(|error| Problem::at(pointer, error.to_string()))
}

fn evaluated(collection: &Collection, run: Run) -> Answer<Evaluation> {
    Evaluation::of_run(collection, run).map_err(|error| invalid(&error))
}

fn means(evaluation: &Evaluation, k_values: &[usize]) -> CoreResult<Means> {
    let by_k = |name: &str| -> CoreResult<ByK> {
        k_values.iter().map(|k| Ok((*k, evaluation.value(format!("{name}@{k}").as_str())?))).collect()
    };
    Ok(Means {
        mrr: evaluation.value("RR")?,
        map_score: evaluation.value("AP")?,
        precision_at_k: by_k("P")?,
        recall_at_k: by_k("R")?,
        f1_at_k: by_k("F1")?,
        ndcg_at_k: by_k("nDCG")?,
        hit_rate_at_k: by_k("Success")?,
    })
}

fn invalid(error: &rankgate_core::Error) -> Problem {
    Problem::new(axum::http::StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_the_textbook() {
        let body = br#"{"queries": [{"query_text": "a", "relevant_docs": ["d1", "d3"]},
                                    {"query_text": "b", "relevance_grades": {"d2": 2, "d9": 0}}],
                        "retrieved": [["d1", "d2", "d3"], ["d1", "d2"]], "k_values": [1, 3]}"#;
        let told = serde_json::to_value(evaluate(body).unwrap()).unwrap();
        // Query a: ranks 1 and 3 of 2 relevant ones; query b: rank 2 of 1.
        assert_eq!(told["mrr"], (1.0 + 0.5) / 2.0);
        assert_eq!(told["map_score"], ((1.0 + 2.0 / 3.0) / 2.0 + 0.5) / 2.0);
        assert_eq!(told["precision_at_k"]["1"], 0.5);
        assert_eq!(told["recall_at_k"]["3"], 1.0);
        assert_eq!(told["hit_rate_at_k"]["1"], 0.5);
        let log = |rank: f64| 1.0 / (rank + 1.0).log2();
        let ndcg = ((log(1.0) + log(3.0)) / (log(1.0) + log(2.0)) + log(2.0)) / 2.0;
        assert!((told["ndcg_at_k"]["3"].as_f64().unwrap() - ndcg).abs() < 1e-12);
    }

    #[test]
    fn a_pair_has_a_difference_an_interval_and_a_verdict() {
        let queries: Vec<String> =
            (0..40).map(|at| format!("{{\"query_text\": \"q\", \"relevant_docs\": [\"d{at}\"]}}")).collect();
        let lists = |is_good: &dyn Fn(usize) -> bool| -> String {
            let list = |at| if is_good(at) { format!("[\"d{at}\"]") } else { "[\"x\"]".to_owned() };
            (0..40).map(list).collect::<Vec<_>>().join(",")
        };
        let body = format!(
            "{{\"queries\": [{}], \"retrievers\": {{\"bm25\": [{}], \"dense\": [{}]}}}}",
            queries.join(","),
            lists(&|at| at < 10),
            lists(&|at| at < 35)
        );
        let told = serde_json::to_value(compare_all(body.as_bytes()).unwrap()).unwrap();
        let pair = &told["pairs"][0];
        assert_eq!(pair["difference"], 25.0 / 40.0);
        // 25 of 25 pairs that differ: twice 2^-25.
        assert!((pair["p"].as_f64().unwrap() / (2.0 * 0.5_f64.powi(25)) - 1.0).abs() < 1e-9, "{pair}");
        assert_eq!(pair["verdict"], "better");
        assert!(pair["interval"][0].as_f64().unwrap() > 0.4);
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_its_pointer() {
        let refused = |body: &str| serde_json::to_value(evaluate(body.as_bytes()).unwrap_err()).unwrap();
        for (body, pointer) in [
            (r#"{"queries": [], "retrieved": []}"#, "/queries"),
            (r#"{"queries": [{"query_text": "a"}], "retrieved": [[]]}"#, "/queries/0"),
            (r#"{"queries": [{"relevant_docs": ["a"]}], "retrieved": [["b", "b"]]}"#, "/retrieved/0/1"),
            (r#"{"queries": [{"relevant_docs": ["a"]}], "retrieved": []}"#, "/retrieved"),
            (
                r#"{"queries": [{"relevant_docs": ["a"]}], "retrieved": [["a"]], "k_values": [0]}"#,
                "/k_values/0",
            ),
            (r#"{"queries": [{"relevant_docs": "a"}], "retrieved": [["a"]]}"#, "/queries/0/relevant_docs"),
        ] {
            assert_eq!(refused(body)["pointer"], pointer, "{body}");
        }
        let many = vec!["1"; 100_000].join(",");
        let body = format!(
            "{{\"queries\": [{{\"relevant_docs\": [\"a\"]}}], \"retrieved\": [[\"a\"]], \"k_values\": [{many}]}}"
        );
        assert_eq!(refused(&body)["pointer"], "/k_values");
    }
}
