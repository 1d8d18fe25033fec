//! Bodies that nobody would send: whatever they are, the answer says what is wrong, and nothing breaks.

use rankgate_serve::maintenance::check;
use serde_json::json;

use crate::client::send;
use crate::running::Running;
use crate::sample::{base, commits, push, report, step};

/// What a body is changed by.
const PIECES: [&str; 18] = [
    "-1",
    "1e999",
    "0.5",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\u{0}",
    "99999999999999999999",
    ",",
    ":",
    "\"",
    "[[[[[[[[",
    "\u{feff}",
    "\"a\":1,\"a\":1",
];

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn changed(body: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut body = body.to_vec();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(body.len());
        let until = (at + 1 + numbers.below(12)).min(body.len());
        match numbers.below(5) {
            0 => body[at] = numbers.below(256) as u8,
            1 => drop(body.drain(at..until)),
            2 => body.truncate(at),
            3 => {
                let piece: Vec<u8> = body[at..until].to_vec();
                body.splice(at..at, piece);
            }
            _ => drop(body.splice(at..until, PIECES[numbers.below(PIECES.len())].bytes())),
        }
        if body.is_empty() {
            break;
        }
    }
    body
}

#[test]
fn no_body_breaks_a_server() {
    let server = Running::on_sqlite();
    let states = step();
    push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
    let alarm =
        server.get("/v1/projects/search/alarms").json()["alarms"][0]["id"].as_str().unwrap().to_owned();
    let queries = json!([{"query_id": "a", "relevant_docs": ["d1"], "relevance_grades": {"d1": 2}}, {"relevant_docs": ["d2"]}]);
    let lists = json!([["d1", "d2"], ["d3"]]);
    let (qrels, run) = (json!({"q1": {"d1": 1}}), json!({"q1": {"d2": 2.0, "d1": 1.5}}));
    let bodies = [
        (
            "/v1/evaluate".to_owned(),
            json!({"queries": queries, "retrieved": lists, "k_values": [1, 5], "gain": "exp2", "latencies_ms": [1, 2]}),
        ),
        (
            "/v1/evaluate".to_owned(),
            json!({"judgments": "q1 0 d1 1\n", "run": "q1 Q0 d1 1 2.5 t\n", "metrics": ["nDCG@5", "RBP(p=0.8)"], "order": "rank"}),
        ),
        (
            "/v1/compare".to_owned(),
            json!({"queries": queries, "retrievers": {"a": lists, "b/~": lists}, "k_values": [3]}),
        ),
        (
            "/v1/compare".to_owned(),
            json!({"judgments": qrels, "runs": {"a": run, "b": run}, "baseline": "b", "metrics": ["RR"]}),
        ),
        ("/v1/projects/search/commits".to_owned(), commits(3, 5)),
        (
            format!("/v1/projects/search/alarms/{alarm}/acknowledge"),
            json!({"note": "known", "benchmark": "helpdesk"}),
        ),
        ("/v1/projects/search/reports".to_owned(), report("helpdesk", 2, &base()[..4], &base()[..4])),
    ];
    let mut numbers = Numbers(8_241_772_110);
    let (mut taken, mut refused) = (0, 0);
    for (path, body) in &bodies {
        let whole = body.to_string();
        assert!(send(server.address, ("POST", path), &[], whole.as_bytes()).unwrap().status < 300, "{path}");
        for _ in 0..300 {
            let body = changed(whole.as_bytes(), &mut numbers);
            let answer = send(server.address, ("POST", path), &[], &body).unwrap();
            let sent = String::from_utf8_lossy(&body);
            assert!(
                (200..500).contains(&answer.status),
                "{path} {sent}: {} {}",
                answer.status,
                answer.text()
            );
            if answer.status < 300 {
                taken += 1;
            } else {
                refused += 1;
                let problem = answer.json();
                assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
            }
        }
    }
    assert!(taken > 20 && refused > 1_000, "{taken} taken, {refused} refused");
    // What was taken is whole, and can be told.
    assert_eq!(check(server.app.store()).unwrap(), Vec::<String>::new());
    for path in
        ["/ready", "/v1/projects/search/trends", "/v1/projects/search/alarms", "/v1/projects/search/reports"]
    {
        let answer = server.get(path);
        assert!(answer.status < 500, "{path}: {}", answer.text());
    }
}
