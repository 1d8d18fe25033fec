//! Quantiles, and what a sample says of them by its order alone.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use statrs::distribution::{Binomial, DiscreteCDF};

use super::{Confidence, Interval};
use crate::{Error, Result};

/// Quantiles are kept as the decimals that people write, to five places: p99.9 is exactly that.
const PARTS: u32 = 100_000;

/// The value that a share of all values is at most: p50 is the median, p99.9 what one of a thousand exceeds.
///
/// ```
/// use rankgate::stats::{Confidence, Quantile};
///
/// let p95: Quantile = "p95".parse()?;
/// assert_eq!(p95.estimate(&[1.0, 2.0, 3.0, 4.0]), Some(4.0));
/// assert_eq!(p95.values_needed(Confidence::default()), 72);
/// assert!("95%".parse::<Quantile>().is_err());
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantile {
    parts: u32,
}

impl Quantile {
    /// p50.
    pub const MEDIAN: Self = Self { parts: PARTS / 2 };
    /// p95.
    pub const P95: Self = Self { parts: PARTS / 100 * 95 };

    /// The share of all values that are at most this one, between 0 and 1.
    pub fn share(self) -> f64 {
        f64::from(self.parts) / f64::from(PARTS)
    }

    /// Which of `n` sorted values it is, from 1: the nearest rank; 0 of none.
    pub fn rank(self, n: usize) -> usize {
        // In integers: .95 of 20 is 19, and no float above it.
        let (parts, all) = (u128::from(self.parts), u128::from(PARTS));
        usize::try_from((n as u128 * parts).div_ceil(all)).unwrap_or(n)
    }

    /// The quantile of values that are sorted; `None` of none.
    pub fn estimate(self, sorted: &[f64]) -> Option<f64> {
        self.rank(sorted.len()).checked_sub(1).and_then(|index| sorted.get(index).copied())
    }

    /// The fewest values of which a two-sided interval has two limits: with fewer the largest, or the smallest, of
    /// them is too likely not to be beyond the quantile.
    pub fn values_needed(self, confidence: Confidence) -> usize {
        // All n are on one side of it with probability share^n, and (1 - share)^n.
        let of = |share: f64| {
            let rough = (confidence.tail().ln() / share.ln()).ceil().max(1.0);
            // A logarithm may be off by a rounding error, and so by one.
            let enough = |n: f64| share.powf(n) <= confidence.tail() * (1.0 + 1e-12);
            if rough > 1.0 && enough(rough - 1.0) { rough - 1.0 } else { rough }
        };
        of(self.share()).max(of(1.0 - self.share())) as usize
    }

    /// The two-sided interval of the quantile of what sorted values were drawn from, between two of them: at most half
    /// of the error rate on each side, whatever the distribution. `None` where there are fewer than
    /// [`values_needed`](Self::values_needed).
    ///
    /// # Source
    ///
    /// David and Nagaraja, "Order Statistics", 2003, section 7.1; SciPy's `quantile_test(...).confidence_interval()`.
    pub fn interval(self, sorted: &[f64], confidence: Confidence) -> Option<Interval> {
        let [low, high] = self.ranks(sorted.len(), confidence)?;
        Some(Interval { low: *sorted.get(low - 1)?, high: *sorted.get(high - 1)? })
    }

    /// The ranks of the limits, from 1.
    fn ranks(self, n: usize, confidence: Confidence) -> Option<[usize; 2]> {
        let below = Binomial::new(self.share(), n as u64).ok()?;
        let tail = confidence.tail() * (1.0 + 1e-12);
        // The largest rank with P(fewer than so many are below) at most the tail, and the smallest with P(at least so
        // many) at most that.
        let low = largest(n, |rank| below.cdf(rank as u64 - 1) <= tail)?;
        let high = n + 1 - largest(n, |rank| below.sf((n - rank) as u64) <= tail)?;
        Some([low, high])
    }
}

/// The largest number from 1 to `most` of which something holds that holds of all smaller ones too.
fn largest(most: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut known, mut beyond) = (0, most + 1);
    while known + 1 < beyond {
        let middle = known + (beyond - known) / 2;
        if holds(middle) { known = middle } else { beyond = middle }
    }
    (known > 0).then_some(known)
}

/// As people write it: `p50`, `p99.9`.
impl fmt::Display for Quantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("p{}", f64::from(self.parts) / f64::from(PARTS / 100));
        f.pad(&text)
    }
}

impl FromStr for Quantile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let percent = text.strip_prefix('p').filter(|rest| {
            let (whole, places) = rest.split_once('.').unwrap_or((rest, "0"));
            let digits = |part: &str, most| {
                (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
            };
            digits(whole, 2) && digits(places, 3)
        });
        let parts = percent.and_then(|percent| percent.parse::<f64>().ok());
        let parts = parts.map(|percent| (percent * f64::from(PARTS / 100)).round() as u32);
        match parts {
            Some(parts) if (1..PARTS).contains(&parts) => Ok(Self { parts }),
            _ => Err(Error::invalid(format!("`{text}` is no quantile such as p50, p95 or p99.9"))),
        }
    }
}

impl Serialize for Quantile {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Quantile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Quantile".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let about = "A quantile: what a share of all values is at most, such as `p95`.";
        schemars::json_schema!({"description": about, "type": "string", "pattern": r"^p[0-9]{1,2}(\.[0-9]{1,3})?$"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantile(text: &str) -> Quantile {
        text.parse().unwrap()
    }

    #[test]
    fn smallest_numbers_of_answers_for_a_finite_interval() {
        // The smallest n with share^n at most .025: the logarithm of .025 over that of the share, by hand.
        for (name, needed) in
            [("p50", 6), ("p90", 36), ("p95", 72), ("p99", 368), ("p99.9", 3_688), ("p5", 72), ("p10", 36)]
        {
            let n = quantile(name).values_needed(Confidence::default());
            assert_eq!(n, needed, "{name}");
            let values: Vec<f64> = (1..=n).map(|value| value as f64).collect();
            assert!(quantile(name).interval(&values, Confidence::default()).is_some(), "{name}");
            assert_eq!(quantile(name).interval(&values[1..], Confidence::default()), None, "{name}");
        }
        assert_eq!(quantile("p50").values_needed(Confidence::new(0.5).unwrap()), 2);
        assert_eq!(quantile("p50").values_needed(Confidence::new(0.99).unwrap()), 8);
    }

    #[test]
    fn order_statistic_intervals_are_those_of_scipy() {
        // scipy 1.17: quantile_test(range(1, n + 1), p=q).confidence_interval(.95)
        for (n, name, low, high) in [
            (6, "p50", 1.0, 6.0),
            (100, "p50", 40.0, 61.0),
            (36, "p90", 29.0, 36.0),
            (72, "p95", 64.0, 72.0),
            (200, "p95", 184.0, 197.0),
            (368, "p99", 360.0, 368.0),
            (1000, "p99", 983.0, 997.0),
        ] {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let interval = quantile(name).interval(&values, Confidence::default());
            assert_eq!(interval, Some(Interval { low, high }), "{name} of {n}");
        }
    }

    #[test]
    fn a_quantile_is_the_decimal_that_was_written() {
        for text in ["p50", "p99.9", "p99.999", "p5", "p0.001", "p12.34"] {
            assert_eq!(quantile(text).to_string(), text);
        }
        assert_eq!(quantile("p50.000"), Quantile::MEDIAN);
        assert_eq!(quantile("p95"), Quantile::P95);
        for text in
            ["p0", "p100", "p", "95", "p.5", "p95.", "p-5", "p95.0001", "p1e1", "median", "p+5", "P95", "p 5"]
        {
            assert!(text.parse::<Quantile>().is_err(), "{text}");
        }
    }

    #[test]
    fn ranks_are_nearest() {
        // 19 of 20 are at most the nineteenth; one of one is all there is.
        for (name, n, rank) in
            [("p95", 20, 19), ("p50", 5, 3), ("p50", 6, 3), ("p99", 100, 99), ("p99", 1, 1), ("p50", 0, 0)]
        {
            assert_eq!(quantile(name).rank(n), rank, "{name} of {n}");
        }
        assert_eq!(Quantile::MEDIAN.estimate(&[]), None);
    }
}
