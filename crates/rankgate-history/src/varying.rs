//! Rankings that vary from one asking or building to the next: approximate indexes, models.
//!
//! Here commits do have noise of their own, and no ranking comes twice. What counts of a commit is the mean over
//! queries and repeats. Afterwards the largest of all splits of the line in two is tested by permuting the commits, which
//! prices in that it was chosen; while commits come, an e-detector watches.

use rand::seq::SliceRandom;

use crate::json::record;
use crate::stats::{Stream, mean};
use crate::{Result, threads};

use crate::commit::{CommitName, short_id};
use crate::measured::{CommitMeasurements, History, Measurement};
use crate::spending::Rules;

/// Permutations of the commits, not counting the observed order.
const PERMUTATIONS: u64 = 9_999;
/// Commits on each side of a split.
const LEAST: usize = 3;
/// The prior knowledge of the spread, as if from one commit: a tenth of the scale.
const SPREAD: f64 = 0.01;

/// Permutations that one thread makes at a time.
const CHUNK: u64 = 500;

record! {
    /// The report where rankings vary.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Varying {
        /// Commits since the inputs last changed: so many means.
        pub commits: usize,
        /// The split of them that parts higher from lower means best, on each metric.
        pub splits: Vec<Split>,
        /// What watching the commits one after the other found, on each metric; one more for each that was acknowledged.
        pub detected: Vec<Detection>,
    }
}

record! {
    /// The line of commits parted in two.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Split {
        /// The metric.
        pub metric: String,
        /// The first commit of the lower part.
        pub from: CommitName,
        /// The mean of the commits before.
        pub before: f64,
        /// The mean of the commits from there on.
        pub after: f64,
        /// The chance of a split as large where the order of commits means nothing; one-sided, for a loss.
        pub p: f64,
        /// Whether p is at most the level of alarms, divided by the number of metrics.
        pub shown: bool,
    }
}

record! {
    /// What an e-detector saw.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Detection {
        /// The metric.
        pub metric: String,
        /// What the mean is held against: that of the first commit.
        pub expected: f64,
        /// The evidence of a lower mean after the last commit; alarms are at `limit`.
        pub evidence: f64,
        /// One over the level, times the number of metrics: without a loss it takes so many commits on average to get there, at least.
        pub limit: f64,
        /// The commit at which the evidence got there first.
        pub alarm?: Option<CommitName>,
        /// The beginning of that commit's id, and the metric: the id to acknowledge.
        pub id?: Option<String>,
        /// Whether somebody has acknowledged it: then the commits from there on are held against that one.
        pub acknowledged?: bool,
    }
}

impl Detection {
    /// Whether it is an alarm without an acknowledgement.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.alarm.is_some() && !self.acknowledged
    }
}

/// The line parted where inputs change.
pub(crate) fn epochs<'l, 'a>(
    line: &'l [CommitMeasurements<'a>],
) -> impl Iterator<Item = &'l [CommitMeasurements<'a>]> {
    let alike = |a: &Measurement, b: &Measurement| a.inputs == b.inputs && a.judged == b.judged;
    line.chunk_by(move |a, b| a.measured.last().zip(b.measured.last()).is_some_and(|(a, b)| alike(a, b)))
}

/// Whether a second pass, or a new build, gave another ranking anywhere in an epoch.
pub(crate) fn varies(epoch: &[CommitMeasurements<'_>]) -> bool {
    let differs =
        |at: &CommitMeasurements<'_>| at.measured.windows(2).any(|pair| pair[0].inputs == pair[1].inputs);
    epoch.iter().any(|at| differs(at) || at.measured.iter().any(|one| one.varies))
}

/// What there is to tell of the last epoch; nothing where asking again gives the same.
pub(crate) fn last_epoch(
    line: &[CommitMeasurements<'_>],
    history: &History,
    metrics: &[String],
    rules: &Rules,
) -> Result<Option<Varying>> {
    let Some(line) = epochs(line).last().filter(|epoch| varies(epoch)) else { return Ok(None) };
    let (mut splits, mut detected) = (Vec::new(), Vec::new());
    let name = |place: usize| history.line[line[place].place].to_name();
    // A metric that some commits lack is not told of.
    let of_metric = |metric: &String| {
        let mean_of = |at: &CommitMeasurements<'_>| {
            let values: Option<Vec<f64>> = at.measured.iter().map(|one| one.scores.mean(metric)).collect();
            mean(&values?).ok()
        };
        Some((metric.clone(), line.iter().map(mean_of).collect::<Option<Vec<f64>>>()?))
    };
    let means: Vec<(String, Vec<f64>)> = metrics.iter().filter_map(of_metric).collect();
    let level = rules.alpha / means.len().max(1) as f64;
    for (metric, means) in means {
        if let Some((at, p)) = split(&means, &Stream::new(rules.seed).for_name(&metric)) {
            let [before, after] = [&means[..at], &means[at..]].map(mean);
            let (before, after) = (before?, after?);
            splits.push(Split {
                metric: metric.clone(),
                from: name(at),
                before,
                after,
                p,
                shown: p <= level,
            });
        }
        // What was acknowledged is what later commits are held against.
        let mut since = 0;
        loop {
            let evidence = evidence(&means[since..]);
            let limit = level.recip();
            let at = evidence.iter().position(|evidence| *evidence >= limit).map(|at| since + at);
            let alarm = at.map(name);
            let id = alarm.as_ref().map(|alarm| format!("{}.{metric}", short_id(&alarm.commit)));
            let acknowledged = id.as_ref().is_some_and(|id| history.acknowledged.contains(id));
            detected.push(Detection {
                metric: metric.clone(),
                expected: means[since],
                evidence: evidence.last().copied().unwrap_or(0.0),
                limit,
                alarm,
                id,
                acknowledged,
            });
            match at {
                Some(at) if acknowledged => since = at,
                Some(_) | None => break,
            }
        }
    }
    Ok(Some(Varying { commits: line.len(), splits, detected }))
}

/// The largest drop between two parts of the line in standard errors, and where the second begins.
fn largest(means: &[f64]) -> Option<(usize, f64)> {
    let all = means.len() as f64;
    let total: f64 = means.iter().sum();
    let mut sum = 0.0;
    let mut found: Option<(usize, f64)> = None;
    for (at, value) in (1..).zip(means) {
        sum += value;
        if at < LEAST || at + LEAST > means.len() {
            continue;
        }
        let first = at as f64;
        let drop = (sum / first - (total - sum) / (all - first)) * (first * (all - first) / all).sqrt();
        if found.is_none_or(|(_, most)| drop > most) {
            found = Some((at, drop));
        }
    }
    found
}

/// The best split, and the share of orders of the commits whose best one is as large. The commits' spread is the same in
/// every order, so that nothing is divided by it.
fn split(means: &[f64], stream: &Stream) -> Option<(usize, f64)> {
    let (at, drop) = largest(means)?;
    let scale: f64 = means.iter().map(|mean| mean.abs()).sum();
    let reached = |number: &u64| {
        let mut order = means.to_vec();
        order.shuffle(&mut stream.rng(*number));
        largest(&order).is_some_and(|(_, other)| other >= drop - 1e-12 * scale)
    };
    let counts = threads::map(PERMUTATIONS.div_ceil(CHUNK) as usize, |chunk| {
        let first = chunk as u64 * CHUNK;
        (first..PERMUTATIONS.min(first + CHUNK)).filter(reached).count()
    });
    Some((at, (counts.into_iter().sum::<usize>() + 1) as f64 / (PERMUTATIONS + 1) as f64))
}

/// The evidence that means are lower than the first, after each of those behind it:
/// `M = (1 + lambda (mu - x)) (M + 1)`, an e-detector. Scores are between 0 and 1, and lambda depends on the past alone;
/// with both, the expected number of commits to an alarm at `1 / alpha` is at least that, whatever their distribution.
///
/// # Source
///
/// Shin, Ramdas and Rinaldo, "E-detectors: a nonparametric framework for sequential change detection", 2023;
/// lambda is the plug-in of Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024.
fn evidence(means: &[f64]) -> Vec<f64> {
    let Some((&expected, rest)) = means.split_first() else { return Vec::new() };
    // Where a metric is no share, no bound is known, and nothing is bet.
    if means.iter().any(|mean| !(0.0..=1.0).contains(mean)) {
        return vec![0.0; means.len()];
    }
    let most = 0.5 / (1.0 - expected).max(0.5);
    let (mut evidence, mut seen) = (0.0, Vec::from([0.0]));
    let (mut sum, mut squares, mut count) = (0.0, SPREAD, 1.0);
    for value in rest {
        let lost = expected - value;
        let mean: f64 = sum / count;
        let lambda = (mean / (squares / count)).clamp(0.0, most);
        evidence = (1.0 + lambda * lost) * (evidence + 1.0);
        seen.push(evidence);
        (sum, squares, count) = (sum + lost, squares + lost * lost, count + 1.0);
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_split_is_found_and_its_choice_is_paid_for() {
        let step: Vec<f64> = (0..20)
            .map(|at| 0.5 + f64::from(at * 7 % 5) / 500.0 - if at < 12 { 0.0 } else { 0.03 })
            .collect();
        let (at, p) = split(&step, &Stream::new(1)).unwrap();
        assert_eq!((at, p), (12, 1.0 / 10_000.0));
        let still: Vec<f64> = (0..20).map(|at| 0.5 + f64::from(at * 7 % 5) / 500.0).collect();
        assert!(split(&still, &Stream::new(1)).unwrap().1 > 0.1);
        assert!(split(&step[..5], &Stream::new(1)).is_none());
    }

    #[test]
    fn six_commits_are_split_as_by_hand() {
        // Only the order with the three high ones first, in any order among themselves, is as large: 3! 3! / 6!.
        let p = split(&[0.9, 0.8, 0.7, 0.3, 0.2, 0.1], &Stream::new(1)).unwrap().1;
        assert!((p - 0.05).abs() < 0.007, "{p}");
    }

    #[test]
    fn evidence_is_that_of_the_recursion() {
        // .5, then .4: nothing known, no bet: 1. Then lambda = clamp(.05 / .01, 0, 1) = 1: 1.2 * 2.
        let found = evidence(&[0.5, 0.4, 0.3]);
        assert_eq!(found[..2], [0.0, 1.0]);
        assert!((found[2] - 2.4).abs() < 1e-12, "{found:?}");
        assert_eq!(evidence(&[0.5, 7.0]), [0.0, 0.0]);
    }

    #[test]
    fn without_a_loss_an_alarm_takes_as_long_as_stated() {
        use rand::RngExt;
        // Means that jump by chance alone, as often up as down: 200 lines of up to 400 commits.
        let length = |number: u64| {
            let mut random = Stream::new(3).rng(number);
            let mut means = Vec::from([0.5]);
            means.extend((0..400).map(|_| if random.random_bool(0.5) { 0.45 } else { 0.55 }));
            evidence(&means).iter().position(|evidence| *evidence >= 40.0).unwrap_or(400)
        };
        let average = (0..200).map(length).sum::<usize>() as f64 / 200.0;
        assert!(average >= 40.0, "{average}");
    }
}
