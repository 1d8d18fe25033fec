//! The rule of a suite on one sample of each of its collections.

use super::{Moments, Room, Rule, Table, density};
use crate::stats::basis::Basis;
use crate::stats::decision::ROUNDING;
use crate::stats::distribution::normal_cdf;
use crate::stats::permutation::{half_span, smallest_p};

/// Claims of one expectation that have to hold together: at most those of both sides of an equivalence.
const CLAIMS: usize = 2;

/// One collection of a suite: how its queries vary, and what they are asked.
pub(in crate::stats::planning) struct Collection<'a> {
    pub(in crate::stats::planning) rule: Rule<'a>,
    /// Of what a collection may lose, where the suite says it.
    pub(in crate::stats::planning) harm: Option<Rule<'a>>,
    /// Of the mean; all together are 1.
    pub(in crate::stats::planning) share: f64,
    pub(in crate::stats::planning) units: usize,
}

/// What is asked of samples of several collections.
pub(in crate::stats::planning) struct SuiteRule<'a> {
    collections: Vec<Collection<'a>>,
    /// By claim: half of how far apart weighted means of randomly signed units are at least; 0 where they lie on no lattice.
    half_spans: Vec<f64>,
}

/// Sums over the collections' samples for one claim: of the weighted mean's distance from the null.
#[derive(Clone, Copy, Default)]
struct Sums {
    mean: f64,
    /// Of what each unit adds to the mean.
    squares: f64,
    fourths: f64,
    differing: f64,
    /// Mean, variance and third cumulant over all weighings of units, one unseen in each collection.
    weighed: [f64; 3],
}

impl<'a> SuiteRule<'a> {
    pub(in crate::stats::planning) fn new(collections: Vec<Collection<'a>>) -> Self {
        let claims = collections.first().map_or(0, |one| one.rule.claims.len());
        let mut half_spans = Vec::with_capacity(claims);
        for claim in 0..claims {
            let (mut all, mut first) = (Vec::new(), 0.0);
            for Collection { rule, share, units, .. } in &collections {
                let table = &rule.claims[claim];
                let per_query =
                    share * table.scale / (*units as f64 * table.moments.queries / table.moments.units);
                // Relative to the first, so that collections alike lie on the lattice of their scores.
                if first == 0.0 {
                    first = per_query;
                }
                all.extend(table.values.iter().map(|value| value * (per_query / first)));
            }
            half_spans.push(half_span(&all) * first);
        }
        Self { collections, half_spans }
    }

    /// Whether the rule holds the claims shown on one sample of each collection.
    pub(in crate::stats::planning) fn shows(&self, number: u64, closely: bool, room: &mut Room) -> bool {
        let mut sums = [Sums::default(); CLAIMS];
        for (place, one) in self.collections.iter().enumerate() {
            let Collection { rule, harm, share, units } = one;
            let own = number * self.collections.len() as u64 + place as u64;
            // The same sequence draws the same units.
            if harm.as_ref().is_some_and(|harm| !harm.shows(own, *units, closely, room)) {
                return false;
            }
            let sample = rule.sample(rule.stream.sequence(own), *units, room);
            for (sums, table) in sums.iter_mut().zip(&rule.claims) {
                sums.add(table, &rule.moments(table, *units, sample, &room.units), *share);
            }
        }
        let Some(Collection { rule, .. }) = self.collections.first() else { return false };
        let mut claims = rule.claims.iter().zip(&sums).zip(&self.half_spans);
        claims.all(|((table, sums), half_span)| {
            if rule.tolerance.is_some_and(|tolerance| sums.mean <= tolerance + ROUNDING) {
                return false;
            }
            let test = || sums.signs_show(*half_span, rule.level);
            let unseen = || table.unseen.is_some() && sums.unseen_p() <= rule.level;
            match table.basis {
                Basis::Test => test(),
                Basis::UnseenQuery => unseen(),
                Basis::Both => test() && unseen(),
            }
        })
    }
}

impl Sums {
    fn add(&mut self, table: &Table, moments: &Moments, share: f64) {
        let Moments { units, queries, total, squares, fourths, .. } = *moments;
        let per_query = share * table.scale / queries;
        self.mean += per_query * total;
        self.squares += per_query.powi(2) * squares;
        self.fourths += per_query.powi(4) * fourths;
        self.differing += moments.differing;
        let unseen = table.unseen.unwrap_or_default();
        let all = units + 1.0;
        let mean = (total + unseen) / all;
        let second = (squares + unseen * unseen) / all;
        let third = (moments.cubes() + unseen.powi(3)) / all - 3.0 * mean * second + 2.0 * mean.powi(3);
        let variance = (second - mean * mean).max(0.0);
        // Of a Dirichlet mean of N values: their mean, their variance over N + 1, twice their third moment over
        // (N + 1)(N + 2).
        let per_unit = share * table.scale * units / queries;
        self.weighed[0] += per_unit * mean;
        self.weighed[1] += per_unit.powi(2) * variance / (all + 1.0);
        self.weighed[2] += per_unit.powi(3) * 2.0 * third / ((all + 1.0) * (all + 2.0));
    }

    /// Whether random signs seldom reach the mean.
    fn signs_show(&self, half_span: f64, level: f64) -> bool {
        let all = smallest_p(self.differing);
        if all > level || self.mean <= 0.0 {
            return false;
        }
        let z = (self.mean - half_span) / self.squares.sqrt();
        // Edgeworth's term of a symmetric sum.
        let fourth = -2.0 * self.fourths / (self.squares * self.squares);
        let p = normal_cdf(-z) + density(z) * fourth / 24.0 * (z.powi(3) - 3.0 * z);
        p.max(all) <= level
    }

    /// The share of all weighings whose mean is not beyond the null: of a gamma distribution with the same three cumulants,
    /// by Wilson and Hilferty's cube root (1931).
    fn unseen_p(&self) -> f64 {
        let [mean, variance, third] = self.weighed;
        if variance <= 0.0 {
            return if mean > 0.0 { 0.0 } else { 1.0 };
        }
        let (z, skewness) = (-mean / variance.sqrt(), third / variance.powf(1.5));
        if skewness.abs() < 1e-6 {
            return normal_cdf(z);
        }
        let root = (1.0 + skewness * z / 2.0).max(0.0).cbrt();
        normal_cdf(6.0 / skewness * (root - 1.0) + skewness / 6.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sample;
    use super::*;
    use crate::stats::basis::ClaimRule;
    use crate::stats::planning::population::Population;
    use crate::stats::{
        Claim, ComparisonSettings, Differences, Direction, Expectation, Guarantee, PermutationOptions,
        Stream, permutation_test,
    };

    /// Differences that are mostly none, with a few gains and fewer losses, of so many queries.
    fn part(queries: usize, every: usize, gain: f64, loss: f64) -> Differences {
        let baseline: Vec<f64> = (0..queries).map(|at| 0.3 + (at * 7 % 5) as f64 / 10.0).collect();
        let moved = |at: usize| match at % every {
            0 if at.is_multiple_of(5) => -loss,
            0 | 1 => gain,
            _ => 0.0,
        };
        let candidate: Vec<f64> = baseline.iter().enumerate().map(|(at, score)| score + moved(at)).collect();
        Differences::new(&baseline, &candidate).unwrap().within(&(0.0..=1.0))
    }

    /// The sums of the very samples that were observed, none drawn anew.
    fn observed(parts: &[(&Differences, f64)], expectation: Expectation) -> Sums {
        let settings = ComparisonSettings::default();
        let rule = ClaimRule::new(expectation, &settings);
        let mut sums = Sums::default();
        for (part, share) in parts {
            let population = Population::new(part, part.mean(), &mut 0).unwrap();
            let rule = Rule::new(&population, &rule, &part.extremes[0], settings.confidence.tail());
            let units: Vec<u32> = (0..part.len() as u32).collect();
            let sample = Sample { normal: [0.0; 2], counts: None };
            sums.add(&rule.claims[0], &rule.moments(&rule.claims[0], part.len(), sample, &units), *share);
        }
        sums
    }

    /// Against 99,999 draws of the weighted mean, and 999,999 signs or all of them.
    #[test]
    fn p_values_of_a_suite_are_those_of_the_rule_that_decides() {
        let few = [part(15, 3, 0.2, 0.1), part(30, 4, 0.25, 0.2), part(60, 3, 0.15, 0.2)];
        let unequal = [part(12, 4, 0.3, 0.1), part(400, 5, 0.1, 0.2)];
        let still = [part(15, 40, 0.2, 0.0), part(80, 2, 0.2, 0.1), part(200, 2, 0.1, 0.1)];
        let stream = Stream::new(1);
        let (mut compared, mut signs) = (0, 0);
        for parts in [&few[..], &unequal, &still] {
            let share = 1.0 / parts.len() as f64;
            let weighed: Vec<(&Differences, f64)> = parts.iter().map(|part| (part, share)).collect();
            let joined = Differences::joined(&weighed).unwrap();
            let options = PermutationOptions { resamples: 999_999, ..PermutationOptions::default() };
            for null in [-0.04, -0.02, 0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08] {
                let expectation = match null {
                    null if null < 0.0 => Expectation::NonInferiority { margin: -null },
                    min_gain => Expectation::Improvement { min_gain },
                };
                let sums = observed(&weighed, expectation);
                assert!((sums.mean - (joined.mean() - null)).abs() < 1e-12);
                let exact = permutation_test(&joined, null, &options).unwrap().p_greater;
                if (0.002..0.2).contains(&exact) {
                    // Half of a mean that rests on twelve units has few values: within a factor, else within a fifth.
                    let factor = if parts[0].len() == 12 { 1.6 } else { 1.2 };
                    let shows = |level| sums.signs_show(0.0, level);
                    assert!(!shows(exact / factor) && shows(exact * factor), "{null}: {exact}");
                    signs += 1;
                }
                let claim = Claim { null, direction: Direction::Greater };
                let exact = joined.unseen_p(claim, Guarantee::Typical, &stream).unwrap();
                let approximate = sums.unseen_p();
                // Where it could decide: four errors of the draws, and a tenth.
                if (0.002..0.2).contains(&exact) {
                    let error = 4.0 * (exact / 99_999.0).sqrt() + 0.1 * exact;
                    assert!((approximate - exact).abs() < error, "{null}: {approximate} {exact}");
                    compared += 1;
                }
            }
        }
        assert!(compared >= 6 && signs >= 5, "{compared} {signs}");
    }

    /// A collection of zeros beside an unseen query is that query's share alone: Beta(1, n), whose tail is (1 - x)^n.
    #[test]
    fn a_collection_that_shows_nothing_leaves_its_unseen_query() {
        let ties = Differences::new(&[0.5; 20], &[0.5; 20]).unwrap().within(&(0.0..=1.0));
        for margin in [0.03_f64, 0.05, 0.08, 0.1] {
            let sums = observed(&[(&ties, 1.0)], Expectation::NonInferiority { margin });
            let exact = (1.0 - margin / ties.typical_loss()).powi(20);
            assert!((sums.unseen_p() / exact - 1.0).abs() < 0.1, "{margin}: {} {exact}", sums.unseen_p());
        }
    }
}
