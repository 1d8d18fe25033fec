//! Collections that a model and people alone judge: rankings, answers and claims of thirty queries.

#![cfg(all(unix, feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fmt::Write;

use serde_json::{Value, json};

use crate::judge_folder::{Folder, flat};
use crate::judge_server::{Shape, completion, serve};

/// Queries, of which nobody judged a document.
const QUERIES: usize = 30;

/// `old` answers from the right document, `new` as well but for what `answer` says; `bad` was given a wrong document, and
/// `none` nothing.
fn folder(gates: &str, answer: impl Fn(usize) -> String) -> Folder {
    let folder = Folder::new("");
    std::fs::create_dir_all(folder.path().join("toys/qrels")).unwrap();
    let (mut corpus, mut queries) = (String::new(), String::new());
    let mut answers = [const { String::new() }; 4];
    for at in 0..QUERIES {
        let line = |line: Value| format!("{line}\n");
        corpus +=
            &line(json!({"_id": format!("right{at}"), "title": "", "text": format!("Fee {at} is due. xxx")}));
        corpus += &line(json!({"_id": format!("wrong{at}"), "title": "", "text": "Nothing of it."}));
        let half = ["even", "odd"][at % 2];
        queries += &line(json!({
            "_id": format!("q{at}"), "text": format!("question {at}"), "metadata": {"half": half},
        }));
        let of = |answer: String, contexts: Value| {
            line(json!({"query": format!("q{at}"), "answer": answer, "contexts": contexts}))
        };
        let (right, wrong) = (json!([format!("right{at}")]), json!([format!("wrong{at}")]));
        let said = format!("Fee {at} is due.");
        answers[0] += &of(said.clone(), right.clone());
        answers[1] += &of(answer(at), right);
        answers[2] += &of(said.clone(), wrong);
        answers[3] += &of(said, json!([]));
    }
    folder.write("toys/corpus.jsonl", &corpus);
    folder.write("toys/queries.jsonl", &queries);
    folder.write("toys/qrels/test.tsv", "query-id\tcorpus-id\tscore\n");
    let mut configurations = String::new();
    for (name, text) in ["old", "new", "bad", "none"].iter().zip(answers) {
        folder.write(&format!("{name}.jsonl"), &text);
        writeln!(configurations, "  {name}: {{answers: {name}.jsonl}}").unwrap();
    }
    folder.write(
        "toy.yaml",
        &format!(
            "version: 1\nbenchmark: toy\ncollection: {{beir: toys}}\nconfigurations:\n{configurations}judge:\n  endpoint: '${{JUDGE_URL}}'\n\
             \x20 model: rules-1\n  judgments: judged/toy.jsonl\n  humans: judged/people.jsonl\n{gates}\n"
        ),
    );
    folder
}

/// What stands within the fences of a prompt.
fn parts(prompt: &str) -> Vec<String> {
    let (mut parts, mut rest) = (Vec::new(), prompt);
    while let Some((_, behind)) = rest.split_once("<<<") {
        let (fence, behind) = behind.split_once('\n').unwrap();
        let (text, behind) = behind.split_once(&format!("\n{fence}>>>")).unwrap();
        parts.push(text.to_owned());
        rest = behind;
    }
    parts
}

/// A judge of rules: sentences are claims, but for refusals; what a context holds is supported; `x` is relevance.
fn rules(prompt: &str) -> String {
    let parts = parts(prompt);
    if prompt.starts_with("List the claims") {
        let claims = parts[1].split_inclusive('.').map(str::trim);
        let claims: Vec<&str> =
            claims.filter(|claim| !claim.is_empty() && !claim.contains("not know")).collect();
        return json!({ "claims": claims }).to_string();
    }
    if prompt.starts_with("Say of each claim") {
        let verdict = |line: &str| {
            let (id, claim) = line.strip_prefix('[').unwrap().split_once("] ").unwrap();
            let verdict = if parts[1].contains(claim) { "supported" } else { "unsupported" };
            json!({"id": id, "context": 1, "verdict": verdict})
        };
        let verdicts: Vec<Value> = parts[0].lines().map(verdict).collect();
        return json!({"analysis": "Word by word.", "verdicts": verdicts}).to_string();
    }
    // By a criterion of two words.
    let most = if prompt.starts_with("Grade an answer by one criterion") { 1 } else { 3 };
    json!({"analysis": "Letters.", "grade": parts[1].matches('x').count().min(most)}).to_string()
}

/// People who go by the same rules.
fn people(folder: &Folder, url: &str) {
    let said = people_of(folder, url, &["--queries", "40"], &[]);
    assert!(!said.contains("after"), "{said}");
}

/// The same of a sample that is drawn so, and what is said when their grades are taken in so.
fn people_of(folder: &Folder, url: &str, draw: &[&str], merge: &[&str]) -> String {
    let (code, said) = folder.run(url, &[&["sample", "toy.yaml"], draw].concat());
    assert!(code == 0 && said.contains("30 of 30 queries drawn by seed 1"), "{said}");
    let grade = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let text = line["document_text"].as_str().unwrap();
        let grade =
            match text.split_once("Claim:\n").map(|(_, rest)| rest.split_once("\n\nContexts:\n").unwrap()) {
                // A claim that does not end as a sentence is none to people.
                Some((claim, contexts)) if contexts.contains(claim) && claim.ends_with('.') => 2,
                Some(_) => 1,
                None => {
                    let most = line["scale"].as_array().map_or(3, |words| words.len() - 1);
                    text.matches('x').count().min(most)
                }
            };
        line["grade"] = json!(grade);
        format!("{line}\n")
    };
    let graded: String = said.lines().filter(|line| line.starts_with('{')).map(grade).collect();
    folder.write("anna.jsonl", &graded);
    let (code, said) = folder.run(url, &[&["sample", "toy.yaml", "--merge", "anna.jsonl"], merge].concat());
    assert_eq!(code, 0, "{said}");
    said
}

#[test]
fn people_judge_until_the_verdict_is_there() {
    let folder = folder(RANKED, |at| format!("Fee {at} is due."));
    let (url, _) = serve(|_, prompt| completion(Shape::Ollama, &rules(prompt), "stop"));
    let (code, said) = folder.judge(&url, &[]);
    assert_eq!(code, 0, "{said}");
    let said = people_of(&folder, &url, &["--until"], &["--until"]);
    assert!(said.contains("after 30 of 30 queries:\n"), "{said}");
    assert!(
        said.contains("  passes  toy::new::nDCG@1\n") && said.contains("  fails   toy::bad::nDCG@1\n"),
        "{said}"
    );
    assert!(said.trim_end().ends_with("the verdict is there: people can stop"), "{said}");
    // A size is for samples that do not grow.
    let (code, said) = folder.run(&url, &["sample", "toy.yaml", "--queries", "20"]);
    assert!(
        code == 2 && said.contains("the sample grows until the verdict is there, by `--until`"),
        "{said}"
    );
}

const RANKED: &str = "thresholds:\n- {metrics: [ContextShare@1, nDCG@1, ContextRelevance@1], min: 0.5, judged: corrected}\n\
                      - {metric: Faithfulness, min: 0.5, judged: corrected, for: [old, new]}";

#[test]
fn the_worst_retriever_fails_and_the_best_one_passes_where_nobody_judged_a_document() {
    let folder = folder(RANKED, |at| format!("Fee {at} is due."));
    // Every reply stands in a fence.
    let (url, _) =
        serve(|_, prompt| completion(Shape::Ollama, &format!("```json\n{}\n```", rules(prompt)), "stop"));
    let (code, said) = folder.judge(&url, &[]);
    assert!(code == 0 && !said.contains("unparseable"), "{said}");
    people(&folder, &url);
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    assert_eq!(code, 1, "{said}");
    let said = flat(&said);
    for metric in ["ContextShare@1", "nDCG@1", "ContextRelevance@1"] {
        // Of thirty scores that are all the same: .025^(1/30), the limit of Clopper and Pearson.
        for (name, verdict) in [
            ("old", "1.000 [0.884, 1.000] >= 0.5000"),
            ("bad", "0.000 [0.000, 0.116] < 0.5000"),
            ("none", "0.000 [0.000, 0.116] < 0.5000"),
        ] {
            let word = if name == "old" { "PASSED" } else { "FAILED" };
            assert!(said.contains(&format!("{word} {name}::{metric} {verdict}")), "{name} {metric}: {said}");
        }
    }
    assert!(said.contains("PASSED old::Faithfulness 1.000 [0.884, 1.000] >= 0.5000"), "{said}");
    assert!(!said.contains("nothing to find") && !said.contains("ERRORED"), "{said}");
}

#[test]
fn lint_and_run_agree_on_a_collection_that_nobody_judged() {
    let folder = folder(RANKED, |at| format!("Fee {at} is due."));
    let (_, said) = folder.run("", &["lint", "toy.yaml"]);
    for code in ["answers-to-unknown-queries", "no-judgments", "judged-thinly"] {
        assert!(!said.contains(code), "{said}");
    }
    // What nobody asked is named all the same.
    let answers = folder.read("new.jsonl") + "{\"query\": \"q99\", \"answer\": \"\", \"contexts\": []}\n";
    folder.write("new.jsonl", &answers);
    let (_, said) = folder.run("", &["lint", "toy.yaml"]);
    assert!(
        flat(&said).contains("1 answer is to a query that the collection does not have: it counts nowhere"),
        "{said}"
    );
    // And a gate on people's judgments has none.
    let spec = folder.read("toy.yaml").replace(
        "[ContextShare@1, nDCG@1, ContextRelevance@1], min: 0.5, judged: corrected",
        "[nDCG@1], min: 0.5",
    );
    folder.write("toy.yaml", &spec);
    let (_, said) = folder.run("", &["lint", "toy.yaml"]);
    assert!(said.contains("no-judgments"), "{said}");
}

#[test]
fn an_advisory_gate_that_nobody_judged_changes_no_status_beside_a_blocking_one() {
    let advisory =
        "thresholds: [{metric: AnswerRelevance, min: 0.5, judged: raw, level: advisory, for: new}]";
    let blocking = "comparisons: [{candidate: new, baseline: old, expect: identical}]";
    let answer = |at| format!("Fee {at} is due.");
    for (gates, filter, code) in [
        (format!("{advisory}\n{blocking}"), None, 0),
        // Nothing is measured: neither where there is no other gate, nor where none is selected.
        (advisory.to_owned(), None, 2),
        (format!("{advisory}\n{blocking}"), Some("AnswerRelevance"), 2),
    ] {
        let folder = folder(&gates, answer);
        let mut arguments = vec!["run", "toy.yaml", "--junit", "junit.xml"];
        arguments.extend(filter.into_iter().flat_map(|filter| ["--filter", filter]));
        let (ended, said) = folder.run("", &arguments);
        assert!(ended == code && said.contains("ERRORED"), "{gates}: {said}");
        assert!(flat(&said).contains("30 of 30 answers have no judgment by answer-relevance-"), "{said}");
        // CI systems that read JUnit fail a build by what it calls an error.
        let junit = folder.read("junit.xml");
        let [skipped, error] = ["<skipped", "<error"].map(|tag| junit.contains(tag));
        assert_eq!((skipped, error), (code == 0, code == 2), "{junit}");
    }
}

/// Thirty old answers are not polite, thirty new ones are, by a criterion of two words.
#[test]
fn a_criterion_of_the_spec_is_asked_graded_by_people_and_gated() {
    let gates = "thresholds: [{metric: Criterion(polite), min: 0.5, judged: corrected, for: [old, new]}]";
    let folder = folder(gates, |at| format!("Fee {at} is due, xxx."));
    let criteria =
        "  humans: judged/people.jsonl\n  criteria: {polite: {question: Is it polite?, scale: [no, yes]}}\n";
    let spec = folder.read("toy.yaml").replace("  humans: judged/people.jsonl\n", criteria);
    folder.write("toy.yaml", &spec);
    let (_, said) = folder.run("", &["lint", "toy.yaml"]);
    assert!(flat(&said).contains("1 criterion has no example of its worst word"), "{said}");
    let (url, seen) = serve(|_, prompt| completion(Shape::Vllm, &rules(prompt), "stop"));
    let (code, said) = folder.judge(&url, &[]);
    // Two queries' answers that order their grade, twice each.
    assert!(code == 0 && said.contains("64 judgments by polite-") && said.contains("64 graded"), "{said}");
    assert_eq!(seen.lock().unwrap().len(), 64);
    let (_, said) = folder.run(&url, &["sample", "toy.yaml", "--queries", "30"]);
    assert!(said.contains("\"scale\":[\"no\",\"yes\"]"), "{said}");
    let (_, said) = folder.run(&url, &["sample", "toy.yaml", "--page", "label.html"]);
    assert!(said.contains("60 documents to judge on label.html"), "{said}");
    assert!(
        folder.read("label.html").contains("id=\"grade-1\"")
            && !folder.read("label.html").contains("id=\"grade-2\"")
    );
    people(&folder, &url);
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    let told = flat(&said);
    assert_eq!(code, 1, "{said}");
    assert!(told.contains("FAILED old::Criterion%28polite%29 0.000 [0.000, 0.116] < 0.5000"), "{said}");
    assert!(told.contains("PASSED new::Criterion%28polite%29 1.000 [0.884, 1.000] >= 0.5000"), "{said}");
    let (code, said) = folder.judge(&url, &["--check", "--require-probes"]);
    assert!(code == 0 && said.contains("grades       30 no, 30 yes"), "{said}");
    assert!(said.contains("an answer that orders its own grade      2      0"), "{said}");
    let (_, said) = folder.judge(&url, &["--check", "--format", "json"]);
    assert!(said.contains("\"criterion\": \"polite\""), "{said}");

    // A program is told the criterion.
    let program = "import json, sys\nsys.stdin.readline()\nprint(json.dumps({'rankgate': 1}), flush=True)\n\
                   for line in sys.stdin:\n    asked = json.loads(line)\n    \
                   print(json.dumps({'id': asked['id'], 'grade': int(asked['criterion'] == 'polite')}), flush=True)\n";
    folder.write("judge.py", program);
    let spec = folder.read("toy.yaml").replace("endpoint: '${JUDGE_URL}'", "command: [python3, judge.py]");
    folder.write("toy.yaml", &spec.replace("model: rules-1", "model: program-1"));
    let (code, said) = folder.judge("", &[]);
    assert!(code == 0 && said.contains("64 judgments by polite-"), "{said}");
}

const CLAIMS: &str = "thresholds: [{metric: Faithfulness, min: 0.5, judged: corrected, for: new}]";

#[test]
fn a_message_names_the_judge_that_gave_nothing_and_what_an_unmarked_refusal_needs() {
    let answer = |at: usize| {
        if at.is_multiple_of(5) { "I do not know.".to_owned() } else { format!("Fee {at} is due.") }
    };
    let unread = folder(CLAIMS, answer);
    let (url, _) = serve(|number, prompt| match prompt.starts_with("List the claims") && number % 4 == 1 {
        true => completion(Shape::OpenAi, &format!("Sure: {}", rules(prompt)), "stop"),
        false => completion(Shape::OpenAi, &rules(prompt), "stop"),
    });
    // What finds claims was asked nothing yet: that one is missing, and not the one that judges them.
    let (code, said) = unread.run(&url, &["run", "toy.yaml"]);
    assert!(code == 2 && flat(&said).contains("30 of 30 claims have no judgment by claims-"), "{said}");
    assert!(!said.contains("judgment by support-"), "{said}");
    let (_, said) = unread.judge(&url, &["--concurrency", "1"]);
    assert!(said.contains(" by claims-"), "{said}");
    let (code, said) = unread.run(&url, &["run", "toy.yaml"]);
    let said = flat(&said);
    assert!(
        code == 2
            && said.contains(
                "6 of 30 claims have no verdict, more than 0.02 of them (`abstain-at-most`): claims-"
            ),
        "{said}"
    );
    assert!(said.contains("found no claim in 6 texts, such as `I do not know.` of query `q0`"), "{said}");
    assert!(
        said.contains("an answer that says it does not know is marked with `\"declined\": true`"),
        "{said}"
    );
    assert!(!said.contains("support-"), "{said}");

    // Marked, they are apart.
    let marked = unread.read("new.jsonl").replace("I do not know.\"", "I do not know.\",\"declined\":true");
    unread.write("new.jsonl", &marked);
    people(&unread, &url);
    let (_, said) = unread.run(&url, &["run", "toy.yaml"]);
    assert!(
        flat(&said).contains("PASSED new::Faithfulness") || flat(&said).contains("24 of these queries"),
        "{said}"
    );

    let unread = folder(CLAIMS, |at| format!("Fee {at} is due."));
    let (url, _) =
        serve(|_, prompt| match prompt.starts_with("List the claims") && prompt.contains("question 7\n") {
            true => completion(Shape::OpenAi, "No.", "stop"),
            false => completion(Shape::OpenAi, &rules(prompt), "stop"),
        });
    unread.judge(&url, &[]);
    let (_, said) = unread.run(&url, &["run", "toy.yaml"]);
    let said = flat(&said);
    assert!(
        said.contains("claims-") && said.contains("gave no grade to 1 of 30 claims, more than 0.02"),
        "{said}"
    );
    assert!(said.contains("--retry unparseable` asks again"), "{said}");
}

#[test]
fn a_drop_that_people_alone_see_names_their_claims_and_every_query_has_both_scores() {
    let gates = "segments: [half]\nthresholds:\n- {metric: Faithfulness, min: 0.5, judged: corrected, for: bad}\n\
                 - {metric: ContextShare@1, min: 0.5, judged: corrected, for: [old, new]}\n\
                 - {metric: Faithfulness, min: 0.9, judged: corrected, for: new, segment: {half: odd}}\n\
                 comparisons:\n- {candidate: new, baseline: old, metrics: [Faithfulness], expect: no-regression, judged: corrected}";
    // The judge takes half a sentence for a claim that its context supports.
    let answer = |at: usize| format!("Fee {at} is due{}", if at.is_multiple_of(2) { "" } else { "." });
    let folder = folder(gates, answer);
    let (url, _) = serve(|_, prompt| completion(Shape::OpenAi, &rules(prompt), "stop"));
    assert_eq!(folder.judge(&url, &[]).0, 0);
    people(&folder, &url);
    let (code, said) = folder.run(&url, &["run", "toy.yaml", "--output", "out"]);
    let said = flat(&said);
    assert!(code == 1 && said.contains("FAILED new-vs-old::Faithfulness -0.5000"), "{said}");
    assert!(said.contains("by people, of the drawn queries: 15 queries worse, 0 better; by the judge, of all: 0 queries worse than old"), "{said}");
    assert!(said.contains("on 15 claims of the drawn queries people say something else than the judge: q0 \"Fee 0 is due\" (new): people unsupported, the judge supported"), "{said}");
    // What the judge wrote stands beside the answers that score lowest.
    assert!(said.contains("\"Fee 0 is due.\" unsupported the judge: Word by word."), "{said}");

    // A segment counts its own claims.
    assert!(
        said.contains("INCONCLUSIVE new::Faithfulness[half=odd]")
            && said.contains("new: 15 judged items: 15 supported"),
        "{said}"
    );

    let csv = folder.read("out/toy/report.csv");
    assert!(csv.starts_with("configuration,query,metric,judged,score,ceiling\n"), "{csv}");
    for line in [
        "new,q0,Faithfulness,model,1,\n",
        "new,q0,Faithfulness,people,0,\n",
        "new,q1,Faithfulness,people,1,\n",
        "bad,q1,Faithfulness,model,0,\n",
        "old,q7,ContextShare@1,model,1,\n",
        "old,q7,ContextShare@1,people,1,\n",
    ] {
        assert!(csv.contains(line), "{line}{csv}");
    }
    // Nobody judged a document: the collection's own judgments give no score, and no 0 either.
    assert!(!csv.contains(",base,"), "{csv}");
    let report: Value = serde_json::from_str(&folder.read("out/toy/report.json")).unwrap();
    let new = report["configurations"].as_array().unwrap().iter().find(|one| one["name"] == "new").unwrap();
    let query = &new["outcome"]["measured"]["queries"][0];
    assert_eq!(query["judged"]["Faithfulness"], json!({"model": 1.0, "people": 0.0}), "{query}");
    let page = folder.read("out/toy/report.html");
    for told in [
        "Faithfulness by the judge",
        "Faithfulness by people",
        "ContextShare@1 by the judge",
        "Word by word.",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

/// The program that docs/rag.md shows answers each kind of question.
#[test]
fn the_judge_of_the_page_about_answers_runs() {
    let page = include_str!("../../../../docs/rag.md");
    let program = page.split("```python\n").find(|part| part.starts_with("import json, sys")).unwrap();
    let folder = folder(
        "thresholds: [{metrics: [Faithfulness, AnswerRelevance], min: 0.5, judged: corrected, for: new}]",
        |at| format!("Fee {at} is due. It is blue."),
    );
    folder.write("judge.py", program.split("```").next().unwrap());
    let spec = folder.read("toy.yaml").replace("endpoint: '${JUDGE_URL}'", "command: [python3, judge.py]");
    folder.write("toy.yaml", &spec);
    let (code, said) = folder.judge("", &[]);
    assert!(code == 0 && said.contains(" by claims-") && said.contains(" by answer-relevance-"), "{said}");
    // Nobody reads a prompt, and no tokens are told.
    assert!(!said.contains("token"), "{said}");
    let verdicts: Vec<String> = folder
        .items()
        .iter()
        .filter(|item| item["judge"].as_str().unwrap().starts_with("support-"))
        .filter(|item| !item["document"].as_str().unwrap().contains(":probe:"))
        .flat_map(|item| item["claims"].as_array().unwrap().clone())
        .map(|claim| claim["verdict"].as_str().unwrap().to_owned())
        .collect();
    let count = |word: &str| verdicts.iter().filter(|verdict| *verdict == word).count();
    assert_eq!((count("supported"), count("unsupported")), (QUERIES, QUERIES));
}

#[test]
fn one_command_asks_about_single_contexts_where_claims_are_wrong() {
    let gates = "thresholds:\n- {metrics: [NoiseSensitivityInRelevant, NoiseSensitivityInIrrelevant], max: 0.1, judged: raw, \
                 level: advisory, for: new}\n\
                 - {metric: ContextUtilization, min: 0.9, judged: raw, level: advisory, for: new}";
    let folder = folder(gates, |_| String::new());
    let with_reference = |(at, line): (usize, &str)| {
        let mut query: Value = serde_json::from_str(line).unwrap();
        query["metadata"]["reference"] = json!([format!("Fee {at} is due.")]);
        format!("{query}\n")
    };
    let queries = folder.read("toys/queries.jsonl");
    folder.write("toys/queries.jsonl", &queries.lines().enumerate().map(with_reference).collect::<String>());
    let answer = |at: usize| {
        let contexts = json!([format!("right{at}"), format!("wrong{at}")]);
        let answer = format!("Fee {at} is due. Nothing of it.");
        json!({"query": format!("q{at}"), "answer": answer, "contexts": contexts}).to_string() + "\n"
    };
    folder.write("new.jsonl", &(0..QUERIES).map(answer).collect::<String>());
    let (url, seen) = serve(|_, prompt| completion(Shape::Ollama, &rules(prompt), "stop"));
    let (code, said) = folder.judge(&url, &[]);
    assert_eq!(code, 0, "{said}");
    // Claims; by the reference, by the contexts, and the reference's by these and by the answer; whether each context is relevant,
    // and what each says of the answer's claims. Four probes of texts, four of
    // claims.
    assert_eq!(seen.lock().unwrap().len(), QUERIES * (1 + 4 + 2 + 2) + 4 + 4, "{said}");
    let (_, said) = folder.run(&url, &["run", "toy.yaml"]);
    let said = flat(&said);
    for value in [
        "NoiseSensitivityInRelevant 0.0000",
        "NoiseSensitivityInIrrelevant 0.5000",
        "ContextUtilization 1.0000",
    ] {
        assert!(said.contains(value), "{value}\n{said}");
    }
    let (code, said) = folder.judge(&url, &[]);
    assert!(code == 0 && said.contains("nothing is asked"), "{said}");
}

#[test]
fn answers_that_leave_nothing_to_ask_are_no_missing_documents() {
    let gates = "thresholds:\n- {metric: Faithfulness, min: 0.5, judged: raw, level: advisory, for: new}";
    let folder = folder(gates, |_| String::new());
    let declined = |at: usize| {
        json!({"query": format!("q{at}"), "answer": "I do not know.", "declined": true, "contexts": []})
            .to_string()
            + "\n"
    };
    folder.write("new.jsonl", &(0..QUERIES).map(declined).collect::<String>());
    let (url, seen) = serve(|_, prompt| completion(Shape::Ollama, &rules(prompt), "stop"));
    for more in [&[][..], &["--dry-run"]] {
        let (_, said) = folder.judge(&url, more);
        assert!(said.contains("nothing to ask: gates need no verdict of the judge"), "{said}");
        assert!(!said.contains("no documents"), "{said}");
    }
    assert_eq!(seen.lock().unwrap().len(), 0);
}
