//! The server as its callers meet it: the real program, on SQLite and on PostgreSQL.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails")]

mod cluster;
mod running;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::cluster::Cluster;
use crate::running::{Running, program, report, send};

const PUSH: &str = "/v1/reports?project=shop&branch=main";

/// A token of the command, for a server on the same folder.
fn token(folder: &Path, database: Option<&str>, arguments: &[&str]) -> String {
    let output = program(folder, database).args(["token", "create"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn sqlite_keeps_reports_and_shows_trends_and_alarms() {
    let folder = tempfile::tempdir().unwrap();
    reports_trends_and_alarms(folder.path(), None);
}

#[test]
#[ignore = "needs PostgreSQL: .ci/service"]
fn postgresql_keeps_reports_and_shows_trends_and_alarms() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    reports_trends_and_alarms(folder.path(), Some(&cluster.create()));
}

fn reports_trends_and_alarms(folder: &Path, database: Option<&str>) {
    let mut server = Running::start(folder, database);
    assert!(server.token.starts_with("rg_"));
    for path in ["/health", "/ready", "/metrics", "/openapi.json"] {
        assert_eq!(send(server.address, ("GET", path), &[], b"").unwrap().status, 200, "{path}");
    }
    for commit in 1..=4 {
        let score = if commit < 3 { 0.7 } else { 0.5 };
        let path = format!("{PUSH}&time={commit}&subject=Change%20%3C{commit}%3E&author=Ada");
        let answer = server.send("POST", &path, report("helpdesk", commit, score).as_bytes());
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    // The same commit again replaces its report.
    let again = server.send("POST", PUSH, report("helpdesk", 4, 0.5).as_bytes());
    assert_eq!(again.status, 201);
    let list = server.get("/v1/projects/shop/reports?benchmark=helpdesk").json();
    assert_eq!(list["reports"].as_array().unwrap().len(), 4);
    assert_eq!(server.get("/v1/projects").json()["projects"][0]["benchmarks"][0]["reports"], 4);
    let id = again.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&format!("/v1/reports/{id}")).body, report("helpdesk", 4, 0.5));
    assert_eq!(server.get("/v1/reports/none").status, 404);
    let trends = server.get("/v1/projects/shop/trends?benchmark=helpdesk").json();
    assert_eq!(trends["histories"][0]["commits"].as_array().unwrap().len(), 4);
    let alarms = server.get("/v1/projects/shop/alarms?benchmark=helpdesk").json();
    let alarm = &alarms["alarms"][0];
    assert!(alarm["text"].as_str().unwrap().starts_with("nDCG@10 fell by 0.2000 in 00000000"), "{alarm}");
    assert_eq!(alarm["commit"]["id"], format!("{:040x}", 3));
    // Pages work without script, and nothing in them is markup of a commit.
    let page = server.get("/projects/shop/helpdesk");
    assert!(page.status == 200 && page.body.contains("Change &lt;3&gt;"), "{}", page.body);
    assert!(page.body.contains("<svg") && !page.body.contains("<script"), "{}", page.body);
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    assert!(server.get("/").body.contains("/projects/shop/helpdesk"));
    // An acknowledgement needs a note; with one the alarm is open no more.
    let alarm = alarm["id"].as_str().unwrap();
    let body =
        |note: &str| format!("{{\"benchmark\": \"helpdesk\", \"alarm\": \"{alarm}\", \"note\": \"{note}\"}}");
    let acknowledge =
        |note: &str| server.send("POST", "/v1/projects/shop/acknowledgements", body(note).as_bytes());
    assert_eq!(acknowledge(" ").json()["pointer"], "/note");
    assert_eq!(acknowledge("meant").status, 204);
    let alarms = server.get("/v1/projects/shop/alarms?benchmark=helpdesk").json();
    assert_eq!(alarms["alarms"].as_array().unwrap().len(), 0);
    let form = format!("alarm={}&note=again", alarm.replace('@', "%40"));
    let header = format!("Authorization: Bearer {}", server.token);
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let path = "/projects/shop/helpdesk?branch=main";
    let sent = send(server.address, ("POST", path), &[&header, kind], form.as_bytes()).unwrap();
    assert_eq!(sent.status, 303, "{}", sent.body);
    let foreign = [header.as_str(), kind, "Sec-Fetch-Site: cross-site"];
    assert_eq!(send(server.address, ("POST", path), &foreign, form.as_bytes()).unwrap().status, 403);
    // It is all there after a restart, without another first token.
    server.stop();
    let token = server.token.clone();
    let mut server = Running::start(folder, database);
    assert_eq!(server.token, "");
    server.token = token;
    assert!(server.get("/projects/shop/helpdesk").body.contains("Note: again (first)"));
}

#[test]
fn a_token_that_is_wrong_expired_or_for_reading_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), None);
    let status = |token: &str, method: &str, path: &str, body: &str| {
        let header = format!("Authorization: Bearer {token}");
        send(server.address, (method, path), &[&header], body.as_bytes()).unwrap().status
    };
    let read = token(folder.path(), None, &["--read", "dashboard"]);
    let expired = token(folder.path(), None, &["--write", "--days", "0", "old"]);
    let sent = report("helpdesk", 1, 0.5);
    assert_eq!(send(server.address, ("GET", "/v1/projects"), &[], b"").unwrap().status, 401);
    for wrong in ["rg_wrong", &expired] {
        assert_eq!((status(wrong, "GET", "/", ""), status(wrong, "POST", PUSH, &sent)), (401, 401));
    }
    assert_eq!((status(&read, "GET", "/", ""), status(&read, "POST", PUSH, &sent)), (200, 403));
    let evaluate = r#"{"queries": [{"query_text": "a", "relevant_docs": ["d"]}], "retrieved": [["d"]]}"#;
    assert_eq!(status(&read, "POST", "/v1/evaluate", evaluate), 200);
    assert_eq!(status(&server.token, "POST", PUSH, &sent), 201);
    let revoked = program(folder.path(), None).args(["token", "revoke", "dashboard"]).status().unwrap();
    assert!(revoked.success());
    assert_eq!(status(&read, "GET", "/", ""), 401);
}

#[test]
fn hostile_requests_are_refused_and_others_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), None);
    let idle: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let slow: Vec<TcpStream> = (0..50).map(|_| slow_head(&server)).collect();
    let header = format!("Authorization: Bearer {}", server.token);
    let packed = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    };
    let gzip = [header.as_str(), "Content-Encoding: gzip"];
    let bomb = packed(&vec![b' '; 200 << 20]);
    let answer = send(server.address, ("POST", "/v1/evaluate"), &gzip, &bomb).unwrap();
    assert_eq!((answer.status, &answer.json()["status"]), (413, &413.into()));
    let small = packed(report("helpdesk", 1, 0.5).as_bytes());
    assert_eq!(send(server.address, ("POST", PUSH), &gzip, &small).unwrap().status, 201);
    let deep = "[".repeat(1 << 20);
    assert_eq!(server.send("POST", "/v1/evaluate", deep.as_bytes()).status, 422);
    assert_eq!(server.send("POST", PUSH, deep.as_bytes()).status, 422);
    let many = vec!["7"; 100_000].join(",");
    let body = format!(
        "{{\"queries\": [{{\"relevant_docs\": [\"a\"]}}], \"retrieved\": [[\"a\"]], \"k_values\": [{many}]}}"
    );
    assert_eq!(server.send("POST", "/v1/evaluate", body.as_bytes()).json()["pointer"], "/k_values");
    assert_eq!(server.send("POST", "/v1/evaluate", b"{\"queries\": 7}").json()["pointer"], "/queries");
    assert_eq!(server.send("DELETE", "/v1/evaluate", b"").json()["status"], 405);
    assert_eq!(server.get("/v1/nothing").json()["status"], 404);
    let begun = Instant::now();
    assert_eq!(server.get("/health").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(5));
    drop((idle, slow));
}

/// A connection that sends the beginning of a head.
fn slow_head(server: &Running) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ").unwrap();
    stream
}

#[test]
#[ignore = "waits for 15 seconds: .ci/service"]
fn a_head_that_never_ends_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(folder.path(), None);
    let mut slow = slow_head(&server);
    slow.set_read_timeout(Some(Duration::from_secs(40))).unwrap();
    slow.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_token_that_sends_too_much_is_told_to_wait() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start_with(folder.path(), None, &["--rate", "1"]);
    let statuses: Vec<u16> = (0..5).map(|_| server.get("/v1/projects").status).collect();
    assert!(statuses[0] == 200 && statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.get("/health").status, 200, "it needs no token, and has no rate");
}

/// Kills the server a hundred times while four callers push.
#[test]
#[ignore = "takes a minute: .ci/service"]
fn a_hundred_kills_lose_no_acknowledged_report() {
    let folder = tempfile::tempdir().unwrap();
    let first = Running::start(folder.path(), None).token.clone();
    let acknowledged: Mutex<Vec<String>> = Mutex::default();
    for round in 0..100_usize {
        let mut server = Running::start(folder.path(), None);
        let (address, stopped) = (server.address, AtomicBool::new(false));
        std::thread::scope(|scope| {
            for side in 0..4 {
                let (acknowledged, first, stopped) = (&acknowledged, &first, &stopped);
                scope.spawn(move || {
                    for number in 0.. {
                        let commit = 1 + round * 100_000 + side * 10_000 + number;
                        let body = report("helpdesk", commit, 0.7 - 1e-6 * commit as f64);
                        let header = format!("Authorization: Bearer {first}");
                        let sent = send(address, ("POST", PUSH), &[&header], body.as_bytes());
                        match sent {
                            Ok(answer) if answer.status == 201 && !answer.body.is_empty() => {
                                acknowledged.lock().unwrap().push(format!("{commit:040x}"));
                            }
                            Ok(answer) if !answer.body.is_empty() => panic!("{}", answer.body),
                            _ => return,
                        }
                        if stopped.load(Ordering::Relaxed) {
                            return;
                        }
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(30 + round as u64 * 37 % 150));
            server.child.kill().unwrap();
            stopped.store(true, Ordering::Relaxed);
        });
    }
    let mut server = Running::start(folder.path(), None);
    server.token = first;
    let mut kept = std::collections::BTreeSet::new();
    for offset in (0..).step_by(1_000) {
        let list = server.get(&format!("/v1/projects/shop/reports?limit=1000&offset={offset}")).json();
        let reports = list["reports"].as_array().unwrap().clone();
        kept.extend(reports.iter().map(|one| one["commit"].as_str().unwrap().to_owned()));
        if reports.is_empty() {
            break;
        }
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    let lost: Vec<&String> = acknowledged.iter().filter(|commit| !kept.contains(*commit)).collect();
    assert!(acknowledged.len() >= 100, "{} pushes", acknowledged.len());
    assert!(lost.is_empty(), "{} of {} lost: {lost:?}", lost.len(), acknowledged.len());
}
