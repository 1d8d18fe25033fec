//! Who answers: pipelines that answer with their rankings, services and Rust that answer with given contexts.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use rankgate::benchmark::Registry;
use rankgate::benchmark::model::{Finding, GateReport, ShownAnswer, Verdict};
use rankgate::rag::{Answer, Answerer, Context};
use rankgate::standalone::Standalone;
use rankgate::{BoxError, Document, Hit, Query, Retriever};
use serde_json::{Value, json};

use super::rag::{QUERIES, ask, people, registry, run};
use super::rag_pipeline::pipeline_of;
use super::server::{JSON, Server};

/// Repeats its contexts, and where the prompt allows it claims of most queries what no context says.
struct Repeats(String);

/// The answer to a query with these contexts and this prompt.
fn repeated(query: &str, contexts: &[&str], prompt: &str) -> String {
    let number: usize = query[1..].parse().unwrap();
    let invented =
        if prompt.contains("invent") && !number.is_multiple_of(3) { " anything goes." } else { "" };
    contexts.join(" ") + invented
}

impl Answerer for Repeats {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        let texts: Vec<&str> = contexts.iter().map(|context| context.text.as_str()).collect();
        Ok(Answer::new(repeated(&query.id, &texts, &self.0)))
    }
}

/// A whole pipeline: finds the document of a query, and answers with its text.
#[derive(Default)]
struct Pipeline(Mutex<BTreeMap<String, Answer>>);

impl Retriever for Pipeline {
    fn retrieve(&self, query: &Query, _depth: usize) -> Result<Vec<Hit>, BoxError> {
        let number: usize = query.id[1..].parse()?;
        let answer =
            Answer::new(format!("fee {number} is due.")).with_contexts([Context::new(format!("d{number}"))]);
        self.0.lock().unwrap().insert(query.id.clone(), answer);
        Ok(vec![Hit::new(format!("d{number}"), 1.0), Hit::new(format!("x{number}"), 0.5)])
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Says what its contexts say, and each second time to each query something else.
#[derive(Default)]
struct Varies(Mutex<BTreeMap<String, usize>>);

impl Answerer for Varies {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        let mut asked = self.0.lock().unwrap();
        let times = asked.entry(query.id.clone()).or_default();
        *times += 1;
        let text = if times.is_multiple_of(2) { "ask somebody else." } else { &*contexts[0].text };
        Ok(Answer::new(text))
    }
}

pub(crate) fn register(registry: &mut Registry) {
    registry.answerers.register("varies", |_| Ok(Varies::default())).unwrap();

    let repeats = |prompt: Option<&str>| Ok(Repeats(prompt.unwrap_or_default().to_owned()));
    registry.answerers.register("repeats", repeats).unwrap();
    registry.retrievers.register("pipeline", |_| Ok(Pipeline::default())).unwrap();
}

/// A service that answers as `Repeats` does.
fn service() -> Server {
    Server::answering(|request| {
        let body = &request.body;
        let contexts = body["contexts"].as_array().unwrap();
        let contexts: Vec<&str> = contexts.iter().map(|one| one["text"].as_str().unwrap()).collect();
        let prompt = body["prompt"].as_str().unwrap();
        let answer = repeated(body["id"].as_str().unwrap(), &contexts, prompt);
        (200, JSON, json!({"answer": answer, "usage": {"total_tokens": 7}}).to_string())
    })
}

/// What the second gate says once the pipeline is another than when it was blessed; nothing where nothing is blessed.
fn broken(answerer: &str, (good, prompt): (bool, &str)) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    pipeline_of(folder.path(), (true, answerer, "Repeat the pages."));
    let blessing = Standalone::new().registry(registry()).bless().ok()?; // on a CI machine nothing is blessed
    let blessed = blessing.open(folder.path().join("toy.yaml")).unwrap().run();
    assert!(!blessed.blessings.is_empty(), "{:?}", blessed.gates);
    ask(folder.path());
    people(folder.path(), 40);
    let passing = run(folder.path());
    assert!(passing.iter().all(|(gate, _)| gate.verdict == Verdict::Passed), "{}", passing[0].1);
    pipeline_of(folder.path(), (good, answerer, prompt));
    ask(folder.path());
    people(folder.path(), 40);
    let (gate, message) = run(folder.path()).remove(1);
    assert_eq!(gate.verdict, Verdict::Failed, "{message}");
    Some(message)
}

#[test]
fn a_service_is_asked_again_with_the_blessed_contexts() {
    let server = service();
    let answerer = format!("http: {{url: '{}/answer', headers: {{X-Team: search}}}}", server.url());
    let Some(message) = broken(&answerer, (false, "Repeat the pages.")) else { return };
    assert!(message.contains("retrieval regressed: asked again with the blessed contexts"), "{message}");
    let requests = server.requests();
    let first = json!({
        "id": "q00", "query": "fee 0 is due.", "prompt": "Repeat the pages.",
        "contexts": [{"id": "d0", "title": null, "text": "fee 0 is due."}],
    });
    assert_eq!(requests[0].body, first);
    // The odd queries get other contexts than were blessed, and the blessed ones once more.
    let asked = requests
        .iter()
        .filter(|one| one.body["id"] == "q01")
        .map(|one| one.body["contexts"][0]["id"].clone());
    let asked: Vec<Value> = asked.collect();
    assert!(asked.contains(&json!("x1")) && asked.last() == Some(&json!("d1")), "{asked:?}");
}

#[test]
fn a_service_that_does_not_answer_makes_gates_errored() {
    for (status, body, why) in [
        (200, json!({"text": "x"}), "is not `{\"answer\": \"...\"}`: 12 bytes that"),
        (200, json!({"error": "no model"}), "/answer` says: 10 bytes that"),
        (404, json!({}), "404"),
    ] {
        let server = Server::answering(move |_| (status, JSON, body.to_string()));
        let folder = tempfile::tempdir().unwrap();
        pipeline_of(folder.path(), (true, &format!("http: {{url: '{}/answer'}}", server.url()), "So."));
        limits(folder.path());
        let (gate, message) = run(folder.path()).remove(0);
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        assert!(message.contains("query `q00` has no answer") && flat(&message).contains(why), "{message}");
    }
}

#[test]
fn an_answerer_from_rust_is_asked_again_with_the_blessed_contexts() {
    let Some(message) = broken("name: repeats", (true, "You may invent.")) else { return };
    assert!(message.contains("the prompt regressed: asked again"), "{message}");
    let Some(message) = broken("name: repeats", (false, "Repeat the pages.")) else { return };
    assert!(message.contains("retrieval regressed: asked again"), "{message}");
}

#[test]
fn blessed_answers_that_were_changed_are_no_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("golden/toy/mine.answers.jsonl");
    let bless = |is_good: bool| {
        pipeline_of(folder.path(), (is_good, "name: repeats", "So."));
        let blessing = Standalone::new().registry(registry()).bless().ok()?; // on a CI machine nothing is blessed
        let _ = blessing.open(folder.path().join("toy.yaml")).unwrap().run();
        Some(std::fs::read_to_string(&path).unwrap())
    };
    let Some(blessed) = bless(true) else { return };
    std::fs::remove_dir_all(folder.path().join("golden")).unwrap();
    let Some(other) = bless(false) else { return };
    for (text, why) in [
        // As where blessing was stopped when the run had been written.
        (blessed, "blessed with another golden run than the one beside them"),
        (other.replacen("fee 0", "fee 9", 1), "it was edited, cut or merged"),
    ] {
        std::fs::write(&path, text).unwrap();
        let (gate, message) = run(folder.path()).remove(1);
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        assert!(flat(&message).contains(why) && flat(&message).contains("or bless again"), "{message}");
    }
}

#[test]
fn an_anchor_keeps_the_answers_that_it_was_tagged_with() {
    let folder = tempfile::tempdir().unwrap();
    let tag = |prompt: &str, force: bool| {
        pipeline_of(folder.path(), (true, "name: repeats", prompt));
        let blessing = Standalone::new().registry(registry()).bless().ok()?; // on a CI machine nothing is blessed
        let blessing = if force { blessing.force() } else { blessing };
        let benchmark = blessing.tag("v1").unwrap().open(folder.path().join("toy.yaml")).unwrap();
        let _ = benchmark.run_where(|_| true);
        benchmark.bless_measured().unwrap();
        let refused = benchmark.blessings().iter().any(|blessing| blessing.refused);
        let answers = folder.path().join("golden/toy/mine@v1.answers.jsonl");
        Some((refused, std::fs::read_to_string(answers).unwrap()))
    };
    let Some((refused, tagged)) = tag("So.", false) else { return };
    assert!(!refused && !tag("So.", false).unwrap().0);
    // The same rankings, answered in other words.
    assert_eq!(tag("So, invent.", false).unwrap(), (true, tagged.clone()));
    let (refused, forced) = tag("So, invent.", true).unwrap();
    assert!(!refused && forced != tagged);
}

#[test]
fn an_answerer_that_nobody_registered_is_an_error_of_the_spec() {
    let folder = tempfile::tempdir().unwrap();
    pipeline_of(folder.path(), (true, "name: repeat", "So."));
    let open = |registry: &Registry| {
        rankgate::benchmark::Benchmark::open(folder.path().join("toy.yaml"), registry)
            .err()
            .unwrap()
            .to_string()
    };
    let error = open(&registry());
    assert!(error.contains("no answerer is registered as `repeat`"), "{error}");
    assert!(error.contains("registered are `repeats` and `varies`"), "{error}");
    assert!(open(&Registry::new()).contains("`.answerer(name, ...)`"));
}

/// Puts a limit in the place of the comparison.
fn limits(folder: &Path) {
    let path = folder.join("toy.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, _) = text.split_once("comparisons:").unwrap();
    let limit = "thresholds: [{metric: Faithfulness, min: 0.9, judged: raw, level: advisory}]\n";
    std::fs::write(&path, format!("{head}{limit}")).unwrap();
}

/// The gate on what answers as `source` says, once the judge has been asked.
fn report_and_message(folder: &Path, source: &str) -> (GateReport, String) {
    pipeline_of(folder, (true, "name: repeats", "So."));
    limits(folder);
    let path = folder.join("toy.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once("    run: mine.run\n").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    std::fs::write(&path, format!("{head}    {source}\n{rest}")).unwrap();
    ask(folder);
    run(folder).remove(0)
}

/// Its value, with the answer and the contexts of the first query that it tells of: one that does not score 1.
fn value(gate: &GateReport, message: &str) -> (f64, Option<(String, Vec<String>)>) {
    let Finding::Threshold(finding) = &gate.finding else { panic!("{message}") };
    let answer = finding.movers.losses.first().map(|mover| &mover.answers[0]);
    let contexts = |answer: &ShownAnswer| answer.contexts.iter().map(|one| one.text.clone()).collect();
    (finding.measured.value, answer.map(|answer| (answer.text.clone(), contexts(answer))))
}

/// A message in one line.
fn flat(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_pipeline_from_rust_answers_with_its_rankings() {
    let folder = tempfile::tempdir().unwrap();
    let (gate, message) = report_and_message(folder.path(), "retriever: pipeline");
    assert_eq!(value(&gate, &message), (1.0, None), "{message}");
    // Blessed beside the run, as answers of a file are.
    if let Ok(blessing) = Standalone::new().registry(registry()).bless() {
        let blessed = blessing.open(folder.path().join("toy.yaml")).unwrap().run();
        assert_eq!(blessed.blessings.len(), 1);
        let golden = std::fs::read_to_string(folder.path().join("golden/toy/mine.answers.jsonl")).unwrap();
        assert_eq!(golden.lines().count(), 6 + QUERIES, "{golden}");
        let line = "{\"answer\":\"fee 0 is due.\",\"contexts\":[\"d0\"],\"query\":\"q00\"}";
        assert_eq!(golden.lines().nth(6), Some(line));
    }
    std::fs::write(folder.path().join("a.jsonl"), "{\"query\": \"q00\", \"answer\": \"x\"}\n").unwrap();
    for (also, what) in
        [("answers: a.jsonl", "`answers:`, a file of them"), ("answerer: {name: repeats}", "an `answerer`")]
    {
        let (gate, message) = report_and_message(folder.path(), &format!("retriever: pipeline\n    {also}"));
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        let why = format!("mine has {what}, and its reply to query `q00` has an answer, too");
        assert!(flat(&message).contains(&why), "{message}");
    }
}

/// Puts a limit on consistency in the place of that on faithfulness.
fn limit_consistency(folder: &Path) {
    let path = folder.join("toy.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("Faithfulness, min: 0.9", "AnswerConsistency, min: 0.4")).unwrap();
}

#[test]
fn an_answerer_answers_as_often_as_it_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let told = |answerer: &str| {
        pipeline_of(folder.path(), (true, answerer, "So."));
        limits(folder.path());
        limit_consistency(folder.path());
        ask(folder.path());
        run(folder.path()).remove(0)
    };
    // Of the two repeats of each answer the second says the same.
    let (gate, message) = told("name: varies, repeats: 3");
    assert_eq!(value(&gate, &message).0, 0.5, "{message}");
    assert!(flat(&message).contains("mine: 120 judged items: 60 supported, 60 unsupported"), "{message}");
    let (gate, message) = told("name: varies");
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(flat(&message).contains("no query was answered more than once"), "{message}");
}

/// A program that ranks and answers, as its argument says.
const PROGRAM: &str = r#"
import json, sys
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
seen = set()
for line in sys.stdin:
    asked = json.loads(line)
    number = int(asked["id"][1:])
    said = {"whole": {"text": asked["text"] + " anything goes.", "contexts": [{"id": "c", "text": asked["text"]}]},
            "text": asked["text"], "varies": asked["text"] if asked["id"] not in seen else "ask somebody else.", "bad": {"txt": "no"}, "none": None}[sys.argv[1]]
    seen.add(asked["id"])
    print(json.dumps({"id": asked["id"], "hits": [f"d{number}"], "answer": said}), flush=True)
"#;

#[test]
fn replies_of_a_program_carry_answers() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return; // as where the examples skip what needs Python
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("program.py"), PROGRAM).unwrap();
    let told =
        |how: &str| report_and_message(folder.path(), &format!("command: [python3, program.py, {how}]"));
    let text = "fee 0 is due.".to_owned();
    let (gate, message) = told("whole");
    let first = Some((format!("{text} anything goes."), vec![text]));
    assert_eq!(value(&gate, &message), (0.5, first), "{message}");
    let (gate, message) = told("text");
    assert_eq!(value(&gate, &message), (1.0, None), "{message}");
    let repeats = "command: [python3, program.py, varies]\n    repeats: 2";
    report_and_message(folder.path(), repeats);
    limit_consistency(folder.path());
    ask(folder.path());
    let (gate, message) = run(folder.path()).remove(0);
    // Every second answer to a query is another.
    assert_eq!(value(&gate, &message).0, 0.0, "{message}");
    for (how, why) in [
        ("bad", "`answer` is neither a text nor"),
        ("none", "mine gives no answers: not one of its replies has one"),
    ] {
        let (gate, message) = told(how);
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        assert!(flat(&message).contains(why), "{message}");
        assert!(
            how == "none" || message.contains("q00") && flat(&message).contains("{\"txt\":\"no\"}"),
            "{message}"
        );
    }
}

/// An answerer that answers every query, and then ends as its argument says.
const ENDS: &str = r#"
import json, os, sys
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    twice = ', "declined": true, "declined": false' if sys.argv[1] == "twice" else ""
    print(f'{{"id": "{asked["id"]}", "answer": "So."{twice}}}', flush=True)
if sys.argv[1] == "stray":
    print("all done", flush=True)
os._exit(3 if sys.argv[1] == "failing" else 0)
"#;

#[test]
fn an_answerer_is_held_to_all_that_it_writes_and_to_its_end() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return; // as where the examples skip what needs Python
    }
    let folder = tempfile::tempdir().unwrap();
    for (how, why) in [
        ("well", "no judgment by claims-"),
        (
            "failing",
            "the answerer's answers do not count: the program exited (exit status: 3) after all queries were answered",
        ),
        ("stray", "the answerer's answers do not count: the program wrote a line that is not JSON"),
        ("twice", "the program wrote a line that is ambiguous (`declined` occurs twice"),
    ] {
        pipeline_of(folder.path(), (true, &format!("command: [python3, ends.py, {how}]"), "So."));
        std::fs::write(folder.path().join("ends.py"), ENDS).unwrap();
        limits(folder.path());
        let (gate, message) = run(folder.path()).remove(0);
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        assert!(flat(&message).contains(why), "{message}");
    }
}

#[test]
fn replies_of_a_service_carry_answers() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(|request| {
        let text = &request.body["q"];
        let id = format!("d{}", text.as_str().unwrap().split(' ').nth(1).unwrap());
        (
            200,
            JSON,
            json!({"hits": [id], "said": {"text": format!("{} anything goes.", text.as_str().unwrap())}})
                .to_string(),
        )
    });
    let told = |at: &str| {
        let url = server.url();
        let shape = format!("url: '{url}', body: {{q: '{{text}}'}}, hits: /hits, id: '', answer: {at}");
        report_and_message(folder.path(), &format!("http: {{{shape}}}"))
    };
    let text = "fee 0 is due.".to_owned();
    let (gate, message) = told("/said");
    let first = Some((format!("{text} anything goes."), vec![text]));
    assert_eq!(value(&gate, &message), (0.5, first), "{message}");
    let (gate, message) = told("/answer");
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(
        flat(&message).contains("the answer has nothing at `/answer`") && message.contains("q00"),
        "{message}"
    );
}
