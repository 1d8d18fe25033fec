//! Golden runs of the past under today's judgments.

use std::path::PathBuf;

use crate::golden::GoldenRun;
use crate::input::Source;
use crate::metric::Metric;
use crate::model::{ConfigurationHistory, HistoryReport};
use crate::spec::Configuration;
use crate::{Error, Result, threads};

use super::Benchmark;
use super::report::gated;

/// A golden run of the past, scored under today's judgments.
#[derive(Clone, Debug)]
pub struct PastRanking {
    /// Fingerprints of the ranking and of the inputs of that day, with the metrics that gates use today. It has no commit,
    /// and only this configuration.
    pub history: HistoryReport,
    /// Ids of the queries that were asked that day and are judged today, sorted.
    pub queries: Vec<String>,
    /// The group of each query, if queries are grouped.
    pub groups: Option<Vec<String>>,
    /// By the metric's canonical name, in the order of the spec: a score for each query.
    pub scores: Vec<(String, Vec<f64>)>,
}

impl Benchmark {
    /// The path of each configuration's golden run.
    ///
    /// # Errors
    /// A variable in the path of the golden folder that is not set.
    pub fn golden_runs(&self) -> Result<Vec<(String, PathBuf)>> {
        let measure = self.measure();
        let path = |one: &Configuration| Ok((one.name.clone(), measure.blessed_path(one)?));
        measure.spec.configurations.iter().map(path).collect()
    }

    /// Scores golden runs of the past under today's judgments: name and content of each. No retriever runs. A run that
    /// cannot be scored is an error in its place.
    ///
    /// # Errors
    /// A collection that cannot be read.
    pub fn past_rankings(
        &self,
        configuration: &str,
        runs: &[(&str, &[u8])],
    ) -> Result<Vec<Result<PastRanking>>> {
        let known = self.measure().configuration(configuration)?;
        self.measure().collection()?;
        Ok(threads::map(runs.len(), |index| self.past_ranking(known, runs[index])))
    }

    fn past_ranking(
        &self,
        configuration: &Configuration,
        (name, content): (&str, &[u8]),
    ) -> Result<PastRanking> {
        let golden = GoldenRun::read_from(&Source::bytes(name, content))?;
        let asked = golden.all_queries();
        let evaluation = self.measure().evaluate_golden(golden.clone())?;
        let nothing = || Error::invalid("none of the queries that it answers is judged today");
        let evaluation = evaluation.keeping(|query| asked.contains(&query.id)).ok_or_else(nothing)?;
        let score = |metric: &Metric| Ok((metric.to_string(), evaluation.scores(metric)?));
        // A history takes less for a loss.
        let known = |metric: &&Metric| !metric.is_best_low();
        let own = ConfigurationHistory {
            name: configuration.name.clone(),
            depth: golden.inputs.depth,
            ranking: golden.fingerprint(),
            golden: None,
            accepted: golden.loss_accepted,
            gated: gated(self.spec(), &configuration.name),
        };
        Ok(PastRanking {
            history: HistoryReport {
                commit: None,
                queries: golden.inputs.queries,
                judgments: golden.inputs.judgments,
                corpus: golden.inputs.corpus,
                definitions: self.measure().definitions(),
                cluster: self.spec().statistics.group_by.clone(),
                configurations: vec![own],
            },
            queries: evaluation.queries().iter().map(|query| query.id.clone()).collect(),
            groups: evaluation.groups().map(<[String]>::to_vec),
            scores: self.spec().metrics.iter().filter(known).map(score).collect::<Result<_>>()?,
        })
    }
}
