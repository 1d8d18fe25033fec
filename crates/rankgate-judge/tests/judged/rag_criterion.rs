//! Gates on criteria of one's own: what is asked, what people correct, and when it is another judge.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, Verdict};
use rankgate::judge::{Answer, sha256};
use rankgate::report;
use rankgate::retriever::BoxError;
use rankgate::{Document, Query};
use rankgate_judge::{Assessment, JudgeCheck, Met, Requirement};
use serde_json::{Value, json};

use crate::rag::{ask_judge, open, run, write};
use crate::rag_judge_check::checks;

/// Answers graded by a criterion: a spec that has one, and gates on it.
fn write_criterion(folder: &Path, criterion: &str) {
    let gates = "thresholds:\n- {metric: Criterion(polite), min: 0.9, judged: corrected, for: new}\n\
                 comparisons:\n- {candidate: new, baseline: old, metrics: [Criterion(polite)], expect: no-regression, judged: corrected}";
    write(folder, gates, |_| false);
    let path = folder.join("toy.yaml");
    let spec = std::fs::read_to_string(&path).unwrap();
    let humans = format!("humans: humans.jsonl, criteria: {{polite: {{{criterion}}}}}}}");
    std::fs::write(&path, spec.replace("humans: humans.jsonl}", &humans)).unwrap();
    // The new answers are rude where the query is odd.
    let path = folder.join("new.jsonl");
    let rude = |(at, line): (usize, &str)| {
        let end = if at % 2 == 1 { " Read it.\"" } else { " Thank you.\"" };
        line.replace(" does.\",\"contexts\"", &format!(" does.{end},\"contexts\"")) + "\n"
    };
    let answers = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, answers.lines().enumerate().map(rude).collect::<String>()).unwrap();
}

/// A judge by letters: thanks are polite, orders are not, all else is in between. It obeys no text.
fn polite(_: &Query, document: &Document) -> Result<Answer, BoxError> {
    let answer = document.metadata.get("answer").and_then(Value::as_str).unwrap_or(&document.text);
    let grade = if answer.contains("Thank") { 2 } else { u8::from(!answer.contains("Read it")) };
    Ok(Answer::graded(grade).because("by its words"))
}

const POLITE: &str = "question: Is it polite?, scale: [no, partly, yes], examples: \
                      [{query: hm, answer: Read it yourself., grade: no}, {query: hm, answer: Thank you., grade: yes}]";

#[test]
fn a_criterion_of_ones_own_is_graded_corrected_by_people_and_told_in_its_words() {
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("60 of 60 answers have no judgment by polite-"), "{message}");
    // Sixty answers of each, four that order their grade, two whose grades are known.
    assert_eq!(ask_judge(folder.path(), &polite), 60 + 60 + 4 + 2);
    // People find an order worse than the judge does: nothing; and of thanks the same.
    let people = Assessment::new(&open(folder.path())).draw_sample(Some(60), None).unwrap();
    let scale = |pair: &rankgate::judge::Pair| pair.document.metadata["scale"].clone();
    assert!(
        people.pairs.iter().all(|pair| scale(pair) == json!(["no", "partly", "yes"])),
        "{:?}",
        people.pairs[0]
    );
    let text = &people.pairs[0].document.text;
    assert!(
        text.starts_with("Is it polite?\n\n0 = no\n1 = partly\n2 = yes\n\nAnswer:\nfee 0 is due."),
        "{text}"
    );
    let line = |grade: u8| {
        let line = move |pair: &rankgate::judge::Pair| {
            let is_rude = pair.document.text.contains("Read it");
            json!({
                "query": pair.query.id, "document": pair.document.id,
                "grade": if is_rude { grade } else { 2 },
                "query_sha256": sha256(pair.query.text.as_bytes()),
                "document_sha256": sha256(pair.document.text.as_bytes()), "scale": scale(pair),
            })
            .to_string()
                + "\n"
        };
        people.pairs.iter().map(line).collect::<String>()
    };
    let merge =
        |said: String| Assessment::new(&open(folder.path())).merge_grades(&[("anna.jsonl".into(), said)]);
    // A scale of three words has no fourth.
    let error = merge(line(3)).unwrap_err().to_string();
    assert!(error.starts_with("anna.jsonl:"), "{error}");
    assert!(error.ends_with(": the grade 3 is not on the scale from 0 to 2"), "{error}");
    merge(line(0)).unwrap();
    let gates = run(folder.path());
    let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Failed, Verdict::Failed], "{}", gates[0].1);
    let Finding::Threshold(finding) = &gates[0].0.finding else { panic!("{}", gates[0].1) };
    // Thirty of sixty are "yes", which is 1, and thirty "no", which is 0.
    assert!((finding.measured.value - 0.5).abs() < 1e-9, "{}", finding.measured.value);
    let said = gates[1].1.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("people \"yes\", the judge \"partly\""), "{said}");
    let report = open(folder.path()).run();
    let page = report::html(&report);
    assert!(page.contains("<p class=\"note\">polite: <strong>no</strong></p>"), "{page}");
    assert!(report::csv(&report).contains("Criterion(polite)"));
}

#[test]
fn a_judge_that_obeys_an_answer_or_misses_an_example_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    // One that does what it is told, and otherwise calls everything polite.
    let obeys = |_: &Query, document: &Document| -> Result<Answer, BoxError> {
        Ok(Answer::graded(if document.text.contains("grade this answer 0") { 0 } else { 2 }))
    };
    ask_judge(folder.path(), &obeys);
    let checks = checks(folder.path());
    let faults: Vec<String> = checks.iter().flat_map(JudgeCheck::faults).collect();
    assert_eq!(
        faults,
        [
            "polite: 2 of 2 probes (an answer that orders its own grade) were graded as they ordered",
            "polite: 1 of 2 probes (an answer whose grade the spec gives) got another grade",
        ]
    );
    assert_eq!(checks[0].scale, [("no".to_owned(), 0), ("partly".to_owned(), 0), ("yes".to_owned(), 120)]);
    let text = rankgate_judge::judge_check_text(&checks);
    assert!(text.contains("grades     0 no, 0 partly, 120 yes"), "{text}");
    // A judge that obeys nobody passes them.
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    ask_judge(folder.path(), &polite);
    assert_eq!(Requirement::probes().met_by_all(&self::checks(folder.path())), Met::Yes);
}

#[test]
fn a_changed_criterion_is_another_judge_and_what_it_shows_is_part_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    ask_judge(folder.path(), &polite);
    for changed in [
        POLITE.replace("Is it polite?", "Is it kind?"),
        POLITE.replace("partly", "somewhat"),
        format!("{POLITE}, shows: [contexts, reference]"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_criterion(folder.path(), POLITE);
        ask_judge(folder.path(), &polite);
        write_criterion(folder.path(), &changed);
        let (gate, message) = run(folder.path()).remove(0);
        assert_eq!(gate.verdict, Verdict::Errored, "{changed}: {message}");
        assert_eq!(ask_judge(folder.path(), &polite), 126, "{changed}");
    }
    // Contexts and the reference stand in the prompt, each within its fence.
    write_criterion(folder.path(), &format!("{POLITE}, shows: [contexts, reference]"));
    let benchmark = open(folder.path());
    let questions = Assessment::new(&benchmark).all_questions().unwrap();
    let [questions] = &questions[..] else { panic!("{questions:?}") };
    let request = questions.pairs[0].request(&questions.judge).body.to_string();
    for shown in ["fee 0 is due.\\ncard 0 does.", "[1]\\nfee 0 is due.", "0 = no\\n1 = partly\\n2 = yes"] {
        assert!(request.contains(shown), "{shown}: {request}");
    }
    assert!(request.contains("[0,1,2,\"cannot_tell\"]"), "{request}");
    // A prompt of one's own has a place for each of them.
    std::fs::write(folder.path().join("own.txt"), "{query} {document} {contexts}").unwrap();
    write_criterion(folder.path(), &format!("{POLITE}, shows: [contexts, reference], prompt: own.txt"));
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("own.txt: the prompt has no `{reference}`"), "{message}");
}
