//! What people say of a judge: samples, agreement, and how steady it is.

#![cfg(all(unix, feature = "http"))]
use crate::judge_folder::{Folder, good};
use crate::judge_server::{Shape, completion, serve};
use serde_json::{Value, json};

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
            // The probes, which are easy to answer alike, are not among them.
            && said.contains("of 8 documents got the same grade")
            && said.contains("requirement not met: again>=0.9"),
        "{said}"
    );
    assert!(said.contains("another model answered: gpt-4.1-2025-04-14 before, qwen2.5:7b now"), "{said}");
    // Nothing of it is kept.
    assert_eq!((seen.lock().unwrap().len(), folder.read("judged/toy.jsonl")), (8, text));
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
