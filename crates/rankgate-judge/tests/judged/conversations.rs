//! Turns of conversations: what a judge is shown of a query, and for what its judgments hold.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::Verdict;
use rankgate::judge::sha256;
use rankgate_judge::Assessment;
use serde_json::json;

use crate::rag::{ask, open, run};

const CONVERSATIONS: usize = 40;

/// Conversations of two turns with answers of one claim, which their context holds; the first one's first turn was answered so.
fn write(folder: &Path, first: &str) {
    let (mut queries, mut answers) = (String::new(), String::new());
    for conversation in 0..CONVERSATIONS {
        for turn in 1..=2 {
            let id = format!("c{conversation:02}-{turn}");
            let said = if (conversation, turn) == (0, 1) { first } else { "It is due." };
            let query = json!({
                "id": id, "text": format!("turn {turn} of {conversation}"), "talk": format!("c{conversation:02}"), "turn": turn,
                "said": said, "judgments": {format!("d{conversation}"): 1},
            });
            queries += &format!("{query}\n");
            let claim = format!("fee {turn} of {conversation} is due.");
            let contexts = json!([{ "id": format!("d{conversation}"), "text": claim }]);
            answers += &format!("{}\n", json!({ "query": id, "answer": claim, "contexts": contexts }));
        }
    }
    std::fs::write(folder.join("turns.jsonl"), queries).unwrap();
    std::fs::write(folder.join("answers.jsonl"), answers).unwrap();
    let spec = "version: 1
benchmark: toy
collection: {jsonl: turns.jsonl, turns: {conversation: talk, answer: said}}
configurations: {mine: {answers: answers.jsonl}}
judge: {model: tiny, judgments: judged.jsonl, humans: humans.jsonl}
thresholds: [{metric: Faithfulness, min: 0.5, judged: corrected}]
";
    std::fs::write(folder.join("toy.yaml"), spec).unwrap();
}

#[test]
fn a_judgment_holds_for_the_conversation_that_it_was_given_for() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "It is due.");
    let benchmark = open(folder.path());
    let questions = Assessment::new(&benchmark).all_questions().unwrap();
    let second = questions[0].pairs.iter().find(|pair| pair.query.id == "c07-2").unwrap();
    let request = second.request(&questions[0].judge).body.to_string();
    let shown = "user: turn 1 of 7\\nassistant: It is due.\\n\\nThe query:\\nturn 2 of 7";
    assert!(request.contains(shown), "{request}");

    assert!(ask(folder.path()) > 4 * CONVERSATIONS);
    // Groups are drawn, and people judge what the judge was shown.
    let people = Assessment::new(&open(folder.path())).draw_sample(Some(30), None).unwrap();
    assert_eq!(people.pairs.len(), 2 * 30);
    let line = |pair: &rankgate::judge::Pair| {
        let line = json!({
            "query": pair.query.id, "document": pair.document.id, "grade": 2,
            "query_sha256": sha256(pair.query.in_conversation().as_bytes()),
            "document_sha256": sha256(pair.document.text.as_bytes()),
        });
        format!("{line}\n")
    };
    let said: String = people.pairs.iter().map(line).collect();
    Assessment::new(&open(folder.path())).merge_grades(&[("anna.jsonl".into(), said)]).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Passed, "{message}");

    // Another answer to a first turn is another question about the second: what claims there are, and which are supported.
    write(folder.path(), "It is not due.");
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("1 of 80 claims has no judgment"), "{message}");
    assert_eq!(ask(folder.path()), 2);
}
