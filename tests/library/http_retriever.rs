//! `http:` retrievers, end to end, against a server on this machine that does as each test says.

#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::http_server::{JSON, Server, response, right};
use rankgate::benchmark::model::{Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use serde_json::json;

pub(crate) const SHAPE: &str = "hits: /hits, id: /id, score: /score";

/// Measures a service with four queries, each with one relevant document, `d1` for `q1`.
pub(crate) fn run(http: &str, rest: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let queries: String =
        (1..=4).map(|n| format!("    - {{id: q{n}, text: question {n}, relevant: [d{n}]}}\n")).collect();
    let spec = format!(
        "version: 1\nbenchmark: bench\ndepth: 10\ncollection:\n  inline:\n    queries:\n{queries}\
         configurations:\n  service: {{http: {{{http}}}{rest}}}\nthresholds: [{{metric: R@10, min: 0.9}}]\n"
    );
    let path = folder.path().join("bench.yaml");
    std::fs::write(&path, spec).unwrap();
    Benchmark::open(&path, &Registry::new()).unwrap_or_else(|error| panic!("{error}")).run()
}

pub(crate) fn ask(server: &Server, rest: &str) -> Report {
    run(
        &format!("url: '{}/search', body: {{q: '{{text}}', limit: '{{depth}}'}}, {SHAPE}", server.url()),
        rest,
    )
}

pub(crate) fn passes(report: &Report) {
    let text = rankgate::report::text(report);
    assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Passed), "{text}");
}

/// The failure, with the server's address made the same for all.
pub(crate) fn fails(server: &Server, rest: &str) -> String {
    failure(&ask(server, rest)).replace(&server.url(), "URL")
}

pub(crate) fn failure(report: &Report) -> String {
    assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Error), "{:?}", report.gates);
    match &report.configurations[0].outcome {
        Outcome::Error(failure) => failure.brief(),
        other => panic!("it did not fail: {other:?}"),
    }
}

#[test]
fn every_query_is_asked_over_a_connection_of_its_own() {
    let server = Server::answering(right);
    passes(&ask(&server, ", concurrency: 1, repeats: 2"));
    let requests = server.requests();
    assert_eq!(requests.len(), 8);
    let connections: std::collections::BTreeSet<usize> = requests.iter().map(|one| one.connection).collect();
    assert_eq!(connections.len(), 8, "{requests:?}");
    assert!(requests[0].head.starts_with("POST /search HTTP/1.1\r\n"), "{}", requests[0].head);
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    assert_eq!(requests[0].header("connection"), Some("close"));
    assert_eq!(requests[0].body, json!({"q": "question 1", "limit": 10}));
}

/// Times are those of a client that keeps its connections, as clients of services do.
#[test]
fn times_are_taken_over_connections_that_are_kept() {
    let server = Server::answering(right);
    ask(&server, "}\nlatency: [{quantile: p50, max: 10s, for: [service]}]\nstatistics: {confidence: 0.95");
    let requests = server.requests();
    let connections: std::collections::BTreeSet<usize> = requests.iter().map(|one| one.connection).collect();
    // Four queries are ranked, and twelve are timed.
    assert_eq!((requests.len(), connections.len()), (16, 5), "{requests:?}");
}

/// The pause before a second request would be rankgate's, and not the service's.
#[test]
fn a_service_is_asked_once_while_times_are_taken() {
    let server = Server::answering(|request| match request.header("connection") {
        Some("close") => right(request),
        _ => (429, "Retry-After: 0\r\n", String::new()),
    });
    let latency = "}\nlatency: [{quantile: p50, max: 10s, for: [service]}]\nstatistics: {confidence: 0.95";
    let report = ask(&server, latency);
    let gate = report.gates.iter().find(|gate| gate.name.contains("latency")).unwrap();
    assert_eq!(gate.verdict, Verdict::Error);
    let reason = gate.finding.undecided_reason().unwrap();
    let why = "answered 429 Too Many Requests (it is asked once while times are taken: the pause before another request would be \
               among them)";
    assert!(reason.starts_with("service: query ") && reason.contains(why), "{reason}");
    // Four are ranked, and one is timed.
    assert_eq!(server.requests().len(), 5);
}

/// A service that answers twice, the second time late and for nobody.
#[test]
fn what_comes_late_over_a_connection_answers_no_other_query() {
    let late = response(200, JSON, &json!({"hits": [{"id": "another", "score": 1}]}).to_string());
    // Queries take longer than that, so that it comes while the next one is asked.
    let server = Server::with(
        |request| {
            thread::sleep(Duration::from_millis(40));
            (response(200, JSON, &right(request).2), true)
        },
        late,
    );
    passes(&ask(&server, ", concurrency: 1, repeats: 5"));
}

#[test]
fn a_success_that_is_no_answer_is_an_error() {
    for status in [202, 203, 204, 206, 207] {
        let server = Server::answering(move |request| {
            let (_, headers, body) = right(request);
            (status, headers, if status == 204 { String::new() } else { body })
        });
        let text = fails(&server, "");
        assert!(text.contains(&format!("`URL/search` answered {status} ")), "{text}");
        assert!(text.contains("and only 200 and 201 are answers"), "{text}");
    }
    passes(&ask(&Server::answering(|request| (201, JSON, right(request).2)), ""));
}

#[test]
fn no_more_are_in_flight_than_wanted() {
    for (rest, most) in [(", concurrency: 1", 1), (", concurrency: 2", 2)] {
        let in_flight = AtomicUsize::new(0);
        let seen = Arc::new(AtomicUsize::new(0));
        let highest = Arc::clone(&seen);
        let server = Server::answering(move |request| {
            highest.fetch_max(in_flight.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(50));
            in_flight.fetch_sub(1, Ordering::SeqCst);
            right(request)
        });
        passes(&ask(&server, rest));
        assert!(seen.load(Ordering::SeqCst) <= most);
    }
}

#[test]
fn an_answer_that_says_that_something_went_wrong_is_an_error_and_no_empty_list() {
    for (rest, answer, expected) in [
        (
            "",
            r#"{"error": "no such index", "hits": []}"#,
            "the answer says at `/error` that something went wrong: `\"no such index\"`",
        ),
        (
            "",
            r#"{"timed_out": true, "hits": []}"#,
            "the answer says at `/timed_out` that something went wrong: `true`",
        ),
        (
            "",
            r#"{"errors": [{"code": 1}], "hits": []}"#,
            "the answer says at `/errors` that something went wrong: `[{\"code\":1}]`",
        ),
        (
            "",
            r#"{"_shards": {"failed": 1}, "hits": []}"#,
            "the answer says at `/_shards/failed` that something went wrong: `1`",
        ),
    ] {
        let server = Server::answering(move |_| (200, JSON, answer.to_owned()));
        let url = server.url();
        let text = failure(&run(&format!("url: '{url}', body: ['{{text}}'], {SHAPE}{rest}"), ""))
            .replace(&url, "URL");
        // What the service says of it is shown to who asks for it.
        let (expected, said) = expected.rsplit_once(": `").unwrap();
        let bytes = said.trim_end_matches('`').len();
        let expected = format!("{expected}: {bytes} byte{}", if bytes == 1 { "" } else { "s" });
        assert!(
            text.starts_with(&format!(
                "query `q1`: `URL` answered what it should not: {expected} that `RANKGATE_SHOW_BODIES=1` shows ("
            )),
            "{text}"
        );
    }
    // Where there is nothing in it.
    let server = Server::answering(move |request| {
        let more = "\"error\": null, \"errors\": [], \"timed_out\": false";
        (200, JSON, format!("{{{more}, \"hits\": [{{\"id\": \"{}\", \"score\": 1}}]}}", request.right()))
    });
    passes(&run(&format!("url: '{}', body: {{q: '{{text}}'}}, {SHAPE}", server.url()), ""));
}

#[test]
fn an_answer_with_two_lists_of_hits_is_an_error() {
    let server =
        Server::answering(|_| (200, JSON, r#"{"hits": [{"id": "d1", "score": 1}], "hits": []}"#.into()));
    let text = fails(&server, "");
    assert!(
        text.starts_with("query `q1`: `URL/search` answered 200 OK (application/json, 48 bytes that `RANKGATE_SHOW_BODIES=1` shows) with ambiguous JSON ("),
        "{text}"
    );
}

#[test]
fn other_statuses_and_wrong_answers_are_errors_at_once() {
    let long = "x".repeat(300);
    let shows = "that `RANKGATE_SHOW_BODIES=1` shows";
    let of_status = |status: &str, kind: &str, bytes: usize| {
        format!("`URL/search` answered {status} ({kind}{bytes} bytes {shows})")
    };
    let no_json = |said: &str, why: &str| format!("{said} with what is not JSON ({why} at line 1 column");
    let wrong = |what: &str, bytes: usize| {
        format!("`URL/search` answered what it should not: {what}: {bytes} bytes {shows}")
    };
    let [cut, unauthorized] = [
        of_status("500 Internal Server Error", "", 300),
        of_status("401 Unauthorized", "application/json, ", 13),
    ];
    let html = no_json(&of_status("200 OK", "text/html, ", 6), "expected value") + " 1)";
    let empty =
        no_json("`URL/search` answered 200 OK (application/json)", "EOF while parsing a value") + " 0)";
    let begun = no_json(&of_status("200 OK", "application/json, ", 10), "EOF while parsing a list") + " 10)";
    let twice =
        format!("`URL/search` answered 200 OK (application/json, 23 bytes {shows}) with ambiguous JSON");
    let nothing = wrong("the answer has nothing at `/hits`", 11);
    let hit = wrong("hit 1 has nothing at `/score`", 10);
    for (status, headers, body, expected) in [
        (500, "", long.as_str(), cut.as_str()),
        (404, "", "", "`URL/search` answered 404 Not Found"),
        (401, JSON, "{\"e\": \"\u{1b}[2J\"}", unauthorized.as_str()),
        (200, "Content-Type: text/html\r\n", "<html>", html.as_str()),
        (200, JSON, "", empty.as_str()),
        (200, JSON, "{\"hits\": [", begun.as_str()),
        (200, JSON, "{\"s3cret\":1,\"s3cret\":2}", twice.as_str()),
        (200, JSON, "{\"fault\": 1}", nothing.as_str()),
        (200, JSON, "{\"hits\": [{\"id\": \"a\"}]}", hit.as_str()),
        // What has not changed leads nowhere.
        (304, "", "", "`URL/search` answered 304 Not Modified"),
        (
            301,
            "Location: https://elsewhere.example/secret?key=1\r\n",
            "",
            "`URL/search` answered 301 Moved Permanently: it redirects to the host `elsewhere.example`, which is not followed; give the final address in `url`",
        ),
        (
            307,
            "Location: /login?key=1\r\n",
            "",
            "`URL/search` answered 307 Temporary Redirect: it redirects to another path, which is not followed; give the final address in `url`",
        ),
    ] {
        let body = body.to_owned();
        let server = Server::answering(move |_| (status, headers, body.clone()));
        let text = fails(&server, "");
        assert_eq!(text, format!("query `q1`: {expected} (the first of 4 failures among 4 queries)"));
        assert_eq!(server.requests().len(), 4, "{text}");
    }
}

#[test]
fn what_is_no_address_or_no_header_is_an_error_before_anything_is_asked() {
    // Set by cargo for every test; it has blanks.
    let text = failure(&run(&format!("url: '${{CARGO_PKG_DESCRIPTION}}', body: ['{{text}}'], {SHAPE}"), ""));
    assert_eq!(
        text,
        "could not be set up: `${CARGO_PKG_DESCRIPTION}` is not the address of a service: a URL starts with `http://` or `https://`"
    );
    // Its value is 0.
    let text = failure(&run(
        &format!("url: 'http://me:you@127.0.0.1:${{CARGO_PKG_VERSION_MAJOR}}/', body: ['{{text}}'], {SHAPE}"),
        "",
    ));
    assert_eq!(
        text,
        "could not be set up: `http://me:you@127.0.0.1:${CARGO_PKG_VERSION_MAJOR}/` is not the address of a service: its port is \
         not a number from 1 to 65535"
    );
    let text = failure(&run(
        &format!(
            "url: 'http://localhost', headers: {{Authorization: 'Bearer ${{NO_SUCH_VARIABLE_AT_ALL}}'}}, body: ['{{text}}'], {SHAPE}"
        ),
        "",
    ));
    assert!(text.contains("the environment variable `NO_SUCH_VARIABLE_AT_ALL` is not set\n"), "{text}");
}

#[test]
fn headers_may_say_otherwise_but_not_twice() {
    let server = Server::answering(right);
    let headers = "headers: {content-type: application/vnd.search+json, Authorization: Bearer x}";
    let body = "body: {q: '{text}'}";
    passes(&run(&format!("url: '{}', {headers}, {body}, {SHAPE}", server.url()), ""));
    let sent = &server.requests()[0];
    assert_eq!(sent.head.matches("ontent-").count(), 2, "{}", sent.head);
    assert_eq!(sent.header("content-type"), Some("application/vnd.search+json"));
    assert_eq!(sent.header("authorization"), Some("Bearer x"));
    let text = failure(&run(&format!("url: 'http://me:secret@localhost/', {headers}, {body}, {SHAPE}"), ""));
    assert_eq!(
        text,
        "could not be set up: the URL has a user, and there is a header `Authorization`: one of them is enough"
    );
}

#[test]
fn values_of_variables_are_sent_and_never_shown() {
    // Set by cargo for every test; nothing that would be there by chance.
    let secret = env!("CARGO_MANIFEST_DIR");
    let server =
        Server::answering(move |request| (403, "", format!("no access: {}{}", request.head, request.body)));
    let http = format!(
        "url: 'http://me:pass${{CARGO_PKG_VERSION}}@{}/?key=${{CARGO_MANIFEST_DIR}}', headers: {{X-Api-Key: 'k=${{CARGO_MANIFEST_DIR}}'}}, \
         body: {{q: '{{text}}', k: '${{CARGO_MANIFEST_DIR}}'}}, {SHAPE}",
        server.address
    );
    let report = run(&http, "");
    let sent = &server.requests()[0];
    assert_eq!(sent.header("x-api-key"), Some(format!("k={secret}").as_str()));
    assert_eq!(sent.body["k"], secret);
    let authorization = sent.header("authorization").unwrap().strip_prefix("Basic ").unwrap().to_owned();
    assert!(sent.head.starts_with(&format!("POST /?key={secret} ")), "{}", sent.head);
    for text in [rankgate::report::text(&report), rankgate::report::json(&report), format!("{report:?}")] {
        // Of what the service says of a refusal nothing is shown that nobody asks for.
        assert!(!text.contains("no access") && text.contains("answered 403 Forbidden ("), "{text}");
        assert!(!text.contains(secret) && !text.contains(&authorization), "{text}");
    }
}
