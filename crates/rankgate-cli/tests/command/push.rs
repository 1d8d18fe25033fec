//! Reports on their way to a server, against one that answers what it is told to. The real one is asked in
//! crates/rankgate-serve/tests.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::history::Repository;
use crate::loopback::request;
use crate::{cli, surroundings};

const TOKEN: &str = "rankgate_0123456789abcdef";

/// A request as it came: its first line, its head, and its body as JSON.
type Request = (String, String, Value);

/// A server of a few answers.
struct Fake {
    url: String,
    asked: Arc<Mutex<Vec<Request>>>,
    /// What alarms are answered with: status and body.
    alarms: Arc<Mutex<(u16, Value)>>,
    /// What reports are answered with: status and detail; 201 where it is kept, of a commit where the detail is one.
    reports: Arc<Mutex<(u16, &'static str)>>,
}

fn none() -> Value {
    let commit = json!({"commit": "f".repeat(40), "time": 1, "subject": "Change nothing"});
    let mut head = commit.clone();
    head["name"] = json!("main");
    head["measured"] = json!(true);
    head["behind"] = json!(0);
    head["gates"] =
        json!({"passed": 1, "failed": 1, "inconclusive": 0, "errored": 0, "advisory": 0, "reported": 0});
    json!({"schema": 1, "standing": 0, "alarms": [], "covers_commit": true, "histories": [
        {"benchmark": "toy", "configuration": "words", "source": "reports", "commits": 2, "last": commit, "head": head}]})
}

fn one() -> Value {
    json!({"schema": 1, "standing": 1, "covers_commit": true, "histories": [], "alarms": [{
        "benchmark": "toy", "configuration": "words", "id": "3f2a9c01d4e5", "commit": "f".repeat(40), "time": 1,
        "subject": "Rewrite the tokenizer", "state": 2, "acknowledged": false, "open": true,
        "against": [{"reference": "release", "release": "v1.2", "from": "a", "against": "b", "metric": "RR@10",
                     "before": 0.8125, "now": 0.75, "p": 0.00002, "threshold": 0.003, "ranking": 2}],
        "suspects": [{"commit": "e".repeat(40), "time": 0, "subject": "Tidy up"},
                     {"commit": "f".repeat(40), "time": 1, "subject": "Rewrite the tokenizer"}],
        "steps": [], "queries": []}]})
}

impl Fake {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (asked, alarms) = (Arc::<Mutex<Vec<Request>>>::default(), Arc::new(Mutex::new((200, none()))));
        let reports = Arc::new(Mutex::new((201, "")));
        let (log, answers, of_reports) = (Arc::clone(&asked), Arc::clone(&alarms), Arc::clone(&reports));
        // It ends with the test.
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let Ok(Some((head, body))) = request(&stream) else { continue };
                let mut text = String::new();
                if head.to_ascii_lowercase().contains("content-encoding: gzip") {
                    flate2::read::GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
                }
                let body: Value = serde_json::from_str(&text).unwrap_or_default();
                let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
                let (status, answer) = if line.ends_with("/commits") {
                    (
                        200,
                        json!({"branch": "main", "commits": 1, "new": body["commits"].as_array().unwrap().len()}),
                    )
                } else if line.contains("/reports") {
                    let of = (&body["benchmark"], &body["history"]["commit"]);
                    match *of_reports.lock().unwrap() {
                        (201, commit) => {
                            let commit = if commit.is_empty() { of.1.clone() } else { json!(commit) };
                            let answer =
                                json!({"report": 7, "benchmark": of.0, "commit": commit, "new": true});
                            (201, answer)
                        }
                        (status, detail) => {
                            (status, json!({"title": "Said", "status": status, "detail": detail}))
                        }
                    }
                } else {
                    answers.lock().unwrap().clone()
                };
                log.lock().unwrap().push((line, head, body));
                let answer = answer.to_string();
                let head = format!(
                    "HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                    answer.len()
                );
                drop(stream.write_all((head + &answer).as_bytes()));
            }
        });
        Self { url, asked, alarms, reports }
    }

    fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn answer_reports(&self, status: u16, detail: &'static str) {
        *self.reports.lock().unwrap() = (status, detail);
    }

    fn alarm(&self, status: u16, answer: Value) {
        *self.alarms.lock().unwrap() = (status, answer);
    }
}

/// A repository with two commits, and the report of the second.
fn measured() -> (Repository, String) {
    let mut repository = Repository::new();
    repository.bless("Begin");
    repository.git(&["tag", "v1.0"]);
    let commit = repository.commit("Change nothing");
    repository.keep(&commit, "target/rankgate");
    (repository, commit)
}

fn rankgate(repository: &Repository, arguments: &[&str], variables: &[(&str, &str)]) -> cli::Output {
    let output = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(repository.path())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let output = cli::Output {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        status: output.status.code(),
    };
    assert!(!output.stdout.contains(TOKEN) && !output.stderr.contains(TOKEN), "{}", output.stderr);
    output
}

#[test]
fn a_run_of_ci_takes_a_token_that_its_issuer_signs() {
    let (repository, _) = measured();
    let (server, issuer) = (Fake::start(), Fake::start());
    issuer.alarm(200, json!({"value": "head.claims.signature"}));
    let push = ["push", "--to", &server.url, "--project", "search", "--branch", "main"];
    let request = format!("{}/idtoken?api-version=2.0", issuer.url);
    let github = [
        ("ACTIONS_ID_TOKEN_REQUEST_URL", request.as_str()),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "s3cret-of-a-job"),
    ];
    let is_asked_with = |asked: &[Request], token: &str| {
        assert!(!asked.is_empty());
        for (_, head, _) in asked {
            assert!(head.to_ascii_lowercase().contains(&format!("authorization: bearer {token}")), "{head}");
        }
    };
    let output = rankgate(&repository, &push, &github);
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let asked = issuer.take_requests();
    let audience = rankgate::service::in_address(&server.url);
    assert_eq!(asked[0].0, format!("GET /idtoken?api-version=2.0&audience={audience}"));
    is_asked_with(&asked, "s3cret-of-a-job");
    is_asked_with(&server.take_requests(), "head.claims.signature");
    // One that was made there comes first; GitLab's lies in a variable.
    assert_eq!(
        rankgate(&repository, &push, &[&github[..], &[("RANKGATE_TOKEN", TOKEN)]].concat()).status,
        Some(0)
    );
    assert_eq!(issuer.take_requests(), []);
    is_asked_with(&server.take_requests(), TOKEN);
    assert_eq!(rankgate(&repository, &push, &[("RANKGATE_ID_TOKEN", "a.b.c")]).status, Some(0));
    is_asked_with(&server.take_requests(), "a.b.c");
    // An issuer that gives none is no push without a token.
    issuer.alarm(200, json!({"count": 0}));
    let output = rankgate(&repository, &push, &github);
    assert!(output.stderr.contains("no token of this run of CI"), "{}", output.stderr);
    assert!(!output.stderr.contains("s3cret"), "{}", output.stderr);
    assert_eq!((output.status, server.take_requests()), (Some(2), vec![]));
}

#[test]
fn a_report_is_pushed_with_its_line_branch_and_run_of_ci_and_alarms_end_with_1() {
    let (repository, commit) = measured();
    let server = Fake::start();
    let push = ["push", "--to", &server.url, "--project", "search", "--fail-on-alarm"];
    let github = [
        ("RANKGATE_TOKEN", TOKEN),
        ("GITHUB_REF_NAME", "main"),
        ("GITHUB_SERVER_URL", "https://github.example"),
        ("GITHUB_REPOSITORY", "us/search"),
        ("GITHUB_RUN_ID", "17"),
    ];
    let output = rankgate(&repository, &push, &github);
    let asked = server.take_requests();
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let lines: Vec<&str> = asked.iter().map(|(line, _, _)| line.as_str()).collect();
    assert_eq!(
        lines,
        [
            &format!(
                "POST /v1/projects/search/reports?source=https%3A%2F%2Fgithub.example%2Fus%2Fsearch%2Factions%2Fruns%2F17\
                 &root={}",
                repository.git(&["rev-list", "--max-parents=0", "HEAD"])
            ),
            "POST /v1/projects/search/commits",
            &format!("GET /v1/projects/search/alarms?benchmark=toy&branch=main&commit={commit}"),
        ]
    );
    for (_, head, _) in &asked {
        assert!(head.to_ascii_lowercase().contains(&format!("authorization: bearer {TOKEN}")), "{head}");
    }
    let sent = &asked[1].2;
    assert_eq!((&sent["branch"], sent["commits"].as_array().unwrap().len()), (&json!("main"), 2));
    assert_eq!(
        (&sent["commits"][0]["parent"], &sent["commits"][0]["releases"]),
        (&Value::Null, &json!(["v1.0"]))
    );
    assert_eq!(
        (&sent["commits"][1]["commit"], &sent["commits"][1]["parent"]),
        (&json!(commit), &sent["commits"][0]["commit"])
    );
    assert_eq!(sent["commits"][1]["subject"], "Change nothing");
    assert_eq!(asked[0].2["history"]["commit"], commit);
    assert_eq!(
        output.stdout,
        format!(
            "toy at {}: pushed, {url}/projects/search/reports/7\n\
             toy, words: 2 commits measured, the last ffffffff Change nothing, the newest of main; its gates: \
             1 passed, 1 failed\nno alarm stands: {url}/projects/search\n",
            &commit[..8],
            url = server.url
        )
    );
    server.alarm(200, one());
    let output = rankgate(&repository, &push, &[]);
    assert_eq!(output.status, Some(1), "{}", output.stderr);
    let expected = "ALARM 3f2a9c01d4e5: toy, words at ffffffff Rewrite the tokenizer\n  \
                    RR@10 0.8125 -> 0.7500 against the release v1.2, p = 2.0e-5\n  \
                    suspect: ffffffff Rewrite the tokenizer\n       or: eeeeeeee Tidy up\n1 alarm stands: ";
    assert!(output.stdout.contains(expected), "{}", output.stdout);
    // Without being asked to, it fails nothing.
    assert_eq!(rankgate(&repository, &push[..5], &[]).status, Some(0));
}

/// What a report says of its scores is said to whoever sends them on.
#[test]
fn the_cautions_of_a_report_are_said_when_it_is_pushed() {
    let (repository, _) = measured();
    let server = Fake::start();
    let file = repository.path().join("target/rankgate/toy/report.json");
    let mut report: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let measured = &mut report["configurations"][0]["outcome"]["measured"];
    assert!(measured["queries"].is_array(), "{measured}");
    measured["cautions"] = json!(["scores rise with the ranks in 40 of 40 queries"]);
    std::fs::write(&file, report.to_string()).unwrap();
    let output = rankgate(&repository, &["push", "--to", &server.url, "--project", "search"], &[]);
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    assert!(
        output.stderr.contains("report.json: words: scores rise with the ranks in 40 of 40 queries"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_report_that_contradicts_itself_is_not_sent() {
    let (repository, _) = measured();
    let file = repository.path().join("target/rankgate/toy/report.json");
    let mut report: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let place = "/configurations/0/outcome/measured/metrics/0/value";
    *report.pointer_mut(place).unwrap() = json!(0.123);
    std::fs::write(&file, report.to_string()).unwrap();
    let server = Fake::start();
    let output = rankgate(&repository, &["push", "--to", &server.url, "--project", "search"], &[]);
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(output.stderr.contains(&format!("report.json: {place}: ")), "{}", output.stderr);
    assert!(output.stderr.contains(" is 0.123, and the mean of its queries is "), "{}", output.stderr);
    assert!(server.take_requests().is_empty());
}

#[test]
fn a_report_waits_for_a_server_that_is_away_and_goes_with_the_next_push() {
    let (repository, commit) = measured();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}");
    let push = |url: &str, more: &[&str]| {
        rankgate(
            &repository,
            &[&["push", "--to", url, "--project", "search"], more].concat(),
            &[("RANKGATE_TOKEN", TOKEN)],
        )
    };
    let output = push(&url, &[]);
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let said = "cannot be reached: Connection refused";
    assert!(output.stderr.contains(said) && output.stderr.contains("for the next push"), "{}", output.stderr);
    // Whether an alarm stands is not known.
    assert_eq!(push(&url, &["--fail-on-alarm"]).status, Some(2));
    let spool = repository.path().join("target/rankgate/spool");
    let files: Vec<_> = std::fs::read_dir(&spool).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "the same report waits once");
    assert!(!std::fs::read_to_string(&files[0]).unwrap().contains(TOKEN));
    // Another server has nothing to do with it.
    let server = Fake::start();
    std::fs::remove_dir_all(repository.path().join("target/rankgate/toy")).unwrap();
    assert_eq!(push(&server.url, &[]).status, Some(2));
    assert!(server.take_requests().is_empty() && files[0].is_file());
    let text = std::fs::read_to_string(&files[0]).unwrap().replace(&url, &server.url);
    std::fs::write(&files[0], text).unwrap();
    let output = push(&server.url, &[]);
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let asked = server.take_requests();
    assert_eq!((asked.len(), &asked[0].2["history"]["commit"]), (3, &json!(commit)));
    assert!(!files[0].exists() && output.stderr.contains("it had waited"), "{}", output.stderr);
}

#[test]
fn a_missing_base_is_an_error_not_another_commit() {
    let (repository, commit) = measured();
    let server = Fake::start();
    let push = ["push", "--to", &server.url, "--project", "search"];
    // Of a pull request it is where the branch left its base.
    assert_eq!(rankgate(&repository, &push, &[("GITHUB_BASE_REF", "main")]).status, Some(0));
    let line = server.take_requests().pop().unwrap().0;
    assert!(line.ends_with(&format!("&base={commit}&commit={commit}")), "{line}");
    let output = rankgate(&repository, &push, &[("GITHUB_BASE_REF", "develop")]);
    assert_eq!(output.status, Some(2));
    assert!(output.stderr.contains("the base `develop` is no commit here"), "{}", output.stderr);
    let output = rankgate(&repository, &[&push[..], &["--base", "v9"]].concat(), &[]);
    assert_eq!((output.status, server.take_requests().len()), (Some(2), 0), "{}", output.stderr);
    // One that was not measured is known to the server.
    let detail = "the base was not measured, and no other commit is taken for it";
    server.alarm(
        422,
        json!({"type": "about:blank", "title": "Unprocessable", "status": 422, "detail": detail}),
    );
    let output = rankgate(&repository, &[&push[..], &["--base", "v1.0"]].concat(), &[]);
    assert_eq!(output.status, Some(2));
    // What a server says of a refusal is shown to who asks for it.
    assert!(!output.stderr.contains(detail), "{}", output.stderr);
    let said = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("answered 422") && said.contains("bytes that `--show-bodies` shows"), "{said}");
    let output = rankgate(&repository, &[&push[..], &["--base", "v1.0", "--show-bodies"]].concat(), &[]);
    assert!(output.status == Some(2) && output.stderr.contains(detail), "{}", output.stderr);
}

#[test]
fn nothing_is_said_of_alarms_where_a_report_is_refused() {
    let (repository, _) = measured();
    let server = Fake::start();
    let push = ["push", "--to", &server.url, "--project", "search"];
    let token = [("RANKGATE_TOKEN", TOKEN)];
    for (status, variables, advice) in [
        (401, &[][..], "set the variable RANKGATE_TOKEN to a token of the project"),
        (401, &token, "the token in RANKGATE_TOKEN is not taken"),
        (403, &token, "--right push"),
        (404, &token, "--project say"),
        (413, &token, "--max-body"),
        (422, &token, "bring both to the newer"),
    ] {
        server.answer_reports(status, "a reason");
        let output = rankgate(&repository, &push, variables);
        assert_eq!((output.status, &*output.stdout), (Some(2), ""), "{status}: {}", output.stderr);
        let error = output.stderr;
        assert!(error.contains(&format!("answered {status} ")), "{error}");
        assert!(error.contains(advice), "{status}: {error}");
        assert!(error.contains("whether an alarm stands is not known"), "{status}: {error}");
        // Nothing else was sent: no project is made, no alarm asked for.
        let asked: Vec<String> = server.take_requests().into_iter().map(|(line, _, _)| line).collect();
        let root = repository.git(&["rev-list", "--max-parents=0", "HEAD"]);
        assert_eq!(asked, [format!("POST /v1/projects/search/reports?root={root}")], "{status}");
    }
    assert!(!repository.path().join("target/rankgate/spool").exists());
    // A fault of the server is an error too, and the report waits.
    for status in [500, 507] {
        server.answer_reports(status, "a reason");
        let output = rankgate(&repository, &push, &token);
        assert_eq!((output.status, &*output.stdout), (Some(2), ""), "{status}: {}", output.stderr);
        assert!(output.stderr.contains("for the next push"), "{}", output.stderr);
        assert!(output.stderr.contains("the log of rankgate-serve says why"), "{}", output.stderr);
    }
    let spool = repository.path().join("target/rankgate/spool");
    let files = || std::fs::read_dir(&spool).unwrap().map(|one| one.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(files().len(), 1);
    // A token that is not taken loses nothing that waits; what is refused for what it holds is put aside.
    server.answer_reports(401, "a reason");
    assert_eq!(rankgate(&repository, &push, &token).status, Some(2));
    assert!(files()[0].extension().is_some_and(|ending| ending == "json"), "{:?}", files());
    server.answer_reports(422, "a reason");
    let error = rankgate(&repository, &push, &token).stderr;
    assert!(error.contains("is kept as ") && error.contains(".refused and not sent again"), "{error}");
    assert!(files()[0].extension().is_some_and(|ending| ending == "refused"), "{:?}", files());
}

#[test]
fn a_file_that_is_no_report_holds_up_no_push() {
    let (repository, _) = measured();
    let server = Fake::start();
    let spool = repository.path().join("target/rankgate/spool");
    std::fs::create_dir_all(spool.join("folder.json")).unwrap();
    std::fs::write(spool.join("broken.json"), "{\"to\": \"http:").unwrap();
    let push = || rankgate(&repository, &["push", "--to", &server.url, "--project", "search"], &[]);
    let output = push();
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let said = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("broken.json is no report that waits: EOF while parsing a string"), "{said}");
    assert!(said.contains("it is kept as ") && said.contains("broken.refused and not sent again"), "{said}");
    assert!(!spool.join("broken.json").exists() && spool.join("broken.refused").is_file());
    assert!(server.take_requests().iter().any(|(line, ..)| line.contains("/reports")));
    // It is said once.
    assert!(!push().stderr.contains("broken"));
}

#[test]
fn a_server_moves_no_cursor_and_begins_no_line() {
    let (repository, _) = measured();
    let server = Fake::start();
    server.answer_reports(201, "\u{1b}[2J\n::x");
    let push = ["push", "--to", &server.url, "--project", "search"];
    let output = rankgate(&repository, &push, &[]);
    let said = output.stdout + &output.stderr;
    assert!(!said.contains('\u{1b}') && said.contains(r"toy at \u{1b}[2J\n::x: pushed"), "{said}");
}

#[test]
fn alarms_are_told_of_what_was_accepted_and_of_a_commit_that_is_on_the_line() {
    let (repository, commit) = measured();
    let server = Fake::start();
    let push = ["push", "--to", &server.url, "--project", "search"];
    let mut elsewhere = none();
    elsewhere["covers_commit"] = json!(false);
    server.alarm(200, elsewhere);
    let output = rankgate(&repository, &push, &[]);
    assert!(!output.stdout.contains("alarm stands"), "{}", output.stdout);
    let said = format!("{} is not on the line of commits that the server knows of main", &commit[..8]);
    assert!(output.stderr.contains(&said) && output.stderr.contains("is not known"), "{}", output.stderr);
    assert_eq!(output.status, Some(0));
    let output = rankgate(&repository, &[&push[..], &["--fail-on-alarm"]].concat(), &[]);
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    // The newest commit of the branch is another one, which nobody measured.
    let mut behind = none();
    behind["histories"][0]["head"] = json!({"name": "main", "commit": "e".repeat(40), "time": 2,
        "subject": "Break the tokenizer", "measured": false, "behind": 3});
    server.alarm(200, behind);
    let output = rankgate(&repository, &push, &[]);
    let said = "toy, words: 2 commits measured, the last ffffffff Change nothing\n  main is 3 commits later at \
                eeeeeeee Break the tokenizer, which was not measured\nno alarm stands on what was measured: ";
    assert!(output.stdout.contains(said), "{}", output.stdout);
}

#[test]
fn a_project_is_named_and_never_guessed() {
    let (repository, _) = measured();
    let server = Fake::start();
    repository.git(&["remote", "add", "origin", "https://git.example/us/lookup.git"]);
    for command in [&["push", "--to"][..], &["alarms", "--of"]] {
        let asked = [command, &[&server.url]].concat();
        let output = rankgate(&repository, &asked, &[]);
        assert_eq!((output.status, &*output.stdout), (Some(2), ""), "{asked:?}");
        let said = "no project is named: `--project NAME` names it, or the variable RANKGATE_PROJECT; this repository \
                    is called lookup, so `--project lookup` may be meant";
        assert!(output.stderr.contains(said), "{}", output.stderr);
        assert!(server.take_requests().is_empty());
        let output = rankgate(&repository, &asked, &[("RANKGATE_PROJECT", "search")]);
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        assert!(server.take_requests().iter().all(|(line, _, _)| line.contains("/v1/projects/search/")));
    }
}

#[test]
fn what_cannot_be_pushed_is_said() {
    let (repository, _) = measured();
    let server = Fake::start();
    let said = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = rankgate(&repository, arguments, variables);
        assert_eq!(output.status, Some(2), "{arguments:?}: {}", output.stdout);
        output.stderr
    };
    let to = ["push", "--to", &server.url, "--project", "search"];
    assert!(said(&[&to[..], &["none.json"]].concat(), &[]).contains("none.json: "));
    let elsewhere = "a".repeat(40);
    repository.keep(&elsewhere, "elsewhere");
    let error = said(&[&to[..], &["elsewhere"]].concat(), &[]);
    assert!(error.contains(&format!("its commit {elsewhere} is not in this repository")), "{error}");
    let nowhere = ["push", "--to", "quality.example.org", "--project", "search"];
    assert!(said(&nowhere, &[]).contains("not the address of a server"));
    repository.git(&["checkout", "--quiet", "--detach"]);
    assert!(said(&to, &[]).contains("--branch names it"));
    assert!(server.take_requests().is_empty());
}

#[test]
fn alarms_are_listed_and_acknowledged_with_a_note() {
    let (repository, _) = measured();
    let server = Fake::start();
    server.alarm(200, one());
    let alarms = ["alarms", "--of", &server.url, "--project", "search"];
    let output = rankgate(&repository, &alarms, &[]);
    assert_eq!((output.status, &*output.stderr), (Some(0), "1 alarm stands\n"), "{}", output.stdout);
    assert!(output.stdout.starts_with("ALARM 3f2a9c01d4e5: toy, words at "), "{}", output.stdout);
    assert_eq!(rankgate(&repository, &[&alarms[..], &["--fail-on-alarm"]].concat(), &[]).status, Some(1));
    let output = rankgate(&repository, &[&alarms[..], &["--format", "json"]].concat(), &[]);
    assert_eq!(serde_json::from_str::<Value>(&output.stdout).unwrap(), one());
    server.take_requests();
    let note = ["--acknowledge", "3f2a9c01d4e5", "--note", "the price of freshness", "--benchmark", "toy"];
    assert_eq!(rankgate(&repository, &[&alarms[..], &note].concat(), &[]).status, Some(0));
    let asked = server.take_requests();
    assert_eq!(asked[0].0, "POST /v1/projects/search/alarms/3f2a9c01d4e5/acknowledge");
    assert_eq!(
        (&asked[0].2["note"], &asked[0].2["benchmark"]),
        (&json!("the price of freshness"), &json!("toy"))
    );
    // An acknowledgement without a note is none.
    assert_eq!(rankgate(&repository, &[&alarms[..], &note[..2]].concat(), &[]).status, Some(2));
}

#[test]
fn a_server_that_is_not_installed_is_said_to_be_missing() {
    let folder = tempfile::tempdir().unwrap();
    // By programs of their own: what this one wrote, another test's child may hold open, and then it does not start.
    let make = |script: String| {
        let status = Command::new("sh").args(["-ec", &script]).current_dir(folder.path()).status();
        assert!(status.unwrap().success(), "{script}");
    };
    // Nothing stands beside a copy of the program.
    let program = folder.path().join("rankgate");
    make(format!("cp '{}' rankgate", env!("CARGO_BIN_EXE_rankgate")));
    let serve = |path: &std::path::Path| {
        let output =
            Command::new(&program).args(["serve", "--data", "x"]).env("PATH", path).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let (status, said) = serve(folder.path());
    assert_eq!(status, Some(2));
    assert!(said.contains("the program `rankgate-serve` is not installed"), "{said}");
    let bin = folder.path().join("bin");
    let serve_in = "printf '#!/bin/sh\necho \"$@\"\nexit 3\n' > bin/rankgate-serve";
    make(format!("mkdir bin; {serve_in}; chmod 755 bin/rankgate-serve"));
    assert_eq!(serve(&bin), (Some(3), "--data x\n".to_owned()));
}
