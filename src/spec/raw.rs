//! The spec's own keys, and the gates that their entries ask for.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::collection::RawCollection;
use super::configuration::{Configuration, RawConfigurations};
use super::evidence::RawEvidence;
use super::gates::{GateBudget, Gates};
use super::judge::RawJudge;
use super::judged::KnownJudge;
use super::names::Names;
use super::scalar::Name;
use super::statistics::RawStatistics;
use super::template::PathTemplate;
use super::variants::RawVariants;
use crate::error::Quoted;
use crate::gate::{
    Comparison, ComparisonGate, GateKind, LatencyGate, Threshold, ThresholdGate, comparison_name,
    latency_name, threshold_name,
};
use crate::gates::comparison::keys::RawComparison;
use crate::gates::latency::keys::RawLatency;
use crate::gates::threshold::keys::RawThreshold;
use crate::mapping::{Count, FromNode, List, OneOrMany, Reader, Rule, Spanned, mapping};
use crate::metric::Metric;
use crate::yaml::{Node, Problem};

mapping! {
    /// A retrieval benchmark: what is searched, what is measured, and what must hold.
    pub(super) struct RawSpec as "a spec" {
        /// The version of this format: 1.
        "version" => version: Version,
        /// The benchmark's name, unique among the specs that are run together. Test names start with
        /// it, and golden files are in a folder of this name.
        "benchmark" => benchmark: Name,
        /// What it is about, for readers of reports.
        "description" => description: String,
        /// What is searched and judged.
        "collection" => collection: RawCollection,
        /// How many results a retriever is asked for per query, and to which frozen runs are cut. By
        /// default the deepest cutoff named anywhere, at least 10; at least 1000 where a metric has no
        /// cutoff.
        "depth" => depth: Count<1_000_000>,
        /// What is measured, by name; at least one.
        "configurations" => configurations: RawConfigurations,
        /// Other texts for the queries, by name: `mine@typos` is the configuration `mine` asked under `typos`.
        "variants" => variants: RawVariants,
        /// The metrics that are reported for every configuration, besides those of the gates.
        "metrics" | "metric" => metrics: OneOrMany<Metric>,
        /// Metadata keys of the queries by which reports are broken down.
        "segments" => segments: OneOrMany<String>,
        /// Limits on metrics.
        "thresholds" => thresholds: List<RawThreshold>,
        /// Candidates held against baselines.
        "comparisons" => comparisons: List<RawComparison>,
        /// Limits on the time that answers take.
        "latency" => latency: List<RawLatency>,
        /// A model that grades what people did not judge.
        "judge" => judge: RawJudge,
        /// How comparisons are decided.
        "statistics" => statistics: RawStatistics,
        /// How much of what gates rest on has to be there, for all gates that do not say so themselves.
        "evidence" => evidence: RawEvidence,
        /// The folder of golden files; by default `golden/` beside the nearest Cargo.toml, else beside
        /// this file.
        "golden" => golden: PathTemplate,
        /// Leave out queries that have no relevant document instead of scoring them 0; false by default.
        "skip-unjudgeable" => skip_unjudgeable: bool,
        /// Hold the metric report of each configuration against the one that was blessed; false by
        /// default.
        "snapshot" => snapshot: bool,
        /// Ask every live configuration twice and fail where the rankings differ; false by default.
        "deterministic" => deterministic: bool,
    }
    rules: [
        Rule::Required("version"),
        Rule::Required("benchmark"),
        Rule::Required("collection"),
        Rule::Required("configurations"),
    ]
}

/// The entries that ask for gates, as far as they are sound.
pub(super) struct Entries {
    pub(super) thresholds: Vec<Spanned<Threshold>>,
    /// Of each entry those of its candidates, in their order.
    pub(super) comparisons: Vec<Spanned<Comparison>>,
    pub(super) latency: Vec<Spanned<LatencyGate>>,
}

// A further kind of entry is its key above, and a line in each of these.

impl RawSpec {
    /// Whether anything in the spec is meant to be a gate.
    pub(super) fn asks_for_gates(&self) -> bool {
        self.thresholds.has_items()
            || self.comparisons.has_items()
            || self.latency.has_items()
            || self.snapshot.is_on()
            || self.deterministic.is_on()
    }

    /// Takes the entries out and checks them. What is wrong is reported.
    pub(super) fn entries(
        &mut self,
        names: &Names<'_>,
        configurations: Option<&[Configuration]>,
        judge: &KnownJudge,
        reader: &mut Reader<'_>,
    ) -> Entries {
        let mut left = GateBudget::default();
        let thresholds = self.thresholds.sound_items(reader, |raw, at, reader| {
            left.spend(raw.gates(names), at, reader)?;
            raw.judged_gate(|gate| gate.check(judge, reader));
            raw.check(names, reader)
        });
        let entries = self.comparisons.sound_items(reader, |raw, at, reader| {
            left.spend(raw.gates(), at, reader)?;
            if let Some(given) = raw.harm_at_most.field_value() {
                let problem = Problem::new(given.key, "`harm-at-most` is for suites of several collections");
                reader.report(problem.help("`expect: non-inferiority` with a `margin` asks the same of one"));
            }
            raw.judged_gate(|gate| gate.check(judge, reader));
            raw.check(at, names, reader)
        });
        let latency = self.latency.sound_items(reader, |raw, at, reader| {
            left.spend(raw.gates(names), at, reader)?;
            raw.check(at, names, configurations, reader)
        });
        let of_entry = |(entry, Spanned { at, value }): (usize, Spanned<Vec<Comparison>>)| {
            value.into_iter().map(move |one| Spanned { at, value: Comparison { entry, ..one } })
        };
        let comparisons = entries.into_iter().enumerate().flat_map(of_entry).collect();
        Entries { thresholds, comparisons, latency }
    }
}

impl Entries {
    /// The metrics that they name, in their order.
    pub(super) fn metrics(&self) -> impl Iterator<Item = &Metric> {
        let of_thresholds = self.thresholds.iter().flat_map(|placed| &placed.value.metrics);
        of_thresholds.chain(self.comparisons.iter().flat_map(|placed| &placed.value.metrics))
    }

    /// The configurations under variants that gates name.
    pub(super) fn under_variants(&self) -> Vec<&str> {
        let limited = self.thresholds.iter().flat_map(|placed| &placed.value.configurations);
        let compared = self.comparisons.iter().flat_map(|placed| placed.value.configurations());
        let named = limited.map(String::as_str).chain(compared);
        named.filter(|name| name.contains('@')).collect()
    }

    /// One gate per threshold, configuration and metric; comparison and metric; latency gate and configuration.
    pub(super) fn expand(&self, benchmark: &str, gates: &mut Gates<'_, '_>) {
        for (index, Spanned { at, value }) in self.thresholds.iter().enumerate() {
            for configuration in &value.configurations {
                for metric in &value.metrics {
                    let (segment, label) = (value.segment.as_ref(), value.name.as_deref());
                    let name = threshold_name(benchmark, configuration, metric, segment, label);
                    let gate = ThresholdGate { threshold: index, metric: metric.clone() };
                    gates.add(name, configuration, value.level, GateKind::Threshold(gate), *at);
                }
            }
        }
        for (index, Spanned { at, value }) in self.comparisons.iter().enumerate() {
            let metrics = value.metrics.iter().map(Some);
            let no_metric = value.metrics.is_empty().then_some(None);
            for metric in metrics.chain(no_metric) {
                let what = (&value.expect, metric);
                let (segment, label) = (value.segment.as_ref(), value.name.as_deref());
                let baseline = value.baseline.to_string();
                let name = comparison_name(benchmark, &value.candidate, &baseline, what, segment, label);
                let gate = ComparisonGate { comparison: index, metric: metric.cloned() };
                gates.add(name, &value.candidate, value.level, GateKind::Comparison(gate), *at);
            }
        }
        for Spanned { at, value } in &self.latency {
            let gate = Arc::new(value.clone());
            for configuration in &value.configurations {
                let (baseline, label) = (value.limit.baseline(), value.name.as_deref());
                let name = latency_name(benchmark, configuration, baseline, value.quantile, label);
                gates.add(name, configuration, value.level, GateKind::Latency(Arc::clone(&gate)), *at);
            }
        }
    }
}

/// A version of the format that is known.
pub(super) struct Version;

impl Version {
    const KNOWN: u64 = 1;
}

impl FromNode for Version {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a version, which is 1")?;
        if text.parse() == Ok(Self::KNOWN) {
            return Some(Self);
        }
        let problem =
            Problem::new(node.span, format!("unknown version {} of the spec's format", Quoted(text)));
        reader.report(problem.help("this rankgate knows version 1"));
        None
    }

    fn schema() -> Json {
        json!({"enum": [Self::KNOWN, Self::KNOWN.to_string()]})
    }
}

/// The schema of the whole file.
pub(super) fn json_schema() -> Json {
    let mut schema = titled(RawSpec::schema(), "rankgate benchmark");
    without(&mut schema, "/properties/comparisons/items/properties", &["harm-at-most"]);
    schema
}

/// The schema of a file that is one of its kind.
pub(super) fn titled(mut schema: Json, title: &str) -> Json {
    if let Json::Object(object) = &mut schema {
        object.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        object.insert("title".to_owned(), json!(title));
    }
    schema
}

/// Takes keys out that are for other files.
pub(super) fn without(schema: &mut Json, place: &str, keys: &[&str]) {
    if let Some(Json::Object(properties)) = schema.pointer_mut(place) {
        properties.retain(|key, _| !keys.contains(&key.as_str()));
    }
}
