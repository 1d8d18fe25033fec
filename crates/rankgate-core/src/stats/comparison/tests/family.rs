//! Questions of one family: corrections, shared signs, segments.

use super::*;

#[test]
fn the_larger_of_two_p_values_is_adjusted_for_the_family() {
    let stream = Stream::new(1);
    let metrics = DROPS.map(|values| differences(&values.map(|value| -value)));
    let questions: Vec<Question<'_>> =
        metrics.iter().map(|one| Question { expectation: GAIN, ..Question::new(one, &stream) }).collect();
    for correction in [Correction::Holm, Correction::BenjaminiHochberg, Correction::MaxT] {
        let settings = ComparisonSettings { correction, ..ComparisonSettings::default() };
        let compared = compare(&questions, &settings).unwrap();
        let claims: Vec<_> = compared.iter().map(|one| one.decision.claims[0]).collect();
        let second: Vec<f64> = claims.iter().map(|claim| claim.second.unwrap().1).collect();
        let larger: Vec<f64> = claims.iter().zip(&second).map(|(claim, &p)| claim.p.max(p)).collect();
        let expected = match correction {
            // unseen queries share no signs
            Correction::MaxT => {
                let both: Vec<&Differences> = metrics.iter().collect();
                let options = PermutationOptions::default();
                let shared = max_t(&both, Some(Direction::Greater), &options).unwrap().step_down;
                let second = adjust(&second, Correction::Holm).unwrap();
                shared.iter().zip(second).map(|(shared, second)| shared.max(second)).collect()
            }
            other => adjust(&larger, other).unwrap(),
        };
        for (index, claim) in claims.iter().enumerate() {
            assert_eq!(claim.p_adjusted, expected[index], "{correction}");
            assert_eq!((compared[index].p.0, compared[index].p_adjusted.0), (larger[index], expected[index]));
            assert!(second[index] != claim.p && claim.second.unwrap().0 == SecondTest::UnseenQuery);
            // the other direction is no claim in the candidate's favour
            assert_eq!(compared[index].decision.claims[1].second, None);
        }
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

#[test]
fn one_comparison_alone_is_adjusted_by_no_correction() {
    let values: Vec<f64> = (0..60).map(|at| f64::from(at * 7 % 11 - 4) / 10.0).collect();
    let one = differences(&values);
    for seed in 1..5 {
        for correction in [Correction::MaxT, Correction::Holm, Correction::BenjaminiHochberg] {
            let settings = ComparisonSettings { correction, ..ComparisonSettings::default() };
            let stream = Stream::new(seed);
            let compared = compare(&[Question::new(&one, &stream)], &settings).unwrap();
            assert_eq!(compared[0].p_adjusted, compared[0].p, "{correction}, seed {seed}");
        }
    }
}

#[test]
fn a_segment_shares_the_signs_of_its_places() {
    // Statistics over their roots of squares: the whole (1 + 1 + 1 - 1) / 2 = 1, the segment 2 / root 2.
    // The segment's is reached where both of its signs are +, 4 of 16, and where the whole is 4 / 2, which
    // is one of 16: with - at the last place. The whole's is reached by 5 sums of 2 or 4, of 16.
    let stream = Stream::new(1);
    let (whole, segment) = (differences(&[0.1, 0.1, 0.1, -0.1]), differences(&[0.1, 0.1]));
    let settings = ComparisonSettings { correction: Correction::MaxT, ..ComparisonSettings::default() };
    for (positions, expected) in [([2, 3], 5.0 / 16.0), ([0, 3], 5.0 / 16.0), ([0, 1], 4.0 / 16.0)] {
        let whole = Question::new(&whole, &stream);
        let segment = Question { positions: Some(&positions), ..Question::new(&segment, &stream) };
        let compared = compare(&[segment, whole], &settings).unwrap();
        assert_eq!(compared[0].p_adjusted.0, expected, "{positions:?}");
        assert_eq!(compared[0].family, 2);
    }
    // two segments of a whole that is not asked about: no place in common, 1 - (1 - 1/4)^2
    let (first, second) = ([0, 1], [2, 3]);
    let part = |positions| Question { positions: Some(positions), ..Question::new(&segment, &stream) };
    let compared = compare(&[part(&first), part(&second)], &settings).unwrap();
    assert_eq!(compared[0].p_adjusted.0, 7.0 / 16.0);
    let compared = compare(&[part(&first), part(&first)], &settings).unwrap();
    assert_eq!(compared[0].p_adjusted.0, 4.0 / 16.0);
    // all signs listed: 1 of 256 is no simulated p-value that might lie elsewhere
    let drop = differences(&[-0.1, -0.2, -0.1, -0.3, -0.2, -0.1, -0.2, -0.1]);
    let compared = compare(&[Question::new(&drop, &stream); 2], &settings).unwrap();
    assert_eq!(compared[0].p_adjusted.1, 1.0 / 256.0);
    assert_eq!(compared[0].decision.outcome, Outcome::Failed);
}

#[test]
fn candidates_share_one_sign_per_unit() {
    // Of the 16 sign vectors of 4 units two give the one candidate or the other the first's sum, 4; the
    // second's, 0, is reached by 1 + 4 + 6 of its own.
    let streams = [Stream::new(1).for_name("a"), Stream::new(1).for_name("b")];
    let (first, second) = (differences(&[0.1, 0.1, 0.1, 0.1]), differences(&[0.1, 0.1, -0.1, -0.1]));
    let settings = ComparisonSettings { correction: Correction::MaxT, ..ComparisonSettings::default() };
    let questions = [Question::new(&first, &streams[0]), Question::new(&second, &streams[1])];
    let compared = compare(&questions, &settings).unwrap();
    let mut reached = [0, 0];
    for signs in 0..16 {
        let sign = |unit: usize| if signs >> unit & 1 == 1 { -1 } else { 1 };
        let sums = [[1, 1, 1, 1], [1, 1, -1, -1]]
            .map(|units: [i32; 4]| (0..4).map(|unit| sign(unit) * units[unit]).sum::<i32>());
        reached[0] += i32::from(sums[0].max(sums[1]) >= 4);
        reached[1] += i32::from(sums[1] >= 0);
    }
    assert_eq!(reached, [2, 11]);
    for (one, reached) in compared.iter().zip(reached) {
        assert_eq!(one.p_adjusted.0, f64::from(reached) / 16.0);
    }
}

#[test]
fn what_max_t_cannot_adjust_is_an_error() {
    let stream = Stream::new(1);
    let (whole, shorter) = (differences(&DROPS[0]), differences(&DROPS[0][..2]));
    let max_t = ComparisonSettings { correction: Correction::MaxT, ..ComparisonSettings::default() };
    let one = Question::new(&whole, &stream);
    let check = |questions: &[Question<'_>], settings: &ComparisonSettings| {
        compare(questions, settings).map(|_| ()).map_err(|error| error.to_string())
    };
    let says = |answer: Result<(), String>, part: &str| {
        let error = answer.unwrap_err();
        assert!(error.contains(part), "{error}");
    };
    assert_eq!(check(&[one, one], &max_t), Ok(()));
    let bootstrap = ComparisonSettings { test: DecidingTest::Bootstrap, ..max_t.clone() };
    says(check(&[one], &bootstrap), "the bootstrap cannot decide");
    says(check(&[one], &ComparisonSettings { untested: 1, ..max_t.clone() }), "to be tested");
    says(check(&[one, Question::new(&shorter, &stream)], &max_t), "same queries");
    let part = |positions| Question { positions: Some(positions), ..Question::new(&shorter, &stream) };
    assert_eq!(check(&[one, part(&[0, 7])], &max_t), Ok(()));
    for wrong in [&[0, 8][..], &[8, 9], &[3], &[1, 2, 3], &[3, 3], &[4, 3]] {
        says(check(&[one, part(wrong)], &max_t), "one position per unit");
    }
    // without a whole only the order can be wrong
    assert_eq!(check(&[part(&[0, 8])], &max_t), Ok(()));
    says(check(&[part(&[8, 0])], &max_t), "ascending");
}
