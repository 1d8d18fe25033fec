//! One comparison: its verdict, the numbers beside it and its warnings.

use super::*;

#[test]
fn the_bootstrap_decides_where_it_is_asked_to() {
    let (stream, differences) = (Stream::new(1), differences(&DROPS[0]));
    let settings = ComparisonSettings { test: DecidingTest::Bootstrap, ..ComparisonSettings::default() };
    let compared = compare(&[Question::new(&differences, &stream)], &settings).unwrap().remove(0);
    let (p, permutation) = (compared.decision.claims[0].p, compared.permutation().p_less);
    // a share of 9,999 resamples and one; the other is one of 256 sign vectors
    assert!((p * 10_000.0 - (p * 10_000.0).round()).abs() < 1e-9, "{p}");
    assert!((p - permutation).abs() > 1e-6 && (p - permutation).abs() < 0.05, "{p} {permutation}");
    assert!((permutation * 256.0).fract() == 0.0);
}

#[test]
fn a_smallest_gain_is_shown_against_itself() {
    // gains of .1 to .28 in each of sixty queries, .19 on average
    let values: Vec<f64> = (0..60).map(|at| 0.1 + 0.02 * f64::from(at % 10)).collect();
    for (margin, outcome, reason) in [
        (0.0, Outcome::Passed, Reason::Significant),
        (0.1, Outcome::Passed, Reason::Significant),
        (0.18, Outcome::Inconclusive, Reason::GainTooSmall), // less than was observed
        (0.3, Outcome::Inconclusive, Reason::GainTooSmall),
    ] {
        let compared = ask(&values, Expectation::Improvement { margin });
        assert_eq!((compared.decision.outcome, compared.decision.reason), (outcome, reason), "{margin}");
        assert_eq!(compared.decision.claims[0].claim.null, margin);
        assert_eq!(compared.p.0, compared.decision.claims[0].p_adjusted);
    }
    // that p-value is adjusted
    let (stream, one) = (Stream::new(1), differences(&values));
    let ask = |margin| Question {
        expectation: Expectation::Improvement { margin },
        ..Question::new(&one, &stream)
    };
    let both = compare(&[ask(0.0), ask(0.18)], &ComparisonSettings::default()).unwrap();
    assert_eq!(both[0].decision.outcome, Outcome::Passed);
    assert_eq!(both[1].decision.outcome, Outcome::Inconclusive);
    assert!(both[1].p_adjusted.0 > 0.2 && both[0].p_adjusted.0 < 0.01);
}

#[test]
fn numbers_beside_the_verdict() {
    let compared = ask(&[0.1, 0.2, 0.0, -0.1, 0.3, 0.0], Expectation::default());
    assert_eq!((compared.nonzero(), compared.wins, compared.ties, compared.losses), (4, 3, 2, 1));
    let p = compared.p_adjusted;
    assert_eq!(compared.p_adjusted_two_sided(), 2.0 * p.0);
    assert!(p.0 < 0.5 && p.1 > 0.5);
    let level = ask(&[0.1, -0.1], Expectation::default());
    assert_eq!(level.p_adjusted_two_sided(), 1.0);
    // standard deviation .147196: (t_5(.975) + t_5(.8)) s / sqrt(6), with 2.570582 + 0.919544 from SciPy 1.17
    let detectable = compared.minimum_detectable_effect.unwrap();
    assert!((detectable - 3.490_126 * 0.147_196_014 / 6f64.sqrt()).abs() < 1e-6, "{detectable}");
    // the verdict alone
    let settings = ComparisonSettings { verdict_only: true, ..ComparisonSettings::default() };
    let (up, gain) = ([0.1, 0.2, 0.3, 0.0], Expectation::Improvement { margin: 0.0 });
    let (one, stream) = (differences(&up), Stream::new(1));
    let compared =
        compare(&[Question { expectation: gain, ..Question::new(&one, &stream) }], &settings).unwrap();
    assert_eq!(compared[0].interval, Err(crate::stats::NoInterval::NotAsked));
    assert_eq!(compared[0].decision, ask(&up, gain).decision);
}

#[test]
fn warnings_are_given_where_they_hold() {
    let has = |values: &[f64], expectation, wanted: fn(&Warning) -> bool| {
        ask(values, expectation).warnings.iter().any(wanted)
    };
    let regression = Expectation::default();
    let few: fn(&Warning) -> bool = |warning| matches!(warning, Warning::FewUnits { .. });
    let units = |n: usize| -> Vec<f64> { (0..n).map(|i| if i % 2 == 0 { 0.1 } else { -0.2 }).collect() };
    assert!(has(&units(24), regression, few) && !has(&units(25), regression, few));
}
