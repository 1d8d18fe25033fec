//! The permutation test against sign vectors enumerated here in integers, and engines against each other.

#![expect(clippy::unwrap_used, reason = "a failed expectation is a failed test")]

use proptest::test_runner::{Config, TestRunner};
use proptest::{collection::vec, prop_assert, prop_assert_eq, sample::select};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    Differences, Direction, Engine, PermutationOptions, PermutationTest, Stream, permutation_test,
};

fn with(engine: Engine) -> PermutationOptions {
    PermutationOptions { engine: Some(engine), ..PermutationOptions::default() }
}

fn differences_from(values: &[f64]) -> Differences {
    Differences::new(&vec![0.0; values.len()], values).unwrap()
}

/// Every sign vector, in integers.
fn enumerate(values: &[i64]) -> (f64, f64) {
    let observed: i64 = values.iter().sum();
    let (mut greater, mut less) = (0u32, 0u32);
    for signs in 0u32..1 << values.len() {
        let sum: i64 =
            values.iter().enumerate().map(|(unit, v)| if signs >> unit & 1 == 1 { -v } else { *v }).sum();
        greater += u32::from(sum >= observed);
        less += u32::from(sum <= observed);
    }
    let all = f64::from(1u32 << values.len());
    (f64::from(greater) / all, f64::from(less) / all)
}

fn agree(test: &PermutationTest, expected: (f64, f64), within: f64) -> bool {
    (test.p_greater - expected.0).abs() <= within && (test.p_less - expected.1).abs() <= within
}

/// Scores with `levels` as P@10, RR@10, Success@k or an arbitrary lattice would give them, as floats, and
/// their differences as integers over `common`.
fn check_metric(levels: Vec<(f64, i64)>, common: i64, cases: u32) {
    let mut runner = TestRunner::new(Config { failure_persistence: None, cases, ..Config::default() });
    let score = select(levels);
    runner
        .run(&vec((score.clone(), score), 1..13), |pairs| {
            let baseline: Vec<f64> = pairs.iter().map(|(b, _)| b.0).collect();
            let candidate: Vec<f64> = pairs.iter().map(|(_, c)| c.0).collect();
            let integers: Vec<i64> = pairs.iter().map(|(b, c)| c.1 - b.1).collect();
            let differences = Differences::new(&baseline, &candidate).unwrap();
            let expected = enumerate(&integers);
            let auto = permutation_test(&differences, 0.0, &PermutationOptions::default()).unwrap();
            prop_assert!(agree(&auto, expected, 1e-14), "{:?} {:?} {:?}", integers, auto, expected);
            for engine in [Engine::ExactCount, Engine::ExactLattice] {
                let test = permutation_test(&differences, 0.0, &with(engine)).unwrap();
                prop_assert_eq!(test.engine, engine);
                prop_assert!(agree(&test, expected, 1e-14), "{:?} {:?} {:?}", integers, test, expected);
            }
            // a margin of 3 steps
            let margin = 3.0 / common as f64;
            let shifted: Vec<i64> = integers.iter().map(|step| step + 3).collect();
            let expected = enumerate(&shifted);
            for engine in [Engine::ExactCount, Engine::ExactLattice] {
                let test = permutation_test(&differences, -margin, &with(engine)).unwrap();
                prop_assert!(agree(&test, expected, 1e-14), "{:?} {:?} {:?}", shifted, test, expected);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn precision_at_10_is_exact() {
    check_metric((0..=10).map(|hits| (f64::from(hits) / 10.0, i64::from(hits))).collect(), 10, 2000);
}

#[test]
fn reciprocal_rank_at_10_is_exact() {
    let mut levels = vec![(0.0, 0)];
    levels.extend((1..=10).map(|rank| (1.0 / f64::from(rank), 2520 / i64::from(rank))));
    check_metric(levels, 2520, 300);
}

#[test]
fn success_is_exact() {
    check_metric(vec![(0.0, 0), (1.0, 1)], 1, 500);
}

#[test]
fn reals_are_exact() {
    // multiples of 2^-30: as good as continuous, and exact as floats and integers both
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for n in (1..=13).cycle().take(1000) {
        let integers: Vec<i64> = (0..n).map(|_| i64::from(random.next_u32() >> 2) - (1 << 29)).collect();
        let values: Vec<f64> = integers.iter().map(|&step| step as f64 / f64::from(1 << 30)).collect();
        let test = permutation_test(&differences_from(&values), 0.0, &with(Engine::ExactCount)).unwrap();
        assert!(agree(&test, enumerate(&integers), 1e-15), "{integers:?} {test:?}");
        let shifted: Vec<i64> = integers.iter().map(|step| step - (1 << 28)).collect();
        let test = permutation_test(&differences_from(&values), 0.25, &with(Engine::ExactCount)).unwrap();
        assert!(agree(&test, enumerate(&shifted), 1e-15), "{shifted:?} {test:?}");
    }
}

#[test]
fn reference_values() {
    // STATISTICS: the conformance pair, McNemar 12 against 3, and .1, .2, -.3
    let a = [1.0, 0.7, 1.0, 0.7, 0.4, 0.3, 1.0, 0.8, 0.5, 0.9];
    let b = [0.4, 0.5, 1.0, 0.5, 1.0, 0.9, 0.8, 1.0, 0.3, 0.5];
    let mut discordant = vec![1.0; 12];
    discordant.extend([-1.0; 3]);
    for (differences, greater, less, two_sided) in [
        (Differences::new(&b, &a).unwrap(), 446.0 / 1024.0, 700.0 / 1024.0, 0.87109375),
        (differences_from(&discordant), 0.017578125, 0.996307373046875, 0.03515625),
        (differences_from(&[0.1, 0.2, -0.3]), 0.625, 0.625, 1.0),
    ] {
        let test = permutation_test(&differences, 0.0, &PermutationOptions::default()).unwrap();
        assert!(agree(&test, (greater, less), 1e-14), "{test:?}");
        assert!((test.p_two_sided() - two_sided).abs() < 1e-14);
    }
}

#[test]
fn edge_cases() {
    for (values, expected, engine) in [
        (&[0.0, 0.0, 0.0][..], (1.0, 1.0), Engine::ExactBinomial),
        (&[0.3][..], (0.5, 1.0), Engine::ExactBinomial),
        (&[0.0, -0.3, 0.0][..], (1.0, 0.5), Engine::ExactBinomial),
        (&[0.1; 5][..], (1.0 / 32.0, 1.0), Engine::ExactBinomial),
        (&[0.2, 0.1][..], (0.25, 1.0), Engine::ExactCount),
    ] {
        let test = permutation_test(&differences_from(values), 0.0, &PermutationOptions::default()).unwrap();
        assert_eq!(((test.p_greater, test.p_less), test.engine), (expected, engine), "{values:?}");
    }
    // all equal to the margin: ties everywhere
    let test =
        permutation_test(&differences_from(&[-0.02; 4]), -0.02, &PermutationOptions::default()).unwrap();
    assert_eq!((test.p_greater, test.p_less, test.nonzero), (1.0, 1.0, 0));
    // ties count at a margin
    let test = permutation_test(&differences_from(&[0.0; 6]), -0.02, &PermutationOptions::default()).unwrap();
    assert_eq!((test.p_greater, test.p_less, test.smallest_p()), (1.0 / 64.0, 1.0, 1.0 / 64.0));
}

#[test]
fn a_p_value_is_never_zero() {
    let mut gains: Vec<f64> = (0..6_000).map(|unit| f64::from(unit % 7 + 1) / 2520.0).collect();
    gains[59] = -gains[59];
    let simulated = permutation_test(&differences_from(&gains), 0.0, &with(Engine::MonteCarlo)).unwrap();
    assert_eq!(simulated.p_greater, 1e-5);
    let few: Vec<f64> = gains[..59].to_vec();
    let test = permutation_test(&differences_from(&few), 0.0, &PermutationOptions::default()).unwrap();
    assert_eq!(test.p_greater, 0.5f64.powi(59));
}

#[test]
fn the_unit_of_the_metric_does_not_matter() {
    for differences in [random_lattice(40, 10, 1), random_lattice(25, 997, 2), random_lattice(300, 50, 3)] {
        let expected = permutation_test(&differences, 0.0, &PermutationOptions::default()).unwrap();
        for unit in [1e-6, 0.3, 1e3, 1e12, 2f64.powi(200)] {
            let scaled: Vec<f64> = differences.sums().iter().map(|d| d * unit).collect();
            let options = PermutationOptions { stream: Stream::new(3), ..PermutationOptions::default() };
            let test = permutation_test(&differences_from(&scaled), 0.0, &options).unwrap();
            // Monte Carlo, where the scale hides the lattice, to five standard errors
            let within = if test.resamples.is_some() { 0.01 } else { 1e-11 };
            assert!(
                agree(&test, (expected.p_greater, expected.p_less), within),
                "{unit} {test:?} {expected:?}"
            );
        }
    }
}

#[test]
fn what_an_engine_cannot_do_is_an_error() {
    let reals = differences_from(&[0.123_456_789, std::f64::consts::FRAC_1_PI]);
    for engine in [Engine::ExactBinomial, Engine::ExactLattice] {
        let error = permutation_test(&reals, 0.0, &with(engine)).unwrap_err().to_string();
        assert_eq!(error, format!("these differences do not admit the {engine} engine"));
    }
    let many = differences_from(&[0.1; 45]);
    assert!(permutation_test(&many, 0.05, &with(Engine::ExactCount)).is_err());
    assert!(permutation_test(&many, f64::NAN, &PermutationOptions::default()).is_err());
    let none = PermutationOptions { resamples: 0, ..with(Engine::MonteCarlo) };
    assert!(permutation_test(&many, 0.0, &none).is_err());
}

/// Multiples of `1 / steps` with a drift, a third of them ties.
fn random_lattice(n: usize, steps: i32, seed: u64) -> Differences {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |below: i32| (random.next_u32() % below as u32) as i32;
    let values: Vec<f64> = (0..n)
        .map(|_| match draw(3) {
            0 => 0.0,
            _ => f64::from(draw(2 * steps + 1) - steps + steps / 24) / f64::from(steps),
        })
        .collect();
    differences_from(&values)
}

#[test]
fn engines_agree() {
    for (n, steps) in [(20, 10), (28, 997), (40, 2520), (60, 1000), (200, 10), (400, 50)] {
        for (seed, null) in [(1, 0.0), (2, 0.0), (3, -0.02), (4, 0.04)] {
            let differences = random_lattice(n, steps, seed);
            let lattice = permutation_test(&differences, null, &with(Engine::ExactLattice)).unwrap();
            if lattice.nonzero <= 36 {
                let count = permutation_test(&differences, null, &with(Engine::ExactCount)).unwrap();
                assert!(agree(&count, (lattice.p_greater, lattice.p_less), 1e-11), "{count:?} {lattice:?}");
            }
            let options = PermutationOptions {
                stream: Stream::new(seed),
                resamples: 9_999,
                most_resamples: 9_999,
                ..with(Engine::MonteCarlo)
            };
            let simulated = permutation_test(&differences, null, &options).unwrap();
            // five standard errors; the smallest p that a simulation gives is 1 / (B + 1)
            let within = 5.0 * (lattice.p_greater * lattice.p_less / 1e4).sqrt() + 1.1e-4;
            let expected = (lattice.p_greater, lattice.p_less);
            assert!(agree(&simulated, expected, within), "{n} {steps} {simulated:?} {lattice:?}");
        }
    }
}

#[test]
fn groups_are_flipped_whole() {
    // .1 + .2, -.4, .3 + .3 - .1 at a margin of .1 per query: .5, -.3, .8 in tenths 5, -3, 8
    let grouped =
        Differences::grouped(&[0.0; 6], &[0.1, 0.2, -0.4, 0.3, 0.3, -0.1], &["a", "a", "b", "c", "c", "c"])
            .unwrap();
    let test = permutation_test(&grouped, -0.1, &PermutationOptions::default()).unwrap();
    assert!(agree(&test, enumerate(&[5, -3, 8]), 0.0), "{test:?}");
    for seed in 0..4 {
        let single = random_lattice(150, 10, seed);
        let groups: Vec<usize> = (0..150).map(|query| query * query % 61).collect();
        let grouped = Differences::grouped(&[0.0; 150], single.sums(), &groups).unwrap();
        for null in [0.0, -0.05, 0.1] {
            let exact = permutation_test(&grouped, null, &with(Engine::ExactLattice)).unwrap();
            let options = PermutationOptions { most_resamples: 9, ..with(Engine::MonteCarlo) };
            let simulated = permutation_test(&grouped, null, &options).unwrap();
            // five standard errors
            assert!(agree(&simulated, (exact.p_greater, exact.p_less), 0.008), "{simulated:?} {exact:?}");
        }
    }
}

#[test]
fn simulation_does_not_depend_on_threads_or_other_work() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let values: Vec<f64> = (0..333).map(|_| f64::from(random.next_u32()) / 1e9 - 2.1).collect();
    let differences = differences_from(&values);
    let options =
        PermutationOptions { stream: Stream::new(9).for_name("a"), ..PermutationOptions::default() };
    let expected = permutation_test(&differences, 0.0, &options).unwrap();
    assert_eq!(expected.engine, Engine::MonteCarlo);
    for threads in [1, 2, 3, 7] {
        let again =
            rankgate::__private::within(threads, || permutation_test(&differences, 0.0, &options)).unwrap();
        assert_eq!(again, expected);
    }
    let other = PermutationOptions { stream: Stream::new(9).for_name("b"), ..options };
    assert_ne!(permutation_test(&differences, 0.0, &other).unwrap(), expected);
}

#[test]
fn simulation_goes_on_while_a_level_is_open() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let values: Vec<f64> = (0..333).map(|_| f64::from(random.next_u32()) / 1e9 - 2.0).collect();
    let differences = differences_from(&values);
    let far = PermutationOptions { levels: vec![1e-5, 0.45], ..PermutationOptions::default() };
    let test = permutation_test(&differences, 0.0, &far).unwrap();
    assert_eq!(test.resamples, Some(99_999));
    assert!(test.is_settled(Direction::Greater, 0.45) && test.is_settled(Direction::Greater, 1e-5));
    // a level at the simulated p itself stays open to the end
    let near = PermutationOptions { levels: vec![test.p_greater], ..PermutationOptions::default() };
    let test = permutation_test(&differences, 0.0, &near).unwrap();
    assert!(test.resamples > Some(99_999));
    assert!(test.monte_carlo_error() > 0.0 && test.monte_carlo_error() < 0.002);
}

#[test]
fn differences_of_one_sign_have_a_p_value_in_closed_form() {
    for units in [45, 200, 900] {
        let lost: Vec<f64> = (1..=units).map(|at| -f64::from(at).sqrt()).collect();
        let mut values = lost.clone();
        values.extend([0.0; 30]);
        let test = permutation_test(&differences_from(&values), 0.0, &PermutationOptions::default()).unwrap();
        assert_eq!((test.p_less, test.p_greater), (0.5f64.powi(units), 1.0));
        assert_eq!((test.engine, test.resamples), (Engine::ExactCount, None));
        // against a margin beyond all of them every unit counts
        let test = permutation_test(&differences_from(&values), 0.5, &PermutationOptions::default()).unwrap();
        assert_eq!(test.p_less, 0.5f64.powi(units + 30));
    }
}
