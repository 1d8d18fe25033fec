//! What a gate demands of answer times.

use serde::Deserialize;

use super::{Demand, held_interval};
use crate::stats::LatencyReason;

#[derive(Deserialize)]
pub(in crate::content) struct LatencyContent {
    max_ms: Option<f64>,
    reason: LatencyReason,
    interval: Option<[f64; 2]>,
}

impl LatencyContent {
    pub(in crate::content) fn shown(&self) -> Demand {
        let why = || format!("its reason is `{}`", self.reason);
        let by_reason = match self.reason {
            LatencyReason::Within => Demand::Kept,
            LatencyReason::Beyond => Demand::Broken("reason", why()),
            _ => Demand::Open("reason", why()),
        };
        // A ratio is decided by its p-values.
        let by_interval = match self.max_ms {
            Some(max) => held_interval("interval", self.interval, None, Some(max)),
            None => Demand::Kept,
        };
        Demand::first([by_reason, by_interval])
    }
}
