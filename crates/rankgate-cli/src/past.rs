//! Golden runs of a configuration as commits had them, under today's judgments.

use std::collections::BTreeMap;
use std::sync::Arc;

use rankgate::benchmark::{Benchmark, PastRanking};
use rankgate_history::{Inputs, Measurement, Scores, Standing, Unplaced};

/// A golden run as a commit had it.
pub(crate) struct Version {
    /// Id of the commit.
    pub(crate) commit: String,
    /// Its name in messages.
    pub(crate) name: String,
    /// The file.
    pub(crate) content: Arc<[u8]>,
}

/// Scores versions, the same content once. A version that cannot be read is listed with the reason.
pub(crate) fn measured(
    benchmark: &Benchmark,
    configuration: &str,
    versions: &[Version],
) -> rankgate::Result<(Vec<Measurement>, Vec<Unplaced>)> {
    let mut distinct: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut runs: Vec<(&str, &[u8])> = Vec::new();
    for version in versions {
        distinct.entry(&version.content).or_insert_with(|| {
            runs.push((&version.name, &version.content));
            runs.len() - 1
        });
    }
    let rankings = benchmark.past_rankings(configuration, &runs)?;
    let rankings: Vec<_> = rankings.into_iter().map(|ranking| ranking.map(standing)).collect();
    let (mut measurements, mut unplaced) = (Vec::new(), Vec::new());
    for version in versions {
        match &rankings[distinct[&*version.content]] {
            Ok((now, inputs, gated, accepted)) => measurements.push(Measurement {
                commit: version.commit.clone(),
                now: now.clone(),
                golden: Some(now.clone()),
                accepted: *accepted,
                inputs: inputs.clone(),
                gated: gated.clone(),
            }),
            Err(error) => {
                unplaced.push(Unplaced { what: version.name.clone(), why: format!("{error:?}") });
            }
        }
    }
    Ok((measurements, unplaced))
}

fn standing(past: PastRanking) -> (Standing, Inputs, Vec<String>, bool) {
    let PastRanking { history, queries, groups, scores } = past;
    let one = history.configurations.into_iter().next();
    let (ranking, depth, gated, accepted) =
        one.map(|one| (one.ranking, one.depth, one.gated, one.accepted)).unwrap_or_default();
    // Judgments and definitions are today's for all of them.
    let inputs = Inputs { queries: history.queries, corpus: history.corpus, depth, ..Inputs::default() };
    let scores = Arc::new(Scores { queries, groups, by_metric: scores });
    (Standing { ranking, scores }, inputs, gated, accepted)
}
