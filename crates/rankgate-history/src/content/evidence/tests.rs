//! Of each kind of finding: numbers with which a gate passes, breaks its demand or leaves it open.

use serde_json::{Value, json};

use crate::content::GateContent;
use crate::content::numbers::Ranges;

fn check(verdict: &str, advisory: bool, finding: &Value) -> Result<(), String> {
    let gate = json!({"verdict": verdict, "advisory": advisory, "finding": finding});
    let gate: GateContent = serde_json::from_value(gate).unwrap();
    gate.check("/gates/0", &mut Ranges::default()).map_err(|wrong| wrong.to_string())
}

fn with(finding: &Value, changes: &Value) -> Value {
    let mut changed = finding.clone();
    for (key, value) in changes.as_object().unwrap() {
        changed[key] = value.clone();
    }
    changed
}

fn threshold() -> Value {
    json!({"kind": "threshold", "metric": "nDCG@10", "min": 0.4, "bound": "mean", "held": 0.5,
        "measured": {"metric": "nDCG@10", "value": 0.5, "interval": [0.45, 0.9]}})
}

fn comparison() -> Value {
    json!({"kind": "comparison", "metric": "nDCG@10", "units": 2, "wins": 1, "ties": 0, "losses": 1,
        "baseline_mean": 0.5, "candidate_mean": 0.5, "difference": 0.0, "p_two_sided": 1.0, "p_greater": 1.0,
        "p_less": 1.0, "p_deciding": 1.0, "p_adjusted": 1.0, "expect": "no-regression",
        "reason": "nothing-shown", "claims": [{"evidence": "not-shown"}]})
}

/// Of each kind a finding with which a gate passes, and changes after which it breaks its demand, or leaves it open.
/// What each comes to is the table in `stats::decide` for comparisons, and what the words say for the others.
fn cases() -> Vec<(Value, Vec<(Value, &'static str)>)> {
    let overlap = json!({"kind": "overlap", "expect": "overlap", "min": 0.9, "to_min": "above",
        "likeness": {"overlap": 0.95, "identical": 3, "queries": 4}, "differing": [{"query": "q"}]});
    let identical = json!({"kind": "overlap", "expect": "identical",
        "likeness": {"overlap": 1.0, "identical": 4, "queries": 4}, "differing": []});
    let latency = json!({"kind": "latency", "max_ms": 20.0, "reason": "within", "interval": [10.0, 20.0]});
    let bounds = json!({"kind": "bounds", "min": 0.4,
        "lowest": {"value": 0.5, "interval": [0.4, 0.6], "verdict": "passed"},
        "highest": {"value": 0.7, "interval": [0.6, 0.8], "verdict": "passed"}});
    let deterministic = json!({"kind": "deterministic", "differing": [],
        "builds": {"repeated": {"differing": []}}});
    let suite = json!({"kind": "suite", "whole": comparison(), "outcome": "passed",
        "harm_at_most": {"limit": 0.1, "verdict": "passed"}});
    let suite_threshold = json!({"kind": "suite-threshold", "whole": threshold()});
    let unmet =
        |verdict: &str| json!({"unmet": {"without": "passed", "gates": [{"gate": "g", "verdict": verdict}]}});
    let evidence = |words: &[&str]| -> Value { words.iter().map(|word| json!({"evidence": word})).collect() };
    vec![
        (
            threshold(),
            vec![
                (json!({"min": 0.6}), "broken"),
                (json!({"max": 0.3}), "broken"),
                // What is held is taken from what was measured, where it is left out.
                (json!({"min": 0.6, "held": null}), "broken"),
                (json!({"bound": "lower", "held": 0.45, "min": 0.46}), "broken"),
                (json!({"bound": "lower", "held": null, "min": 0.46}), "broken"),
                (json!({"broken": "min"}), "broken"),
                (json!({"to_min": {"held": "below", "value": "below"}}), "broken"),
                (json!({"to_max": {"held": "above", "value": "above"}}), "broken"),
                (json!({"bound": "every-query", "held": 0.1, "every_query": {"worst": 0.1}}), "broken"),
                (json!({"bound": "every-query", "held": null, "every_query": {"worst": 0.1}}), "broken"),
                (
                    json!({"bound": "every-query", "held": 0.5, "every_query": {"worst": 0.5, "queries": [{}]}}),
                    "broken",
                ),
                (json!({"bound": "every-query", "held": null}), "open"),
                (json!({"corrected": {"open": "unjudged"}}), "open"),
                (json!({"calibrated": {"open": "unseen-class"}}), "open"),
                // The whole interval has to keep it.
                (json!({"corrected": {}, "min": 0.46}), "open"),
                (json!({"calibrated": {}, "min": null, "max": 0.4, "held": null}), "broken"),
                // A value below its limit whose interval reaches it, and one that people have not judged to the end.
                (json!({"corrected": {}, "min": 0.6, "broken": "min"}), "open"),
                (json!({"corrected": {"open": "few-drawn"}, "min": 0.95, "broken": "min"}), "open"),
            ],
        ),
        (
            comparison(),
            vec![
                (json!({"reason": "refuted"}), "broken"),
                (json!({"reason": "too-few-builds"}), "open"),
                (json!({"reason": "monte-carlo-undecided"}), "open"),
                (json!({"reason": "identical"}), "open"),
                (json!({"expect": "improvement"}), "open"),
                (json!({"expect": "improvement", "reason": "gain-too-small", "limit": 0.1}), "open"),
                (
                    json!({"expect": "non-inferiority", "limit": 0.1, "reason": "shown",
                    "claims": evidence(&["not-shown", "not-shown"])}),
                    "open",
                ),
                (
                    json!({"expect": "equivalence", "limit": 0.1, "reason": "shown",
                    "claims": evidence(&["shown", "not-shown", "shown", "not-shown"])}),
                    "broken",
                ),
                // A drop of 0.25 is shown, and 0.2 of it is tolerated.
                (
                    json!({"limit": 0.2, "claims": evidence(&["shown"]), "reason": "within-tolerance",
                    "candidate_mean": 0.25, "difference": -0.25}),
                    "broken",
                ),
                (json!({"corrected": {"open": "unjudged"}}), "open"),
                (json!({"corrected": {"open": "unjudged"}, "reason": "refuted"}), "open"),
            ],
        ),
        (
            overlap,
            vec![
                (json!({"min": 0.96, "to_min": null}), "broken"),
                (json!({"to_min": "below"}), "broken"),
                (json!({"min": null}), "open"),
            ],
        ),
        (
            identical,
            vec![
                (json!({"likeness": {"overlap": 1.0, "identical": 3, "queries": 4}}), "broken"),
                (json!({"differing": [{"query": "q"}]}), "broken"),
            ],
        ),
        (
            latency,
            vec![
                (json!({"reason": "beyond"}), "broken"),
                (json!({"reason": "noise"}), "open"),
                (json!({"max_ms": 9.0}), "broken"),
                (json!({"max_ms": 19.0}), "open"),
                (json!({"interval": null}), "open"),
            ],
        ),
        (
            bounds,
            vec![
                (json!({"open": "unjudged"}), "open"),
                (json!({"lowest": null}), "open"),
                (json!({"min": 0.5}), "open"),
                (json!({"min": 0.9}), "broken"),
                (json!({"highest": {"value": 0.7, "interval": [0.6, 0.8], "verdict": "failed"}}), "open"),
            ],
        ),
        (
            json!({"kind": "snapshot", "file": "x", "state": "same"}),
            vec![(json!({"state": "differs"}), "broken"), (json!({"state": "missing"}), "broken")],
        ),
        (
            deterministic,
            vec![
                (json!({"differing": [{"query": "q"}]}), "broken"),
                (json!({"builds": {"repeated": {"differing": [{"query": "q"}]}}}), "broken"),
            ],
        ),
        (
            suite,
            vec![
                (json!({"outcome": "failed"}), "broken"),
                (json!({"outcome": "inconclusive"}), "open"),
                (json!({"harm_at_most": {"limit": 0.1, "verdict": "failed"}}), "broken"),
                (json!({"whole": with(&comparison(), &json!({"reason": "refuted"}))}), "broken"),
                (unmet("failed"), "broken"),
                (unmet("inconclusive"), "open"),
            ],
        ),
        (
            suite_threshold,
            vec![
                (json!({"whole": with(&threshold(), &json!({"min": 0.6}))}), "broken"),
                (unmet("errored"), "broken"),
                (unmet("skipped"), "open"),
            ],
        ),
    ]
}

#[test]
fn no_gate_passes_on_numbers_that_break_its_demand() {
    for (finding, changes) in cases() {
        let kind = finding["kind"].as_str().unwrap();
        assert_eq!(check("passed", false, &finding), Ok(()), "{kind}");
        for (change, comes_to) in changes {
            let changed = with(&finding, &change);
            let told = |verdict: &str, advisory| check(verdict, advisory, &changed);
            let said = told("passed", false).expect_err(&format!("{kind} {change}"));
            assert!(
                said.starts_with("/gates/0/finding/") && said.contains("the gate passed, and "),
                "{said}"
            );
            for verdict in ["failed", "inconclusive", "errored"] {
                assert_eq!(told(verdict, false), Ok(()), "{kind} {change}");
            }
            assert!(told("reported", false).is_err(), "{kind} {change}");
            assert_eq!(told("skipped", false).is_err(), !kind.starts_with("suite"), "{kind} {change}");
            // Only what is open is a warning where its level does not say so.
            assert_eq!(told("advisory", false).is_err(), comes_to == "broken", "{kind} {change}");
            assert_eq!(told("advisory", true), Ok(()), "{kind} {change}");
        }
    }
}

#[test]
fn what_nobody_decided_does_not_pass() {
    let undecided = json!({"kind": "undecided", "reason": "no documents"});
    for (verdict, is_taken) in
        [("passed", false), ("reported", false), ("errored", true), ("skipped", true), ("advisory", true)]
    {
        assert_eq!(check(verdict, false, &undecided).is_ok(), is_taken, "{verdict}");
    }
    // What nobody expects is reported; it cannot have passed.
    let told = with(&comparison(), &json!({"expect": null, "reason": "refuted", "claims": []}));
    assert_eq!(check("reported", false, &told), Ok(()));
    assert!(check("passed", false, &told).is_err());
}

/// One of two queries is there, and nine in ten are needed.
#[test]
fn a_gate_that_passes_rests_on_enough() {
    let told = |verdict: &str, at_least: f64| {
        let evidence = json!({"at_least": at_least, "counts": [{"kind": "judged", "there": 1, "of": 2}]});
        let gate = json!({"verdict": verdict, "finding": threshold(), "evidence": evidence});
        let gate: GateContent = serde_json::from_value(gate).unwrap();
        gate.check("/gates/0", &mut Ranges::default()).map_err(|wrong| wrong.to_string())
    };
    let said = "/gates/0/evidence: the gate passed on a share of 0.5 of what it rests on, and needs 0.9";
    assert_eq!(told("passed", 0.9), Err(said.to_owned()));
    assert_eq!((told("passed", 0.5), told("errored", 0.9)), (Ok(()), Ok(())));
}
