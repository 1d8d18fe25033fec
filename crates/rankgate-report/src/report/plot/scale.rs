//! From values to places, and the round values that an axis names.

use std::ops::RangeInclusive;

/// A straight or logarithmic scale.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    domain: [f64; 2],
    range: [f64; 2],
    is_logarithmic: bool,
}

impl Scale {
    /// A straight scale that begins and ends at the round values around `values`; about `count` apart.
    pub fn around(values: impl IntoIterator<Item = f64>, count: usize, range: [f64; 2]) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < f64::MIN_POSITIVE || !(high - low).is_finite() {
            let some = if low == 0.0 || !low.is_finite() { 1.0 } else { low.abs() * 0.1 };
            (low, high) = ((low - some).max(f64::MIN), (low + some).min(f64::MAX));
        }
        let step = step(high - low, count);
        Self {
            domain: [(low / step).floor() * step, (high / step).ceil() * step],
            range,
            is_logarithmic: false,
        }
    }

    /// The same without values beyond `limits`, which are impossible.
    pub fn within(mut self, limits: &RangeInclusive<f64>) -> Self {
        let [low, high] = self.domain;
        let cut = [low.max(*limits.start()), high.min(*limits.end())];
        if cut[0] < cut[1] {
            self.domain = cut;
        }
        self
    }

    /// A logarithmic scale from `low` to `high`, both above 0.
    pub fn logarithmic(domain: [f64; 2], range: [f64; 2]) -> Self {
        Self { domain, range, is_logarithmic: true }
    }

    /// Where a value is; one outside of the domain is put on its end.
    pub fn at(&self, value: f64) -> f64 {
        let [low, high] = self.domain;
        let value = if value.is_nan() { low } else { value.clamp(low, high) };
        let share = if self.is_logarithmic {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        let share = if share.is_finite() { share } else { 0.0 };
        self.range[0] + share * (self.range[1] - self.range[0])
    }

    /// About `count` round values with the decimals that tell them apart.
    pub fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        let [low, high] = self.domain;
        let step = step(high - low, count);
        if !step.is_finite() || step <= 0.0 {
            return Vec::new();
        }
        let decimals = (-step.log10()).ceil().clamp(0.0, 12.0) as usize;
        let first = (low / step).ceil();
        let numbers = (0..=count * 3).map(|index| (first + index as f64) * step);
        numbers
            .take_while(|&value| value <= high + step * 1e-6)
            // No -0, and no 0.30000000000000004.
            .map(|value| (value + 0.0, if value.abs() < step * 1e-6 { 0.0 } else { value }))
            .map(|(place, value)| (place, super::super::number::fixed(value, decimals)))
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten: the distance of about `count` steps over `span`.
fn step(span: f64, count: usize) -> f64 {
    let rough = span / count.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let factor = match rough / power {
        small if small < 1.5 => 1.0,
        middle if middle < 3.5 => 2.0,
        large if large < 7.5 => 5.0,
        _ => 10.0,
    };
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], count: usize) -> Vec<String> {
        let scale = Scale::around(values.iter().copied(), count, [0.0, 100.0]);
        scale.ticks(count).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn axes_begin_and_end_at_round_values() {
        assert_eq!(labels(&[0.02, 0.97], 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&[-0.033, 0.051], 4), ["-0.04", "-0.02", "0.00", "0.02", "0.04", "0.06"]);
        assert_eq!(labels(&[120.0, 1_250.0], 3), ["0", "500", "1000", "1500"]);
    }

    #[test]
    fn an_axis_ends_where_a_metric_does() {
        let scale = Scale::around([0.9375], 4, [0.0, 100.0]);
        let ends = |scale: Scale| scale.ticks(4).last().map(|(_, label)| label.clone());
        assert_eq!(ends(scale).as_deref(), Some("1.05"));
        assert_eq!(ends(scale.within(&(0.0..=1.0))).as_deref(), Some("1.00"));
        assert_eq!(ends(scale.within(&(0.0..=f64::INFINITY))).as_deref(), Some("1.05"));
        assert_eq!(ends(scale.within(&(2.0..=3.0))).as_deref(), Some("1.05"), "other values than a metric's");
    }

    #[test]
    fn no_values_break_an_axis() {
        for values in [
            vec![],
            vec![0.0],
            vec![0.5, 0.5],
            vec![f64::NAN, 0.1],
            vec![f64::MAX, f64::MIN],
            vec![f64::MAX],
            vec![f64::MIN_POSITIVE, 0.0],
            vec![1e-300, 2e-300],
        ] {
            let scale = Scale::around(values.iter().copied(), 5, [0.0, 100.0]);
            assert!(scale.ticks(5).len() < 20, "{values:?}");
            for value in values {
                assert!((0.0..=100.0).contains(&scale.at(value)), "{value}");
            }
        }
    }

    #[test]
    fn a_logarithmic_scale_gives_every_decade_the_same_room() {
        let scale = Scale::logarithmic([1.0, 100.0], [0.0, 10.0]);
        assert!((scale.at(10.0) - 5.0).abs() < 1e-12);
        assert_eq!(Scale::logarithmic([1.0, 1.0], [3.0, 10.0]).at(1.0), 3.0);
    }
}
