//! The power of fewer and of more units than a plan advises.

use super::{Budget, FEWER, Planned, Planner, share};
use crate::Result;
use crate::json::record;
use crate::stats::{ComparisonSettings, Differences, Expectation};

/// Numbers of units are so many halvings below the advised one, and so many doublings above, two to each.
const HALVINGS: i32 = 3;
const DOUBLINGS: i32 = 1;

record! {
    /// With which probability so many units show what they are planned for.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct PowerPoint {
        /// Queries, or groups of them where they are grouped.
        pub units: u64,
        /// The probability, between 0 and 1, as simulated.
        pub power: f64,
    }
}

/// The power of other numbers of units than [`plan`](super::plan) advises, from an eighth of them to twice as many, and of
/// as many as there are: by the same simulation, with a standard error of at most .025. Empty where no number is advised, or the
/// work that a plan may take does not reach so far.
///
/// # Errors
///
/// As for [`plan`](super::plan).
///
/// ```
/// use rankgate::stats::{ComparisonSettings, Differences, Expectation, plan, power_curve};
///
/// let differences: Vec<f64> = (0..40).map(|at| f64::from(at * 7 % 11 - 5) / 20.0).collect();
/// let differences = Differences::new(&[0.0; 40], &differences)?;
/// let (expectation, settings) = (Expectation::NonInferiority { margin: 0.05 }, ComparisonSettings::default());
/// let planned = plan(&differences, expectation, &settings)?.unwrap();
/// let curve = power_curve(&differences, expectation, &planned, &settings)?;
/// let at = |units| curve.iter().find(|point| point.units == units).unwrap().power;
/// assert!((at(planned.units.unwrap()) - 0.8).abs() < 0.08 && at(40) < 0.5);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn power_curve(
    differences: &Differences,
    expectation: Expectation,
    planned: &Planned,
    settings: &ComparisonSettings,
) -> Result<Vec<PowerPoint>> {
    let planner = Planner::new(differences, expectation, settings)?;
    let (Some(planner), Some(effect), Some(units)) = (planner, planned.effect, planned.units) else {
        return Ok(Vec::new());
    };
    Ok(planner.curve(effect, units))
}

impl Planner<'_> {
    fn curve(&self, effect: f64, advised: u64) -> Vec<PowerPoint> {
        let budget = Budget::new(self.work);
        let (expectation, mean, _) = self.search.case(effect);
        let Ok(Some(population)) = self.population(mean, &budget) else { return Vec::new() };
        let step = |step: i32| (advised as f64 * f64::from(step).exp2().sqrt()).round() as u64;
        let mut all: Vec<u64> = (-2 * HALVINGS..=2 * DOUBLINGS).map(step).collect();
        all.push(self.differences.len() as u64);
        all.sort_unstable();
        all.dedup();
        let power = |units: u64| {
            let number = usize::try_from(units).ok()?;
            let power = share(&self.rule(&population, expectation, number), number, FEWER, &budget).ok()?;
            Some(PowerPoint { units, power })
        };
        all.retain(|units| *units >= 2);
        all.into_iter().map(power).collect::<Option<_>>().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::plan;

    /// Without an unseen query that loses much, normal means: Phi((z + q) sqrt(n / N) - z), q = .841621 at N.
    #[test]
    fn a_curve_is_that_of_normal_means_where_many_units_vary_like_them() {
        let values: Vec<f64> = (0..1_000)
            .map(|at| 0.2 * crate::stats::distribution::normal_quantile((f64::from(at) + 0.5) / 1_000.0))
            .collect();
        let differences = Differences::new(&[0.0; 1_000], &values).unwrap();
        let expectation = Expectation::NoRegression { tolerance: 0.01 };
        let settings = ComparisonSettings::default();
        let planned = plan(&differences, expectation, &settings).unwrap().unwrap();
        let curve = power_curve(&differences, expectation, &planned, &settings).unwrap();
        assert!(curve.windows(2).all(|two| two[0].units < two[1].units), "{curve:?}");
        assert!(curve.iter().any(|point| point.units == 1_000), "{curve:?}");
        let advised = planned.units.unwrap() as f64;
        for point in &curve {
            let ratio = (point.units as f64 / advised).sqrt();
            let expected =
                crate::stats::distribution::normal_cdf((1.959_964 + 0.841_621) * ratio - 1.959_964);
            assert!((point.power - expected).abs() < 0.07, "{point:?} {expected}");
        }
    }

    #[test]
    fn without_an_advised_number_there_is_no_curve() {
        let differences = Differences::new(&[0.0; 4], &[0.1, -0.1, 0.2, 0.0]).unwrap();
        let (expectation, settings) = (Expectation::default(), ComparisonSettings::default());
        let planned = plan(&differences, expectation, &settings).unwrap().unwrap();
        assert_eq!(planned.units, None);
        assert_eq!(power_curve(&differences, expectation, &planned, &settings).unwrap(), []);
    }
}
