//! Differences that a judge measured and people corrected.

use super::*;

#[test]
fn claims_of_corrected_differences_are_students_and_adjusted_as_others() {
    let model = [0.3, 0.1, 0.2, 0.0, 0.4, 0.1, 0.2, 0.3];
    let people = |by: f64| {
        let of = |(at, model): (usize, &f64)| (at < 5).then_some(model - by + 0.02 * at as f64);
        model.iter().enumerate().map(of).collect::<Vec<_>>()
    };
    let stream = Stream::new(1);
    let all = [0.05, 0.15].map(|by| {
        let people = people(by);
        let drawn: Vec<f64> = people.iter().flatten().copied().collect();
        (CorrectedMean::new(&model, &people).unwrap(), differences(&drawn))
    });
    let questions: Vec<Question<'_>> = all
        .iter()
        .map(|(corrected, drawn)| Question {
            expectation: GAIN,
            corrected: Some(corrected),
            ..Question::new(drawn, &stream)
        })
        .collect();
    let compared = compare(&questions, &ComparisonSettings::default()).unwrap();
    let p: Vec<f64> = all.iter().map(|(one, _)| one.p(0.0, Direction::Greater)).collect();
    let adjusted = adjust(&p, Correction::Holm).unwrap();
    for (index, one) in compared.iter().enumerate() {
        let claim = one.decision.claims[0];
        assert_eq!((claim.p, claim.second, claim.p_adjusted), (p[index], None, adjusted[index]));
        assert_eq!(one.difference, all[index].0.value);
        assert_eq!(one.interval, all[index].0.interval(Confidence::default()));
        // The companion is of the drawn units alone.
        let alone = permutation_test(&all[index].1, 0.0, &PermutationOptions::default()).unwrap();
        assert_eq!((one.units, one.permutation().p_two_sided()), (5, alone.p_two_sided()));
    }
}

/// Of 16 units people judged 8, or so many, who differ by the same each; the baseline's scores are `from` each.
fn flat(from: f64, by: f64, drawn: usize, units: usize) -> (CorrectedMean, Differences) {
    let people: Vec<Option<f64>> = (0..units).map(|at| (at < drawn).then_some(by)).collect();
    let all: Vec<usize> = (0..units).collect();
    // As where nothing is seen to differ: both sides may be the same.
    let range = f64::NEG_INFINITY..=f64::INFINITY;
    let corrected = CorrectedMean::within(&vec![by; units], &people, &all, &range).unwrap();
    let differences = Differences::new(&vec![from; drawn], &vec![from + by; drawn]).unwrap();
    (corrected, differences.within(&(0.0..=1.0)))
}

/// By hand. The unseen query weighs 1 beside n that are all d, so that its share w has P(w > x) = (1 - x)^n. It loses
/// L = (1 + n s²) / (1 + n s) of baseline scores s: the mean is at most m if w >= (d - m) / (d + L).
#[test]
fn drawn_units_without_spread_leave_room_for_an_unseen_one() {
    let stream = Stream::new(1);
    let loss = |from: f64, n: i32| (1.0 + f64::from(n) * from * from) / (1.0 + f64::from(n) * from);
    let margin = |margin: f64| Expectation::NonInferiority { margin };
    let alike = Expectation::Equivalence { margin: 0.3 };
    let regression = Expectation::NoRegression { margin: 0.0 };
    for (from, by, drawn, expectation, outcome, p) in [
        // All 1 on both sides: L = 1.
        (1.0, 0.0, 60, margin(0.3), Outcome::Passed, 0.7_f64.powi(60)),
        (1.0, 0.0, 10, margin(0.3), Outcome::Inconclusive, 0.7_f64.powi(10)),
        (1.0, 0.0, 11, margin(0.3), Outcome::Passed, 0.7_f64.powi(11)),
        (0.5, 0.0, 8, margin(0.3), Outcome::Passed, (1.0 - 0.3 / loss(0.5, 8)).powi(8)),
        (1.0, 0.0, 60, alike, Outcome::Passed, 0.7_f64.powi(60)),
        // A gain by the larger p-value of signs, 1 of 2^8, and of the unseen query.
        (0.5, 0.2, 8, GAIN, Outcome::Inconclusive, (1.0 - 0.2 / (0.2 + loss(0.5, 8))).powi(8)),
        (0.5, 0.2, 30, GAIN, Outcome::Passed, (1.0 - 0.2 / (0.2 + loss(0.5, 30))).powi(30)),
        // A loss of each is one by their signs alone.
        (0.5, -0.2, 8, regression, Outcome::Failed, 1.0 / 256.0),
        (0.5, 0.0, 8, regression, Outcome::Passed, 1.0),
        (0.5, 0.2, 8, regression, Outcome::Passed, 1.0),
        (0.5, -0.2, 8, margin(0.1), Outcome::Failed, 1.0),
        (0.5, -0.2, 8, margin(0.3), Outcome::Inconclusive, (1.0 - 0.1 / (loss(0.5, 8) - 0.2)).powi(8)),
    ] {
        let (corrected, differences) = flat(from, by, drawn, 60);
        for robustness in [Robustness::Standard, Robustness::None] {
            let question =
                Question { expectation, corrected: Some(&corrected), ..Question::new(&differences, &stream) };
            let settings = ComparisonSettings { robustness, ..ComparisonSettings::default() };
            let compared = compare(&[question], &settings).unwrap().remove(0);
            let claim = &compared.decision.claims[0];
            let found = claim.second.map_or(claim.p, |second| match claim.basis {
                Basis::UnseenQuery => second,
                _ => second.max(claim.p),
            });
            assert!(
                (found - p).abs() < 1e-9 * p.max(1e-3),
                "{from} {by} {drawn} {expectation:?}: {found} {p}"
            );
            assert_eq!(compared.decision.outcome, outcome, "{from} {by} {drawn} {expectation:?}");
            // What is printed agrees: the lower limit is where the p-value is half of 1 - confidence.
            let share = 1.0 - 0.025_f64.powf(1.0 / drawn as f64);
            let low = by - share * (by + loss(from, drawn as i32));
            assert!((compared.interval.unwrap().low - low).abs() < 1e-9, "{compared:?}");
        }
        // Whatever can be lost is: at least as large, and nothing where it has no end.
        let bounded = |differences: &Differences| {
            let settings =
                ComparisonSettings { robustness: Robustness::Strict, ..ComparisonSettings::default() };
            let question =
                Question { expectation, corrected: Some(&corrected), ..Question::new(differences, &stream) };
            compare(&[question], &settings)
        };
        let claims = bounded(&differences).unwrap().remove(0).decision.claims;
        assert!(claims[0].second.is_none_or(|second| second >= p - 1e-12), "{claims:?}");
    }
}

/// A share of all units loses everything, and the judge sees none of it: the margin is kept falsely where the sample holds
/// none of them, in (1 - share)^n of all samples, which is at most .025 where that is enough to pass.
#[test]
fn samples_that_hold_no_loss_pass_falsely_no_more_often_than_stated() {
    let (units, samples, stream) = (120, 4_000_u64, Stream::new(7));
    let mut random = (0..).map(|at| (stream.sequence(0).at(at) >> 11) as f64 / 2f64.powi(53));
    for (drawn, share) in [(30, 0.12), (30, 0.1), (40, 0.09), (60, 0.06)] {
        let mut passed = 0_u64;
        let (corrected, differences) = flat(1.0, 0.0, drawn, units);
        let question = Question {
            expectation: Expectation::NonInferiority { margin: share },
            corrected: Some(&corrected),
            ..Question::new(&differences, &stream)
        };
        let settings = ComparisonSettings { verdict_only: true, ..ComparisonSettings::default() };
        let compared = compare(&[question], &settings).unwrap().remove(0);
        let passes = compared.decision.outcome == Outcome::Passed;
        for _ in 0..samples {
            // Those that are drawn are units as any.
            let holds_none = (0..drawn).filter(|_| random.next().unwrap() < share).count() == 0;
            passed += u64::from(passes && holds_none);
        }
        let rate = passed as f64 / samples as f64;
        // three standard errors
        assert!(rate <= 0.025 + 3.0 * (0.025 * 0.975 / samples as f64).sqrt(), "{drawn} {share}: {rate}");
        assert_eq!(passes, (1.0 - share).powi(drawn as i32) <= 0.025, "{drawn} {share}");
    }
}

/// People grade 40 of 1,000 queries. With one total loss among them Student's limit keeps a margin of .1, and says that a second
/// loss, of half the range, would undo it; with none the limits leave room for it already.
#[test]
fn a_margin_kept_with_one_loss_says_what_it_rests_on() {
    let stream = Stream::new(1);
    let ids: Vec<usize> = (0..1_000).collect();
    let decided = |lost: usize, spread: f64| {
        let of = |at: usize| if at < lost { -1.0 } else { spread * (at % 5) as f64 - 2.0 * spread };
        let people: Vec<Option<f64>> = ids.iter().map(|at| (*at < 40).then(|| of(*at))).collect();
        let corrected = CorrectedMean::within(&[0.0; 1_000], &people, &ids, &(-1.0..=1.0)).unwrap();
        let after: Vec<f64> = people.iter().flatten().map(|moved| 0.5 + moved / 2.0).collect();
        let differences = Differences::new(&[0.5; 40], &after).unwrap().within(&(0.0..=1.0));
        let expectation = Expectation::NonInferiority { margin: 0.11 };
        let question =
            Question { expectation, corrected: Some(&corrected), ..Question::new(&differences, &stream) };
        let compared = compare(&[question], &ComparisonSettings::default()).unwrap().remove(0);
        (compared.decision.outcome, compared.warnings)
    };
    let (outcome, warnings) = decided(1, 0.0);
    assert_eq!(outcome, Outcome::Passed);
    let [Warning::OneMoreLoss { loss, units: 40, p }] = warnings[..] else { panic!("{warnings:?}") };
    assert!((loss - 11.0 / 21.0).abs() < 1e-12 && p > 0.05, "{loss} {p}");
    // Ordinary spread, which holds such a loss: nothing to say.
    assert_eq!(decided(0, 0.05), (Outcome::Passed, vec![]));
}
