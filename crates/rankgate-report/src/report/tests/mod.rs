//! Whole renderings, reviewed by eye and kept as snapshots, and what holds for all of them.

mod comparisons;
mod latency;
pub(super) mod sample;
pub(super) mod sample_comparison;

use insta::assert_snapshot;
use proptest::prelude::*;

use crate::model::FailureCause;
use crate::model::*;
use crate::stats::NoInterval;

use self::sample::*;
use super::*;

/// The message of a gate in the helpdesk benchmark.
fn message_text(verdict: Verdict, finding: Finding) -> String {
    message(&helpdesk(), &gate("bm25::nDCG@10", verdict, finding))
}

#[test]
fn message_of_every_gate_of_a_benchmark() {
    let report = helpdesk();
    for (name, gate) in [
        "passed",
        "below_with_golden",
        "advisory_segment_without_golden",
        "lower_bound",
        "inconclusive",
        "snapshot_differs",
        "not_deterministic",
        "error",
    ]
    .into_iter()
    .zip(&report.gates)
    {
        assert_snapshot!(format!("message_{name}"), message(&report, gate));
    }
}

#[test]
fn message_above_a_limit() {
    let mut above = threshold(metric("ERR@20", 0.9, [0.88, 0.92]), 0.2);
    above.max = Some(0.8);
    above.movers = against_golden();
    above.movers.against_value = Some(0.85);
    assert_snapshot!(message_text(Verdict::Failed, finding(above)));
}

#[test]
fn message_of_a_value_close_to_its_limit() {
    let close = threshold(metric("nDCG@10", 0.599_98, [0.57, 0.63]), 0.6);
    assert_snapshot!(message_text(Verdict::Failed, finding(close)));
}

#[test]
fn a_value_that_is_its_limit_but_for_rounding_is_told_as_the_limit() {
    // What .1 and .7 average to, and below a limit from above; ends of intervals and what was blessed alike.
    let (low, high) = (0.399_999_999_999_999_97, 0.4 + 5e-16);
    for (value, min, max) in [(low, Some(0.4), None), (high, None, Some(0.4)), (low, Some(0.4), Some(0.4))] {
        let value = MetricReport { golden: Some(low), ..metric("P@10", value, [low, high]) };
        let kept = ThresholdFinding { min, max, ..threshold(value, 0.4) };
        let mut report = helpdesk();
        report.gates = vec![gate("bm25::P@10", Verdict::Passed, finding(kept))];
        let told = [message(&report, &report.gates[0]), text(&report), markdown(&report)];
        for told in &told {
            assert!(!told.contains("0.39999") && !told.contains("0.40000"), "{told}");
        }
        assert!(told[0].contains("PASSED: the mean is equal to it"), "{}", told[0]);
    }
}

#[test]
fn message_of_a_count() {
    let count = threshold(without_interval("NumRelRet", 1204.0, NoInterval::Count), 1300.0);
    assert_snapshot!(message_text(Verdict::Failed, finding(count)));
}

#[test]
fn message_of_long_ids() {
    let mut long = threshold(metric("nDCG@10", 0.5, [0.45, 0.55]), 0.6);
    let id = "https://support.example.org/en/articles/2024/01/refunds-for-cancelled-orders.html#section-3";
    long.movers = Movers {
        against: Some("golden".to_owned()),
        worse: 8,
        losses: (0..6)
            .map(|index| {
                let documents =
                    (0..5).map(|n| document(&format!("{id}-{n}"), 1, Some(n + 1), None)).collect();
                mover(
                    &format!("0f8fad5b-d9cb-469f-a165-7086728950{index:02}"),
                    "",
                    Some(1.0),
                    0.9999,
                    documents,
                )
            })
            .collect(),
        cutoff: 10,
        ..Movers::default()
    };
    assert_snapshot!(message_text(Verdict::Failed, finding(long)));
}

#[test]
fn documents_in_messages_have_their_titles() {
    let mut low = threshold(metric("nDCG@10", 0.5, [0.45, 0.55]), 0.6);
    let documents = vec![document("d1", 3, Some(1), None), document("d2", 1, Some(2), Some(3))];
    let losses = vec![mover("q1", "cancel", Some(1.0), 0.25, documents)];
    low.movers =
        Movers { against: Some("golden".to_owned()), worse: 1, losses, cutoff: 10, ..Movers::default() };
    let mut report = helpdesk();
    report.titles.insert("d1".to_owned(), "How to cancel".to_owned());
    report.gates = vec![gate("bm25::nDCG@10", Verdict::Failed, finding(low))];
    for told in [message(&report, &report.gates[0]), markdown(&report), text(&report)] {
        assert!(told.contains(" d1  How to cancel  (grade 3) rank 1 -> not retrieved\n"), "{told}");
        assert!(told.contains(" d2 (grade 1) rank 2 -> 3\n"), "{told}");
    }
    let page = html(&report);
    let line =
        r#"{"document":"d1","title":"How to cancel","said":" (grade 3) rank 1 -\u003e not retrieved"}"#;
    assert!(page.contains(line), "{page}");
}

#[test]
fn message_of_the_other_snapshot_states() {
    for (verdict, state) in [
        (Verdict::Error, SnapshotState::Missing),
        (Verdict::Passed, SnapshotState::Same),
        (Verdict::Passed, SnapshotState::Blessed),
    ] {
        let name = format!("message_snapshot_{state:?}").to_lowercase();
        assert_snapshot!(name, message_text(verdict, blessed(state).into()));
    }
}

#[test]
fn message_of_the_other_kinds_of_disagreement() {
    let differing = |tied: &[bool]| {
        let one = |(index, &tied): (usize, &bool)| disagreement(&format!("q{index}"), None, tied);
        deterministic(120, tied.iter().enumerate().map(one).collect())
    };
    let diagnosed = |tied: &[bool], said: &str| {
        DeterministicFinding { diagnosis: vec![said.to_owned()], ..differing(tied) }.into()
    };
    assert_snapshot!(
        "message_different_scores",
        message_text(Verdict::Failed, diagnosed(&[false], "They have different scores."))
    );
    assert_snapshot!("message_deterministic", message_text(Verdict::Passed, differing(&[]).into()));
    let built =
        |tied: &[bool]| DeterministicFinding { built: Some("built twice".to_owned()), ..differing(tied) };
    assert_snapshot!("message_built_twice", message_text(Verdict::Failed, built(&[true]).into()));
    assert_snapshot!("message_builds_repeat", message_text(Verdict::Passed, built(&[]).into()));
    let slow = Some("of one build: it took 14 s".to_owned());
    let slow = DeterministicFinding { one_build: slow, ..differing(&[]) };
    assert_snapshot!("message_one_build", message_text(Verdict::Passed, slow.into()));
}

#[test]
fn message_of_a_gate_without_data() {
    let reason = "category has no value `biling`; there are billing, delivery\n  --> benchmarks/helpdesk.yaml:23:41\n   \
                  |\n23 |   - {metric: nDCG@10, min: 0.40, segment: {category: biling}}\n   |                                                      ^^^^^^";
    assert_snapshot!(message_text(Verdict::Error, Finding::undecided(reason.to_owned())));
}

#[test]
fn message_of_a_dead_child() {
    let stderr: Vec<String> = (1..=40).map(|line| format!("  File \"search.py\", line {line}")).collect();
    let cause = FailureCause::Error(format!("exited with status 1; stderr:\n{}", stderr.join("\n")));
    let failure = failure(Some("q001"), cause, 1);
    let mut report = helpdesk();
    report.configurations[3].outcome = Outcome::Error(failure.clone());
    let gate = gate("mine::nDCG@10", Verdict::Error, Finding::undecided("mine ended in an error".to_owned()));
    assert_snapshot!(message(&report, &gate));
}

#[test]
fn text_of_benchmarks() {
    assert_snapshot!("text_helpdesk", text(&helpdesk()));
    assert_snapshot!("text_nine_configurations", text(&nine()));
    assert_snapshot!("text_empty", text(&empty()));
    let mut one = helpdesk();
    one.configurations.truncate(1);
    one.gates.truncate(1);
    assert_snapshot!("text_one_configuration", text(&one));
}

#[test]
fn markdown_of_benchmarks() {
    assert_snapshot!("markdown_helpdesk", markdown(&helpdesk()));
    assert_snapshot!("markdown_empty", markdown(&empty()));
}

#[test]
fn snapshots_of_configurations() {
    let report = helpdesk();
    let of = |index: usize| super::snapshot(&report, &report.configurations[index]);
    assert_snapshot!("snapshot_bm25", of(0).unwrap());
    assert_eq!(of(3), None, "a configuration with an error has no measurements");
    assert_eq!(of(4), None, "nor has an ignored one");
}

#[test]
fn a_changed_number_changes_one_line_of_a_snapshot() {
    let old = helpdesk();
    for value in [-0.00001, 1.0, 12.5, 123_456.0] {
        let mut new = helpdesk();
        let Outcome::Measured(measured) = &mut new.configurations[0].outcome else {
            panic!("it is measured")
        };
        measured.metrics[1].value = value;
        let [old, new] =
            [&old, &new].map(|report| super::snapshot(report, &report.configurations[0]).unwrap());
        let changed: Vec<_> = old.lines().zip(new.lines()).filter(|(old, new)| old != new).collect();
        assert_eq!(changed.len(), 1, "{changed:?}");
        assert_eq!(old.lines().count(), new.lines().count());
        assert!(!new.contains("-0.0000"));
    }
}

#[test]
fn summary_lines() {
    let mut goal = helpdesk();
    goal.gates.truncate(2);
    goal.gates[1].name = "helpdesk::bm25::nDCG@10[goal]".to_owned();
    goal.gates[1].verdict = Verdict::Advisory;
    goal.gates[1].inputs_changed.clear();
    goal.warnings.clear();
    let mut many = goal.clone();
    many.gates = vec![goal.gates[1].clone(); 5];
    for (report, expected) in [
        (
            helpdesk(),
            "helpdesk: 1 passed, 4 failed, 1 inconclusive, 1 error, 1 advisory \
             (bm25::nDCG@10[category=billing] 0.35 < 0.40); slowest configuration bm25-stem 1.20 s p95; 1 warning",
        ),
        (
            goal,
            "helpdesk: 1 passed, 1 advisory (bm25::nDCG@10[goal] 0.53 < 0.60); \
             slowest configuration bm25-stem 1.20 s p95",
        ),
        (
            many,
            "helpdesk: 5 advisory (bm25::nDCG@10[goal] 0.53 < 0.60, bm25::nDCG@10[goal] 0.53 < 0.60, and 3 more); \
             slowest configuration bm25-stem 1.20 s p95",
        ),
        (empty(), "helpdesk: no gate was decided"),
    ] {
        assert_eq!(summary_line(&report), expected);
    }
}

#[test]
fn the_end_of_a_test_run_shows_what_each_configuration_scored_and_where_the_page_is() {
    let mut report = nine();
    let first = |report: &mut Report, index: usize| match &mut report.configurations[index].outcome {
        Outcome::Measured(measured) => measured.metrics[0].clone(),
        _ => panic!("it is measured"),
    };
    for (index, golden) in [(0, 0.0), (1, 0.0312), (2, -0.00004)] {
        let metric = first(&mut report, index);
        let Outcome::Measured(measured) = &mut report.configurations[index].outcome else { continue };
        measured.metrics[0] = MetricReport { golden: Some(metric.value - golden), ..metric };
    }
    let summary = super::summary::summary(&report, "target/rankgate/helpdesk/report.html");
    // One process per test prints no summary, and the warnings all the same.
    let warnings = super::summary::warnings_beside(&helpdesk());
    let whole = super::summary::summary(&helpdesk(), "");
    assert!(warnings.contains("warning") && whole.contains(warnings.trim_end()), "{warnings}");
    assert_eq!(super::summary::warnings_beside(&empty()), "");
    assert_snapshot!("summary", summary);
    assert_snapshot!("summary_without_a_value", super::summary::summary(&empty(), "report.html"));
}

#[test]
fn a_spec_that_was_not_run_says_why_in_every_form() {
    let error = "this file is empty\n --> a.yaml:1:1\n  |\n1 | <\u{1b}[2J\n  | ^";
    let report = Report { error: Some(error.to_owned()), configurations: Vec::new(), ..empty() };
    assert_eq!(
        text(&report),
        "helpdesk: not run\n\nthis file is empty\n --> a.yaml:1:1\n  |\n1 | <\\u{1b}[2J\n  | ^\n"
    );
    assert!(
        markdown(&report)
            .starts_with("## helpdesk: not run\n\n```text\nthis file is empty\n --> a.yaml:1:1\n")
    );
    assert!(super::html(&report).contains("<title>helpdesk: not run</title>"));
    assert!(super::html(&report).contains("1 | &lt;\\u{1b}[2J"));
    check(&report);
}

#[test]
fn json_reads_back_as_the_same_model() {
    let mut report = helpdesk();
    report.confidence = 0.1 + 0.2;
    // Some of these come back one bit off from a float parser that only takes the fast path.
    let Outcome::Measured(measured) = &mut report.configurations[0].outcome else { panic!("it is measured") };
    let value = |n: u32| f64::from(n).sqrt().fract() / 3.0;
    measured.metrics.extend((2..100).map(|n| metric(&n.to_string(), value(n), [-value(n), 1.0 + value(n)])));
    for report in [report, nine(), empty(), hostile("a\u{1b}\"\\\n`|<\u{202e}")] {
        let text = json(&report);
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
        assert!(text.ends_with("}\n"));
        assert_eq!(json(&report), text);
    }
}

#[test]
fn renderings_of_hostile_text() {
    let text = "a|b `code` ``` ````\n</details>\n<script>\u{1b}[2J\r@anna #1 | --- |";
    assert_snapshot!("text_hostile", super::text(&hostile(text)));
    assert_snapshot!("markdown_hostile", markdown(&hostile(text)));
}

/// What must hold whatever the data are.
fn check(report: &Report) {
    let messages: Vec<String> = report.gates.iter().map(|gate| message(report, gate)).collect();
    let snapshots = report.configurations.iter().filter_map(|one| super::snapshot(report, one));
    let all = messages.iter().cloned().chain(snapshots).chain([
        text(report),
        markdown(report),
        summary_line(report),
    ]);
    for text in all {
        assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
        assert!(!text.lines().any(|line| line.ends_with(' ')), "{text:?}");
    }
    assert_eq!(summary_line(report).lines().count(), 1);
    // Colour adds codes and nothing else.
    let mut painted = super::text_styled(report, super::Style::Colour);
    for code in ["0", "1", "31", "32", "33", "1;31", "1;32", "1;33"] {
        painted = painted.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(painted, text(report));
    let log = super::defuse(&text(report));
    assert!(!log.lines().any(|line| line.trim_start().starts_with("::")) && !log.contains("##["), "{log}");
    for bytes in [0, 100, 1000, 3000, 10_000] {
        let cut = super::markdown_within(report, bytes);
        assert!(cut.len() <= bytes);
        assert_eq!(cut.matches("\n<details>").count(), cut.matches("\n</details>").count(), "{cut}");
    }
    assert_eq!(
        markdown(report).matches("\n<details>").count(),
        markdown(report).matches("\n</details>").count()
    );
    // First lines are one line by contract, and commands and places are whole to be copied.
    let first_lines: Vec<&str> = messages.iter().filter_map(|message| message.lines().next()).collect();
    let terminal = text(report);
    for (text, width) in messages.iter().map(|message| (message, 100)).chain([(&terminal, 80)]) {
        for line in text.lines().skip(1) {
            let whole =
                first_lines.contains(&line) || line.contains("this gate:") || line.starts_with("  --- ");
            assert!(whole || super::width::width(line) <= width, "{line:?} in\n{text}");
        }
    }
}

#[test]
fn what_is_too_much_to_show_is_counted() {
    let mut report = helpdesk();
    report.configurations.truncate(2);
    for configuration in &mut report.configurations {
        let Outcome::Measured(measured) = &mut configuration.outcome else { panic!("it is measured") };
        let one = measured.segments[0].clone();
        measured.segments =
            (0..250).map(|index| SegmentReport { value: format!("v{index}"), ..one.clone() }).collect();
    }
    report.gates = vec![report.gates[1].clone(); 60];
    let terminal = text(&report);
    assert!(terminal.contains("\nv29 "), "{terminal}");
    assert!(!terminal.contains("\nv30 "), "{terminal}");
    assert!(terminal.contains("\nand 220 more\n"), "{terminal}");
    for page in [terminal, markdown(&report)] {
        assert!(page.contains("\nThe messages of 10 more gates are in the JSON report.\n"), "{page}");
    }
    check(&report);
}

#[test]
fn samples_keep_the_rules() {
    let mut without_queries = helpdesk();
    without_queries.collection.as_mut().unwrap().queries = 0;
    without_queries.configurations = vec![configuration("bm25", "", outcome(measured(Vec::new())))];
    without_queries.gates.clear();
    assert!(text(&without_queries).contains("\n0 judged queries (2 without a relevant document), "));
    for report in [helpdesk(), nine(), empty(), without_queries] {
        check(&report);
    }
}

proptest! {
    // A case paints a whole report in every rendering.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_the_rules(text in "(\\PC|[\\x00-\\x9f`|<>@# \u{202e}]){0,200}") {
        check(&hostile(&text));
        let report = hostile(&text);
        prop_assert_eq!(&serde_json::from_str::<Report>(&json(&report)).unwrap(), &report);
    }
}
