//! The health of a spec: its collection's, and the gates that cannot decide with these queries.

mod gates;

use crate::health::Result;
use crate::health::checks;
use crate::health::evaluation::Evaluation;
use crate::health::metric::{Aggregation, Metric, Polarity};
use crate::health::model::{Example, Finding, Health, Severity};
use crate::health::spec::Spec;
use crate::health::words::counted;
use rankgate::benchmark::Benchmark;

/// A metric is saturated if this share of the queries has its best value.
const SATURATED: f64 = 0.95;

/// Checks the collection of a spec, runs its configurations, and names the gates that cannot decide.
///
/// ```no_run
/// use rankgate::benchmark::{Benchmark, Registry};
///
/// let benchmark = Benchmark::open("benchmarks/helpdesk.yaml", &Registry::new())?;
/// print!("{}", rankgate_cli::health::health_text(&rankgate_cli::health::examine_benchmark(&benchmark)?));
/// # Ok::<(), rankgate::Error>(())
/// ```
///
/// # Errors
/// A collection that cannot be loaded or read. A configuration that cannot be measured is a finding.
pub fn examine_benchmark(benchmark: &Benchmark) -> Result<Health> {
    let linting = Linting { benchmark };
    let spec = linting.spec();
    let subject = benchmark.shown(&spec.path);
    let mut health = checks::examine(&subject, benchmark.collection()?, spec.collection.relevant_from)?;
    if spec.skip_queries_without_relevant {
        health.findings.retain(|one| one.code != "queries-without-relevant");
    }
    if !spec.metrics.iter().any(Metric::needs_relevance) {
        health.findings.retain(|one| one.code != "no-judgments");
    }
    let measured = linting.measure_all();
    health.findings.extend(unmeasured(&measured));
    health.findings.extend(saturated(&measured, &spec.metrics)?);
    health.findings.extend(linting.gate_findings(&measured));
    health.findings.sort_by_key(|finding| finding.severity);
    Ok(health)
}

/// Scores or an error, by configuration in the order of the spec.
type Measured = Vec<(String, Result<Evaluation, String>)>;

/// A benchmark under examination.
struct Linting<'a> {
    benchmark: &'a Benchmark,
}

impl Linting<'_> {
    fn spec(&self) -> &Spec {
        self.benchmark.spec()
    }

    fn measure_all(&self) -> Measured {
        let of_spec = self.spec().configurations.iter();
        let asked = of_spec.map(|one| {
            (one.name.clone(), self.benchmark.evaluation_of(&one.name).map_err(|error| error.to_string()))
        });
        asked.collect()
    }
}

fn unmeasured(measured: &Measured) -> Option<Finding> {
    let failed: Vec<Example> =
        measured.iter().filter_map(|(name, one)| Some(Example::new(name, "", one.as_ref().err()?))).collect();
    Finding::new(
        (Severity::Warning, "configurations-unmeasured"),
        format!(
            "{} not measured, so their gates were not checked",
            counted(failed.len(), "configuration was", "configurations were")
        ),
        failed.len(),
        failed,
        "",
    )
}

/// Metrics that have their best value for nearly every query of every configuration: nothing can gain.
fn saturated(measured: &Measured, metrics: &[Metric]) -> Result<Option<Finding>> {
    let evaluations: Vec<&Evaluation> = measured.iter().filter_map(|(_, one)| one.as_ref().ok()).collect();
    let mut examples = Vec::new();
    for metric in metrics.iter().filter(|one| one.aggregation() == Aggregation::Mean && one.needs_relevance())
    {
        let (start, end) = metric.range().into_inner();
        let best = if metric.polarity() == Polarity::LessIsBetter { start } else { end };
        let mut least = 1.0_f64;
        for evaluation in &evaluations {
            // A metric that has no value is an error of its gates.
            let Ok(scores) = evaluation.scores(metric.clone()) else { continue };
            let at_best = scores.iter().filter(|score| **score == best).count();
            least = least.min(at_best as f64 / scores.len().max(1) as f64);
        }
        if !evaluations.is_empty() && least >= SATURATED {
            let note = format!("{best} for {:.0}% of the queries or more", (100.0 * least).floor());
            examples.push(Example::new(metric.to_string(), "", note));
        }
    }
    Ok(Finding::new(
        (Severity::Warning, "metric-saturated"),
        format!(
            "{} the best value for nearly all queries of every configuration: no gain can be seen",
            counted(examples.len(), "metric has", "metrics have")
        ),
        examples.len(),
        examples,
        "add harder queries, or use a metric that looks at fewer documents",
    ))
}
