//! The choice among settings on one half of the queries, and how far it can be believed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::halves::by_hash;
use crate::stats::{Confidence, Differences, Direction, Interval, PairedT, exceeds, mean};
use crate::{Error, Result};

/// Parts that the choice is repeated without, one after the other.
const FOLDS: usize = 10;
/// The locked half has at least so many queries, or groups of them.
pub const FEWEST_LOCKED: usize = 30;

/// Scores of one metric by query: of what stands today, and of every setting that is tried.
#[derive(Clone, Debug)]
pub struct SweepScores {
    /// Ids of the queries, all different.
    pub queries: Vec<String>,
    /// The group of each query, where queries that share one belong together.
    pub groups: Option<Vec<String>>,
    /// Scores of what stands today.
    pub today: Vec<f64>,
    /// Scores of each setting.
    pub settings: Vec<Vec<f64>>,
    /// What the metric can be.
    pub range: RangeInclusive<f64>,
    /// Whether lower scores are better.
    pub lower_is_better: bool,
}

/// The positions of queries in two halves, each in the order of the hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halves {
    /// The half that chooses, the larger one where the number of groups is odd.
    pub dev: Vec<usize>,
    /// The half that nobody looks at before a setting is chosen.
    pub locked: Vec<usize>,
}

/// One setting on the half that chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettingScore {
    /// Its mean.
    pub mean: f64,
    /// Its mean less that of what stands today.
    pub difference: f64,
    /// The t interval of the difference; `None` where all queries differ by the same.
    pub interval: Option<Interval>,
    /// Whether it may be the best in truth.
    pub in_plateau: bool,
}

/// The choice, and what it is worth on the half that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What stands today.
    pub today: SettingScore,
    /// Every setting, in the order of the sweep.
    pub settings: Vec<SettingScore>,
    /// The setting with the highest mean, the first of equal ones; `None` where none is above what stands today.
    pub best: Option<usize>,
    /// The gain of the best, on the queries that chose it.
    pub naive: f64,
    /// The gain of choosing: the choice is repeated ten times without a tenth of the queries, and measured on these.
    pub nested: f64,
}

impl SweepScores {
    /// Halves the queries by a keyed hash of their ids, or of their groups.
    ///
    /// # Errors
    /// Fewer than 30 queries, or groups, in the locked half.
    pub fn halve(&self, key: &str) -> Result<Halves> {
        let mut units: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let names = self.groups.as_ref().unwrap_or(&self.queries);
        for (at, name) in names.iter().enumerate() {
            units.entry(name).or_default().push(at);
        }
        let (kind, count) =
            (if self.groups.is_some() { "groups of queries" } else { "queries" }, units.len());
        if count / 2 < FEWEST_LOCKED {
            let (needed, locked) = (2 * FEWEST_LOCKED, count / 2);
            return Err(Error::invalid(format!(
                "{count} {kind} leave {locked} in the locked half, which confirm nothing: tuning needs {needed}, so add {}",
                needed - count
            )));
        }
        let units: Vec<(&str, Vec<usize>)> = units.into_iter().collect();
        let order = by_hash(key, units.iter().map(|(name, _)| *name));
        let (dev, locked) = order.split_at(count.div_ceil(2));
        let queries = |half: &[usize]| half.iter().flat_map(|unit| units[*unit].1.iter().copied()).collect();
        Ok(Halves { dev: queries(dev), locked: queries(locked) })
    }

    /// The paired differences of two lists of scores on some of the queries.
    ///
    /// # Errors
    /// Scores that are no numbers.
    pub fn differences(&self, baseline: &[f64], candidate: &[f64], queries: &[usize]) -> Result<Differences> {
        let of = |scores: &[f64]| -> Vec<f64> { queries.iter().map(|at| scores[*at]).collect() };
        let (baseline, candidate) = (of(baseline), of(candidate));
        let differences = match &self.groups {
            None => Differences::new(&baseline, &candidate)?,
            Some(groups) => {
                let groups: Vec<&str> = queries.iter().map(|at| groups[*at].as_str()).collect();
                Differences::grouped(&baseline, &candidate, &groups)?
            }
        };
        Ok(differences.within(&self.range))
    }

    /// Chooses among the settings by their means over the queries of one half.
    ///
    /// # Errors
    /// No query, no setting, or scores that are no numbers.
    pub fn choose(&self, half: &[usize], confidence: Confidence) -> Result<Choice> {
        let best = self.best(half)?;
        let top = best.map_or(&self.today, |best| &self.settings[best]);
        // The best in truth is left out with a probability of at most 1 - confidence, whichever looks best.
        let level = confidence.alpha() / self.settings.len().max(1) as f64;
        let score = |scores: &Vec<f64>| -> Result<SettingScore> {
            let differences = self.differences(&self.today, scores, half)?;
            let interval = PairedT::new(&differences).and_then(|t| t.interval(confidence).ok());
            let worse = PairedT::new(&self.differences(top, scores, half)?);
            let direction = if self.lower_is_better { Direction::Greater } else { Direction::Less };
            let is_behind = |t: PairedT| t.p(0.0, direction) <= level;
            Ok(SettingScore {
                mean: self.mean(scores, half)?,
                difference: differences.mean(),
                interval,
                in_plateau: !worse.is_some_and(is_behind),
            })
        };
        let settings = self.settings.iter().map(score).collect::<Result<Vec<_>>>()?;
        let naive = best.map_or(0.0, |best| settings[best].difference);
        Ok(Choice { today: score(&self.today)?, settings, best, naive, nested: self.nested(half)? })
    }

    /// The setting with the best mean over some queries; `None` where none is better than what stands today.
    ///
    /// # Errors
    /// No query, or scores that are no numbers.
    pub fn best(&self, queries: &[usize]) -> Result<Option<usize>> {
        let sign = if self.lower_is_better { -1.0 } else { 1.0 };
        let (mut best, mut highest) = (None, sign * self.mean(&self.today, queries)?);
        for (setting, scores) in self.settings.iter().enumerate() {
            let mean = sign * self.mean(scores, queries)?;
            if exceeds(mean, highest) {
                (best, highest) = (Some(setting), mean);
            }
        }
        Ok(best)
    }

    fn mean(&self, scores: &[f64], queries: &[usize]) -> Result<f64> {
        mean(&queries.iter().map(|at| scores[*at]).collect::<Vec<_>>())
    }

    /// The gain of what is chosen without a part of the queries, on that part: the mean over all of them.
    fn nested(&self, half: &[usize]) -> Result<f64> {
        let parts = self.parts(half);
        let mut gains = Vec::with_capacity(half.len());
        for part in 0..FOLDS {
            let (inside, outside): (Vec<_>, Vec<_>) =
                half.iter().zip(&parts).partition(|(_, of)| **of == part);
            let outside: Vec<usize> = outside.into_iter().map(|(at, _)| *at).collect();
            if inside.is_empty() || outside.is_empty() {
                continue;
            }
            let chosen = self.best(&outside)?.map_or(&self.today, |best| &self.settings[best]);
            gains.extend(inside.into_iter().map(|(at, _)| chosen[*at] - self.today[*at]));
        }
        if gains.is_empty() { Ok(0.0) } else { mean(&gains) }
    }

    /// Which part each query of a half is in, groups as a whole.
    fn parts(&self, half: &[usize]) -> Vec<usize> {
        let names = self.groups.as_ref().unwrap_or(&self.queries);
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut part = |at: &usize| {
            let next = numbers.len();
            *numbers.entry(&names[*at]).or_insert(next) % FOLDS
        };
        half.iter().map(&mut part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores by a formula of query and setting.
    fn scores(queries: usize, settings: usize, of: impl Fn(usize, usize) -> f64) -> SweepScores {
        let column = |setting: usize| (0..queries).map(|query| of(query, setting)).collect();
        SweepScores {
            queries: (0..queries).map(|query| format!("q{query}")).collect(),
            groups: None,
            today: column(0),
            settings: (1..=settings).map(column).collect(),
            range: 0.0..=1.0,
            lower_is_better: false,
        }
    }

    #[test]
    fn a_locked_half_under_thirty_is_refused_with_the_number_that_is_needed() {
        let few = scores(59, 1, |_, _| 0.5).halve("k").unwrap_err().to_string();
        assert_eq!(
            few,
            "59 queries leave 29 in the locked half, which confirm nothing: tuning needs 60, so add 1"
        );
        let halves = scores(61, 1, |_, _| 0.5).halve("k").unwrap();
        assert_eq!((halves.dev.len(), halves.locked.len()), (31, 30));
        // The same for any scores; another key halves otherwise; every query is in one half.
        assert_eq!(halves, scores(61, 3, |query, _| query as f64 / 61.0).halve("k").unwrap());
        assert_ne!(halves, scores(61, 1, |_, _| 0.5).halve("other").unwrap());
        let mut all: Vec<usize> = halves.dev.iter().chain(&halves.locked).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..61).collect::<Vec<_>>());
    }

    #[test]
    fn groups_stay_together() {
        let mut scores = scores(180, 1, |query, _| query as f64 / 180.0);
        let group = |query: usize| format!("user {}", query % 60);
        scores.groups = Some((0..180).map(group).collect());
        let halves = scores.halve("k").unwrap();
        assert_eq!((halves.dev.len(), halves.locked.len()), (90, 90));
        let groups =
            |half: &[usize]| half.iter().map(|at| group(*at)).collect::<std::collections::BTreeSet<_>>();
        assert!(groups(&halves.dev).is_disjoint(&groups(&halves.locked)));
        let parts = scores.parts(&halves.dev);
        for (one, at) in halves.dev.iter().zip(&parts) {
            for (other, part) in halves.dev.iter().zip(&parts) {
                assert!(group(*one) != group(*other) || at == part);
            }
        }
        scores.groups = Some((0..180).map(|query| format!("user {}", query % 58)).collect());
        assert!(scores.halve("k").unwrap_err().to_string().starts_with("58 groups of queries leave 29"));
    }

    /// (.7 + .1) / 2 and (.2 + .6) / 2 are both .4, and as sums of doubles they are not.
    #[test]
    fn a_mean_that_only_rounding_raises_is_no_better() {
        let scores = |today: [f64; 2], setting: [f64; 2]| SweepScores {
            today: today.to_vec(),
            settings: vec![setting.to_vec()],
            ..scores(2, 1, |_, _| 0.0)
        };
        let best = |today, setting| scores(today, setting).best(&[0, 1]).unwrap();
        assert_eq!(best([0.7, 0.1], [0.2, 0.6]), None);
        assert_eq!(best([0.2, 0.6], [0.7, 0.1]), None);
        assert_eq!(best([0.7, 0.1], [0.2, 0.600_001]), Some(0));
    }

    /// By hand: each of ten settings gains .5 on the queries of one tenth, and loses .1 on the others: all have the same mean.
    #[test]
    fn a_gain_that_is_chosen_by_chance_is_none_where_the_choice_is_repeated() {
        let scores = scores(100, 10, |query, setting| match setting {
            0 => 0.4,
            setting if query % 10 == setting - 1 => 0.95 + if setting == 3 { 0.04 } else { 0.0 },
            _ => 0.35,
        });
        let half: Vec<usize> = (0..100).collect();
        let choice = scores.choose(&half, Confidence::default()).unwrap();
        assert_eq!(choice.best, Some(2));
        // 0.1 × 0.99 + 0.9 × 0.35 - 0.4
        assert!((choice.naive - 0.014).abs() < 1e-12, "{}", choice.naive);
        // Part 2 holds all that the best gains; without it another is chosen, which loses .05 there; in the others the best loses
        // .05 as well.
        assert!((choice.nested + 0.05).abs() < 1e-12, "{}", choice.nested);
        assert!(choice.settings.iter().all(|setting| setting.in_plateau));
    }

    #[test]
    fn what_stands_today_stays_where_nothing_is_better_and_the_plateau_is_what_may_be_the_best() {
        // Setting 1 is .2 worse on nearly all queries, 2 is as good.
        let of = |query: usize, setting: usize| {
            0.5 + (query % 7) as f64 / 20.0
                - [0.0, 0.2, 0.0][setting]
                - if setting == 1 { (query % 3) as f64 / 100.0 } else { 0.0 }
        };
        let scores = scores(60, 2, of);
        let half: Vec<usize> = (0..60).collect();
        let choice = scores.choose(&half, Confidence::default()).unwrap();
        assert_eq!((choice.best, choice.naive), (None, 0.0));
        assert_eq!(choice.settings.iter().map(|one| one.in_plateau).collect::<Vec<_>>(), [false, true]);
        // Where lower is better, the first is the best.
        let scores = SweepScores { lower_is_better: true, ..scores };
        let choice = scores.choose(&half, Confidence::default()).unwrap();
        assert_eq!(choice.best, Some(0));
        assert_eq!(choice.settings.iter().map(|one| one.in_plateau).collect::<Vec<_>>(), [true, false]);
    }
}
