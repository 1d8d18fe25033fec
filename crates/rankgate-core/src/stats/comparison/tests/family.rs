//! Questions of one family are adjusted for each other.

use super::*;

#[test]
fn the_larger_of_two_p_values_is_adjusted_for_the_family() {
    let stream = Stream::new(1);
    let metrics = DROPS.map(|values| differences(&values.map(|value| -value)));
    let questions: Vec<Question<'_>> =
        metrics.iter().map(|one| Question { expectation: GAIN, ..Question::new(one, &stream) }).collect();
    let compared = compare(&questions, &ComparisonSettings::default()).unwrap();
    let claims: Vec<_> = compared.iter().map(|one| one.decision.claims[0]).collect();
    let second: Vec<f64> = claims.iter().map(|claim| claim.second.unwrap()).collect();
    let larger: Vec<f64> = claims.iter().zip(&second).map(|(claim, &p)| claim.p.max(p)).collect();
    let expected = adjust(&larger, Correction::Holm).unwrap();
    for (index, claim) in claims.iter().enumerate() {
        assert_eq!(claim.p_adjusted, expected[index]);
        assert_eq!((compared[index].p.0, compared[index].p_adjusted.0), (larger[index], expected[index]));
        assert!(second[index] != claim.p);
        // the other direction is no claim in the candidate's favour
        assert_eq!(compared[index].decision.claims[1].second, None);
    }
    let questions: Vec<Question<'_>> = metrics.iter().map(|one| Question::new(one, &stream)).collect();
    // what could not be asked counts as a p-value of 1
    let settings = ComparisonSettings { untested: 3, ..ComparisonSettings::default() };
    let compared = compare(&questions, &settings).unwrap();
    let p: Vec<f64> = compared.iter().map(|one| one.permutation().p_less).collect();
    let adjusted = adjust(&[p[0], p[1], 1.0, 1.0, 1.0], Correction::Holm).unwrap();
    for (one, p) in compared.iter().zip(adjusted) {
        assert_eq!((one.family, one.p_adjusted.1), (5, p));
    }
}

/// Of perfect scores that nothing changes, a margin of .05 is kept with p = .95^80 = .0165, by hand; as one of two candidates of
/// which the better is picked, with twice that. A drop beyond the margin is not adjusted.
#[test]
fn a_margin_is_adjusted_for_the_candidates_of_which_one_is_picked() {
    let stream = Stream::new(1);
    let decided = |moved: f64, candidates: usize, correction: Correction| {
        let differences = Differences::new(&[1.0; 80], &[1.0 - moved; 80]).unwrap();
        let expectation = Expectation::NonInferiority { margin: 0.05 };
        let question = Question { expectation, ..Question::new(&differences, &stream) };
        let settings = ComparisonSettings { candidates, correction, ..ComparisonSettings::default() };
        let decision = compare(&[question], &settings).unwrap().remove(0).decision;
        (decision.outcome, decision.claims[0].p_adjusted)
    };
    let alone = 0.95_f64.powi(80);
    for (candidates, correction, outcome, p) in [
        (1, Correction::Holm, Outcome::Passed, alone),
        (2, Correction::Holm, Outcome::Inconclusive, 2.0 * alone),
        (2, Correction::None, Outcome::Passed, alone),
    ] {
        let found = decided(0.0, candidates, correction);
        assert!(found.0 == outcome && (found.1 - p).abs() < 1e-12, "{candidates} {correction:?}: {found:?}");
    }
    assert_eq!(decided(0.1, 9, Correction::Holm).0, Outcome::Failed);
}
