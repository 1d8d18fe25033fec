//! A state against the best so far, which is chosen by looking: the price of choosing is in its p-value.

use std::collections::BTreeMap;

use crate::Result;
use crate::stats::{Differences, Direction, PermutationOptions, max_t};

use super::measured::{Golden, Scores};

/// Of so many rankings all are held together, under one sign per query; of more, each is a test of its own.
const TOGETHER: usize = 64;
/// Levels below this are too small for a share of resamples to settle.
const COUNTABLE: f64 = 1e-3;
/// Standard errors that leave a risk of less than 1 in 1,000.
const ERRORS: f64 = 3.5;

/// Rankings of which the best on each metric is known.
#[derive(Default)]
pub(super) struct Pool {
    rankings: Vec<Golden>,
    /// By metric: which it is, and its mean; of several as good the first.
    best: BTreeMap<String, (usize, f64)>,
}

impl Pool {
    pub(super) fn of(one: Golden) -> Self {
        let mut pool = Self::default();
        pool.push(one);
        pool
    }

    pub(super) fn push(&mut self, one: Golden) {
        for metric in one.scores.by_metric.keys() {
            let Some(mean) = one.scores.mean(metric) else { continue };
            if self.best.get(metric).is_none_or(|(_, best)| mean > *best) {
                self.best.insert(metric.clone(), (self.rankings.len(), mean));
            }
        }
        self.rankings.push(one);
    }

    pub(super) fn len(&self) -> usize {
        self.rankings.len()
    }

    pub(super) fn first(&self) -> Option<&Golden> {
        self.rankings.first()
    }

    pub(super) fn best(&self, metric: &str) -> Option<(usize, &Golden)> {
        let (place, _) = *self.best.get(metric)?;
        Some((place, &self.rankings[place]))
    }
}

/// The p-value of the loss against the best of `pool`, given `p` of the loss against it alone.
///
/// Bonferroni's bound holds whatever the rankings have to do with each other. Where it is undecided and they are
/// few enough, the largest statistic of all of them is simulated with one sign per query (max-T), which is smaller
/// the more alike they are.
pub(super) fn priced(
    p: f64,
    (pool, best): (&Pool, usize),
    now: &Scores,
    metric: &str,
    options: &PermutationOptions,
) -> Result<f64> {
    let bound = (p * pool.len() as f64).min(1.0);
    let open = options.levels.iter().any(|&level| p <= level && level < bound && level >= COUNTABLE);
    if pool.len() > TOGETHER || !open {
        return Ok(bound);
    }
    let differences: Vec<Differences> =
        pool.rankings.iter().filter_map(|one| now.since(&one.scores, metric)).collect();
    if differences.len() < pool.len() {
        return Ok(bound);
    }
    let columns: Vec<&Differences> = differences.iter().collect();
    let countable = options.levels.iter().copied().filter(|level| *level >= COUNTABLE).collect();
    let options = PermutationOptions { levels: countable, ..options.clone() };
    let family = max_t(&columns, Some(Direction::Less), &options)?;
    let p = family.single_step[best];
    let error =
        (p * (1.0 - p) * family.resamples.map_or(0.0, |resamples| 1.0 / (resamples + 1) as f64)).sqrt();
    let settled = options.levels.iter().all(|level| (p - level).abs() > ERRORS * error);
    // What is open is taken for as large as it can be.
    Ok(if settled { p.min(bound) } else { bound })
}
