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

/// The AP correlation of an order with the true one, from -1 to 1; `None` of fewer than two things.
///
/// The mean over all places but the first of the share of what stands above that truly does, times 2, less 1. Swaps near the top
/// cost more than swaps below. It is not symmetric: the places are those of `estimate`. Ties count as the mean over all ways to
/// break them.
///
/// Source: Yilmaz, Aslam and Robertson, "A New Rank Correlation Coefficient for Information Retrieval", SIGIR 2008; of ties the
/// variant a of Urbano and Marrero, "The Treatment of Ties in AP Correlation", ICTIR 2017.
///
/// ```
/// // c stands above b: above it is a alone, so 1 of 1; above b are a and c, of which a truly is: 1 of 2.
/// assert_eq!(rankgate::stats::tau_ap(&[3.0, 1.0, 2.0], &[3.0, 2.0, 1.0])?, Some(0.5));
/// # Ok::<(), rankgate::Error>(())
/// ```
///
/// # Errors
///
/// Lists of different length, or a score that is not a number.
#[inline]
pub fn tau_ap(estimate: &[f64], truth: &[f64]) -> Result<Option<f64>> {
    check(estimate, truth)?;
    let things = estimate.len();
    if things < 2 {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..things).collect();
    order.sort_by(|one, other| estimate[*other].total_cmp(&estimate[*one]));
    // How much of a thing that stands above another truly does: half of one that ties.
    let truly = |above: usize, thing: usize| f64::midpoint(1.0, sign(truth, above, thing));
    let mut sum = 0.0;
    for (start, group) in groups(&order, estimate) {
        for &thing in group {
            let above: f64 = order[..start].iter().map(|&above| truly(above, thing)).sum();
            let tied: f64 = group.iter().filter(|&&one| one != thing).map(|&one| truly(one, thing)).sum();
            // At each place of its group with the same probability, and then below a random part of the others.
            let others = (group.len() - 1).max(1) as f64;
            let at = |before: usize| (above + before as f64 * tied / others) / (start + before) as f64;
            let places = (0..group.len()).filter(|before| start + before > 0);
            sum += places.map(at).sum::<f64>() / group.len() as f64;
        }
    }
    Ok(Some(2.0 * sum / (things - 1) as f64 - 1.0))
}

/// Rank-biased overlap of two orders of the same things, extrapolated: 0 to 1, more of it nearer to the same order.
///
/// The agreement at depth d is twice what the first d of both have in common, over how many these are together; the
/// first d of an order hold all that tie with the last of them. Depth d weighs p^(d - 1). With p = 0.9 the first ten carry 86%
/// of the weight. Without ties it is [`run::rank_biased_overlap`](crate::run::rank_biased_overlap) of the two orders, which takes
/// rankings that hold different documents, and knows no ties.
///
/// Source: Webber, Moffat and Zobel, "A Similarity Measure for Indefinite Rankings", ACM TOIS 2010, equation 30 and section 4.4
/// for ties.
///
/// ```
/// // Agreement 0, 1 and 1 at depths 1, 2 and 3: .9^3 + (1 - .9) / .9 * (.9^2 + .9^3)
/// let overlap = rankgate::stats::rank_biased_overlap(&[3.0, 2.0, 1.0], &[2.0, 3.0, 1.0], 0.9)?;
/// assert!((overlap - 0.9).abs() < 1e-12);
/// # Ok::<(), rankgate::Error>(())
/// ```
///
/// # Errors
///
/// Lists of different length or without anything, a score that is not a number, a `p` that is not between 0 and 1.
#[inline]
pub fn rank_biased_overlap(first: &[f64], second: &[f64], p: f64) -> Result<f64> {
    check(first, second)?;
    if first.is_empty() || !(p > 0.0 && p < 1.0) {
        return Err(Error::invalid("rank-biased overlap takes something to rank, and a p between 0 and 1"));
    }
    // The depth from which on each thing is among the first, and of each order how many are at each depth.
    let starts = [first, second].map(starts);
    let mut sum = 0.0;
    let mut agreement = 0.0;
    for depth in 1..=first.len() {
        let within = |side: usize, thing: usize| starts[side][thing] < depth;
        let sizes = [0, 1].map(|side| (0..first.len()).filter(|&thing| within(side, thing)).count());
        let both = (0..first.len()).filter(|&thing| within(0, thing) && within(1, thing)).count();
        agreement = 2.0 * both as f64 / (sizes[0] + sizes[1]) as f64;
        sum += agreement * p.powf(depth as f64);
    }
    Ok(agreement * p.powf(first.len() as f64) + (1.0 - p) / p * sum)
}

/// How many things stand above each.
#[inline]
fn starts(scores: &[f64]) -> Vec<usize> {
    scores.iter().map(|score| scores.iter().filter(|other| *other > score).count()).collect()
}

/// The groups of things of one score, and how many stand above each.
#[inline]
fn groups<'o>(order: &'o [usize], scores: &[f64]) -> impl Iterator<Item = (usize, &'o [usize])> {
    let groups = order.chunk_by(|one, other| scores[*one] == scores[*other]);
    groups.scan(0, |start, group| {
        let at = *start;
        *start += group.len();
        Some((at, group))
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Stream;
    use rand::Rng as _;

    /// Scores of an order that is given by letters, best first: things are a, b, c, ...
    fn scores(order: &str) -> Vec<f64> {
        ('a'..).take(order.len()).map(|thing| -(order.find(thing).unwrap() as f64)).collect()
    }

    #[test]
    fn tau_is_that_of_scipy() {
        // scipy.stats.kendalltau 1.17.1; [1, 2, 3, 4, 5] and [2, 1, 3, 5, 4] have 8 pairs of one order and 2 of the other
        for (first, second, expected) in [
            (vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![2.0, 1.0, 3.0, 5.0, 4.0], Some(0.6)),
            (vec![1.0, 2.0, 2.0, 3.0], vec![1.0, 3.0, 2.0, 3.0], Some(0.8)),
            (vec![1.0, 1.0], vec![1.0, 2.0], None),
            (vec![1.0], vec![1.0], None),
        ] {
            let tau = kendall_tau(&first, &second).unwrap();
            assert!(
                tau.zip(expected).map_or(tau == expected, |(tau, expected)| (tau - expected).abs() < 1e-12)
            );
        }
    }

    #[test]
    fn ap_correlation_by_hand() {
        for (estimate, truth, expected) in [
            ("abcd", "abcd", 1.0),
            ("dcba", "abcd", -1.0),
            // Of b, a, c, d: a has none of 1 right, c two of 2, d three of 3: 2 / 3 * 2 - 1
            ("bacd", "abcd", 1.0 / 3.0),
            // A swap at the bottom costs less: 1, 1 and 2 / 3
            ("abdc", "abcd", 2.0 / 3.0 * (8.0 / 3.0) - 1.0),
        ] {
            let tau = tau_ap(&scores(estimate), &scores(truth)).unwrap().unwrap();
            assert!((tau - expected).abs() < 1e-12, "{estimate} {truth}: {tau}");
        }
        assert_eq!(tau_ap(&[1.0], &[2.0]).unwrap(), None);
    }

    /// All orders of some things that their scores allow.
    fn orders(scores: &[f64]) -> Vec<Vec<usize>> {
        fn permutations(things: &[usize]) -> Vec<Vec<usize>> {
            if things.is_empty() {
                return vec![vec![]];
            }
            let first = |at: usize| {
                let mut rest = things.to_vec();
                let first = rest.remove(at);
                permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
            };
            (0..things.len()).flat_map(first).collect()
        }
        let sorted = |order: &Vec<usize>| order.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]);
        permutations(&(0..scores.len()).collect::<Vec<_>>()).into_iter().filter(sorted).collect()
    }

    #[test]
    fn ties_count_as_the_mean_over_all_ways_to_break_them() {
        let mut random = Stream::new(7).rng(0);
        for _ in 0..50 {
            let mut draw = || (0..5).map(|_| f64::from(random.next_u32() % 3)).collect::<Vec<f64>>();
            let (estimate, truth) = (draw(), draw());
            let as_scores = |order: &Vec<usize>| {
                let mut scores = vec![0.0; order.len()];
                order.iter().enumerate().for_each(|(place, thing)| scores[*thing] = -(place as f64));
                scores
            };
            let (mut sum, mut count) = (0.0, 0.0);
            for one in orders(&estimate).iter().map(as_scores) {
                for other in orders(&truth).iter().map(as_scores) {
                    sum += tau_ap(&one, &other).unwrap().unwrap();
                    count += 1.0;
                }
            }
            let tau = tau_ap(&estimate, &truth).unwrap().unwrap();
            assert!((tau - sum / count).abs() < 1e-12, "{estimate:?} {truth:?}: {tau}");
        }
    }

    #[test]
    fn overlap_is_that_of_the_package_rbo() {
        // rbo.RankingSimilarity(first, second).rbo_ext(p) of PyPI's rbo 0.1.3
        for (first, second, p, expected) in OVERLAPS {
            let overlap = rank_biased_overlap(&scores(first), &scores(second), *p).unwrap();
            assert!((overlap - expected).abs() < 1e-12, "{first} {second} {p}: {overlap}");
        }
    }

    const OVERLAPS: &[(&str, &str, f64, f64)] = &[
        ("abc", "abc", 0.9, 1.0),
        ("abcd", "badc", 0.5, 0.4583333333333333),
        ("abcdef", "ecfabd", 0.9, 0.7064280000000001),
        ("abcdefgh", "hecagbdf", 0.95, 0.8165451613467261),
        ("abcdefghij", "ehjfibcgda", 0.9, 0.5345710656428573),
        ("abcdefghijkl", "dkfebgaichlj", 0.8, 0.35424619545119773),
    ];

    #[test]
    fn what_ties_is_among_the_first_together() {
        // a and b tie in the first order: at depth 1 it has both of them, the second a alone, so 2 * 1 / 3; then 1 and 1.
        let overlap = rank_biased_overlap(&[2.0, 2.0, 1.0], &[3.0, 2.0, 1.0], 0.5).unwrap();
        assert!((overlap - (0.125 + 2.0 / 3.0 * 0.5 + 0.25 + 0.125)).abs() < 1e-12, "{overlap}");
        assert_eq!(rank_biased_overlap(&[1.0, 1.0], &[1.0, 1.0], 0.9).unwrap(), 1.0);
    }

    #[test]
    fn what_cannot_be_ordered_is_an_error() {
        for (first, second) in [(vec![1.0], vec![]), (vec![f64::NAN], vec![1.0])] {
            assert!(kendall_tau(&first, &second).is_err() && tau_ap(&first, &second).is_err());
            assert!(rank_biased_overlap(&first, &second, 0.9).is_err());
        }
        for p in [0.0, 1.0, f64::NAN] {
            assert!(rank_biased_overlap(&[1.0], &[1.0], p).is_err());
        }
        assert!(rank_biased_overlap(&[], &[], 0.9).is_err());
    }
}
