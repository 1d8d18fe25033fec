//! Whether any gate looks at the stages of a pipeline.

use crate::health::model::{Example, Finding, Severity};
use crate::health::spec::{Configuration, Spec};

/// Pipelines of which nothing says which stage lost something: no gate is on a stage, and no comparison splits a difference.
pub(super) fn finding(spec: &Spec) -> Option<Finding> {
    let pipelines = spec.configurations.iter().filter(|one| !one.is_derived() && !one.stages.is_empty());
    let unseen = |one: &&Configuration| {
        let name = one.name.as_str();
        let limits = |gated: &str| {
            spec.thresholds.iter().any(|threshold| threshold.configurations.iter().any(|of| of == gated))
        };
        let compares =
            |gated: &str| spec.comparisons.iter().any(|one| one.configurations().any(|of| of == gated));
        let is_gated = |stage: &str| {
            let stage = format!("{name}@{stage}");
            limits(&stage) || compares(&stage)
        };
        !compares(name) && !one.stages.names().any(is_gated)
    };
    let examples: Vec<Example> = pipelines
        .filter(unseen)
        .map(|one| {
            let stages = one.stages.names().collect::<Vec<_>>().join(", ");
            Example::new(&one.name, "", format!("{stages}, line {}", one.line))
        })
        .collect();
    let name = examples.first().map(|example| example.id.clone())?;
    Some(Finding {
        severity: Severity::Caution,
        code: "stages-not-gated".into(),
        message: "no gate looks at the stages of a pipeline".into(),
        count: examples.len(),
        examples: examples.into_iter().take(Example::MOST).collect(),
        advice: format!(
            "compare with a blessed run, `{{candidate: {name}, baseline: golden}}`, which splits a drop by stage; or limit a stage, \
             `for: {name}@STAGE`"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankgate::spec::Registry;

    #[test]
    fn a_pipeline_whose_stages_nothing_looks_at_is_found() {
        let mut registry = Registry::new();
        registry.retriever("mine");
        let spec = |gates: &str| {
            let text = format!(
                "version: 1\nbenchmark: toy\ncollection: {{inline: {{queries: [{{id: q1, text: a, relevant: [d1]}}]}}}}\nconfigurations:\n  \
                 mine: {{retriever: mine, stages: [found, fused]}}\n{gates}"
            );
            Spec::parse("toy.yaml".as_ref(), &text, &registry).unwrap_or_else(|error| panic!("{error}"))
        };
        let found = finding(&spec("thresholds: [{metric: R@10, min: 0.5}]\n")).unwrap();
        assert_eq!((found.count, found.examples[0].note.as_str()), (1, "found, fused, line 5"));
        for gates in [
            "thresholds: [{metric: R@10, min: 0.5, for: mine@found}]\n",
            "comparisons: [{candidate: mine, baseline: golden, metrics: [R@10]}]\n",
            "comparisons: [{candidate: mine@fused, baseline: mine@found, metrics: [R@10]}]\n",
        ] {
            assert_eq!(finding(&spec(gates)), None, "{gates}");
        }
    }
}
