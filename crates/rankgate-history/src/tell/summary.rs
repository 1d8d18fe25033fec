//! What is known at the end of the line: open alarms with their steps and queries, releases, blessings.

use super::Walk;
use crate::commit::{Commit, CommitName};
use crate::measured::Golden;
use crate::model::Mover;
use crate::order;
use crate::timeline::{Lost, ReferenceComparison, Timeline};

/// Queries and steps that are named.
const QUERIES: usize = 5;
const STEPS: usize = 5;
/// Means that differ by less do so by rounding.
const ROUNDING: f64 = 1e-9;
/// What blessings are counted over, before the last commit.
const LATELY: i64 = 90 * 24 * 60 * 60;

impl Walk<'_> {
    pub(super) fn finish(mut self) -> Timeline {
        let mut alarms = std::mem::take(&mut self.told.alarms);
        for (alarm, (state, references)) in alarms.iter_mut().zip(&self.scores) {
            alarm.open = alarm.against.iter().any(|held| held.ended.is_none());
            let losses = alarm.against.iter().zip(references);
            let largest = losses.min_by(|(a, _), (b, _)| (a.now - a.before).total_cmp(&(b.now - b.before)));
            if let Some((held, reference)) = largest {
                alarm.queries = lost_by_query(state, reference, &held.metric);
                alarm.steps = self.steps(held, &alarm.opened.commit);
            }
        }
        let until = self.places.last().copied().unwrap_or(0);
        let since = self.places.first().copied().unwrap_or(0);
        for (place, commit) in self.line.iter().enumerate().take(until + 1).skip(since) {
            if !commit.releases.is_empty() && self.places.binary_search(&place).is_err() {
                self.told.unmeasured_releases.extend(commit.releases.iter().cloned());
            }
        }
        let last = self.line[until].time;
        self.told.alarms = alarms;
        self.told.notices_by_chance = self.told.tests as f64 * self.rules.notice;
        self.told.blessings = self.blessed.len();
        self.told.blessings_lately =
            self.blessed.iter().filter(|time| last.saturating_sub(**time) <= LATELY).count();
        self.told
    }

    /// The steps from a reference's commit to an alarm's at which its metric lost, largest first, each with its suspects.
    fn steps(&self, held: &ReferenceComparison, opened: &str) -> Vec<Lost> {
        let commits = &self.told.commits;
        let at = |id: &str| commits.iter().position(|entry| entry.commit.commit == id);
        // The best so far stands from where its ranking was first measured.
        let from = self.told.states.iter().find(|state| state.ranking == held.against);
        let from = at(from.map_or(held.from.as_str(), |state| state.from.as_str())).map_or(0, |at| at + 1);
        let until = at(opened).map_or(0, |at| at + 1);
        let lost = |number: usize| {
            let entry = commits.get(number)?;
            let difference = entry.differences.iter().find(|(metric, _)| *metric == held.metric)?.1;
            (difference < 0.0).then_some((number, difference))
        };
        let mut lost: Vec<(usize, f64)> = (from..until).filter_map(lost).collect();
        // Of steps of one size, but for rounding, the one at which the alarm came is the first.
        let size = |(number, difference): (usize, f64)| ((difference / ROUNDING).round(), number + 1 < until);
        order::sort_by(&mut lost, |a, b| {
            let (a, b) = (size(*a), size(*b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        let step = |(number, difference): (usize, f64)| {
            let after = number.checked_sub(1).map(|before| self.places[before]);
            let suspects = self.between(after, self.places[number]);
            Lost {
                commit: commits[number].commit.clone(),
                state: commits[number].state,
                difference,
                suspects,
            }
        };
        lost.into_iter().take(STEPS).map(step).collect()
    }

    /// The commits of the line behind one, up to another.
    pub(super) fn between(&self, after: Option<usize>, place: usize) -> Vec<CommitName> {
        self.line[after.map_or(0, |after| after + 1)..=place].iter().map(Commit::to_name).collect()
    }
}

fn lost_by_query(state: &Golden, reference: &Golden, metric: &str) -> Vec<Mover> {
    let (Some(before), Some(after)) = (reference.scores.values(metric), state.scores.values(metric)) else {
        return Vec::new();
    };
    let pairs = state.scores.queries.iter().zip(before.iter().zip(after));
    let mut lost: Vec<_> = pairs.filter(|(_, (before, after))| after < before).collect();
    order::sort_by(&mut lost, |(_, a), (_, b)| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let mover = |(query, (&before, &after)): (&String, (&f64, &f64))| Mover {
        query: query.clone(),
        text: String::new(),
        metadata: Vec::new(),
        before: Some(before),
        after,
        documents: Vec::new(),
        claims: Vec::new(),
        answers: Vec::new(),
        reply: None,
    };
    lost.into_iter().take(QUERIES).map(mover).collect()
}
