//! `rankgate judge` as a user types it, against a judge on loopback that behaves well and badly.

#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::judge_server::{Reply, SHAPES, Shape, completion, serve};

const SPEC: &str = "version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: Fees are due in May., d2: ''}
    queries:
      - {id: q1, text: when are fees due, relevant: [d1], reference: [They are due in May.]}
      - {id: q2, text: two, relevant: [d1], reference: [They are due in May.]}
      - {id: q3, text: three, relevant: [d1], reference: [They are due in May.]}
      - {id: q4, text: four, relevant: [d1], reference: [They are due in May.]}
      - {id: q5, text: five, relevant: [d1], reference: [They are due in May.]}
configurations: {mine: {run: mine.run}}
thresholds: [{metric: RR, min: 0.1}]
";

/// Five answers; the contexts of four have no text.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("toy.yaml", SPEC);
    folder.write("mine.run", "q1 Q0 d1 1 1 mine\n");
    let answer = |at: usize| {
        let contexts = if at == 1 { json!(["d1"]) } else { json!(["d2", {"id": "x", "text": " "}]) };
        json!({"query": format!("q{at}"), "answer": format!("In May, {at}."), "contexts": contexts})
            .to_string()
            + "\n"
    };
    folder.write("answers.jsonl", &(1..=5).map(answer).collect::<String>());
    settings(&folder, "");
    folder
}

fn settings(folder: &Folder, more: &str) {
    folder.write(
        "judge.yaml",
        &format!("endpoint: '${{JUDGE_URL}}'\nmodel: tiny\nspec: toy.yaml\nconcurrency: 1\n{more}"),
    );
}

/// A judge that supports every claim, and gives every answer grade 3.
fn yes(prompt: &str) -> String {
    let ids: Vec<&str> = prompt.split("\n[c").skip(1).filter_map(|rest| rest.split(']').next()).collect();
    let verdict = |id: &&str| json!({"id": format!("c{id}"), "context": null, "verdict": "supported"});
    if prompt.starts_with("List the claims") {
        return json!({"claims": ["They are due."]}).to_string();
    }
    match ids.is_empty() {
        true => json!({"analysis": "so", "grade": 3.0}).to_string(),
        false => {
            json!({"analysis": "so", "verdicts": ids.iter().map(verdict).collect::<Vec<_>>()}).to_string()
        }
    }
}

#[test]
fn contexts_without_a_text_are_not_sent_and_support_nothing() {
    let folder = prepared();
    for shape in SHAPES {
        let _ = fs::remove_file(folder.path("judged.jsonl"));
        let (url, seen) =
            serve(move |_, prompt| completion(shape, &format!("```json\n{}\n```", yes(prompt)), "stop"));
        let said = folder.asking(&url, "judge score answers.jsonl --metric ContextRecall", 0);
        assert!(said.contains("ContextRecall 0.2000 over 5 queries"), "{said}");
        assert_eq!(seen.lock().unwrap().len(), 1, "{shape:?}");
    }
    let csv = folder.read("scores/context-recall.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "query,value,fingerprint,origin");
    assert!(lines[1].starts_with("q1,1,") && lines[2].starts_with("q2,0,") && lines.len() == 6, "{csv}");
}

#[test]
fn nothing_is_paid_twice_and_another_order_asks_nothing() {
    let folder = prepared();
    let (url, seen) = serve(|_, prompt| completion(Shape::OpenAi, &yes(prompt), "stop"));
    let line = "judge score answers.jsonl --metric AnswerRelevance,Faithfulness";
    folder.asking(&url, line, 0);
    let asked = seen.lock().unwrap().len();
    let text = folder.read("answers.jsonl");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    folder.write("answers.jsonl", &(lines.join("\n") + "\n"));
    let said = folder.asking("http://127.0.0.1:1", line, 0);
    assert!(said.contains("nothing was asked: every verdict is on file"), "{said}");
    assert_eq!((asked, seen.lock().unwrap().len()), (11, 11));
}

#[test]
fn a_bad_judge_keeps_what_was_paid_and_lists_the_rest() {
    let folder = prepared();
    let line = "judge score answers.jsonl --metric AnswerRelevance";
    let (prose, _) = serve(|at, prompt| match at {
        0 => completion(Shape::OpenAi, "I would give it a 3.", "stop"),
        1 => completion(Shape::OpenAi, "{\"analysis\": \"so", "length"),
        _ => completion(Shape::OpenAi, &yes(prompt), "stop"),
    });
    let said = folder.asking(&prose, line, 2);
    assert!(said.contains("1.0000 over 3 queries; 2 without a usable reply"), "{said}");
    assert!(said.contains("no usable reply for 2 queries: q1, q2"), "{said}");
    // Asked again on request alone, and a grade takes the place of the failure.
    let said = folder.asking("http://127.0.0.1:1", line, 2);
    assert!(said.contains("2 without a usable reply"), "{said}");
    let (good, seen) = serve(|_, prompt| completion(Shape::OpenAi, &yes(prompt), "stop"));
    assert!(folder.asking(&good, &format!("{line} --again"), 0).contains("1.0000 over 5 queries"));
    assert_eq!(seen.lock().unwrap().len(), 2);
    // Down, and over budget: status 2, and what was answered stays.
    fs::remove_file(folder.path("judged.jsonl")).unwrap();
    let (refused, _) = serve(|_, _| Reply::Body(401, String::new(), "{}".to_owned()));
    let said = folder.asking(&refused, line, 2);
    assert!(said.contains("is `api-key` right?") && said.contains("5 not asked"), "{said}");
    settings(&folder, "budget: {requests: 2}\n");
    let said = folder.asking(&good, line, 2);
    assert!(said.contains("the budget of 2 requests is used up; 3 requests are left"), "{said}");
    assert!(said.contains("1.0000 over 2 queries; 3 not asked"), "{said}");
    assert_eq!(folder.read("judged.jsonl").lines().count(), 2);
}

#[test]
fn people_grade_a_drawn_sample_and_the_judge_is_checked_by_it() {
    let folder = prepared();
    let (url, _) = serve(|_, prompt| completion(Shape::OpenAi, &yes(prompt), "stop"));
    folder.asking(&url, "judge score answers.jsonl --metric AnswerRelevance", 0);
    let listed = folder.run("judge sample answers.jsonl --metric AnswerRelevance --queries 3").stdout;
    let graded = |(at, line): (usize, &str)| {
        let mut pair: Value = serde_json::from_str(line).unwrap();
        pair["grade"] = if at == 0 { json!(1) } else { json!(3) };
        pair.to_string() + "\n"
    };
    folder.write("grades.jsonl", &listed.lines().enumerate().map(graded).collect::<String>());
    let merge = "judge sample answers.jsonl --metric AnswerRelevance --merge grades.jsonl";
    assert!(folder.asking(&url, merge, 0).contains("3 grades added to people.jsonl; 0 are left"));
    assert!(folder.asking(&url, merge, 0).contains("0 grades added"));
    folder.write("grades.jsonl", &folder.read("grades.jsonl").replace("\"grade\":1", "\"grade\":2"));
    assert!(folder.asking(&url, merge, 2).contains("grades.jsonl:1: there is another grade of it already"));
    let said = folder.asking(&url, "judge check answers.jsonl --metric AnswerRelevance", 0);
    assert!(
        said.contains("answer-relevance: 3 questions of 3 queries") && said.contains("equal grades 0.667"),
        "{said}"
    );
    assert!(said.contains("judge - people +0.667"), "{said}");
    let said = folder.asking(&url, "judge score answers.jsonl --metric AnswerRelevance", 0);
    assert!(said.contains("over 5 queries, 3 by people as well"), "{said}");
    assert_eq!(folder.read("scores/answer-relevance.csv").matches(",1,1,").count(), 2);
}

#[test]
fn people_grade_each_kind_on_its_own_scale_by_its_own_rubric() {
    let folder = prepared();
    settings(&folder, "criteria: {brief: {question: Is it brief?, scale: [a, b, c, d, e]}}\n");
    folder.write("toy.yaml", &SPEC.replace("reference: [They", "nuggets: [May], reference: [They"));
    let (url, _) = serve(|_, prompt| completion(Shape::OpenAi, &yes(prompt), "stop"));
    for (metric, rubric, scale) in [
        ("Faithfulness", "Say of each claim whether the contexts support it", 3),
        ("NuggetAll", "Say of each nugget", 3),
        ("AnswerRelevance", "Grade how well an answer is one to the query", 4),
        ("ContextPrecision", "You grade how relevant a document is to a search query", 4),
        (
            "Criterion(brief)",
            "Grade an answer by one criterion, as a careful human assessor would.\n\nIs it brief?",
            5,
        ),
    ] {
        folder.asking(&url, &format!("judge score answers.jsonl --metric {metric}"), 0);
        let listed = folder.run(&format!("judge sample answers.jsonl --metric {metric} --queries 5")).stdout;
        let mut pair: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
        let said = pair["rubric"].as_str().unwrap();
        assert!(said.starts_with(rubric) && !said.contains('{') && !said.ends_with(':'), "{said}");
        assert_eq!(pair["scale"].as_array().unwrap().len(), scale, "{metric}");
        let merge = format!("judge sample answers.jsonl --metric {metric} --merge grades.jsonl");
        folder.write("grades.jsonl", &listed);
        assert!(folder.asking(&url, &merge, 0).contains("0 grades added"), "nobody graded a line");
        for grade in [json!(scale), json!(-1), json!("a")] {
            pair["grade"] = grade;
            folder.write("grades.jsonl", &pair.to_string());
            let said = folder.asking(&url, &merge, 2);
            let range = format!("a grade from 0 to {} was expected", scale - 1);
            assert!(said.contains(&range) || said.contains("this is no grade"), "{said}");
        }
        pair["grade"] = json!(scale - 1);
        folder.write("grades.jsonl", &pair.to_string());
        assert!(folder.asking(&url, &merge, 0).contains("1 grades added"));
    }
}

#[test]
fn documents_that_nobody_judged_become_a_file_of_judgments() {
    let folder = prepared();
    folder.write("mine.run", "q1 Q0 d1 1 2 mine\nq2 Q0 d2 1 2 mine\nq2 Q0 d1 2 1 mine\nq3 Q0 d2 1 1 mine\n");
    let (url, seen) = serve(|_, prompt| completion(Shape::OpenAi, &yes(prompt), "stop"));
    let said = folder.asking(&url, "judge grade toy.yaml --output model.jsonl", 0);
    assert!(said.contains("2 of 2 documents graded in model.jsonl"), "{said}");
    assert_eq!(seen.lock().unwrap().len(), 0, "a document without a text is not sent");
    let lines = folder.read("model.jsonl");
    assert_eq!(
        lines.lines().next(),
        Some("{\"query\": \"q2\", \"document\": \"d2\", \"grade\": 0, \"origin\": \"model\"}")
    );
    folder.write("toy.yaml", &SPEC.replace("collection:\n", "collection:\n  judgments: model.jsonl\n"));
    let said = folder.asking(&url, "eval model.jsonl mine.run -m Judged@1", 0);
    assert!(said.contains("Judged@1"), "{said}");
}

#[test]
fn people_grade_what_a_model_graded_of_drawn_queries() {
    let folder = prepared();
    folder.write("mine.run", &(1..=5).map(|at| format!("q{at} Q0 d3 1 1 mine\n")).collect::<String>());
    let spec = SPEC.replace("d2: ''}", "d2: '', d3: Parks open in May.}");
    folder.write("toy.yaml", &spec);
    let (url, seen) = serve(|_, prompt| completion(Shape::OpenAi, &yes(prompt), "stop"));
    let grade = "judge grade toy.yaml --output model.jsonl";
    assert!(folder.asking(&url, grade, 0).contains("5 of 5 documents graded"));
    // The spec names the files, one of which is not there yet. What the model graded is known, and stays.
    let origins = "collection:\n  judgments: {model: model.jsonl, sample: sample.jsonl}\n";
    let sample = "judge sample toy.yaml --output sample.jsonl";
    assert!(folder.asking(&url, sample, 2).contains("no model graded documents of this spec"));
    assert!(!folder.path("sample.jsonl").exists());
    folder.write("toy.yaml", &spec.replace("collection:\n", origins));
    assert!(folder.asking(&url, sample, 2).contains("nothing is drawn yet: --queries 40"));
    let listed = folder.run(&format!("{sample} --queries 3"));
    assert!(listed.stderr.contains("3 of 5 queries drawn by seed 1 into sample.jsonl; 3 documents to grade"));
    assert_eq!(listed.stdout.matches("Parks open in May.").count(), 3);
    let before = folder.read("model.jsonl");
    assert!(folder.asking("http://127.0.0.1:1", grade, 0).contains("nothing was asked"));
    assert_eq!((folder.read("model.jsonl"), seen.lock().unwrap().len()), (before, 5));

    let graded = |grade: i32| -> String {
        let line = |line: &str| {
            let mut pair: Value = serde_json::from_str(line).unwrap();
            pair["grade"] = json!(grade);
            pair.to_string() + "\n"
        };
        listed.stdout.lines().map(line).collect()
    };
    let merge = |grades: &str, code: i32| {
        folder.write("grades.jsonl", grades);
        folder.asking(&url, &format!("{sample} --merge grades.jsonl"), code)
    };
    assert!(merge(&graded(4), 2).contains("has grade 4, and grades are 0 to 3"));
    let other = graded(1).replace("Parks open in May.", "Parks open in June.");
    assert!(
        merge(&other, 2).contains("another text today than the one that was graded, as are 3 of 3 grades")
    );
    assert!(merge(&graded(1), 0).contains("3 grades added to sample.jsonl; 0 are left"));
    assert!(merge(&graded(0), 2).contains("has grade 0 here and 1 already"));
    let foreign = "{\"query\": \"q1\", \"document\": \"d2\", \"grade\": 1}\n";
    assert!(merge(foreign, 2).contains("grades.jsonl:1: document `d2` of query `q1` is not in the sample"));
    // A larger draw has the smaller one, and a smaller one would lose grades.
    assert!(folder.run(&format!("{sample} --queries 4")).stderr.contains("1 document to grade"));
    assert!(folder.asking(&url, &format!("{sample} --queries 2"), 2).contains("is not drawn by seed 1"));
    let said = folder.asking(&url, "judge check --judgments model.jsonl --people sample.jsonl", 0);
    assert!(
        said.contains("relevance: 3 questions of 3 queries") && said.contains("judge - people +2.000"),
        "{said}"
    );
    // People may say otherwise than the model.
    folder.write("own.jsonl", "{\"query\": \"q1\", \"document\": \"d3\", \"grade\": 0}\n");
    let said = folder.asking(&url, "pool --merge own.jsonl toy.yaml --into own.qrels", 0);
    assert!(said.contains("1 judgment added to own.qrels"), "{said}");
    // A suite does not correct its means.
    folder.write("plain.yaml", &spec.replace("benchmark: toy", "benchmark: plain"));
    let suite =
        "version: 1\nsuite: all\nbenchmarks: [toy.yaml, plain.yaml]\nthresholds: [{metric: RR, min: 0.1}]\n";
    folder.write("all.yaml", suite);
    let said = folder.asking(&url, "run all.yaml", 2);
    assert!(
        said.contains("toy: a model's grades are in RR, and a suite does not correct its mean"),
        "{said}"
    );
}

#[test]
fn a_document_without_a_usable_reply_is_asked_again_on_demand() {
    let folder = prepared();
    folder.write("mine.run", &(1..=3).map(|at| format!("q{at} Q0 d3 1 1 mine\n")).collect::<String>());
    folder.write("toy.yaml", &SPEC.replace("d2: ''}", "d2: '', d3: Parks open in May.}"));
    let cannot_tell = json!({"analysis": "so", "grade": "cannot_tell"}).to_string();
    let (url, _) = serve(move |at, prompt| match at {
        0 => completion(Shape::OpenAi, "I would give it a 3.", "stop"),
        1 => completion(Shape::OpenAi, &cannot_tell, "stop"),
        _ => completion(Shape::OpenAi, &yes(prompt), "stop"),
    });
    let line = "judge grade toy.yaml --output model.jsonl";
    assert!(folder.asking(&url, line, 2).contains("1 of 3 documents graded"));
    let said = folder.asking("http://127.0.0.1:1", line, 2);
    assert!(
        said.contains("nothing was asked") && said.contains("1 documents have no usable reply; --again"),
        "{said}"
    );
    // Who cannot tell has answered.
    let (good, seen) = serve(|_, prompt| completion(Shape::OpenAi, &yes(prompt), "stop"));
    let said = folder.asking(&good, &format!("{line} --again"), 0);
    assert!(said.contains("2 of 3 documents graded"), "{said}");
    assert_eq!((seen.lock().unwrap().len(), folder.read("model.jsonl").lines().count()), (1, 2));
}
