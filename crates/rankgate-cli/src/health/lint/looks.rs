//! What comes of asking again and again: false alarms of gates that every commit is held to.

use crate::health::gate::{Baseline, Comparison, Level};
use crate::health::model::{Finding, Severity, choose};
use crate::health::spec::Spec;
use crate::health::stats::{Confidence, Correction, Expectation};

/// Commits that are counted.
const COMMITS: [i32; 3] = [20, 50, 100];

/// What a busy repository is advised to ask for.
const SURE: f64 = 0.99;

/// How often unchanged quality fails a spec's comparisons with blessed runs, where any may fail a build.
pub(super) fn finding(spec: &Spec) -> Option<Finding> {
    let counted = |one: &&Comparison| {
        let drops = matches!(one.expect.tested(), Some(Expectation::NoRegression { .. }));
        drops && one.baseline == Baseline::Golden && one.level == Level::Blocking
    };
    let entries: Vec<&Comparison> = spec.comparisons.iter().filter(counted).collect();
    let families = match spec.statistics.correction {
        Correction::None => entries.iter().map(|one| one.metrics.len()).sum(),
        Correction::Holm => entries.len(),
    };
    if families == 0 {
        return None;
    }
    let confidence = spec.statistics.confidence;
    let alarms = |confidence: Confidence| {
        let quiet = (1.0 - confidence.tail()).powi(i32::try_from(families).unwrap_or(i32::MAX));
        COMMITS.map(|commits| format!("{:.2}", 1.0 - quiet.powi(commits))).join(", ")
    };
    let [few, more, most] = COMMITS;
    let advice = Confidence::new(SURE).ok().filter(|sure| confidence.level() < sure.level());
    Some(Finding {
        severity: Severity::Fact,
        code: "repeated-looks".into(),
        message: format!(
            "{families} {} of blocking comparisons with golden: among {few}, {more}, {most} commits that leave quality as it \
             is, at least one fails by chance with probability {}",
            choose(families, "family", "families"),
            alarms(confidence)
        ),
        count: families,
        examples: Vec::new(),
        advice: advice.map_or(String::new(), |sure| {
            format!("where commits are many, `statistics: {{confidence: {SURE}}}`: {}", alarms(sure))
        }),
    })
}
