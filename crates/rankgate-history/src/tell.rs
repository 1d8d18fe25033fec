//! The line of commits walked once, from the oldest on.

mod alarms;
mod compare;
mod references;
mod summary;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::stats::{Confidence, PairedT, mean};
use crate::{Error, Result};

use crate::commit::Commit;
use crate::loss::Tests;
use crate::measured::{Changed, Golden, History, Measurement};
use crate::metric::Metric;
use crate::reference::{Memo, Reference};
use crate::spending::{ReferenceKind, Rules};
use crate::timeline::{End, Entry, Epoch, Move, State, Timeline, Value};
use crate::varying;

impl History {
    /// Tells what happened.
    ///
    /// # Errors
    /// Nothing that was measured; a commit that is not on the line, or is on it twice; a base that is not on the line
    /// or was not measured; scores that are not one finite number for each query.
    pub fn tell(&self, rules: &Rules) -> Result<Timeline> {
        self.tell_again(rules, &Tests::default())
    }

    /// The same, with what tests came to before.
    ///
    /// # Errors
    /// As [`tell`](Self::tell).
    pub fn tell_again(&self, rules: &Rules, tests: &Tests) -> Result<Timeline> {
        let line = self.in_order()?;
        let newest = line.last().and_then(|at| at.measured.last());
        let newest = newest.ok_or_else(|| Error::invalid("nothing was measured at any commit"))?;
        let rules = &rules.of_spec(newest.alarms);
        let metrics: Vec<String> = newest.scores.by_metric.iter().map(|(metric, _)| metric.clone()).collect();
        let gated: Vec<String> =
            metrics.iter().filter(|metric| newest.gated.contains(metric)).cloned().collect();
        let is_unwatched =
            |metric: &&String| !metrics.contains(metric) || !Metric::takes_rise_for_gain(metric);
        let unwatched = newest.gated.iter().filter(is_unwatched).cloned().collect();
        let varying = varying::last_epoch(&line, self, &gated, rules)?;
        let mut walk = Walk {
            line: &self.line,
            acknowledged: self,
            rules,
            gated: gated.clone(),
            metrics: metrics.clone(),
            before: None,
            stretch: 0,
            first: None,
            golden: None,
            accepted: None,
            numbers: BTreeMap::new(),
            references: Vec::new(),
            tests,
            memo: Memo::default(),
            blessed: Vec::new(),
            told: Timeline {
                metrics,
                gated,
                unwatched,
                alpha: rules.alpha,
                notice: rules.notice,
                unseen: Some(rules.unseen_level(1.0, 1)),
                guarantee: Some(rules.guarantee),
                step: Some(rules.step),
                smallest_loss: Some(rules.smallest_loss),
                epochs: Vec::new(),
                states: Vec::new(),
                commits: Vec::new(),
                references: Vec::new(),
                alarms: Vec::new(),
                notices: Vec::new(),
                tests: 0,
                notices_by_chance: 0.0,
                blessings: 0,
                blessings_lately: 0,
                unmeasured_releases: Vec::new(),
                varying,
            },
            scores: Vec::new(),
            places: Vec::new(),
        };
        for epoch in varying::epochs(&line) {
            let varies = varying::varies(epoch);
            for at in epoch {
                for one in &at.measured {
                    walk.step(at.place, one, varies)?;
                }
            }
        }
        Ok(walk.finish())
    }
}

struct Walk<'a> {
    line: &'a [Commit],
    acknowledged: &'a History,
    rules: &'a Rules,
    gated: Vec<String>,
    metrics: Vec<String>,
    /// The measurement before, and its commit's place on the line.
    before: Option<(usize, &'a Measurement)>,
    /// How often references restarted.
    stretch: usize,
    /// The first state of the stretch.
    first: Option<Golden>,
    /// Fingerprint of the golden ranking that stands, whether or not anything can be held against it.
    golden: Option<String>,
    /// That of the ranking whose loss was accepted last.
    accepted: Option<String>,
    /// Numbers of states by stretch and fingerprint.
    numbers: BTreeMap<(usize, String), usize>,
    references: Vec<Reference>,
    tests: &'a Tests,
    /// Of the state at hand.
    memo: Memo,
    /// When golden rankings were replaced.
    blessed: Vec<i64>,
    told: Timeline,
    /// By alarm: the state, and the reference of each [`ReferenceComparison`].
    scores: Vec<(Golden, Vec<Golden>)>,
    /// By entry: its place on the line.
    places: Vec<usize>,
}

impl<'a> Walk<'a> {
    /// Goes on to a measurement. Where asking again gives another ranking, no ranking is a state that could be tested.
    fn step(&mut self, place: usize, one: &'a Measurement, varies: bool) -> Result<()> {
        let commit = &self.line[place];
        self.enter(commit, one);
        let state = Golden { ranking: one.ranking.clone(), scores: one.scores.clone() };
        let began = self.first.is_none();
        let first = self.first.get_or_insert_with(|| state.clone()).clone();
        let (number, is_new) = self.state(commit, &state, &first);
        let before = self.before.filter(|_| !began);
        let moved = match before {
            None => Move::First,
            Some((_, before)) if before.ranking == one.ranking => Move::Same,
            Some(_) if is_new => Move::New,
            Some(_) => Move::Return,
        };
        let last = self.ranking_before(one, began);
        let differences = last.as_ref().map(|before| {
            let difference = |metric: &String| {
                let difference = one.scores.since(&before.scores, metric)?;
                Some((metric.clone(), difference.mean()))
            };
            self.metrics.iter().filter_map(difference).collect()
        });
        let is_golden = self.golden.as_ref() == Some(&one.ranking);
        // A report has the golden run that it leaves behind: where that is its own ranking, this commit blessed it.
        let golden = one.golden.as_ref();
        let blessed_here =
            self.golden.is_some() && golden.is_some_and(|golden| golden.ranking == one.ranking);
        let blessed = (one.blessed || blessed_here) && !is_golden;
        self.told.commits.push(Entry {
            commit: commit.to_name(),
            releases: commit.releases.clone(),
            state: number,
            moved,
            differences: differences.unwrap_or_default(),
            blessed,
        });
        self.places.push(place);
        if let Some(golden) = golden.filter(|one| !blessed && self.golden.as_ref() != Some(&one.ranking)) {
            self.bless(commit, golden.clone());
        }
        if began {
            let golden = self.standing(ReferenceKind::Golden);
            let golden = golden.and_then(|at| self.references[at].pool.first().cloned());
            self.stand(ReferenceKind::First, golden.unwrap_or_else(|| state.clone()), commit, None);
            self.stand(ReferenceKind::Best, state.clone(), commit, None);
        }
        self.memo = Memo::default();
        if !varies {
            for kind in ReferenceKind::STANDING {
                if let Some(at) = self.standing(kind) {
                    self.hold(at, place, number, &state)?;
                }
            }
            for at in 0..self.references.len() {
                if self.references[at].is_retired {
                    self.follow(at, commit, number, &state)?;
                }
            }
            if let Some(before) = last {
                self.hold_before(place, number, &state, before)?;
            }
        }
        // What a bless accepted is what was lost with it, and not what is lost by a later return to it.
        if one.accepted && self.accepted.as_ref() != Some(&one.ranking) {
            self.accept(commit, &state);
            self.accepted = Some(one.ranking.clone());
        }
        if let Some(best) = self.standing(ReferenceKind::Best).filter(|_| is_new && !varies) {
            let best = &mut self.references[best];
            if best.pool.push(state.clone()) {
                // What was no loss against the best before may be one against this.
                best.known.retain(|ranking, open| *ranking == state.ranking || !open.is_empty());
            }
        }
        if blessed {
            self.bless(commit, state.clone());
        }
        if !commit.releases.is_empty() {
            self.stand(ReferenceKind::Release, state, commit, Some(commit.releases.join(", ")));
        }
        self.before = Some((place, one));
        Ok(())
    }

    /// The ranking before, where it is another one, with its scores under the inputs of this one. At the beginning of an
    /// epoch the report may have them as those of the golden run.
    fn ranking_before(&self, one: &'a Measurement, began: bool) -> Option<Golden> {
        let (_, before) = self.before.filter(|(_, before)| before.ranking != one.ranking)?;
        if !began {
            return Some(Golden { ranking: before.ranking.clone(), scores: Arc::clone(&before.scores) });
        }
        let scored = golden_again(one, &one.inputs.changed_since(&before.inputs));
        scored.filter(|golden| golden.ranking == before.ranking).cloned()
    }

    /// Begins an epoch where inputs are others than before.
    fn enter(&mut self, commit: &Commit, one: &Measurement) {
        let changed = self.before.map_or(Vec::new(), |(_, before)| one.inputs.changed_since(&before.inputs));
        // Other judgments part nothing where both sides are scored under the same ones.
        let anew = self.before.is_some_and(|(_, before)| {
            before.judged != one.judged
                || !Arc::ptr_eq(&before.scores, &one.scores) && before.scores.queries != one.scores.queries
                || changed.iter().any(|changed| *changed != Changed::Judgments)
        });
        let golden = golden_again(one, &changed).filter(|_| anew);
        let moved = self.before.is_some_and(|(_, before)| before.ranking != one.ranking);
        if self.before.is_none() || anew || !changed.is_empty() {
            // A golden run that is the new ranking itself says nothing of the one before.
            let is_other = golden.is_some_and(|golden| golden.ranking != one.ranking);
            let untold = anew && moved && !is_other;
            self.told.epochs.push(Epoch { from: commit.id.clone(), changed, anew, untold });
        }
        if anew {
            // The golden run of before goes on as a reference, with its scores under the new inputs.
            if golden.is_some_and(|golden| self.golden.as_ref() == Some(&golden.ranking)) {
                self.golden = None;
            }
            for at in 0..self.references.len() {
                self.end_all(at, commit, End::Epoch);
                self.until(at, commit);
            }
            self.references.clear();
            self.first = None;
            self.stretch += 1;
        }
    }

    /// The number of a state, and whether it is new.
    fn state(&mut self, commit: &Commit, state: &Golden, first: &Golden) -> (usize, bool) {
        let next = self.told.states.len() + 1;
        let number = *self.numbers.entry((self.stretch, state.ranking.clone())).or_insert(next);
        if number < next {
            self.told.states[number - 1].commits += 1;
            return (number, false);
        }
        let value = |metric: &String| {
            let since = state.scores.since(&first.scores, metric).filter(|_| state.ranking != first.ranking);
            let interval = since.and_then(|since| {
                let interval = PairedT::new(&since)?.interval(Confidence::default()).ok()?;
                Some([interval.low, interval.high].map(|limit| since.baseline_mean() + limit))
            });
            Some(Value { metric: metric.clone(), mean: mean(state.scores.values(metric)?).ok()?, interval })
        };
        self.told.states.push(State {
            number,
            ranking: state.ranking.clone(),
            from: commit.id.clone(),
            commits: 1,
            values: self.metrics.iter().filter_map(value).collect(),
        });
        (number, true)
    }

    fn bless(&mut self, commit: &Commit, golden: Golden) {
        if self.golden.replace(golden.ranking.clone()).is_some() {
            self.blessed.push(commit.time);
            // What is lost is golden from here on. That it was blessed is not that it was accepted.
            let open = self.references.iter().flat_map(|reference| reference.open.values());
            for alarm in open.copied().collect::<BTreeSet<usize>>() {
                self.told.alarms[alarm].blessed.get_or_insert_with(|| commit.to_name());
            }
        }
        self.stand(ReferenceKind::Golden, golden, commit, None);
    }
}

/// The golden run of a measurement, where nothing changed since the one before but what rankings are scored by.
fn golden_again<'a>(one: &'a Measurement, changed: &[Changed]) -> Option<&'a Golden> {
    let scores_alone = changed.iter().all(|changed| changed.is_of_scoring());
    one.golden.as_ref().filter(|golden| scores_alone && golden.scores.queries == one.scores.queries)
}
