//! From measurements to a timeline.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rankgate_core::metric::Metric;
use rankgate_core::stats::{Correction, Stream, adjust};
use rankgate_core::{Error, Result};

use crate::loss::{Rules, p_of_loss};
use crate::measured::{Commit, Measurement, Scores, Standing};
use crate::timeline::{Against, Alarm, Ended, Entry, QueryLoss, ReferenceKind, Timeline};

/// Queries behind an alarm.
const QUERIES: usize = 5;
/// The one-sided level at which a loss still counts as one, so that its alarm goes on.
const GONE: f64 = 0.025;

/// The measurements of one configuration.
#[derive(Clone, Debug, Default)]
pub struct History<'a> {
    /// The benchmark.
    pub benchmark: &'a str,
    /// The configuration.
    pub configuration: &'a str,
    /// All commits in their order, oldest first, measured or not.
    pub line: &'a [Commit],
    /// Measurements, in any order; of two of one commit the last counts.
    pub measurements: &'a [Measurement],
    /// Ids of acknowledged alarms, with their notes.
    pub acknowledged: BTreeMap<String, String>,
}

/// A ranking that others are compared with.
#[derive(Clone)]
struct Reference {
    standing: Standing,
    /// The place on the line of the last commit that has it.
    place: usize,
}

/// The references so far, and what is known of rankings.
#[derive(Default)]
struct State {
    first: Option<Reference>,
    release: Option<Reference>,
    golden: Option<Reference>,
    previous: Option<Reference>,
    /// Number of each ranking, from 1.
    numbers: HashMap<String, usize>,
    /// p-values, by both rankings and the metric.
    tested: HashMap<(String, String, String), f64>,
}

/// Finds the alarms of a history.
///
/// # Errors
/// A commit that is not on the line, or scores that cannot be tested.
pub fn tell(history: &History<'_>, rules: &Rules) -> Result<Timeline> {
    let places: HashMap<&str, usize> =
        history.line.iter().enumerate().map(|(place, commit)| (commit.id.as_str(), place)).collect();
    let mut by_place: BTreeMap<usize, &Measurement> = BTreeMap::new();
    for one in history.measurements {
        let place = places.get(one.commit.as_str());
        let place = place.ok_or_else(|| {
            Error::invalid(format!("commit {} was measured and is not on the line of commits", one.commit))
        })?;
        one.now.scores.check(&one.commit)?;
        one.golden.as_ref().map_or(Ok(()), |golden| golden.scores.check(&one.commit))?;
        by_place.insert(*place, one);
    }
    let gated = by_place.values().next_back().map(|one| one.gated.clone()).unwrap_or_default();
    let metrics: Vec<String> =
        gated.into_iter().filter(|metric| Metric::takes_rise_for_gain(metric)).collect();
    let mut told = Timeline {
        benchmark: history.benchmark.to_owned(),
        configuration: history.configuration.to_owned(),
        metrics,
        commits: Vec::with_capacity(by_place.len()),
        alarms: Vec::new(),
        rankings: 0,
        alpha: rules.alpha,
    };
    let mut state = State::default();
    let mut before: Option<&Measurement> = None;
    let mut released = 0;
    for (place, one) in by_place {
        // A release has the ranking of the last measured commit up to it.
        if history.line[released..place].iter().any(|commit| !commit.releases.is_empty()) {
            state.release.clone_from(&state.previous);
        }
        released = place;
        let changed = before.map(|before| one.inputs.changed_since(&before.inputs)).unwrap_or_default();
        if !changed.is_empty() {
            for alarm in told.alarms.iter_mut().filter(|alarm| alarm.ended.is_none()) {
                alarm.ended = Some(Ended { commit: one.commit.clone(), why: "the inputs changed" });
            }
            // Rankings keep their numbers: the level of the next one does not start again.
            let numbers = std::mem::take(&mut state.numbers);
            state = State { numbers, ..State::default() };
        }
        let numbers = state.numbers.len();
        let number = *state.numbers.entry(one.now.ranking.clone()).or_insert(numbers + 1);
        let moved = state.previous.as_ref().is_none_or(|last| last.standing.ranking != one.now.ranking);
        if moved {
            state.look_at(history, (place, one, number), &mut told, rules)?;
        }
        state.go_on(place, one);
        let means = one.now.scores.by_metric.iter();
        let means = means.filter_map(|(metric, _)| Some((metric.clone(), one.now.scores.mean(metric)?)));
        told.commits.push(Entry {
            commit: history.line[place].clone(),
            ranking: number,
            moved,
            means: means.collect(),
            changed,
        });
        before = Some(one);
    }
    told.rankings = state.numbers.len();
    Ok(told)
}

impl State {
    /// The references of the next ranking, each ranking once; what stands first of a ranking names it.
    fn references(&self, one: &Measurement) -> Vec<(ReferenceKind, Reference)> {
        let own = one.golden.as_ref().filter(|golden| golden.ranking != one.now.ranking);
        let known = |standing: &Standing| {
            self.golden.clone().filter(|golden| golden.standing.ranking == standing.ranking)
        };
        let place = self.previous.as_ref().map_or(0, |last| last.place);
        let new = |standing: &Standing| Reference { standing: standing.clone(), place };
        let golden = own.map(|standing| known(standing).unwrap_or_else(|| new(standing)));
        let all = [
            (ReferenceKind::Golden, golden.or_else(|| self.golden.clone())),
            (ReferenceKind::Previous, self.previous.clone()),
            (ReferenceKind::Release, self.release.clone()),
            (ReferenceKind::First, self.first.clone()),
        ];
        let mut references: Vec<(ReferenceKind, Reference)> = Vec::new();
        for (kind, reference) in all {
            let Some(reference) = reference else { continue };
            let ranking = &reference.standing.ranking;
            if *ranking != one.now.ranking
                && references.iter().all(|(_, other)| other.standing.ranking != *ranking)
            {
                references.push((kind, reference));
            }
        }
        references
    }

    /// Ends alarms of losses that are gone, and raises new ones.
    fn look_at(
        &mut self,
        history: &History<'_>,
        (place, one, number): (usize, &Measurement, usize),
        told: &mut Timeline,
        rules: &Rules,
    ) -> Result<()> {
        // The first of all rankings is compared with nothing.
        let level = rules.level(number.saturating_sub(1));
        for alarm in told.alarms.iter_mut().filter(|alarm| alarm.ended.is_none()) {
            let mut stands = false;
            for held in &alarm.against {
                stands |= self.still_lost(&held.standing, &one.now, &alarm.metric, (rules, level))?;
            }
            if !stands {
                alarm.ended = Some(Ended { commit: one.commit.clone(), why: "the ranking went back" });
            }
        }
        let references = self.references(one);
        let last = self.previous.as_ref().map(|last| last.standing.ranking.clone());
        let mut lost: BTreeMap<usize, Vec<(usize, Against)>> = BTreeMap::new();
        for (kind, reference) in references {
            let is_previous = Some(&reference.standing.ranking) == last.as_ref();
            let mut p_values = Vec::with_capacity(told.metrics.len());
            for metric in &told.metrics {
                p_values.push(self.p(&reference.standing, &one.now, metric, level)?);
            }
            for (at, p) in adjust(&p_values, Correction::Holm)?.into_iter().enumerate() {
                let metric = &told.metrics[at];
                let ranking = &reference.standing.ranking;
                let is_known = told.alarms.iter().any(|alarm| {
                    alarm.ended.is_none()
                        && alarm.metric == *metric
                        && (!alarm.acknowledged
                            || alarm.against.iter().any(|held| held.standing.ranking == *ranking))
                });
                let scores = &reference.standing.scores;
                let (Some(before), Some(now)) = (scores.mean(metric), one.now.scores.mean(metric)) else {
                    continue;
                };
                // While an alarm goes on, only a further step raises another one.
                if p <= level && before - now >= rules.smallest_loss && (is_previous || !is_known) {
                    let commit = history.line[reference.place].id.clone();
                    let standing = reference.standing.clone();
                    let held =
                        Against { reference: kind, commit, before, now, p: p.min(1.0), level, standing };
                    lost.entry(at).or_default().push((reference.place, held));
                }
            }
        }
        let mut acknowledged = false;
        for (at, mut against) in lost {
            against.sort_by(|(_, one), (_, other)| {
                (other.before - other.now).total_cmp(&(one.before - one.now))
            });
            let since = against.first().map_or(0, |(place, _)| *place);
            let against: Vec<Against> = against.into_iter().map(|(_, held)| held).collect();
            let is_step = against.iter().any(|held| Some(&held.standing.ranking) == last.as_ref());
            let metric = told.metrics[at].clone();
            let commit = history.line[place].clone();
            let after = self.previous.as_ref().map_or(place, |last| last.place + 1);
            let id = format!("{}.{}.{metric}", commit.short(), history.configuration);
            let note = history.acknowledged.get(&id).cloned();
            let largest = largest_step(told, (history, since), &metric, one);
            let largest = largest.filter(|step| !is_step && step.id != commit.id);
            let is_acknowledged = one.accepted || note.is_some();
            acknowledged |= is_acknowledged;
            told.alarms.push(Alarm {
                acknowledged: is_acknowledged,
                note: note.filter(|note| !note.is_empty()),
                suspects: history.line[after..=place].to_vec(),
                largest_step: largest,
                queries: against
                    .first()
                    .map(|held| lost_queries(&held.standing.scores, &one.now.scores, &metric))
                    .unwrap_or_default(),
                id,
                metric,
                commit,
                against,
                ended: None,
            });
        }
        if acknowledged {
            // What was accepted is what later rankings are compared with.
            let own = Reference { standing: one.now.clone(), place };
            (self.first, self.release) = (Some(own.clone()), self.release.is_some().then_some(own));
        }
        Ok(())
    }

    fn still_lost(
        &mut self,
        before: &Standing,
        now: &Standing,
        metric: &str,
        (rules, level): (&Rules, f64),
    ) -> Result<bool> {
        let means = before.scores.mean(metric).zip(now.scores.mean(metric));
        if before.ranking == now.ranking || means.is_none_or(|(then, now)| then - now < rules.smallest_loss) {
            return Ok(false);
        }
        Ok(self.p(before, now, metric, level)? <= GONE)
    }

    /// The p-value of a loss; 1 if the metric is not scored on both sides.
    fn p(&mut self, before: &Standing, now: &Standing, metric: &str, level: f64) -> Result<f64> {
        let Some(differences) = now.scores.since(&before.scores, metric) else { return Ok(1.0) };
        let key = (before.ranking.clone(), now.ranking.clone(), metric.to_owned());
        if let Some(p) = self.tested.get(&key) {
            return Ok(*p);
        }
        let stream = Stream::new(1).for_name(&before.ranking).for_name(&now.ranking).for_name(metric);
        let p = p_of_loss(differences, metric, stream, &[level, GONE])?;
        self.tested.insert(key, p);
        Ok(p)
    }

    /// Makes the references of what comes after a commit.
    fn go_on(&mut self, place: usize, one: &Measurement) {
        let own = Reference { standing: one.now.clone(), place };
        if let Some(golden) = &one.golden {
            let is_new = self.golden.as_ref().is_none_or(|known| known.standing.ranking != golden.ranking);
            if is_new {
                self.golden = Some(Reference { standing: golden.clone(), place });
            }
        }
        for kept in [&mut self.first, &mut self.release, &mut self.golden].into_iter().flatten() {
            if kept.standing.ranking == one.now.ranking {
                kept.place = place;
            }
        }
        if self.first.is_none() {
            let golden = one.golden.clone().unwrap_or_else(|| one.now.clone());
            self.first = Some(Reference { standing: golden, place });
        }
        self.previous = Some(own);
    }
}

/// The commit since a place at which the metric fell most.
fn largest_step(
    told: &Timeline,
    (history, since): (&History<'_>, usize),
    metric: &str,
    last: &Measurement,
) -> Option<Commit> {
    let from = &history.line[since].id;
    let start = told.commits.iter().position(|entry| entry.commit.id == *from)?;
    let steps = told.commits[start..].windows(2).filter(|pair| pair[1].changed.is_empty());
    let steps = steps
        .filter_map(|pair| Some((pair[1].means.get(metric)? - pair[0].means.get(metric)?, &pair[1].commit)));
    let own = told.commits.last().and_then(|entry| {
        let commit = history.line.iter().find(|commit| commit.id == last.commit)?;
        Some((last.now.scores.mean(metric)? - entry.means.get(metric)?, commit))
    });
    steps.chain(own).min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, commit)| commit.clone())
}

fn lost_queries(before: &Arc<Scores>, now: &Arc<Scores>, metric: &str) -> Vec<QueryLoss> {
    let (Some(then), Some(values)) = (before.values(metric), now.values(metric)) else { return Vec::new() };
    let losses = now.queries.iter().zip(then.iter().zip(values)).filter(|(_, (then, now))| now < then);
    let mut losses: Vec<QueryLoss> = losses
        .map(|(query, (then, now))| QueryLoss { query: query.clone(), before: *then, now: *now })
        .collect();
    losses.sort_by(|one, other| (one.now - one.before).total_cmp(&(other.now - other.before)));
    losses.truncate(QUERIES);
    losses
}
