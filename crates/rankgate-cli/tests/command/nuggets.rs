//! `rankgate nuggets` against a server on loopback: proposals, what people make of them, and the gates on both.

#![cfg(all(unix, feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::judge_folder::{Folder, flat};
use crate::judge_server::{Reply, Shape, completion, serve};
use serde_json::{Value, json};

const FILE: &str = "judged/nuggets.jsonl";

/// Queries with a relevant document each, and answers that hold the first nugget of the first three.
fn folder(more: &str) -> Folder {
    let folder = Folder::new(&format!("  nuggets: {FILE}\n{more}"));
    let gates = "[{metric: NuggetAll, min: 0.1, judged: raw, level: advisory}]";
    let spec = folder.read("toy.yaml").replace("[{metric: nDCG@10, min: 0.1}]", gates);
    folder.write("toy.yaml", &spec.replace("{run: mine.run}", "{run: mine.run, answers: answers.jsonl}"));
    let answer = |query: usize| {
        let text = if query < 4 { format!("fact {query} holds") } else { "nothing".to_owned() };
        json!({"query": format!("q{query}"), "answer": text}).to_string() + "\n"
    };
    folder.write("answers.jsonl", &(1..=4).map(answer).collect::<String>());
    folder
}

/// What stands in the fence below a line of a prompt.
fn fenced<'a>(prompt: &'a str, below: &str) -> &'a str {
    let (_, rest) = prompt.split_once(&format!("\n{below}:\n<<<")).unwrap();
    let (fence, rest) = rest.split_once('\n').unwrap();
    rest.split_once(&format!("\n{fence}>>>")).unwrap().0
}

/// Two nuggets of each query; of a nugget in an answer whether its words are there.
fn model(prompt: &str) -> Reply {
    let content = if prompt.starts_with("List the nuggets") {
        let query = fenced(prompt, "Query").replace("question", "fact");
        assert_eq!(fenced(prompt, "Documents"), "[1]\ntitle xxx");
        json!({"nuggets": [
            {"text": query, "document": 1, "importance": "vital"},
            {"text": format!("{query} more"), "document": 1, "importance": "okay"},
        ]})
    } else {
        let answer = fenced(prompt, "Contexts");
        let verdict = |line: &str| {
            let (id, text) = line.strip_prefix('[').unwrap().split_once("] ").unwrap();
            let verdict = if answer.contains(text) { "supported" } else { "unsupported" };
            json!({"id": id, "context": null, "verdict": verdict})
        };
        let verdicts: Vec<Value> = fenced(prompt, "Nuggets").lines().map(verdict).collect();
        json!({"analysis": "", "verdicts": verdicts})
    };
    completion(Shape::OpenAi, &content.to_string(), "stop")
}

fn good(_: usize, prompt: &str) -> Reply {
    model(prompt)
}

#[test]
fn a_model_proposes_and_people_decide() {
    let folder = folder("");
    let (url, seen) = serve(good);
    // What counts nuggets says where they come from.
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    assert!(code == 2 && flat(&said).contains("`rankgate nuggets toy.yaml` proposes them"), "{code} {said}");
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml", "--dry-run"]);
    assert!(
        code == 0
            && said.contains(&format!("4 queries without a proposal, 0 in {FILE}\n"))
            && said.contains("4 queries with relevant documents, 4 of them not on file\n4 requests, about "),
        "{said}"
    );
    assert!(seen.lock().unwrap().is_empty() && !folder.path().join("judged").exists());
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml"]);
    assert!(
        code == 0 && said.contains(&format!("8 nuggets of 4 queries added to {FILE}, 4 of them vital")),
        "{said}"
    );
    let proposed = folder.read(FILE);
    let lines: Vec<Value> = proposed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 12);
    assert_eq!(lines[1], json!({"document": "d10", "query": "q1", "text": "fact 1", "vital": true}));
    assert_eq!(lines[2], json!({"document": "d10", "query": "q1", "text": "fact 1 more", "vital": false}));
    let (_, said) = folder.run(&url, &["lint", "toy.yaml"]);
    assert!(flat(&said).contains("4 queries have nuggets as a model proposed them"), "{said}");

    // A nugget of the first query is wrong, all of the second are; the third has been read.
    let reviewed = |line: &str| match (line.contains("\"proposal\""), line.contains("\"q3\"")) {
        (true, true) => line.replacen('{', "{\"reviewed\": true, ", 1),
        _ => line.to_owned(),
    };
    let stays = |line: &&str| !(line.contains("more") && line.contains("\"q1\"") || line.contains("fact 2"));
    let edited: String = proposed.lines().filter(stays).map(|line| reviewed(line) + "\n").collect();
    folder.write(FILE, &edited);
    let asked = seen.lock().unwrap().len();
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml"]);
    assert!(code == 0 && said.contains("nothing was added"), "{said}");
    assert_eq!((folder.read(FILE), seen.lock().unwrap().len()), (edited, asked));
    let (_, said) = folder.run(&url, &["lint", "toy.yaml"]);
    assert!(flat(&said).contains("1 query has nuggets as a model proposed them"), "{said}");

    // Gates count what stands there: the first query whole, of the third and fourth half and nothing.
    let (code, said) = folder.judge(&url, &[]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    let said = flat(&said);
    assert!(code == 0 && said.contains("NuggetAll 0.5000"), "{code} {said}");
    // No pruning takes proposals that were paid for.
    let before = folder
        .items()
        .iter()
        .filter(|item| item["judge"].as_str().unwrap().starts_with("nugget-creation"))
        .count();
    assert_eq!(folder.judge(&url, &["--prune"]).0, 0);
    let after = folder
        .items()
        .iter()
        .filter(|item| item["judge"].as_str().unwrap().starts_with("nugget-creation"))
        .count();
    assert_eq!((before, after), (4, 4));
}

#[test]
fn a_budget_that_ends_goes_on_where_it_stopped() {
    let folder = folder("  budget: {requests: 3}\n");
    let (url, seen) = serve(good);
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml"]);
    assert!(code == 2 && said.contains("stopped: the budget of 3 requests is used up"), "{code} {said}");
    let first = folder.read(FILE);
    assert_eq!(first.lines().count(), 9);
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml"]);
    assert!(code == 0 && folder.read(FILE).starts_with(&first), "{code} {said}");
    assert_eq!((folder.read(FILE).lines().count(), seen.lock().unwrap().len()), (12, 4));
}

#[test]
fn a_reply_that_is_none_proposes_nothing_and_can_be_asked_for_again() {
    let folder = folder("");
    let (url, _) = serve(|_, prompt| match prompt.contains("question 2") {
        true => completion(Shape::OpenAi, r#"{"nuggets": [{"text": "a", "importance": "vital"}]}"#, "stop"),
        false => model(prompt),
    });
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml"]);
    let said = flat(&said);
    assert!(
        code == 2 && said.contains("1 query has no nuggets, since the model gave no valid answer"),
        "{code} {said}"
    );
    assert!(said.contains("`rankgate nuggets toy.yaml --retry unparseable` asks again"), "{said}");
    assert!(!folder.read(FILE).contains("q2"));
    let (url, seen) = serve(good);
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml", "--retry", "unparseable"]);
    assert!(code == 0 && folder.read(FILE).contains("fact 2"), "{code} {said}");
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[test]
fn requests_leave_and_come_back_as_files() {
    let folder = folder("");
    let (code, said) =
        folder.run("http://127.0.0.1:9/v1", &["nuggets", "toy.yaml", "--requests", "batch.jsonl"]);
    assert!(code == 0 && said.contains("requests for 4 queries in batch.jsonl"), "{said}");
    let answer = |line: &str| {
        let asked: Value = serde_json::from_str(line).unwrap();
        let Reply::Body(_, _, body) = model(asked["body"]["messages"][0]["content"].as_str().unwrap()) else {
            panic!()
        };
        let body: Value = serde_json::from_str(&body).unwrap();
        json!({"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}, "error": null}).to_string()
            + "\n"
    };
    folder.write("results.jsonl", &folder.read("batch.jsonl").lines().map(answer).collect::<String>());
    let (code, said) =
        folder.run("http://127.0.0.1:9/v1", &["nuggets", "toy.yaml", "--responses", "results.jsonl"]);
    assert!(code == 0 && folder.read(FILE).lines().count() == 12, "{code} {said}");
}

#[test]
fn a_wrong_file_is_named_by_gates_and_lint() {
    let folder = folder("");
    let (url, seen) = serve(good);
    std::fs::create_dir(folder.path().join("judged")).unwrap();
    folder.write(FILE, "{\"query\": \"q9\", \"text\": \"a\"}\n");
    let expected = "judged/nuggets.jsonl:1: the collection has no query `q9`";
    for arguments in
        [&["run", "toy.yaml"][..], &["lint", "toy.yaml"], &["nuggets", "toy.yaml"], &["judge", "toy.yaml"]]
    {
        let (_, said) = folder.run(&url, arguments);
        assert!(flat(&said).contains(expected), "{arguments:?}: {said}");
    }
    assert_eq!((seen.lock().unwrap().len(), folder.read(FILE).lines().count()), (0, 1));
    let spec = folder.read("toy.yaml").replace(&format!("  nuggets: {FILE}\n"), "");
    folder.write("toy.yaml", &spec);
    let (code, said) = folder.run(&url, &["nuggets", "toy.yaml"]);
    assert!(
        code == 2 && flat(&said).contains("names no file of nuggets, as in `nuggets: judged/nuggets.jsonl`"),
        "{said}"
    );
}
