//! A state against the best so far, which is chosen by looking: the price of choosing is in its p-value.

use std::collections::BTreeMap;

use crate::Result;
use crate::stats::{Differences, Direction, PermutationOptions, Stream, exceeds, max_t, mean};

use crate::loss::ERRORS;
use crate::measured::{Golden, Scores};

/// Of so many rankings all are held together, under one sign per query; of more, each is a test of its own.
const TOGETHER: usize = 16;
/// Sign vectors of the one look at them, and the levels that so many can settle.
const RESAMPLES: u64 = 9_999;
const COUNTABLE: f64 = 1e-3;

/// Rankings of which the best on each metric is known.
#[derive(Default)]
pub(crate) struct Pool {
    rankings: Vec<Golden>,
    /// By metric: which it is, and its mean; of several as good the first.
    best: BTreeMap<String, (usize, f64)>,
}

impl Pool {
    pub(crate) fn new(one: Golden) -> Self {
        let mut pool = Self::default();
        pool.push(one);
        pool
    }

    /// Adds one that is not in it; whether it is the best on any metric.
    pub(crate) fn push(&mut self, one: Golden) -> bool {
        if self.rankings.iter().any(|other| other.ranking == one.ranking) {
            return false;
        }
        let mut is_best = false;
        for (metric, values) in &one.scores.by_metric {
            let Ok(mean) = mean(values) else { continue };
            if self.best.get(metric).is_none_or(|(_, best)| exceeds(mean, *best)) {
                self.best.insert(metric.clone(), (self.rankings.len(), mean));
                is_best = true;
            }
        }
        self.rankings.push(one);
        is_best
    }

    pub(crate) fn len(&self) -> usize {
        self.rankings.len()
    }

    pub(crate) fn first(&self) -> Option<&Golden> {
        self.rankings.first()
    }

    pub(crate) fn best(&self, metric: &str) -> Option<(usize, &Golden)> {
        let (place, _) = *self.best.get(metric)?;
        Some((place, &self.rankings[place]))
    }
}

/// The p-value of the loss against the best of `pool`, given `p` of the loss against it alone.
///
/// Bonferroni's bound holds for any dependence between rankings. Where it is undecided and they are
/// few enough, the largest statistic of all of them is simulated with one sign per query (max-T), which is smaller
/// the more alike they are.
pub(crate) fn priced(
    p: f64,
    (pool, best): (&Pool, usize),
    now: &Scores,
    metric: &str,
    (levels, stream): (&[f64], Stream),
) -> Result<f64> {
    let bound = (p * pool.len() as f64).min(1.0);
    let countable = || levels.iter().filter(|level| **level >= COUNTABLE);
    let open = countable().any(|&level| p <= level && level < bound);
    if pool.len() > TOGETHER || !open {
        return Ok(bound);
    }
    let differences: Vec<Differences> =
        pool.rankings.iter().filter_map(|one| now.since(&one.scores, metric)).collect();
    if differences.len() < pool.len() {
        return Ok(bound);
    }
    let columns: Vec<&Differences> = differences.iter().collect();
    let (resamples, most_resamples, levels) = (RESAMPLES, RESAMPLES, Vec::new());
    let options =
        PermutationOptions { resamples, most_resamples, levels, stream, ..PermutationOptions::default() };
    let family = max_t(&columns, Some(Direction::Less), &options)?;
    let p = family.single_step[best];
    let error =
        (p * (1.0 - p) * family.resamples.map_or(0.0, |resamples| 1.0 / (resamples + 1) as f64)).sqrt();
    let settled = countable().all(|level| (p - level).abs() > ERRORS * error);
    // What is open is taken for as large as it can be.
    Ok(if settled { p.min(bound) } else { bound })
}
