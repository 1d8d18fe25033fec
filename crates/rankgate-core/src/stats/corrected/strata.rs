//! The corrected mean of a stratified sample: people judged some queries of every stratum.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::constant::ConstantCorrection;
use super::units::{Unit, units_of};
use super::{CorrectedMean, LEAST_FREE, LINE, NOISE, UNSKEWED};
use crate::stats::sum::total;
use crate::{Error, Result};

/// What a stratified sample has beside the moments of all drawn units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StrataMoments {
    /// Second and third moment of residuals as they would count if all units were drawn.
    pub(super) all: [f64; 2],
    /// The smallest share that a stratum has of the drawn units, for each unit that it has of all of them.
    pub(super) least_rate: f64,
}

/// The drawn units of one stratum, by their places among all drawn ones, and how many units it has.
struct Stratum {
    drawn: Vec<usize>,
    all: usize,
}

/// Scores of the drawn units, as they deviate from a mean per query over all strata.
struct Deviations {
    mean: f64,
    apart: Vec<f64>,
}

/// Strata, and the share of each of all units.
struct Design {
    strata: Vec<Stratum>,
    drawn: usize,
    all: usize,
    /// A sum of squares up to this is rounding noise.
    noise: f64,
}

impl CorrectedMean {
    /// The same where people judged a sample of each stratum. `strata` names the stratum of every query; those of a group are in one.
    ///
    /// # Source
    ///
    /// The combined regression estimator in stratified sampling (Cochran, "Sampling Techniques", 1977, section 7.10), with the
    /// finite population of each stratum. With the share `W_h` of a stratum, of whose `N_h` units `n_h` were drawn, the model's
    /// weight is `L = Σ c_h s_fy / Σ c_h s_ff`, `c_h = W_h² / n_h`, over deviations from the means of strata. The variance is
    /// `S²(y) / N + Σ W_h² (1/n_h - 1/N_h) mean e²`, `S²(y)` being that between all units (Cochran, 5A.11) and `e` residuals
    /// divided by 1 less their leverage. Degrees of freedom are Satterthwaite's (Cochran, 5.4), less one for the slope. With a
    /// single stratum all of it is [`within`](Self::within). Strata with fewer than two drawn units are taken together with
    /// the one before them.
    ///
    /// # Errors
    ///
    /// As [`within`](Self::within); queries of one group in several strata.
    ///
    /// ```
    /// use rankgate::stats::CorrectedMean;
    ///
    /// // People find the model right about easy queries, and too kind by .3 about hard ones.
    /// let model = [0.9, 0.8, 0.7, 0.9, 0.8, 0.7];
    /// let people = [Some(0.9), Some(0.8), None, Some(0.6), Some(0.5), None];
    /// let strata = ["easy", "easy", "easy", "hard", "hard", "hard"];
    /// let one = CorrectedMean::stratified(&model, &people, &[0, 1, 2, 3, 4, 5], &strata, &(0.0..=1.0))?;
    /// assert!((one.weight - 1.0).abs() < 1e-12 && (one.value - (0.8 + 0.5) / 2.0).abs() < 1e-12);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn stratified<G: Ord, S: Ord>(
        model: &[f64],
        people: &[Option<f64>],
        groups: &[G],
        strata: &[S],
        range: &RangeInclusive<f64>,
    ) -> Result<Self> {
        if strata.len() != model.len() {
            let message = format!("{} strata for {} queries", strata.len(), model.len());
            return Err(Error::invalid(message));
        }
        let mut of_group: BTreeMap<&G, &S> = BTreeMap::new();
        for (group, stratum) in groups.iter().zip(strata) {
            if of_group.insert(group, stratum).is_some_and(|before| before != stratum) {
                return Err(Error::invalid("the queries of a group are in several strata"));
            }
        }
        let names: Vec<&S> = strata.iter().collect::<BTreeSet<_>>().into_iter().collect();
        // In the order of the groups, as units are.
        let places: Vec<usize> =
            of_group.values().filter_map(|stratum| names.binary_search(stratum).ok()).collect();
        let of = |model: &[f64]| -> Result<Option<Self>> {
            let units = units_of(model, people, groups)?;
            Ok(Design::new(&units, &places).map(|design| design.corrected(&units).with_ends(range)))
        };
        let Some(one) = of(model)? else { return Self::within(model, people, groups, range) };
        let alone = of(&vec![0.0; model.len()])?;
        Ok(alone.map_or(one, |alone| one.or_alone(alone)))
    }
}

impl Design {
    /// Strata with two drawn units each, or whole ones; nothing where a single one is left.
    fn new(units: &[Unit], places: &[usize]) -> Option<Self> {
        let count = places.iter().max().map_or(0, |last| last + 1);
        let mut strata: Vec<Stratum> = (0..count).map(|_| Stratum { drawn: Vec::new(), all: 0 }).collect();
        let mut drawn = 0;
        for (unit, place) in units.iter().zip(places) {
            strata[*place].all += 1;
            if unit.drawn > 0.0 {
                strata[*place].drawn.push(drawn);
                drawn += 1;
            }
        }
        let is_known = |stratum: &Stratum| stratum.drawn.len() >= 2 || stratum.drawn.len() == stratum.all;
        let mut whole: Vec<Stratum> = Vec::new();
        for stratum in strata {
            match whole.last_mut() {
                Some(before) if !(is_known(before) && is_known(&stratum)) => {
                    before.drawn.extend(stratum.drawn);
                    before.all += stratum.all;
                }
                _ => whole.push(stratum),
            }
        }
        let squares = units.iter().map(|unit| (unit.people.abs() + unit.model.abs()).powi(2));
        let noise = NOISE * total(squares);
        (whole.len() > 1).then_some(Self { strata: whole, drawn, all: units.len(), noise })
    }

    fn share(&self, stratum: &Stratum) -> f64 {
        stratum.all as f64 / self.all as f64
    }

    /// Deviations from the mean per query, each drawn unit standing for those of its stratum.
    fn deviations(&self, drawn: &[Unit], value: impl Fn(&Unit) -> f64) -> Deviations {
        let weighted = |of: &dyn Fn(&Unit) -> f64| {
            let of_stratum = |stratum: &Stratum| {
                let sum = total(stratum.drawn.iter().map(|&at| of(&drawn[at])));
                sum * stratum.all as f64 / stratum.drawn.len() as f64
            };
            total(self.strata.iter().map(of_stratum))
        };
        let size = weighted(&|unit| unit.size);
        let mean = weighted(&value) / size;
        let per_unit = size / self.all as f64;
        Deviations {
            mean,
            apart: drawn.iter().map(|unit| (value(unit) - mean * unit.size) / per_unit).collect(),
        }
    }

    /// Deviations from the means of strata.
    fn within(&self, deviations: &Deviations) -> Vec<f64> {
        let mut within = deviations.apart.clone();
        for stratum in &self.strata {
            let mean =
                total(stratum.drawn.iter().map(|&at| deviations.apart[at])) / stratum.drawn.len() as f64;
            stratum.drawn.iter().for_each(|&at| within[at] -= mean);
        }
        within
    }

    /// The variance of each stratum, of deviations from its mean.
    fn variances(&self, within: &[f64]) -> Vec<f64> {
        let of = |stratum: &Stratum| {
            let squares = total(stratum.drawn.iter().map(|&at| within[at] * within[at]));
            if squares <= self.noise { 0.0 } else { squares / (stratum.drawn.len() as f64 - 1.0) }
        };
        self.strata.iter().map(of).collect()
    }

    /// The sum over strata of what each adds to a variance, by its variance and the inverse of the units that it is known from.
    fn sum(&self, variances: &[f64], inverse: impl Fn(&Stratum) -> f64) -> f64 {
        let of =
            |(stratum, variance): (&Stratum, &f64)| self.share(stratum).powi(2) * variance * inverse(stratum);
        total(self.strata.iter().zip(variances).map(of))
    }

    /// The variance between all units (Cochran, 5A.11).
    fn spread(&self, deviations: &Deviations) -> f64 {
        let mean_square = self.moment(&deviations.apart, 2);
        let error = self.sum(&self.variances(&self.within(deviations)), left);
        (mean_square + error) / (1.0 - 1.0 / self.all as f64)
    }

    /// The mean power of values over all units.
    fn moment(&self, values: &[f64], power: i32) -> f64 {
        let of = |stratum: &Stratum| {
            let sum = total(stratum.drawn.iter().map(|&at| values[at].powi(power)));
            self.share(stratum) * sum / stratum.drawn.len() as f64
        };
        total(self.strata.iter().map(of))
    }

    /// The model's weight and the residuals of that line, each divided by 1 less its leverage; nothing where the drawn units give
    /// no line, or one of them alone fixes it.
    fn line(&self, people: &[f64], model: &[f64]) -> Option<(f64, Vec<f64>)> {
        let weight = |stratum: &Stratum| {
            let drawn = stratum.drawn.len() as f64;
            if drawn < 2.0 { 0.0 } else { self.share(stratum).powi(2) / (drawn * (drawn - 1.0)) }
        };
        let product = |one: &[f64], other: &[f64]| {
            let of = |stratum: &Stratum| {
                weight(stratum) * total(stratum.drawn.iter().map(|&at| one[at] * other[at]))
            };
            total(self.strata.iter().map(of))
        };
        if self.drawn < LINE || total(model.iter().map(|one| one * one)) <= self.noise {
            return None;
        }
        let square = product(model, model);
        let slope = product(people, model) / square;
        let mut residuals = vec![0.0; people.len()];
        for stratum in &self.strata {
            for &at in &stratum.drawn {
                let leverage = weight(stratum) * model[at] * model[at] / square;
                let free = 1.0 - 1.0 / stratum.drawn.len() as f64 - leverage;
                // A stratum of a single unit is known as a whole.
                if stratum.drawn.len() > 1 && free <= LEAST_FREE {
                    return None;
                }
                residuals[at] =
                    if stratum.drawn.len() > 1 { (people[at] - slope * model[at]) / free } else { 0.0 };
            }
        }
        Some((slope, residuals))
    }

    /// Satterthwaite's degrees of freedom (Cochran, 5.4).
    fn freedom(&self, variances: &[f64]) -> f64 {
        let most = (self.drawn - self.strata.len()) as f64;
        let parts: Vec<(f64, f64)> = self
            .strata
            .iter()
            .zip(variances)
            .filter(|(stratum, _)| stratum.drawn.len() > 1)
            .map(|(stratum, variance)| {
                (self.share(stratum).powi(2) * variance * left(stratum), stratum.drawn.len() as f64 - 1.0)
            })
            .collect();
        let sum = total(parts.iter().map(|(part, _)| *part));
        let squares = total(parts.iter().map(|(part, freedom)| part * part / freedom));
        if squares > 0.0 { (sum * sum / squares).min(most) } else { most }
    }

    fn corrected(&self, units: &[Unit]) -> CorrectedMean {
        let drawn: Vec<Unit> = units.iter().copied().filter(|unit| unit.drawn > 0.0).collect();
        let undrawn: Vec<Unit> = units.iter().copied().filter(|unit| unit.drawn == 0.0).collect();
        let people = self.deviations(&drawn, |unit| unit.people);
        let model = self.deviations(&drawn, |unit| unit.model);
        let correction = self.deviations(&drawn, |unit| unit.people - unit.model);
        let all = super::Deviations::from_units(units, |unit| unit.model);
        let constant = ConstantCorrection::from_units(&drawn, &undrawn, correction.mean);
        let [of_people, of_model, of_correction] =
            [&people, &model, &correction].map(|deviations| self.within(deviations));
        let line = if constant.is_none() { self.line(&of_people, &of_model) } else { None };
        let alone = if constant.is_some() { &of_correction } else { &of_people };
        let (weight, lost) = match (&line, &constant) {
            (Some((slope, _)), _) => (*slope, 1.0),
            (None, Some(_)) => (1.0, 0.0),
            (None, None) => (0.0, 0.0),
        };
        // HC3 has the mean square of residuals; without a line it is the variance.
        let residuals = line.as_ref().map_or(alone, |(_, residuals)| residuals);
        let mut variances = self.variances(residuals);
        if line.is_some() {
            for (variance, stratum) in variances.iter_mut().zip(&self.strata) {
                *variance *= (stratum.drawn.len() as f64 - 1.0) / stratum.drawn.len() as f64;
            }
        }
        let missing = (all.square() - self.spread(&model)).max(0.0);
        let (n, everything) = (self.drawn as f64, self.all as f64);
        let third = |inverse: &dyn Fn(&Stratum) -> f64| {
            let of = |stratum: &Stratum| {
                let cube = total(stratum.drawn.iter().map(|&at| residuals[at].powi(3)));
                self.share(stratum).powi(3) * cube / stratum.drawn.len() as f64 * inverse(stratum).powi(2)
            };
            total(self.strata.iter().map(of))
        };
        let believed = n / (n + UNSKEWED);
        let of_drawn = |stratum: &Stratum| 1.0 / stratum.drawn.len() as f64;
        let of_all = |stratum: &Stratum| 1.0 / stratum.all as f64;
        let rate = |stratum: &Stratum| stratum.drawn.len() as f64 / n / self.share(stratum);
        let freedom = (self.freedom(&variances) - lost).floor().max(1.0) as usize;
        let leniency = self.variances(&of_correction);
        let mut corrected = CorrectedMean {
            value: people.mean + weight * (all.mean - model.mean),
            standard_error: 0.0,
            weight,
            freedom,
            units: self.all,
            drawn: self.drawn,
            uncorrected: all.mean,
            leniency: -correction.mean,
            leniency_error: self.sum(&leniency, of_drawn).sqrt(),
            spreads: [
                (self.spread(&people) + weight * weight * missing).sqrt(),
                (n * self.sum(&variances, of_drawn)).sqrt(),
            ],
            cubes: [self.moment(&people.apart, 3) * believed, n * n * third(&of_drawn) * believed],
            constant,
            carried: None,
            sequential: false,
            strata: Some(StrataMoments {
                all: [
                    everything * self.sum(&variances, of_all),
                    everything * everything * third(&of_all) * believed,
                ],
                least_rate: self.strata.iter().map(rate).fold(f64::INFINITY, f64::min),
            }),
        };
        corrected.standard_error = corrected.error_of(self.drawn);
        corrected
    }
}

/// What is left to chance of a stratum.
fn left(stratum: &Stratum) -> f64 {
    1.0 / stratum.drawn.len() as f64 - 1.0 / stratum.all as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Confidence, unseen_limits};

    const MODEL: [f64; 13] = [0.9, 0.8, 0.7, 0.95, 0.6, 0.85, 0.75, 0.5, 0.4, 0.3, 0.55, 0.2, 0.45];
    const PEOPLE: [Option<f64>; 13] = [
        Some(0.8),
        Some(0.85),
        Some(0.6),
        None,
        Some(0.65),
        None,
        Some(0.7),
        Some(0.2),
        Some(0.3),
        None,
        Some(0.3),
        Some(0.25),
        None,
    ];
    const STRATA: [&str; 13] = ["a", "a", "a", "a", "a", "a", "a", "b", "b", "b", "b", "b", "b"];

    fn queries(count: usize) -> Vec<usize> {
        (0..count).collect()
    }

    fn stratified(model: &[f64], people: &[Option<f64>], strata: &[&str]) -> CorrectedMean {
        CorrectedMean::stratified(model, people, &queries(model.len()), strata, &(0.0..=1.0)).unwrap()
    }

    /// numpy 2: least squares of people's scores on a column for each stratum and the model's scores, rows weighted by
    /// `W_h² / (n_h (n_h - 1))`, with the diagonal of its projection matrix for leverages.
    #[test]
    fn it_is_weighted_least_squares() {
        let one = stratified(&MODEL, &PEOPLE, &STRATA);
        for (found, expected) in [
            (one.value, 0.513_523_389_734_110_6),
            (one.weight, 0.270_240_295_748_613_86),
            (one.standard_error, 0.071_930_082_375_121_05),
            (one.leniency, 0.085_384_615_384_615_5),
            (one.leniency_error, 0.040_801_873_724_233_356),
        ] {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        // Satterthwaite's 5.85.
        assert_eq!((one.freedom, one.units, one.drawn), (5, 13, 9));
        // The order of queries and the names of strata make no difference.
        let backwards = |all: &[f64]| all.iter().rev().copied().collect::<Vec<_>>();
        let people: Vec<Option<f64>> = PEOPLE.iter().rev().copied().collect();
        let other = stratified(&backwards(&MODEL), &people, &[["x"; 6].as_slice(), &["c"; 7]].concat());
        assert!((other.value - one.value).abs() < 1e-12, "{other:?}");
        assert!((other.standard_error - one.standard_error).abs() < 1e-12);
    }

    #[test]
    fn a_single_stratum_is_a_simple_random_sample() {
        let simple = CorrectedMean::within(&MODEL, &PEOPLE, &queries(13), &(0.0..=1.0)).unwrap();
        assert_eq!(stratified(&MODEL, &PEOPLE, &["a"; 13]), simple);
        // One drawn unit says nothing of how its stratum varies: it is taken together with the one before.
        let mut strata = ["a"; 13];
        (strata[11], strata[12]) = ("b", "b");
        assert_eq!(stratified(&MODEL, &PEOPLE, &strata), simple);
    }

    /// All samples of 2 of 4 and 3 of 5 units: the mean of the estimates is the mean of the population, and that of the estimated
    /// variances is the variance of the estimates and of the population's mean.
    #[test]
    fn without_a_model_it_is_unbiased_and_so_is_its_variance() {
        let scores = [0.1, 0.9, 0.4, 0.3, 1.0, 0.8, 0.9, 0.6, 1.0];
        let strata = ["a", "a", "a", "a", "b", "b", "b", "b", "b"];
        let mut all = Vec::new();
        for bits in 0..1_u32 << 9 {
            if (bits & 0xf).count_ones() == 2 && (bits >> 4).count_ones() == 3 {
                let people: Vec<Option<f64>> = scores
                    .iter()
                    .enumerate()
                    .map(|(at, score)| (bits >> at & 1 == 1).then_some(*score))
                    .collect();
                all.push(stratified(&[0.0; 9], &people, &strata));
            }
        }
        assert_eq!(all.len(), 60);
        let mean = |of: &dyn Fn(&CorrectedMean) -> f64| all.iter().map(of).sum::<f64>() / 60.0;
        let truth = scores.iter().sum::<f64>() / 9.0;
        assert!((mean(&|one| one.value) - truth).abs() < 1e-12);
        let variance = mean(&|one| (one.value - truth).powi(2));
        let between = scores.iter().map(|score| (score - truth).powi(2)).sum::<f64>() / 8.0 / 9.0;
        assert!((mean(&|one| one.standard_error.powi(2)) - variance - between).abs() < 1e-12);
    }

    #[test]
    fn a_judge_that_was_never_seen_to_be_wrong_leaves_room_by_the_least_drawn_stratum() {
        // 5 of 10 and 10 of 30 units: an error shows at least as often as in 3/4 of 40/3 drawn from all.
        let strata: Vec<&str> = (0..40).map(|at| if at < 10 { "a" } else { "b" }).collect();
        let people: Vec<Option<f64>> =
            (0..40).map(|at| (at < 5 || (10..20).contains(&at)).then_some(1.0)).collect();
        let one = stratified(&[1.0; 40], &people, &strata);
        let limits = one.interval(Confidence::default()).unwrap();
        let rate: f64 = 10.0 / 30.0 * 40.0;
        let share = 1.0 - 0.025_f64.powf(1.0 / rate);
        // Of the units that were not drawn; or, people alone, of all.
        assert!(limits.low >= 1.0 - share - 1e-12 && limits.high == 1.0, "{limits:?}");
        let simple = unseen_limits(&[1.0; 15], 0.0..=1.0, Confidence::default()).unwrap();
        assert!(limits.low < simple.low + 25.0 / 40.0 * share, "{limits:?} {simple:?}");
    }

    #[test]
    fn what_is_no_stratified_sample_is_an_error() {
        let error = |groups: &[usize], strata: &[&str]| {
            let people = [Some(0.1), Some(0.2), Some(0.3), None];
            let one = CorrectedMean::stratified(&[0.5; 4], &people, groups, strata, &(0.0..=1.0));
            one.unwrap_err().to_string()
        };
        assert_eq!(
            error(&[0, 0, 1, 2], &["a", "b", "a", "b"]),
            "the queries of a group are in several strata"
        );
        assert_eq!(error(&[0, 1, 2, 3], &["a"]), "1 strata for 4 queries");
    }
}
