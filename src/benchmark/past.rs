//! Rankings of the past under today's judgments.

use std::path::PathBuf;

use crate::analysis::against;
use crate::evaluation::Evaluation;
use crate::golden::GoldenRun;
use crate::input::Source;
use crate::metric::Metric;
use crate::model::{ConfigurationHistory, HistoryReport, Mover};
use crate::spec::{Configuration, NeighboursPlan};
use crate::{Error, Result, threads};

use super::Benchmark;
use super::report::gated;

/// What a configuration answered in the past, scored under today's judgments.
#[derive(Clone, Debug)]
pub struct PastRanking {
    /// Fingerprints of the ranking and of the inputs of that day, with the metrics that gates stand on today. It says
    /// no commit, and of its configurations only this one.
    pub history: HistoryReport,
    /// Ids of the queries that were asked that day and are judged today, sorted.
    pub queries: Vec<String>,
    /// What each is grouped by, where queries belong together.
    pub groups: Option<Vec<String>>,
    /// By the metric's canonical name, in the order of the spec: a score for each query.
    pub scores: Vec<(String, Vec<f64>)>,
}

/// The name of a golden run, or of one that a test run left, and its content.
type File<'a> = (&'a str, &'a [u8]);

impl Benchmark {
    /// Where the golden run of each configuration stands.
    ///
    /// # Errors
    /// A variable in the path of the golden folder that is not set.
    pub fn golden_runs(&self) -> Result<Vec<(String, PathBuf)>> {
        let cache = self.cache();
        let path = |one: &Configuration| Ok((one.name.clone(), cache.blessed_path(one, None)?));
        cache.spec.configurations.iter().map(path).collect()
    }

    /// Scores what a configuration answered in the past under today's judgments, each query that was asked that day.
    /// Nothing is asked. Runs are golden ones, or those that test runs left: name and content of each. One that cannot be
    /// scored is an error in its place.
    ///
    /// # Errors
    /// A collection that cannot be read.
    pub fn past_rankings(
        &self,
        configuration: &str,
        runs: &[(&str, &[u8])],
    ) -> Result<Vec<Result<PastRanking>>> {
        let known = self.cache().configuration(configuration)?;
        self.cache().collection_of(known)?;
        Ok(threads::map(runs.len(), |index| self.past_ranking(known, runs[index])))
    }

    /// The queries that lost most on a metric from one ranking of the past to another, at most so many, with the documents
    /// behind it.
    ///
    /// # Errors
    /// A ranking that cannot be scored.
    pub fn past_losses(
        &self,
        configuration: &str,
        [before, now]: [(&str, &[u8]); 2],
        (metric, most): (&Metric, usize),
    ) -> Result<Vec<Mover>> {
        let configuration = self.cache().configuration(configuration)?;
        let (_, before) = self.past_evaluation(configuration, before)?;
        let (_, now) = self.past_evaluation(configuration, now)?;
        Ok(against(&now, ("", &before), metric, most)?.losses)
    }

    fn past_evaluation(
        &self,
        configuration: &Configuration,
        (name, content): File<'_>,
    ) -> Result<(GoldenRun, Evaluation)> {
        let golden = GoldenRun::read_from(&Source::bytes(name, content))?;
        let asked = golden.all_queries();
        let evaluation = self.cache().evaluate_golden(configuration, golden.clone())?;
        let nothing = || Error::invalid("none of the queries that it answers is judged today");
        let evaluation = evaluation.keeping(|query| asked.contains(&query.id)).ok_or_else(nothing)?;
        Ok((golden, evaluation))
    }

    fn past_ranking(&self, configuration: &Configuration, run: File<'_>) -> Result<PastRanking> {
        let (golden, evaluation) = self.past_evaluation(configuration, run)?;
        let score = |metric: &Metric| Ok((metric.to_string(), evaluation.scores(metric)?));
        // What a reference finds today it is not asked for here. A golden run does not say what a floor cut, and a history
        // takes less for a loss.
        let reference = self.spec().neighbours.as_ref().and_then(NeighboursPlan::reference);
        let known = |metric: &&Metric| {
            (reference.is_none() || !metric.requirements().neighbours) && !metric.is_best_low()
        };
        let own = ConfigurationHistory {
            name: configuration.name.clone(),
            depth: golden.inputs.depth,
            queries: None,
            ranking: golden.fingerprint(),
            golden: None,
            accepted: golden.loss_accepted,
            gated: gated(self.spec(), &configuration.name),
            varies: golden.varies(),
        };
        Ok(PastRanking {
            history: HistoryReport {
                commit: None,
                queries: golden.inputs.queries,
                judgments: golden.inputs.judgments,
                corpus: golden.inputs.corpus,
                definitions: self.cache().definitions(),
                cluster: self.spec().statistics.cluster.clone(),
                alarms: self.spec().history,
                configurations: vec![own],
            },
            queries: evaluation.queries().iter().map(|query| query.id.clone()).collect(),
            groups: evaluation.groups().map(<[String]>::to_vec),
            scores: self.spec().metrics.iter().filter(known).map(score).collect::<Result<_>>()?,
        })
    }
}
