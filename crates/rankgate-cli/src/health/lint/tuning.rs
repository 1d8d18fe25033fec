//! Whether fusions see as much as they would in use.

use crate::health::metric::Metric;
use crate::health::model::{Example, Finding, Severity};
use crate::health::spec::Spec;

/// What to know of a spec's fusions.
pub(super) fn findings(spec: &Spec) -> Vec<Finding> {
    let own = || spec.configurations.iter().filter(|one| !one.is_derived());
    let cutoff = spec.metrics.iter().filter_map(Metric::cutoff).max().unwrap_or(0);
    let fused = own().filter_map(|one| Some((one, one.fusion()?.depth.unwrap_or(spec.depth))));
    let short = fused.filter(|(_, depth)| *depth <= cutoff);
    let short = short.map(|(one, depth)| Example::new(&one.name, "", format!("fuses {depth}"))).collect();
    [
        finding(
            "fusion-of-short-rankings",
            &format!("fusions of no more results of each ranking than metrics look at, which are {cutoff}"),
            short,
            "a document below that in one ranking and first in another would gain: write `depth: 100`, or as many as production fuses",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn finding(code: &str, message: &str, examples: Vec<Example>, advice: &str) -> Option<Finding> {
    (!examples.is_empty()).then(|| Finding {
        severity: Severity::Caution,
        code: code.into(),
        message: message.into(),
        count: examples.len(),
        examples,
        advice: advice.into(),
    })
}
