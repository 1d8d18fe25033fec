//! What states are held against, and what that has spent.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Result;
use crate::metric::Metric;
use crate::stats::{Claim, Correction, Differences, Direction, Guarantee, Stream, adjust};

use crate::best::{Pool, priced};
use crate::loss::{Levels, Tests};
use crate::measured::{Golden, Scores};
use crate::spending::{ReferenceKind, Rules};

/// Numbers of alarms, by metric.
pub(crate) type Open = BTreeMap<String, usize>;

/// A ranking that states are held against from some commit on.
pub(crate) struct Reference {
    pub(crate) kind: ReferenceKind,
    /// Its place among the reports.
    pub(crate) report: usize,
    pub(crate) ranking: String,
    /// Which of its kind it is on the line, from 1.
    pub(crate) number: usize,
    /// Its scores; of the best so far those of all states since its start.
    pub(crate) pool: Pool,
    /// How many rankings were held against it.
    pub(crate) k: usize,
    /// The alarms that each of them is in, by its fingerprint.
    pub(crate) known: BTreeMap<String, Open>,
    /// The alarms that are open.
    pub(crate) open: Open,
    /// Whether no further ranking is held against it for an alarm: another took its place, or it is the ranking before a step.
    /// Its alarms stand until their losses are gone.
    pub(crate) is_retired: bool,
}

/// One metric of a state against a reference.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    pub(crate) metric: String,
    /// The ranking that it was held against.
    pub(crate) against: Golden,
    pub(crate) before: f64,
    pub(crate) now: f64,
    /// One-sided, unadjusted.
    pub(crate) p: f64,
    /// Adjusted over the metrics.
    pub(crate) adjusted: f64,
    /// Of one that is small enough for an alarm: how often one more query, which gains what others lack, undoes the loss.
    pub(crate) unseen: Option<f64>,
}

/// What came of holding the state at hand against rankings, by the ranking, how many it was chosen from, the metric and
/// the level of alarms: several references may be the same ranking.
#[derive(Default)]
pub(crate) struct Memo(BTreeMap<(String, usize, String, u64), f64>);

impl Reference {
    /// The level of the next ranking that is held against it.
    pub(crate) fn threshold(&self, rules: &Rules) -> f64 {
        match self.kind {
            ReferenceKind::Before => rules.step,
            _ => rules.threshold(self.number, self.k + 1),
        }
    }

    /// Whether an alarm against it was ever raised.
    pub(crate) fn ever_alarmed(&self) -> bool {
        !self.open.is_empty() || self.known.values().any(|open| !open.is_empty())
    }

    /// Tests the loss of a state on each metric that both have, for an alarm where none is open.
    pub(crate) fn test(
        &self,
        (ranking, now): (&str, &Arc<Scores>),
        metrics: &[String],
        rules: &Rules,
        (tests, memo): (&Tests, &mut Memo),
    ) -> Result<Vec<Tested>> {
        let metrics: Vec<&String> =
            metrics.iter().filter(|metric| Metric::takes_rise_for_gain(metric)).collect();
        let mut tested = Vec::new();
        let chosen = self.pool.len();
        // A bound of what was chosen is its p-value times their number.
        let levels = |level: f64| if chosen > 1 { vec![level / chosen as f64, level] } else { vec![level] };
        for &metric in &metrics {
            let Some((best, against)) = self.pool.best(metric) else { continue };
            let Some(differences) = now.since(&against.scores, metric) else { continue };
            let threshold = if self.open.contains_key(metric) { 0.0 } else { self.threshold(rules) };
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
            tested.push(Tested { metric, against, before, now, p, adjusted: p, unseen: None });
        }
        // Where an alarm is open nothing is tested for another, which is as if the loss were none.
        let p: Vec<f64> =
            tested.iter().map(|one| if self.open.contains_key(&one.metric) { 1.0 } else { one.p }).collect();
        for (one, adjusted) in tested.iter_mut().zip(adjust(&p, Correction::Holm)?) {
            one.adjusted = adjusted.min(1.0);
            if one.adjusted <= self.threshold(rules) {
                let differences = now.since(&one.against.scores, &one.metric);
                one.unseen = differences.and_then(|differences| unseen_p(differences, &one.metric));
            }
        }
        Ok(tested)
    }
}

/// How often one more query, which gains what others lack, undoes a loss. Nothing is drawn of a single collection.
fn unseen_p(differences: Differences, metric: &str) -> Option<f64> {
    let differences = match metric.parse::<Metric>() {
        Ok(metric) => differences.within(&metric.range()),
        // One of a team's own: its range is not known here.
        Err(_) => differences,
    };
    let loss = Claim { null: 0.0, direction: Direction::Less };
    differences.unseen_p(loss, Guarantee::Typical, &Stream::default())
}

impl Tested {
    /// Whether both tests show a loss of the k-th ranking against a reference, of a size that counts.
    pub(crate) fn is_shown(&self, threshold: f64, k: usize, rules: &Rules) -> bool {
        self.adjusted <= threshold
            && self.is_loss(rules)
            && self.unseen.is_none_or(|p| p <= rules.unseen_level(threshold, k))
    }

    /// Whether the metric lost at least what counts.
    pub(crate) fn is_loss(&self, rules: &Rules) -> bool {
        self.before - self.now >= rules.smallest_loss
    }
}
