//! Paired differences between two configurations, by unit.

use std::ops::{Range, RangeInclusive};

use super::extremes::Extremes;
use super::fixed::Fixed;
use super::sum::total;
use crate::order;
use crate::{Error, Result};

/// The differences candidate minus baseline of one metric, one per unit.
///
/// The unit is what is flipped and resampled as a whole: a query, or a group of queries that belong
/// together (paraphrases of one question, one user, one data set). A group's difference is the sum
/// of its queries' differences; means divide by the number of queries.
///
/// Random signs and resamples belong to a unit's position, so results are reproducible when units
/// always come in the same order: that of their sorted ids.
///
/// ```
/// use rankgate::stats::Differences;
///
/// let baseline = [0.5, 0.25, 1.0];
/// let candidate = [0.75, 0.25, 0.5];
/// let differences = Differences::new(&baseline, &candidate)?;
/// assert_eq!(differences.sums(), [0.25, 0.0, -0.5]);
/// assert_eq!((differences.wins(), differences.ties(), differences.losses()), (1, 1, 1));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Differences {
    pub(super) sums: Vec<f64>,
    pub(super) sizes: Vec<u32>,
    pub(super) fixed: Fixed,
    /// The largest magnitude that a unit's sums of scores could have.
    pub(super) largest: f64,
    pub(super) queries: usize,
    pub(super) baseline_mean: f64,
    pub(super) candidate_mean: f64,
    pub(super) mean: f64,
    /// Where the units of each collection end, where there are several.
    pub(super) strata: Vec<usize>,
    /// What an unseen query may do, by collection.
    pub(super) extremes: Vec<Extremes>,
}

impl Differences {
    /// Pairs two slices of scores by position: one score per query, in the order of sorted query
    /// ids. Scores that are all from 0 to 1 are taken for scores of that range, others for scores without an upper end;
    /// [`within`](Self::within) gives another range.
    ///
    /// # Errors
    ///
    /// When the slices differ in length, are empty, or hold a value that is not finite or over
    /// 1e75 in magnitude.
    pub fn new(baseline: &[f64], candidate: &[f64]) -> Result<Self> {
        let differences = subtract(baseline, candidate)?;
        let sizes = vec![1; differences.len()];
        Ok(Self::of_units(differences.clone(), sizes, &differences, baseline, candidate))
    }

    /// Pairs two slices by position and joins the queries of each group into one unit; `groups`
    /// holds each query's group. Units are in the order of the groups' keys.
    ///
    /// # Errors
    ///
    /// When the slices differ in length, are empty, or hold a value that is not finite or over
    /// 1e75 in magnitude.
    ///
    /// ```
    /// use rankgate::stats::Differences;
    ///
    /// let differences = Differences::grouped(&[0.0, 0.5, 0.5], &[1.0, 1.0, 0.5], &["b", "b", "a"])?;
    /// assert_eq!(differences.sums(), [0.0, 1.5]);
    /// assert_eq!(differences.sizes(), [1, 2]);
    /// assert_eq!(differences.mean(), 0.5);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn grouped<G: Ord>(baseline: &[f64], candidate: &[f64], groups: &[G]) -> Result<Self> {
        let differences = subtract(baseline, candidate)?;
        if groups.len() != differences.len() {
            let (groups, queries) = (groups.len(), differences.len());
            return Err(Error::invalid(format!("{groups} groups were given for {queries} queries")));
        }
        let (numbers, count) = order::numbers(groups);
        let mut members = vec![Vec::new(); count];
        for (group, &difference) in numbers.iter().zip(&differences) {
            members[*group].push(difference);
        }
        let sums = members.iter().map(|members| total(members.iter().copied())).collect();
        let sizes = members.iter().map(|members| members.len() as u32).collect();
        Ok(Self::of_units(sums, sizes, &differences, baseline, candidate))
    }

    fn of_units(
        mut sums: Vec<f64>,
        sizes: Vec<u32>,
        differences: &[f64],
        baseline: &[f64],
        candidate: &[f64],
    ) -> Self {
        let mean = |values: &[f64]| total(values.iter().copied()) / values.len() as f64;
        // Scores of queries that tie say nothing about how exact the others' differences are.
        let differing =
            baseline.iter().zip(candidate).filter(|(baseline, candidate)| !is_tie(**baseline, **candidate));
        let score = differing.fold(0.0, |largest: f64, (baseline, candidate)| {
            largest.max(baseline.abs()).max(candidate.abs())
        });
        let largest = score * f64::from(sizes.iter().copied().max().unwrap_or(1));
        let fixed = Fixed::new(&sums, largest);
        for (sum, _) in sums.iter_mut().zip(&fixed.units).filter(|(_, unit)| **unit == 0) {
            *sum = 0.0;
        }
        let found = Self {
            fixed,
            largest,
            sums,
            sizes,
            queries: differences.len(),
            baseline_mean: mean(baseline),
            candidate_mean: mean(candidate),
            mean: mean(differences),
            strata: Vec::new(),
            extremes: vec![Extremes::new(baseline, candidate)],
        };
        Self { mean: found.settled(found.mean), ..found }
    }

    /// The same where scores can have the values of this range: how much an unseen query may lose depends on it. Made wide
    /// enough for the scores that there are.
    ///
    /// ```
    /// use rankgate::stats::Differences;
    ///
    /// let grades = Differences::new(&[3.0, 1.0, 0.0], &[2.0, 1.0, 1.0])?;
    /// assert_eq!(grades.largest_loss(), None);
    /// assert_eq!(grades.within(&(0.0..=3.0)).largest_loss(), Some(3.0));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    #[must_use]
    pub fn within(mut self, range: &RangeInclusive<f64>) -> Self {
        for extremes in &mut self.extremes {
            *extremes = extremes.within(range);
        }
        self
    }

    /// How much a query loses that the baseline answers as well as can be and the candidate as badly; nothing where scores
    /// have no range.
    pub fn largest_loss(&self) -> Option<f64> {
        self.extremes.iter().map(Extremes::width).try_fold(0.0_f64, |most, width| Some(most.max(width?)))
    }

    /// How much an unseen query typically loses: the sum of the baseline's squared scores over their sum, the unseen query among
    /// them with the highest score that can be, and at least half the range; of several collections the largest.
    pub fn typical_loss(&self) -> f64 {
        self.extremes.iter().map(Extremes::loss).fold(0.0, f64::max)
    }

    /// The same of the candidate's scores, which the baseline loses.
    pub(super) fn candidate_only(&self) -> f64 {
        self.extremes.iter().map(Extremes::candidate_only).fold(0.0, f64::max)
    }

    /// A mean difference, or 0 for what is only the rounding of differences that cancel each other out: what
    /// the tests take for 0 is 0 wherever it is shown.
    pub(super) fn settled(&self, mean: f64) -> f64 {
        if mean.abs() <= self.noise() { 0.0 } else { mean }
    }

    /// How far apart two means may be and still stand for the same number.
    pub(super) fn noise(&self) -> f64 {
        self.fixed.tolerance() as f64 / self.fixed.scale() / self.queries as f64
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Always false: differences without a unit cannot be built.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// How many queries the units hold together.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// Each unit's sum of differences, candidate minus baseline.
    pub fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// How many queries each unit holds; 1 everywhere unless queries were grouped.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The mean difference per query.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The baseline's mean score per query.
    pub fn baseline_mean(&self) -> f64 {
        self.baseline_mean
    }

    /// The candidate's mean score per query.
    pub fn candidate_mean(&self) -> f64 {
        self.candidate_mean
    }

    /// Units in which the candidate scores higher.
    pub fn wins(&self) -> usize {
        self.fixed.units.iter().filter(|&&unit| unit > 0).count()
    }

    /// Units in which the candidate scores lower.
    pub fn losses(&self) -> usize {
        self.fixed.units.iter().filter(|&&unit| unit < 0).count()
    }

    /// Units in which both score the same, but for rounding noise.
    pub fn ties(&self) -> usize {
        self.len() - self.wins() - self.losses()
    }

    /// Each unit's sum as it would be if the candidate were worse by `null` per query.
    pub(super) fn shifted(&self, null: f64) -> Vec<f64> {
        self.sums.iter().zip(&self.sizes).map(|(sum, &size)| sum - null * f64::from(size)).collect()
    }

    /// [`shifted`](Self::shifted) as exact integers.
    pub(super) fn shifted_fixed(&self, null: f64) -> Fixed {
        let size = f64::from(self.sizes.iter().copied().max().unwrap_or(1));
        Fixed::new(&self.shifted(null), self.largest + null.abs() * size)
    }

    /// How far each unit's sum is from what the mean difference would make it, that of its own collection where
    /// there are several.
    pub(super) fn deviations(&self) -> Vec<f64> {
        if self.strata.is_empty() {
            return self.shifted(self.mean);
        }
        let of_stratum = |units: Range<usize>| {
            let (sums, sizes) = (&self.sums[units.clone()], &self.sizes[units]);
            let mean = total(sums.iter().copied()) / sizes.iter().map(|&size| f64::from(size)).sum::<f64>();
            sums.iter().zip(sizes).map(move |(sum, &size)| sum - mean * f64::from(size))
        };
        self.strata().flat_map(of_stratum).collect()
    }

    /// The units of each collection, by position; all of them where there is one.
    pub(super) fn strata(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = if self.strata.is_empty() { vec![self.len()] } else { self.strata.clone() };
        let starts = std::iter::once(0).chain(ends.clone());
        starts.zip(ends).map(|(start, end)| start..end)
    }

    /// The units' sums as exact integers.
    pub(super) fn fixed(&self) -> &Fixed {
        &self.fixed
    }

    /// The same differences without one unit, or nothing when it is the only one; nor where there are several
    /// collections, whose other units would weigh more then.
    pub(super) fn without(&self, unit: usize) -> Option<Self> {
        if self.len() < 2 || !self.strata.is_empty() {
            return None;
        }
        let mut rest = self.clone();
        rest.sums.remove(unit);
        rest.fixed = Fixed::new(&rest.sums, rest.largest);
        rest.queries -= rest.sizes.remove(unit) as usize;
        rest.mean = total(rest.sums.iter().copied()) / rest.queries as f64;
        Some(rest)
    }
}

/// The rounding noise of a score, as part of it: a few parts in 2^53.
const ROUNDING: f64 = 1.0 / (1u64 << 50) as f64;

/// Finite, and small enough that nothing computed from it overflows.
pub(super) fn is_score(value: f64) -> bool {
    value.abs() <= 1e75
}

fn subtract(baseline: &[f64], candidate: &[f64]) -> Result<Vec<f64>> {
    if baseline.len() != candidate.len() {
        let (baseline, candidate) = (baseline.len(), candidate.len());
        return Err(Error::invalid(format!(
            "paired scores are needed, but the baseline has {baseline} and the candidate {candidate}"
        )));
    }
    if baseline.is_empty() {
        return Err(Error::invalid("there are no queries to compare"));
    }
    for (side, scores) in [("baseline", baseline), ("candidate", candidate)] {
        if let Some((index, score)) = scores.iter().enumerate().find(|(_, score)| !is_score(**score)) {
            return Err(Error::invalid(format!("score {index} of the {side} is {score:?}")));
        }
    }
    let difference = |(&candidate, &baseline): (&f64, &f64)| {
        if is_tie(baseline, candidate) { 0.0 } else { candidate - baseline }
    };
    Ok(candidate.iter().zip(baseline).map(difference).collect())
}

/// Whether two scores differ by no more than what rounding makes of equal ones.
fn is_tie(baseline: f64, candidate: f64) -> bool {
    (candidate - baseline).abs() <= ROUNDING * baseline.abs().max(candidate.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_paired_is_an_error() {
        let message = |result: Result<Differences>| result.unwrap_err().to_string();
        for (baseline, candidate, expected) in [
            (&[][..], &[][..], "there are no queries to compare"),
            (&[0.5], &[f64::NAN], "score 0 of the candidate is NaN"),
            (&[f64::INFINITY], &[0.5], "score 0 of the baseline is inf"),
        ] {
            assert_eq!(message(Differences::new(baseline, candidate)), expected);
        }
        assert!(message(Differences::new(&[0.5], &[])).contains("the baseline has 1 and the candidate 0"));
        assert!(message(Differences::grouped(&[0.5], &[0.5], &["a", "b"])).contains("2 groups"));
        assert_eq!(
            message(Differences::new(&[0.5, -1e300], &[0.5, 0.5])),
            "score 1 of the baseline is -1e300"
        );
    }

    #[test]
    fn scores_that_tie_do_not_blur_the_others() {
        // grade 60 with exponential gain beside forty losses of 254
        let large = 2f64.powi(60);
        let (mut baseline, mut candidate) = (vec![255.0; 41], vec![1.0; 41]);
        (baseline[7], candidate[7]) = (large, large.next_up());
        let differences = Differences::new(&baseline, &candidate).unwrap();
        assert_eq!((differences.wins(), differences.ties(), differences.losses()), (0, 1, 40));
        assert_eq!((differences.sums()[7], differences.sums()[8]), (0.0, -254.0));
        assert_eq!(differences.fixed().scale(), 2f64.powi(42)); // 50 - log2(255), up
    }

    #[test]
    fn rounding_noise_is_a_tie() {
        let differences = Differences::new(&[0.3, 0.1, 0.2], &[0.1 + 0.2, 0.2, 0.1]).unwrap();
        assert_eq!(differences.sums()[0], 0.0);
        assert_eq!((differences.wins(), differences.ties(), differences.losses()), (1, 1, 1));
    }

    #[test]
    fn differences_that_cancel_each_other_out_have_the_mean_0() {
        // In floats 0.8 - 0.5 is not 0.5 - 0.2.
        let differences = Differences::new(&[0.5, 0.5], &[0.8, 0.2]).unwrap();
        assert!(differences.sums()[0] + differences.sums()[1] != 0.0);
        assert_eq!((differences.mean(), differences.wins(), differences.losses()), (0.0, 1, 1));
        let small = Differences::new(&[0.0, 0.0], &[1e-9, 0.0]).unwrap();
        assert_eq!(small.mean(), 5e-10, "no rounding");
    }

    #[test]
    fn a_unit_can_be_left_out() {
        let differences = Differences::grouped(&[0.0; 4], &[1.0, 2.0, 3.0, 4.0], &[0, 1, 1, 2]).unwrap();
        let rest = differences.without(1).unwrap();
        assert_eq!((rest.sums(), rest.sizes(), rest.queries()), (&[1.0, 4.0][..], &[1, 1][..], 2));
        assert_eq!(rest.mean(), 2.5);
        let of_groups = Differences::grouped(&[0.0; 3], &[1.0, 2.0, 3.0], &[0, 1, 1]).unwrap();
        let rest = of_groups.without(0).unwrap();
        assert_eq!((rest.len(), rest.queries(), rest.mean(), rest.is_empty()), (1, 2, 2.5, false));
        assert!(Differences::new(&[0.0], &[1.0]).unwrap().without(0).is_none());
    }
}
