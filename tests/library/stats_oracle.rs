//! Every value of `reference/stats_oracle.json`, which other programs made (see the note beside it).

#![expect(clippy::unwrap_used, reason = "a failed expectation is a failed test")]

use rankgate::stats::{
    Bootstrap, BootstrapInterval, Confidence, Correction, Differences, Direction, Engine, PairedT, PairsTest,
    PermutationOptions, Stream, adjust, compare_pairs, dual_interval, max_t, permutation_test, tukey_hsd,
};
use serde_json::Value;

fn oracle() -> Value {
    serde_json::from_str(include_str!("../reference/stats_oracle.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The data sets by name, with their differences.
fn data_sets() -> Vec<(String, Value, Differences)> {
    let oracle = oracle();
    let data_sets = oracle["datasets"].as_object().unwrap();
    assert_eq!(data_sets.len(), 8);
    data_sets
        .iter()
        .map(|(name, data)| {
            let differences = Differences::new(&numbers(&data["a"]), &numbers(&data["b"])).unwrap();
            (name.clone(), data.clone(), differences)
        })
        .collect()
}

#[track_caller]
fn close(what: &str, actual: f64, expected: &Value, within: f64) {
    let expected = expected.as_f64().unwrap();
    assert!((actual - expected).abs() <= within, "{what}: {actual} is not {expected}");
}

#[test]
fn means_and_t_tests() {
    for (name, data, differences) in data_sets() {
        let t = PairedT::new(&differences).unwrap();
        let interval = t.interval(Confidence::default()).unwrap();
        let (greater, less) = (t.p(0.0, Direction::Greater), t.p(0.0, Direction::Less));
        for (key, actual) in [
            ("mean", differences.mean()),
            ("sd", t.standard_deviation()),
            ("dz", t.effect().unwrap()),
            ("t", t.statistic(0.0).unwrap()),
            ("ttest_p_greater", greater),
            ("ttest_p_less", less),
            ("ttest_p_two-sided", 2.0 * greater.min(less)),
            ("ni_t_p_margin0.05", t.p(-0.05, Direction::Greater)),
        ] {
            close(&format!("{name} {key}"), actual, &data[key], 1e-9);
        }
        close(&name, interval.low, &data["t_ci95"][0], 1e-9);
        close(&name, interval.high, &data["t_ci95"][1], 1e-9);
    }
}

#[test]
fn exact_permutation_tests() {
    let mut compared = 0;
    for (name, data, differences) in data_sets() {
        if name == "n50_cont" || name == "n323_cont" {
            continue; // no exact engine: below
        }
        let options = PermutationOptions::default();
        let test = permutation_test(&differences, 0.0, &options).unwrap();
        let margin = permutation_test(&differences, -0.05, &options).unwrap();
        assert_ne!(test.engine, Engine::MonteCarlo);
        for (key, actual) in [
            ("perm_exact_p_two-sided", test.p_two_sided()),
            ("perm_exact_p_greater", test.p_greater),
            ("perm_exact_p_less", test.p_less),
            ("perm_exact_two", test.p_two_sided()),
            ("perm_exact_greater", test.p_greater),
            ("perm_exact_less", test.p_less),
            ("ni_signflip_exact_p_margin0.05", margin.p_greater),
        ] {
            if let Some(expected) = data.get(key) {
                close(&format!("{name} {key}"), actual, expected, 1e-9);
                compared += 1;
            }
        }
        if let Some(steps) = data.get("k") {
            let steps: Vec<f64> = numbers(steps).iter().map(|step| step / 1000.0).collect();
            for (actual, expected) in differences.sums().iter().zip(steps) {
                assert!((actual - expected).abs() < 1e-12);
            }
        }
    }
    assert_eq!(compared, 4 + 7 + 4 + 7 + 4 + 4);
}

#[test]
fn simulated_permutation_tests() {
    // 199,999 resamples: a standard error of 1e-3 on a two-sided p of .12
    let options = PermutationOptions { resamples: 199_999, ..PermutationOptions::default() };
    for (name, data, differences) in data_sets() {
        let (key, within) = match name.as_str() {
            "n50_cont" => ("perm_exact_two", 0.004),
            "n323_cont" => ("perm_two_cf_1e-5_lattice", 0.004),
            _ => continue,
        };
        let test = permutation_test(&differences, 0.0, &options).unwrap();
        assert_eq!(test.engine, Engine::MonteCarlo);
        close(&name, test.p_two_sided(), &data[key], within);
        assert!(test.monte_carlo_error() < within / 3.0);
    }
}

#[test]
fn a_rounded_lattice_reproduces_the_oracles_own_value() {
    // the oracle rounded n323_cont's differences to 1e-5; here that is done to compare, never to test
    let (_, data, differences) = data_sets().into_iter().find(|(name, ..)| name == "n323_cont").unwrap();
    let rounded: Vec<f64> = differences.sums().iter().map(|d| (d * 1e5).round() / 1e5).collect();
    let rounded = Differences::new(&vec![0.0; rounded.len()], &rounded).unwrap();
    let test = permutation_test(&rounded, 0.0, &PermutationOptions::default()).unwrap();
    assert_eq!(test.engine, Engine::ExactLattice);
    close("n323_cont", test.p_two_sided(), &data["perm_two_cf_1e-5_lattice"], 1e-8);
}

#[test]
fn intervals_of_the_exact_test() {
    let mut compared = 0;
    for (name, data, differences) in data_sets() {
        for (key, level) in [("dual_ci_0.95", 0.95), ("dual_ci_0.90", 0.9), ("dual_ci_0.80", 0.8)] {
            let Some(expected) = data.get(key) else { continue };
            let confidence = Confidence::new(level).unwrap();
            let interval = dual_interval(&differences, confidence, &PermutationOptions::default());
            assert_eq!(interval.is_err(), expected.is_null(), "{name} {key}");
            if let Ok(interval) = interval {
                close(&format!("{name} {key}"), interval.low, &expected[0], 1e-9);
                close(&format!("{name} {key}"), interval.high, &expected[1], 1e-9);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 12);
}

#[test]
fn bootstrap_intervals_approach_the_ideal_ones() {
    let mut compared = 0;
    for (name, data, differences) in data_sets() {
        let Some(ideal) = data.get("ideal_bootstrap") else { continue };
        let bootstrap = Bootstrap::new(&differences, 19_999, &Stream::new(7)).unwrap();
        let width = ideal["perc"][1].as_f64().unwrap() - ideal["perc"][0].as_f64().unwrap();
        for (key, kind) in [("perc", BootstrapInterval::Percentile), ("bca", BootstrapInterval::Bca)] {
            let interval = bootstrap.interval(kind, Confidence::default()).unwrap();
            close(&format!("{name} {key} low"), interval.low, &ideal[key][0], 0.02 * width);
            close(&format!("{name} {key} high"), interval.high, &ideal[key][1], 0.02 * width);
        }
        // the oracle's share counts ties with 0 as losses, as win_share does
        close(&name, 1.0 - bootstrap.win_share(), &ideal["p_le0"], 0.012);
        compared += 1;
    }
    assert_eq!(compared, 4);
}

#[test]
fn randomised_tukey_hsd() {
    let oracle = oracle();
    let tukey = &oracle["tukey"];
    let scores = ["a", "b", "c"].map(|name| numbers(&tukey[name]));
    let configurations: Vec<&[f64]> = scores.iter().map(Vec::as_slice).collect();
    let pairs = tukey_hsd(&configurations, 999, &Stream::new(1)).unwrap();
    let names = ["ab", "ac", "bc"];
    assert_eq!(pairs.len(), names.len());
    let settings = (PairsTest::Tukey, Confidence::default());
    assert_eq!(compare_pairs(&configurations, settings.0, settings.1, &Stream::new(2)).unwrap(), pairs);
    for (pair, name) in pairs.iter().zip(names) {
        let expected = tukey["counts"][name].as_str().unwrap();
        let (count, all) = expected.split_once('/').unwrap();
        assert_eq!(pair.p, count.parse::<f64>().unwrap() / all.parse::<f64>().unwrap(), "{name}");
        assert_eq!(pair.resamples, None);
        let (first, second) = pair.pair;
        let differences = Differences::new(&scores[first], &scores[second]).unwrap();
        let test = permutation_test(&differences, 0.0, &PermutationOptions::default()).unwrap();
        close(name, test.p_two_sided(), &tukey["pairwise_signflip"][name], 1e-12);
    }
}

#[test]
fn max_t_and_holm() {
    let oracle = oracle();
    let expected = &oracle["maxT"];
    let rows: Vec<Vec<f64>> = expected["D"].as_array().unwrap().iter().map(numbers).collect();
    let column = |index: usize| -> Vec<f64> { rows.iter().map(|row| row[index] / 100.0).collect() };
    let metrics: Vec<Differences> =
        (0..3).map(|index| Differences::new(&vec![0.0; rows.len()], &column(index)).unwrap()).collect();
    let metrics: Vec<&Differences> = metrics.iter().collect();
    let family = max_t(&metrics, None, &PermutationOptions::default()).unwrap();
    assert_eq!(family.p, numbers(&expected["raw"]));
    assert_eq!(family.single_step, numbers(&expected["single_step"]));
    assert_eq!(family.step_down, numbers(&expected["step_down"]));
    assert_eq!(adjust(&family.p, Correction::Holm).unwrap(), numbers(&expected["holm"]));
    // the same columns as the differences of two candidates from a baseline, and from each other
    let [first, second] = [0, 1].map(column);
    let baseline = vec![0.0; rows.len()];
    let pairs =
        compare_pairs(&[&baseline, &first, &second], PairsTest::MaxT, Confidence::default(), &Stream::new(1));
    let between = Differences::new(&first, &second).unwrap();
    let three = [metrics[0], metrics[1], &between];
    let together = max_t(&three, None, &PermutationOptions::default()).unwrap().step_down;
    assert_eq!(pairs.unwrap().iter().map(|pair| pair.p).collect::<Vec<_>>(), together);
}
