//! What states are held against, and what that has spent.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Result;
use crate::stats::{Correction, Stream, adjust};

use super::best::{Pool, priced};
use super::loss::{Levels, Tests};
use super::measured::{Golden, Scores};
use super::spending::Rules;
use super::timeline::ReferenceKind;

/// Numbers of alarms, by metric.
pub(super) type Open = BTreeMap<String, usize>;

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
    /// The alarms that each of them is in, by its fingerprint.
    pub(super) known: BTreeMap<String, Open>,
    /// The alarms that are open.
    pub(super) open: Open,
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

/// What came of holding the state at hand against rankings, by the ranking, how many it was chosen from, the metric and
/// the level of alarms: several references may be the same ranking.
#[derive(Default)]
pub(super) struct Memo(BTreeMap<(String, usize, String, u64), f64>);

impl Reference {
    /// Tests the loss of a state on each metric that both have, for an alarm where none is open.
    pub(super) fn test(
        &self,
        (ranking, now): (&str, &Arc<Scores>),
        metrics: &[String],
        rules: &Rules,
        (tests, memo): (&Tests, &mut Memo),
    ) -> Result<Vec<Tested>> {
        let mut tested = Vec::new();
        let chosen = self.pool.len();
        // A bound of what was chosen is its p-value times their number.
        let levels = |level: f64| if chosen > 1 { vec![level / chosen as f64, level] } else { vec![level] };
        for metric in metrics {
            let Some((best, against)) = self.pool.best(metric) else { continue };
            let Some(differences) = now.since(&against.scores, metric) else { continue };
            let threshold = if self.open.contains_key(metric) { 0.0 } else { rules.threshold(self.k + 1) };
            let key = (against.ranking.clone(), chosen, metric.clone(), threshold.to_bits());
            let p = match memo.0.get(&key) {
                Some(p) => *p,
                None => {
                    let steps = (1..=metrics.len()).filter(|_| threshold > 0.0);
                    let alarms: Vec<f64> = steps.flat_map(|step| levels(threshold / step as f64)).collect();
                    let notices = levels(rules.notice);
                    let stream =
                        Stream::new(rules.seed).for_name(&against.ranking).for_name(ranking).for_name(metric);
                    let all = [&alarms[..], &notices].concat();
                    let p = tests.p_of_loss(&differences, &Levels { alarms, notices }, stream)?;
                    priced(p, (&self.pool, best), now, metric, (&all, stream))?
                }
            };
            memo.0.insert(key, p);
            let (before, now) = (differences.baseline_mean(), differences.candidate_mean());
            let (metric, against) = (metric.clone(), against.clone());
            tested.push(Tested { metric, against, before, now, p, adjusted: p });
        }
        // Where an alarm is open nothing is tested for another, which is as if the loss were none.
        let p: Vec<f64> =
            tested.iter().map(|one| if self.open.contains_key(&one.metric) { 1.0 } else { one.p }).collect();
        for (one, adjusted) in tested.iter_mut().zip(adjust(&p, Correction::Holm)?) {
            one.adjusted = adjusted.min(1.0);
        }
        Ok(tested)
    }
}
