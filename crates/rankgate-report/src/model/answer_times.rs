//! How long answers took.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::stats::Quantile;

/// Answer times of one configuration, in milliseconds (`p50_ms` and so on in JSON), measured in the client's threads: with
/// `concurrency` above 1 they include the contention that it causes. A batch's time is shared
/// evenly by its queries.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Latency {
    /// Half of the answers took at most this long.
    #[serde(rename = "p50_ms")]
    pub p50: f64,
    /// 95 of 100 answers took at most this long.
    #[serde(rename = "p95_ms")]
    pub p95: f64,
    /// The slowest answer.
    #[serde(rename = "max_ms")]
    pub max: f64,
}

#[doc(hidden)]
impl Latency {
    /// Nearest-rank percentiles; `None` of no answers.
    pub fn from_times(times: &[Duration]) -> Option<Self> {
        let mut times = times.to_vec();
        times.sort_unstable();
        let at = |rank: usize| times.get(rank.checked_sub(1)?).map(|time| time.as_secs_f64() * 1e3);
        let of = |quantile: Quantile| at(quantile.rank(times.len()));
        Some(Self { p50: of(Quantile::MEDIAN)?, p95: of(Quantile::P95)?, max: at(times.len())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_rank() {
        let times: Vec<_> = (1..=20).rev().map(Duration::from_millis).collect();
        assert_eq!(Latency::from_times(&times), Some(Latency { p50: 10.0, p95: 19.0, max: 20.0 }));
        assert_eq!(Latency::from_times(&times[..1]), Some(Latency { p50: 20.0, p95: 20.0, max: 20.0 }));
        assert_eq!(Latency::from_times(&[]), None);
    }
}
