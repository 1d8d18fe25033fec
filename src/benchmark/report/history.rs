//! What places a report in a history.

use crate::evaluation::Evaluation;
use crate::golden::GoldenRun;
use crate::metric::Metric;
use crate::model::{ConfigurationHistory, HistoryReport};
use crate::spec::{Configuration, Spec};

use crate::benchmark::Benchmark;

impl Benchmark {
    /// What a later reader needs to know; `None` where nothing was measured.
    pub(super) fn history(&self) -> Option<HistoryReport> {
        let measure = self.measure();
        let collection = measure.collection_so_far()?;
        let configurations: Vec<ConfigurationHistory> = measure
            .spec
            .configurations
            .iter()
            .filter_map(|one| self.decisions.history_of(one, || self.configuration_history(one)))
            .collect();
        let commit = || crate::commit::commit_of(&measure.context.home);
        (!configurations.is_empty()).then(|| HistoryReport {
            commit: measure.context.commit.get_or_init(commit).clone(),
            queries: collection.queries_sha256(),
            judgments: collection.judgments_sha256(),
            corpus: measure.corpus_so_far().map(|facts| facts.sha256.clone()).unwrap_or_default(),
            definitions: measure.definitions(),
            cluster: measure.spec.statistics.group_by.clone(),
            configurations,
        })
    }

    fn configuration_history(&self, configuration: &Configuration) -> Option<ConfigurationHistory> {
        let measure = self.measure();
        let measured = measure.measured_so_far(configuration)?.ok()?;
        let collection = measure.collection().ok()?;
        let fingerprint = |evaluation: &Evaluation| {
            let inputs = measure.inputs_on(configuration, collection, measure.corpus_so_far());
            // Rankings that are not held have no fingerprint.
            GoldenRun::new(&configuration.name, evaluation, inputs, collection).ok()
        };
        let run = fingerprint(&measured.evaluation)?;
        let ranking = run.fingerprint();
        let golden = self.decisions.blessed(configuration).ok().flatten();
        let golden_ranking =
            golden.as_ref().and_then(|golden| Some(fingerprint(&golden.evaluation)?.fingerprint()));
        let is_golden = golden_ranking.as_ref() == Some(&ranking);
        Some(ConfigurationHistory {
            name: configuration.name.clone(),
            depth: measure.spec.depth,
            ranking,
            golden: golden_ranking,
            accepted: is_golden && golden.is_some_and(|golden| golden.loss_accepted),
            gated: gated(&measure.spec, &configuration.name),
        })
    }
}

/// The metrics that gates on a configuration stand on.
pub(in crate::benchmark) fn gated(spec: &Spec, configuration: &str) -> Vec<String> {
    let own = || spec.gates.iter().filter(|gate| gate.configuration == configuration);
    let stands = |metric: &Metric| own().any(|gate| gate.kind.guards(metric));
    spec.metrics.iter().filter(|metric| stands(metric)).map(ToString::to_string).collect()
}
