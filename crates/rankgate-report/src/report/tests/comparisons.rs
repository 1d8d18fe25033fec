//! Renderings of comparisons, reviewed by eye and kept as snapshots.

use insta::assert_snapshot;

use crate::model::*;
use crate::stats::{self, Reason};

use super::check;
use super::sample::{gate, helpdesk};
use super::sample_comparison::*;
use crate::report::*;

/// The message of a gate in the helpdesk benchmark.
fn message_text(verdict: Verdict, finding: Finding) -> String {
    let mut gate = gate("bm25-vs-golden::nDCG@10", verdict, finding);
    gate.inputs_changed.clear();
    message(&helpdesk(), &gate)
}

const SHOWN: &str = "it is significant";
const REFUTED: &str = "the opposite is significant";
const NOTHING: &str = "no significant difference either way";

#[test]
fn no_regression() {
    let no_regression = |finding, limit, reason: &str, p, evidence: &str| {
        compared(expecting(finding, "no-regression", limit, reason, &[claim("less", 0.0, p, evidence)]))
    };
    for (name, verdict, finding) in [
        ("failed", Verdict::Failed, compared(dropped())),
        (
            "failed_margin",
            Verdict::Failed,
            no_regression(dropped(), Some(0.01), REFUTED, 0.000_02, "significant"),
        ),
        (
            "within_margin",
            Verdict::Passed,
            no_regression(
                dropped(),
                Some(0.05),
                "a significant drop, within the margin",
                0.000_02,
                "significant",
            ),
        ),
        ("passed", Verdict::Passed, no_regression(open(dropped()), None, NOTHING, 0.3567, "not-significant")),
        (
            "undecided",
            Verdict::Inconclusive,
            no_regression(
                dropped(),
                None,
                "the simulated p-value is too close to the level",
                0.025_003,
                "undecided",
            ),
        ),
        ("advisory", Verdict::Advisory, compared(dropped())),
    ] {
        assert_snapshot!(format!("no_regression_{name}"), message_text(verdict, finding));
    }
}

#[test]
fn improvement() {
    let improvement = |finding, limit: Option<f64>, reason: &str, claims: [(f64, &str); 2]| {
        let [(better, shown), (worse, refuted)] = claims;
        let null = limit.unwrap_or(0.0);
        let claims = [claim("greater", null, better, shown), claim("less", 0.0, worse, refuted)];
        compared(expecting(finding, "improvement", limit, reason, &claims))
    };
    let small = ComparisonFinding { limit: Some(0.05), ..gained() };
    for (name, verdict, finding) in [
        ("passed", Verdict::Passed, compared(gained())),
        (
            "failed",
            Verdict::Failed,
            improvement(dropped(), None, REFUTED, [(0.999_99, "not-significant"), (0.000_02, "significant")]),
        ),
        (
            "open",
            Verdict::Inconclusive,
            improvement(
                open(small),
                Some(0.05),
                NOTHING,
                [(0.6433, "not-significant"), (0.3567, "not-significant")],
            ),
        ),
        (
            "too_small",
            Verdict::Inconclusive,
            improvement(
                gained(),
                Some(0.1),
                "no significant gain of the required size",
                [(0.2001, "not-significant"), (0.9999, "not-significant")],
            ),
        ),
        ("of_identical_rankings", Verdict::Inconclusive, compared(identical())),
    ] {
        assert_snapshot!(format!("improvement_{name}"), message_text(verdict, finding));
    }
}

/// The same rankings on both sides.
fn identical() -> ComparisonFinding {
    let claims = [claim("greater", 0.0, 1.0, "not-significant"), claim("less", 0.0, 1.0, "not-significant")];
    ComparisonFinding {
        baseline_mean: 0.744,
        difference: 0.0,
        wins: 0,
        losses: 0,
        ties: 162,
        interval: None,
        p_adjusted: 1.0,
        minimum_detectable_effect: None,
        movers: Movers {
            against: Some("words".to_owned()),
            against_value: Some(0.744),
            unchanged: 162,
            cutoff: 10,
            ..Movers::default()
        },
        ..expecting(gained(), "improvement", None, "the rankings are identical", &claims)
    }
}

#[test]
fn non_inferiority() {
    let within = |finding, limit: f64, reason: &str, claims: [(f64, &str); 2]| {
        let [(above, shown), (below, refuted)] = claims;
        let claims = [claim("greater", -limit, above, shown), claim("less", -limit, below, refuted)];
        compared(expecting(finding, "non-inferiority", Some(limit), reason, &claims))
    };
    let narrow = ComparisonFinding { limit: Some(0.02), ..gained() };
    for (name, verdict, finding) in [
        (
            "passed",
            Verdict::Passed,
            within(open(dropped()), 0.03, SHOWN, [(0.0112, "significant"), (0.9888, "not-significant")]),
        ),
        (
            "failed",
            Verdict::Failed,
            within(dropped(), 0.02, REFUTED, [(0.979, "not-significant"), (0.021, "significant")]),
        ),
        (
            "open",
            Verdict::Inconclusive,
            within(open(narrow), 0.02, NOTHING, [(0.0812, "not-significant"), (0.9188, "not-significant")]),
        ),
    ] {
        assert_snapshot!(format!("non_inferiority_{name}"), message_text(verdict, finding));
    }
}

#[test]
fn equivalence() {
    let equivalent = |finding, reason: &str, claims: [(f64, &str); 4]| {
        let [above, below, worse, better] = claims;
        let claims = [
            claim("greater", -0.03, above.0, above.1),
            claim("less", 0.03, below.0, below.1),
            claim("less", -0.03, worse.0, worse.1),
            claim("greater", 0.03, better.0, better.1),
        ];
        compared(expecting(finding, "equivalence", Some(0.03), reason, &claims))
    };
    let no = "not-significant";
    for (name, verdict, finding) in [
        (
            "passed",
            Verdict::Passed,
            equivalent(
                open(dropped()),
                SHOWN,
                [(0.0112, "significant"), (0.0015, "significant"), (0.9888, no), (0.9985, no)],
            ),
        ),
        (
            "failed",
            Verdict::Failed,
            equivalent(
                gained(),
                REFUTED,
                [(0.0, "significant"), (0.9997, no), (1.0, no), (0.0003, "significant")],
            ),
        ),
        (
            "open",
            Verdict::Inconclusive,
            equivalent(
                open(dropped()),
                "only one side of the margin is kept significantly",
                [(0.0312, no), (0.0015, "significant"), (0.9688, no), (0.9985, no)],
            ),
        ),
    ] {
        assert_snapshot!(format!("equivalence_{name}"), message_text(verdict, finding));
    }
}

#[test]
fn queries_that_agree_are_not_called_undecided() {
    let mut open = dropped();
    (open.expect, open.limit, open.reason) = (Some(Expect::Improvement), None, Reason::TestsDisagree);
    open.claims[0] = ClaimReport {
        p_second: Some(0.062),
        p_adjusted: 0.062,
        reached: false,
        ..claim("greater", 0.0, 1e-5, "disputed")
    };
    let said = message_text(Verdict::Inconclusive, compared(open.clone()));
    let words = "INCONCLUSIVE: these queries agree; a query that you lack could undo it";
    assert!(said.contains(words), "{said}");
    open.queries += 1;
    assert_eq!(open.reason_words(), "these groups agree; a group that you lack could undo it");
    // It is the other way round where the queries show too little.
    open.claims[0].p = 0.08;
    assert_eq!(open.reason_words(), "only one of the two required tests is significant");
}

#[test]
fn few_queries() {
    let mut disputed = dropped();
    disputed.metric = "RR@10".to_owned();
    disputed.segment = Some(["category".to_owned(), "billing".to_owned()]);
    disputed.queries = 30;
    (disputed.wins, disputed.ties, disputed.losses) = (1, 4, 7);
    (disputed.expect, disputed.limit) = (Some(Expect::NonInferiority), Some(0.04));
    disputed.reason = Reason::TestsDisagree;
    disputed.test = "by the permutation test, exact, and one unseen group beside these 12".to_owned();
    disputed.claims[0] = ClaimReport {
        p_second: Some(0.062),
        p_adjusted: 0.062,
        reached: false,
        ..claim("greater", -0.04, 0.0195, "disputed")
    };
    let warning = |warning| Warning::of_statistics(warning, None, None);
    disputed.warnings = vec![warning(stats::Warning::FewUnits { units: 12 })];
    assert_snapshot!("clusters_that_tests_dispute", message_text(Verdict::Inconclusive, compared(disputed)));

    let claims = [claim("greater", 0.0, 0.5, "not-significant"), claim("less", 0.0, 1.0, "not-significant")];
    let one = ComparisonFinding {
        queries: 1,
        interval: None,
        minimum_detectable_effect: None,
        movers: Movers::default(),
        wins: 1,
        ties: 0,
        losses: 0,
        ..expecting(gained(), "improvement", None, NOTHING, &claims)
    };
    assert_snapshot!("one_query", message_text(Verdict::Inconclusive, compared(one)));
}

#[test]
fn the_bootstrap_decides() {
    let mut finding = dropped();
    finding.test = "by the bootstrap, 9,999 resamples".to_owned();
    assert_snapshot!(message_text(Verdict::Failed, compared(finding)));
}

#[test]
fn rankings_alone() {
    let apart: Vec<Disagreement> =
        overlapping().differing.into_iter().map(|one| Disagreement { overlap: None, ..one }).collect();
    let exact = |identical, queries| {
        let whole = identical == queries;
        overlapped(OverlapFinding {
            expect: Expect::Identical,
            min: None,
            identical,
            queries,
            overlap: if whole { 1.0 } else { 0.8123 },
            differing: if whole { Vec::new() } else { apart.clone() },
            ..overlapping()
        })
    };
    let agreed = OverlapFinding { min: Some(0.8), unpaired: 2, ..overlapping() };
    for (name, verdict, finding) in [
        ("overlap_failed", Verdict::Failed, overlapped(overlapping())),
        ("overlap_passed", Verdict::Passed, overlapped(agreed)),
        ("identical_failed", Verdict::Failed, exact(34, 120)),
        ("identical_passed", Verdict::Passed, exact(120, 120)),
    ] {
        assert_snapshot!(name, message_text(verdict, finding));
    }
}

#[test]
fn reports_of_comparisons() {
    let report = comparing();
    assert_snapshot!("text", text(&report));
    assert_snapshot!("markdown", markdown(&report));
    check(&report);
    assert_eq!(serde_json::from_str::<Report>(&json(&report)).unwrap(), report);
    let mut advisory = report;
    advisory.gates.truncate(1);
    advisory.gates[0].verdict = Verdict::Advisory;
    assert_eq!(
        summary_line(&advisory),
        "helpdesk: 1 advisory (bm25-vs-golden::nDCG@10 -0.03 [-0.05, -0.02] p = 4e-5); slowest configuration bm25-stem 1.20 s p95"
    );
}

#[test]
fn every_verdict_and_expectation_keeps_the_rules() {
    let verdicts =
        [Verdict::Passed, Verdict::Failed, Verdict::Inconclusive, Verdict::Advisory, Verdict::Error];
    let mut report = comparing();
    report.gates.clear();
    for verdict in verdicts {
        for expect in Expect::ALL.map(Some).into_iter().chain([None]) {
            for finding in [dropped(), identical()] {
                for limit in [None, Some(f64::MAX)] {
                    let finding = ComparisonFinding { expect, limit, ..finding.clone() };
                    report.gates.push(gate("bm25-vs-golden::nDCG@10", verdict, compared(finding)));
                }
            }
        }
    }
    check(&report);
}
