//! What a configuration answered at commits of the past, under today's judgments.

use std::collections::BTreeMap;
use std::sync::Arc;

use rankgate::benchmark::{Benchmark, PastRanking};
use rankgate::metric::Metric;
use rankgate_history::{Golden, Inputs, Measurement, Refused, Scores, Timeline};

/// Queries behind an alarm.
const QUERIES: usize = 5;

/// A golden run, or one that a test run left, as some commit had it.
#[derive(Clone)]
pub(crate) struct Version {
    /// Id of the commit.
    pub(crate) commit: String,
    /// What messages call it.
    pub(crate) name: String,
    /// The file.
    pub(crate) content: Arc<[u8]>,
    /// Whether it is the golden run from this commit on.
    pub(crate) blessed: bool,
    /// Fingerprint of the golden run that stood there, where that is known and another.
    pub(crate) golden: Option<String>,
}

/// A configuration's known past.
#[derive(Default)]
pub(crate) struct Past {
    /// One for each version that could be read.
    pub(crate) measurements: Vec<Measurement>,
    /// Those that could not, and why.
    pub(crate) refused: Vec<Refused>,
    /// A version of each ranking, by its fingerprint.
    versions: BTreeMap<String, Version>,
}

impl Past {
    /// Scores versions under today's judgments, the same content once. A version that cannot be read is reported, and no
    /// other is taken for it.
    pub(crate) fn new(
        benchmark: &Benchmark,
        configuration: &str,
        versions: &[Version],
    ) -> rankgate::Result<Self> {
        let mut distinct: BTreeMap<&[u8], usize> = BTreeMap::new();
        let mut runs: Vec<(&str, &[u8])> = Vec::new();
        for version in versions {
            distinct.entry(&version.content).or_insert_with(|| {
                runs.push((&version.name, &version.content));
                runs.len() - 1
            });
        }
        let scored = |ranking: PastRanking| {
            let PastRanking { history, queries, groups, scores } = ranking;
            (history, Arc::new(Scores { queries, groups, by_metric: scores }))
        };
        let rankings = benchmark.past_rankings(configuration, &runs)?.into_iter();
        let rankings: Vec<rankgate::Result<_>> = rankings.map(|ranking| ranking.map(scored)).collect();
        let mut past = Self::default();
        let mut golden: Vec<Option<&String>> = Vec::new();
        for version in versions {
            match &rankings[distinct[&*version.content]] {
                Ok((history, scores)) => {
                    for one in &history.configurations {
                        past.versions.entry(one.ranking.clone()).or_insert_with(|| version.clone());
                        golden.push(version.golden.as_ref());
                        past.measurements.push(Measurement {
                            commit: version.commit.clone(),
                            ranking: one.ranking.clone(),
                            scores: Arc::clone(scores),
                            golden: None,
                            blessed: version.blessed,
                            accepted: version.blessed && one.accepted,
                            judged: "today".to_owned(),
                            inputs: Inputs::from_report(history, one),
                            gated: one.gated.clone(),
                            alarms: history.alarms.unwrap_or_default(),
                            varies: one.varies,
                        });
                    }
                }
                Err(error) => {
                    past.refused.push(Refused { what: version.commit.clone(), why: format!("{error:?}") });
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

    /// Names the documents behind the alarms of a timeline that was made of this past.
    pub(crate) fn explain(
        &self,
        benchmark: &Benchmark,
        configuration: &str,
        timeline: &mut Timeline,
    ) -> rankgate::Result<()> {
        for alarm in &mut timeline.alarms {
            let Some(held) = alarm.largest() else { continue };
            let state = timeline.states.iter().find(|state| state.number == alarm.state);
            let version = |ranking: &str| self.versions.get(ranking);
            let sides = state.and_then(|state| Some([version(&held.against)?, version(&state.ranking)?]));
            let Some(sides) = sides else { continue };
            let sides = sides.map(|side| (side.name.as_str(), &*side.content));
            let metric: Metric = held.metric.parse()?;
            alarm.queries = benchmark.past_losses(configuration, sides, (&metric, QUERIES))?;
        }
        Ok(())
    }
}
