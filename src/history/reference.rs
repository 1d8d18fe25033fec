//! What states are held against, and what that has spent.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Result;
use crate::stats::{Correction, Direction, PermutationOptions, Stream, adjust, permutation_test};

use super::best::{Pool, priced};
use super::measured::{Golden, Scores};
use super::spending::Rules;
use super::timeline::ReferenceKind;

/// Resamples of one look, and at most while it is open on which side of a threshold p lies.
const RESAMPLES: u64 = 999;
const MOST_RESAMPLES: u64 = 99_999;

/// A ranking that states are held against from some commit on.
pub(super) struct Reference {
    pub(super) kind: ReferenceKind,
    /// Its place among the reports.
    pub(super) report: usize,
    pub(super) ranking: String,
    /// Its scores; of the best so far those of all states since its start.
    pub(super) pool: Pool,
    /// How many rankings were held against it.
    pub(super) k: usize,
    /// What came of each that was, by its fingerprint: the number of the alarm that it is in, if it is in one.
    pub(super) known: BTreeMap<String, Option<usize>>,
    /// The alarm that is open.
    pub(super) open: Option<usize>,
}

/// One metric of a state against a reference.
#[derive(Clone, Debug)]
pub(super) struct Tested {
    pub(super) metric: String,
    /// The ranking that it was held against.
    pub(super) against: Golden,
    pub(super) before: f64,
    pub(super) now: f64,
    /// One-sided, unadjusted.
    pub(super) p: f64,
    /// Adjusted over the metrics.
    pub(super) adjusted: f64,
}

impl Reference {
    /// Tests the loss of a state on each metric that both have; for notices alone where there is no threshold.
    pub(super) fn test(
        &self,
        (ranking, now): (&str, &Arc<Scores>),
        metrics: &[String],
        threshold: Option<f64>,
        rules: &Rules,
    ) -> Result<Vec<Tested>> {
        let mut tested = Vec::new();
        let steps = |threshold| (1..=metrics.len()).map(move |steps| threshold / steps as f64);
        let levels: Vec<f64> = threshold.into_iter().flat_map(steps).chain([rules.notice]).collect();
        for metric in metrics {
            let Some((best, against)) = self.pool.best(metric) else { continue };
            let Some(differences) = now.since(&against.scores, metric) else { continue };
            let stream = Stream::new(rules.seed).named(&against.ranking).named(ranking).named(metric);
            let options = PermutationOptions {
                resamples: RESAMPLES,
                most_resamples: MOST_RESAMPLES,
                levels: levels
                    .iter()
                    .map(|level| level / self.pool.len() as f64)
                    .chain(levels.clone())
                    .collect(),
                stream,
                ..PermutationOptions::default()
            };
            // What is not lower is no loss, whatever its p-value.
            let p = match differences.mean() < 0.0 {
                false => 1.0,
                true => {
                    let p = permutation_test(&differences, 0.0, &options)?.p(Direction::Less);
                    let options = PermutationOptions { levels: levels.clone(), ..options };
                    priced(p, (&self.pool, best), now, metric, &options)?
                }
            };
            let (before, now) = (differences.baseline_mean(), differences.candidate_mean());
            let (metric, against) = (metric.clone(), against.clone());
            tested.push(Tested { metric, against, before, now, p, adjusted: p });
        }
        let p: Vec<f64> = tested.iter().map(|one| one.p).collect();
        for (one, adjusted) in tested.iter_mut().zip(adjust(&p, Correction::Holm)?) {
            one.adjusted = adjusted.min(1.0);
        }
        Ok(tested)
    }
}
