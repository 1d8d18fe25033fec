//! What has changed beside the retriever since files were blessed that gates look at.

use std::collections::BTreeSet;

use crate::golden::Inputs;
use crate::model::{GateReport, Report};
use crate::report::clean::clean;
use crate::report::phrases::input_words;

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

/// The same of all gates, for a line.
pub fn inputs_changed_shortly(report: &Report) -> Option<String> {
    let changed: Vec<&GateReport> =
        report.gates.iter().filter(|gate| !gate.inputs_changed.is_empty()).collect();
    let of: BTreeSet<&str> = changed.iter().map(|gate| gate.configuration.as_str()).collect();
    let inputs = input_words(changed.iter().flat_map(|gate| &gate.inputs_changed));
    match of.len() {
        0 => None,
        1 => of.first().map(|one| format!("inputs changed since {} was blessed: {inputs}", clean(one))),
        more => Some(format!("inputs changed since {more} runs were blessed: {inputs}")),
    }
}
