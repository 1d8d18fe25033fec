//! Golden files and what is compared with them, from spec to report.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Registry;
use crate::golden::{Bless, GoldenRun, write_atomically};
use crate::model::{Finding, GateReport, Report, Verdict, Warning};
use crate::report;
use crate::standalone::Standalone;
use crate::{BoxError, Hit, Query, retriever_fn};

const QUIET: Bless = Bless { on: false, force: false, accept_loss: false, ci: false };
const BLESS: Bless = Bless { on: true, ..QUIET };

/// Writes a spec of these queries, each answered by `name` with its relevant document at a rank, or with
/// nothing at rank 0.
fn toy(folder: &Path, name: &str, ranks: &[(&str, usize)], gates: &str) -> PathBuf {
    // Of so few queries one is more than a tenth.
    let mut spec = String::from("version: 1\nbenchmark: toy\ngolden: golden\ndepth: 10\ncoverage: 0.5\n");
    spec += "collection:\n  inline:\n    documents: {r: relevant, n1: noise}\n    queries:\n";
    let mut run = String::new();
    for (query, rank) in ranks {
        writeln!(spec, "    - {{id: {query}, text: question, relevant: {{r: 1}}}}").unwrap();
        for other in 1..*rank {
            writeln!(run, "{query} Q0 n{other} {other} {} run", 9 - other).unwrap();
        }
        if *rank > 0 {
            writeln!(run, "{query} Q0 r {rank} {} run", 9 - rank).unwrap();
        }
    }
    write!(spec, "configurations:\n  {name}: {{run: mine.run, order: rank}}\nmetrics: [RR@10]\n{gates}")
        .unwrap();
    fs::write(folder.join("mine.run"), run).unwrap();
    fs::write(folder.join("toy.yaml"), spec).unwrap();
    folder.join("toy.yaml")
}

fn carry_out(spec: &Path, bless: Bless) -> Report {
    let benchmark = Standalone::new().blessing(bless).open(spec).unwrap();
    let report = benchmark.run();
    benchmark.bless_measured().unwrap();
    report
}

fn gate<'a>(report: &'a Report, part: &str) -> &'a GateReport {
    report.gates.iter().find(|gate| gate.name.contains(part)).unwrap()
}

const GOLDEN: &str = "comparisons:\n  - {candidate: new, baseline: golden, metrics: [RR@10]}\n  \
                      - {candidate: new, baseline: golden, expect: identical}\n";

#[test]
fn golden_is_compared_over_the_queries_that_both_have() {
    let folder = tempfile::tempdir().unwrap();
    // q05 was not answered, q99 is gone since, and q06 is new.
    let then = [("q01", 2), ("q02", 2), ("q03", 2), ("q04", 2), ("q05", 0), ("q99", 1)];
    carry_out(&toy(folder.path(), "new", &then, GOLDEN), BLESS);
    let now = [("q01", 1), ("q02", 1), ("q03", 2), ("q04", 2), ("q05", 1), ("q06", 1)];
    let report = carry_out(&toy(folder.path(), "new", &now, GOLDEN), QUIET);
    let scores = gate(&report, "::RR@10");
    let Finding::Comparison(finding) = &scores.finding else { panic!("{scores:?}") };
    assert_eq!((scores.verdict, finding.queries), (Verdict::Passed, 5));
    let paired = &scores.coverage.as_ref().unwrap().counts[0];
    assert_eq!((paired.there, paired.of), (5, 7));
    // 1/2 (4 times) and 0 became 1, 1, 1/2, 1/2, 1: 2/5 and 4/5
    assert!((finding.baseline_mean - 0.4).abs() < 1e-12 && (finding.candidate_mean - 0.8).abs() < 1e-12);
    // A number that is higher than the blessed one is no reason to bless.
    assert!(!report::message(&report, scores).contains("bless again"));
    let identical = gate(&report, "::identical");
    let Finding::Overlap(finding) = &identical.finding else { panic!("{identical:?}") };
    assert_eq!((identical.verdict, finding.identical, finding.unpaired), (Verdict::Failed, 2, 2));
    let seen: Vec<_> = finding.differing.iter().map(|one| (one.query.as_str(), one.rank)).collect();
    assert_eq!(seen, [("q05", 1), ("q01", 1), ("q02", 1)], "the least alike first");
    assert_eq!(identical.inputs_changed, ["queries", "judgments"]);
    assert_eq!(identical.advice[0].value, "RANKGATE_BLESS=1 cargo test");
}

#[test]
fn what_a_passing_gate_left_out_and_inputs_that_changed_are_said_in_every_rendering() {
    let folder = tempfile::tempdir().unwrap();
    let queries = [("q01", 1), ("q02", 2), ("q03", 1)];
    carry_out(&toy(folder.path(), "new", &queries[..2], GOLDEN), BLESS);
    let report = carry_out(&toy(folder.path(), "new", &queries, GOLDEN), QUIET);
    let (text, summary) = (report::text(&report), report::internal::summary(&report, "page"));
    assert!(text.starts_with("toy: 2 passed\n"), "{text}");
    let warning = "inputs changed since new was blessed: queries, judgments";
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let renderings = [plain(&text), report::markdown(&report)];
    for said in renderings.iter().chain([&plain(&summary)]) {
        assert!(said.contains(warning), "{said}");
    }
    for said in &renderings {
        assert!(said.contains("2 of 2 queries identical"), "{said}");
        assert!(said.contains("1 query left out"), "{said}");
    }
    let json = report::json(&report);
    assert!(json.contains("\"unpaired\": 1") && json.contains("\"inputs_changed\": ["), "{json}");
}

#[test]
fn the_golden_run_of_another_configuration_passes_no_gate_and_that_of_a_renamed_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let ranks = [("q01", 1), ("q02", 2)];
    let spec = toy(folder.path(), "new", &ranks, GOLDEN);
    let two = |text: String| {
        text.replace("configurations:\n", "configurations:\n  old: {run: mine.run, order: rank}\n")
    };
    fs::write(&spec, two(fs::read_to_string(&spec).unwrap())).unwrap();
    carry_out(&spec, BLESS);
    let golden = |name: &str| folder.path().join(format!("golden/toy/{name}.run"));
    fs::copy(golden("old"), golden("new")).unwrap();
    for gate in carry_out(&spec, QUIET).gates {
        let Some(reason) = gate.finding.undecided_reason() else { panic!("{gate:?}") };
        assert_eq!(gate.verdict, Verdict::Error);
        assert!(reason.contains("the blessed run of `old`, which the spec has too"), "{reason}");
    }
    // No other configuration is called that now.
    let renamed = toy(folder.path(), "new", &ranks, GOLDEN);
    assert!(carry_out(&renamed, QUIET).gates.iter().all(|gate| gate.verdict == Verdict::Passed));
}

#[test]
fn queries_that_are_no_longer_answered_are_said_of_a_gate_that_passes() {
    let folder = tempfile::tempdir().unwrap();
    // What is not answered any more had found nothing before: no score moves.
    let then = [("q01", 1), ("q02", 2), ("q03", 3)];
    let gates = "comparisons:\n  - {candidate: new, baseline: golden, metrics: [RR@2]}\n";
    carry_out(&toy(folder.path(), "new", &then, gates), BLESS);
    let now = [("q01", 1), ("q02", 2), ("q03", 0)];
    let report = carry_out(&toy(folder.path(), "new", &now, gates), QUIET);
    let passed = gate(&report, "::RR@2");
    let Finding::Comparison(finding) = &passed.finding else { panic!("{passed:?}") };
    assert_eq!((passed.verdict, finding.difference), (Verdict::Passed, 0.0));
    assert!(report::markdown(&report).contains("coverage 66.6%"), "{}", report::markdown(&report));
    let said = report::message(&report, passed).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("new has results for 2 of 3 judged queries (`q03`)"), "{said}");
    // Answered by neither is no change.
    carry_out(&toy(folder.path(), "new", &now, gates), BLESS);
    let report = carry_out(&toy(folder.path(), "new", &now, gates), QUIET);
    let Finding::Comparison(finding) = &gate(&report, "::RR@2").finding else { panic!() };
    assert!(!finding.warnings.iter().any(|warning| warning.kind == "lost-answers"));
}

#[test]
fn documents_that_changed_since_blessing_are_said_of_a_gate_that_passes() {
    let folder = tempfile::tempdir().unwrap();
    let spec = toy(folder.path(), "new", &[("q01", 2), ("q02", 2)], &format!("{GOLDEN}snapshot: true\n"));
    carry_out(&spec, BLESS);
    let text = fs::read_to_string(&spec).unwrap().replace(", n1: noise", ", n1: other noise");
    fs::write(&spec, text).unwrap();
    let report = carry_out(&spec, QUIET);
    for gate in &report.gates {
        assert_eq!(
            (gate.verdict, &gate.inputs_changed[..]),
            (Verdict::Passed, &["documents".to_owned()][..])
        );
    }
    assert_eq!(report.gates.len(), 3);
    // How many there are is in the snapshot, whatever else was selected.
    fs::write(
        &spec,
        fs::read_to_string(&spec).unwrap().replace("{r: relevant, ", "{r: relevant, n2: noise, "),
    )
    .unwrap();
    let benchmark = Standalone::new().blessing(QUIET).open(&spec).unwrap();
    let report = benchmark.run_where(|gate| gate.name.ends_with("snapshot"));
    let Finding::Snapshot(finding) = &report.gates[0].finding else { panic!("{report:?}") };
    let plain = finding.diff.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(plain.contains("- documents 2 + documents 3"), "{plain}");
}

#[test]
fn a_golden_run_that_lost_queries_passes_no_gate_and_says_how_to_restore_it() {
    let folder = tempfile::tempdir().unwrap();
    let gates =
        format!("{GOLDEN}  - {{candidate: new, baseline: golden, expect: overlap, cutoff: 3, min: 1.0}}\n");
    let spec = toy(folder.path(), "new", &[("q01", 1), ("q02", 1)], &gates);
    carry_out(&spec, BLESS);
    let path = folder.path().join("golden/toy/new.run");
    let text = fs::read_to_string(&path).unwrap();
    let lost: Vec<&str> = text.lines().filter(|line| !line.starts_with("q02 ")).collect();
    fs::write(&path, lost.join("\n")).unwrap();
    let report = carry_out(&toy(folder.path(), "new", &[("q01", 1), ("q02", 2)], &gates), QUIET);
    for gate in &report.gates {
        let Some(reason) = gate.finding.undecided_reason() else { panic!("{gate:?}") };
        assert_eq!(gate.verdict, Verdict::Error);
        assert!(reason.contains("2 queries were written and it holds 1; "), "{reason}");
        assert!(gate.advice[0].value.starts_with("git checkout -- "), "{:?}", gate.advice);
    }
    assert!(
        report.warnings.iter().any(|warning| warning.text.contains("it holds 1")),
        "{:?}",
        report.warnings
    );
}

#[test]
fn a_golden_run_that_a_merge_left_undecided_says_how_to_take_a_side() {
    let folder = tempfile::tempdir().unwrap();
    let spec = toy(folder.path(), "new", &[("q01", 1), ("q02", 1)], GOLDEN);
    carry_out(&spec, BLESS);
    let path = folder.path().join("golden/toy/new.run");
    let whole = fs::read_to_string(&path).unwrap();
    let digest = whole.lines().find(|line| line.starts_with("# digest: ")).unwrap();
    for undecided in [digest, "q02 "] {
        // As git leaves it: both sides of what differs, in the head or in the rankings.
        let lines = whole.lines().map(|line| match line.starts_with(undecided) {
            true => format!("<<<<<<< HEAD\n{line}\n=======\n{line} x\n>>>>>>> topic\n"),
            false => format!("{line}\n"),
        });
        fs::write(&path, lines.collect::<String>()).unwrap();
        let report = carry_out(&spec, QUIET);
        for gate in &report.gates {
            let Some(reason) = gate.finding.undecided_reason() else { panic!("{gate:?}") };
            assert!(reason.contains("a merge left its conflict here"), "{reason}");
            for (side, advice) in ["ours", "theirs"].iter().zip(&gate.advice) {
                let action = &advice.value;
                assert!(action.starts_with(&format!("git checkout --{side} -- ")), "{action}");
                assert!(action.ends_with("golden/toy/new.run"), "{action}");
            }
        }
        // The other way out is to bless what is measured.
        carry_out(&spec, BLESS);
        assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    }
}

#[test]
fn a_blessed_run_without_todays_queries_under_their_hash_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let spec = toy(folder.path(), "new", &[("q01", 1), ("q02", 1)], GOLDEN);
    carry_out(&spec, BLESS);
    let path = folder.path().join("golden/toy/new.run");
    let GoldenRun { configuration, runs, inputs, .. } = GoldenRun::read(&path).unwrap().unwrap();
    let rankings = runs[0].iter().take(1).map(|(query, hits)| (query, hits.to_vec()));
    // Sealed like any other.
    let runs = vec![Arc::new(crate::Run::from_rankings(rankings).unwrap())];
    let (unanswered, absent, loss_accepted) = (Vec::new(), Vec::new(), false);
    let lost = GoldenRun { configuration, runs, inputs, unanswered, absent, loss_accepted };
    write_atomically(&path, &lost.to_bytes().unwrap()).unwrap();
    let report = carry_out(&spec, QUIET);
    let Some(reason) = report.gates[0].finding.undecided_reason() else { panic!("{report:?}") };
    assert!(reason.ends_with("blessed on today's queries, and 1 of them are missing"), "{reason}");
}

#[test]
fn a_retriever_that_rewrites_golden_files_is_compared_with_what_stood_there_before() {
    let folder = tempfile::tempdir().unwrap();
    let gates = format!("{GOLDEN}snapshot: true\n");
    let spec = toy(folder.path(), "new", &[("q01", 1), ("q02", 1)], &gates);
    let text = fs::read_to_string(&spec).unwrap();
    fs::write(&spec, text.replace("{run: mine.run, order: rank}", "{retriever: mine}")).unwrap();
    let carry_out = |bless: Bless, documents: &'static [&'static str], meanwhile: Option<[Vec<u8>; 2]>| {
        let golden = folder.path().join("golden/toy");
        let answer = move |_: &Query, _: usize| {
            for (file, bytes) in ["new.run", "new.snap"].iter().zip(meanwhile.iter().flatten()) {
                fs::write(golden.join(file), bytes).map_err(BoxError::from)?;
            }
            Ok(documents.iter().zip([2.0, 1.0]).map(|(document, score)| Hit::new(*document, score)).collect())
        };
        let mut registry = Registry::new();
        registry.retrievers.register("mine", move |_| Ok(retriever_fn(answer.clone()))).unwrap();
        let benchmark = Standalone::new().registry(registry).blessing(bless).open(&spec).unwrap();
        let report = benchmark.run();
        benchmark.bless_measured().unwrap();
        report.gates.iter().map(|gate| gate.verdict).collect::<Vec<_>>()
    };
    let files =
        || ["run", "snap"].map(|end| fs::read(folder.path().join(format!("golden/toy/new.{end}"))).unwrap());
    carry_out(BLESS, &["n1", "r"], None);
    let worse = files();
    carry_out(BLESS, &["r", "n1"], None);
    assert_eq!(carry_out(QUIET, &["r", "n1"], None), [Verdict::Passed; 3]);
    let verdicts = carry_out(QUIET, &["n1", "r"], Some(worse.clone()));
    assert_eq!(files(), worse, "it was rewritten");
    // Two queries show no regression.
    assert_eq!(verdicts, [Verdict::Passed, Verdict::Failed, Verdict::Failed]);
}

#[test]
fn reversed_ties_are_told_as_ties_and_other_changes_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let spec = toy(folder.path(), "new", &[("q01", 2), ("q02", 2)], "snapshot: true\n");
    let run = |documents: [&str; 2], scores: [u8; 2]| {
        let mut text = String::new();
        for query in ["q01", "q02"] {
            for (rank, (document, score)) in documents.iter().zip(scores).enumerate() {
                writeln!(text, "{query} Q0 {document} {} {score} run", rank + 1).unwrap();
            }
        }
        fs::write(folder.path().join("mine.run"), text).unwrap();
    };
    let tied = |report: &Report| match &report.gates[0].finding {
        Finding::Snapshot(finding) => finding.tied,
        other => panic!("{other:?}"),
    };
    run(["r", "n1"], [1, 1]);
    carry_out(&spec, BLESS);
    run(["n1", "r"], [1, 1]);
    let report = carry_out(&spec, QUIET);
    assert_eq!((report.gates[0].verdict, tied(&report)), (Verdict::Failed, Some(4)));
    let message = report::message(&report, &report.gates[0]);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("only the order within ties"), "{message}");
    assert!(message.contains("4 documents changed places among their equals"), "{message}");
    // A golden run keeps which documents tied, and not their scores.
    run(["n1", "r"], [7, 7]);
    assert_eq!(tied(&carry_out(&spec, QUIET)), Some(4));
    run(["n1", "r"], [2, 1]);
    assert_eq!(tied(&carry_out(&spec, QUIET)), None);
}

#[test]
fn a_renamed_configuration_is_told_of_the_golden_files_of_its_old_name() {
    let folder = tempfile::tempdir().unwrap();
    let queries = [("q01", 1), ("q02", 1)];
    carry_out(&toy(folder.path(), "new", &queries, &format!("{GOLDEN}snapshot: true\n")), BLESS);
    let gates = format!("{}snapshot: true\n", GOLDEN.replace("new", "newer"));
    let spec = toy(folder.path(), "newer", &queries, &gates);
    let report = carry_out(&spec, QUIET);
    for gate in &report.gates {
        let advice = &gate.advice[0];
        assert_eq!((gate.verdict, &*advice.label), (Verdict::Error, "if it was called new before"));
        for ending in ["run", "snap"] {
            let [from, to] = ["new", "newer"].map(|name| format!("golden/toy/{name}.{ending}"));
            assert!(advice.value.contains(&from) && advice.value.contains(&to), "{}", advice.value);
        }
    }
    let told = |warning: &Warning| {
        warning.text.contains("new.run") && warning.text.contains("belong to no configuration")
    };
    assert!(report.warnings.iter().any(told), "{:?}", report.warnings);
}

#[test]
fn where_blessing_is_refused_the_advice_is_to_bless_locally_and_commit() {
    let folder = tempfile::tempdir().unwrap();
    let spec = toy(folder.path(), "new", &[("q01", 1)], GOLDEN);
    let purpose = |ci: bool| {
        let report = carry_out(&spec, Bless { ci, ..QUIET });
        report.gates[0].advice[0].label.clone()
    };
    assert_eq!(purpose(true), "create the golden files (run locally, then commit)");
    assert_eq!(purpose(false), "create the golden files");
}

/// Fifty queries, each answered as a coin falls: with the relevant document at rank 1 or at rank 2.
fn by_chance(folder: &Path, seed: u64, repeats: &str, bless: Bless) -> Report {
    use crate::stats::Stream;
    use rand::RngExt;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    let mut spec =
        String::from("version: 1\nbenchmark: toy\ngolden: golden\ndepth: 2\ncollection:\n  inline:\n");
    spec += "    documents: {r: relevant, n: noise}\n    queries:\n";
    for query in 10..60 {
        writeln!(spec, "    - {{id: q{query}, text: question, relevant: {{r: 1}}}}").unwrap();
    }
    writeln!(spec, "configurations: {{new: {{retriever: chance, {repeats}}}}}").unwrap();
    spec += "comparisons:\n  - {candidate: new, baseline: golden, metrics: [P@1]}\n";
    fs::write(folder.join("toy.yaml"), spec).unwrap();
    let mut registry = Registry::new();
    let asked = Arc::new(Mutex::new(BTreeMap::<String, u64>::new()));
    let answer = move |query: &Query, _: usize| {
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(query.id.clone()).or_default();
        *times += 1;
        let heads = Stream::new(seed).for_name(&query.id).rng(*times).random_bool(0.5);
        let order = if heads { ["r", "n"] } else { ["n", "r"] };
        Ok(order.iter().zip([2.0, 1.0]).map(|(document, score)| Hit::new(*document, score)).collect())
    };
    registry.retrievers.register("chance", move |_| Ok(retriever_fn(answer.clone()))).unwrap();
    let benchmark =
        Standalone::new().registry(registry).blessing(bless).open(folder.join("toy.yaml")).unwrap();
    let report = benchmark.run();
    benchmark.bless_measured().unwrap();
    report
}

#[test]
fn mean_is_compared_with_mean_so_that_no_single_lucky_repeat_fails_an_unchanged_retriever() {
    let folder = tempfile::tempdir().unwrap();
    let mut failed = Vec::new();
    for (repeats, held) in [("repeats: 1", 1), ("repeats: 10", 10)] {
        // The first repeat that this seed makes is a lucky one.
        by_chance(folder.path(), 0, repeats, BLESS);
        let golden = GoldenRun::read(&folder.path().join("golden/toy/new.run")).unwrap().unwrap();
        assert_eq!(golden.runs.len(), held);
        let (mut fails, mut told) = (0, 0);
        for seed in 1000..1010 {
            let report = by_chance(folder.path(), seed, "repeats: 10", QUIET);
            fails += usize::from(report.gates[0].verdict == Verdict::Failed);
            let Finding::Comparison(finding) = &report.gates[0].finding else { panic!("{report:?}") };
            let warning = |said: &Warning| {
                said.kind == "golden-of-one" && said.text.contains("the mean of 10 is compared")
            };
            told += usize::from(finding.warnings.iter().any(warning));
        }
        assert_eq!(told, if held == 1 { 10 } else { 0 });
        failed.push(fails);
    }
    // Over the seeds from 0 to 11, 30 reruns each: 31 of 360 and 8 of 360.
    assert_eq!(failed, [10, 3], "of ten reruns each");
}
