//! How far two graders agree, beyond what chance would.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use std::collections::BTreeMap;

use super::distribution::t_quantile;
use super::{Confidence, Interval, NoInterval};
use crate::{Error, Result};

/// Pairs of grades that two graders gave the same documents, by query.
///
/// None of these numbers says whether means of the second one's grades can be trusted: a grader that always says
/// "not relevant" agrees with most people most of the time.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// By query: how often the first gave the one grade and the second the other.
    queries: Vec<Vec<u64>>,
    grades: usize,
}

/// One number of agreement and its interval over queries.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Agreed {
    /// 1 is full agreement, 0 of coefficients what chance gives.
    pub value: f64,
    /// By leaving out one query at a time.
    pub interval: std::result::Result<Interval, NoInterval>,
}

/// Which number of agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coefficient {
    /// The share of equal grades.
    Exact,
    /// Cohen's kappa (Cohen 1960).
    Kappa,
    /// Cohen's kappa with quadratic weights (Cohen 1968).
    QuadraticKappa,
    /// Gwet's AC2 with quadratic weights (Gwet 2014), which rare grades do not upset.
    Ac2,
}

impl Agreement {
    /// Of grades from 0 to `most`, with the query of each pair.
    ///
    /// # Errors
    ///
    /// No pair, or a grade beyond `most`.
    #[inline]
    pub fn new<Q: Ord>(pairs: impl IntoIterator<Item = (Q, u8, u8)>, most: u8) -> Result<Self> {
        let grades = usize::from(most) + 1;
        let mut queries: BTreeMap<Q, Vec<u64>> = BTreeMap::new();
        for (query, first, second) in pairs {
            if first.max(second) > most {
                return Err(Error::invalid(format!(
                    "the grade {} is not among 0 to {most}",
                    first.max(second)
                )));
            }
            let counts = queries.entry(query).or_insert_with(|| vec![0; grades * grades]);
            counts[usize::from(first) * grades + usize::from(second)] += 1;
        }
        if queries.is_empty() {
            return Err(Error::invalid("there are no documents that both have graded"));
        }
        Ok(Self { queries: queries.into_values().collect(), grades })
    }

    /// How often the first gave each grade (rows) where the second gave each (columns).
    #[must_use]
    #[inline]
    pub fn confusion(&self) -> Vec<Vec<u64>> {
        self.total().chunks(self.grades).map(<[u64]>::to_vec).collect()
    }

    #[inline]
    fn total(&self) -> Vec<u64> {
        let mut total = vec![0; self.grades * self.grades];
        for counts in &self.queries {
            total.iter_mut().zip(counts).for_each(|(to, from)| *to += from);
        }
        total
    }

    /// A coefficient of all pairs; nothing where chance alone would agree on all of them, as where both know one
    /// grade only.
    #[must_use]
    #[inline]
    pub fn coefficient(&self, which: Coefficient, confidence: Confidence) -> Option<Agreed> {
        let total = self.total();
        let value = self.coefficient_of_counts(&total, which)?;
        Some(Agreed { value, interval: self.interval(&total, which, value, confidence) })
    }

    #[inline]
    fn interval(
        &self,
        total: &[u64],
        which: Coefficient,
        value: f64,
        confidence: Confidence,
    ) -> std::result::Result<Interval, NoInterval> {
        let queries = self.queries.len();
        if queries < 2 {
            return Err(NoInterval::OneValue);
        }
        let without = |counts: &Vec<u64>| {
            let rest: Vec<u64> = total.iter().zip(counts).map(|(total, count)| total - count).collect();
            self.coefficient_of_counts(&rest, which)
        };
        let left: Option<Vec<f64>> = self.queries.iter().map(without).collect();
        let left = left.ok_or(NoInterval::NoVariance)?;
        let mean = left.iter().sum::<f64>() / queries as f64;
        let squares: f64 = left.iter().map(|one| (one - mean).powi(2)).sum();
        let error = ((queries as f64 - 1.0) / queries as f64 * squares).sqrt();
        if error == 0.0 {
            return Err(NoInterval::NoVariance);
        }
        let half = t_quantile(1.0 - confidence.tail(), queries - 1) * error;
        // A share cannot be below 0; what is beyond chance can.
        let least = if which == Coefficient::Exact { 0.0 } else { -1.0 };
        Ok(Interval { low: (value - half).max(least), high: (value + half).min(1.0) })
    }

    #[inline]
    fn coefficient_of_counts(&self, counts: &[u64], which: Coefficient) -> Option<f64> {
        let grades = self.grades;
        let pairs = counts.iter().sum::<u64>() as f64;
        if pairs == 0.0 {
            return None;
        }
        let share = |first: usize, second: usize| counts[first * grades + second] as f64 / pairs;
        let weight = |first: usize, second: usize| match which {
            Coefficient::Exact | Coefficient::Kappa => f64::from(u8::from(first == second)),
            Coefficient::QuadraticKappa | Coefficient::Ac2 => {
                let apart = first.abs_diff(second) as f64 / (grades as f64 - 1.0).max(1.0);
                1.0 - apart * apart
            }
        };
        let all = || (0..grades).flat_map(|first| (0..grades).map(move |second| (first, second)));
        let agreed: f64 = all().map(|(first, second)| weight(first, second) * share(first, second)).sum();
        let of_first: Vec<f64> =
            (0..grades).map(|at| (0..grades).map(|other| share(at, other)).sum()).collect();
        let of_second: Vec<f64> =
            (0..grades).map(|at| (0..grades).map(|other| share(other, at)).sum()).collect();
        let chance: f64 = match which {
            Coefficient::Exact => return Some(agreed),
            Coefficient::Kappa | Coefficient::QuadraticKappa => {
                all().map(|(first, second)| weight(first, second) * of_first[first] * of_second[second]).sum()
            }
            Coefficient::Ac2 => {
                let weights: f64 = all().map(|(first, second)| weight(first, second)).sum();
                let spread: f64 = (0..grades)
                    .map(|at| {
                        let mean = f64::midpoint(of_first[at], of_second[at]);
                        mean * (1.0 - mean)
                    })
                    .sum();
                weights / (grades * (grades - 1)).max(1) as f64 * spread
            }
        };
        (chance < 1.0).then(|| (agreed - chance) / (1.0 - chance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: [u8; 20] = [0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3, 0, 0, 1, 2, 2, 3, 1, 0];
    const SECOND: [u8; 20] = [0, 1, 1, 3, 2, 2, 2, 1, 0, 0, 2, 3, 1, 0, 1, 3, 2, 3, 0, 0];

    fn sample() -> Agreement {
        Agreement::new((0..20).map(|at| (at / 2, FIRST[at], SECOND[at])), 3).unwrap()
    }

    fn value(of: &Agreement, which: Coefficient) -> Option<f64> {
        of.coefficient(which, Confidence::default()).map(|agreed| agreed.value)
    }

    #[test]
    fn coefficients_are_those_of_others() {
        // scikit-learn 1.x `cohen_kappa_score`, irrCAC 0.4 `CAC(weights="quadratic").gwet()`
        let sample = sample();
        let near = |which, expected: f64| (value(&sample, which).unwrap() - expected).abs() < 1e-5;
        assert!(near(Coefficient::Exact, 0.6));
        assert!(near(Coefficient::Kappa, 0.463_087_248));
        assert!(near(Coefficient::QuadraticKappa, 0.837_067_210));
        assert!(near(Coefficient::Ac2, 0.842_73));
        assert_eq!(sample.confusion()[0], [4, 2, 0, 0]);
    }

    #[test]
    fn always_zero_agrees_with_most_people_and_validates_nothing() {
        // Of a hundred documents people find six relevant.
        let pairs = (0..100).map(|at| (at / 10, u8::from(at % 17 == 0) * 2, 0));
        let constant = Agreement::new(pairs, 3).unwrap();
        assert_eq!(value(&constant, Coefficient::Exact), Some(0.94));
        assert_eq!(value(&constant, Coefficient::Kappa), Some(0.0));
        assert!(value(&constant, Coefficient::Ac2).unwrap() > 0.9);
        // Both know one grade: chance agrees as well.
        let flat = Agreement::new((0..9).map(|at| (at, 0, 0)), 3).unwrap();
        assert_eq!((value(&flat, Coefficient::Kappa), value(&flat, Coefficient::Exact)), (None, Some(1.0)));
    }

    #[test]
    fn intervals_leave_out_one_query_at_a_time() {
        // Shares of equal grades by query 1, .5, 0: the mean .5, the jackknife's error that of a mean of three.
        let pairs = [("a", 1, 1), ("a", 2, 2), ("b", 1, 1), ("b", 1, 0), ("c", 0, 1), ("c", 2, 0)];
        let agreed = Agreement::new(pairs, 3).unwrap();
        let at =
            |level: f64| agreed.coefficient(Coefficient::Exact, Confidence::new(level).unwrap()).unwrap();
        // The quartile of Student's t with 2 degrees of freedom: .5 / sqrt(2 * .75 * .25).
        let half = 0.816_496_6 * (0.25_f64 / 3.0).sqrt();
        let (value, interval) = (at(0.5).value, at(0.5).interval.unwrap());
        assert!((value - 0.5).abs() < 1e-12);
        assert!((interval.low - (0.5 - half)).abs() < 1e-6 && (interval.high - (0.5 + half)).abs() < 1e-6);
        // At .95 it is 4.302653, and the limits would be -.742 and 1.742: a share stays within 0 and 1.
        let interval = at(0.95).interval.unwrap();
        assert_eq!((interval.low, interval.high), (0.0, 1.0));
        let interval = sample()
            .coefficient(Coefficient::QuadraticKappa, Confidence::default())
            .unwrap()
            .interval
            .unwrap();
        assert!(interval.low > 0.6 && interval.low < 0.84 && interval.high > 0.84, "{interval:?}");
        assert!(Agreement::new([("a", 4, 0)], 3).is_err());
        assert!(Agreement::new(Vec::<(u8, u8, u8)>::new(), 3).is_err());
    }
}
