//! Alarms told to an address.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rankgate_serve::{App, Settings};
use serde_json::{Value, json};

use crate::running::{Running, settings};
use crate::sample::{base, commits, id, lower, push, report, step};

/// Listens, answers with these statuses, the last again and again, and says what was sent. Its limit of requests ends at
/// a moment that no clock shows, 2^64 - 1 s after 1970.
fn listening(statuses: &'static [u16]) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hooks/s3cret", listener.local_addr().unwrap());
    let (told, heard) = channel();
    std::thread::spawn(move || {
        for number in 0.. {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let mut bytes = Vec::new();
            let body = loop {
                let mut block = [0; 4096];
                let read = stream.read(&mut block).unwrap();
                bytes.extend_from_slice(&block[..read]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                assert!(head.starts_with("POST /hooks/s3cret HTTP/1.1"), "{head}");
                let length = head.lines().find_map(|line| {
                    line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
                });
                if body.len() == length.unwrap() {
                    break serde_json::from_str(body).unwrap();
                }
            };
            let status = statuses.get(number).or(statuses.last()).unwrap();
            let limit = "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 18446744073709551615";
            let head = format!("HTTP/1.1 {status} said\r\nContent-Length: 2\r\nConnection: close\r\n{limit}");
            write!(stream, "{head}\r\n\r\nok").unwrap();
            if told.send(body).is_err() {
                return;
            }
        }
    });
    (url, heard)
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn an_alarm_is_told_once_and_again_where_nobody_heard_it() {
    let (url, heard) = listening(&[500, 200]);
    let server = Running::with(|settings| Settings { webhook: Some(url), ..settings });
    let states = step();
    push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
    let first = heard.recv_timeout(LONG).unwrap();
    let alarm = &server.get("/v1/projects/search/alarms").json()["alarms"][0];
    assert_eq!(
        (&first["event"], &first["project"], &first["id"]),
        (&json!("alarm"), &json!("search"), &alarm["id"])
    );
    assert_eq!((&first["page"], &first["commit"]), (&json!("/projects/search/alarms"), &json!(id(20))));
    // Nobody took it: it comes again, the same.
    assert_eq!(heard.recv_timeout(LONG).unwrap(), first);
    // A further loss is told, and the one before is not.
    let further = report("helpdesk", 21, &lower(&states[20], 0.2), &states[0]);
    let path = format!("/v1/projects/search/alarms/{}/acknowledge", alarm["id"].as_str().unwrap());
    server.post_json(&path, &json!({"note": "known"})).expect(200);
    server.post_json("/v1/projects/search/commits", &commits(20, 21)).expect(200);
    server.post_json("/v1/projects/search/reports", &further).expect(201);
    assert_eq!(heard.recv_timeout(LONG).unwrap()["commit"], json!(id(21)));
    assert!(heard.recv_timeout(Duration::from_secs(1)).is_err());
}

#[test]
fn nobody_who_pushes_waits_for_an_address_that_does_not_answer() {
    // It takes connections, and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = Running::with(|settings| Settings { webhook: Some(url), ..settings });
    let states = step();
    push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
    listener.accept().unwrap();
    // It is asked now, and waits for ten seconds.
    let begun = Instant::now();
    let one = report("helpdesk", 21, &base(), &states[0]);
    server.post_json("/v1/projects/search/reports", &one).expect(201);
    server.get("/v1/projects/search/alarms").expect(200);
    assert!(begun.elapsed() < Duration::from_secs(8));
}

#[test]
fn what_is_no_address_is_refused_at_the_start() {
    for url in ["ftp://example.org/x", "file:///etc/passwd", "example.org", "http://"] {
        let folder = tempfile::tempdir().unwrap();
        let refused = App::open(Settings { webhook: Some(url.into()), ..settings(&folder) }).err().unwrap();
        assert!(refused.message.starts_with("the webhook: "), "{refused}");
    }
}
