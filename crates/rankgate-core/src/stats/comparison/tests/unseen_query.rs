//! What one more query, which nobody has seen, may do to a claim.

use super::*;

#[test]
fn a_gain_has_to_outweigh_an_unseen_query_as_well() {
    // All of twelve gain: one sign vector of 4,096. An unseen query loses (6 (.64 + .01) + 1) / (6 (.8 + .1) + 1) = .7656.
    let by = |at: usize| 0.05 + 0.01 * at as f64;
    let gained = ask_above(&halves(12), by, GAIN);
    let claim = gained.decision.claims[0];
    let values: Vec<f64> = (0..12).map(by).collect();
    let unseen = crate::stats::unseen_tail(&values, -4.9 / 6.4, 0.0).unwrap();
    assert_eq!((claim.p, claim.basis), (1.0 / 4096.0, Basis::Both));
    let second = claim.second.unwrap();
    assert!((second / unseen - 1.0).abs() < 1e-9, "{second} {unseen}");
    assert!(unseen > 0.025 && claim.p_adjusted == second);
    let decided = (gained.decision.outcome, gained.decision.reason);
    assert_eq!(decided, (Outcome::Inconclusive, Reason::TestsDisagree));
    // the drop of the same sizes is shown by the permutation test alone
    let lost = ask_above(&halves(12), |at| -by(at), Expectation::default());
    assert_eq!((lost.decision.outcome, lost.decision.claims[0].second), (Outcome::Failed, None));
    let lost = ask_above(&halves(12), |at| -by(at), GAIN);
    assert_eq!((lost.decision.outcome, lost.decision.claims[1].basis), (Outcome::Failed, Basis::Test));
    // differences without any spread are shown where there are enough of them
    for (n, outcome) in [(12, Outcome::Inconclusive), (60, Outcome::Passed)] {
        assert_eq!(ask_above(&halves(n), |_| 0.1, GAIN).decision.outcome, outcome, "{n}");
    }
}

#[test]
fn a_margin_is_decided_by_the_unseen_query_alone() {
    // Nothing differs: (1 - margin)^n of an unseen query that loses 1, as 0 and 1 have it: .0253 at 182, .0248 at 183.
    let margin = Expectation::NonInferiority { margin: 0.02 };
    let baseline = |n: usize| -> Vec<f64> { (0..n).map(|at| f64::from(u8::from(at % 3 > 0))).collect() };
    for (n, one_more, outcome) in [
        (182, 0.0, Outcome::Inconclusive),
        (183, 0.0, Outcome::Passed),
        (183, 1.0, Outcome::Passed), // one query that gains changes little
    ] {
        let kept = ask_above(&baseline(n), |at| if at == 0 { one_more } else { 0.0 }, margin);
        let claim = kept.decision.claims[0];
        assert_eq!((claim.basis, kept.decision.outcome), (Basis::UnseenQuery, outcome), "{n}");
        assert_eq!(claim.second.unwrap(), claim.p_adjusted);
    }
    let kept = ask_above(&baseline(183), |_| 0.0, margin);
    let p = 0.98_f64.powi(183);
    assert!((kept.decision.claims[0].p_adjusted / p - 1.0).abs() < 1e-9);
    // and what is printed agrees: 1 - .025^(1/183) of the queries may lose everything
    let low = kept.interval.unwrap().low;
    assert!((low + 1.0 - 0.025_f64.powf(1.0 / 183.0)).abs() < 1e-9 && low > -0.02, "{low}");
    // both sides of an equivalence
    for (n, outcome) in [(182, Outcome::Inconclusive), (183, Outcome::Passed)] {
        let alike = ask_above(&baseline(n), |_| 0.0, Expectation::Equivalence { margin: 0.02 });
        assert_eq!(alike.decision.outcome, outcome, "{n}");
        assert!(alike.decision.claims[..2].iter().all(|claim| claim.basis == Basis::UnseenQuery));
    }
}

#[test]
fn robustness_sets_what_an_unseen_query_may_lose() {
    let stream = Stream::new(1);
    let baseline = halves(40);
    let candidate: Vec<f64> =
        baseline.iter().enumerate().map(|(at, s)| s + 0.05 + 0.002 * at as f64).collect();
    let differences = Differences::new(&baseline, &candidate).unwrap();
    let p = |worst: f64| {
        let values: Vec<f64> = candidate.iter().zip(&baseline).map(|(c, b)| c - b).collect();
        crate::stats::unseen_tail(&values, worst, 0.0).unwrap()
    };
    let ask = |robustness, differences: &Differences| {
        let question = Question { expectation: GAIN, ..Question::new(differences, &stream) };
        let settings = ComparisonSettings { robustness, ..ComparisonSettings::default() };
        compare(&[question], &settings).map(|mut all| all.remove(0))
    };
    for (robustness, second) in [(Robustness::Standard, p(-14.0 / 19.0)), (Robustness::Strict, p(-1.0))] {
        let claim = ask(robustness, &differences).unwrap().decision.claims[0];
        assert!((claim.second.unwrap() / second - 1.0).abs() < 1e-9, "{robustness}");
    }
    let none = ask(Robustness::None, &differences).unwrap();
    assert_eq!((none.decision.outcome, none.decision.claims[0].second), (Outcome::Passed, None));
    assert!(none.warnings.contains(&Warning::NoUnseenQuery));
    // A claim that holds with a typical loss alone says so.
    let typical = ask(Robustness::Standard, &differences).unwrap();
    let warned =
        |warning: &Warning| matches!(warning, Warning::TypicalLoss { most: Some(most), .. } if *most == 1.0);
    let held = typical.decision.outcome == Outcome::Passed;
    assert_eq!(typical.warnings.iter().any(warned), held && p(-1.0) > 0.025);
    assert!(held && p(-1.0) > 0.025, "{}", p(-1.0));
    let open = differences.within(&(0.0..=f64::INFINITY));
    assert!(ask(Robustness::Strict, &open).unwrap_err().to_string().contains("upper end"));
}

#[test]
fn an_equivalence_says_what_the_unseen_query_does() {
    let stream = Stream::new(1);
    // An unseen query of 1 undoes a margin of .05 with (1 - .05)^60 = .046, and one of .637 with (1 - .05/.637)^60 = .007.
    let baseline: Vec<f64> = (0..60).map(|at| if at % 2 == 0 { 0.25 } else { 0.75 }).collect();
    let candidate: Vec<f64> =
        baseline.iter().enumerate().map(|(at, s)| if at % 2 == 0 { s + 0.01 } else { s - 0.01 }).collect();
    let differences = Differences::new(&baseline, &candidate).unwrap();
    let question = Question {
        expectation: Expectation::Equivalence { margin: 0.05 },
        ..Question::new(&differences, &stream)
    };
    let told = compare(&[question], &ComparisonSettings::default()).unwrap().remove(0);
    let typical: Vec<String> = told
        .warnings
        .iter()
        .filter(|one| matches!(one, Warning::TypicalLoss { .. }))
        .map(|one| one.to_string())
        .collect();
    assert_eq!(typical.len(), 1, "{:?}", told.warnings);
    assert!(typical[0].contains("with one that loses 1, p is"), "{}", typical[0]);
}

#[test]
fn a_drop_may_rest_on_no_query_having_gained() {
    let stream = Stream::new(1);
    let baseline = halves(30);
    let candidate: Vec<f64> =
        baseline.iter().enumerate().map(|(at, s)| s - 0.001 * (1 + at % 3) as f64).collect();
    let differences = Differences::new(&baseline, &candidate).unwrap();
    let ask = |robustness| {
        let settings = ComparisonSettings { robustness, ..ComparisonSettings::default() };
        compare(&[Question::new(&differences, &stream)], &settings).unwrap().remove(0)
    };
    let single = ask(Robustness::Standard);
    assert_eq!(single.decision.outcome, Outcome::Failed);
    // Strictly, the query gains the whole range.
    let both = ask(Robustness::Strict);
    assert_eq!((both.decision.outcome, both.decision.claims[0].basis), (Outcome::Passed, Basis::Both));
    let values: Vec<f64> = candidate.iter().zip(&baseline).map(|(c, b)| b - c).collect();
    let p = crate::stats::unseen_tail(&values, -1.0, 0.0).unwrap();
    assert!((both.decision.claims[0].p_adjusted / p - 1.0).abs() < 1e-9);
    assert!(single.interval.unwrap().high < 0.0 && both.interval.unwrap().high > 0.0);
}

/// Where the bootstrap decides, its interval has what an unseen query leaves, as its verdict does.
#[test]
fn the_interval_of_a_bootstrap_agrees_with_its_verdict() {
    for margin in [0.02, 0.1, 0.2, 0.3] {
        let baseline = halves(40);
        let candidate: Vec<f64> = baseline
            .iter()
            .enumerate()
            .map(|(at, score)| score - 0.1 * f64::from(u8::from(at % 9 == 0)))
            .collect();
        let (stream, differences) = (Stream::new(1), Differences::new(&baseline, &candidate).unwrap());
        let settings = ComparisonSettings { test: DecidingTest::Bootstrap, ..ComparisonSettings::default() };
        let expectation = Expectation::NonInferiority { margin };
        let question = Question { expectation, ..Question::new(&differences, &stream) };
        let compared = compare(&[question], &settings).unwrap().remove(0);
        let low = compared.bootstrap.interval.unwrap().low;
        let passed = compared.decision.outcome == Outcome::Passed;
        assert_eq!(passed, low > -margin, "{margin}: {low} {:?}", compared.decision);
    }
}
