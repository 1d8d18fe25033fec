//! Reports on their way to a server. The real server is tested in crates/rankgate-serve/tests.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::io::Write;
use std::net::TcpListener;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};

use crate::history::Repository;
use crate::loopback::request;
use crate::surroundings;

/// A server that answers reports with a status and the question for alarms with a list; and the heads of what it was sent.
fn server(status: u16, alarms: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (heads, received) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Ok(Some((head, _))) = request(&stream) else { continue };
            let (status, body) = if head.starts_with("POST") { (status, "{}") } else { (200, alarms) };
            let answer = format!(
                "HTTP/1.1 {status} Answer\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            drop(stream.write_all(answer.as_bytes()));
            drop(heads.send(head));
        }
    });
    (url, received)
}

fn push(repository: &Repository, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let command = surroundings::leave(&mut command).arg("push").args(arguments);
    let command = command.env("RANKGATE_TOKEN", "rg_secret").current_dir(repository.path());
    let output = command.output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!stdout.contains("rg_secret") && !stderr.contains("rg_secret"), "{stdout}{stderr}");
    (output.status.code(), stdout, stderr)
}

fn measured() -> (Repository, String) {
    let mut repository = Repository::new();
    let commit = repository.bless("Begin & end");
    repository.git(&["tag", "v1.0"]);
    repository.keep(&commit, "target/rankgate");
    (repository, commit)
}

#[test]
fn a_report_is_sent_with_its_commit_and_open_alarms_are_printed() {
    let (repository, _) = measured();
    let alarms = r#"{"alarms": [{"id": "3f2a9c01.words.RR@10", "text": "RR@10 fell by 0.1"}]}"#;
    let (url, received) = server(201, alarms);
    let to = ["--to", &url, "--project", "my shop"];
    let (status, stdout, stderr) = push(&repository, &to);
    assert_eq!(status, Some(0), "{stderr}");
    assert_eq!(stdout, "ALARM: toy: RR@10 fell by 0.1 (id 3f2a9c01.words.RR@10)\n");
    let head = received.recv().unwrap();
    let line = "POST /v1/reports?project=my%20shop&branch=main&time=1767225600&subject=Begin%20%26%20end&author=n&release=v1.0 ";
    assert!(head.starts_with(line) && head.contains("Bearer rg_secret"), "{head}");
    let asked = received.recv().unwrap();
    assert!(asked.starts_with("GET /v1/projects/my%20shop/alarms?benchmark=toy&branch=main "), "{asked}");
    assert_eq!(push(&repository, &[&to[..], &["--fail-on-alarm"]].concat()).0, Some(1));
}

#[test]
fn a_report_that_is_not_accepted_is_an_error_with_what_to_do() {
    let (repository, _) = measured();
    for (refused, advice) in [(401, "Create one: "), (403, "can only read"), (404, "a rankgate-serve?")] {
        let (url, _received) = server(refused, "{}");
        let (status, _, stderr) = push(&repository, &["--to", &url, "--project", "shop"]);
        assert!(status == Some(2) && stderr.contains(advice), "{refused}: {stderr}");
    }
    let (status, _, stderr) = push(&repository, &["--to", "http://127.0.0.1:1"]);
    assert!(status == Some(2) && stderr.contains("pass --project NAME"), "{stderr}");
    let empty = ["empty", "--to", "http://127.0.0.1:1", "--project", "shop"];
    std::fs::create_dir(repository.path().join("empty")).unwrap();
    let (status, _, stderr) = push(&repository, &empty);
    assert!(status == Some(2) && stderr.contains("There is no report.json in empty."), "{stderr}");
}
