//! A judge of several models: each is asked, and together they have one grade.

#![cfg(all(unix, feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::collections::BTreeMap;

use crate::judge::PAIRS;
use crate::judge_folder::{Folder, flat};
use crate::judge_server::{Reply, Requests, Shape, completion, graded, serve};
use serde_json::{Value, json};

const MEMBERS: &str = "judges: [small, middle, large]";

fn folder(more: &str) -> Folder {
    let folder = Folder::new(more);
    let gate = "[{metric: P@3, min: 0.6, judged: raw, level: advisory}]";
    let spec = folder.read("toy.yaml").replace("[{metric: nDCG@10, min: 0.1}]", gate);
    folder.write("toy.yaml", &spec.replace("model: qwen2.5-7b-q4", MEMBERS));
    folder
}

/// Members are asked one after the other: the first two grade alike, and the third says 0 of everything.
fn members() -> (String, Requests) {
    serve(|number, prompt| match number / PAIRS {
        0 | 1 => completion(Shape::OpenAi, &graded(prompt), "stop"),
        _ => completion(Shape::OpenAi, r#"{"analysis": "No.", "grade": 0}"#, "stop"),
    })
}

fn models(requests: &Requests) -> BTreeMap<String, usize> {
    let mut models = BTreeMap::new();
    for (_, body) in requests.lock().unwrap().iter() {
        *models.entry(body["model"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    models
}

#[test]
fn a_jury_votes_and_each_member_is_on_file() {
    let folder = folder("  budget: {cost: 9, prices: {in: 1.5, out: 6}}\n");
    let (url, seen) = members();
    let (code, said) = folder.judge(&url, &["--dry-run"]);
    assert!(
        code == 0 && said.contains("(small + middle + large)") && said.contains("\n72 requests, about "),
        "{said}"
    );
    let (code, said) = folder.judge(&url, &["--concurrency", "1"]);
    assert!(
        code == 0 && said.contains("72 requests, 36,864 tokens read, 2,880 written; 0.07 spent"),
        "{said}"
    );
    let each = |model: &str| (model.to_owned(), PAIRS);
    assert_eq!(models(&seen), BTreeMap::from(["small", "middle", "large"].map(each)));
    let items = folder.items();
    assert_eq!(items.len(), 4 * PAIRS);
    let votes = |document: &str| {
        let of_jury =
            items.iter().find(|item| item["document"] == document && item["grades"].is_array()).unwrap();
        (of_jury["grade"].clone(), of_jury["grades"].clone(), of_jury["tokens"].clone())
    };
    assert_eq!(votes("d31"), (json!(3), json!([3, 3, 0]), json!([1536, 120])));
    assert_eq!(votes("d12").0, json!(0));
    // What is on file is asked of nobody again, and gates read the jury's grades.
    let (code, said) = folder.judge(&url, &[]);
    assert!(
        code == 0 && said.contains("nothing is asked") && seen.lock().unwrap().len() == 3 * PAIRS,
        "{said}"
    );
    let (_, said) = folder.run(&url, &["run", "toy.yaml"]);
    assert!(flat(&said).contains("P@3 0.6667"), "{said}");
    assert_eq!(folder.judge(&url, &["--prune"]).0, 0);
    assert_eq!(folder.items().len(), 4 * PAIRS);
}

#[test]
fn members_are_told_apart_by_the_check() {
    let folder = folder("  grade: {what: all}\n");
    let all = 12 + 16;
    let (url, _) = serve(move |number, prompt| match number / all {
        0 | 1 => completion(Shape::OpenAi, &graded(prompt), "stop"),
        _ => completion(Shape::OpenAi, r#"{"analysis": "No.", "grade": 0}"#, "stop"),
    });
    let (code, said) = folder.judge(&url, &["--concurrency", "1"]);
    assert_eq!(code, 0, "{said}");
    let output =
        folder.command(&url, &["judge", "toy.yaml", "--check", "--format", "json"]).output().unwrap();
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let jury = &checks[0]["jury"];
    assert_eq!((&jury["vote"], jury["members"].as_array().unwrap().len()), (&json!("majority"), 3));
    let exact = |value: &Value| value["exact"]["value"].clone();
    let by_jury: Vec<Value> = (0..3).map(|at| exact(&jury["members"][at]["jury"])).collect();
    // Of each query the first document is 3, the second 1, 2, 3 and 3, and the third 0, which the third member says of all.
    assert_eq!(by_jury[..2], [json!(1.0), json!(1.0)]);
    assert!((by_jury[2].as_f64().unwrap() - 4.0 / 12.0).abs() < 1e-12);
    let agreement: Vec<Value> = (0..3).map(|at| exact(&jury["agreement"][at]["agreement"])).collect();
    assert_eq!((&agreement[0], &jury["agreement"][0]["members"]), (&json!(1.0), &json!(["small", "middle"])));
    assert!((agreement[1].as_f64().unwrap() - 4.0 / 12.0).abs() < 1e-12);
    let (_, said) = folder.judge(&url, &["--check"]);
    assert!(flat(&said).contains("a jury of 3 members, by majority"), "{said}");
}

#[test]
fn a_jury_that_was_stopped_asks_nobody_twice() {
    let folder = folder(&format!("  budget: {{requests: {}}}\n", PAIRS + 5));
    let (url, seen) = members();
    let (code, said) = folder.judge(&url, &["--concurrency", "1"]);
    assert!(code == 2 && said.contains("stopped: the budget of 29 requests is used up"), "{code} {said}");
    assert_eq!(folder.items().len(), PAIRS + 5);
    let (code, said) = folder.judge(&url, &["--concurrency", "1"]);
    assert!(code == 2, "{code} {said}");
    assert_eq!(folder.judge(&url, &["--concurrency", "1"]).0, 0);
    let each = |model: &str| (model.to_owned(), PAIRS);
    assert_eq!(models(&seen), BTreeMap::from(["small", "middle", "large"].map(each)));
}

#[test]
fn a_jury_leaves_and_comes_back_as_files() {
    let folder = folder("");
    let nobody = "http://127.0.0.1:9/v1";
    assert_eq!(folder.judge(nobody, &["--requests", "batch.jsonl"]).0, 0);
    let answer = |line: &str| {
        let asked: Value = serde_json::from_str(line).unwrap();
        let prompt = asked["body"]["messages"][0]["content"].as_str().unwrap();
        let Reply::Body(_, _, body) = completion(Shape::OpenAi, &graded(prompt), "stop") else { panic!() };
        let body: Value = serde_json::from_str(&body).unwrap();
        json!({"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}, "error": null}).to_string()
            + "\n"
    };
    let batch = folder.read("batch.jsonl");
    assert_eq!(batch.lines().count(), 3 * PAIRS);
    folder.write("results.jsonl", &batch.lines().map(answer).collect::<String>());
    let (code, said) = folder.judge(nobody, &["--responses", "results.jsonl"]);
    assert!(code == 0 && folder.items().len() == 4 * PAIRS, "{code} {said}");
}

#[test]
fn a_jury_is_asked_again_as_a_whole() {
    let folder = folder("  grade: {what: all}\n");
    let all = 12 + 16;
    let (url, seen) = serve(move |number, prompt| match (number / all) % 3 {
        _ if number >= 3 * all + 5 => completion(Shape::OpenAi, r#"{"analysis": "No.", "grade": 0}"#, "stop"),
        0 | 1 => completion(Shape::OpenAi, &graded(prompt), "stop"),
        _ => completion(Shape::OpenAi, r#"{"analysis": "No.", "grade": 0}"#, "stop"),
    });
    assert_eq!(folder.judge(&url, &["--concurrency", "1"]).0, 0);
    let before = folder.items();
    // The first member says what it said, the second now says 0 as the third does: the majority is another.
    let (code, said) =
        folder.judge(&url, &["--check", "--again", "5", "--concurrency", "1", "--format", "json"]);
    assert_eq!((code, seen.lock().unwrap().len()), (0, 3 * all + 15), "{said}");
    assert_eq!(folder.items(), before);
    let (start, end) = (said.find('[').unwrap(), said.rfind(']').unwrap());
    let checks: Value = serde_json::from_str(&said[start..=end]).unwrap();
    let again = &checks[0]["again"];
    assert_eq!(again["pairs"], json!(5), "{again}");
    assert!(again["same"].as_u64().unwrap() < 5, "{again}");
}

#[test]
fn a_gate_says_that_a_jury_is_incomplete() {
    let folder = folder(&format!("  budget: {{requests: {}}}\n", PAIRS + 5));
    let (url, _) = members();
    assert_eq!(folder.judge(&url, &["--concurrency", "1"]).0, 2);
    let (_, said) = folder.run(&url, &["run", "toy.yaml"]);
    let said = flat(&said);
    assert!(said.contains("a member of the jury whose other members have not all answered"), "{said}");
    assert!(!said.contains("changed"), "{said}");
}

#[test]
fn what_is_no_jury_is_refused() {
    let folder = folder("");
    let (url, _) = members();
    for (judges, expected) in [
        ("judges: [small]", "a jury has 2 to 9 members, not 1"),
        ("judges: [small, small]", "`small` stands here twice"),
        ("model: one\n  judges: [small, large]", "`judges`"),
        ("model: one\n  vote: mean", "one model has no vote"),
    ] {
        folder.write("other.yaml", &folder.read("toy.yaml").replace(MEMBERS, judges));
        let (code, said) = folder.run(&url, &["check", "other.yaml"]);
        assert!(code == 2 && flat(&said).contains(expected), "{judges}: {said}");
    }
}
