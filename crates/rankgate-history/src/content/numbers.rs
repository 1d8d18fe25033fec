//! Ranges of metrics, and numbers that are the same but for rounding.

use std::collections::HashMap;

use super::check::{Inconsistency, inconsistency};
use crate::metric::Metric;

/// By how much two numbers may differ that are the same, as a share of the larger: another machine may round otherwise.
pub(super) const ROUNDING: f64 = 1e-9;

/// Metrics by their names, each read once; `None` of those that are not built in.
#[derive(Default)]
pub(super) struct Ranges(HashMap<String, Option<Metric>>);

impl Ranges {
    pub(super) fn metric(&mut self, name: &str) -> Option<&Metric> {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), name.parse().ok());
        }
        self.0.get(name)?.as_ref()
    }

    /// A value of a metric, for one query or over all of them; of a sum of counts only the lower end is known.
    pub(super) fn check_value(
        &mut self,
        pointer: impl Fn() -> String,
        metric: &str,
        value: f64,
        of: &str,
    ) -> Result<(), Inconsistency> {
        if !value.is_finite() {
            return Err(inconsistency(&pointer(), format!("{metric}{of} is no finite number")));
        }
        let Some(range) = self.metric(metric).map(Metric::range) else { return Ok(()) };
        let (low, high) = (*range.start(), *range.end());
        if value >= low - ROUNDING && value <= high + ROUNDING {
            return Ok(());
        }
        let lies = if high.is_finite() {
            format!("lies between {low} and {high}")
        } else {
            format!("is never below {low}")
        };
        Err(inconsistency(&pointer(), format!("{metric}{of} is {value}, and {metric} {lies}")))
    }
}

/// By how much two numbers may differ that are the same.
pub(super) fn slack(one: f64, other: f64) -> f64 {
    ROUNDING * one.abs().max(other.abs()).max(1.0)
}

pub(super) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= slack(one, other)
}
