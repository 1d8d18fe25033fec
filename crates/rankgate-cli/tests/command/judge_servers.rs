//! Servers that answer in other forms than they are asked for, or cut what they are asked.

#![cfg(all(unix, feature = "http"))]
use crate::judge::PAIRS;
use crate::judge_folder::{Folder, flat, good};
use crate::judge_server::{Reply, SHAPES, Shape, completion, graded, serve, shaped};
use serde_json::{Value, json};

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
            && said.contains("empty but for the model's reasoning: it needs more `max-tokens`"),
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
    // It advises beside a gate that passed: the status is that one's.
    let (code, said) = folder.run(&good, &["run", "toy.yaml"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = folder.run(&good, &["run", "toy.yaml", "--filter", "[judged]"]);
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
            "without a count of tokens (`usage` is missing or 0): tokens and cost are estimated from bytes"
        ),
        "{said}"
    );
    // No number that nobody counted stands there as if somebody had.
    let numbers = said.lines().find(|line| line.contains("tokens read")).unwrap();
    assert_eq!(numbers.matches("about ").count(), 3, "{said}");
}

#[test]
fn a_server_has_as_long_for_an_answer_as_the_spec_says() {
    let folder = Folder::new("  timeout: 60ms\n");
    let (url, _) = serve(|_, _| Reply::Silence);
    let (code, said) = folder.judge(&url, &["--concurrency", "64"]);
    let line = folder.read("toy.yaml").lines().position(|line| line.contains("timeout")).unwrap() + 1;
    assert!(
        code == 2
            && flat(&said).contains(&format!(
                "did not answer in time (0.06 s, the `timeout` in line {line} of the spec)"
            )),
        "{said}"
    );
}
