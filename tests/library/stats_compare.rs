//! Whole comparisons: what decides them, what is said beside them, and what must not change them.

#![expect(clippy::unwrap_used, reason = "a failed expectation is a failed test")]

use proptest::collection::vec;
use proptest::prelude::{Just, any, prop_assert, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    Comparison, ComparisonSettings, Confidence, Correction, DecidingTest, Differences, Engine, Evidence,
    Expectation, NoInterval, Outcome, PermutationOptions, Question, Reason, Stream, Warning, compare,
};

const NO_REGRESSION: Expectation = Expectation::NoRegression { margin: 0.0 };
const IMPROVEMENT: Expectation = Expectation::Improvement { margin: 0.0 };

fn differences_from(values: &[f64]) -> Differences {
    Differences::new(&vec![0.0; values.len()], values).unwrap()
}

fn ask(differences: &Differences, expectation: Expectation) -> Comparison {
    ask_with(differences, expectation, &ComparisonSettings::default())
}

fn ask_with(
    differences: &Differences,
    expectation: Expectation,
    settings: &ComparisonSettings,
) -> Comparison {
    let stream = Stream::new(1);
    let question = Question { expectation, ..Question::new(differences, &stream) };
    compare(&[question], settings).unwrap().remove(0)
}

/// Reals with this mean, deviation about .2, and a third of ties when `ties`.
fn noisy(n: usize, mean: f64, ties: bool, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut unit = || f64::from(random.next_u32()) / f64::from(u32::MAX);
    (0..n)
        .map(|_| {
            let value = unit() + unit() + unit() - 1.5;
            if ties && unit() < 1.0 / 3.0 { 0.0 } else { 0.4 * value + mean }
        })
        .collect()
}

/// The default settings with fewer draws and without a plan, which simulates: for claims about paths through a
/// comparison, not about its precision.
fn quick() -> ComparisonSettings {
    let permutation =
        PermutationOptions { resamples: 999, most_resamples: 9_999, ..PermutationOptions::default() };
    ComparisonSettings { bootstrap_resamples: 999, permutation, ..ComparisonSettings::default() }
}

fn has(comparison: &Comparison, wanted: impl Fn(&Warning) -> bool) -> bool {
    comparison.warnings.iter().any(wanted)
}

/// Ten candidates as good as their baseline: how often one passes as a gain where each is asked alone, and where
/// all are one family, of which Holm's correction holds the first to a tenth of the level.
#[test]
fn the_best_of_ten_equal_candidates_is_no_gain() {
    const COLLECTIONS: u64 = 60;
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut unit = || f64::from(random.next_u32()) / f64::from(u32::MAX);
    let resampled =
        PermutationOptions { resamples: 999, most_resamples: 999, ..PermutationOptions::default() };
    let settings = |alpha: f64| ComparisonSettings {
        confidence: Confidence::new(1.0 - alpha).unwrap(),
        bootstrap_resamples: 999,
        permutation: resampled.clone(),
        ..ComparisonSettings::default()
    };
    let [alone, of_ten] = [0.05, 0.005].map(settings);
    let mut passed = [0_u64; 2];
    for collection in 0..COLLECTIONS {
        // sums of three: standard deviation .2 each
        let mut scores = || (0..50).map(|_| 0.4 * (unit() + unit() + unit() - 1.5)).collect::<Vec<f64>>();
        let baseline = scores();
        let differences: Vec<Differences> =
            (0..10).map(|_| Differences::new(&baseline, &scores()).unwrap()).collect();
        let best = |settings: &ComparisonSettings| {
            let passes = |(place, one): &(usize, &Differences)| {
                let stream = Stream::new(collection).for_name(&place.to_string());
                let question = Question { expectation: IMPROVEMENT, ..Question::new(one, &stream) };
                compare(&[question], settings).unwrap()[0].decision.claims[0].p_adjusted
                    <= settings.confidence.tail()
            };
            differences.iter().enumerate().filter(passes).map(|(_, one)| one.mean()).reduce(f64::max)
        };
        let (apart, together) = (best(&alone), best(&of_ten));
        passed[0] += u64::from(apart.is_some());
        passed[1] += u64::from(together.is_some());
    }
    // .163 and .021 of collections by simulation: 9.8 and 1.3 of 60, with standard deviations of 2.9 and 1.1
    let [apart, together] = passed;
    assert!((2..=21).contains(&apart) && together <= 6, "{apart} {together}");
}

#[test]
fn verdicts_on_clear_data() {
    let drop = differences_from(&noisy(200, -0.1, false, 1));
    let gain = differences_from(&noisy(200, 0.1, false, 2));
    let level = differences_from(&noisy(400, 0.0, true, 3));
    let forgiven = |margin| Expectation::NoRegression { margin };
    let margin = |margin| Expectation::NonInferiority { margin };
    let equal = |margin| Expectation::Equivalence { margin };
    let gain_of = |margin| Expectation::Improvement { margin };
    for (differences, expectation, outcome, reason) in [
        (&drop, NO_REGRESSION, Outcome::Failed, Reason::Refuted),
        (&drop, forgiven(0.3), Outcome::Passed, Reason::WithinMargin),
        (&drop, margin(0.02), Outcome::Failed, Reason::Refuted),
        (&drop, margin(0.3), Outcome::Passed, Reason::Significant),
        (&drop, IMPROVEMENT, Outcome::Failed, Reason::Refuted),
        (&drop, equal(0.02), Outcome::Failed, Reason::Refuted),
        (&gain, NO_REGRESSION, Outcome::Passed, Reason::NothingSignificant),
        (&gain, IMPROVEMENT, Outcome::Passed, Reason::Significant),
        (&gain, gain_of(0.3), Outcome::Inconclusive, Reason::GainTooSmall),
        (&gain, margin(0.02), Outcome::Passed, Reason::Significant),
        (&gain, equal(0.02), Outcome::Failed, Reason::Refuted),
        (&level, NO_REGRESSION, Outcome::Passed, Reason::NothingSignificant),
        (&level, IMPROVEMENT, Outcome::Inconclusive, Reason::NothingSignificant),
        (&level, margin(0.05), Outcome::Passed, Reason::Significant),
        (&level, margin(0.001), Outcome::Inconclusive, Reason::NothingSignificant),
        (&level, equal(0.05), Outcome::Passed, Reason::Significant),
        (&level, equal(0.001), Outcome::Inconclusive, Reason::NothingSignificant),
    ] {
        for test in [DecidingTest::Permutation, DecidingTest::Bootstrap] {
            let settings = ComparisonSettings { test, ..quick() };
            let decision = ask_with(differences, expectation, &settings).decision;
            assert_eq!((decision.outcome, decision.reason), (outcome, reason), "{expectation:?} {test:?}");
        }
    }
}

#[test]
fn intervals_agree_with_the_decisions() {
    for seed in 0..12 {
        let n = if seed % 2 == 0 { 16 } else { 70 };
        let comparison =
            ask(&differences_from(&noisy(n, 0.04, true, seed)), Expectation::NonInferiority { margin: 0.02 });
        let interval = comparison.interval.unwrap();
        for test in &comparison.tests {
            assert_eq!(test.p_less <= 0.025, interval.high < test.null, "{test:?} {interval:?}");
        }
        let kept = comparison.decision.claims[0].p_adjusted;
        assert_eq!(kept <= 0.025, interval.low > -0.02, "{kept} {interval:?}");
        // Where no claim counts an unseen query, both limits are those of the permutation test.
        let signs = ask(&differences_from(&noisy(n, 0.04, true, seed)), NO_REGRESSION);
        let interval = signs.interval.unwrap();
        assert_eq!(signs.permutation().p_greater <= 0.025, interval.low > 0.0, "{interval:?}");
        // many units: all intervals are about the same
        if n < 50 {
            continue;
        }
        let t = comparison.t.unwrap().interval(Confidence::default()).unwrap();
        let bootstrap = &comparison.bootstrap;
        for other in [interval, bootstrap.interval.unwrap()] {
            assert!(
                (other.low - t.low).abs() < 0.03 && (other.high - t.high).abs() < 0.03,
                "{t:?} {other:?}"
            );
        }
    }
}

#[test]
fn nothing_else_that_is_asked_changes_an_answer() {
    let metrics: Vec<Differences> =
        (0..5).map(|seed| differences_from(&noisy(90, 0.05, true, seed))).collect();
    let stream = Stream::new(7).for_name("helpdesk").for_name("bm25").for_name("dense");
    let settings = ComparisonSettings { correction: Correction::None, ..ComparisonSettings::default() };
    let questions: Vec<Question<'_>> = metrics
        .iter()
        .zip([NO_REGRESSION, IMPROVEMENT, Expectation::NonInferiority { margin: 0.01 }].into_iter().cycle())
        .map(|(differences, expectation)| Question { expectation, ..Question::new(differences, &stream) })
        .collect();
    let together = compare(&questions, &settings).unwrap();
    for (question, expected) in questions.iter().zip(&together) {
        let mut alone = compare(&[*question], &settings).unwrap().remove(0);
        alone.family = expected.family;
        assert_eq!(&alone, expected);
    }
    for threads in [1, 2, 5] {
        assert_eq!(
            rankgate::__private::within(threads, || compare(&questions, &settings)).unwrap(),
            together
        );
    }
    // a correction leaves the p-values alone, unless it compares with a level so close that simulation goes on
    let corrected = compare(&questions, &ComparisonSettings::default()).unwrap();
    for (corrected, plain) in corrected.iter().zip(&together) {
        same_but_for_more_resamples(corrected, plain);
    }
}

fn same_but_for_more_resamples(longer: &Comparison, shorter: &Comparison) {
    for (longer, shorter) in longer.tests.iter().zip(&shorter.tests) {
        if longer.resamples == shorter.resamples {
            assert_eq!(longer, shorter);
        } else {
            assert!(longer.resamples > shorter.resamples);
            let within = 5.0 * shorter.monte_carlo_error();
            assert!((longer.p_two_sided() - shorter.p_two_sided()).abs() < within, "{longer:?} {shorter:?}");
        }
    }
}

#[test]
fn the_order_of_groups_changes_nothing() {
    let values = noisy(80, 0.05, true, 4);
    let groups: Vec<usize> = (0..80).map(|id| id % 31).collect();
    let grouped = Differences::grouped(&[0.0; 80], &values, &groups).unwrap();
    let expected = ask(&grouped, NO_REGRESSION);
    assert_eq!((expected.units, expected.queries), (31, 80));
    let reversed = |values: &[f64]| values.iter().rev().copied().collect::<Vec<_>>();
    let back: Vec<usize> = groups.iter().rev().copied().collect();
    let turned = Differences::grouped(&[0.0; 80], &reversed(&values), &back).unwrap();
    assert_eq!(ask(&turned, NO_REGRESSION), expected);
}

#[test]
fn identical_runs() {
    let same = Differences::new(&[0.5; 30], &[0.5; 30]).unwrap();
    let few = Differences::new(&[0.5; 4], &[0.5; 4]).unwrap();
    let stream = Stream::new(1);
    for (differences, expectation, outcome) in [
        (&same, NO_REGRESSION, Outcome::Passed),
        (&same, Expectation::NonInferiority { margin: 0.01 }, Outcome::Passed),
        (&same, Expectation::Equivalence { margin: 0.01 }, Outcome::Passed),
        (&same, IMPROVEMENT, Outcome::Inconclusive),
        (&few, Expectation::Equivalence { margin: 0.01 }, Outcome::Passed),
    ] {
        let question = Question { expectation, identical: true, ..Question::new(differences, &stream) };
        let comparison = compare(&[question], &ComparisonSettings::default()).unwrap().remove(0);
        assert_eq!((comparison.decision.outcome, comparison.decision.reason), (outcome, Reason::Identical));
        assert_eq!(comparison.warnings, []);
        assert_eq!(comparison.permutation().p_two_sided(), 1.0);
        // Both sides of an equivalence are the unseen query's, which any number of queries has.
        let unseen = matches!(expectation, Expectation::Equivalence { .. });
        assert_eq!(comparison.interval.is_ok(), differences.len() == 30 || unseen);
        let t = comparison.t.unwrap().interval(Confidence::default());
        assert_eq!(t, Err(NoInterval::NoVariance));
        assert_eq!(comparison.bootstrap.p_two_sided, None);
    }
    // the same scores from different rankings are decided like any others: (1 - .01 / L)^n of an unseen query that loses L,
    // (30 / 4 + 1) / (30 / 2 + 1) of 30
    let comparison = ask(&same, Expectation::NonInferiority { margin: 0.01 });
    assert_eq!(comparison.decision.reason, Reason::NothingSignificant);
    assert!(
        (comparison.decision.claims[0].p_adjusted - (1.0 - 0.01 * 16.0 / 8.5_f64).powi(30)).abs() < 1e-12
    );
    let many = Differences::new(&[0.5; 200], &[0.5; 200]).unwrap();
    assert_eq!(ask(&many, Expectation::NonInferiority { margin: 0.01 }).decision.reason, Reason::Significant);
    let binary = Differences::new(&[1.0; 200], &[1.0; 200]).unwrap();
    assert_eq!(
        ask(&binary, Expectation::NonInferiority { margin: 0.02 }).decision.reason,
        Reason::Significant
    );
    let comparison = ask(&few, Expectation::NonInferiority { margin: 0.01 });
    assert_eq!(comparison.decision.outcome, Outcome::Inconclusive);
}

#[test]
fn a_single_query_reports_its_difference_only() {
    let comparison = ask(&Differences::new(&[0.75], &[0.25]).unwrap(), NO_REGRESSION);
    assert_eq!((comparison.difference, comparison.losses), (-0.5, 1));
    assert_eq!(comparison.decision.outcome, Outcome::Passed);
    assert_eq!(comparison.interval, Err(NoInterval::OneValue));
    assert_eq!(comparison.bootstrap.interval, Err(NoInterval::OneValue));
    assert_eq!((comparison.t, comparison.minimum_detectable_effect), (None, None));
    assert!(has(&comparison, |w| matches!(w, Warning::FewUnits { units: 1 })));
    let comparison = ask(&differences_from(&[0.9]), IMPROVEMENT);
    assert_eq!(comparison.decision.outcome, Outcome::Inconclusive);
}

#[test]
fn one_difference_among_many_shows_nothing() {
    let mut values = vec![0.0; 100];
    values[37] = -1.0;
    let comparison = ask(&differences_from(&values), NO_REGRESSION);
    assert_eq!(comparison.decision.outcome, Outcome::Passed);
    assert_eq!(comparison.permutation().p_less, 0.5);
    assert_eq!(comparison.permutation().engine, Engine::ExactBinomial);
}

#[test]
fn equal_differences_everywhere() {
    let comparison = ask(&Differences::new(&[0.3; 20], &[0.2; 20]).unwrap(), NO_REGRESSION);
    assert_eq!(comparison.decision.outcome, Outcome::Failed);
    assert_eq!(comparison.permutation().p_less, 0.5f64.powi(20));
    let t = comparison.t.unwrap().interval(Confidence::default());
    assert_eq!(t, Err(NoInterval::NoVariance));
    let interval = comparison.interval.unwrap();
    assert!((interval.low + 0.1).abs() < 1e-9 && (interval.high + 0.1).abs() < 1e-9);
    let settings = ComparisonSettings { test: DecidingTest::Bootstrap, ..ComparisonSettings::default() };
    let comparison = ask_with(&differences_from(&[-0.1; 60]), NO_REGRESSION, &settings);
    assert_eq!(comparison.decision.outcome, Outcome::Failed);
}

#[test]
fn a_drop_is_shown_by_the_permutation_test_alone() {
    // a dozen like drops and one so large that no t statistic is: 13 of 13 lost all the same
    let mut values = vec![-0.1; 12];
    values.extend([0.0; 8]);
    values.push(-3.0);
    let comparison = ask(&differences_from(&values), NO_REGRESSION);
    let claim = comparison.decision.claims[0];
    assert_eq!((claim.p, claim.second, claim.evidence), (0.5f64.powi(13), None, Evidence::Significant));
    assert_eq!(comparison.decision.outcome, Outcome::Failed);
    // turned round it is a gain, which needs the bootstrap as well
    let gained: Vec<f64> = values.iter().map(|value| -value).collect();
    let claim = ask(&differences_from(&gained), IMPROVEMENT).decision.claims[0];
    assert!(claim.p == 0.5f64.powi(13) && claim.second.is_some_and(|p| p > claim.p), "{claim:?}");
}

#[test]
fn a_verdict_that_rests_on_one_query_is_said() {
    // six of six lost, p = 1/64; without any of them 1/32
    let comparison = ask(&differences_from(&[-0.1, -0.2, -0.15, -0.12, -0.3, -0.22]), NO_REGRESSION);
    assert_eq!(comparison.decision.outcome, Outcome::Failed);
    assert!(has(&comparison, |w| *w == Warning::OneUnitDecides { unit: 4, p: 2.0 / 32.0 }));
    let comparison = ask(&differences_from(&noisy(60, -0.2, false, 2)), NO_REGRESSION);
    assert_eq!(comparison.decision.outcome, Outcome::Failed);
    assert!(!has(&comparison, |w| matches!(w, Warning::OneUnitDecides { .. })));
}

#[test]
fn a_verdict_that_rests_on_one_query_is_said_within_its_family() {
    // seven of seven lost, p = 1/128; without any of them 1/64, which twice over is no longer at most 1/40
    let (lost, level) = (
        differences_from(&[-0.1, -0.2, -0.15, -0.12, -0.3, -0.22, -0.18]),
        differences_from(&[0.1, -0.1, 0.2, -0.2]),
    );
    let stream = Stream::new(1);
    let question =
        |differences| Question { expectation: NO_REGRESSION, ..Question::new(differences, &stream) };
    let alone = compare(&[question(&lost)], &ComparisonSettings::default()).unwrap().remove(0);
    assert!(!has(&alone, |w| matches!(w, Warning::OneUnitDecides { .. })));
    let settings = ComparisonSettings { correction: Correction::Holm, ..ComparisonSettings::default() };
    let both = compare(&[question(&lost), question(&level)], &settings).unwrap();
    assert_eq!(both[0].decision.claims[0].p_adjusted, 1.0 / 64.0);
    assert_eq!(both[0].decision.outcome, Outcome::Failed);
    assert!(has(&both[0], |w| *w == Warning::OneUnitDecides { unit: 4, p: 2.0 / 32.0 }));
}

#[test]
fn families_are_corrected_together() {
    // p_less about .02 each: shown alone, not among four
    let metrics: Vec<Differences> =
        (0..4).map(|seed| differences_from(&noisy(120, -0.04, false, 10 + seed))).collect();
    let stream = Stream::new(1);
    let questions: Vec<Question<'_>> = metrics.iter().map(|d| Question::new(d, &stream)).collect();
    let all = |correction| {
        let settings = ComparisonSettings { correction, ..ComparisonSettings::default() };
        compare(&questions, &settings).unwrap()
    };
    let plain = all(Correction::None);
    let holm = all(Correction::Holm);
    for (corrected, plain) in holm.iter().zip(&plain) {
        same_but_for_more_resamples(corrected, plain);
        assert!(corrected.p_adjusted.1 >= plain.p_adjusted.1);
        assert_eq!(corrected.family, 4);
        let claim = corrected.decision.claims[0];
        assert_eq!(claim.p_adjusted, corrected.p_adjusted.1);
        assert_eq!(claim.evidence == Evidence::Significant, claim.p_adjusted <= 0.025, "{claim:?}");
    }
    // four times the smallest
    let smallest = holm.iter().map(|c| c.permutation().p_less).fold(1.0, f64::min);
    let adjusted = holm.iter().map(|c| c.p_adjusted.1).fold(1.0, f64::min);
    assert!((adjusted - 4.0 * smallest).abs() < 1e-15);
}

#[test]
fn an_undecided_simulation_is_inconclusive() {
    let differences = differences_from(&noisy(120, -0.04, false, 10));
    let stream = Stream::new(1);
    let question = Question::new(&differences, &stream);
    // at a level that is the p-value itself, after few resamples
    let settings = |resamples| ComparisonSettings {
        permutation: PermutationOptions {
            resamples,
            most_resamples: resamples,
            ..PermutationOptions::default()
        },
        ..ComparisonSettings::default()
    };
    let p = compare(&[question], &settings(99_999)).unwrap()[0].permutation().p_less;
    let close = ComparisonSettings {
        confidence: rankgate::stats::Confidence::new(1.0 - 2.0 * p).unwrap(),
        ..settings(999)
    };
    let comparison = compare(&[question], &close).unwrap().remove(0);
    assert_eq!(comparison.decision.outcome, Outcome::Inconclusive);
    assert_eq!(comparison.decision.reason, Reason::MonteCarloUndecided);
}

#[test]
fn limits_out_of_range_are_errors() {
    let differences = differences_from(&[0.1, 0.2]);
    let stream = Stream::new(1);
    for (expectation, expected) in [
        (Expectation::NoRegression { margin: -0.1 }, "a margin is at least 0, not -0.1"),
        (Expectation::NonInferiority { margin: 0.0 }, "a margin is above 0, not 0"),
        (Expectation::Equivalence { margin: f64::NAN }, "a margin is above 0, not NaN"),
        (Expectation::Improvement { margin: f64::INFINITY }, "a margin is at least 0, not inf"),
    ] {
        let question = Question { expectation, ..Question::new(&differences, &stream) };
        let error = compare(&[question], &ComparisonSettings::default()).unwrap_err().to_string();
        assert_eq!(error, expected);
    }
    let settings = ComparisonSettings { power: 80.0, ..ComparisonSettings::default() };
    assert!(compare(&[Question::new(&differences, &stream)], &settings).is_err());
    assert!(compare(&[], &ComparisonSettings::default()).unwrap().is_empty());
    assert!(Differences::new(&[0.1, f64::NAN], &[0.1, 0.2]).is_err());
}

#[test]
fn no_input_panics_or_gives_a_number_that_is_none() {
    let score = prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        Just(0.1 + 0.2),
        Just(1e75),
        Just(-1e75),
        Just(5e-324),
        Just(1e-13),
        Just(f64::MAX),
        Just(f64::NAN),
        -1.0..1.0f64,
        any::<f64>(),
    ];
    let limit = prop_oneof![Just(0.0), Just(1e-9), Just(0.02), Just(1e75), Just(f64::NAN), 0.0..2.0f64];
    let pairs = prop_oneof![vec((score.clone(), score), 0..12), vec((0.0..1.0f64, Just(0.5)), 30..60)];
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    runner
        .run(&(pairs, limit, 0..5, any::<bool>(), 1..4usize), |(pairs, limit, kind, bootstrap, groups)| {
            let (baseline, candidate): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let keys: Vec<usize> = (0..baseline.len()).map(|query| query / groups).collect();
            let Ok(differences) = Differences::grouped(&baseline, &candidate, &keys) else { return Ok(()) };
            let expectation = match kind {
                0 => Expectation::NoRegression { margin: limit },
                1 => Expectation::NonInferiority { margin: limit },
                2 => Expectation::Improvement { margin: limit },
                _ => Expectation::Equivalence { margin: limit },
            };
            let settings = ComparisonSettings {
                test: if bootstrap { DecidingTest::Bootstrap } else { DecidingTest::Permutation },
                bootstrap_resamples: 99,
                permutation: PermutationOptions {
                    resamples: 99,
                    most_resamples: 199,
                    ..PermutationOptions::default()
                },
                ..ComparisonSettings::default()
            };
            let stream = Stream::new(1);
            let question = Question { expectation, ..Question::new(&differences, &stream) };
            let Ok(mut compared) = compare(&[question], &settings) else { return Ok(()) };
            let comparison = compared.remove(0);
            let mut numbers = vec![comparison.difference, comparison.bootstrap.win_share];
            for test in &comparison.tests {
                prop_assert!((0.0..=1.0).contains(&test.p_greater) && (0.0..=1.0).contains(&test.p_less));
                prop_assert!(test.p_greater + test.p_less >= 1.0 - 1e-9, "{:?}", test);
            }
            let bootstrap = &comparison.bootstrap;
            let t = comparison.t.and_then(|t| t.interval(Confidence::default()).ok());
            let intervals = [comparison.interval.ok(), t, bootstrap.interval.ok()];
            for interval in intervals.into_iter().flatten() {
                prop_assert!(interval.low <= interval.high, "{:?}", interval);
                numbers.extend([interval.low, interval.high]);
            }
            numbers.extend(bootstrap.p_two_sided);
            numbers.extend(comparison.minimum_detectable_effect);
            prop_assert!(numbers.iter().all(|number| number.is_finite()), "{:?}", comparison);
            for warning in &comparison.warnings {
                prop_assert!(!warning.to_string().contains("NaN"));
            }
            Ok(())
        })
        .unwrap();
}
