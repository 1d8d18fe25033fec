//! The one call, and what it refuses.

use super::{Comparison, Question, measure, verdict};
use crate::stats::{
    ComparisonSettings, Correction, Differences, Expectation, PermutationOptions, Stream, correction,
};
use crate::{Error, Result};

/// Tests a family of questions, adjusts them for each other, and decides each.
///
/// Questions about the same units and the same pair of configurations share their random signs and resamples.
/// The answer to a question depends on the others through the correction alone: its own p-values and
/// intervals stay the same whatever is asked beside it (but for Monte Carlo going on for longer where the
/// correction compares with more levels).
///
/// # Errors
///
/// When a limit, the power or the number of resamples is out of range; or, with [`Correction::MaxT`], when
/// questions are not about as many units, positions do not fit, a question of the family is untested, or the
/// bootstrap is to decide.
///
/// ```
/// use rankgate::stats::{ComparisonSettings, Differences, Outcome, Question, Stream, compare};
///
/// let baseline = [0.9, 0.8, 1.0, 0.7, 0.6, 0.9, 0.8, 1.0];
/// let candidate = [0.7, 0.5, 0.8, 0.6, 0.5, 0.6, 0.7, 0.9];
/// let differences = Differences::new(&baseline, &candidate)?;
/// let stream = Stream::new(1).for_name("helpdesk").for_name("golden").for_name("bm25");
/// let questions = [Question::new(&differences, &stream)];
/// let comparison = compare(&questions, &ComparisonSettings::default())?.remove(0);
/// assert_eq!(comparison.decision.outcome, Outcome::Failed);
/// assert_eq!(comparison.permutation().p_less, 1.0 / 256.0);
/// assert!(comparison.interval.unwrap().high < 0.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn compare(questions: &[Question<'_>], settings: &ComparisonSettings) -> Result<Vec<Comparison>> {
    for question in questions {
        question.expectation.check()?;
        if question.corrected.is_none() {
            question.rule(settings).check(question.differences)?;
        }
    }
    settings.permutation.check()?;
    if settings.correction == Correction::MaxT {
        check_max_t(questions, settings)?;
    }
    let options = options(questions, settings);
    let measured = measure::measure(questions, &options, settings)?;
    verdict::decide_all(questions, &options, measured, settings)
}

/// Compares two slices of scores with the default settings: one score per query, in the order of sorted
/// query ids.
///
/// # Errors
///
/// When the slices cannot be paired (see [`Differences::new`]), or a limit of the expectation is out of range.
///
/// ```
/// use rankgate::stats::{Expectation, compare_scores};
///
/// let baseline = [0.9, 0.8, 1.0, 0.7, 0.6, 0.9, 0.8, 1.0];
/// let candidate = [0.7, 0.5, 0.8, 0.6, 0.5, 0.6, 0.7, 0.9];
/// let comparison = compare_scores(&baseline, &candidate, Expectation::default())?;
/// assert_eq!((comparison.wins, comparison.losses), (0, 8));
/// assert_eq!(comparison.permutation().p_two_sided(), 2.0 / 256.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn compare_scores(baseline: &[f64], candidate: &[f64], expectation: Expectation) -> Result<Comparison> {
    let differences = Differences::new(baseline, candidate)?;
    let stream = Stream::default();
    let question = Question { expectation, ..Question::new(&differences, &stream) };
    let mut compared = compare(&[question], &ComparisonSettings::default())?;
    Ok(compared.swap_remove(0))
}

/// Each question's options: its own stream, and the levels that its p-values will be held against.
fn options(questions: &[Question<'_>], settings: &ComparisonSettings) -> Vec<PermutationOptions> {
    let tail = settings.confidence.tail();
    let corrected = questions.iter().filter(|question| question.expectation.is_corrected()).count();
    let of_question = |question: &Question<'_>| {
        let correction =
            if question.expectation.is_corrected() { settings.correction } else { Correction::None };
        PermutationOptions {
            levels: correction::levels(corrected.max(1) + settings.untested, tail, correction),
            stream: question.stream.for_name("signs"),
            ..settings.permutation.clone()
        }
    };
    questions.iter().map(of_question).collect()
}

fn check_max_t(questions: &[Question<'_>], settings: &ComparisonSettings) -> Result<()> {
    let test = settings.test;
    if !test.takes_max_t() {
        let message = format!("max-t adjusts the permutation test; the {test} cannot decide with it");
        return Err(Error::invalid(message));
    }
    if settings.untested > 0 {
        return Err(Error::invalid("max-t needs every question of the family to be tested"));
    }
    let whole = questions.iter().filter(|question| question.positions.is_none());
    let lengths: Vec<usize> = whole.map(|question| question.differences.len()).collect();
    if lengths.iter().any(|length| *length != lengths[0]) {
        return Err(Error::invalid("max-t needs the same queries for every question, or their positions"));
    }
    let fits = |question: &Question<'_>| {
        question.positions.is_none_or(|positions| {
            let within = lengths.first().is_none_or(|&length| positions.iter().all(|&at| at < length));
            within
                && positions.len() == question.differences.len()
                && positions.windows(2).all(|pair| pair[0] < pair[1])
        })
    };
    if !questions.iter().all(fits) {
        return Err(Error::invalid("a segment needs one position per unit, in ascending order"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{
        Basis, Confidence, CorrectedMean, DecidingTest, Direction, DropTest, Guarantee, Outcome, Reason,
        SecondTest, Warning, adjust, max_t, permutation_test,
    };

    fn differences(values: &[f64]) -> Differences {
        Differences::new(&vec![0.0; values.len()], values).unwrap()
    }

    fn ask(values: &[f64], expectation: Expectation) -> Comparison {
        compare_scores(&vec![0.0; values.len()], values, expectation).unwrap()
    }

    const DROPS: [[f64; 8]; 2] =
        [[-0.3, -0.2, 0.1, -0.4, -0.1, -0.2, 0.2, -0.3], [-0.1, -0.3, -0.2, 0.2, -0.5, -0.1, 0.1, -0.2]];

    const GAIN: Expectation = Expectation::Improvement { min_gain: 0.0 };

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
                assert_eq!(
                    (compared[index].p.0, compared[index].p_adjusted.0),
                    (larger[index], expected[index])
                );
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
            assert_eq!(one.t_interval, all[index].0.interval(Confidence::default()));
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
        let regression = Expectation::NoRegression { tolerance: 0.0 };
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
            for guarantee in [Guarantee::Typical, Guarantee::None] {
                let question = Question {
                    expectation,
                    corrected: Some(&corrected),
                    guarantee: Some(guarantee),
                    ..Question::new(&differences, &stream)
                };
                let compared = compare(&[question], &ComparisonSettings::default()).unwrap().remove(0);
                let claim = &compared.decision.claims[0];
                let found = claim.second.map_or(claim.p, |(_, second)| match claim.basis {
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
                assert!((compared.t_interval.unwrap().low - low).abs() < 1e-9, "{compared:?}");
            }
            // Whatever can be lost is: at least as large, and nothing where it has no end.
            let bounded = |differences: &Differences| {
                let question = Question {
                    expectation,
                    corrected: Some(&corrected),
                    guarantee: Some(Guarantee::Bounded),
                    ..Question::new(differences, &stream)
                };
                compare(&[question], &ComparisonSettings::default())
            };
            let claims = bounded(&differences).unwrap().remove(0).decision.claims;
            assert!(claims[0].second.is_none_or(|(_, second)| second >= p - 1e-12), "{claims:?}");
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

    /// Of five equal queries no permutation shows anything, and the unseen query does: by hand it is worth
    /// (5 * .25 + 1) / (5 * .5 + 1) = .643, and p = (1 - .4 / .643)^5.
    #[test]
    fn what_another_test_shows_is_not_called_too_little_to_show_anything() {
        let too_few = |compared: &Comparison| {
            compared.warnings.iter().any(|one| matches!(one, Warning::NothingCanBeShown { .. }))
        };
        let equal = ask_above(&[0.5; 5], |_| 0.0, Expectation::NonInferiority { margin: 0.4 });
        let p = (1.0 - 0.4 / (2.25 / 3.5_f64)).powi(5);
        assert!((equal.decision.claims[0].p_adjusted - p).abs() < 1e-9, "{:?}", equal.decision.claims);
        assert!(equal.decision.outcome == Outcome::Passed && !too_few(&equal), "{:?}", equal.warnings);
        assert!(too_few(&ask(&[-0.1, -0.2, -0.3, -0.4, -0.5], Expectation::default())));
        let (stream, differences) = (Stream::new(1), differences(&[-0.1, -0.2, -0.3, -0.4, -0.5]));
        let settings = ComparisonSettings { test: DecidingTest::Bootstrap, ..ComparisonSettings::default() };
        let resampled = compare(&[Question::new(&differences, &stream)], &settings).unwrap().remove(0);
        assert!(!too_few(&resampled), "{:?}", resampled.warnings);
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
            let settings =
                ComparisonSettings { test: DecidingTest::Bootstrap, ..ComparisonSettings::default() };
            let expectation = Expectation::NonInferiority { margin };
            let question = Question { expectation, ..Question::new(&differences, &stream) };
            let compared = compare(&[question], &settings).unwrap().remove(0);
            let low = compared.bootstrap_interval.unwrap().unwrap().low;
            let passed = compared.decision.outcome == Outcome::Passed;
            assert_eq!(passed, low > -margin, "{margin}: {low} {:?}", compared.decision);
        }
    }

    /// Scores of a baseline that rest on half of its queries.
    fn halves(n: usize) -> Vec<f64> {
        (0..n).map(|at| if at % 2 == 0 { 0.8 } else { 0.1 }).collect()
    }

    fn ask_above(baseline: &[f64], by: impl Fn(usize) -> f64, expectation: Expectation) -> Comparison {
        let candidate: Vec<f64> = baseline.iter().enumerate().map(|(at, score)| score + by(at)).collect();
        compare_scores(baseline, &candidate, expectation).unwrap()
    }

    #[test]
    fn a_gain_has_to_outweigh_an_unseen_query_as_well() {
        // All of twelve gain: one sign vector of 4,096. An unseen query loses (6 (.64 + .01) + 1) / (6 (.8 + .1) + 1) = .7656.
        let by = |at: usize| 0.05 + 0.01 * at as f64;
        let gained = ask_above(&halves(12), by, GAIN);
        let claim = gained.decision.claims[0];
        let values: Vec<f64> = (0..12).map(by).collect();
        let unseen = crate::stats::unseen_tail(&values, -4.9 / 6.4, 0.0).unwrap();
        assert_eq!((claim.p, claim.basis), (1.0 / 4096.0, Basis::Both));
        let (test, second) = claim.second.unwrap();
        assert!(test == SecondTest::UnseenQuery && (second / unseen - 1.0).abs() < 1e-9, "{second} {unseen}");
        assert!(unseen > 0.025 && claim.p_adjusted == second);
        let decided = (gained.decision.outcome, gained.decision.reason);
        assert_eq!(decided, (Outcome::Inconclusive, Reason::TestsDisagree));
        assert!(gained.warnings.contains(&Warning::TestsDisagree));
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
            assert_eq!(claim.second.unwrap().1, claim.p_adjusted);
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
    fn guarantees_say_what_an_unseen_query_may_lose() {
        let stream = Stream::new(1);
        let baseline = halves(40);
        let candidate: Vec<f64> =
            baseline.iter().enumerate().map(|(at, s)| s + 0.05 + 0.002 * at as f64).collect();
        let differences = Differences::new(&baseline, &candidate).unwrap();
        let p = |worst: f64| {
            let values: Vec<f64> = candidate.iter().zip(&baseline).map(|(c, b)| c - b).collect();
            crate::stats::unseen_tail(&values, worst, 0.0).unwrap()
        };
        let ask = |guarantee, differences: &Differences| {
            let question = Question {
                expectation: GAIN,
                guarantee: Some(guarantee),
                ..Question::new(differences, &stream)
            };
            compare(&[question], &ComparisonSettings::default()).map(|mut all| all.remove(0))
        };
        for (guarantee, second) in [(Guarantee::Typical, p(-14.0 / 19.0)), (Guarantee::Bounded, p(-1.0))] {
            let claim = ask(guarantee, &differences).unwrap().decision.claims[0];
            assert!((claim.second.unwrap().1 / second - 1.0).abs() < 1e-9, "{guarantee}");
        }
        let none = ask(Guarantee::None, &differences).unwrap();
        assert_eq!((none.decision.outcome, none.decision.claims[0].second), (Outcome::Passed, None));
        assert!(none.warnings.contains(&Warning::NoGuarantee));
        // A claim that holds with a typical loss alone says so.
        let typical = ask(Guarantee::Typical, &differences).unwrap();
        let cautioned = |warning: &Warning| matches!(warning, Warning::TypicalLoss { most: Some(most), .. } if *most == 1.0);
        let held = typical.decision.outcome == Outcome::Passed;
        assert_eq!(typical.warnings.iter().any(cautioned), held && p(-1.0) > 0.025);
        assert!(held && p(-1.0) > 0.025, "{}", p(-1.0));
        let open = differences.within(&(0.0..=f64::INFINITY));
        assert!(ask(Guarantee::Bounded, &open).unwrap_err().to_string().contains("upper end"));
    }

    #[test]
    fn a_drop_may_rest_on_no_query_having_gained() {
        let stream = Stream::new(1);
        let baseline = halves(30);
        let candidate: Vec<f64> =
            baseline.iter().enumerate().map(|(at, s)| s - 0.001 * (1 + at % 3) as f64).collect();
        let differences = Differences::new(&baseline, &candidate).unwrap();
        let ask = |drop| {
            let question = Question { drop: Some(drop), ..Question::new(&differences, &stream) };
            compare(&[question], &ComparisonSettings::default()).unwrap().remove(0)
        };
        // 15 lack .2 and 15 lack .9: (15 (.04 + .81) + 1) / (15 (.2 + .9) + 1)
        let gain = 13.75 / 17.5;
        let single = ask(DropTest::Single);
        assert_eq!(single.decision.outcome, Outcome::Failed);
        let undone = |warning: &Warning| matches!(warning, Warning::UnseenGain { gain: found, units: 31 } if (found - gain).abs() < 1e-12);
        assert!(single.warnings.iter().any(undone), "{:?}", single.warnings);
        let both = ask(DropTest::BothTests);
        assert_eq!((both.decision.outcome, both.decision.claims[0].basis), (Outcome::Passed, Basis::Both));
        let values: Vec<f64> = candidate.iter().zip(&baseline).map(|(c, b)| b - c).collect();
        let p = crate::stats::unseen_tail(&values, -gain, 0.0).unwrap();
        assert!((both.decision.claims[0].p_adjusted / p - 1.0).abs() < 1e-9);
        assert!(single.interval.unwrap().high < 0.0 && both.interval.unwrap().high > 0.0);
    }

    #[test]
    fn a_smallest_gain_is_shown_against_itself() {
        // gains of .1 to .28 in each of sixty queries, .19 on average
        let values: Vec<f64> = (0..60).map(|at| 0.1 + 0.02 * f64::from(at % 10)).collect();
        for (min_gain, outcome, reason) in [
            (0.0, Outcome::Passed, Reason::Shown),
            (0.1, Outcome::Passed, Reason::Shown),
            (0.18, Outcome::Inconclusive, Reason::GainTooSmall), // less than was observed
            (0.3, Outcome::Inconclusive, Reason::GainTooSmall),
        ] {
            let compared = ask(&values, Expectation::Improvement { min_gain });
            assert_eq!(
                (compared.decision.outcome, compared.decision.reason),
                (outcome, reason),
                "{min_gain}"
            );
            assert_eq!(compared.decision.claims[0].claim.null, min_gain);
            assert_eq!(compared.p.0, compared.decision.claims[0].p_adjusted);
        }
        // Holm and max-t adjust that p-value
        let (stream, one) = (Stream::new(1), differences(&values));
        let ask = |min_gain| Question {
            expectation: Expectation::Improvement { min_gain },
            ..Question::new(&one, &stream)
        };
        for correction in [Correction::Holm, Correction::MaxT] {
            let settings = ComparisonSettings { correction, ..ComparisonSettings::default() };
            let both = compare(&[ask(0.0), ask(0.18)], &settings).unwrap();
            assert_eq!(both[0].decision.outcome, Outcome::Passed, "{correction}");
            assert_eq!(both[1].decision.outcome, Outcome::Inconclusive, "{correction}");
            assert!(both[1].p_adjusted.0 > 0.2 && both[0].p_adjusted.0 < 0.01, "{correction}");
        }
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
        // queries are counted for what is to be shown: a limit, or the gain that was seen
        let gain = Expectation::Improvement { min_gain: 0.0 };
        let up = [0.1, 0.2, 0.3, 0.0];
        let down = up.map(|value| -value);
        let needed_for = |values: &[f64], expectation| ask(values, expectation).queries_needed_for;
        assert!((needed_for(&up, gain).unwrap() - 0.15).abs() < 1e-12);
        assert_eq!(needed_for(&down, gain), None);
        assert_eq!(needed_for(&[0.1, -0.1], gain), None);
        assert_eq!(needed_for(&up, Expectation::default()), None);
        assert_eq!(needed_for(&up, Expectation::NonInferiority { margin: 0.02 }), Some(0.02));
        assert_eq!(needed_for(&up, Expectation::NoRegression { tolerance: 0.02 }), Some(0.04));
        assert_eq!(needed_for(&up, Expectation::Improvement { min_gain: 0.02 }), Some(0.04));
        // what nothing is planned for costs nothing
        let settings = ComparisonSettings { verdict_only: true, ..ComparisonSettings::default() };
        let (one, stream) = (differences(&up), Stream::new(1));
        let compared =
            compare(&[Question { expectation: gain, ..Question::new(&one, &stream) }], &settings).unwrap();
        assert_eq!((compared[0].queries_needed_for, compared[0].minimum_detectable_effect), (None, None));
        assert_eq!(compared[0].interval, Err(crate::stats::NoInterval::NotAsked));
        assert_eq!(compared[0].decision, ask(&up, gain).decision);
    }

    #[test]
    fn warnings_are_given_where_they_hold() {
        let has = |values: &[f64], expectation, wanted: fn(&Warning) -> bool| {
            ask(values, expectation).warnings.iter().any(wanted)
        };
        let regression = Expectation::default();
        let within: fn(&Warning) -> bool = |warning| matches!(warning, Warning::DropWithinTolerance { .. });
        let tolerant = Expectation::NoRegression { tolerance: 0.2 };
        assert!(has(&[-0.1; 9], tolerant, within) && !has(&[-0.3; 9], tolerant, within));
        assert!(!has(&[-0.1, 0.1], tolerant, within) && !has(&[0.1; 9], tolerant, within));
        let unseen: fn(&Warning) -> bool = |warning| matches!(warning, Warning::UnseenLosses { .. });
        assert!(has(&[0.1, 0.0, 0.2, 0.1], regression, unseen));
        assert!(!has(&[0.1, -0.1, 0.2, 0.1], regression, unseen)); // passes with a loss
        assert!(!has(&[0.1, 0.0, 0.2, 0.1], GAIN, unseen)); // is not shown
        let few: fn(&Warning) -> bool = |warning| matches!(warning, Warning::FewUnits { .. });
        let units = |n: usize| -> Vec<f64> { (0..n).map(|i| if i % 2 == 0 { 0.1 } else { -0.2 }).collect() };
        assert!(has(&units(24), regression, few) && !has(&units(25), regression, few));
        let dominates: fn(&Warning) -> bool = |warning| matches!(warning, Warning::OneUnitDominates { .. });
        assert!(has(&[0.1, 0.1, -0.9], regression, dominates));
        assert!(!has(&units(20), regression, dominates) && !has(&[0.0; 5], regression, dominates));
    }
}
