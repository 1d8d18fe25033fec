//! What has changed beside the retriever since files were blessed that gates look at.

use crate::golden::Inputs;
use crate::model::{GateReport, Report};

/// What changed beside the retriever since that was blessed which a gate looks at, if anything did.
pub fn inputs_changed(report: &Report, gate: &GateReport) -> Option<String> {
    let named = |input: &String| match (&report.depth_because, report.configurations.first()) {
        (Some(metric), Some(one)) if input == Inputs::DEPTH => {
            format!("depth ({} by default, because {metric} has no cutoff)", one.depth)
        }
        _ => input.clone(),
    };
    let inputs: Vec<String> = gate.inputs_changed.iter().map(named).collect();
    (!inputs.is_empty()).then(|| {
        format!(
            "inputs changed since {} was blessed: {}; its golden values are those of the blessed run with today's judgments",
            gate.configuration,
            inputs.join(", ")
        )
    })
}
