//! `rankgate judge --check --against`: two judges of one file on the same pairs.

#![cfg(all(unix, feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::judge_folder::{Folder, flat, good};
use crate::judge_server::{Reply, Shape, completion, graded, serve};
use serde_json::{Value, json};

/// One grade below what the other judge gives, and 0 where that is 0.
fn severe(_: usize, prompt: &str) -> Reply {
    let mut content: Value = serde_json::from_str(&graded(prompt)).unwrap();
    content["grade"] = json!(content["grade"].as_u64().unwrap().saturating_sub(1));
    completion(Shape::OpenAi, &content.to_string(), "stop")
}

/// A gate on three documents of each query, of which people judged the first. The lenient judge grades the second 1, 2, 3, 3
/// and the severe one 0, 1, 2, 2; the third is 0. The spec's judge is the severe one; the other is named.
fn folder() -> (Folder, String) {
    let folder = Folder::new("");
    let gate = "[{metric: P@3, min: 0.6, judged: raw, level: advisory}]";
    let spec = folder.read("toy.yaml").replace("[{metric: nDCG@10, min: 0.1}]", gate);
    folder.write("toy.yaml", &spec);
    let (url, _) = serve(good);
    assert_eq!(folder.judge(&url, &[]).0, 0);
    let lenient = folder.items()[0]["judge"].as_str().unwrap().to_owned();
    folder.write("toy.yaml", &spec.replace("qwen2.5-7b-q4", "qwen2.5-7b-q8"));
    let (url, _) = serve(severe);
    assert_eq!(folder.judge(&url, &[]).0, 0);
    (folder, lenient)
}

const NOBODY: &str = "http://127.0.0.1:9/v1";

/// People agree with the lenient judge on all that was drawn.
fn people(folder: &Folder) {
    let (_, said) = folder.run(NOBODY, &["sample", "toy.yaml", "--queries", "4"]);
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let letters = line["document_text"].as_str().unwrap().matches('x').count();
        line["grade"] = json!(letters.min(3));
        format!("{line}\n")
    };
    folder.write(
        "anna.jsonl",
        &said.lines().filter(|line| line.starts_with('{')).map(line).collect::<String>(),
    );
    assert_eq!(folder.run(NOBODY, &["sample", "toy.yaml", "--merge", "anna.jsonl"]).0, 0);
}

fn check(folder: &Folder, judge: &str) -> (i32, Value) {
    let arguments = ["judge", "toy.yaml", "--check", "--against", judge, "--format", "json"];
    let output = folder.command(NOBODY, &arguments).output().unwrap();
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), checks[0]["swap"].clone())
}

#[test]
fn a_swap_is_seen_before_it_is_made() {
    let (folder, lenient) = folder();
    people(&folder);
    let (code, swap) = check(&folder, &lenient);
    assert_eq!((code, &swap["judge"], &swap["model"]), (0, &json!(lenient), &json!("qwen2.5-7b-q4")));
    // Rows are the severe judge's grades, columns the lenient one's.
    let confusion = json!([[4, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2], [0, 0, 0, 0]]);
    assert_eq!((&swap["agreement"]["pairs"], &swap["agreement"]["confusion"]), (&json!(8), &confusion));
    // Equal are 4 of 8, by chance (5 * 4 + 1 * 1 + 2 * 1) / 64: kappa is (32 - 23) / (64 - 23).
    let kappa = swap["agreement"]["kappa"]["value"].as_f64().unwrap();
    assert!((kappa - 9.0 / 41.0).abs() < 1e-12, "{kappa}");
    // In each query one of two documents is one grade higher.
    assert_eq!((&swap["bias"]["mean"], &swap["bias"]["queries"]), (&json!(0.5), &json!(4)));
    let exact = |side: usize| swap["anchors"]["agreement"][side]["exact"]["value"].clone();
    assert_eq!((&swap["anchors"]["pairs"], &swap["anchors"]["without"]), (&json!(8), &json!([0, 0])));
    assert_eq!((exact(0), exact(1)), (json!(0.5), json!(1.0)));
    // Of three documents two are relevant by the lenient judge; by the severe one of the first query one.
    let gate = &swap["gates"][0];
    assert_eq!(
        (&gate["gate"], &gate["verdicts"]),
        (&json!("toy::mine::P@3"), &json!(["advisory", "passed"]))
    );
    let value = |side: usize| gate["values"][side].as_f64().unwrap();
    assert!((value(0) - 7.0 / 12.0).abs() < 1e-12 && (value(1) - 2.0 / 3.0).abs() < 1e-12, "{gate}");
    let (code, said) =
        folder.run(NOBODY, &["judge", "toy.yaml", "--check", "--against", &lenient, "--page", "judge.html"]);
    let said = flat(&said);
    assert!(
        code == 0
            && said
                .contains(&format!("agreement with {lenient} (qwen2.5-7b-q4) on 8 documents of 4 queries")),
        "{said}"
    );
    assert!(
        said.contains("1 of 1 gate would have another verdict toy::mine::P@3 this judge advisory 0.5833"),
        "{said}"
    );
    assert!(said.contains("the other passed 0.6667") && said.contains("+0.0833"), "{said}");
    assert!(folder.read("judge.html").contains("this judge against the other"));
    // Nothing is written, and the spec's own gates stay what they are.
    let (_, said) = folder.run(NOBODY, &["run", "toy.yaml"]);
    assert!(flat(&said).contains("P@3 0.5833"), "{said}");
}

#[test]
fn anchors_that_a_judge_lacks_are_a_problem() {
    let (folder, lenient) = folder();
    people(&folder);
    let lacks = |line: &&str| !(line.contains("\"document\":\"d21\"") && line.contains(&lenient));
    let text: String =
        folder.read("judged/toy.jsonl").lines().filter(lacks).map(|line| format!("{line}\n")).collect();
    folder.write("judged/toy.jsonl", &text);
    let (code, swap) = check(&folder, &lenient);
    assert_eq!((code, &swap["anchors"]["without"]), (2, &json!([0, 1])));
    assert_eq!(swap["anchors"]["agreement"][0]["pairs"], json!(7));
    let reason = swap["gates"][0]["reason"].as_str().unwrap();
    assert!(reason.contains(&format!("1 of 8 pairs has no judgment by {lenient}")), "{reason}");
    let (_, said) = folder.judge(NOBODY, &["--check", "--against", &lenient]);
    let said = flat(&said);
    assert!(
        said.contains(&format!("PROBLEM 1 of 8 anchors, which people judged, have no grade by {lenient}")),
        "{said}"
    );
}

#[test]
fn a_judge_is_named_as_the_file_calls_it() {
    let (folder, lenient) = folder();
    let text = folder.read("judged/toy.jsonl");
    let heads: Vec<Value> = text
        .lines()
        .filter(|line| line.starts_with("{\"describes\""))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let head = |is_it: bool| heads.iter().find(|head| (head["judge"] == *lenient) == is_it).unwrap();
    let fingerprint = head(true)["fingerprint"].as_str().unwrap();
    assert_eq!(check(&folder, &fingerprint[..10]).1["judge"], json!(lenient));
    let own = head(false)["judge"].as_str().unwrap();
    for (name, expected) in [
        (own, format!("`{own}` is the spec's own judge")),
        ("relevance", "there is no judge `relevance`; the judges are relevance-".to_owned()),
        (&fingerprint[..7], format!("there is no judge `{}`", &fingerprint[..7])),
    ] {
        let (code, said) = folder.judge(NOBODY, &["--check", "--against", name]);
        assert!(code == 2 && flat(&said).contains(&expected), "{name}: {said}");
    }
    let (code, said) = folder.judge(NOBODY, &["--against", &lenient]);
    assert!(code == 2 && said.contains("--check"), "{said}");
}
