//! Families of comparisons with values by hand, by enumeration and by simulation.

mod corrected;
mod family;
mod figures;
mod unseen_query;

use super::{Comparison, Question, compare, compare_scores};
use crate::stats::{
    Basis, ComparisonSettings, Confidence, CorrectedMean, Correction, DecidingTest, Differences, Direction,
    Expectation, Outcome, PermutationOptions, Reason, Robustness, Stream, Warning, adjust, permutation_test,
};

fn differences(values: &[f64]) -> Differences {
    Differences::new(&vec![0.0; values.len()], values).unwrap()
}

fn ask(values: &[f64], expectation: Expectation) -> Comparison {
    compare_scores(&vec![0.0; values.len()], values, expectation).unwrap()
}

const DROPS: [[f64; 8]; 2] =
    [[-0.3, -0.2, 0.1, -0.4, -0.1, -0.2, 0.2, -0.3], [-0.1, -0.3, -0.2, 0.2, -0.5, -0.1, 0.1, -0.2]];

const GAIN: Expectation = Expectation::Improvement { margin: 0.0 };

/// Scores of a baseline that rest on half of its queries.
fn halves(n: usize) -> Vec<f64> {
    (0..n).map(|at| if at % 2 == 0 { 0.8 } else { 0.1 }).collect()
}

fn ask_above(baseline: &[f64], by: impl Fn(usize) -> f64, expectation: Expectation) -> Comparison {
    let candidate: Vec<f64> = baseline.iter().enumerate().map(|(at, score)| score + by(at)).collect();
    compare_scores(baseline, &candidate, expectation).unwrap()
}
