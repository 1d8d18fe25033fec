//! Gates that carry a judge's errors over from claims that people judged to claims of a changed pipeline.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::{CalibratedReport, CorrectedOpen, Finding, GateReport, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::judge::{Answer, Claim, Support, Task, sha256};
use rankgate::report;
use rankgate::retriever::BoxError;
use rankgate::{Document, Query};
use rankgate_judge::{Assessment, Judge, Unusable, judge_check_text};
use serde_json::{Value, json};

const QUERIES: usize = 80;
const CLAIMS: usize = 5;
const DRAWN: usize = 40;

/// A number from 0 to 99 that a text always has.
fn chance(text: &str) -> u64 {
    u64::from_str_radix(&sha256(text.as_bytes())[..8], 16).unwrap() % 100
}

/// Answers whose words are others at each commit; so many of a hundred claims are in their contexts.
fn commit(folder: &Path, name: &str, number: usize, supported: u64) {
    let mut lines = String::new();
    for query in 0..QUERIES {
        let claims: Vec<String> =
            (0..CLAIMS).map(|claim| format!("Version {number} says {claim} of {query} {name}.")).collect();
        let held: Vec<&str> = claims
            .iter()
            .filter(|claim| chance(&format!("held {claim}")) < supported)
            .map(String::as_str)
            .collect();
        let context = json!({"id": format!("c{query}"), "text": format!("Known. {}", held.join(" "))});
        let line =
            json!({"query": format!("q{query:02}"), "answer": claims.join(" "), "contexts": [context]});
        lines += &format!("{line}\n");
    }
    std::fs::write(folder.join(format!("{name}.jsonl")), lines).unwrap();
}

fn write(folder: &Path, gates: &str) {
    let query = |at: usize| json!({"id": format!("q{at:02}"), "text": format!("question {at}"), "judgments": {"d": 1}});
    let queries: Vec<Value> = (0..QUERIES).map(query).collect();
    std::fs::write(folder.join("collection.json"), json!({ "queries": queries }).to_string()).unwrap();
    let text = format!(
        "version: 1\nbenchmark: toy\ncollection: {{json: collection.json}}\n\
         configurations: {{old: {{answers: old.jsonl}}, new: {{answers: new.jsonl}}}}\n\
         judge: {{model: tiny, judgments: judged.jsonl, humans: humans.jsonl}}\n{gates}\n"
    );
    std::fs::write(folder.join("toy.yaml"), text).unwrap();
    commit(folder, "old", 0, 85);
}

/// Whether the contexts hold a claim.
fn holds(claim: &str, contexts: &str) -> bool {
    contexts.contains(claim)
}

/// A judge that says yes to so many of a hundred claims that are there, and to so many that are not.
fn judge(yes: u64, too: u64) -> impl Fn(&Query, &Document) -> Result<Answer, BoxError> + Sync {
    move |_, document| {
        let Some(claims) = document.metadata.get("claims").and_then(Value::as_array) else {
            let sentences = document.text.split_inclusive('.');
            return Ok(Answer::listed(sentences.map(|claim| Claim::found(claim.trim()))));
        };
        let contexts = document.metadata["contexts"].to_string();
        let said = |claim: &Value| {
            let text = claim[1].as_str().unwrap();
            let says_yes = chance(&format!("judge {text}")) < if holds(text, &contexts) { yes } else { too };
            let verdict = if says_yes { Support::Supported } else { Support::Unsupported };
            Claim::with_verdict(claim[0].as_str().unwrap(), verdict, None)
        };
        Ok(Answer::listed(claims.iter().map(said)))
    }
}

fn open(folder: &Path) -> Benchmark {
    Benchmark::open(folder.join("toy.yaml"), &Registry::new()).unwrap()
}

fn ask(folder: &Path, judge: &dyn Judge) {
    loop {
        let benchmark = open(folder);
        let all = Assessment::new(&benchmark).all_questions().unwrap();
        let Some(questions) = all.iter().find(|one| !one.missing.is_empty()) else { return };
        let tally = Assessment::new(&benchmark).ask_own_judge(questions, judge, &|_| {}).unwrap();
        assert!(tally.is_complete(), "{tally:?}");
    }
}

/// People know the truth; they judge all that is left of the drawn queries.
fn people(folder: &Path) -> usize {
    let benchmark = open(folder);
    let people = Assessment::new(&benchmark).draw_sample(Some(DRAWN), None).unwrap();
    let line = |pair: &rankgate::judge::Pair| {
        let (claim, contexts) = pair.document.text.split_once("\n\nContexts:\n").unwrap();
        let claim = claim.split_once("Claim:\n").unwrap().1;
        let line = json!({
            "query": pair.query.id, "document": pair.document.id, "grade": if holds(claim, contexts) { 2 } else { 1 },
            "query_sha256": sha256(pair.query.text.as_bytes()),
            "document_sha256": sha256(pair.document.text.as_bytes()),
        });
        format!("{line}\n")
    };
    let said: String = people.pairs.iter().map(line).collect();
    Assessment::new(&benchmark).merge_grades(&[("anna.jsonl".into(), said)]).unwrap().added
}

fn run(folder: &Path) -> Vec<(GateReport, String)> {
    let report = open(folder).run();
    let message =
        |gate: &GateReport| report::message(&report, gate).split_whitespace().collect::<Vec<_>>().join(" ");
    report.gates.iter().map(|gate| (gate.clone(), message(gate))).collect()
}

fn calibrated(gate: &GateReport) -> &CalibratedReport {
    match &gate.finding {
        Finding::Threshold(finding) => finding.calibrated.as_ref(),
        Finding::Comparison(finding) => finding.calibrated.as_ref(),
        other => panic!("{other:?}"),
    }
    .unwrap()
}

const GATE: &str =
    "thresholds:\n- {metric: Faithfulness, min: 0.7, judged: calibrated, level: blocking, for: new}";

#[test]
fn a_changed_generator_is_blocked_and_passed_by_errors_that_people_measured_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, GATE);
    commit(folder, "new", 1, 80);
    let judge = judge(95, 20);
    ask(folder, &judge);
    let (gate, message) = &run(folder)[0];
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    assert_eq!(people(folder), DRAWN * CLAIMS);
    // What people judged whole is corrected as ever.
    let (gate, message) = &run(folder)[0];
    assert!(message.contains("corrected by people's judgments of 40 of 80"), "{message}");
    assert_eq!(gate.verdict, Verdict::Passed, "{message}");
    // The next commits change every answer, and nobody has judged any of them.
    for (number, supported, expected) in
        [(2, 85, Verdict::Passed), (3, 45, Verdict::Failed), (4, 90, Verdict::Passed)]
    {
        commit(folder, "new", number, supported);
        ask(folder, &judge);
        let (gate, message) = &run(folder)[0];
        assert_eq!(gate.verdict, expected, "{message}");
        let report = calibrated(gate);
        assert_eq!((report.labels, report.labelled, report.units, report.pairs), (200, 40, 80, 400));
        let Finding::Threshold(finding) = &gate.finding else { panic!("{message}") };
        let [low, high] = finding.measured.interval.unwrap();
        let truth = supported as f64 / 100.0;
        assert!(low < truth + 0.04 && truth - 0.04 < high, "{low} {high}: {message}");
        // A judge that says yes to a fifth of what is not there is too kind to a bad generator.
        assert!(supported > 50 || report.uncorrected > finding.measured.value + 0.05, "{message}");
        assert!(
            message.contains("calibrated by its errors on 200 claims of 40 queries that people judged"),
            "{message}"
        );
        assert!(
            message.contains("this assumes that the judge errs on these 400 claims as on those"),
            "{message}"
        );
        assert!(message.contains("nothing tests it yet"), "{message}");
    }
    let report = open(folder).run();
    assert!(report::json(&report).contains("\"calibrated\""));
    // A gate that passes has no message there, and what it assumes is said all the same.
    assert_eq!(report.gates[0].verdict, Verdict::Passed);
    let all = std::slice::from_ref(&report);
    for shown in [report::text(&report), report::markdown(&report), report::junit(all, &[])] {
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            shown.contains(
                "are carried over from 200 claims that people judged; nothing tests that it errs alike"
            ),
            "{shown}"
        );
    }
}

#[test]
fn newer_grades_that_show_other_errors_leave_the_gate_open_until_these_are_measured_anew() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, GATE);
    commit(folder, "new", 1, 80);
    ask(folder, &judge(95, 10));
    people(folder);
    // A version whose judge says yes to most of what is not there; people look at it as well.
    commit(folder, "new", 2, 60);
    ask(folder, &judge(95, 80));
    assert_eq!(people(folder), DRAWN * CLAIMS);
    commit(folder, "new", 3, 90);
    ask(folder, &judge(95, 80));
    let (gate, message) = &run(folder)[0];
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    let report = calibrated(gate);
    assert_eq!((report.labels, report.open), (400, Some(CorrectedOpen::ErrorsChanged)));
    assert_eq!((report.tests[0].pairs, report.tests[0].p < 0.001), ([200, 200], true), "{message}");
    assert!(message.contains("does not err alike everywhere"), "{message}");
    assert!(message.contains("--recalibrate"), "{message}");
    let benchmark = open(folder);
    let all = Assessment::new(&benchmark).all_questions().unwrap();
    let support = all.iter().find(|questions| questions.task == Some(Task::Support)).unwrap();
    let check = Assessment::new(&benchmark).check_judge(support).unwrap();
    let [last, ..] = &check.errors[..] else { panic!("{check:?}") };
    assert_eq!((last.metric.as_str(), &last.configuration, last.pairs), ("Faithfulness", &None, [200, 200]));
    assert!(last.refuted && last.p < 0.001, "{last:?}");
    let text = judge_check_text(std::slice::from_ref(&check));
    assert!(
        text.contains("Faithfulness, judged last") && text.contains("errors cannot be carried over"),
        "{text}"
    );
    // The errors of the last grades alone are those of today.
    assert_eq!(Assessment::new(&open(folder)).recalibrate().unwrap(), 200);
    let (gate, message) = &run(folder)[0];
    assert_eq!((calibrated(gate).labels, calibrated(gate).open), (200, None), "{message}");
    let again = Assessment::new(&open(folder)).recalibrate().unwrap_err().to_string();
    assert!(again.contains("came with one `--merge`"), "{again}");
}

#[test]
fn newer_grades_with_the_same_errors_are_said_to_confirm_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, GATE);
    for number in [1, 2] {
        commit(folder, "new", number, 80);
        ask(folder, &judge(95, 10));
        people(folder);
    }
    commit(folder, "new", 3, 90);
    ask(folder, &judge(95, 10));
    let (gate, message) = &run(folder)[0];
    assert_eq!((gate.verdict, calibrated(gate).labels), (Verdict::Passed, 400), "{message}");
    assert!(
        message.contains("tested on 200 claims that people judged last, beside 200 before: p ="),
        "{message}"
    );
    let expected =
        "carried over from 400 claims that people judged; a test on 200 claims shows no other errors";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_comparison_is_calibrated_with_one_judge_for_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let gate = "comparisons:\n- {candidate: new, baseline: old, metrics: [Faithfulness], expect: no-regression, judged: calibrated, \
                level: blocking}";
    write(folder, gate);
    let judge = judge(95, 20);
    commit(folder, "old", 1, 85);
    commit(folder, "new", 2, 85);
    ask(folder, &judge);
    people(folder);
    for (number, supported, expected) in [(3, 50, Verdict::Failed), (4, 85, Verdict::Passed)] {
        commit(folder, "new", number, supported);
        ask(folder, &judge);
        let (gate, message) = &run(folder)[0];
        assert_eq!(gate.verdict, expected, "{message}");
        let report = calibrated(gate);
        assert_eq!((report.labels, report.pairs), (400, 800), "{message}");
        let Finding::Comparison(finding) = &gate.finding else { panic!("{message}") };
        let difference = finding.candidate_mean - finding.baseline_mean;
        assert!((difference - finding.difference).abs() < 1e-9, "{message}");
        assert!((difference - (supported as f64 - 85.0) / 100.0).abs() < 0.08, "{message}");
        assert!(message.contains("by the calibrated difference, Student's t with 39 degrees"), "{message}");
    }
}

#[test]
fn what_people_never_saw_cannot_be_carried_over() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, GATE);
    commit(folder, "new", 1, 100);
    ask(folder, &judge(100, 100));
    people(folder);
    // All that people judged was supported: a judge that always says yes looks the same.
    commit(folder, "new", 2, 20);
    ask(folder, &judge(100, 100));
    let (gate, message) = &run(folder)[0];
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    assert!(message.contains("errors on such are unknown"), "{message}");
}

#[test]
fn what_people_judged_is_kept_when_judgments_are_pruned() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, GATE);
    commit(folder, "new", 1, 80);
    let judge = judge(95, 20);
    ask(folder, &judge);
    people(folder);
    commit(folder, "new", 2, 85);
    ask(folder, &judge);
    let before = run(folder);
    let benchmark = open(folder);
    let assessment = Assessment::new(&benchmark);
    let pruning = assessment.prune_judgments(&assessment.all_questions().unwrap()).unwrap();
    assert!(pruning.count() > 0 && pruning.unusable.keys().all(|(_, why)| *why == Unusable::NotAsked));
    assert_eq!(run(folder)[0].0, before[0].0);
}
