//! Warnings on gates that cannot fail.

use crate::gate::{Gate, Threshold};
use crate::metric::Metric;

/// Limits that no value breaks, each once.
pub(crate) fn never_failing(gates: &[Gate], thresholds: &[Threshold]) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for gate in gates {
        let Some((threshold, metric)) = gate.kind.limit() else { continue };
        if thresholds[threshold].never_fails(metric) {
            let warning = warning(metric, gate.line);
            warnings.extend(Some(warning).filter(|warning| !warnings.contains(warning)));
        }
    }
    warnings
}

fn warning(metric: &Metric, line: usize) -> String {
    let range = metric.range();
    let (low, high) = (*range.start(), *range.end());
    let values = if high.is_finite() { format!("from {low} to {high}") } else { format!("{low} or more") };
    format!("line {line} is no gate: {metric} is {values}, so that it can never fail")
}
