use rankgate::benchmark::model::{
    CoverageCount, CoverageReport, Covered, Finding, Outcome, QueryReport, Report, Verdict, Warning,
};

use super::*;

/// The shipped example: one gate that failed.
fn example() -> Report {
    serde_json::from_str(include_str!("../../../rankgate-report/src/report/example.json")).unwrap()
}

fn passed() -> Report {
    let mut report = example();
    report.gates[0].verdict = Verdict::Passed;
    report
}

#[test]
fn a_failed_gate_is_a_failure_and_an_error_on_its_line() {
    let report = [example()];
    let xml = junit(&report, &[]);
    assert!(xml.contains("<testcase name=\"bm25::nDCG@10\" classname=\"helpdesk\""), "{xml}");
    assert!(xml.contains("<failure type=\"FAILED\" message=\"0.5312 &lt; 0.6000\">"), "{xml}");
    let lines = annotations(&report, &[], "crates/search");
    let start = "::error file=crates/search/benchmarks/helpdesk.yaml,line=23,title=helpdesk%3A%3Abm25%3A%3AnDCG@10 FAILED::";
    assert!(lines.starts_with(start), "{lines}");
}

/// A gate that passed has no message: what is to be known of it stands wherever its verdict does.
#[test]
fn a_passed_gate_says_what_changed_what_is_missing_and_its_warnings() {
    let quiet = [passed()];
    let xml = junit(&quiet, &[]);
    assert!(!xml.contains("system-out"), "{xml}");
    assert_eq!(annotations(&quiet, &[], ""), "");

    let mut changed = passed();
    changed.gates[0].inputs_changed = vec!["judgments".to_owned()];
    let mut missing = passed();
    let counts = vec![CoverageCount {
        side: Some("old".to_owned()),
        missing: vec!["q7".to_owned()],
        ..CoverageCount::new(Covered::Answered, 95, 100)
    }];
    missing.gates[0].coverage = Some(CoverageReport { at_least: 0.9, counts });
    let mut warning = passed();
    let Finding::Threshold(finding) = &mut warning.gates[0].finding else { panic!("it is a threshold") };
    finding.warnings = vec![Warning::new("side", "this is no gate")];
    for (report, said) in [
        (changed, "inputs changed since bm25 was blessed: judgments"),
        (missing, "old has results for 95 of 100 judged queries"),
        (warning, "this is no gate"),
    ] {
        let xml = junit(std::slice::from_ref(&report), &[]);
        let told = xml.split("<system-out>").nth(1).unwrap().split("</system-out>").next().unwrap();
        assert!(told.contains(said), "{told}");
        let notices = annotations(&[report], &[], "");
        assert_eq!(notices.lines().count(), 1, "{notices}");
        assert!(notices.starts_with("::notice file=") && notices.contains(said), "{notices}");
    }
}

#[test]
fn queries_without_an_answer_come_last_of_a_configuration() {
    let mut report = example();
    let Outcome::Measured(measured) = &mut report.configurations[0].outcome else { panic!("it is measured") };
    let scores = [("FalseAnswer".to_owned(), 1.0)].into();
    measured.unanswerable = vec![QueryReport {
        id: "n7".to_owned(),
        text: "beyond".to_owned(),
        scores,
        ..QueryReport::default()
    }];
    let csv = csv(&report);
    assert!(csv.starts_with("configuration,query,metric,score\nbm25,"), "{csv}");
    assert!(csv.ends_with("\nbm25,n7,FalseAnswer,1\n"), "{csv}");
}
