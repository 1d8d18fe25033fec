//! How far a judge and people agree on the same questions, with intervals over queries.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Probability of all intervals.
const TWO_SIDED: f64 = 0.975;

/// The values that each may have, which limit its interval.
const SHARE: [f64; 2] = [0.0, 1.0];
const BEYOND_CHANCE: [f64; 2] = [-1.0, 1.0];
const GRADES: [f64; 2] = [-255.0, 255.0];

/// A value with its interval; `None` where there is none.
pub(crate) type Interval = (f64, Option<[f64; 2]>);

/// How far a judge and people agree.
///
/// Intervals are Student's, with the jackknife over queries (Efron and Stein, 1981), since grades of one query are not independent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Agreement {
    /// Questions that both graded.
    pub pairs: usize,
    /// Queries that these are of.
    pub queries: usize,
    /// The share of equal grades.
    pub equal: (f64, Option<[f64; 2]>),
    /// Cohen's kappa; `None` if both gave a single grade.
    pub kappa: Option<(f64, Option<[f64; 2]>)>,
    /// The same with quadratic weights.
    pub weighted_kappa: Option<(f64, Option<[f64; 2]>)>,
    /// How much higher the judge grades than people, in grades.
    pub bias: (f64, Option<[f64; 2]>),
}

impl Agreement {
    /// Of pairs of grades, the judge's first, by query; `None` without any.
    pub fn new(by_query: &BTreeMap<String, Vec<[u8; 2]>>) -> Option<Self> {
        let all: Vec<&Vec<[u8; 2]>> = by_query.values().filter(|pairs| !pairs.is_empty()).collect();
        if all.is_empty() {
            return None;
        }
        let of = |range, value: fn(&[[u8; 2]]) -> Option<f64>| jackknife(&all, value, range);
        Some(Self {
            pairs: all.iter().map(|pairs| pairs.len()).sum(),
            queries: all.len(),
            equal: of(SHARE, |pairs| {
                Some(mean(pairs, |[judge, people]| f64::from(u8::from(judge == people))))
            })?,
            kappa: of(BEYOND_CHANCE, |pairs| kappa(pairs, |a, b| f64::from(u8::from(a != b)))),
            weighted_kappa: of(BEYOND_CHANCE, |pairs| {
                kappa(pairs, |a, b| (f64::from(a) - f64::from(b)).powi(2))
            }),
            bias: of(GRADES, |pairs| {
                Some(mean(pairs, |[judge, people]| f64::from(judge) - f64::from(people)))
            })?,
        })
    }
}

fn mean(pairs: &[[u8; 2]], value: impl Fn([u8; 2]) -> f64) -> f64 {
    pairs.iter().map(|pair| value(*pair)).sum::<f64>() / pairs.len() as f64
}

/// 1 less the observed disagreement over that of chance (Cohen 1960, 1968).
fn kappa(pairs: &[[u8; 2]], apart: fn(u8, u8) -> f64) -> Option<f64> {
    let observed = mean(pairs, |[a, b]| apart(a, b));
    let by_chance: f64 =
        pairs.iter().map(|[a, _]| mean(pairs, |[_, b]| apart(*a, b))).sum::<f64>() / pairs.len() as f64;
    (by_chance > 0.0).then(|| 1.0 - observed / by_chance)
}

fn jackknife(
    all: &[&Vec<[u8; 2]>],
    value: fn(&[[u8; 2]]) -> Option<f64>,
    [least, most]: [f64; 2],
) -> Option<Interval> {
    let without = |left: Option<usize>| {
        let kept = all.iter().enumerate().filter(|(at, _)| Some(*at) != left);
        kept.flat_map(|(_, pairs)| pairs.iter().copied()).collect::<Vec<_>>()
    };
    let whole = value(&without(None))?;
    let queries = all.len();
    let interval = || {
        let each: Vec<f64> = (0..queries).map(|at| value(&without(Some(at)))).collect::<Option<_>>()?;
        let center = each.iter().sum::<f64>() / queries as f64;
        let squares: f64 = each.iter().map(|one| (one - center).powi(2)).sum();
        let error = (squares * (queries as f64 - 1.0) / queries as f64).sqrt();
        let student = StudentsT::new(0.0, 1.0, queries as f64 - 1.0).ok()?;
        let half = student.inverse_cdf(TWO_SIDED) * error;
        (error > 0.0).then_some([(whole - half).max(least), (whole + half).min(most)])
    };
    let interval = if queries > 2 { interval() } else { None };
    Some((whole, interval))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[[u8; 2]]) -> Agreement {
        let by_query =
            pairs.iter().enumerate().map(|(at, pair)| (format!("q{at:03}"), vec![*pair])).collect();
        Agreement::new(&by_query).unwrap()
    }

    /// scikit-learn 1.7 `cohen_kappa_score` of y1 = 0 0 1 1 2 2 2 0, y2 = 0 1 1 1 2 2 0 0: 1 - (2/8) / (1 - 22/64), and with
    /// quadratic weights 1 - (5/8) / (by chance 11/8).
    #[test]
    fn kappa_is_cohens() {
        let pairs = [[0, 0], [0, 1], [1, 1], [1, 1], [2, 2], [2, 2], [2, 0], [0, 0]];
        let one = of(&pairs);
        let chance: f64 = 1.0 - (3.0 * 3.0 + 2.0 * 3.0 + 3.0 * 2.0) / 64.0;
        assert!((one.kappa.unwrap().0 - (1.0 - 0.25 / chance)).abs() < 1e-12, "{one:?}");
        let by_chance: f64 = pairs
            .iter()
            .flat_map(|[a, _]| pairs.iter().map(move |[_, b]| (f64::from(*a) - f64::from(*b)).powi(2)))
            .sum::<f64>()
            / 64.0;
        assert!((one.weighted_kappa.unwrap().0 - (1.0 - 0.625 / by_chance)).abs() < 1e-12);
        assert_eq!((one.equal.0, one.bias.0), (0.75, 0.125));
    }

    /// The jackknife of a mean is Student's interval: of 0 1 1 1 1 0 1 1 the mean is .75, its standard error .1636634, t .975 with
    /// 7 degrees of freedom 2.364624 (SciPy 1.17.1). A share ends at 1, and not at 1.137.
    #[test]
    fn intervals_of_a_mean_are_students() {
        let one = of(&[[0, 1], [1, 1], [1, 1], [1, 1], [1, 1], [1, 0], [1, 1], [1, 1]]);
        let [low, high] = one.equal.1.unwrap();
        assert!((low - (0.75 - 2.364_624 * 0.163_663_4)).abs() < 1e-5 && high == 1.0, "{low} {high}");
        assert_eq!(of(&[[2, 2], [2, 2], [2, 2]]).kappa, None, "a single grade says nothing of agreement");
        assert_eq!(of(&[[2, 2], [2, 2], [2, 2]]).equal, (1.0, None));
    }
}
