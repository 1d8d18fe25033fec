//! Answers that are missing, empty or declined, and verdicts that the judge abstained from.

use rankgate::benchmark::model::{Finding, Verdict};
use rankgate::report;
use serde_json::{Value, json};

use crate::rag::{GATES, QUERIES, ask, open, people, run, write};

/// Of the 60 new answers the first six do not decline, and say what their contexts say.
#[test]
fn a_gate_that_rests_on_a_few_answers_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let gates = |evidence: &str| {
        let gate = "metric: Faithfulness, min: 0.9, judged: raw, level: advisory, for: new";
        write(folder.path(), &format!("thresholds:\n- {{{gate}{evidence}}}"), |_| false);
        let path = folder.path().join("new.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let decline = |(number, line): (usize, &str)| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line["declined"] = (number >= 6).into();
            line.to_string() + "\n"
        };
        std::fs::write(&path, text.lines().enumerate().map(decline).collect::<String>()).unwrap();
    };
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    gates("");
    ask(folder.path());
    let report = open(folder.path()).run();
    assert_eq!(report.gates[0].verdict, Verdict::Passed, "{}", report::message(&report, &report.gates[0]));
    let said = "the value rests on 6 queries: left out of new are 54 declined";
    for shown in [report::text(&report), report::markdown(&report)] {
        let shown = flat(shown);
        assert!(shown.contains(said), "{shown}");
    }
    gates(", evidence: {at-least: 0.1}");
    assert_eq!(run(folder.path())[0].0.verdict, Verdict::Passed);
    gates(", evidence: {at-least: 0.2}");
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    let reason = flat(message);
    assert!(
        reason.contains("6 of the 60 queries are in the mean of new: 10%, and 20% is needed"),
        "{reason}"
    );
}

#[test]
fn declined_answers_are_apart_and_abstentions_decide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds: [{metric: Faithfulness, min: 0.9, judged: corrected, for: new}]";
    write(folder.path(), gates, |_| false);
    // Ten decline, and twelve answers have no claim: whether the gate holds depends on what these are taken for.
    let path = folder.path().join("new.jsonl");
    let lines = std::fs::read_to_string(&path).unwrap();
    let lines = lines.lines().enumerate().map(|(at, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if at < 10 {
            line["declined"] = true.into();
        } else if at < 22 {
            line["answer"] = "".into();
        }
        line.to_string() + "\n"
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    ask(folder.path());
    people(folder.path(), 60);
    let allowed = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("abstain-at-most"), "{message}");
    let allowed = allowed.replace("humans.jsonl}", "humans.jsonl, abstain-at-most: 0.5}");
    std::fs::write(folder.path().join("toy.yaml"), allowed).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    for told in [
        "12 without a claim, taken for 0 and for 1",
        "10 declined",
        "12 claims no person judged: at worst none is supported, at best all are",
        "12 answers are without a claim: no person can say whether they are supported",
    ] {
        assert!(message.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{message}");
    }
    let Finding::Bounds(bounds) = &gate.finding else { panic!("{gate:?}") };
    assert_eq!((bounds.queries, bounds.judged_whole, bounds.beyond_people), (50, 38, 12));
    // There is nothing to ask people, and nobody is sent to them.
    assert!(!message.contains("rankgate sample"), "{message}");
}

/// A query that nobody answered is no bad answer: gates on answers need as much evidence as those on rankings.
#[test]
fn a_file_that_lacks_answers_is_missing_evidence_and_no_answer_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds: [{metric: Faithfulness, min: 0.9, judged: corrected, for: new}]\n\
                 comparisons:\n- {candidate: new, baseline: old, metrics: [Faithfulness], expect: no-regression, \
                 judged: corrected}";
    write(folder.path(), gates, |_| false);
    let cut = |name: &str, lines: usize| {
        let path = folder.path().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
    };
    // Forty answers of sixty: the baseline would be worse than it is, and the new ones seem better.
    cut("old.jsonl", 40);
    ask(folder.path());
    people(folder.path(), 60);
    let gates = run(folder.path());
    assert_eq!(gates[0].0.evidence, None, "{}", gates[0].1);
    assert_eq!(gates[1].0.verdict, Verdict::Errored, "{}", gates[1].1);
    let message = gates[1].1.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("old answers 40 of the 60 queries"), "{message}");
    assert!(message.contains("`q40`, `q41`") && message.contains("have old answer them"), "{message}");
    assert!(!message.contains("gave no grade"), "{message}");

    // What is accepted is told.
    cut("new.jsonl", 57);
    let spec = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    let spec = spec.replace("humans.jsonl}", "humans.jsonl, abstain-at-most: 0.1}");
    std::fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    let evidence = gate.evidence.unwrap_or_else(|| panic!("{message}"));
    assert_eq!((evidence.counts[0].there, evidence.counts[0].of), (57, 60), "{message}");
    assert_ne!(gate.verdict, Verdict::Errored, "{message}");
    // Without that the judge is not to blame for them.
    let spec = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    std::fs::write(
        folder.path().join("toy.yaml"),
        spec.replace("abstain-at-most: 0.1", "abstain-at-most: 0"),
    )
    .unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("3 answers are empty"), "{message}");
    assert!(
        message.contains("an empty answer is no claim: mend what left it empty, or mark it with"),
        "{message}"
    );
}

#[test]
fn a_raw_gate_is_open_where_abstentions_decide_it() {
    let folder = tempfile::tempdir().unwrap();
    // All answers of the second half are empty, and have no claim.
    let gates = "thresholds:\n- {metric: Faithfulness, max: 0.6, judged: raw, level: advisory, for: new}\n\
                 - {metric: Faithfulness, min: 0.6, judged: raw, level: advisory, for: new, name: low}\n\
                 - {metric: Faithfulness, min: 0.4, judged: raw, level: advisory, for: new, name: lower}";
    write(folder.path(), gates, |_| false);
    let path = folder.path().join("new.jsonl");
    let lines = std::fs::read_to_string(&path).unwrap();
    let lines = lines.lines().enumerate().map(|(at, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if at >= QUERIES / 2 {
            line["answer"] = "".into();
        }
        line.to_string() + "\n"
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let path = folder.path().join("toy.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("humans.jsonl}", "humans.jsonl, abstain-at-most: 0.5}")).unwrap();
    ask(folder.path());
    let gates = run(folder.path());
    let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Advisory, Verdict::Advisory, Verdict::Passed], "{}", gates[0].1);
    let Finding::Threshold(finding) = &gates[0].0.finding else { panic!("{:?}", gates[0].0) };
    let caution = finding.cautions.last().unwrap();
    assert!(caution.ends_with("counts as the highest, and not as 0: 1.0000, and not 0.5000"), "{caution}");
    assert!(!gates[2].1.contains("the verdict is another"), "{}", gates[2].1);
}

#[test]
fn lint_says_what_counts_nowhere_in_a_file_of_answers() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |_| false);
    let found = || {
        let health = rankgate_health::examine_benchmark(&open(folder.path())).unwrap();
        let of_answers = health
            .findings
            .into_iter()
            .filter(|one| ["answer", "context", "declined"].iter().any(|word| one.code.contains(word)));
        of_answers
            .map(|one| {
                let example = &one.examples[0];
                format!("{} {} {} {}", one.code, one.count, example.id, example.note)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(found(), Vec::<String>::new());
    ask(folder.path());
    let path = folder.path().join("new.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines[0]["query"] = "q99".into();
    lines[1]["contexts"] = json!(["nowhere", {"id": "there", "text": "as it says"}]);
    // One whose claims the judge found, and one of many words.
    lines[2]["declined"] = true.into();
    lines[3]["declined"] = true.into();
    lines[3]["answer"] = "who can say ".repeat(11).into();
    lines[4]["declined"] = true.into();
    lines[4]["answer"] = "I do not know.".into();
    let written: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    std::fs::write(&path, &written).unwrap();
    assert_eq!(
        found(),
        [
            "contexts-without-text 1 new q01 nowhere",
            "answers-to-unknown-queries 1 new q99 ",
            "queries-without-answer 1 new q00 ",
            "declined-with-claims 2 new q02 2 claims on file",
        ]
    );
    // A second line for a query ends the reading, and says where.
    std::fs::write(&path, text.clone() + text.lines().next().unwrap()).unwrap();
    let found = found();
    assert!(found[0].starts_with("answers-unreadable 1 new "), "{found:?}");
    let expected = "new.jsonl:61: query `q00` was answered above already; another answer to the same question has `\"repeat\": 2`";
    assert!(found[0].ends_with(expected), "{found:?}");
}
