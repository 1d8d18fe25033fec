//! Retrieval and answers of one pipeline: the message names the half that broke.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::Verdict;
use serde_json::json;

use crate::rag::{QUERIES, ask, people, run};

/// An answerer that repeats its contexts, and with another prompt claims what no context says.
const ANSWERER: &str = r#"
import json, sys
prompt = json.loads(sys.stdin.readline())["prompt"]
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    cited = [{"sentence": one["text"], "documents": [one["id"]]} for one in asked["contexts"]]
    said = " ".join(one["text"] for one in asked["contexts"])
    # Not of every query: differences that are all the same have no spread to test by.
    if ("careless" in sys.argv or "invent" in prompt) and int(asked["id"][1:]) % 3:
        said += " anything goes."
        cited.append({"sentence": "anything goes.", "documents": []})
    if "uncited" in sys.argv and int(asked["id"][1:]) % 3:
        cited[0]["documents"] = ["elsewhere"]
    print(json.dumps({"id": asked["id"], "answer": said, "citations": cited}), flush=True)
"#;

/// A pipeline of a run and an answerer, blessed; then one half of it breaks.
fn pipeline(folder: &Path, (good, careless, prompt): (bool, &str, &str)) {
    let answerer = format!("command: [python3, answerer.py{careless}]");
    pipeline_of(folder, (good, &answerer, prompt));
}

/// The same with whoever answers.
pub(crate) fn pipeline_of(folder: &Path, (good, answerer, prompt): (bool, &str, &str)) {
    let (mut queries, mut documents, mut run) = (Vec::new(), Vec::new(), String::new());
    for query in 0..QUERIES {
        let id = format!("q{query:02}");
        let text = format!("fee {query} is due.");
        queries.push(
            json!({"id": id, "text": text, "judgments": {format!("d{query}"): 1}, "reference": [text]}),
        );
        documents.push(json!({"id": format!("d{query}"), "text": text}));
        documents.push(json!({"id": format!("x{query}"), "text": format!("card {query} does.")}));
        let first = if good || query % 2 == 0 { "d" } else { "x" };
        run += &format!("{id} Q0 {first}{query} 1 1.0 run\n");
    }
    let collection = json!({ "queries": queries, "documents": documents });
    std::fs::write(folder.join("collection.json"), collection.to_string()).unwrap();
    std::fs::write(folder.join("mine.run"), run).unwrap();
    std::fs::write(folder.join("answerer.py"), ANSWERER).unwrap();
    std::fs::write(folder.join("prompt.txt"), prompt).unwrap();
    let text = format!(
        "version: 1\nbenchmark: toy\ngolden: golden\ncollection: {{json: collection.json}}\n\
         configurations:\n  mine:\n    run: mine.run\n    answerer: {{{answerer}, prompt: prompt.txt}}\n\
         judge: {{model: tiny, judgments: judged.jsonl, humans: humans.jsonl}}\n\
         comparisons:\n- {{candidate: mine, baseline: golden, metrics: [Faithfulness, AnswerCorrectness], expect: no-regression, judged: corrected}}\n"
    );
    std::fs::write(folder.join("toy.yaml"), text).unwrap();
}

#[test]
fn a_message_names_the_half_of_the_pipeline_that_broke() {
    let started = std::process::Command::new("python3").arg("--version").output();
    if !started.is_ok_and(|output| output.status.success()) {
        return; // as where the examples skip what needs Python
    }
    let whole = (true, "", "Repeat the pages.");
    for (broken, faithful, told) in [
        (
            (false, "", "Repeat the pages."),
            Verdict::Passed,
            "retrieval regressed: asked again with the blessed contexts",
        ),
        ((true, ", careless", "Repeat the pages."), Verdict::Failed, "generation regressed: asked again"),
        ((true, "", "You may invent."), Verdict::Failed, "the prompt regressed: asked again"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        pipeline(folder.path(), whole);
        let Ok(blessing) = rankgate::standalone::Standalone::new().bless() else {
            return; // on a CI machine nothing is blessed
        };
        let blessed = blessing.open(folder.path().join("toy.yaml")).unwrap().run();
        assert!(!blessed.blessings.is_empty(), "{:?}", blessed.gates);
        let golden = std::fs::read_to_string(folder.path().join("golden/toy/mine.answers.jsonl")).unwrap();
        assert!(
            golden.starts_with(
                "# rankgate golden answers, version 2\n# benchmark: toy\n# configuration: mine\n"
            ),
            "{golden}"
        );
        ask(folder.path());
        people(folder.path(), 40);
        let passing = run(folder.path());
        assert!(passing.iter().all(|(gate, _)| gate.verdict == Verdict::Passed), "{}", passing[0].1);
        pipeline(folder.path(), broken);
        ask(folder.path());
        people(folder.path(), 40);
        let gates = run(folder.path());
        let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
        assert_eq!(verdicts, [faithful, Verdict::Failed], "{}{}", gates[0].1, gates[1].1);
        assert!(gates[1].1.contains(told), "{}", gates[1].1);
    }
}

#[test]
fn a_message_names_citations_that_broke_while_the_words_stayed() {
    let started = std::process::Command::new("python3").arg("--version").output();
    if !started.is_ok_and(|output| output.status.success()) {
        return; // as where the examples skip what needs Python
    }
    let folder = tempfile::tempdir().unwrap();
    let pipeline = |how: &str| {
        pipeline(folder.path(), (true, how, "Repeat the pages."));
        let path = folder.path().join("toy.yaml");
        let gates = "metrics: [Faithfulness, AnswerCorrectness], expect: no-regression, judged: corrected";
        let cited = "metrics: [CitationPrecision, CitationRecall], expect: no-regression, judged: raw, level: advisory";
        let spec = std::fs::read_to_string(&path).unwrap();
        assert!(spec.contains(gates));
        std::fs::write(path, spec.replace(gates, cited)).unwrap();
    };
    pipeline("");
    let Ok(blessing) = rankgate::standalone::Standalone::new().bless() else {
        return; // on a CI machine nothing is blessed
    };
    let blessed = blessing.open(folder.path().join("toy.yaml")).unwrap().run();
    assert!(!blessed.blessings.is_empty(), "{:?}", blessed.gates);
    ask(folder.path());
    assert!(run(folder.path()).iter().all(|(gate, _)| gate.verdict == Verdict::Passed));
    // Documents that nobody retrieved are cited; the words are those that were blessed.
    pipeline(", uncited");
    ask(folder.path());
    for (gate, message) in run(folder.path()) {
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(gate.verdict, Verdict::Advisory, "{message}");
        let told = "citation regressed: asked again with the blessed contexts, the answers have the blessed words and other \
                    citations, which score 0.3333 by the judge (retrieval +0.0000, citation -0.6667)";
        assert!(message.contains(told), "{message}");
        assert!(message.contains("40 of a document that was not retrieved"), "{message}");
    }
    // Another sentence, which cites nothing, is the generation's.
    pipeline(", careless");
    ask(folder.path());
    let gates = run(folder.path());
    assert_eq!(gates[0].0.verdict, Verdict::Passed, "{}", gates[0].1);
    assert!(gates[1].1.contains("generation regressed: asked again"), "{}", gates[1].1);
}
