//! The line of commits walked once, from the oldest on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::Mover;
use crate::order;
use crate::stats::{Confidence, PairedT, mean};
use crate::{Error, Result};

use crate::best::Pool;
use crate::commit::{Commit, CommitName, short_id};
use crate::loss::Tests;
use crate::measured::{Changed, Golden, History, Measurement};
use crate::reference::{Memo, Open, Reference, Tested};
use crate::spending::{ReferenceKind, Rules, used};
use crate::timeline::{
    Alarm, End, Ended, Entry, Epoch, Lost, Move, Notice, ReferenceComparison, ReferenceReport, State,
    Timeline, Value,
};
use crate::varying;

/// Queries and steps that are named.
const QUERIES: usize = 5;
const STEPS: usize = 5;
/// Means that differ by less do so by rounding.
const ROUNDING: f64 = 1e-9;
/// What blessings are counted over, before the last commit.
const LATELY: i64 = 90 * 24 * 60 * 60;

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

    /// Acknowledges what is lost with a ranking: who blessed it said that its loss is accepted.
    fn accept(&mut self, commit: &Commit, state: &Golden) {
        while let Some(at) = self.references.iter().position(|reference| !reference.open.is_empty()) {
            let open = self.references[at].open.clone();
            open.values().for_each(|alarm| self.told.alarms[*alarm].acknowledged = true);
            self.acknowledge(at, commit, state, open.into_keys().collect());
        }
    }

    /// Ends alarms that somebody accepted; from here on their ranking is the reference.
    fn acknowledge(&mut self, at: usize, commit: &Commit, state: &Golden, metrics: Vec<String>) {
        if metrics.is_empty() {
            return;
        }
        metrics.iter().for_each(|metric| self.end(at, metric, commit, End::Acknowledged));
        let reference = &mut self.references[at];
        reference.known.insert(state.ranking.clone(), reference.open.clone());
        if !reference.is_retired {
            let report = &self.told.references[reference.report];
            let (kind, release) = (report.kind, report.release.clone());
            self.stand(kind, state.clone(), commit, release);
        }
    }

    fn standing(&self, kind: ReferenceKind) -> Option<usize> {
        self.references.iter().position(|reference| reference.kind == kind && !reference.is_retired)
    }

    /// Puts a ranking in the place of the reference of its kind, with the next share of the kind's budget.
    fn stand(&mut self, kind: ReferenceKind, one: Golden, commit: &Commit, release: Option<String>) {
        if let Some(at) = self.standing(kind) {
            if kind != ReferenceKind::Best && self.references[at].ranking == one.ranking {
                // The same ranking once more is no other reference.
                let report = self.references[at].report;
                self.told.references[report].release = release;
                return;
            }
            self.until(at, commit);
            // A loss stands until it is repaired or accepted, whatever takes the reference's place.
            if self.references[at].ever_alarmed() {
                self.references[at].is_retired = true;
            } else {
                self.references.remove(at);
            }
        }
        self.add(kind, one, commit, release);
    }

    /// Adds a reference.
    fn add(&mut self, kind: ReferenceKind, one: Golden, commit: &Commit, release: Option<String>) {
        let number = 1 + self.told.references.iter().filter(|reference| reference.kind == kind).count();
        self.references.push(Reference {
            kind,
            report: self.told.references.len(),
            number,
            ranking: one.ranking.clone(),
            known: BTreeMap::from([(one.ranking.clone(), Open::new())]),
            k: 0,
            open: Open::new(),
            pool: Pool::new(one.clone()),
            is_retired: false,
        });
        self.told.references.push(ReferenceReport {
            kind,
            release,
            ranking: one.ranking,
            from: commit.id.clone(),
            until: None,
            number,
            budget: if kind == ReferenceKind::Before { self.rules.step } else { self.rules.budget(number) },
            rankings: 0,
            used: 0.0,
        });
    }

    fn until(&mut self, at: usize, commit: &Commit) {
        let report = self.references[at].report;
        self.told.references[report].until = Some(commit.id.clone());
    }

    /// Those of an alarm's losses that are against a reference, on a metric.
    fn losses_against(
        &mut self,
        at: usize,
        metric: &str,
        alarm: usize,
    ) -> impl Iterator<Item = &mut ReferenceComparison> {
        let report = &self.told.references[self.references[at].report];
        let is_of = move |held: &&mut ReferenceComparison| {
            (held.reference, &held.from) == (report.kind, &report.from) && held.metric == metric
        };
        self.told.alarms[alarm].against.iter_mut().filter(is_of)
    }

    /// Ends the alarm that is open on a metric against a reference.
    fn end(&mut self, at: usize, metric: &str, commit: &Commit, how: End) {
        let Some(alarm) = self.references[at].open.remove(metric) else { return };
        for held in self.losses_against(at, metric, alarm).filter(|held| held.ended.is_none()) {
            held.ended = Some(Ended { commit: commit.id.clone(), how });
        }
    }

    /// Ends all alarms that are open against a reference.
    fn end_all(&mut self, at: usize, commit: &Commit, how: End) {
        for metric in self.references[at].open.clone().keys() {
            self.end(at, metric, commit, how);
        }
    }

    /// Goes back to the alarms that a ranking was in when it was held against a reference.
    fn again(&mut self, at: usize, commit: &Commit, known: Open) {
        for (metric, alarm) in self.references[at].open.clone() {
            if known.get(&metric) != Some(&alarm) {
                self.end(at, &metric, commit, End::Returned);
            }
        }
        for (metric, alarm) in &known {
            self.losses_against(at, metric, *alarm).for_each(|held| held.ended = None);
        }
        self.references[at].open = known;
    }

    /// Holds a state against a reference.
    fn hold(&mut self, at: usize, place: usize, number: usize, state: &Golden) -> Result<()> {
        let commit = &self.line[place];
        if let Some(known) = self.references[at].known.get(&state.ranking).cloned() {
            self.again(at, commit, known);
            return Ok(());
        }
        let tested = self.test(at, state, None)?;
        let (open, tested): (Vec<Tested>, Vec<Tested>) =
            tested.into_iter().partition(|one| self.references[at].open.contains_key(&one.metric));
        self.take_in(at, commit, number, open);
        let shown = if tested.is_empty() { Vec::new() } else { self.spend(at, commit, number, tested) };
        self.raise(at, place, (number, state), shown);
        Ok(())
    }

    /// Follows alarms whose reference was replaced, or that are of a step.
    fn follow(&mut self, at: usize, commit: &Commit, number: usize, state: &Golden) -> Result<()> {
        if let Some(known) = self.references[at].known.get(&state.ranking).cloned() {
            self.again(at, commit, known);
            return Ok(());
        }
        let metrics: Vec<String> = self.references[at].open.keys().cloned().collect();
        if !metrics.is_empty() {
            let open = self.test(at, state, Some(&metrics))?;
            self.take_in(at, commit, number, open);
            let open = self.references[at].open.clone();
            self.references[at].known.insert(state.ranking.clone(), open);
        }
        Ok(())
    }

    /// Holds a ranking against the one before it, for a step alarm.
    fn hold_before(&mut self, place: usize, number: usize, state: &Golden, before: Golden) -> Result<()> {
        let same = |one: &Reference| one.kind == ReferenceKind::Before && one.ranking == before.ranking;
        if self.references.iter().any(|one| same(one) && one.known.contains_key(&state.ranking)) {
            // It is open again.
            return Ok(());
        }
        let commit = &self.line[self.before.map_or(place, |(place, _)| place)];
        self.add(ReferenceKind::Before, before, commit, None);
        let at = self.references.len() - 1;
        self.references[at].is_retired = true;
        let tested = self.test(at, state, None)?;
        let shown: Vec<Tested> =
            tested.into_iter().filter(|one| one.is_shown(self.rules.step, 1, self.rules)).collect();
        if shown.is_empty() {
            self.references.pop();
            self.told.references.pop();
            return Ok(());
        }
        let report = &mut self.told.references[self.references[at].report];
        (report.rankings, report.used) = (1, 1.0);
        self.raise(at, place, (number, state), shown);
        Ok(())
    }

    /// Tests a state against a reference, on these metrics or on all that gates stand on.
    fn test(&mut self, at: usize, state: &Golden, metrics: Option<&[String]>) -> Result<Vec<Tested>> {
        let (metrics, now) = (metrics.unwrap_or(&self.gated), (state.ranking.as_str(), &state.scores));
        self.references[at].test(now, metrics, self.rules, (self.tests, &mut self.memo))
    }

    /// Takes a state into the alarms that are open, or ends those whose loss it no longer shows. It would not have alarmed
    /// either: neither spends anything.
    fn take_in(&mut self, at: usize, commit: &Commit, number: usize, open: Vec<Tested>) {
        for one in open {
            if one.p > self.rules.notice || !one.is_loss(self.rules) {
                self.end(at, &one.metric, commit, End::Recovered);
            } else if let Some(alarm) = self.references[at].open.get(&one.metric).copied() {
                let held = self.losses_against(at, &one.metric, alarm).filter(|held| held.ended.is_none());
                held.for_each(|held| held.absorbed.push(number));
            }
        }
    }

    /// Spends what one more ranking may; the losses that are shown.
    fn spend(&mut self, at: usize, commit: &Commit, number: usize, tested: Vec<Tested>) -> Vec<Tested> {
        let threshold = self.references[at].threshold(self.rules);
        self.told.tests += tested.len();
        self.references[at].k += 1;
        let (k, report) = (self.references[at].k, self.references[at].report);
        (self.told.references[report].rankings, self.told.references[report].used) = (k, used(k));
        let (shown, rest): (Vec<Tested>, Vec<Tested>) =
            tested.into_iter().partition(|one| one.is_shown(threshold, k, self.rules));
        self.notice(at, commit, number, rest);
        shown
    }

    /// Raises the alarm of losses, if there are any. Where somebody has acknowledged it, its ranking is the reference.
    fn raise(&mut self, at: usize, place: usize, (number, state): (usize, &Golden), shown: Vec<Tested>) {
        if shown.is_empty() {
            let open = self.references[at].open.clone();
            self.references[at].known.insert(state.ranking.clone(), open);
            return;
        }
        let (commit, report) = (&self.line[place], self.references[at].report);
        let (k, threshold) = match self.references[at].kind {
            ReferenceKind::Before => (1, self.rules.step),
            _ => {
                let k = self.references[at].k;
                (k, self.rules.threshold(self.references[at].number, k))
            }
        };
        let alarm = self.alarm(commit, place, number, state);
        let metrics: Vec<String> = shown.iter().map(|one| one.metric.clone()).collect();
        for one in shown {
            self.references[at].open.insert(one.metric.clone(), alarm);
            let report = &self.told.references[report];
            self.scores[alarm].1.push(one.against.clone());
            self.told.alarms[alarm].against.push(ReferenceComparison {
                reference: report.kind,
                release: report.release.clone(),
                from: report.from.clone(),
                against: one.against.ranking,
                metric: one.metric,
                before: one.before,
                now: one.now,
                p: one.adjusted,
                threshold,
                p_unseen: one.unseen,
                ranking: k,
                absorbed: Vec::new(),
                ended: None,
            });
        }
        if self.told.alarms[alarm].acknowledged {
            self.acknowledge(at, commit, state, metrics);
        } else {
            let open = self.references[at].open.clone();
            self.references[at].known.insert(state.ranking.clone(), open);
        }
    }

    fn notice(&mut self, at: usize, commit: &Commit, number: usize, tested: Vec<Tested>) {
        let reference = self.references[at].kind;
        let notice = |one: Tested| Notice {
            commit: commit.to_name(),
            state: number,
            reference,
            metric: one.metric,
            difference: one.now - one.before,
            p: one.p,
        };
        let noticed = tested.into_iter().filter(|one| one.p <= self.rules.notice && one.is_loss(self.rules));
        self.told.notices.extend(noticed.map(notice));
    }

    /// The alarm of a state at a commit, which may be against several references.
    fn alarm(&mut self, commit: &Commit, place: usize, number: usize, state: &Golden) -> usize {
        let found = |alarm: &Alarm| alarm.state == number && alarm.opened.commit == commit.id;
        if let Some(found) = self.told.alarms.iter().position(found) {
            return found;
        }
        let mut id = short_id(&state.ranking);
        if self.told.alarms.iter().any(|alarm| alarm.id == id) {
            // A ranking that came back is another loss, against what had become better.
            id = format!("{id}.{}", short_id(&commit.id));
        }
        let after = self.before.map(|(place, _)| place);
        self.told.alarms.push(Alarm {
            acknowledged: self.acknowledged.acknowledged.contains(&id),
            id,
            opened: commit.to_name(),
            state: number,
            open: false,
            blessed: None,
            against: Vec::new(),
            after: after.map(|after| self.line[after].to_name()),
            suspects: self.between(after, place),
            steps: Vec::new(),
            queries: Vec::new(),
        });
        self.scores.push((state.clone(), Vec::new()));
        self.told.alarms.len() - 1
    }

    fn finish(mut self) -> Timeline {
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
    fn between(&self, after: Option<usize>, place: usize) -> Vec<CommitName> {
        self.line[after.map_or(0, |after| after + 1)..=place].iter().map(Commit::to_name).collect()
    }
}

/// The golden run of a measurement, where nothing changed since the one before but what rankings are scored by.
fn golden_again<'a>(one: &'a Measurement, changed: &[Changed]) -> Option<&'a Golden> {
    let scores_alone = changed.iter().all(|changed| changed.is_of_scoring());
    one.golden.as_ref().filter(|golden| scores_alone && golden.scores.queries == one.scores.queries)
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
