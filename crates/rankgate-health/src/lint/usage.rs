//! Whether any gate limits what answers say that they consumed.

use crate::evaluation::Evaluation;
use crate::metric::{Metric, Resource};
use crate::model::{Example, Finding, Severity};
use crate::spec::Spec;

use super::Measured;

/// Configurations whose answers say tokens or a cost that no threshold limits: an index that returns twice as much, or a model
/// that is asked twice, would pass every gate.
pub(super) fn finding(spec: &Spec, measured: &Measured) -> Option<Finding> {
    let is_limited = |name: &str| {
        let of_usage = |metric: &Metric| metric.requirements().usage.is_some();
        let own = spec.thresholds.iter().filter(|one| one.configurations.iter().any(|of| of == name));
        own.flat_map(|threshold| &threshold.metrics).any(of_usage)
    };
    let says = |evaluation: &Evaluation| -> Vec<&str> {
        let resources = [Resource::Tokens, Resource::Cost].into_iter();
        let said = resources.filter(|resource| {
            let metric = format!("Usage({resource})").parse::<Metric>();
            metric.is_ok_and(|metric| evaluation.says(&metric))
        });
        said.map(Resource::as_str).collect()
    };
    let examples: Vec<Example> = measured
        .iter()
        .filter(|(name, _)| !is_limited(name))
        .filter_map(|(name, evaluation)| Some((name, says(evaluation.as_ref().ok()?))))
        .filter(|(_, said)| !said.is_empty())
        .map(|(name, said)| Example::new(name, "", said.join(", ")))
        .collect();
    let first = examples.first()?;
    let said = first.note.split(", ").next().unwrap_or_default();
    Some(Finding {
        severity: Severity::Caution,
        code: "usage-without-limit".into(),
        message: "answers say what they consumed, and no gate limits it".into(),
        count: examples.len(),
        advice: format!("add a threshold such as `{{metric: Usage({said}), max: 1, for: {}}}`", first.id),
        examples: examples.into_iter().take(Example::MOST).collect(),
    })
}

#[cfg(test)]
mod tests {
    use rankgate::benchmark::{Benchmark, Registry};
    use rankgate::metric::Usage;
    use rankgate::retriever::{Response, response_fn};
    use rankgate::{Hit, Query, Setup};

    #[test]
    fn usage_that_nothing_limits_is_found() {
        let found = |limit: &str| {
            let mut registry = Registry::new();
            let usage = |cost: f64| Usage::default().with_tokens(3).with_cost(cost);
            let build = move |_: &Setup<'_>| {
                Ok(response_fn(move |_: &Query, _| {
                    Ok(Response::new([Hit::new("d1", 1.0)]).with_usage(usage(0.5)))
                }))
            };
            registry.retrievers.register("mine", build).unwrap();
            let text = format!(
                "version: 1\nbenchmark: toy\ncollection: {{inline: {{queries: [{{id: q1, text: a, relevant: [d1]}}]}}}}\nconfigurations:\n  \
                 mine: {{retriever: mine}}\nthresholds: [{{metric: R@10, min: 0.5}}{limit}]\n"
            );
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("toy.yaml");
            std::fs::write(&path, text).unwrap();
            let benchmark = Benchmark::open(&path, &registry).unwrap_or_else(|error| panic!("{error}"));
            let health = super::super::examine_benchmark(&benchmark).unwrap();
            health.findings.into_iter().find(|one| one.code == "usage-without-limit")
        };
        let one = found("").unwrap();
        assert_eq!((one.examples[0].id.as_str(), one.examples[0].note.as_str()), ("mine", "tokens, cost"));
        assert_eq!(one.advice, "add a threshold such as `{metric: Usage(tokens), max: 1, for: mine}`");
        assert_eq!(found(", {metric: Usage(cost), max: 1}"), None);
    }
}
