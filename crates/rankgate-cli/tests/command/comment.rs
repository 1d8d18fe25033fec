//! The comment on a pull request, against a forge on the loopback address that pages, refuses, limits and loses answers.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::loopback::request;
use crate::toy_spec::Folder;
use crate::{cli, surroundings};

const TOKEN: &str = "forge_0123456789abcdef";

/// What the forge knows, and how it behaves.
#[derive(Default)]
struct State {
    /// Numbers and texts.
    comments: Vec<(u64, String)>,
    /// Comments of others, by their numbers: everything else was written with our token.
    others: BTreeMap<u64, Value>,
    /// Whether the token is one of an app, which asks in vain who it is.
    is_app: bool,
    /// The first lines of requests.
    asked: Vec<String>,
    /// The most comments that a page has, however many were asked for.
    page: usize,
    /// Answers to the next requests in place of what would be right: a status, and lines of the head.
    refusals: Vec<(u16, &'static str)>,
    /// The methods that are refused with this status.
    refused: Option<(&'static str, u16)>,
    /// How many answers to new comments are lost.
    lost: usize,
}

struct Forge {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Forge {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State { page: 100, ..State::default() }));
        let shared = Arc::clone(&state);
        // It ends with the test.
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let Ok(Some((head, body))) = request(&stream) else { continue };
                let (status, lines, answer) = respond(&mut shared.lock().unwrap(), &head, &body);
                if status == 0 {
                    continue;
                }
                let answer = answer.to_string();
                let head = format!(
                    "HTTP/1.1 {status} Said\r\nConnection: close\r\n{lines}Content-Length: {}\r\n\r\n",
                    answer.len()
                );
                drop(stream.write_all((head + &answer).as_bytes()));
            }
        });
        Self { url, state }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    /// The texts of all comments.
    fn comments(&self) -> Vec<String> {
        self.state.lock().unwrap().comments.iter().map(|(_, text)| text.clone()).collect()
    }

    fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().asked)
    }
}

/// The status, 0 where the connection ends without an answer, lines of the head, and the body.
fn respond(state: &mut State, head: &str, body: &[u8]) -> (u16, &'static str, Value) {
    let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
    state.asked.push(line.clone());
    let low = head.to_ascii_lowercase();
    let (method, path) = line.split_once(' ').unwrap();
    let knows = low.contains(&format!("authorization: bearer {TOKEN}"))
        || low.contains(&format!("private-token: {TOKEN}"));
    let not = |status: u16| (status, "", json!({"message": "Resource not accessible by integration"}));
    if !knows {
        return not(401);
    }
    if !state.refusals.is_empty() {
        let (status, lines) = state.refusals.remove(0);
        return (status, lines, json!({"message": "said"}));
    }
    if let Some((refused, status)) = state.refused
        && refused.contains(method)
    {
        return not(status);
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let number = |name: &str| -> usize {
        let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|value| value.parse().ok()).unwrap_or(1)
    };
    let text = || serde_json::from_slice::<Value>(body).unwrap()["body"].as_str().unwrap().to_owned();
    let all = ["/repos/us/search/issues/7/comments", "/projects/42/merge_requests/7/notes"];
    let one = ["/repos/us/search/issues/comments/", "/projects/42/merge_requests/7/notes/"];
    match method {
        "GET" if all.contains(&path) => {
            let size = number("per_page").min(state.page);
            let comments = state.comments.iter().skip((number("page") - 1) * size).take(size);
            // As GitHub does: lines end in CR LF.
            let own = if state.is_app {
                json!({"id": 41, "type": "Bot"})
            } else {
                json!({"id": 40, "type": "User"})
            };
            let author = |id: &u64| state.others.get(id).unwrap_or(&own).clone();
            let key = if path.starts_with("/repos") { "user" } else { "author" };
            let comment = |(id, text): &(u64, String)| json!({"id": id, "body": text.replace('\n', "\r\n"), (key): author(id)});
            (200, "", comments.map(comment).collect::<Vec<_>>().into())
        }
        "GET" if path == "/user" && state.is_app => not(403),
        "GET" if path == "/user" => (200, "", json!({"id": 40, "login": "us"})),
        "POST" if all.contains(&path) => {
            let id = 1_000 + state.comments.len() as u64;
            state.comments.push((id, text()));
            let is_lost = state.lost > 0;
            state.lost = state.lost.saturating_sub(1);
            (if is_lost { 0 } else { 201 }, "", json!({"id": id}))
        }
        "PATCH" | "PUT" => {
            let id = one.iter().find_map(|one| path.strip_prefix(one)?.parse::<u64>().ok());
            match state.comments.iter_mut().find(|(own, _)| Some(*own) == id) {
                Some((id, there)) => {
                    *there = text();
                    (200, "", json!({"id": id}))
                }
                None => not(404),
            }
        }
        _ => not(404),
    }
}

/// A folder with a report of each of these names.
fn measured(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        write_report(folder.path(), name, |_| {});
    }
    folder
}

/// The report of a run that failed, under a name.
fn write_report(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) {
    static FAILED: LazyLock<Value> = LazyLock::new(|| {
        let folder = Folder::with_spec(true).judged();
        folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
        serde_json::from_str(&folder.read("target/rankgate/toy/report.json")).unwrap()
    });
    let mut report = FAILED.clone();
    report["benchmark"] = (*name).into();
    change(&mut report);
    let folder = folder.join("target/rankgate").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("report.json"), report.to_string()).unwrap();
}

/// The variables of a run of GitHub for pull request 7.
fn github(forge: &Forge) -> Vec<(&'static str, String)> {
    [
        ("GITHUB_API_URL", forge.url.as_str()),
        ("GITHUB_REPOSITORY", "us/search"),
        ("GITHUB_REF", "refs/pull/7/merge"),
        ("GITHUB_TOKEN", TOKEN),
        ("GITHUB_SERVER_URL", "https://github.example"),
        ("GITHUB_RUN_ID", "17"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

fn gitlab(forge: &Forge) -> Vec<(&'static str, String)> {
    [
        ("CI_API_V4_URL", forge.url.as_str()),
        ("CI_MERGE_REQUEST_PROJECT_ID", "42"),
        ("CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "42"),
        ("CI_MERGE_REQUEST_IID", "7"),
        ("GITLAB_TOKEN", TOKEN),
        ("CI_JOB_URL", "https://gitlab.example/us/search/-/jobs/17"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

fn rankgate(folder: &Path, arguments: &[&str], variables: &[(&'static str, String)]) -> cli::Output {
    let output = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
        .arg("comment")
        .args(arguments)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert!(!stdout.contains(TOKEN) && !stderr.contains(TOKEN), "{stderr}");
    cli::Output { stdout, stderr, status: output.status.code() }
}

fn without(variables: &[(&'static str, String)], name: &str) -> Vec<(&'static str, String)> {
    variables.iter().filter(|(own, _)| *own != name).cloned().collect()
}

#[test]
fn a_comment_has_the_verdict_first_and_leads_on() {
    let folder = measured(&["helpdesk"]);
    let trend = "https://quality.example.org/projects/search";
    let shown = rankgate(
        folder.path(),
        &["--github", "--dry-run", "--trend", trend, "--report", "https://ci.example/1"],
        &[],
    );
    assert_eq!(shown.status, Some(0), "{}", shown.stderr);
    insta::assert_snapshot!(shown.stdout);
}

#[test]
fn one_comment_is_written_changed_and_left_as_it_is() {
    for (flag, variables) in [("--github", github as fn(&Forge) -> _), ("--gitlab", gitlab)] {
        let (folder, forge) = (measured(&["helpdesk", "legal"]), Forge::start());
        let variables: Vec<_> = variables(&forge);
        // Comments of others, more than a page of them, one of which quotes ours.
        forge.change(|state| {
            state.comments =
                (0..250).map(|id| (id, format!("> <!-- rankgate comment: report -->\nno {id}"))).collect();
            state.page = 30;
        });
        let comment = || rankgate(folder.path(), &[flag], &variables);
        let first = comment();
        assert_eq!(first.status, Some(0), "{}", first.stderr);
        assert!(first.stderr.contains("commented on"), "{}", first.stderr);
        let comments = forge.comments();
        assert_eq!(comments.len(), 251);
        let text = &comments[250];
        assert!(
            text.starts_with("<!-- rankgate comment: report -->\n## 2 benchmarks: 4 passed, 2 failed\n"),
            "{text}"
        );
        assert!(text.contains("## helpdesk: ") && text.contains("## legal: "), "{text}");
        forge.take_requests();

        let second = comment();
        assert!(second.stderr.contains("says the same already"), "{}", second.stderr);
        let asked = forge.take_requests();
        assert!(asked.iter().all(|line| line.starts_with("GET ")), "{asked:?}");

        write_report(folder.path(), "legal", |report| report["gates"] = json!([]));
        let third = comment();
        assert!(third.stderr.contains("updated the comment"), "{}", third.stderr);
        let comments = forge.comments();
        assert_eq!(comments.len(), 251);
        assert!(comments[250].contains("## 2 benchmarks: 2 passed, 1 failed\n"), "{}", comments[250]);
        // A job of its own has a comment of its own.
        assert_eq!(rankgate(folder.path(), &[flag, "--id", "nightly"], &variables).status, Some(0));
        assert_eq!(forge.comments().len(), 252);
    }
}

#[test]
fn a_comment_whose_answer_was_lost_is_there_once() {
    let (folder, forge) = (measured(&["helpdesk"]), Forge::start());
    forge.change(|state| state.lost = 1);
    let output = rankgate(folder.path(), &["--github"], &github(&forge));
    assert_eq!((output.status, forge.comments().len()), (Some(0), 1), "{}", output.stderr);
}

/// Anybody may write the marker into a comment, or the very text of ours; a token that may change all comments would change
/// theirs.
#[test]
fn a_comment_of_somebody_else_that_begins_as_ours_is_left_alone() {
    let folder = measured(&["helpdesk"]);
    for (flag, variables, is_app) in [
        ("--github", github as fn(&Forge) -> _, false),
        ("--github", github, true),
        ("--gitlab", gitlab, false),
    ] {
        let forge = Forge::start();
        let variables: Vec<_> = variables(&forge);
        let comment = || {
            let output = rankgate(folder.path(), &[flag], &variables);
            assert_eq!(output.status, Some(0), "{}", output.stderr);
            output.stderr
        };
        // The text as it will be, of somebody else.
        comment();
        let text = forge.comments().remove(0);
        forge.change(|state| {
            state.is_app = is_app;
            state.comments =
                vec![(1, text.clone()), (2, "<!-- rankgate comment: report -->\nnot ours".to_owned())];
            state.others = [1, 2].map(|id| (id, json!({"id": 66, "type": "User"}))).into();
        });
        assert!(comment().contains("commented on"), "{flag} {is_app}");
        assert_eq!((forge.comments().len(), &forge.comments()[2]), (3, &text), "{flag} {is_app}");
        assert!(comment().contains("says the same already"), "{flag} {is_app}");
        forge.change(|state| state.comments[2].1 = "<!-- rankgate comment: report -->\nolder".to_owned());
        assert!(comment().contains("updated the comment"), "{flag} {is_app}");
        let comments = forge.comments();
        assert!(
            comments.len() == 3 && comments[1].ends_with("not ours") && comments[2] == text,
            "{flag} {is_app}"
        );
    }
}

/// Where nobody says who we are, another app's comment may be taken for ours, and the forge refuses to change it.
#[test]
fn a_comment_that_may_not_be_changed_is_left_alone() {
    let (folder, forge) = (measured(&["helpdesk"]), Forge::start());
    forge.change(|state| {
        state.comments.push((1, "<!-- rankgate comment: report -->\nnot ours".to_owned()));
        (state.is_app, state.refused) = (true, Some(("PATCH", 403)));
    });
    let output = rankgate(folder.path(), &["--github"], &github(&forge));
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    assert_eq!(forge.comments().len(), 2);
    assert!(forge.comments()[0].ends_with("not ours"));
}

#[test]
fn a_limit_of_requests_is_waited_for() {
    let folder = measured(&["helpdesk"]);
    // What GitHub and GitLab say of their limits.
    for (flag, variables, limits, most) in [
        (
            "--github",
            github as fn(&Forge) -> _,
            &[
                (403, "Retry-After: 1\r\n"),
                (429, ""),
                (403, "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1\r\n"),
                (502, ""),
            ][..],
            403,
        ),
        ("--gitlab", gitlab, &[(429, "Retry-After: 1\r\n"), (429, ""), (503, "")], 429),
    ] {
        let forge = Forge::start();
        let variables: Vec<_> = variables(&forge);
        forge.change(|state| state.refusals = limits.to_vec());
        let output = rankgate(folder.path(), &[flag], &variables);
        assert_eq!((output.status, forge.comments().len()), (Some(0), 1), "{}", output.stderr);
        // Nobody waits for an hour.
        forge.change(|state| state.refusals = vec![(most, "Retry-After: 3600\r\n")]);
        let output = rankgate(folder.path(), &[flag], &variables);
        assert_eq!(output.status, Some(2));
        assert!(output.stderr.contains("the forge's limit of requests"), "{}", output.stderr);
    }
}

#[test]
fn a_refusal_says_what_helps() {
    let (folder, forge) = (measured(&["helpdesk"]), Forge::start());
    let forges = [("--github", github(&forge)), ("--gitlab", gitlab(&forge))];
    for (status, on_github, on_gitlab) in [
        (401, "the token in GITHUB_TOKEN is not taken", "the token in GITLAB_TOKEN is not taken"),
        (403, "`permissions: pull-requests: write`", "the scope `api` and the role Reporter"),
        (404, "does not see this pull request", "does not see this merge request"),
        (422, "the conversation may be locked", "the conversation may be locked"),
    ] {
        forge.change(|state| state.refused = Some(("POST", status)));
        for ((flag, variables), expected) in forges.iter().zip([on_github, on_gitlab]) {
            let output = rankgate(folder.path(), &[flag], variables);
            assert_eq!(output.status, Some(2), "{}", output.stderr);
            assert!(output.stderr.contains(expected), "{}", output.stderr);
        }
    }
    assert!(forge.comments().is_empty());
}

#[test]
fn without_a_token_the_text_is_shown_with_a_note() {
    let (folder, forge) = (measured(&["helpdesk"]), Forge::start());
    let variables = github(&forge);
    for (missing, why) in [
        ("GITHUB_TOKEN", "there is no token in the variable GITHUB_TOKEN"),
        ("GITHUB_REF", "this run belongs to no pull request"),
    ] {
        let output = rankgate(folder.path(), &["--github"], &without(&variables, missing));
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        assert!(output.stderr.contains(why), "{}", output.stderr);
        assert!(output.stdout.starts_with("## helpdesk: 2 passed, 1 failed\n"), "{}", output.stdout);
    }
    // A fork's token reads alone.
    let event = folder.path().join("event.json");
    fs::write(&event, r#"{"pull_request": {"number": 7, "head": {"repo": {"full_name": "them/search"}}}}"#)
        .unwrap();
    let summary = folder.path().join("summary.md");
    let mut forked = without(&variables, "GITHUB_REF");
    forked.push(("GITHUB_EVENT_PATH", event.display().to_string()));
    forked.push(("GITHUB_STEP_SUMMARY", summary.display().to_string()));
    forge.change(|state| state.refused = Some(("POST", 403)));
    for variables in [forked.clone(), without(&forked, "GITHUB_TOKEN")] {
        drop(fs::remove_file(&summary));
        let output = rankgate(folder.path(), &["--github"], &variables);
        assert_eq!((output.status, output.stdout.as_str()), (Some(0), ""), "{}", output.stderr);
        assert!(output.stderr.contains("fork") && output.stderr.contains("summary"), "{}", output.stderr);
        assert!(fs::read_to_string(&summary).unwrap().contains("## helpdesk: 2 passed, 1 failed\n"));
    }
    assert!(forge.comments().is_empty());
}

#[test]
fn a_comment_is_never_longer_than_the_forge_takes() {
    let folder = measured(&[]);
    for index in 0..20 {
        write_report(folder.path(), &format!("benchmark-{index:02}"), |report| {
            let all = report["gates"].as_array().unwrap();
            let failed = all.iter().find(|gate| gate["verdict"] == "failed").unwrap().clone();
            report["gates"] = vec![failed; 60].into();
        });
    }
    for (flag, variables, longest) in
        [("--github", github as fn(&Forge) -> _, 65_536), ("--gitlab", gitlab, 1_000_000)]
    {
        let forge = Forge::start();
        let variables: Vec<_> = variables(&forge);
        let output = rankgate(folder.path(), &[flag], &variables);
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        let text = forge.comments().remove(0);
        assert!(text.chars().count() <= longest && text.len() > longest / 3, "{}", text.len());
        assert!(text.contains("| benchmark-19 |") && text.contains("left out here"));
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        // The links are at the end, whatever is left out.
        assert!(text.trim_end().ends_with("17)"), "{}", &text[text.len() - 200..]);
    }
}

#[test]
fn what_is_no_report_of_today_is_not_commented() {
    let (folder, forge) = (measured(&[]), Forge::start());
    let output = rankgate(folder.path(), &["--github"], &github(&forge));
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    fs::write(folder.path().join("toy.yaml"), "benchmark: helpdesk\n").unwrap();
    write_report(folder.path(), "helpdesk", |_| {});
    let output = rankgate(folder.path(), &["--github"], &github(&forge));
    assert_eq!(output.status, Some(2), "{}", output.stderr);
    assert!(output.stderr.contains("has changed since this report"), "{}", output.stderr);
    for (arguments, expected) in [
        (&["--github", "--id", "a--b"][..], "no `--`"),
        (&["--github", "--trend", "javascript:x"], "begins with https://"),
        (&["--github", "--gitlab"], "cannot be used with"),
    ] {
        let output = rankgate(folder.path(), arguments, &github(&forge));
        assert_eq!(output.status, Some(2));
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
    assert!(forge.take_requests().is_empty());
}

#[test]
fn the_forge_is_that_of_the_ci_that_runs() {
    let folder = measured(&["helpdesk"]);
    for (variables, ci) in [(github as fn(&Forge) -> Vec<_>, "GITHUB_ACTIONS"), (gitlab, "GITLAB_CI")] {
        let forge = Forge::start();
        let mut variables = variables(&forge);
        variables.push((ci, "true".to_owned()));
        let output = rankgate(folder.path(), &[], &variables);
        assert_eq!((output.status, forge.comments().len()), (Some(0), 1), "{}", output.stderr);
    }
    let output = rankgate(folder.path(), &[], &[]);
    assert_eq!(output.status, Some(2));
    assert!(output.stderr.contains("Name the forge: --github or --gitlab"), "{}", output.stderr);
}

#[test]
fn the_error_of_a_spec_comes_first() {
    let (folder, forge) = (measured(&["helpdesk"]), Forge::start());
    write_report(folder.path(), "other", |report| {
        report["error"] = "unknown metric `nDGC@10`".into();
        report["gates"] = Value::Array(Vec::new());
        report["configurations"] = Value::Array(Vec::new());
    });
    let output = rankgate(folder.path(), &["--github"], &github(&forge));
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    let text = forge.comments().remove(0);
    let [error, other] = ["unknown metric `nDGC@10`", "helpdesk: "].map(|part| text.rfind(part).unwrap());
    assert!(error < other, "{text}");
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count(), "{text}");
}
