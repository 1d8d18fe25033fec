//! What a spec leaves open that compares an index with exact search.

use std::collections::BTreeSet;

use crate::health::collection::Collection;
use crate::health::metric::Metric;
use crate::health::model::{Example, Finding, Severity, choose};

use super::Linting;

/// A threshold on the mean of this metric is one on an index.
fn is_of_neighbours(metric: &Metric) -> bool {
    metric.requirements().neighbours
}

impl Linting<'_> {
    /// Whether the spec measures nothing but an index, for which nobody has to judge anything.
    pub(super) fn is_of_neighbours_alone(&self) -> bool {
        let metrics = &self.spec().metrics;
        !metrics.is_empty() && metrics.iter().all(is_of_neighbours)
    }

    pub(super) fn neighbour_findings(&self, collection: &Collection) -> Vec<Finding> {
        if !self.spec().metrics.iter().any(is_of_neighbours) {
            return Vec::new();
        }
        let findings = [self.ungated_index(), self.mean_alone(), self.unjudged_index(collection)];
        findings.into_iter().flatten().collect()
    }

    /// Configurations whose true neighbours are counted, and no gate looks at the number.
    fn ungated_index(&self) -> Option<Finding> {
        let gated: BTreeSet<&str> = self
            .benchmark
            .gates()
            .iter()
            .filter(|gate| gate.kind.metric().is_some_and(is_of_neighbours))
            .flat_map(|gate| self.benchmark.configurations_of(gate))
            .map(|configuration| configuration.name.as_str())
            .collect();
        let reference = self.spec().neighbours.as_ref().and_then(|plan| plan.reference());
        let is_open = |name: &&str| !gated.contains(name) && Some(*name) != reference;
        let asked = self.spec().configurations.iter();
        let open: Vec<&str> = asked.map(|one| one.name.as_str()).filter(is_open).collect();
        (!open.is_empty()).then(|| Finding {
            severity: Severity::Caution,
            code: "index-without-gate".into(),
            message: format!(
                "no gate is on the true neighbours that {} of the configurations {}",
                open.len(),
                choose(open.len(), "finds", "find")
            ),
            count: open.len(),
            examples: open.iter().take(Example::MOST).map(|name| Example::new(*name, "", "")).collect(),
            advice: "write a threshold, such as `{metric: NN@10, min: 0.95, bound: lower}`".into(),
        })
    }

    /// Means of neighbours that nothing backs up with a limit for the bad queries.
    fn mean_alone(&self) -> Option<Finding> {
        let limits = || {
            let thresholds = self.spec().thresholds.iter().filter(|one| one.min.is_some());
            thresholds.flat_map(|one| {
                let names = one.configurations.iter().map(String::as_str);
                names.flat_map(|name| one.metrics.iter().map(move |metric| (name, metric)))
            })
        };
        let reached: BTreeSet<&str> = limits()
            .filter(|(_, metric)| metric.reached().is_some_and(|(metric, _)| is_of_neighbours(metric)))
            .map(|(name, _)| name)
            .collect();
        let is_mean_alone = |(name, metric): &(&str, &Metric)| {
            is_of_neighbours(metric) && metric.reached().is_none() && !reached.contains(name)
        };
        let mut alone: Vec<(&str, &Metric)> = limits().filter(is_mean_alone).collect();
        alone.dedup_by_key(|(name, _)| *name);
        (!alone.is_empty()).then(|| Finding {
            severity: Severity::Fact,
            code: "index-mean-alone".into(),
            message: format!(
                "{} held to a mean over queries alone: it hides a few queries that find next to nothing",
                choose(alone.len(), "an index is", "indexes are")
            ),
            count: alone.len(),
            examples: alone
                .iter()
                .take(Example::MOST)
                .map(|(name, metric)| Example::new(*name, "", format!("by {metric}")))
                .collect(),
            advice: "add a limit for the bad queries: `{metric: NN@10, at-least: 0.8, of-queries: 0.95}`"
                .into(),
        })
    }

    /// True neighbours where nobody says whether neighbours are what users look for.
    fn unjudged_index(&self, collection: &Collection) -> Option<Finding> {
        let gates = self.benchmark.gates();
        let is_judged = gates.iter().any(|gate| gate.kind.metric().is_some_and(Metric::needs_relevance));
        let advice = match collection.qrels().is_empty() {
            true => {
                "judge some queries (`rankgate pool`), and hold nDCG@10 to a threshold or to the blessed run"
            }
            false => {
                "hold a metric of relevance as well, such as nDCG@10, to a threshold or to the blessed run"
            }
        };
        (!is_judged).then(|| Finding {
            severity: Severity::Fact,
            code: "index-alone".into(),
            message:
                "gates compare the index with exact search alone: a worse embedding model passes all of them"
                    .into(),
            count: 1,
            examples: Vec::new(),
            advice: advice.into(),
        })
    }
}
