//! The gates of a spec, one per test.

use std::collections::{HashMap, HashSet};

use super::configuration::Configuration;
use super::read::Reader;
use crate::gate::{
    Comparison, Gate, GateKind, Level, Threshold, comparison_name, configuration_name, threshold_name,
};
use crate::yaml::{Problem, Span};

/// A demand and where it stands.
pub(super) struct Placed<T> {
    pub(super) at: Span,
    pub(super) value: T,
}

/// What gates are made from.
pub(super) struct Demands<'a> {
    pub(super) benchmark: &'a str,
    pub(super) thresholds: &'a [Placed<Threshold>],
    pub(super) comparisons: &'a [Placed<Comparison>],
    /// Where snapshots are asked for, if they are.
    pub(super) snapshot: Option<Span>,
    /// Where determinism is asked for, if it is.
    pub(super) deterministic: Option<Span>,
    pub(super) configurations: &'a [Configuration],
}

/// One gate per threshold, configuration and metric; comparison and metric; configuration with a
/// snapshot; live configuration that is asked twice. Two gates of one name are reported.
pub(super) fn expand(demands: &Demands<'_>, reader: &mut Reader<'_>) -> Vec<Gate> {
    let mut gates = Gates { reader, list: Vec::new(), places: HashMap::new(), reported: HashSet::new() };
    for (index, Placed { at, value }) in demands.thresholds.iter().enumerate() {
        for configuration in &value.configurations {
            for metric in &value.metrics {
                let (segment, label) = (value.segment.as_ref(), value.name.as_deref());
                let name = threshold_name(demands.benchmark, configuration, metric, segment, label);
                let kind = GateKind::Threshold { threshold: index, metric: metric.clone() };
                gates.add(name, configuration, value.level, kind, *at);
            }
        }
    }
    for (index, Placed { at, value }) in demands.comparisons.iter().enumerate() {
        let metrics = value.metrics.iter().map(Some);
        let no_metric = value.metrics.is_empty().then_some(None);
        for metric in metrics.chain(no_metric) {
            let what = (&value.expect, metric);
            let (segment, label) = (value.segment.as_ref(), value.name.as_deref());
            let baseline = value.baseline.to_string();
            let name = comparison_name(demands.benchmark, &value.candidate, &baseline, what, segment, label);
            let kind = GateKind::Comparison { comparison: index, metric: metric.cloned() };
            gates.add(name, &value.candidate, value.level, kind, *at);
        }
    }
    for (asked, what, kind) in [
        (demands.snapshot, "snapshot", GateKind::Snapshot),
        (demands.deterministic, "deterministic", GateKind::Deterministic),
    ] {
        let Some(at) = asked else { continue };
        for configuration in demands.configurations {
            if kind == GateKind::Snapshot || configuration.is_live() {
                let name = configuration_name(demands.benchmark, &configuration.name, what);
                gates.add(name, &configuration.name, Level::Blocking, kind.clone(), at);
            }
        }
    }
    gates.list
}

struct Gates<'a, 'r> {
    reader: &'a mut Reader<'r>,
    list: Vec<Gate>,
    places: HashMap<String, Span>,
    /// Pairs of places whose gates share a name: one report says it for all of them.
    reported: HashSet<(Span, Span)>,
}

impl Gates<'_, '_> {
    fn add(&mut self, name: String, configuration: &str, level: Level, kind: GateKind, at: Span) {
        if let Some(&first) = self.places.get(&name) {
            if self.reported.insert((first, at)) {
                let problem = Problem::new(at, format!("two gates are called `{name}`"));
                let problem = problem.related(first, "the first");
                self.reader
                    .report(problem.help("give one of them a `name`, which becomes part of the test's name"));
            }
            return;
        }
        let (line, column) = self.reader.source.position(at);
        self.places.insert(name.clone(), at);
        self.list.push(Gate { name, configuration: configuration.to_owned(), level, kind, line, column });
    }
}
