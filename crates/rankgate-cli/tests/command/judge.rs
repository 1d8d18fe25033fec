//! `rankgate judge` and `rankgate sample`, against a server on loopback.

#![cfg(all(unix, feature = "http"))]
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::judge_folder::{Folder, KEY, flat, good};
use crate::judge_server::{Reply, Shape, completion, graded, serve, shaped};
use crate::secrets;
use serde_json::{Value, json};

/// Documents that nobody judged, and probes: two and four for each of four queries.
pub(crate) const PAIRS: usize = 8 + 16;

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
    let (code, said) = folder.judge(&url, &["--prune", "--dry-run"]);
    assert!(
        code == 0 && said.contains("24 judgments would be removed from judged/toy.jsonl\n  24 by relevance-"),
        "{said}"
    );
    assert_eq!(folder.items().len(), 2 * PAIRS);
    let (code, said) = folder.judge(&url, &["--prune"]);
    assert!(
        code == 0 && said.contains("24 judgments removed from judged/toy.jsonl\n  24 by relevance-"),
        "{said}"
    );
    assert!(
        flat(&said).contains(": no judge of this spec: prompt, model or a parameter is another")
            && said.contains("another spec that uses this file would ask for its own of these again"),
        "{said}"
    );
    assert!(
        folder.items().len() == PAIRS && !folder.read("judged/toy.jsonl").contains("\"judge\":\"relevance-")
    );
    // A grade of a document counts whoever returns it: another spec's are kept, and those of a configuration that cannot be asked.
    folder.write(
        "toy.yaml",
        &folder
            .read("toy.yaml")
            .replace("  mine: {run: mine.run}", "  mine: {run: other.run}\n  gone: {command: [./gone]}"),
    );
    folder.write("other.run", "q1 Q0 d11 1 1.0 x\n");
    let before = folder.read("judged/toy.jsonl");
    let (code, said) = folder.judge(&url, &["--prune"]);
    assert!(code == 0 && said.contains("0 judgments removed") && said.contains("gone is left out"), "{said}");
    assert_eq!(folder.read("judged/toy.jsonl"), before);
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
    assert!(said.contains("requirement not met: probes: 4 of 16 have a wrong answer"), "{said}");
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
    // What else it says is its own business.
    let (code, said) = own("0; answer['score'] = 0.61").judge("", &[]);
    assert!(code == 0 && said.contains("24 graded"), "{said}");
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
