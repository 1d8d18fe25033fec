//! Secrets that a spec names, through every command and format, are nowhere in what is printed or written.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::loopback::request;
use crate::surroundings;

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;

use tempfile::TempDir;

/// The variables of the spec. Each value has a part that URLs write as it is, and around it what they write otherwise.
pub(crate) const SECRETS: [(&str, &str); 8] = [
    ("S_ARGUMENT", "k Yw1argumentQ7z/<+"),
    ("S_ENVIRONMENT", "k Yw2environmentQ7z/<+"),
    ("S_PASSWORD", "Yw3passwordQ7z"),
    ("S_QUERY", "Yw4queryQ7z"),
    ("S_HEADER", "k Yw5headerQ7z/<+"),
    ("S_BODY", "k Yw6bodyQ7z/<+"),
    ("S_PATH", "Yw7pathQ7z"),
    ("S_LINES", "-----BEGIN-----\nYw8linesQ7z\n-----END-----\n"),
];

/// A program that answers, and otherwise says all it knows, as it is and as URLs have it.
const PROGRAM: &str = r#"
import json, os, sys, urllib.parse
how, argument = sys.argv[1:]
known = [argument] + [os.environ[name] for name in ("KEY", "PEM")]
everything = []
for text in known:
    everything += [text, "user:" + text, urllib.parse.quote(text, safe="")]
everything = " | ".join(everything)
sys.stderr.write(everything + "\n")
sys.stderr.flush()
def say(message):
    print(message, flush=True)
if how == "dies":
    sys.exit(1)
sys.stdin.readline()
say(everything if how == "chats" else '{"rankgate": 1}')
for line in sys.stdin:
    query = json.loads(line)["id"]
    if how == "refuses":
        say(json.dumps({"id": query, "error": everything}))
    elif how == "babbles":
        say(everything)
    elif how == "confuses":
        say(json.dumps({"id": everything, "hits": []}))
    elif how == "misses":
        say(json.dumps({"id": query, "hits": [[everything]]}))
    elif how == "leaves":
        sys.exit(1)
    else:
        say(json.dumps({"id": query, "hits": ["d" + query[1:]]}))
"#;

const SPEC: &str = r#"
version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: one, d2: two}
    queries:
      - {id: q1, text: question one, relevant: [d1]}
      - {id: q2, text: question two, relevant: [d2]}
configurations:
  program:
    command: [python3, program.py, HOW, '${S_ARGUMENT}']
    env: {KEY: '${S_ENVIRONMENT}', PEM: '${S_LINES}'}
  service:
    http:
      url: 'http://user:${S_PASSWORD}@127.0.0.1:PORT/HOW/${S_PATH}?key=${S_QUERY}'
      headers: {X-Api-Key: 'Key ${S_HEADER}'}
      body: {q: '{text}', key: '${S_BODY}'}
      hits: /hits
      id: /id
    timeout: 3s
  nowhere:
    command: ['${S_PATH}/${S_ARGUMENT}', '${S_ENVIRONMENT}']
  closed:
    http: {url: 'http://user:${S_PASSWORD}@127.0.0.1:1/${S_PATH}?key=${S_QUERY}', body: ['{text}'], hits: /hits, id: /id}
    timeout: 300ms
metrics: [RR@2]
thresholds:
  - {metric: RR@2, min: 0.5}
comparisons:
  - {candidate: program, baseline: service, metrics: [RR@2], expect: no-regression}
snapshot: true
deterministic: true
"#;

/// Answers, or repeats what it was sent, as the path says. It ends with the test.
fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().filter_map(|stream| stream.ok()) {
            // The other side may go at any time.
            std::thread::spawn(move || drop(answer(stream)));
        }
    });
    port
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let Some((head, body)) = request(&stream)? else { return Ok(()) };
    let body = String::from_utf8(body).unwrap();
    let how = head.split('/').nth(1).unwrap_or_default();
    // What is shown of an answer is its beginning, which is another each time.
    let told = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["authorization", "x-api-key", "post"].iter().any(|start| line.starts_with(start))
    };
    let mut pieces: Vec<&str> = head.lines().filter(told).chain([body.as_str()]).collect();
    let first = how.len() % pieces.len();
    pieces.rotate_left(first);
    let everything = pieces.join("\n");
    let in_json = serde_json::to_string(&everything).unwrap();
    let right = if body.contains("question one") { "d1" } else { "d2" };
    let (status, headers, body) = match how {
        "refuses" => (403, String::new(), everything),
        "babbles" => (200, String::from("Content-Type: text/html\r\n"), everything),
        "confuses" => (200, String::new(), format!("{{\"found\": {in_json}}}")),
        "misses" => (200, String::new(), format!("{{\"hits\": [{in_json}]}}")),
        "leaves" => return Ok(()),
        "chats" => {
            let path = head.split(' ').nth(1).unwrap_or_default();
            (302, format!("Location: http://elsewhere.example{path}\r\n"), everything)
        }
        "dies" => (500, String::new(), in_json),
        _ => (200, String::new(), format!("{{\"hits\": [{{\"id\": \"{right}\"}}]}}")),
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// What gives a secret away: the middle of it.
fn traces() -> impl Iterator<Item = &'static str> {
    SECRETS.into_iter().map(|(_, value)| &value[value.find("Yw").unwrap()..value.find("Q7z").unwrap() + 3])
}

#[track_caller]
pub(crate) fn is_clean(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for trace in traces() {
        if let Some(at) = text.find(trace) {
            let from = text[..at].char_indices().rev().nth(200).map_or(0, |(at, _)| at);
            panic!("{what} holds {trace}: ...{}", &text[from..at + trace.len()]);
        }
    }
}

/// Every file below the folder but those that the test has put there; says how many there are.
#[track_caller]
fn are_clean(what: &str, folder: &Path) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files += are_clean(what, &path);
        } else {
            is_clean(&format!("{what}: {}", path.display()), path.to_string_lossy().as_bytes());
            is_clean(&format!("{what}: {}", path.display()), &fs::read(&path).unwrap());
            files += 1;
        }
    }
    files
}

struct Folder(TempDir, u16);

impl Folder {
    fn new() -> Self {
        let python = Command::new("python3").arg("--version").output();
        assert!(python.is_ok_and(|python| python.status.success()), "these tests need `python3`");
        Self(tempfile::tempdir().unwrap(), serve())
    }

    fn spec(&self, how: &str) {
        let folder = self.0.path();
        fs::write(folder.join("program.py"), PROGRAM).unwrap();
        fs::write(folder.join("toy.yaml"), SPEC.replace("HOW", how).replace("PORT", &self.1.to_string()))
            .unwrap();
    }

    /// Runs the command, of which nothing may give a secret away; gives its exit code and what it said.
    #[track_caller]
    fn rankgate(&self, how: &str, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command)
            .args(arguments)
            .envs(SECRETS)
            .envs(variables.iter().copied())
            .current_dir(self.0.path());
        let output = command.output().unwrap();
        let what = format!("{how}: {arguments:?}");
        is_clean(&format!("{what}, standard output"), &output.stdout);
        is_clean(&format!("{what}, standard error"), &output.stderr);
        let all = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!all.contains("panicked"), "{what}: {all}");
        (output.status.code().unwrap(), all)
    }
}

#[test]
fn secrets_are_nowhere_in_what_is_printed_or_written() {
    let all = ["answers", "dies", "chats", "refuses", "babbles", "confuses", "misses", "leaves"];
    // Side by side: most of the time goes into waiting for services that fail.
    thread::scope(|scope| {
        for how in all {
            scope.spawn(move || secrets_are_nowhere(how));
        }
    });
}

/// With programs and services that behave in this way.
fn secrets_are_nowhere(how: &str) {
    const GITHUB: &[(&str, &str)] = &[("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", "summary.md")];
    let folder = Folder::new();
    folder.spec(how);
    // Nothing of what a service refuses is shown, however it writes what it was sent; and where somebody asks for it,
    // nothing that is known to be a secret.
    let run = ["run", "toy.yaml", "--output", "out", "--junit", "junit.xml"];
    let (_, said) = folder.rankgate(how, &run, GITHUB);
    assert!(!said.contains("${S_HEADER}") && !said.contains("${S_BODY}"), "{how}: {said}");
    let run = [&run[..], &["--show-bodies"]].concat();
    let (code, said) = folder.rankgate(how, &run, GITHUB);
    assert_eq!(code, 2, "{how}: {said}");
    let (_, blessed) = folder.rankgate(how, &["bless", "toy.yaml"], &[]);
    for arguments in [
        &["run", "toy.yaml", "--format", "markdown"][..],
        &["run", "toy.yaml", "--format", "json"],
        &["report", "out/toy/report.json"],
        &["lint", "toy.yaml"],
        &["lint", "toy.yaml", "--format", "json"],
        &["pool", "toy.yaml"],
        &["run", "toy.yaml", "--filter", "no-such-gate"],
    ] {
        // All ways to fail are told of in the same ways.
        if ["answers", "refuses"].contains(&how) {
            folder.rankgate(how, arguments, GITHUB);
        }
    }
    if how == "answers" {
        assert!(
            blessed.contains("golden/toy/program.run") && blessed.contains("golden/toy/service.snap"),
            "{blessed}"
        );
    } else {
        assert!(said.contains("${S_"), "what was hidden is said by name: {said}");
    }
    // The program, the spec, the report twice, JUnit's file and the summary at least.
    assert!(are_clean(how, folder.0.path()) >= 6);
}
