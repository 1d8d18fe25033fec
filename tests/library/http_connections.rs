//! Connections of `http:` retrievers: packed, broken, slow, busy, or to nobody.

#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::io::Write;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use crate::http_retriever::{SHAPE, ask, fails, failure, passes, run};
use crate::http_server::{JSON, Server, response, right};
use serde_json::json;

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
fn a_service_that_breaks_its_answers_off_is_not_one_that_cannot_be_reached() {
    let server = Server::new(|request| {
        let whole = response(200, JSON, &right(request).2);
        (whole[..whole.len() - 5].to_vec(), false)
    });
    let text = fails(&server, ", timeout: 500ms");
    let (_, said) = text.split_once("`URL/search` broke off after ").unwrap_or_else(|| panic!("{text}"));
    assert!(said.contains(" bytes of its answer: ") && !said.contains("reached"), "{text}");
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
