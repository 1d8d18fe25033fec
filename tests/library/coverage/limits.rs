//! Gates that can decide nothing, whatever is there.

use std::path::Path;

use rankgate::benchmark::model::Verdict;
use rankgate::report;
use rankgate::standalone::Standalone;

use super::{EITHER, Folder, QUERIES, cut, good, reason, run, verdicts, worse};

#[test]
fn one_collection_with_too_little_makes_a_suite_an_error() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    let member = |name: &str, baseline: &str, more: &str| {
        let text = format!(
            "version: 1\nbenchmark: {name}\ndepth: 10\ncollection: {{beir: data}}\nconfigurations:\n  old: {{run: \
             {baseline}}}\n  new: {{run: new.run}}\nmetrics: [RR@10]\n{more}"
        );
        folder.write(&format!("{name}.yaml"), &text);
    };
    folder.write("half.run", &run(0..QUERIES / 2, |_| 1));
    let suite = |more: &str| {
        let gates = "thresholds:\n  - {metric: RR@10, min: 0.1, for: [old]}\ncomparisons:\n  - {candidate: new, baseline: \
                     old, metric: RR@10}\n";
        folder.write(
            "all.yaml",
            &format!("version: 1\nsuite: all\nbenchmarks: [a.yaml, b.yaml]\n{more}{gates}"),
        );
        Standalone::new().open_suite(folder.path("all.yaml")).unwrap().run()
    };
    member("a", "old.run", "");
    folder.write("cut.run", &cut(&good(), |_| 1));
    member("b", "cut.run", "");
    let report = suite("");
    assert_eq!(verdicts(&report), [Verdict::Passed, Verdict::Error]);
    let said = reason(&report.gates[1]);
    assert!(
        said.starts_with("b: old has complete lists for 10 of 20 queries, and the others end at rank 1"),
        "{said}"
    );
    member("b", "cut.run", "coverage: 0\n");
    assert_eq!(verdicts(&suite("")), [Verdict::Passed, Verdict::Passed]);
    member("b", "half.run", "");
    let report = suite("");
    assert_eq!(verdicts(&report), [Verdict::Error, Verdict::Error]);
    let said = reason(&report.gates[1]);
    assert!(
        said.starts_with("b: old has results for 10 of 20 judged queries (50%). 90% is needed"),
        "{said}"
    );
    assert_eq!(verdicts(&suite("coverage: 0.5\n")), [Verdict::Passed, Verdict::Passed]);
    member("b", "half.run", "coverage: 0.5\n");
    let report = suite("");
    assert_eq!(verdicts(&report), [Verdict::Passed, Verdict::Passed]);
    let message = report::message(&report, &report.gates[1]);
    assert!(message.contains("b: old has results for 10 of 20 judged queries"), "{message}");
}

#[test]
fn a_limit_that_no_mean_of_a_suite_breaks_is_said_to_be_no_gate() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        let text = format!(
            "version: 1\nbenchmark: {name}\ndepth: 10\ncollection: {{beir: data}}\nconfigurations:\n  old: {{run: \
             old.run}}\nmetrics: [RR@10]\n"
        );
        folder.write(&format!("{name}.yaml"), &text);
    }
    for (limit, is_gate) in [("min: 0", false), ("min: 1e-400", false), ("max: 1", false), ("min: 0.1", true)]
    {
        let gates = format!("thresholds:\n  - {{metric: RR@10, {limit}}}\n");
        folder.write("all.yaml", &format!("version: 1\nsuite: all\nbenchmarks: [a.yaml, b.yaml]\n{gates}"));
        let report = Standalone::new().open_suite(folder.path("all.yaml")).unwrap().run();
        assert_eq!(verdicts(&report), [Verdict::Passed]);
        let said = "line 5 is no gate: RR@10 is from 0 to 1, so that it can never fail";
        assert_eq!(report.warnings.iter().any(|warning| warning.text == said), !is_gate, "{limit}");
    }
}

/// What is put up with may be all that there is to lose.
#[test]
fn a_margin_that_no_run_exceeds_is_said_to_be_no_gate() {
    let folder = Folder::new();
    folder.write("old.run", &good());
    folder.write("new.run", &worse());
    for (expect, is_gate) in [
        ("margin: 0.9", false),
        ("margin: 0.75", false),
        ("margin: 0.74", true),
        ("expect: non-inferiority, margin: 0.8", false),
        ("expect: equivalence, margin: 0.8", false),
        ("expect: equivalence, margin: 0.5", true),
    ] {
        let gate = format!("comparisons: [{{candidate: new, baseline: old, metric: RR@10, {expect}}}]\n");
        let report = folder.decide(&gate);
        let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
        let said = "this is no gate: no run can be more than 0.7500 worse than old, and 0.";
        assert_eq!(text.contains(said), !is_gate, "{expect}\n{text}");
    }
}

#[test]
fn what_is_no_share_is_said_at_its_place() {
    let folder = Folder::new();
    for (coverage, place, said) in [
        ("90", "10:11", "did you mean `0.9`?"),
        ("-1", "10:11", "a share is from 0 to 1, not -1"),
        ("{at-least: 0.5}", "10:11", "a share, from 0 to 1"),
    ] {
        let text = std::fs::read_to_string(folder.spec(EITHER)).unwrap() + &format!("coverage: {coverage}\n");
        let line = text.lines().count();
        let place = place.replacen("10", &line.to_string(), 1);
        let path = Path::new("toy.yaml");
        let error = rankgate::spec::Spec::parse(path, &text, &rankgate::spec::Registry::new())
            .unwrap_err()
            .to_string();
        assert!(error.contains(&format!("toy.yaml:{place}")) && error.contains(said), "{coverage}\n{error}");
    }
}
