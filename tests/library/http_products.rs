//! The snippets of `docs/http.md`, each against an answer in the shape that its product documents.

#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use crate::http_retriever::{failure, passes};
use crate::http_server::{JSON, Request, Server};
use rankgate::benchmark::model::{Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use serde_json::{Value, json};

const DOCS: &str = include_str!("../../docs/http.md");

/// The configuration under a product's heading, with the address of a server of ours.
fn snippet(product: &str, server: &Server) -> String {
    let section = DOCS.split(&format!("\n## {product}\n")).nth(1).unwrap();
    let yaml = section.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    // Variables are those of whoever runs the tests.
    yaml.replace("${SEARCH_URL}", &server.url())
        .replace("${SEARCH_KEY}", "key")
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect()
}

fn measure(product: &str, answer: Value) -> (Report, Vec<Request>) {
    let server = Server::answering(move |_| (200, JSON, answer.to_string()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.yaml");
    let spec = format!(
        "version: 1\nbenchmark: bench\ndepth: 10\ncollection: {{inline: {{queries: [{{id: q1, text: refund, relevant: [d1, '17']}}]}}}}\n\
         configurations:\n{}thresholds: [{{metric: 'P@2', min: 1}}]\n",
        snippet(product, &server)
    );
    std::fs::write(&path, spec).unwrap();
    let benchmark = Benchmark::open(&path, &Registry::new()).unwrap_or_else(|error| panic!("{error}"));
    (benchmark.run(), server.requests())
}

/// The answer is understood, and the request has the query and the depth where they belong.
fn check_answer(product: &str, text: &str, depth: &str, answer: Value, path: &str) {
    let (report, requests) = measure(product, answer);
    passes(&report);
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert!(request.head.starts_with(&format!("POST {path} ")), "{}", request.head);
    assert_eq!(request.body.pointer(text), Some(&json!("refund")), "{}", request.body);
    assert_eq!(request.body.pointer(depth), Some(&json!(10)), "{}", request.body);
}

fn elasticsearch() -> Value {
    json!({
        "took": 3, "timed_out": false, "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": 2, "relation": "eq"}, "max_score": 1.3862942,
            "hits": [
                {"_index": "docs", "_id": "d1", "_score": 1.3862942},
                {"_index": "docs", "_id": "17", "_score": 0.2},
            ],
        },
    })
}

#[test]
fn elasticsearch_fits() {
    let path = "/docs/_search?allow_partial_search_results=false";
    check_answer("Elasticsearch", "/query/multi_match/query", "/size", elasticsearch(), path);
}

#[test]
fn opensearch_fits() {
    let path = "/docs/_search?allow_partial_search_results=false";
    check_answer("OpenSearch", "/query/multi_match/query", "/size", elasticsearch(), path);
}

#[test]
fn qdrant_fits() {
    let answer = json!({
        "result": {"points": [
            {"id": 1, "version": 3, "score": 0.81, "payload": {"doc_id": "d1"}, "vector": null},
            {"id": 2, "version": 3, "score": 0.76, "payload": {"doc_id": 17}, "vector": null},
        ]},
        "status": "ok", "time": 0.0004,
    });
    check_answer("Qdrant", "/query/nearest/text", "/limit", answer, "/collections/docs/points/query");
}

#[test]
fn meilisearch_fits() {
    let answer = json!({
        "hits": [{"id": "d1", "_rankingScore": 0.9546}, {"id": 17, "_rankingScore": 0.8103}],
        "query": "refund", "processingTimeMs": 1, "limit": 10, "offset": 0, "estimatedTotalHits": 2,
    });
    check_answer("Meilisearch", "/q", "/limit", answer, "/indexes/docs/search");
}

#[test]
fn typesense_fits() {
    let answer = json!({"results": [{
        "facet_counts": [], "found": 2, "out_of": 291, "page": 1, "search_cutoff": false, "search_time_ms": 1,
        "request_params": {"collection_name": "docs", "per_page": 10, "q": "refund"},
        "hits": [
            {"document": {"id": "d1"}, "highlight": {}, "highlights": [], "text_match": 578_730_123_365_711_993_u64},
            {"document": {"id": "17"}, "highlight": {}, "highlights": [], "text_match": 578_730_054_645_710_969_u64},
        ],
    }]});
    check_answer("Typesense", "/searches/0/q", "/searches/0/per_page", answer, "/multi_search");
}

#[test]
fn answers_that_are_not_whole_are_errors_of_every_product() {
    let with = |mut answer: Value, at: &str, value: Value| {
        let (parent, key) = at.rsplit_once('/').unwrap();
        answer.pointer_mut(parent).unwrap()[key] = value;
        answer
    };
    let typesense = || json!({"results": [{"hits": [], "found": 0, "search_cutoff": false}]});
    for (product, answer, at, value) in [
        ("Elasticsearch", elasticsearch(), "/timed_out", json!(true)),
        ("Elasticsearch", elasticsearch(), "/_shards/failed", json!(1)),
        ("OpenSearch", elasticsearch(), "/timed_out", json!(true)),
        ("OpenSearch", elasticsearch(), "/_shards/failed", json!(1)),
        (
            "Qdrant",
            json!({"result": {"points": []}, "status": {}}),
            "/status/error",
            json!("Service internal error"),
        ),
        ("Meilisearch", json!({"hits": []}), "/remoteErrors", json!({"ms-1": {"code": "remote_timeout"}})),
        ("Typesense", typesense(), "/results/0/error", json!("Not found.")),
        ("Typesense", typesense(), "/results/0/search_cutoff", json!(true)),
        ("Vespa", vespa(Some(json!([]))), "/root/errors", json!([{"code": 12, "summary": "Timed out"}])),
        (
            "Vespa",
            with(vespa(Some(json!([]))), "/root/coverage/degraded", json!({"match-phase": true})),
            "/root/coverage/degraded/timeout",
            json!(true),
        ),
    ] {
        let (report, _) = measure(product, with(answer, at, value));
        let text = failure(&report);
        assert!(
            text.contains(&format!("the answer says at `{at}` that something went wrong: ")),
            "{product}: {text}"
        );
    }
}

#[test]
fn an_error_of_typesense_is_no_answer() {
    let (report, _) = measure("Typesense", json!({"results": [{"code": 404, "error": "Not found."}]}));
    let text = failure(&report);
    assert!(
        text.ends_with(
            "the answer says at `/results/0/error` that something went wrong: 12 bytes that `RANKGATE_SHOW_BODIES=1` shows"
        ),
        "{text}"
    );
}

fn vespa(children: Option<Value>) -> Value {
    let mut answer = json!({"root": {
        "id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0},
        "coverage": {"coverage": 100, "documents": 291, "full": true, "nodes": 1, "results": 1, "resultsFull": 1},
    }});
    if let Some(children) = children {
        answer["root"]["fields"]["totalCount"] = json!(children.as_array().unwrap().len());
        answer["root"]["children"] = children;
    }
    answer
}

#[test]
fn vespa_fits() {
    let hit = |id: Value, relevance: f64| json!({"id": format!("id:docs:docs::{id}"), "relevance": relevance, "source": "docs", "fields": {"doc_id": id}});
    let answer = vespa(Some(json!([hit(json!("d1"), 0.38), hit(json!(17), 0.21)])));
    check_answer("Vespa", "/query", "/hits", answer, "/search/");
}

#[test]
fn vespa_that_finds_nothing_leaves_the_list_out() {
    let (report, _) = measure("Vespa", vespa(None));
    assert_eq!(report.gates[0].verdict, Verdict::Failed, "{}", rankgate::report::text(&report));
}
