//! From the keys of a spec to the plan: everything that two keys must agree on.

use std::collections::HashSet;
use std::path::Path;

use super::Spec;
use super::configuration::{Configuration, RawConfigurations};
use super::depth::Cutoffs;
use super::gates::{GateContext, Gates};
use super::names::Names;
use super::raw::{Entries, RawSpec, Version};
use super::scalar::Name;
use crate::content_hash::bytes_sha256;
use crate::gate::{GateKind, SnapshotGate};
use crate::mapping::{FromNode, Reader};
use crate::metric::Metric;
use crate::yaml::{Entry, Found, Node, Problem, Span, Value};

/// The spec in a tree; `None` where something is wrong. Whatever is wrong has been reported.
pub(super) fn check(path: &Path, root: &Node, reader: &mut Reader<'_>) -> Option<Spec> {
    if root.is_null() {
        return reader.refuse(root.span, "this file is empty");
    }
    if let Some(unknown_version) = unknown_version(root, reader) {
        // Whatever else seems wrong may be right in that version.
        reader.found = unknown_version;
        return None;
    }
    if let Some(suite) = entry(root, "suite").filter(|_| entry(root, "benchmark").is_none()) {
        let problem = Problem::new(suite.key.span, "this is a suite, and a benchmark is needed here");
        reader.report(problem.help("name one of those under its `benchmarks`; `rankgate run` takes suites"));
        return None;
    }
    let mut raw = RawSpec::from_node(root, reader)?;
    let cutoffs = Cutoffs::new(&raw);
    let depth = cutoffs.depth(&raw.depth, reader);
    let depth_because = cutoffs.because(&raw.depth);
    let asks_for_gates = raw.asks_for_gates() || has_misspelt_key(root);

    let collection = raw.collection.take().and_then(|collection| collection.check(reader));
    let given = raw.configurations.take();
    let known = given.as_ref().map(RawConfigurations::names);
    let names = Names::new(known.as_deref());
    let configurations = given.and_then(|given| {
        let collection = collection.as_ref();
        let checked: Vec<Option<Configuration>> =
            given.0.into_iter().map(|(name, raw)| raw?.check(name, collection, reader)).collect();
        checked.into_iter().collect::<Option<Vec<_>>>()
    });
    let scores = match raw.scores.is_absent() {
        true => Some(Vec::new()),
        false => raw.scores.take().and_then(|scores| scores.check(&names, reader)),
    };
    let names = names.with_columns(scores.as_deref());
    let context = GateContext { names: &names, configurations: configurations.as_deref() };
    let entries = raw.entries(&context, reader);
    check_means(&raw, &entries, reader);
    let statistics = raw.statistics.into_value().map(|raw| raw.check()).unwrap_or_default();
    let coverage = raw.coverage.into_value().map(|share| share.0);
    let listed = raw.metrics.into_value().map(|metrics| metrics.into_values()).unwrap_or_default();
    let metrics = reported(listed, &entries);

    let snapshot = raw.snapshot.field_value().filter(|given| given.value);
    if let Some(snapshot) = snapshot.filter(|_| metrics.is_empty() && reader.found.is_empty()) {
        let problem = Problem::new(snapshot.at, "there is no metric to take a snapshot of");
        reader.report(problem.help("list the metrics to report under `metrics`"));
    }
    let deterministic =
        raw.deterministic.field_value().and_then(|given| Some((given, given.value.gate()?.clone())));
    if let Some((given, _)) = &deterministic {
        check_live(given.at, configurations.as_deref(), reader);
    }
    if !asks_for_gates && (metrics.is_empty() || !reader.registry.without_gates) {
        let problem = Problem::new(root.span, "this spec has no gate: it could never fail");
        reader.report(problem.help(gate_to_add(&metrics)));
    }
    let benchmark = raw.benchmark.into_value();
    // Which gates have one name can be said whatever the benchmark is called.
    let called = benchmark.as_ref().map_or("benchmark", |name| &name.0);
    let all = || configurations.iter().flatten();
    let mut gates = Gates::new(reader);
    entries.expand(called, &mut gates);
    if let Some(snapshot) = snapshot {
        gates.of_all(called, all(), ("snapshot", GateKind::Snapshot(SnapshotGate)), snapshot.key);
    }
    let is_deterministic = deterministic.is_some();
    if let Some((given, gate)) = deterministic {
        let live = all().filter(|configuration| configuration.is_live());
        gates.of_all(called, live, ("deterministic", GateKind::Deterministic(gate)), given.key);
    }
    let gates = gates.into_list();
    raw.version.into_value()?;
    Some(Spec {
        path: path.to_owned(),
        sha256: bytes_sha256(reader.source.bytes()),
        benchmark: benchmark?.0,
        collection: collection?,
        depth,
        depth_because,
        configurations: configurations?,
        metrics,
        segment_lines: raw.segments.value().map_or_else(Vec::new, |segments| {
            segments.0.iter().map(|key| reader.source.position(key.at).0).collect()
        }),
        segments: raw.segments.into_value().map(|segments| segments.into_values()).unwrap_or_default(),
        thresholds: entries.thresholds.into_iter().map(|placed| placed.value).collect(),
        comparisons: entries.comparisons.into_iter().map(|placed| placed.value).collect(),
        latency: entries.latency.into_iter().map(|placed| placed.value).collect(),
        scores: scores?,
        statistics,
        coverage,
        golden: raw.golden.into_value(),
        skip_queries_without_relevant: raw.skip_queries_without_relevant.into_value().unwrap_or_default(),
        snapshot: snapshot.is_some(),
        deterministic: is_deterministic,
        gates,
    })
}

/// Every metric that the spec names, with its place.
fn metrics_with_places<'a>(
    raw: &'a RawSpec,
    entries: &'a Entries,
) -> impl Iterator<Item = (Span, &'a Metric)> {
    let listed = raw.metrics.value().into_iter().flat_map(|metrics| &metrics.0);
    listed.map(|metric| (metric.at, &metric.value)).chain(entries.metrics_with_places())
}

/// Reports metrics whose values over queries are no arithmetic means.
fn check_means(raw: &RawSpec, entries: &Entries, reader: &mut Reader<'_>) {
    for (at, metric) in metrics_with_places(raw, entries) {
        if let Err(error) = metric.check_arithmetic() {
            reader.report(Problem::new(at, error.to_string()));
        }
    }
}

/// What one would write to have a gate, with the first of the metrics.
pub(super) fn gate_to_add(metrics: &[Metric]) -> String {
    let limit = |metric: &Metric| {
        let min = if *metric.range().end() > 1.0 { "1" } else { "0.5" };
        format!(", such as `thresholds: [{{metric: {metric}, min: {min}}}]`")
    };
    let example = metrics.first().map_or(String::new(), limit);
    format!("add `thresholds`, `comparisons`, or `snapshot: true`{example}")
}

/// The benchmark's name, if it has one that may be a name.
pub(super) fn benchmark_name(root: &Node, mut reader: Reader<'_>) -> Option<String> {
    let name = &entry(root, "benchmark").or_else(|| entry(root, "suite"))?.value;
    Name::from_node(name, &mut reader).map(|name| name.0)
}

/// The entry of a key.
pub(super) fn entry<'n>(root: &'n Node, key: &str) -> Option<&'n Entry> {
    let Value::Map(entries) = &root.value else { return None };
    entries.iter().find(|entry| &*entry.key.text == key)
}

/// What is wrong with the version, if it is one that is not known.
pub(super) fn unknown_version(root: &Node, reader: &Reader<'_>) -> Option<Found> {
    let version = &entry(root, "version")?.value;
    if !matches!(version.value, Value::Scalar(_)) || version.is_null() {
        return None;
    }
    let mut alone = Reader { found: Found::default(), ..*reader };
    match Version::from_node(version, &mut alone) {
        Some(Version) => None,
        None => Some(alone.found),
    }
}

/// Whether a key of the spec itself is unknown: gates may stand below it.
fn has_misspelt_key(root: &Node) -> bool {
    let Value::Map(entries) = &root.value else { return false };
    let known = |key: &str| RawSpec::SHAPE.keys.iter().any(|spellings| spellings.contains(&key));
    entries.iter().any(|entry| !known(&entry.key.text))
}

/// Frozen runs say the same every time they are read.
fn check_live(at: Span, configurations: Option<&[Configuration]>, reader: &mut Reader<'_>) {
    if configurations.is_some_and(|all| !all.iter().any(Configuration::is_live)) {
        let message = "every configuration is a frozen run, so there is nothing to ask twice";
        reader.report(Problem::new(at, message));
    }
}

/// The metrics of the spec, then those that only gates name, in the order in which they come.
fn reported(mut metrics: Vec<Metric>, entries: &Entries) -> Vec<Metric> {
    let mut known: HashSet<Metric> = metrics.iter().cloned().collect();
    for metric in entries.metrics() {
        if known.insert(metric.clone()) {
            metrics.push(metric.clone());
        }
    }
    metrics
}
