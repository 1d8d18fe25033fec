//! `http:` retrievers, end to end, against a server on this machine that does as each test says.

#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rankgate::benchmark::model::{Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use serde_json::{Value, json};

/// A request as the server got it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The first line and the headers, as they were sent.
    head: String,
    pub(crate) body: Value,
    /// The number of the connection that it came on, from 0.
    connection: usize,
    /// How many requests came before it.
    before: usize,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The document that is relevant for the query.
    fn right(&self) -> String {
        self.body["q"].as_str().unwrap().replace("question ", "d")
    }
}

/// What the server does with a request: the bytes that it sends, and whether the connection stays.
type Handler = dyn Fn(&Request) -> (Vec<u8>, bool) + Send + Sync;

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    fn new(handler: impl Fn(&Request) -> (Vec<u8>, bool) + Send + Sync + 'static) -> Self {
        Self::with(handler, Vec::new())
    }

    /// Sends as well, 20 ms after each answer, what nobody asked for.
    fn with(handler: impl Fn(&Request) -> (Vec<u8>, bool) + Send + Sync + 'static, late: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let handler: Arc<Handler> = Arc::new(handler);
        let (all, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        let connections = AtomicUsize::new(0);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (handler, all, late) = (Arc::clone(&handler), Arc::clone(&all), late.clone());
                let connection = connections.fetch_add(1, Ordering::Relaxed);
                // The other side may go at any time.
                thread::spawn(move || drop(serve(stream.unwrap(), connection, &all, &*handler, &late)));
            }
        });
        Self { address, requests, stop }
    }

    /// Answers each request with a status, headers and a body.
    pub(crate) fn answering(
        answer: impl Fn(&Request) -> (u16, &'static str, String) + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |request| {
            let (status, headers, body) = answer(request);
            (response(status, headers, &body), true)
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(
    stream: TcpStream,
    connection: usize,
    all: &Mutex<Vec<Request>>,
    handler: &Handler,
    late: &[u8],
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let mut request = Request { head, body: Value::Null, connection, before: 0 };
        let length = request.header("content-length").unwrap_or("0").parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        request.body = serde_json::from_slice(&body).unwrap();
        {
            let mut all = all.lock().unwrap();
            request.before = all.len();
            all.push(request.clone());
        }
        let (answer, stays) = handler(&request);
        stream.write_all(&answer)?;
        stream.flush()?;
        if !late.is_empty() {
            let (mut stream, late) = (stream.try_clone()?, late.to_vec());
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                drop(stream.write_all(&late));
            });
        }
        if !stays {
            return Ok(());
        }
    }
}

fn response(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

pub(crate) const JSON: &str = "Content-Type: application/json\r\n";

fn right(request: &Request) -> (u16, &'static str, String) {
    (200, JSON, json!({"hits": [{"id": request.right(), "score": 1.5}]}).to_string())
}

const SHAPE: &str = "hits: /hits, id: /id, score: /score";

/// Measures a service with four queries, each with one relevant document, `d1` for `q1`.
fn run(http: &str, rest: &str) -> Report {
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

fn ask(server: &Server, rest: &str) -> Report {
    run(
        &format!("url: '{}/search', body: {{q: '{{text}}', limit: '{{depth}}'}}, {SHAPE}", server.url()),
        rest,
    )
}

fn passes(report: &Report) {
    let text = rankgate::report::text(report);
    assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Passed), "{text}");
}

/// The failure, with the server's address made the same for all.
fn fails(server: &Server, rest: &str) -> String {
    failure(&ask(server, rest)).replace(&server.url(), "URL")
}

fn failure(report: &Report) -> String {
    assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Errored), "{:?}", report.gates);
    match &report.configurations[0].outcome {
        Outcome::Errored(failure) => failure.to_string(),
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
    ask(
        &server,
        "}\nlatency: [{quantile: p50, max: 10s, blocks: 3, warm-up: 0, for: [service]}]\nstatistics: {confidence: 0.95",
    );
    let requests = server.requests();
    let connections: std::collections::BTreeSet<usize> = requests.iter().map(|one| one.connection).collect();
    // Four queries are ranked, and twelve are timed.
    assert_eq!((requests.len(), connections.len()), (16, 5), "{requests:?}");
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
fn variants_of_queries_are_asked_in_their_own_words() {
    // Finds what the number says, after another document where the words are not as they were.
    let server = Server::answering(|request| {
        let asked = request.body["q"].as_str().unwrap();
        let number: String = asked.chars().filter(char::is_ascii_digit).collect();
        let other = (!asked.starts_with("question ")).then(|| json!({"id": "other", "score": 2.5}));
        let hits: Vec<Value> =
            other.into_iter().chain([json!({"id": format!("d{number}"), "score": 1.5})]).collect();
        (200, JSON, json!({"hits": hits}).to_string())
    });
    let variants = "}\nmetrics: [RR@10]\nvariants: {typos: {kind: typos}";
    let report = ask(&server, variants);
    passes(&report);
    let measured = |name: &str| {
        let one = report.configurations.iter().find(|one| one.name == name).unwrap();
        let Outcome::Measured(measured) = &one.outcome else { panic!("{one:?}") };
        measured
    };
    let mean =
        |name: &str| measured(name).metrics.iter().find(|metric| metric.metric == "RR@10").unwrap().value;
    let asked: Vec<String> =
        server.requests().iter().map(|request| request.body["q"].as_str().unwrap().to_owned()).collect();
    let (as_ever, changed): (Vec<&String>, Vec<&String>) =
        asked.iter().partition(|text| text.starts_with("question "));
    assert_eq!(as_ever.len(), 4, "{asked:?}");
    let mut numbers: Vec<String> =
        changed.iter().map(|text| text.replace(|c: char| !c.is_ascii_digit(), "")).collect();
    numbers.sort();
    let queries = measured("service@typos").queries.iter().map(|query| query.id.replace('q', ""));
    assert!(!numbers.is_empty() && numbers.iter().cloned().eq(queries), "{asked:?}");
    // Every changed text finds it at rank 2.
    assert_eq!((mean("service"), mean("service@typos")), (1.0, 0.5));
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
fn answers_come_chunked_compressed_or_until_the_end() {
    passes(&ask(
        &Server::new(|request| {
            let (_, _, body) = right(request);
            let (head, tail) = body.split_at(5);
            let chunks = format!("{:x}\r\n{head}\r\n{:x}\r\n{tail}\r\n0\r\n\r\n", head.len(), tail.len());
            (format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}").into_bytes(), true)
        }),
        "",
    ));
    passes(&ask(
        &Server::new(|request| {
            (
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{}", right(request).2)
                    .into_bytes(),
                false,
            )
        }),
        "",
    ));
    passes(&ask(
        &Server::new(|request| {
            let mut body = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            body.write_all(right(request).2.as_bytes()).unwrap();
            let body = body.finish().unwrap();
            let mut answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
                body.len()
            )
            .into_bytes();
            answer.extend(body);
            (answer, true)
        }),
        "",
    ));
}

/// An answer in chunks, gzipped so often, with these headers.
fn gzipped(times: usize, headers: &str, body: &str) -> Vec<u8> {
    let pack = |bytes: Vec<u8>| {
        let mut body = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        body.write_all(&bytes).unwrap();
        body.finish().unwrap()
    };
    let body = (0..times).fold(body.as_bytes().to_vec(), |body, _| pack(body));
    let mut answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{headers}\r\n").into_bytes();
    for chunk in body.chunks(7) {
        answer.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        answer.extend(chunk);
        answer.extend(b"\r\n");
    }
    answer.extend(b"0\r\n\r\n");
    answer
}

#[test]
fn what_is_packed_in_another_way_than_was_asked_for_is_an_error() {
    passes(&ask(
        &Server::new(|request| (gzipped(1, "Content-Encoding: gzip\r\n", &right(request).2), true)),
        "",
    ));
    passes(&ask(
        &Server::new(|request| (gzipped(0, "Content-Encoding: identity\r\n", &right(request).2), true)),
        "",
    ));
    for (times, headers, expected) in [
        (
            2,
            "Content-Encoding: gzip, gzip\r\n",
            "answered 200 OK in the encoding `gzip, gzip`; only `gzip` is read (",
        ),
        (
            2,
            "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n",
            "answered 200 OK (BYTES bytes that `RANKGATE_SHOW_BODIES=1` shows) with what is not JSON (expected value",
        ),
        (
            1,
            "",
            "answered 200 OK (BYTES bytes that `RANKGATE_SHOW_BODIES=1` shows) with what is not JSON (expected value",
        ),
        (0, "Content-Encoding: br\r\n", "answered 200 OK in the encoding `br`; only `gzip` is read ("),
        (
            0,
            "Content-Encoding: gzip\r\n",
            "answered with gzip that cannot be unpacked: invalid gzip header (",
        ),
    ] {
        let server = Server::new(move |request| (gzipped(times, headers, &right(request).2), true));
        let text = fails(&server, "");
        let (before, behind) = expected.split_once("BYTES").unwrap_or((expected, ""));
        let told = text.strip_prefix(&format!("query `q1`: `URL/search` {before}"));
        let told = told
            .unwrap_or_else(|| panic!("{headers}: {text}"))
            .trim_start_matches(|c: char| c.is_ascii_digit());
        assert!(told.starts_with(behind), "{headers}: {text}");
        assert_eq!(server.requests()[0].header("accept-encoding"), Some("gzip"));
    }
}

#[test]
fn a_connection_that_breaks_within_gzip_is_made_again() {
    let server = Server::new(|request| {
        let whole = gzipped(1, "Content-Encoding: gzip\r\n", &right(request).2);
        if request.before == 0 { (whole[..whole.len() - 25].to_vec(), false) } else { (whole, true) }
    });
    passes(&ask(&server, ", concurrency: 1"));
    assert_eq!(server.requests().len(), 5);
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
            ", error: /a/b",
            r#"{"a": {"b": 1}, "hits": []}"#,
            "the answer says at `/a/b` that something went wrong: `1`",
        ),
        (
            ", error: [/x, /y]",
            r#"{"y": {"z": 0}, "hits": []}"#,
            "the answer says at `/y` that something went wrong: `{\"z\":0}`",
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
    // Where there is nothing in it, and where it is not looked at.
    for (rest, more) in
        [("", "\"error\": null, \"errors\": [], \"timed_out\": false"), (", error: []", "\"error\": 1")]
    {
        let server = Server::answering(move |request| {
            (200, JSON, format!("{{{more}, \"hits\": [{{\"id\": \"{}\", \"score\": 1}}]}}", request.right()))
        });
        passes(&run(&format!("url: '{}', body: {{q: '{{text}}'}}, {SHAPE}{rest}", server.url()), ""));
    }
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
fn a_busy_service_is_asked_again() {
    for status in [429, 503] {
        let server = Server::answering(move |request| {
            if request.before < 2 { (status, "Retry-After: 0\r\n", String::new()) } else { right(request) }
        });
        passes(&ask(&server, ", concurrency: 1"));
        assert_eq!(server.requests().len(), 6);
    }
}

#[test]
fn a_broken_connection_is_made_again() {
    let server = Server::new(|request| {
        let whole = response(200, JSON, &right(request).2);
        match request.before {
            0 => (Vec::new(), false),
            1 => (whole[..whole.len() - 5].to_vec(), false),
            2 => (whole[..20].to_vec(), false),
            _ => (whole, true),
        }
    });
    passes(&ask(&server, ", concurrency: 1"));
    assert_eq!(server.requests().len(), 7);
}

#[test]
fn a_service_that_stays_busy_is_given_up() {
    let server = Server::answering(|_| (503, "", "try\nlater".into()));
    assert_eq!(
        fails(&server, ""),
        "query `q1`: `URL/search` answered 503 Service Unavailable (9 bytes that `RANKGATE_SHOW_BODIES=1` shows) (after 5 tries) (the first of 4 \
         failures among 4 queries)"
    );
    assert_eq!(server.requests().len(), 20);
    let server = Server::answering(|_| (429, "Retry-After: 3600\r\n", String::new()));
    assert_eq!(
        fails(&server, ", timeout: 5s"),
        "query `q1`: `URL/search` answered 429 Too Many Requests, and wishes to be asked again after 3600 s (1 try \
         within 5 s) (the first of 4 failures among 4 queries)"
    );
    assert_eq!(server.requests().len(), 4);
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
fn a_huge_answer_is_not_read_to_its_end() {
    let server = Server::new(|_| {
        let mut answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n".to_vec();
        answer.resize(70 << 20, b'[');
        (answer, true)
    });
    assert_eq!(
        fails(&server, ", concurrency: 1"),
        "query `q1`: `URL/search` answered with more than 64 MiB (the first of 4 failures among 4 queries)"
    );
}

#[test]
fn ids_of_a_megabyte_and_a_hundred_thousand_results_are_read() {
    let long = json!({"id": "x".repeat(1 << 20), "score": 3});
    let others: String = (0..100_000).map(|n| format!(r#",{{"id":"x{n}","score":1}}"#)).collect();
    let server = Server::answering(move |request| {
        let right = json!({"id": request.right(), "score": 2});
        (200, JSON, format!(r#"{{"hits":[{long},{right}{others}]}}"#))
    });
    let report = ask(&server, "");
    passes(&report);
    let (text, markdown) = (rankgate::report::text(&report), rankgate::report::markdown(&report));
    assert!(text.len() < 100_000 && markdown.len() < 1 << 20, "{} and {} bytes", text.len(), markdown.len());
}

#[test]
fn a_slow_service_is_late() {
    let server = Server::answering(|request| {
        thread::sleep(Duration::from_secs(5));
        right(request)
    });
    assert_eq!(
        fails(&server, ", timeout: 300ms"),
        "query `q1`: `URL/search` did not answer `question 1` within 0.3 s, the `timeout` in line 12 of the spec (the first of 4 failures among 4 queries)"
    );
    // One that keeps sending is late too.
    let server = Server::new(|_| (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".to_vec(), true));
    assert_eq!(
        fails(&server, ", timeout: 300ms"),
        "query `q1`: `URL/search` did not answer `question 1` within 0.3 s, the `timeout` in line 12 of the spec (the first of 4 failures among 4 queries)"
    );
}

#[test]
fn a_service_that_is_not_there_is_an_error() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let http = format!("url: 'http://{address}/', body: ['{{text}}'], {SHAPE}");
    let text = failure(&run(&http, ", timeout: 500ms")).replace(&address.to_string(), "HOST");
    // How a system calls it differs.
    assert!(text.starts_with("query `q1`: `http://HOST/` cannot be reached: "), "{text}");
    assert!(text.ends_with(" (2 tries within 0.5 s) (the first of 4 failures among 4 queries)"), "{text}");
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

/// The snippets of `docs/http.md`, each against an answer in the shape that its product documents.
mod products {
    use super::*;

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
    fn fits(product: &str, text: &str, depth: &str, answer: Value, path: &str) {
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
        fits("Elasticsearch", "/query/multi_match/query", "/size", elasticsearch(), path);
    }

    #[test]
    fn opensearch_fits() {
        let path = "/docs/_search?allow_partial_search_results=false";
        fits("OpenSearch", "/query/multi_match/query", "/size", elasticsearch(), path);
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
        fits("Qdrant", "/query/nearest/text", "/limit", answer, "/collections/docs/points/query");
    }

    #[test]
    fn meilisearch_fits() {
        let answer = json!({
            "hits": [{"id": "d1", "_rankingScore": 0.9546}, {"id": 17, "_rankingScore": 0.8103}],
            "query": "refund", "processingTimeMs": 1, "limit": 10, "offset": 0, "estimatedTotalHits": 2,
        });
        fits("Meilisearch", "/q", "/limit", answer, "/indexes/docs/search");
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
        fits("Typesense", "/searches/0/q", "/searches/0/per_page", answer, "/multi_search");
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
            ("Meilisearch", json!({"hits": []}), "/code", json!("index_not_found")),
            (
                "Meilisearch",
                json!({"hits": []}),
                "/remoteErrors",
                json!({"ms-1": {"code": "remote_timeout"}}),
            ),
            ("Typesense", typesense(), "/results/0/error", json!("Not found.")),
            ("Typesense", typesense(), "/results/0/search_cutoff", json!(true)),
            ("Vespa", vespa(Some(json!([]))), "/root/errors", json!([{"code": 12, "summary": "Timed out"}])),
            (
                "Vespa",
                vespa(Some(json!([]))),
                "/root/coverage/degraded",
                json!({"match-phase": false, "timeout": true}),
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
        fits("Vespa", "/query", "/hits", answer, "/search/");
    }

    #[test]
    fn vespa_that_finds_nothing_leaves_the_list_out() {
        let (report, _) = measure("Vespa", vespa(None));
        assert_eq!(report.gates[0].verdict, Verdict::Failed, "{}", rankgate::report::text(&report));
    }
}
