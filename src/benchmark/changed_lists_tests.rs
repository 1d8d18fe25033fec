//! Lists that changed in shape since they were blessed, and drops that are not shown: what gates say of both.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::Registry;
use crate::golden::Bless;
use crate::model::{Finding, GateReport, Report, SnapshotFinding, Verdict, Warning};
use crate::report;
use crate::standalone::Standalone;
use crate::{Hit, Query, retriever_fn};

const QUIET: Bless = Bless { on: false, force: false, accept_loss: false, ci: false };
const BLESS: Bless = Bless { on: true, ..QUIET };

const QUERIES: usize = 30;
const DEPTH: usize = 20;

/// What is wrong with a retriever that was blessed when nothing was.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Nothing,
    /// One result less than was asked for.
    OneLess,
    /// Ten results, whatever is asked for.
    Ten,
    /// What ranks first is left out.
    FirstLost,
    /// Scores without decimals.
    Digits,
    /// The first document has an id that no document has.
    ForeignId,
}

/// Queries `q10` to `q39`, each of which finds `d1`, `d2`, ... with scores 9.9, 9.8, ...
fn answer(fault: Fault, query: &Query, depth: usize) -> Vec<Hit> {
    let mut hits: Vec<Hit> =
        (1..=40).map(|rank| Hit::new(format!("d{rank}"), 10.0 - f64::from(rank) / 10.0)).collect();
    match fault {
        Fault::FirstLost => drop(hits.remove(0)),
        Fault::ForeignId if query.id == "q10" => hits[0].id = "0".to_owned(),
        Fault::Digits => {
            hits.iter_mut().for_each(|hit| hit.score = hit.score.floor());
            hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
        }
        Fault::Nothing | Fault::OneLess | Fault::Ten | Fault::ForeignId => {}
    }
    hits.truncate(match fault {
        Fault::OneLess => depth - 1,
        Fault::Ten => 10,
        _ => depth,
    });
    hits
}

/// The report of a retriever with a fault; documents 2 and 20 of each query are relevant.
fn carry_out(folder: &Path, fault: Fault, bless: Bless, gates: &str) -> Report {
    carry_out_to(DEPTH, folder, fault, bless, gates)
}

/// The same to another depth.
fn carry_out_to(depth: usize, folder: &Path, fault: Fault, bless: Bless, gates: &str) -> Report {
    let mut spec = format!(
        "version: 1\nbenchmark: toy\ngolden: golden\ndepth: {depth}\nmetrics: [nDCG@10, R@20]\nsnapshot: true\n\
         {gates}configurations:\n  mine: {{retriever: mine}}\ncollection:\n  inline:\n    documents:\n"
    );
    (1..=40).for_each(|number| writeln!(spec, "      d{number}: text {number}").unwrap());
    spec += "    queries:\n";
    for query in 10..10 + QUERIES {
        writeln!(spec, "      - {{id: q{query}, text: question {query}, relevant: [d2, d20]}}").unwrap();
    }
    let path = folder.join("toy.yaml");
    fs::write(&path, spec).unwrap();
    let mut registry = Registry::new();
    let find = move |query: &Query, depth: usize| Ok(answer(fault, query, depth));
    registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
    let benchmark = Standalone::new().registry(registry).blessing(bless).open(&path).unwrap();
    let report = benchmark.run();
    benchmark.bless_measured().unwrap();
    report
}

fn gate<'a>(report: &'a Report, part: &str) -> &'a GateReport {
    report.gates.iter().find(|gate| gate.name.contains(part)).unwrap()
}

fn snapshot(report: &Report) -> (&GateReport, &SnapshotFinding, String) {
    let gate = gate(report, "::snapshot");
    let Finding::Snapshot(finding) = &gate.finding else { panic!("{gate:?}") };
    let message = report::message(report, gate).split_whitespace().collect::<Vec<_>>().join(" ");
    (gate, finding, message)
}

/// What a snapshot says after a fault, in the order in which it stands there.
fn says(fault: Fault, expected: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    carry_out(folder.path(), Fault::Nothing, BLESS, "");
    let report = carry_out(folder.path(), fault, QUIET, "");
    let (gate, _, message) = snapshot(&report);
    assert_eq!(gate.verdict, Verdict::Failed, "{fault:?}: {message}");
    let mut rest = message.as_str();
    for part in expected {
        let at = rest.find(part).unwrap_or_else(|| panic!("{fault:?}: no `{part}` in {rest}\n\n{message}"));
        rest = &rest[at + part.len()..];
    }
    message
}

#[test]
fn one_result_less_is_said_of_all_lists_and_by_the_queries_that_lost() {
    let message = says(
        Fault::OneLess,
        &[
            "+ R@20 0.5000",
            "30 of 30 rankings changed",
            "30 of 30 answers are shorter; the longest has 19, and had 20",
            "R@20 lost most, 1.0000 -> 0.5000:",
            "30 queries worse than golden, 0 better, 0 unchanged; the largest losses:",
            "q10 question 10 1.000 -> 0.500 d20 (grade 1) rank 20 -> not retrieved",
            "q14 question 14",
            "and 25 more",
            "accept the new report and ranking",
        ],
    );
    assert!(!message.contains("first document"), "{message}");
}

#[test]
fn ten_results_where_twenty_were_asked_for_are_told_by_their_number() {
    says(Fault::Ten, &["30 of 30 answers are shorter; the longest has 10, and had 20", "R@20 lost most"]);
}

#[test]
fn a_first_document_that_is_gone_everywhere_is_said_though_scores_rose() {
    // The relevant document at rank 2 stands first now; lists are as long as they were.
    let message = says(
        Fault::FirstLost,
        &["30 of 30 rankings changed", "the first document is gone in 30 of 30", "accept"],
    );
    assert!(!message.contains("lost most"), "{message}");
}

/// `d10` stands before `d2` among those that tie now.
#[test]
fn lost_digits_are_told_by_the_documents_that_tie() {
    says(
        Fault::Digits,
        &[
            "30 of 30 rankings changed: the documents are the same, in another order",
            "more documents tie than before in 30 of 30 rankings: scores may have lost digits",
            "nDCG@10 lost most",
            "d2 (grade 1) rank 2 -> 3",
        ],
    );
}

#[test]
fn an_id_of_no_document_is_named_though_it_is_one_result() {
    let folder = tempfile::tempdir().unwrap();
    carry_out(folder.path(), Fault::Nothing, BLESS, "");
    let report = carry_out(folder.path(), Fault::ForeignId, QUIET, "");
    let (gate, _, message) = snapshot(&report);
    assert_eq!(gate.verdict, Verdict::Passed, "no metric looks at it");
    assert!(message.contains("599 of 600 results of mine are in the corpus (`0`)"), "{message}");
}

#[test]
fn without_a_blessed_run_beside_it_the_snapshot_says_that_no_query_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    carry_out(folder.path(), Fault::Nothing, BLESS, "");
    fs::remove_file(folder.path().join("golden/toy/mine.run")).unwrap();
    let report = carry_out(folder.path(), Fault::Ten, QUIET, "");
    let (gate, finding, message) = snapshot(&report);
    assert_eq!((gate.verdict, finding.without_run, finding.lists.len()), (Verdict::Failed, true, 0));
    assert!(message.contains("No run was blessed beside it"), "{message}");
}

#[test]
fn the_line_at_the_end_says_as_golden_of_all_metrics_or_names_the_one_that_is_not() {
    let folder = tempfile::tempdir().unwrap();
    carry_out(folder.path(), Fault::Nothing, BLESS, "");
    let ends = |fault| {
        let summary = report::internal::summary(&carry_out(folder.path(), fault, QUIET, ""), "page");
        summary.lines().nth(1).unwrap().split_once("]  ").unwrap().1.to_owned()
    };
    assert_eq!(ends(Fault::Nothing), "as golden");
    // nDCG@10 is as it was.
    assert_eq!(ends(Fault::Ten), "as golden, R@20 -0.5000 from golden");
}

const NO_REGRESSION: &str = "comparisons: [{candidate: mine, baseline: golden, metrics: [R@20]}]\n";

#[test]
fn a_gate_that_passes_says_that_all_answers_changed() {
    let folder = tempfile::tempdir().unwrap();
    carry_out(folder.path(), Fault::Nothing, BLESS, NO_REGRESSION);
    let told = |fault| {
        let report = carry_out(folder.path(), fault, QUIET, NO_REGRESSION);
        let compared = gate(&report, "mine-vs-golden");
        assert_eq!(compared.verdict, Verdict::Passed, "{compared:?}");
        let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
        text.contains("mine answers in another way than golden: the first document is gone in 30 of 30")
    };
    assert!(told(Fault::FirstLost));
    assert!(!told(Fault::Nothing));
    assert!(!told(Fault::Digits));
}

#[test]
fn lists_that_are_longer_since_more_is_asked_for_are_no_change_of_the_retriever() {
    let folder = tempfile::tempdir().unwrap();
    carry_out(folder.path(), Fault::Nothing, BLESS, NO_REGRESSION);
    let told = |fault| {
        let report = carry_out_to(30, folder.path(), fault, QUIET, NO_REGRESSION);
        let compared = gate(&report, "mine-vs-golden");
        assert_eq!(compared.inputs_changed, ["depth"]);
        let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, said) = text.split_once("than golden: ")?;
        Some(said.split(" metrics").next().unwrap().to_owned())
    };
    assert_eq!(told(Fault::Nothing), None);
    let said = told(Fault::FirstLost).unwrap();
    assert!(said.starts_with("the first document is gone in 30 of 30") && !said.contains("longer"), "{said}");
}

/// Ten queries, of which so many fell from rank 1 to rank 3 in the candidate's run.
fn fallen(queries: usize, gate: &str) -> (Verdict, Vec<Warning>, String) {
    let folder = tempfile::tempdir().unwrap();
    let (mut old, mut new, mut judged) = (String::new(), String::new(), String::new());
    for query in 0..10 {
        writeln!(judged, "      - {{id: q{query}, text: question, relevant: [r]}}").unwrap();
        writeln!(old, "q{query} Q0 r 1 9 x\nq{query} Q0 n 2 8 x\nq{query} Q0 m 3 7 x").unwrap();
        let order = if query < queries { ["n", "m", "r"] } else { ["r", "n", "m"] };
        for (rank, id) in (1..).zip(order) {
            writeln!(new, "q{query} Q0 {id} {rank} {} x", 10 - rank).unwrap();
        }
    }
    fs::write(folder.path().join("old.run"), old).unwrap();
    fs::write(folder.path().join("new.run"), new).unwrap();
    let spec = format!(
        "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n{judged}configurations:\n  old: {{run: \
         old.run}}\n  new: {{run: new.run}}\ncomparisons: [{{candidate: new, baseline: old, metrics: [RR@10]{gate}}}]\n"
    );
    fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    let report = Standalone::new().open(folder.path().join("toy.yaml")).unwrap().run();
    let gate = &report.gates[0];
    let Finding::Comparison(finding) = &gate.finding else { panic!("{gate:?}") };
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    (gate.verdict, finding.warnings.clone(), text)
}

#[test]
fn a_drop_that_is_not_shown_is_said_beside_the_pass_with_what_could_have_been_shown() {
    let is_drop = |warnings: &[Warning]| warnings.iter().any(|one| one.kind == "drop-not-significant");
    // Four of ten queries lose two thirds: a mean of -0.2667, p one-sided 1/16.
    let (verdict, warnings, text) = fallen(4, "");
    assert_eq!(verdict, Verdict::Passed);
    assert!(is_drop(&warnings), "{warnings:?}");
    assert!(text.contains("warning: new-vs-old::RR@10: "), "{text}");
    assert!(text.contains("the drop of 0.2667 is not significant, and may be real"), "{text}");
    // No drop, one that is put up with, and one that is shown.
    assert!(!is_drop(&fallen(0, "").1));
    assert!(!is_drop(&fallen(4, ", margin: 0.3").1));
    let (verdict, warnings, _) = fallen(10, "");
    assert_eq!((verdict, is_drop(&warnings)), (Verdict::Failed, false));
}
