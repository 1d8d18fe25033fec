//! Rankings of the past under today's judgments.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::chain;
use crate::evaluation::Evaluation;
use crate::finding::against;
use crate::golden::GoldenRun;
use crate::history::{Golden, Inputs, Measurement, Refused, Scores, Timeline};
use crate::input::Source;
use crate::metric::Metric;
use crate::spec::Configuration;
use crate::{Error, Result, threads};

use super::Benchmark;
use super::report::{definitions, gated};

/// Queries behind an alarm.
const QUERIES: usize = 5;

/// A golden run, or one that a test run left, as some commit had it.
#[derive(Clone, Debug)]
pub struct Version {
    /// Id of the commit.
    pub commit: String,
    /// What messages call it.
    pub name: String,
    /// The file.
    pub content: Arc<[u8]>,
    /// Whether it is the golden run from this commit on.
    pub blessed: bool,
    /// Fingerprint of the golden run that stood there, where that is known and another.
    pub golden: Option<String>,
}

/// What is known of a configuration's past.
#[derive(Debug, Default)]
pub struct Past {
    /// One for each version that could be read.
    pub measurements: Vec<Measurement>,
    /// Those that could not, and why.
    pub refused: Vec<Refused>,
    /// A version of each ranking, by its fingerprint.
    versions: BTreeMap<String, Version>,
}

/// A version that was read.
struct Read {
    ranking: String,
    varies: bool,
    inputs: Inputs,
    scores: Arc<Scores>,
}

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
    /// Nothing is asked. A version that cannot be read is told of, and no other is taken for it.
    ///
    /// # Errors
    /// A collection that cannot be read.
    pub fn past(&self, configuration: &str, versions: &[Version]) -> Result<Past> {
        let known = self.cache().configuration(configuration)?;
        self.cache().collection_of(known)?;
        let mut distinct: BTreeMap<&[u8], usize> = BTreeMap::new();
        let mut contents: Vec<&Version> = Vec::new();
        for version in versions {
            distinct.entry(&version.content).or_insert_with(|| {
                contents.push(version);
                contents.len() - 1
            });
        }
        let read = threads::map(contents.len(), |index| self.read_version(known, contents[index]));
        let mut past = Past::default();
        let gated = gated(self.spec(), configuration);
        let mut golden: Vec<Option<&String>> = Vec::new();
        for version in versions {
            match &read[distinct[&*version.content]] {
                Ok(Read { ranking, varies, inputs, scores }) => {
                    past.versions.entry(ranking.clone()).or_insert_with(|| version.clone());
                    golden.push(version.golden.as_ref());
                    past.measurements.push(Measurement {
                        commit: version.commit.clone(),
                        ranking: ranking.clone(),
                        scores: Arc::clone(scores),
                        golden: None,
                        blessed: version.blessed,
                        judged: "today".to_owned(),
                        inputs: inputs.clone(),
                        gated: gated.clone(),
                        varies: *varies,
                    });
                }
                Err(error) => {
                    let (what, why) = (version.commit.clone(), chain(error));
                    past.refused.push(Refused { what, why });
                }
            }
        }
        let scores: BTreeMap<String, Arc<Scores>> =
            past.measurements.iter().map(|one| (one.ranking.clone(), Arc::clone(&one.scores))).collect();
        for (one, ranking) in past.measurements.iter_mut().zip(golden) {
            one.golden = ranking.and_then(|ranking| {
                Some(Golden { scores: Arc::clone(scores.get(ranking)?), ranking: ranking.clone() })
            });
        }
        Ok(past)
    }

    fn evaluated(&self, configuration: &Configuration, version: &Version) -> Result<(GoldenRun, Evaluation)> {
        let cache = self.cache();
        let golden = GoldenRun::read_from(&Source::bytes(&version.name, &version.content))?;
        let asked = golden.asked();
        let evaluation = cache.evaluate_golden(configuration, golden.clone())?;
        let nothing = || Error::invalid("none of the queries that it answers is judged today");
        let evaluation = evaluation.keeping(|query| asked.contains(&query.id)).ok_or_else(nothing)?;
        Ok((golden, evaluation))
    }

    fn read_version(&self, configuration: &Configuration, version: &Version) -> Result<Read> {
        let (golden, evaluation) = self.evaluated(configuration, version)?;
        let score = |metric: &Metric| Ok((metric.to_string(), evaluation.scores(metric)?));
        Ok(Read {
            ranking: golden.fingerprint(),
            varies: golden.varies(),
            inputs: Inputs {
                queries: golden.inputs.queries,
                judgments: golden.inputs.judgments,
                corpus: golden.inputs.corpus,
                depth: golden.inputs.depth,
                definitions: definitions(self.cache().judging()),
            },
            scores: Arc::new(Scores {
                queries: evaluation.queries().iter().map(|query| query.id.clone()).collect(),
                groups: evaluation.groups().map(<[String]>::to_vec),
                by_metric: self.spec().metrics.iter().map(score).collect::<Result<_>>()?,
            }),
        })
    }

    /// Names the documents behind the alarms of a timeline that was told of a past.
    ///
    /// # Errors
    /// A ranking that cannot be scored any more.
    pub fn explain_past(&self, configuration: &str, past: &Past, timeline: &mut Timeline) -> Result<()> {
        let configuration = self.cache().configuration(configuration)?;
        for alarm in &mut timeline.alarms {
            let Some(held) = alarm.largest() else { continue };
            let state = timeline.states.iter().find(|state| state.number == alarm.state);
            let version = |ranking: &str| past.versions.get(ranking);
            let sides = state.and_then(|state| Some((version(&held.against)?, version(&state.ranking)?)));
            let Some((before, now)) = sides else { continue };
            let ((_, before), (_, now)) =
                (self.evaluated(configuration, before)?, self.evaluated(configuration, now)?);
            let metric: Metric = held.metric.parse()?;
            alarm.queries = against(&now, ("", &before), &metric, QUERIES)?.losses;
        }
        Ok(())
    }
}
