//! How far two orders of the same things agree, such as two leaderboards of runs.
//!
//! A thing stands as high as its score. Things of one score tie, which each coefficient treats as its literature does.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use std::cmp::Ordering;

use crate::{Error, Result};

/// Kendall's tau-b of two lists of scores, in which the same place is the same thing: 1 is the same order, -1 the opposite.
/// `None` where either list knows no order.
///
/// Source: Kendall, "The Treatment of Ties in Ranking Problems", Biometrika 1945; SciPy's `kendalltau`.
///
/// ```
/// // scipy.stats.kendalltau([1, 2, 2, 3], [1, 3, 2, 3])
/// assert_eq!(rankgate::stats::kendall_tau(&[1.0, 2.0, 2.0, 3.0], &[1.0, 3.0, 2.0, 3.0])?, Some(0.8));
/// # Ok::<(), rankgate::Error>(())
/// ```
///
/// # Errors
///
/// Lists of different length, or a score that is not a number.
#[inline]
pub fn kendall_tau(first: &[f64], second: &[f64]) -> Result<Option<f64>> {
    check(first, second)?;
    let (mut balance, mut apart) = (0.0, [0.0_f64; 2]);
    for at in 0..first.len() {
        for other in 0..at {
            let signs = [sign(first, at, other), sign(second, at, other)];
            balance += signs[0] * signs[1];
            (0..2).for_each(|side| apart[side] += signs[side].abs());
        }
    }
    Ok((apart[0] > 0.0 && apart[1] > 0.0).then(|| balance / (apart[0] * apart[1]).sqrt()))
}

#[inline]
fn check(first: &[f64], second: &[f64]) -> Result<()> {
    if first.len() != second.len() {
        let (one, other) = (first.len(), second.len());
        return Err(Error::invalid(format!("{one} and {other} scores are not of the same things")));
    }
    match first.iter().chain(second).find(|score| !score.is_finite()) {
        Some(score) => Err(Error::invalid(format!("{score} is no score that can be ordered"))),
        None => Ok(()),
    }
}

/// Whether one thing stands above another: 1, 0 where they tie, -1.
#[inline]
fn sign(scores: &[f64], one: usize, other: usize) -> f64 {
    match scores[one].partial_cmp(&scores[other]) {
        Some(Ordering::Less) => -1.0,
        Some(Ordering::Greater) => 1.0,
        Some(Ordering::Equal) | None => 0.0,
    }
}
