//! `rankgate judge` and `rankgate sample`, against a server on loopback.

#![cfg(all(unix, feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::judge_server::{Reply, SHAPES, Shape, completion, graded, serve, shaped};
use crate::{secrets, surroundings};

/// The key, of which nothing may be seen however it is written.
const KEY: &str = secrets::SECRETS[4].1;

/// Four queries, of which each has one judged document, and a run that returns two more for each.
struct Folder(TempDir);

impl Folder {
    fn new(judge: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let (mut documents, mut queries, mut run) = (String::new(), String::new(), String::new());
        for query in 1..=4 {
            queries += &format!(
                "      - {{id: q{query}, text: question {query}, relevant: [d{query}0], difficulty: {}}}\n",
                ["easy", "hard"][query % 2]
            );
            for (rank, letters) in [(0, "xxx"), (1, &"xxxx"[..query]), (2, "y")] {
                documents += &format!("      d{query}{rank}: title {letters}\n");
                run += &format!("q{query} Q0 d{query}{rank} {} {} mine\n", rank + 1, 9 - rank);
            }
        }
        let spec = format!(
            "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    documents:\n{documents}    queries:\n{queries}\
             configurations:\n  mine: {{run: mine.run}}\nthresholds: [{{metric: nDCG@10, min: 0.1}}]\nsegments: [difficulty]\n\
             judge:\n  endpoint: '${{JUDGE_URL}}'\n  api-key: '${{JUDGE_KEY}}'\n  model: qwen2.5-7b-q4\n  judgments: judged/toy.jsonl\n\
             \x20 humans: judged/people.jsonl\n{judge}"
        );
        folder.write("toy.yaml", &spec);
        folder.write("mine.run", &run);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    fn command(&self, url: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(arguments).current_dir(self.path());
        command.env("JUDGE_URL", url).env("JUDGE_KEY", KEY).env("NO_PROXY", "*");
        command
    }

    /// Runs the command; gives its exit status and all that it said.
    #[track_caller]
    fn run(&self, url: &str, arguments: &[&str]) -> (i32, String) {
        let output = self.command(url, arguments).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!said.contains("panicked"), "{said}");
        secrets::is_clean("what is said", said.as_bytes());
        secrets::is_clean("the file", self.read("judged/toy.jsonl").as_bytes());
        (output.status.code().unwrap(), said)
    }

    #[track_caller]
    fn judge(&self, url: &str, more: &[&str]) -> (i32, String) {
        self.run(url, &[&["judge", "toy.yaml"][..], more].concat())
    }

    /// The judgments on file, without what describes the judge.
    fn items(&self) -> Vec<Value> {
        let text = self.read("judged/toy.jsonl");
        text.lines()
            .filter(|line| !line.starts_with("{\"describes\""))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// What was said, on one line.
fn flat(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Documents that nobody judged, and probes: two and four for each of four queries.
const PAIRS: usize = 8 + 16;

fn good(_: usize, prompt: &str) -> Reply {
    completion(Shape::OpenAi, &graded(prompt), "stop")
}

#[test]
fn what_nobody_judged_is_asked_and_kept() {
    let folder = Folder::new("  budget: {requests: 100, cost: 1.0, prices: {in: 1.5, out: 6}}\n");
    let (url, seen) = serve(good);
    let (code, said) = folder.judge(&url, &["--dry-run"]);
    assert!(
        code == 0 && said.contains("8 documents and 16 probes, 24 of them not on file\n24 requests, about "),
        "{said}"
    );
    assert!(seen.lock().unwrap().is_empty() && !folder.path().join("judged").exists());
    let (code, said) = folder.judge(&url, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("24 judgments by relevance-")
            && said.contains("added to judged/toy.jsonl: 24 graded\n"),
        "{said}"
    );
    assert!(said.contains("24 requests, 12,288 tokens read, 960 written; 0.02 spent"), "{said}");
    assert!(said.contains("judged 24 of 24: "), "{said}");
    let items = folder.items();
    assert_eq!(items.len(), PAIRS);
    let grade =
        |document: &str| items.iter().find(|item| item["document"] == document).unwrap()["grade"].clone();
    assert_eq!(
        (grade("d11"), grade("d21"), grade("d41"), grade("d42")),
        (json!(1), json!(2), json!(3), json!(0))
    );
    let sent = seen.lock().unwrap();
    let (head, body) = &sent[0];
    assert!(
        head.starts_with("POST /v1/chat/completions ")
            && head.to_lowercase().contains(&format!("authorization: bearer {}", KEY.to_lowercase())),
        "{head}"
    );
    assert_eq!(
        (&body["model"], &body["temperature"], &body["max_tokens"]),
        (&json!("qwen2.5-7b-q4"), &json!(0), &json!(600))
    );
    drop(sent);
    // There is nothing left to ask.
    let text = folder.read("judged/toy.jsonl");
    let (code, said) = folder.judge(&url, &[]);
    assert!(code == 0 && said.contains("all of them on file: nothing is asked"), "{said}");
    assert_eq!((seen.lock().unwrap().len(), folder.read("judged/toy.jsonl")), (PAIRS, text));
}

#[test]
fn servers_that_people_run_are_understood() {
    for shape in SHAPES {
        let folder = Folder::new("");
        let (url, _) = serve(move |_, prompt| completion(shape, &graded(prompt), "stop"));
        let (code, said) = folder.judge(&url, &[]);
        assert!(code == 0 && said.contains("24 graded"), "{shape:?}: {said}");
    }
}

#[test]
fn a_server_that_ignores_the_schema_is_noticed() {
    let folder = Folder::new("");
    let (url, seen) = serve(|_, prompt| match prompt.contains("question 1") {
        true => completion(Shape::LlamaCpp, "The grade is 3.", "stop"),
        false => completion(Shape::LlamaCpp, &graded(prompt), "stop"),
    });
    let (code, said) = folder.judge(&url, &[]);
    assert!(code == 2 && said.contains("18 graded, 6 unparseable"), "{said}");
    assert!(said.contains("30 requests (6 of them repeated another), "), "{said}");
    assert!(
        flat(&said).contains("2 of 8 questions by relevance-")
            && flat(&said)
                .contains("have no grade: 2 unparseable, more than 0.02 of them (`abstain-at-most`)")
            && flat(&said).contains("`rankgate judge toy.yaml --retry unparseable` asks again"),
        "{said}"
    );
    assert!(
        said.contains(
            "12 answers were not of the schema that was sent: the server does not hold the model to it"
        ),
        "{said}"
    );
    // Each was asked once more, and is kept as what it is.
    assert_eq!(seen.lock().unwrap().len(), PAIRS + 6);
    assert_eq!(
        folder
            .items()
            .iter()
            .filter(|item| item["state"] == "unparseable" && item["analysis"] == "The grade is 3.")
            .count(),
        6
    );
}

#[test]
fn empty_content_with_reasoning_is_named() {
    let folder = Folder::new("");
    let (url, _) = serve(|_, _| {
        let mut body =
            shaped(Shape::Vllm, "", "stop", json!({"prompt_tokens": 512, "completion_tokens": 600}));
        body["choices"][0]["message"]["reasoning_content"] = json!("hm, perhaps 3");
        body["choices"][0]["message"]["reasoning"] = json!("hm, perhaps 3");
        Reply::Body(200, String::new(), body.to_string())
    });
    let (code, said) = folder.judge(&url, &[]);
    assert!(
        code == 2
            && said.contains(" empty\n")
            && said.contains("empty but for what the model thought: it needs more `max-tokens`"),
        "{said}"
    );
    assert!(said.contains("questions in a row have no valid answer; the last answer is empty"), "{said}");
    assert!((10..14).contains(&folder.items().len()), "{said}");
    assert!(folder.items().iter().all(|item| item["state"] == "empty" && item.get("grade").is_none()));
}

#[test]
fn a_silently_cut_prompt_is_noticed() {
    let folder = Folder::new("");
    let (url, _) = serve(|_, prompt| {
        // A context of 40 tokens, of which the server says nothing but the number.
        let usage = json!({"prompt_tokens": 40, "completion_tokens": 20});
        Reply::Body(200, String::new(), shaped(Shape::Ollama, &graded(prompt), "stop", usage).to_string())
    });
    let (_, said) = folder.judge(&url, &[]);
    assert!(
        said.contains(" truncated\n")
            && said.contains("the prompt by the context that the server gives the model"),
        "{said}"
    );
}

#[test]
fn a_killed_run_asks_nothing_twice() {
    const ANSWERED: usize = 9;
    let folder = Folder::new("");
    let (url, seen) =
        serve(|number, prompt| if number == ANSWERED { Reply::Silence } else { good(number, prompt) });
    let mut running = folder
        .command(&url, &["judge", "toy.yaml", "--concurrency", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while seen.lock().unwrap().len() <= ANSWERED {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(folder.items().len(), ANSWERED);
    // And torn within a line, as a kill of the machine may leave it.
    let text = folder.read("judged/toy.jsonl");
    folder.write("judged/toy.jsonl", &text[..text.len() - 25]);
    let (code, said) = folder.judge(&url, &[]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(folder.items().len(), PAIRS);
    let seen = seen.lock().unwrap();
    let prompts: Vec<&str> =
        seen.iter().map(|(_, body)| body["messages"][0]["content"].as_str().unwrap()).collect();
    let (before, after) = prompts.split_at(ANSWERED + 1);
    // What was torn, and what had no answer, is asked again; nothing else is.
    let twice = before.iter().filter(|prompt| after.contains(prompt)).count();
    assert_eq!((after.len(), twice), (PAIRS - ANSWERED + 1, 2));
}

#[test]
fn rate_limits_never_change_a_score() {
    let plain = Folder::new("");
    let (url, _) = serve(good);
    plain.judge(&url, &[]);
    for status in [408, 409, 429, 500, 503] {
        let folder = Folder::new("");
        let busy = AtomicUsize::new(0);
        let (url, seen) = serve(move |number, prompt| {
            if number % 3 == 0 && busy.fetch_add(1, Ordering::SeqCst) < 4 {
                return Reply::Body(
                    status,
                    "Retry-After: 0\r\n".into(),
                    r#"{"error": {"message": "busy"}}"#.into(),
                );
            }
            good(number, prompt)
        });
        let (code, said) = folder.judge(&url, &[]);
        assert!(code == 0 && said.contains("28 requests"), "{status}: {said}");
        assert_eq!(
            (folder.read("judged/toy.jsonl"), seen.lock().unwrap().len()),
            (plain.read("judged/toy.jsonl"), PAIRS + 4)
        );
    }
}

#[test]
fn who_may_not_ask_stops_at_once() {
    for (status, help) in [
        (401, "is `api-key` right?"),
        (403, "is `api-key` right?"),
        (404, "is `endpoint` the address before"),
    ] {
        let folder = Folder::new("");
        let (url, seen) =
            serve(move |_, _| Reply::Body(status, String::new(), format!("no key like Bearer {KEY}")));
        let (code, said) = folder.judge(&url, &[]);
        assert!(code == 2 && said.contains(help), "{status}: {said}");
        assert!(
            !said.contains("no key like") && flat(&said).contains("bytes that `--show-bodies` shows)"),
            "{said}"
        );
        // Those under way, and no more.
        assert!(seen.lock().unwrap().len() <= 4 && !folder.path().join("judged").exists());
        let (_, said) = folder.judge(&url, &["--show-bodies"]);
        assert!(flat(&said).contains("`no key like Bearer ${JUDGE_KEY}`"), "{said}");
    }
    let (url, _) = serve(good);
    let folder = Folder::new("");
    let output = folder.command(&url, &["judge", "toy.yaml"]).env_remove("JUDGE_KEY").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && said.contains("the environment variable `JUDGE_KEY` is not set"),
        "{said}"
    );
}

#[test]
fn a_filter_refuses_and_a_budget_stops_before() {
    let folder = Folder::new("  budget: {requests: 8}\n");
    let filtered = |number, prompt: &str| match number % 2 {
        0 => Reply::Body(
            400,
            String::new(),
            json!({"error": {"message": "x".repeat(400), "code": "content_filter"}}).to_string(),
        ),
        _ => completion(Shape::OpenAi, &graded(prompt), "content_filter"),
    };
    let (url, seen) = serve(filtered);
    let (code, said) = folder.judge(&url, &[]);
    assert!(
        code == 2
            && said.contains("8 refused")
            && said.contains("stopped: the budget of 8 requests is used up; what was answered is kept"),
        "{said}"
    );
    assert_eq!((seen.lock().unwrap().len(), folder.items().len()), (8, 8));
    // What a server says of its filter is no model's analysis, and is not committed.
    let file = folder.read("judged/toy.jsonl");
    assert!(
        file.contains("the server's content filter (status 400)") && !file.contains("xxxxxxxxxx"),
        "{file}"
    );
}

#[test]
fn a_judge_that_never_answers_in_form_is_not_paid_in_full_and_is_asked_again_where_one_says_so() {
    let folder = Folder::new("");
    let (odd, seen) = serve(|_, _| completion(Shape::LlamaCpp, "The grade is 3.", "stop"));
    let (code, said) = folder.judge(&odd, &["--concurrency", "1"]);
    assert!(code == 2 && said.contains("added to judged/toy.jsonl: 10 unparseable"), "{said}");
    assert!(
        flat(&said)
            .contains("stopped: 10 questions in a row have no valid answer; the last answer is unparseable"),
        "{said}"
    );
    assert_eq!(seen.lock().unwrap().len(), 20);
    // What is on file is not asked again by itself, and is no reason to be content.
    let (good, asked) = serve(good);
    let (code, said) = folder.judge(&good, &[]);
    assert!(code == 2 && said.contains("14 graded"), "{said}");
    assert_eq!(asked.lock().unwrap().len(), PAIRS - 10);
    let (code, said) = folder.judge(&good, &[]);
    let is_without = |item: &&Value| {
        item["state"] == "unparseable" && !item["document"].as_str().unwrap().contains(":probe:")
    };
    let without = folder.items().iter().filter(is_without).count();
    assert!(without > 0 && code == 2, "{said}");
    assert!(
        said.contains(&format!(
            "all of them on file, {without} of them without a grade ({without} unparseable): nothing"
        )),
        "{said}"
    );
    // Pruning says what it leaves and why.
    let (code, said) = folder.judge(&good, &["--prune"]);
    assert!(code == 0 && said.contains("0 judgments removed from judged/toy.jsonl\n"), "{said}");
    assert!(
        said.contains("on file without a grade: ")
            && said.contains("gates count them; `rankgate judge toy.yaml --retry unparseable` asks again"),
        "{said}"
    );
    // A gate says how many there are, and what to do.
    let spec = folder.read("toy.yaml").replace(
        "min: 0.1}",
        "min: 0.1}, {metric: nDCG@10, min: 0.1, judged: raw, level: advisory, name: judged}",
    );
    folder.write("toy.yaml", &spec);
    let (code, said) = folder.run(&good, &["run", "toy.yaml"]);
    assert_eq!(code, 2, "{said}");
    assert!(
        flat(&said).contains("gave no grade to ")
            && said.contains("`rankgate judge toy.yaml --retry unparseable` asks again"),
        "{said}"
    );
    // Asked again it stays what it is where no valid answer comes, and is a grade where one does.
    let before = folder.items();
    let (dry, _) = serve(|_, _| Reply::Silence);
    let (code, said) = folder.judge(&dry, &["--retry", "unparseable", "--dry-run"]);
    assert!(code == 0 && said.contains("10 of them not on file\n10 requests"), "{said}");
    let (gone, _) = serve(|_, _| Reply::Body(404, String::new(), String::new()));
    let (code, _) = folder.judge(&gone, &["--retry", "unparseable"]);
    assert_eq!((code, folder.items()), (2, before));
    let (code, said) = folder.judge(&good, &["--retry", "unparseable", "empty"]);
    assert!(code == 0 && said.contains("10 graded"), "{said}");
    assert!(folder.items().len() == PAIRS && folder.items().iter().all(|item| item["state"] == "graded"));
    let (code, said) = folder.run(&good, &["run", "toy.yaml"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = folder.judge(&good, &["--retry", "graded"]);
    assert!(code == 2 && said.contains("what has a grade is not asked again"), "{said}");
}

#[test]
fn what_a_server_does_not_count_is_counted_and_told() {
    let folder = Folder::new("  budget: {cost: 0.05, prices: {in: 10, out: 20}}\n");
    let (url, seen) = serve(|_, prompt| {
        let usage = json!({"prompt_tokens": 0, "completion_tokens": 0});
        Reply::Body(200, String::new(), shaped(Shape::OpenAi, &graded(prompt), "stop", usage).to_string())
    });
    let (code, said) = folder.judge(&url, &["--concurrency", "1"]);
    assert!(code == 2 && said.contains("stopped: the next request might exceed the budget"), "{said}");
    assert!((2..16).contains(&seen.lock().unwrap().len()) && !said.contains(" 0 tokens read"), "{said}");
    assert!(
        flat(&said).contains(
            "without a count of tokens (`usage` is missing or 0): tokens and cost are counted from bytes"
        ),
        "{said}"
    );
}

#[test]
fn no_secret_in_file_or_message() {
    // A server, and a model, that repeat all that they were sent.
    let echo = |number, _: &str| match number % 5 {
        0 => Reply::Body(500, "Retry-After: 0\r\n".into(), format!("Authorization: Bearer {KEY}")),
        1 => {
            let percent: String = KEY.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let analysis = format!("Bearer {KEY} {} {percent}", secrets::base64(KEY.as_bytes()));
            completion(Shape::OpenAi, &json!({"analysis": analysis, "grade": 1}).to_string(), "stop")
        }
        2 | 3 => completion(Shape::OpenAi, &format!("no grade but {KEY}"), "stop"),
        _ => {
            let mut body = shaped(Shape::OpenAi, r#"{"analysis": "", "grade": 1}"#, "stop", Value::Null);
            body["model"] = json!(KEY);
            Reply::Body(200, String::new(), body.to_string())
        }
    };
    let folder = Folder::new("");
    let (url, _) = serve(echo);
    // `run` looks for the key in all that is said and in the file.
    let (_, said) = folder.judge(&url, &["--concurrency", "1"]);
    let file = folder.read("judged/toy.jsonl");
    assert!(
        file.contains("Bearer ${JUDGE_KEY}") && file.contains("no grade but ${JUDGE_KEY}"),
        "{file}\n{said}"
    );
    assert!(file.contains("\"served\":\"${JUDGE_KEY}\""), "{file}");
    folder.judge(&url, &["--check", "--again", "3"]);
    folder.judge(&url, &["--check", "--again", "3", "--show-bodies"]);
    for odd in ["not JSON at all: ", "[1, 2] "] {
        let (url, _) = serve(move |_, _| Reply::Body(200, String::new(), format!("{odd}{KEY}")));
        for shown in [false, true] {
            let (code, said) = Folder::new("").judge(&url, if shown { &["--show-bodies"] } else { &[] });
            assert!(code == 2 && said.contains("questions in a row have no answer"), "{said}");
            assert_eq!(said.contains("${JUDGE_KEY}"), shown, "{said}");
        }
    }
}

#[test]
fn requests_leave_and_answers_come_back_as_files() {
    let folder = Folder::new("  samples: 3\n");
    let (code, said) = folder.judge("http://127.0.0.1:1", &["--requests", "batch.jsonl"]);
    assert!(code == 0 && said.contains("72 requests in batch.jsonl"), "{said}");
    let requests: Vec<Value> =
        folder.read("batch.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&requests[0]["method"], &requests[0]["url"]),
        (&json!("POST"), &json!("/v1/chat/completions"))
    );
    let mut results = String::new();
    // In another order, one that failed, one of somebody else.
    for (at, request) in requests.iter().enumerate().rev() {
        let prompt = request["body"]["messages"][0]["content"].as_str().unwrap();
        let body = shaped(Shape::OpenAi, &graded(prompt), "stop", Value::Null);
        let response = json!({"status_code": if at == 0 { 500 } else { 200 }, "body": body});
        results += &format!(
            "{}\n",
            json!({"id": "batch_req_1", "custom_id": request["custom_id"], "response": response, "error": null})
        );
    }
    results += &format!(
        "{}\n",
        json!({"custom_id": "other", "response": {"status_code": 200, "body": {"choices": []}}, "error": null})
    );
    folder.write("results.jsonl", &results);
    let (code, said) = folder.judge("http://127.0.0.1:1", &["--responses", "results.jsonl"]);
    assert!(
        code == 2
            && said.contains("23 judgments by relevance-")
            && said.contains("1 answer is to questions that are not asked"),
        "{said}"
    );
    assert!(said.contains("1 question is without an answer, the first: status 500"), "{said}");
    let items = folder.items();
    assert!(items.len() == 23 && items.iter().all(|item| item["grades"].as_array().unwrap().len() == 3));
    // What is there is not asked for again.
    let (_, said) = folder.judge("http://127.0.0.1:1", &["--requests", "rest.jsonl"]);
    assert!(said.contains("3 requests in rest.jsonl"), "{said}");
}

#[test]
fn what_is_not_used_any_more_is_pruned() {
    let folder = Folder::new("");
    let (url, _) = serve(good);
    folder.judge(&url, &[]);
    // Another prompt is another judge: both are on file.
    folder.write("prompt.txt", "Grade.\n{query}\n{document}\n");
    folder.write(
        "toy.yaml",
        &folder.read("toy.yaml").replace("  judgments:", "  prompt: {file: prompt.txt}\n  judgments:"),
    );
    let (_, said) = folder.judge(&url, &["--dry-run"]);
    assert!(
        said.contains("24 of these have a judgment by relevance-")
            && said.contains("prompt, model or a parameter is another now"),
        "{said}"
    );
    let plain = |_, _: &str| completion(Shape::OpenAi, r#"{"analysis": "", "grade": 1}"#, "stop");
    let (other, _) = serve(plain);
    folder.judge(&other, &[]);
    assert_eq!(folder.items().len(), 2 * PAIRS);
    let (code, said) = folder.judge(&url, &["--prune"]);
    assert!(code == 0 && said.contains("24 judgments removed from judged/toy.jsonl"), "{said}");
    assert!(
        folder.items().len() == PAIRS && !folder.read("judged/toy.jsonl").contains("\"judge\":\"relevance-")
    );
    // What a configuration that cannot be asked returns may be on file.
    folder.write(
        "toy.yaml",
        &folder
            .read("toy.yaml")
            .replace("  mine: {run: mine.run}", "  mine: {run: mine.run}\n  gone: {command: [./gone]}"),
    );
    let (code, said) = folder.judge(&url, &["--prune"]);
    assert!(code == 2 && said.contains("nothing is pruned"), "{said}");
}

#[test]
fn a_stuffed_document_graded_high_fails_its_probe() {
    let folder = Folder::new("");
    let (url, _) = serve(|_, prompt| {
        // A judge that counts words of the query, as many as there may be.
        let document = prompt.rsplit("Document:").next().unwrap();
        let grade = document.matches("question").count().min(3);
        completion(Shape::OpenAi, &json!({"analysis": "", "grade": grade}).to_string(), "stop")
    });
    let (code, said) = folder.judge(&url, &["--check", "--require-probes"]);
    assert!(code == 2 && said.contains("no probe has an answer"), "{said}");
    folder.judge(&url, &[]);
    let (code, said) = folder.judge(&url, &["--check", "--require-probes"]);
    assert!(
        code == 1
            && flat(&said)
                .contains("4 of 4 probes (the query's words, many times over) were graded as relevant"),
        "{said}"
    );
    assert!(said.contains("requirement not met: probes: 4 of 16 were graded as relevant"), "{said}");
    let (code, _) = folder.judge(&url, &["--check"]);
    assert_eq!(code, 0, "what is told is no gate");
}

#[test]
fn a_configuration_that_reranks_with_the_judge_is_named() {
    let folder = Folder::new("");
    let (url, _) = serve(good);
    let reranks = "  mine: {run: mine.run}\n  reranked:\n    http: {url: 'http://127.0.0.1:1/', body: {q: '{text}', model: qwen/QWEN2.5-7b-q4}, hits: /hits, id: /id}\n    timeout: 100ms";
    folder.write("toy.yaml", &folder.read("toy.yaml").replace("  mine: {run: mine.run}", reranks));
    let (_, said) = folder.judge(&url, &["--check", "--require-independence"]);
    assert!(
        flat(&said).contains("reranked ranks with qwen2.5-7b-q4, the judge's model: it is graded by itself"),
        "{said}"
    );
    assert!(said.contains("requirement not met: circularity: reranked ranks with qwen2.5-7b-q4"), "{said}");
}

#[test]
fn asked_again_a_judge_shows_how_steady_it_is() {
    let folder = Folder::new("");
    let (url, _) = serve(good);
    folder.judge(&url, &[]);
    let text = folder.read("judged/toy.jsonl");
    let (other, seen) = serve(|_, _| completion(Shape::Ollama, r#"{"analysis": "", "grade": 1}"#, "stop"));
    let (code, said) = folder.judge(&other, &["--again", "10", "--check", "--min-again", "0.9"]);
    assert!(
        code == 1
            && said.contains("of 10 documents got the same grade")
            && said.contains("requirement not met: again>=0.9"),
        "{said}"
    );
    assert!(said.contains("another model answered: gpt-4.1-2025-04-14 before, qwen2.5:7b now"), "{said}");
    // Nothing of it is kept.
    assert_eq!((seen.lock().unwrap().len(), folder.read("judged/toy.jsonl")), (10, text));
}

#[test]
fn people_judge_what_was_drawn() {
    let folder = Folder::new("");
    let (url, seen) = serve(good);
    let (code, said) = folder.run(&url, &["sample", "toy.yaml"]);
    assert!(code == 2 && said.contains("no queries are drawn yet"), "{said}");
    let (code, said) = folder.run(&url, &["sample", "toy.yaml", "--queries", "2", "--seed", "7"]);
    assert!(
        code == 0
            && said.contains(
                "2 of 4 queries drawn by seed 7 in judged/people.jsonl; 0 graded, 4 documents to judge"
            ),
        "{said}"
    );
    let lines: Vec<Value> = said
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let drawn = folder.read("judged/people.jsonl");
    assert!(lines.len() == 4 && drawn.contains("\"seed\":7"), "{drawn}");
    // Two people, who disagree on one document; the second cannot tell one.
    let graded = |grades: [Option<u8>; 4]| -> String {
        let line = |(line, grade): (&Value, Option<u8>)| {
            let mut line = line.clone();
            line["grade"] = json!(grade);
            format!("{line}\n")
        };
        lines.iter().zip(grades).map(line).collect()
    };
    folder.write("anna.jsonl", &graded([Some(0), Some(1), Some(2), None]));
    folder.write("ben.jsonl", &graded([Some(0), Some(1), Some(3), None]));
    let (code, said) = folder.run(&url, &["sample", "toy.yaml", "--merge", "anna.jsonl", "ben.jsonl"]);
    assert!(code == 0 && said.contains("3 grades added to judged/people.jsonl\n"), "{said}");
    assert!(
        said.contains("agreement of people on 3 documents of 2 queries") && said.contains("0.6667"),
        "{said}"
    );
    assert!(
        said.contains("1 document left out, on which people do not agree:\n")
            && said.contains("anna 2, ben 3"),
        "{said}"
    );
    // A third settles it, and the page holds nothing else.
    let (_, said) = folder.run(&url, &["sample", "toy.yaml", "--page", "label.html"]);
    assert!(
        said.contains("3 graded, 1 document to judge") && said.contains("1 document to judge on label.html"),
        "{said}"
    );
    assert!(folder.read("label.html").contains("title "));
    folder
        .write("third.jsonl", &format!("{}\n", graded([None, None, Some(2), None]).lines().nth(2).unwrap()));
    let (_, said) = folder.run(&url, &["sample", "toy.yaml", "--merge", "third.jsonl"]);
    assert!(said.contains("1 grade added"), "{said}");
    let (_, said) = folder.run(&url, &["sample", "toy.yaml", "--merge", "ben.jsonl"]);
    assert!(said.contains("has grade 2 for query") && said.contains("and now 3"), "{said}");
    // The same page for judgments that go into the collection.
    let (code, said) = folder.run(&url, &["pool", "toy.yaml", "--page", "pool.html"]);
    assert!(code == 0 && said.contains("8 documents of 4 queries to be judged"), "{said}");
    assert!(
        folder.read("pool.html").contains("\"document_text\":\"title y\""),
        "{}",
        folder.read("pool.html")
    );
    // A larger sample holds the smaller one, and people's grades.
    let (_, said) = folder.run(&url, &["sample", "toy.yaml", "--queries", "3"]);
    assert!(
        said.contains("3 of 4 queries drawn by seed 7") && said.contains("4 graded, 2 documents to judge"),
        "{said}"
    );
    for (arguments, why) in [
        (&["--queries", "2"][..], "fewer, 2, would be a choice"),
        (&["--queries", "3", "--seed", "8"], "another one, 8, would be a choice"),
        (&["--queries", "5"], "5 of 4 queries cannot be drawn"),
    ] {
        let (code, said) = folder.run(&url, &[&["sample", "toy.yaml"], arguments].concat());
        assert!(code == 2 && said.contains(why), "{said}");
    }
    // A judge that was changed may have been fitted to the sample: another one is drawn for it.
    folder.write("toy.yaml", &folder.read("toy.yaml").replace("qwen2.5-7b-q4", "qwen3-8b-q4"));
    let (code, said) = folder.run(&url, &["sample", "toy.yaml", "--seed", "8"]);
    assert!(code == 0 && said.contains("3 of 4 queries drawn by seed 8"), "{said}");
    assert_eq!(folder.run(&url, &["sample", "toy.yaml", "--seed", "9"]).0, 2);
    folder.write("toy.yaml", &folder.read("toy.yaml").replace("qwen3-8b-q4", "qwen2.5-7b-q4"));
    // Who picks queries is found out, and so is a document that was edited since.
    let picked = drawn.replace("\"q", "\"x");
    folder.write("judged/people.jsonl", &picked);
    let (code, said) = folder.run(&url, &["sample", "toy.yaml"]);
    assert!(code == 2 && said.contains("was not drawn by seed 7"), "{said}");
    folder.write("judged/people.jsonl", &drawn);
    folder.write("toy.yaml", &folder.read("toy.yaml").replace(": title y", ": title z"));
    let (_, said) = folder.run(&url, &["sample", "toy.yaml", "--merge", "anna.jsonl"]);
    assert!(
        said.contains("2 grades added") && said.contains("2 left out, of texts that are others now"),
        "{said}"
    );
    assert!(seen.lock().unwrap().is_empty(), "nobody asks the model");
}

#[test]
fn how_good_a_judge_is_can_be_read_by_programs() {
    let folder = Folder::new("  grade: {what: all}\n");
    let (url, _) = serve(good);
    let (code, said) = folder.judge(&url, &[]);
    assert_eq!(code, 0, "{said}");
    let output =
        folder.command(&url, &["judge", "toy.yaml", "--check", "--format", "json"]).output().unwrap();
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let check = &checks[0];
    // People gave 1 to the first document of each query, the judge 3.
    assert_eq!(
        (&check["agreement"]["pairs"], &check["agreement"]["confusion"][1]),
        (&json!(4), &json!([0, 0, 0, 4]))
    );
    assert_eq!((&check["bias"][0]["segment"], &check["bias"][0]["mean"]), (&Value::Null, &json!(2.0)));
    assert_eq!(check["bias"][1]["segment"], json!(["difficulty", "easy"]));
    assert_eq!(check["states"], json!({"graded": 12}));
}

#[test]
fn a_name_that_moves_is_warned_about() {
    let folder = Folder::new("");
    let (url, _) = serve(good);
    let told = |folder: &Folder| {
        let lint = folder.run(&url, &["lint", "toy.yaml"]).1.contains("(judge-may-move)");
        (lint, folder.judge(&url, &["--dry-run"]).1.contains("may be another model tomorrow"))
    };
    assert_eq!(told(&folder), (false, false));
    folder.write("toy.yaml", &folder.read("toy.yaml").replace("qwen2.5-7b-q4", "qwen2.5:latest"));
    assert_eq!(told(&folder), (true, true));
}

#[test]
fn a_program_of_ones_own_is_a_judge() {
    let program = r#"
import json, sys
sys.stdin.readline()
print(json.dumps({"rankgate": 1}))
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"id": asked["id"], "grade": min(3, asked["document"]["text"].count("x"))}
    if asked["query"]["id"] == "q1":
        answer["grade"] = HOW
    print(json.dumps(answer))
"#;
    let own = |how: &str| {
        let folder = Folder::new("");
        folder.write("judge.py", &program.replace("HOW", how));
        let spec = folder.read("toy.yaml").replace(
            "  endpoint: '${JUDGE_URL}'\n  api-key: '${JUDGE_KEY}'\n",
            "  command: [python3, judge.py]\n",
        );
        folder.write("toy.yaml", &spec);
        folder
    };
    let folder = own("'cannot_tell'");
    let (code, said) = folder.judge("", &[]);
    assert!(code == 2 && said.contains("18 graded, 6 abstained"), "{said}");
    // What it cannot tell it will not tell when it is asked again.
    assert!(
        flat(&said).contains("have no grade: 2 abstained, more than 0.02") && !said.contains("--retry"),
        "{said}"
    );
    let grade = |document: &str| {
        folder.items().into_iter().find(|item| item["document"] == document).unwrap()["grade"].clone()
    };
    assert_eq!((grade("d11"), grade("d21"), grade("d42")), (Value::Null, json!(2), json!(0)));
    let (code, said) = own("2.5").judge("", &["--concurrency", "1"]);
    assert!(
        code == 2
            && flat(&said).contains(
                "the program's answer is not what was asked for: `{\"analysis\":\"\",\"grade\":2.5}`"
            ),
        "{said}"
    );
    let (code, said) = own("sys.exit('no model')").judge("", &[]);
    assert!(code == 2 && said.contains("stopped: the program exited") && said.contains("no model"), "{said}");
    let both = Folder::new("  command: [python3, judge.py]\n");
    let (code, said) = both.judge("", &[]);
    assert!(code == 2 && said.contains("a judge is a service or a program, not both"), "{said}");
}

/// With a model of one's own: `RANKGATE_JUDGE_URL=http://localhost:8080/v1 cargo test --test command real_model -- --ignored`,
/// where need be with `RANKGATE_JUDGE_MODEL` and `RANKGATE_JUDGE_KEY`.
#[test]
#[ignore = "asks a real model, that of RANKGATE_JUDGE_URL"]
fn a_real_model_answers_in_the_form_that_it_is_asked_for() {
    let Ok(url) = std::env::var("RANKGATE_JUDGE_URL") else { panic!("RANKGATE_JUDGE_URL is not set") };
    let model = std::env::var("RANKGATE_JUDGE_MODEL").unwrap_or_else(|_| "default".to_owned());
    let folder = Folder::new("");
    folder.write("toy.yaml", &folder.read("toy.yaml").replace("qwen2.5-7b-q4", &model));
    let mut command = folder.command(&url, &["judge", "toy.yaml"]);
    command.env("JUDGE_KEY", std::env::var("RANKGATE_JUDGE_KEY").unwrap_or_else(|_| "none".to_owned()));
    let output = command.output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{said}");
    let graded = folder.items().iter().filter(|item| item["state"] == "graded").count();
    assert!(graded > PAIRS / 2, "{said}");
}
