//! Every value of `reference/stats_oracle.json`, which other programs made (see the note beside it).

#![expect(clippy::unwrap_used, reason = "a failed expectation is a failed test")]

use rankgate::stats::{
    Bootstrap, Confidence, Differences, Direction, Engine, PairedT, PermutationOptions, Stream,
    dual_interval, permutation_test,
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
        let interval = bootstrap.interval(Confidence::default()).unwrap();
        close(&format!("{name} low"), interval.low, &ideal["perc"][0], 0.02 * width);
        close(&format!("{name} high"), interval.high, &ideal["perc"][1], 0.02 * width);
        // the oracle's share counts ties with 0 as losses, as win_share does
        close(&name, 1.0 - bootstrap.win_share(), &ideal["p_le0"], 0.012);
        compared += 1;
    }
    assert_eq!(compared, 4);
}
