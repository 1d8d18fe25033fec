//! Findings of comparisons built by hand, for the tests of the renderings. Their numbers are made up,
//! and agree with each other where a reader would notice.

use crate::model::*;
use crate::stats::Reason;

use super::sample::{against_golden, disagreement, gate, helpdesk};

pub(in crate::report) fn claim(direction: &str, null: f64, p: f64, evidence: &str) -> ClaimReport {
    ClaimReport {
        direction: direction.parse().unwrap(),
        null,
        hoped: direction == "greater",
        p: (2.0 * p).min(1.0),
        p_adjusted: (2.0 * p).min(1.0),
        reached: p <= 0.025,
        by_unseen_query: false,
        p_second: None,
        evidence: evidence.parse().unwrap(),
    }
}

/// bm25 against golden: worse, as the movers say.
pub(in crate::report) fn dropped() -> ComparisonFinding {
    ComparisonFinding {
        candidate: "bm25".to_owned(),
        baseline: "golden".to_owned(),
        metric: "nDCG@10".to_owned(),
        segment: None,
        expect: Some(Expect::NoRegression),
        conclusion: None,
        limit: None,
        reason: Reason::Refuted,
        queries: 120,
        wins: 9,
        ties: 94,
        losses: 17,
        baseline_mean: 0.7312,
        candidate_mean: 0.6984,
        difference: -0.0328,
        interval: Some([-0.0451, -0.0207]),
        p_deciding: 0.000_04,
        p_adjusted: 0.000_04,
        claims: vec![claim("less", 0.0, 0.000_02, "significant")],
        test: "by the permutation test, Monte Carlo with 99,999 resamples".to_owned(),
        rows: vec![Row::new("permutation", "two-sided p = 4e-5")],
        collections: Vec::new(),
        minimum_detectable_effect: Some(0.0174),
        warnings: Vec::new(),
        movers: against_golden(),
    }
}

/// A comparison of two configurations, of which the second is the better one.
pub(in crate::report) fn gained() -> ComparisonFinding {
    let mut movers = against_golden();
    std::mem::swap(&mut movers.losses, &mut movers.gains);
    for mover in movers.losses.iter_mut().chain(&mut movers.gains) {
        let before = mover.before.unwrap();
        (mover.before, mover.after) = (Some(mover.after), before);
        for document in &mut mover.documents {
            (document.from, document.to) = (document.to, document.from);
        }
    }
    movers.against = Some("words".to_owned());
    (movers.worse, movers.better, movers.unchanged) = (9, 31, 122);
    ComparisonFinding {
        candidate: "stemmed".to_owned(),
        baseline: "words".to_owned(),
        expect: Some(Expect::Improvement),
        reason: Reason::Significant,
        queries: 162,
        wins: 31,
        ties: 122,
        losses: 9,
        baseline_mean: 0.6514,
        candidate_mean: 0.744,
        difference: 0.0926,
        interval: Some([0.058, 0.1281]),
        p_deciding: 0.0002,
        p_adjusted: 0.0004,
        claims: vec![
            ClaimReport { p_adjusted: 0.0004, ..claim("greater", 0.0, 0.0001, "significant") },
            ClaimReport { p_adjusted: 1.0, ..claim("less", 0.0, 0.9999, "not-significant") },
        ],
        minimum_detectable_effect: Some(0.0504),
        movers,
        ..dropped()
    }
}

/// The same with another expectation, other claims, and so another reason.
pub(in crate::report) fn expecting(
    finding: ComparisonFinding,
    expect: &str,
    limit: Option<f64>,
    reason: &str,
    claims: &[ClaimReport],
) -> ComparisonFinding {
    let hoped = |(place, claim): (usize, &ClaimReport)| ClaimReport {
        hoped: place < claims.len() / 2,
        ..claim.clone()
    };
    ComparisonFinding {
        expect: Some(expect.parse().unwrap()),
        limit,
        reason: Reason::ALL.into_iter().find(|one| one.to_string() == reason).unwrap(),
        claims: claims.iter().enumerate().map(hoped).collect(),
        ..finding
    }
}

/// Nothing to be seen: a small difference in noise.
pub(in crate::report) fn open(finding: ComparisonFinding) -> ComparisonFinding {
    let candidate_mean = finding.baseline_mean - 0.0041;
    ComparisonFinding {
        candidate_mean,
        difference: -0.0041,
        interval: Some([-0.0263, 0.0181]),
        p_deciding: 0.7134,
        p_adjusted: 0.7134,
        minimum_detectable_effect: Some(0.0314),
        ..finding
    }
}

pub(in crate::report) fn compared(finding: ComparisonFinding) -> Finding {
    Finding::Comparison(Box::new(finding))
}

fn shared(overlap: f64, disagreement: Disagreement) -> Disagreement {
    Disagreement { overlap: Some(overlap), ..disagreement }
}

pub(in crate::report) fn overlapping() -> OverlapFinding {
    OverlapFinding {
        candidate: "hnsw".to_owned(),
        baseline: "exact".to_owned(),
        expect: Expect::Overlap,
        min: Some(0.9),
        segment: None,
        cutoff: 10,
        overlap: 0.8123,
        identical: 34,
        queries: 120,
        interval: Some([0.7661, 0.8498]),
        unpaired: 0,
        differing: vec![
            shared(0.3, disagreement("q042", Some("refunds-3"), false)),
            shared(0.4, disagreement("q007", None, false)),
            shared(2.0 / 3.0, disagreement("q101", Some("parcel-2"), true)),
        ],
        warnings: Vec::new(),
    }
}

pub(in crate::report) fn overlapped(finding: OverlapFinding) -> Finding {
    Finding::Overlap(Box::new(finding))
}

/// A benchmark of comparisons.
pub(in crate::report) fn comparing() -> Report {
    let segment = Some(["category".to_owned(), "billing".to_owned()]);
    let margin = expecting(
        open(ComparisonFinding { limit: Some(0.02), ..gained() }),
        "non-inferiority",
        Some(0.02),
        "no significant difference either way",
        &[
            claim("greater", -0.02, 0.0812, "not-significant"),
            claim("less", -0.02, 0.9188, "not-significant"),
        ],
    );
    Report {
        depth_because: None,
        blessings: Vec::new(),
        cut_short: Vec::new(),
        gates_in_spec: 0,
        gates: vec![
            gate("bm25-vs-golden::nDCG@10", Verdict::Failed, compared(dropped())),
            gate("stemmed-vs-words::nDCG@10", Verdict::Passed, compared(gained())),
            gate(
                "stemmed-vs-words::R@100[category=billing]",
                Verdict::Inconclusive,
                compared(ComparisonFinding { segment, metric: "R@100".to_owned(), ..margin }),
            ),
            gate("hnsw-vs-exact::overlap@10", Verdict::Failed, overlapped(overlapping())),
        ],
        warnings: Vec::new(),
        ..helpdesk()
    }
}

/// Findings of both kinds with this text wherever text comes from data.
pub(in crate::report) fn hostile_findings(text: &str) -> [Finding; 2] {
    let own = || text.to_owned();
    let segment = Some([own(), own()]);
    let mut comparison = ComparisonFinding {
        candidate: own(),
        baseline: own(),
        metric: own(),
        segment: segment.clone(),
        warnings: vec![Warning::of_side(&own(), &own()); 8],
        limit: Some(1e-300),
        test: own(),
        rows: vec![Row { label: own(), value: own(), remark: own() }],
        ..gained()
    };
    comparison.interval = None;
    comparison.movers.against = Some(own());
    for mover in comparison.movers.losses.iter_mut().chain(&mut comparison.movers.gains) {
        (mover.query, mover.text) = (own(), own());
        for document in &mut mover.documents {
            document.document = own();
        }
    }
    for claim in &mut comparison.claims {
        claim.p_second = Some(0.5);
    }
    let one = Disagreement { text: own(), ..disagreement(text, Some(text), true) };
    let overlap = OverlapFinding {
        candidate: own(),
        baseline: own(),
        segment,
        unpaired: 1,
        differing: vec![one],
        warnings: vec![Warning::of_side(&own(), &own())],
        ..overlapping()
    };
    [compared(comparison), overlapped(overlap)]
}
