//! Runs and judgments posted, and numbers answered.

use serde_json::{Value, json};

use crate::running::Running;

/// Two queries: of the first two documents are relevant, of the second one, with grades.
fn queries() -> Value {
    json!([
        {"query_text": "refund", "relevant_docs": ["d1", "d2"]},
        {"query_text": "voucher", "relevant_docs": ["d3"], "relevance_grades": {"d3": 2, "d4": 1}},
    ])
}

fn lists() -> Value {
    json!([["d1", "d9", "d2"], ["d4", "d3"]])
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[test]
fn the_plain_form_is_answered_with_its_numbers() {
    let server = Running::on_sqlite();
    let asked =
        json!({"queries": queries(), "retrieved": lists(), "k_values": [1, 3], "latencies_ms": [12, 7.5]});
    let found = server.post_json("/v1/evaluate", &asked).expect(200).json();
    assert_eq!(found["num_queries"], 2);
    // By hand. Ranks of the relevant: 1 and 3; 2.
    let log = f64::log2;
    close(&found["mrr"], (1.0 + 0.5) / 2.0);
    close(&found["map_score"], ((1.0 + 2.0 / 3.0) / 2.0 + 0.5) / 2.0);
    close(&found["precision_at_k"]["1"], 0.5);
    close(&found["precision_at_k"]["3"], (2.0 / 3.0 + 1.0 / 3.0) / 2.0);
    close(&found["recall_at_k"]["1"], 0.25);
    close(&found["f1_at_k"]["3"], (0.8 + 0.5) / 2.0);
    close(&found["hit_rate_at_k"]["1"], 0.5);
    // Gains: 1 and 1 of the first; of the second 1 then 2, where the ideal is 2 then 1.
    let first = (1.0 + 1.0 / log(4.0)) / (1.0 + 1.0 / log(3.0));
    let second = (1.0 + 2.0 / log(3.0)) / (2.0 + 1.0 / log(3.0));
    close(&found["ndcg_at_k"]["3"], (first + second) / 2.0);
    assert_eq!(found["latencies_ms"], json!([12.0, 7.5]));
    assert!(found["latency_ms"].as_f64().is_some_and(|own| own > 0.0));
    // The other gain: 2^2 - 1 and 2^1 - 1.
    let asked = json!({"queries": queries(), "retrieved": lists(), "k_values": [3], "gain": "exp2"});
    let second = (1.0 + 3.0 / log(3.0)) / (3.0 + 1.0 / log(3.0));
    let found = server.post_json("/v1/evaluate", &asked).expect(200).json();
    close(&found["ndcg_at_k"]["3"], (first + second) / 2.0);
    assert_eq!(found.get("latencies_ms"), None);
    // 1, 3, 5 and 10 where nobody says it.
    let found = server.post_json("/v1/evaluate", &json!({"queries": queries(), "retrieved": lists()})).json();
    assert_eq!(found["recall_at_k"].as_object().unwrap().len(), 4);
}

#[test]
fn a_query_that_finds_nothing_counts() {
    let server = Running::on_sqlite();
    let queries = json!([{"relevant_docs": ["d1"]}, {"relevant_docs": []}, {"relevant_docs": ["d2"]}]);
    let asked = json!({"queries": queries, "retrieved": [["d1"], ["d1"], []], "k_values": [1]});
    let found = server.post_json("/v1/evaluate", &asked).expect(200).json();
    assert_eq!(found["num_queries"], 3);
    close(&found["mrr"], 1.0 / 3.0);
}

#[test]
fn retrievers_are_compared() {
    let server = Running::on_sqlite();
    let queries: Vec<Value> = (0..12).map(|_| json!({"relevant_docs": ["r"]})).collect();
    let first: Vec<Value> = (0..12).map(|_| json!(["r", "n", "o"])).collect();
    let second: Vec<Value> = (0..12).map(|_| json!(["n", "o", "r"])).collect();
    let asked = json!({"queries": queries, "retrievers": {"second": second, "first": first}});
    let found = server.post_json("/v1/compare", &asked).expect(200).json();
    let own = &found["comparison"]["second"];
    close(&own["mrr"], 1.0 / 3.0);
    close(&own["map"], 1.0 / 3.0);
    close(&own["precision_at_5"], 0.2);
    close(&own["recall_at_10"], 1.0);
    close(&own["ndcg_at_10"], 0.5);
    assert_eq!(own.as_object().unwrap().len(), 5);
    let test = &found["tests"][0];
    assert_eq!((&test["metric"], &test["pairs"][0]["better"]), (&json!("RR"), &json!("first")));
    // Two of the 4096 sign vectors are as extreme.
    close(&test["pairs"][0]["p_adjusted"], 2.0 / 4096.0);
}

#[test]
fn runs_and_judgments_are_read_in_every_form() {
    let server = Running::on_sqlite();
    let (qrels, run) = ("q1 0 d1 1\nq2 0 d3 2\n", "q1 Q0 d2 1 3.0 t\nq1 Q0 d1 2 2.0 t\nq2 Q0 d3 1 1.0 t\n");
    let put = |text: &str| {
        let sha256 = rankgate_serve::hash::sha256(text.as_bytes());
        let path = format!("/v1/blobs/{sha256}?project=search");
        let kept =
            crate::client::send(server.address, ("PUT", &path), &[], text.as_bytes()).unwrap().expect(201);
        assert_eq!(kept.json()["size"], text.len());
        crate::client::send(server.address, ("PUT", &path), &[], text.as_bytes()).unwrap().expect(200);
        assert_eq!(server.get(&path).expect(200).text(), text);
        sha256
    };
    let forms = [
        json!({"judgments": qrels, "run": run, "metrics": ["RR"]}),
        json!({"judgments": {"q1": {"d1": 1}, "q2": {"d3": 2}}, "run": {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}},
            "metrics": ["RR"]}),
        json!({"judgments_sha256": put(qrels), "run_sha256": put(run), "project": "search", "metrics": ["RR"]}),
    ];
    let answers: Vec<Value> =
        forms.iter().map(|form| server.post_json("/v1/evaluate", form).expect(200).json()).collect();
    assert_eq!(answers[0]["mean"]["RR"], 0.75);
    assert_eq!((&answers[0], &answers[0]), (&answers[1], &answers[2]));
    let worse = "q1 Q0 d1 1 1.0 t\n";
    let mut asked =
        json!({"judgments": qrels, "runs": {"old": worse, "new": run}, "baseline": "new", "metrics": ["RR"]});
    // Half of the answers of one side show nothing, unless that is meant.
    let short = server.post_json("/v1/compare", &asked).expect(422).json();
    let said = short["detail"].as_str().unwrap();
    assert!(said.starts_with("old answers 1 of the 2 queries: 50%, and 90% is needed"), "{said}");
    assert!(
        said.ends_with("where so little is meant to be there: send `\"evidence\": 0.5` beside them"),
        "{said}"
    );
    asked["evidence"] = json!(0.5);
    let compared = server.post_json("/v1/compare", &asked).expect(200).json();
    assert_eq!(
        (&compared["comparisons"][0]["baseline"], &compared["comparisons"][0]["candidate"]),
        (&json!("new"), &json!("old"))
    );
    // A blob is what its address says, or is not kept.
    let path = format!("/v1/blobs/{}?project=search", "0".repeat(64));
    crate::client::send(server.address, ("PUT", &path), &[], b"other").unwrap().expect(422);
    server.get(&path).expect(404);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let server = Running::on_sqlite();
    let plain = |key: &str, value: Value| {
        let mut asked = json!({"queries": queries(), "retrieved": lists()});
        asked[key] = value;
        asked.to_string()
    };
    let cases: [(&str, String, u16, Value, &str); 15] = [
        (
            "compare",
            json!({"judgments": "q1 0 d1 1\n", "runs": {"a": "q1 Q0 d1 1 1.0 t\n", "b": "q1 Q0 d1 1 1.0 t\n"},
                "evidence": 90})
            .to_string(),
            422,
            json!({"pointer": "/evidence"}),
            "it is a share from 0 to 1, not 90",
        ),
        ("evaluate", "{".into(), 400, json!({"line": 1, "column": 1}), "EOF"),
        ("evaluate", "[]".into(), 422, Value::Null, "not an object"),
        ("evaluate", "{}".into(), 422, Value::Null, "give `queries`"),
        ("evaluate", plain("k_values", json!([0])), 422, json!({"pointer": "/k_values/0"}), "k is 0"),
        ("evaluate", plain("k_values", json!([-1])), 422, json!({}), "invalid value"),
        ("evaluate", plain("gain", json!("log")), 422, json!({}), "unknown variant `log`"),
        (
            "evaluate",
            plain("latencies_ms", json!([1, -1])),
            422,
            json!({"pointer": "/latencies_ms/1"}),
            "-1 is no time",
        ),
        (
            "evaluate",
            plain("latencies_ms", json!([1])),
            422,
            json!({"pointer": "/latencies_ms"}),
            "1 times for 2",
        ),
        ("evaluate", plain("latencies_ms", json!(["fast", 1])), 422, json!({}), "invalid type: string"),
        (
            "evaluate",
            plain("retrieved", json!([["d1", "d1"], []])),
            422,
            json!({"pointer": "/retrieved/0/1"}),
            "twice",
        ),
        (
            "evaluate",
            plain("retrieved", json!([["d1"]])),
            422,
            json!({"pointer": "/retrieved"}),
            "1 lists for 2",
        ),
        (
            "evaluate",
            plain(
                "queries",
                json!([{"relevant_docs": ["a"], "relevance_grades": {"a": 1.5}}, {"relevant_docs": []}]),
            ),
            422,
            json!({}),
            "invalid type: floating point `1.5`",
        ),
        (
            "evaluate",
            plain(
                "queries",
                json!([{"relevant_docs": ["a"], "relevance_grades": {"a": 0}}, {"relevant_docs": []}]),
            ),
            422,
            json!({"pointer": "/queries/0/relevance_grades/a"}),
            "grade 0",
        ),
        (
            "compare",
            json!({"queries": queries(), "retrievers": {"a": lists()}}).to_string(),
            422,
            json!({"pointer": "/retrievers"}),
            "2 to 50",
        ),
    ];
    for (path, body, status, place, detail) in cases {
        let answer = server.post(&format!("/v1/{path}"), body.as_bytes()).expect(status);
        let problem = answer.json();
        assert!(answer.head.contains("application/problem+json"), "{}", answer.head);
        assert!(problem["detail"].as_str().unwrap().contains(detail), "{problem}");
        match &place {
            Value::Object(fields) if fields.is_empty() => {
                assert!(problem["place"]["column"].is_u64(), "{problem}")
            }
            place => assert_eq!(&problem["place"], place, "{body}"),
        }
    }
}

#[test]
fn bodies_have_a_limit_before_and_after_they_are_decompressed() {
    let server = Running::with(|mut settings| {
        settings.limits.body = 10_000;
        settings
    });
    let send = |headers: &[(&str, &str)], body: &[u8]| {
        crate::client::send(server.address, ("POST", "/v1/evaluate"), headers, body).unwrap().status
    };
    assert_eq!(send(&[], &vec![b' '; 10_001]), 413);
    assert_eq!(send(&[], &vec![b' '; 10_000]), 400);
    let gzip = |bytes: &[u8]| {
        let mut packed = Vec::new();
        let mut reader = flate2::read::GzEncoder::new(bytes, flate2::Compression::best());
        std::io::Read::read_to_end(&mut reader, &mut packed).unwrap();
        packed
    };
    let asked = json!({"queries": queries(), "retrieved": lists()}).to_string();
    assert_eq!(send(&[("Content-Encoding", "gzip")], &gzip(asked.as_bytes())), 200);
    assert_eq!(send(&[("Content-Encoding", "gzip")], &gzip(&vec![b' '; 1 << 20])), 413);
    assert_eq!(send(&[("Content-Encoding", "br")], b"x"), 415);
    assert_eq!(send(&[("Content-Encoding", "gzip")], b"no gzip"), 400);
}
