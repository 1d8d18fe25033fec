//! The health of a spec: its collection's, what its configurations can resolve on it, and which of its gates
//! that is too little for.

mod attributes;
mod chunks;
mod gates;
mod lists;
mod looks;
mod neighbours;
mod silence;
mod suite;
mod weakness;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::health::Result;
use crate::health::analysis::{JUDGED_APART, Pair, Side};
use crate::health::checks::{self, QUERIES_ARE_DOCUMENTS, QUERIES_SHARE_RELEVANT};
use crate::health::evaluation::Evaluation;
use crate::health::metric::{Aggregation, Metric};
use crate::health::model::{
    ConfigurationFacts, Detectable, Example, Finding, Health, JudgedShare, Resolution, Severity,
};
use crate::health::report_model::Input;
use crate::health::spec::{Configuration, Spec};
use crate::health::stats::{self, Expectation, PairedT};
use crate::health::words::{agree, counted};
use crate::offline::unseen_gain;
use rankgate::benchmark::{Benchmark, Recorded};
use rankgate::internal::Inspection;

pub use self::suite::examine_suite;

/// The probability with which a difference of the detectable size is shown.
const POWER: f64 = 0.8;
/// Of more configurations than this each is paired with the first, not each with each.
const EACH_WITH_EACH: usize = 6;
/// Less than this share of the first documents judged says little of a ranking.
const JUDGED: f64 = 0.5;

/// What was measured, by configuration in the order of the spec.
type Measured = Vec<(String, Result<Evaluation, String>)>;

/// Examines the collection, asks every configuration that the spec does not ignore, and says what these
/// queries can show and which gates they cannot decide.
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
    Linting { benchmark, inspection: Inspection::new(benchmark) }.health()
}

/// A benchmark that is examined.
struct Linting<'a> {
    benchmark: &'a Benchmark,
    inspection: Inspection<'a>,
}

impl Linting<'_> {
    fn spec(&self) -> &Spec {
        self.benchmark.spec()
    }

    fn health(&self) -> Result<Health> {
        let collection = self.benchmark.collection()?;
        let subject = self.inspection.shown(&self.spec().path);
        let mut health = checks::examine(&subject, collection, self.spec().collection.relevant_from)?;
        if self.spec().skip_queries_without_relevant {
            for finding in health.findings.iter_mut().filter(|one| one.code == "queries-without-relevant") {
                finding.severity = Severity::Fact;
                finding.advice = "the spec leaves them out (`skip-queries-without-relevant`)".into();
            }
        }
        if self.spec().collection.exclude_identical_ids {
            let of = |one: &&mut Finding| one.code == QUERIES_ARE_DOCUMENTS;
            for finding in health.findings.iter_mut().filter(of) {
                // Where any is the query itself, those are the examples.
                let same = finding.severity == Severity::Caution;
                let (severity, advice) = checks::told_identical(true, same);
                (finding.severity, finding.advice) = (severity, advice.into());
            }
            health
                .findings
                .extend(checks::relevant_to_itself(collection, self.spec().collection.relevant_from));
        }
        if self.spec().statistics.group_by.is_some() {
            health.findings.retain(|one| one.code != QUERIES_SHARE_RELEVANT);
        }
        let measured = self.measure_all();
        let resolution = self.resolution(&measured)?;
        health.findings.extend(self.recordings());
        health.findings.extend(configurations(&resolution));
        health.findings.extend(lists::findings(&measured, &self.spec().metrics));
        health.findings.extend(self.gate_findings(&measured, &resolution.detectable));
        health.findings.extend(self.attributes(collection));
        health.findings.extend(self.orphaned());
        health.findings.extend(self.unnamed_anchors());
        health.findings.extend(looks::finding(self.spec()));
        health.findings.extend(silence::findings(self.spec(), collection));
        health.findings.extend(self.judged_before());
        health.findings.extend(self.uncounted());
        health.findings.extend(self.neighbour_findings(collection));
        health.findings.extend(self.chunk_findings(collection)?);
        if self.is_of_neighbours_alone() {
            // No gate is about relevance.
            let of_people = ["no-judgments", "judged-thinly", "judged-apart"];
            health.findings.retain(|one| !of_people.contains(&one.code.as_str()));
        }
        health.resolution = Some(resolution);
        health.order();
        Ok(health)
    }

    /// Golden files of configurations that are no more, or are called something else.
    fn orphaned(&self) -> Option<Finding> {
        self.unused(
            self.inspection.orphans(),
            "orphaned-golden-files",
            ["golden file belongs to no configuration", "golden files belong to no configuration"],
            "rename them where a configuration was renamed, and remove the others",
        )
    }

    /// Tagged runs that nothing is compared with any more, or not yet.
    fn unnamed_anchors(&self) -> Option<Finding> {
        self.unused(
            self.inspection.unnamed_anchors(),
            "unnamed-anchors",
            ["tagged run is an anchor of no comparison", "tagged runs are anchors of no comparison"],
            "name them, as in `baseline: golden@v1.2`, or remove them",
        )
    }

    /// Judged topics of TREC that nothing counts: the judged ones then define the collection.
    fn uncounted(&self) -> Option<Finding> {
        let spec = self.spec();
        let is_trec = spec.collection.is_defined_by_judgments() && !spec.collection.pins_judgments();
        let is_blessed = spec.configurations.iter().any(|one| self.inspection.is_judged_otherwise(one));
        (is_trec && !is_blessed).then(|| Finding {
            severity: Severity::Fact,
            code: "judged-queries-not-counted".into(),
            message:
                "nothing says how many topics should be judged: judgments that are cut off would not show"
                    .into(),
            count: 1,
            examples: Vec::new(),
            advice: "pin the file (`sha256`), or bless".into(),
        })
    }

    /// Golden runs that were blessed on other documents and on today's judgments.
    fn judged_before(&self) -> Option<Finding> {
        let is_before = |one: &&Configuration| {
            let golden = self.inspection.golden(one, None).ok().flatten();
            let changed = golden.map(|golden| golden.changed.clone()).unwrap_or_default();
            changed.contains(&Input::Documents) && !changed.contains(&Input::Judgments)
        };
        let before: Vec<_> = self.spec().configurations.iter().filter(is_before).collect();
        (!before.is_empty()).then(|| Finding {
            severity: Severity::Caution,
            code: "judgments-older-than-documents".into(),
            message: format!(
                "the documents are others than when {} {} blessed, by their SHA-256, and the judgments are the same",
                counted(before.len(), "golden run", "golden runs"),
                agree(before.len(), "was", "were")
            ),
            count: before.len(),
            examples: before.iter().take(Example::MOST).map(|one| Example::new(&one.name, "", "")).collect(),
            advice: "judge what came in (`rankgate pool`), then bless: unjudged documents count as not relevant".into(),
        })
    }

    fn unused(
        &self,
        files: BTreeSet<PathBuf>,
        code: &str,
        [one, several]: [&str; 2],
        advice: &str,
    ) -> Option<Finding> {
        let file = |path: &PathBuf| Example::new(self.inspection.shown(path), "", "");
        (!files.is_empty()).then(|| Finding {
            severity: Severity::Caution,
            code: code.into(),
            message: format!("{} of the spec", counted(files.len(), one, several)),
            count: files.len(),
            examples: files.iter().take(Example::MOST).map(file).collect(),
            advice: advice.into(),
        })
    }

    /// Which runs stand for configurations that could not run.
    fn recordings(&self) -> Option<Finding> {
        let of = |one| self.inspection.recording(one).ok()?;
        let recorded: Vec<_> = self.spec().configurations.iter().filter_map(of).collect();
        let example = |one: &Recorded| Example::new(&one.configuration, "", one.describe());
        (!recorded.is_empty()).then(|| Finding {
            severity: Severity::Fact,
            code: "configurations-recorded".into(),
            message: format!(
                "{} of {} configurations were not asked but read, since their retrievers are registered from Rust",
                recorded.len(),
                self.spec().configurations.len()
            ),
            count: recorded.len(),
            examples: recorded.iter().take(Example::MOST).map(example).collect(),
            advice: "`cargo test` runs them again".into(),
        })
    }

    fn measure_all(&self) -> Measured {
        let measure = |configuration: &Configuration| {
            let measured = match &configuration.ignore {
                Some(reason) => Err(format!("the spec ignores it: {reason}")),
                None => self.inspection.evaluation(configuration).map_err(|failure| failure.to_string()),
            };
            (configuration.name.clone(), measured)
        };
        self.spec().configurations.iter().map(measure).collect()
    }

    fn resolution(&self, measured: &Measured) -> Result<Resolution> {
        let mut cutoffs: Vec<usize> = self.spec().metrics.iter().filter_map(Metric::cutoff).collect();
        cutoffs.sort_unstable();
        cutoffs.dedup();
        if cutoffs.is_empty() {
            cutoffs.push(self.spec().depth.min(10));
        }
        let facts = |(name, measured): &(String, Result<Evaluation, String>)| {
            let share = |&cutoff: &usize, evaluation: &Evaluation| {
                Ok(JudgedShare { cutoff, share: evaluation.value(Metric::judged_at(cutoff))? })
            };
            let judged = match measured {
                Ok(_) if self.is_of_neighbours_alone() => Vec::new(),
                Ok(one) => cutoffs.iter().map(|cutoff| share(cutoff, one)).collect::<Result<_>>()?,
                Err(_) => Vec::new(),
            };
            Ok(ConfigurationFacts {
                name: name.clone(),
                unmeasured: measured.as_ref().err().cloned(),
                judged,
            })
        };
        Ok(Resolution {
            confidence: self.spec().statistics.confidence.level(),
            power: POWER,
            configurations: measured.iter().map(facts).collect::<Result<_>>()?,
            detectable: self.all_detectable(measured),
        })
    }

    /// What the pairs of configurations can show in each metric, metric by metric.
    fn all_detectable(&self, measured: &Measured) -> Vec<Detectable> {
        let known: Vec<(&str, &Evaluation)> =
            measured.iter().filter_map(|(name, one)| Some((name.as_str(), one.as_ref().ok()?))).collect();
        let most = if known.len() <= EACH_WITH_EACH { known.len() } else { 1 };
        let mut pairs = Vec::new();
        for (index, &(name, evaluation)) in known.iter().enumerate().take(most) {
            for &(other, theirs) in &known[index + 1..] {
                let side = |name, evaluation| Side { name, evaluation, asked: None };
                // A pair that has nothing to compare can show nothing.
                pairs.extend(Pair::new(&side(other, theirs), &side(name, evaluation), None).ok());
            }
        }
        // Counts are no quality, and neither is how much was judged.
        let quality =
            |metric: &&Metric| metric.aggregation() == Aggregation::Mean && metric.needs_relevance();
        let means = self.spec().metrics.iter().filter(quality);
        let gain = Expectation::Improvement { margin: 0.0 };
        let of_pair = |pair, metric| Some(self.detectable(pair, metric, gain)?.0);
        means.flat_map(|metric| pairs.iter().filter_map(move |pair| of_pair(pair, metric))).collect()
    }

    /// What a pair can show of its expectation, and the standard deviation of its differences.
    fn detectable(&self, pair: &Pair, metric: &Metric, expect: Expectation) -> Option<(Detectable, f64)> {
        let differences = pair.differences(metric).ok()?;
        let (confidence, units) = (self.spec().statistics.confidence, differences.len());
        let spread = PairedT::new(&differences)?.standard_deviation();
        let apart =
            stats::detectable_difference(spread, units, confidence, expect.power_of_claim(POWER)).ok()?;
        let detectable = Detectable {
            metric: metric.to_string(),
            baseline: pair.baseline_name.clone(),
            candidate: pair.candidate_name.clone(),
            units,
            differing: differences.wins() + differences.losses(),
            difference: differences.mean(),
            effect: apart
                .filter(|_| units >= stats::fewest_units(confidence))
                .map(|apart| unseen_gain(expect) + apart),
        };
        Some((detectable, spread))
    }
}

/// What to tell about the configurations.
fn configurations(resolution: &Resolution) -> Vec<Finding> {
    let mut findings = Vec::new();
    let all = &resolution.configurations;
    let unmeasured: Vec<Example> =
        all.iter().filter_map(|one| Some(Example::new(&one.name, "", one.unmeasured.clone()?))).collect();
    if !unmeasured.is_empty() {
        findings.push(Finding {
            severity: Severity::Caution,
            code: "configurations-unmeasured".into(),
            message: format!(
                "{} of {} configurations were not measured: their gates were not checked",
                unmeasured.len(),
                all.len()
            ),
            count: unmeasured.len(),
            examples: unmeasured.into_iter().take(Example::MOST).collect(),
            advice: String::new(),
        });
    }
    // How much was judged matters most where metrics look first.
    let first = |one: &ConfigurationFacts| Some((one.name.clone(), one.judged.first()?.clone()));
    let shares: Vec<(String, JudgedShare)> = all.iter().filter_map(first).collect();
    let Some(cutoff) = shares.first().map(|(_, share)| share.cutoff) else { return findings };
    let example = |(name, share): &(String, JudgedShare)| {
        Example::new(name, "", format!("Judged@{cutoff} {:.4}", share.share))
    };
    let thin: Vec<&(String, JudgedShare)> = shares.iter().filter(|(_, one)| one.share < JUDGED).collect();
    if !thin.is_empty() {
        findings.push(Finding {
            severity: Severity::Caution,
            code: "judged-thinly".into(),
            message: format!(
                "less than half of the first {cutoff} documents are judged for {} of {} configurations: what nobody \
                 judged counts as not relevant",
                thin.len(),
                shares.len()
            ),
            count: thin.len(),
            examples: thin.iter().take(Example::MOST).map(|one| example(one)).collect(),
            advice: "judge what they return: `rankgate pool` prints it".into(),
        });
    }
    let by_share = |a: &&(String, JudgedShare), b: &&(String, JudgedShare)| a.1.share.total_cmp(&b.1.share);
    if let (Some(least), Some(most)) = (shares.iter().min_by(by_share), shares.iter().max_by(by_share))
        && most.1.share - least.1.share > JUDGED_APART
    {
        findings.push(Finding {
            severity: Severity::Caution,
            code: "judged-apart".into(),
            message: format!(
                "more of the first {cutoff} documents is judged for {} than for {}: they may differ by that alone",
                most.0, least.0
            ),
            count: 1,
            examples: vec![example(most), example(least)],
            advice: "judge what all of them return: `rankgate pool` prints it".into(),
        });
    }
    findings
}
