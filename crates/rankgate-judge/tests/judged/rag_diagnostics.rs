//! What a generator makes of its contexts, and of being asked again: from files of answers to gates.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, GateReport, Verdict};
use rankgate_judge::Assessment;
use serde_json::json;

use super::rag::{QUERIES, ask, open, people, run, write};

const DIAGNOSED: &str = "thresholds:\n\
    - {metric: ContextUtilization, min: 0.7, judged: raw, level: advisory, for: new}\n\
    - {metrics: [NoiseSensitivityInRelevant, NoiseSensitivityInIrrelevant], max: 0.1, judged: raw, level: advisory, for: new}";

/// Of the even queries a context is left unused, of the odd ones the answer says what an irrelevant context says.
fn diagnosed(folder: &Path) {
    write(folder, DIAGNOSED, |_| false);
    let line = |query: usize| {
        let (fee, card, tax) =
            (format!("fee {query} is due."), format!("card {query} does."), format!("tax {query} falls."));
        let even = query.is_multiple_of(2);
        let (answer, second) = if even { (fee.clone(), card) } else { (format!("{fee} {tax}"), tax) };
        let contexts = json!([{"id": "d", "text": fee}, {"id": "x", "text": second}]);
        json!({"query": format!("q{query:02}"), "answer": answer, "contexts": contexts}).to_string() + "\n"
    };
    std::fs::write(folder.join("new.jsonl"), (0..QUERIES).map(line).collect::<String>()).unwrap();
}

fn value(gate: &GateReport) -> f64 {
    let Finding::Threshold(finding) = &gate.finding else { panic!("{gate:?}") };
    finding.measured.value
}

#[test]
fn what_a_generator_makes_of_its_contexts_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    diagnosed(folder.path());
    ask(folder.path());
    let gates = run(folder.path());
    // By hand: 30 of 60 answers make one of two claims, the others one of one. A half of the claims of 30 of 60 answers is noise.
    let values: Vec<f64> = gates.iter().map(|(gate, _)| value(gate)).collect();
    assert_eq!(values, [0.75, 0.0, 0.25], "{}", gates[2].1);
    let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Passed, Verdict::Passed, Verdict::Advisory], "{}", gates[2].1);
    let message = gates[2].1.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in
        ["new: 90 judged items: 60 supported, 30 wrong and from a context", "\"tax 1 falls.\" noise"]
    {
        assert!(message.contains(expected), "{expected}\n{message}");
    }
    // Nothing is left to ask, and people have nothing to judge: each claim takes several verdicts.
    assert_eq!(ask(folder.path()), 0);
    let people = Assessment::new(&open(folder.path())).draw_sample(Some(40), None).unwrap();
    assert_eq!(people.pairs.len(), 0);
}

#[test]
fn a_diagnosis_blocks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    diagnosed(folder.path());
    let spec = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    let check = |from: &str, to: &str| {
        std::fs::write(folder.path().join("toy.yaml"), spec.replace(from, to)).unwrap();
        let opened =
            rankgate::benchmark::Benchmark::open(folder.path().join("toy.yaml"), &super::rag::registry());
        opened.err().unwrap().to_string()
    };
    let error = check("min: 0.7, judged: raw, level: advisory", "min: 0.7, judged: corrected");
    assert!(
        error.contains("ContextUtilization rests on several verdicts a claim, and people correct one by one"),
        "{error}"
    );
    let error = check("min: 0.7, judged: raw, level: advisory", "min: 0.7");
    assert!(error.contains("write `judged: raw` with `level: advisory` beside it"), "{error}");
    let error = check("max: 0.1", "min: 0.1");
    assert!(error.contains("less of NoiseSensitivityInRelevant is better"), "{error}");
}

#[test]
fn answers_that_differ_from_time_to_time_are_inconsistent() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds:\n- {metric: AnswerConsistency, min: 0.9, judged: corrected, for: new}";
    write(folder.path(), gates, |_| false);
    let path = folder.path().join("new.jsonl");
    let once = std::fs::read_to_string(&path).unwrap();
    let again = |query: usize| {
        let (fee, card) = (format!("fee {query} is due."), format!("card {query} does."));
        let answer = if query.is_multiple_of(2) { format!("{card} {fee}") } else { fee };
        json!({"query": format!("q{query:02}"), "repeat": 2, "answer": answer}).to_string() + "\n"
    };
    let twice = once + &(0..QUERIES).map(again).collect::<String>();
    std::fs::write(&path, &twice).unwrap();
    ask(folder.path());
    people(folder.path(), 40);
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Failed, "{message}");
    let Finding::Threshold(finding) = &gate.finding else { panic!("{message}") };
    // 30 of 60 repeats make one of two claims: .75, corrected by the same of the drawn ones.
    let [low, high] = finding.measured.interval.unwrap();
    assert!(low < 0.75 && 0.75 < high, "{low} {high}");
    assert!(message.contains("new: 120 judged items: 90 supported, 30 unsupported"), "{message}");
    // A query that was answered more often than others cannot be compared with them.
    let more = json!({"query": "q00", "repeat": 3, "answer": "so."}).to_string() + "\n";
    std::fs::write(&path, twice + &more).unwrap();
    ask(folder.path());
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("was answered 2 times, and others 3"), "{message}");
}
