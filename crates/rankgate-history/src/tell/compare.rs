//! A ranking compared with the references: what is tested, and what a test spends.

use super::Walk;
use crate::Result;
use crate::commit::Commit;
use crate::measured::Golden;
use crate::reference::{Open, Reference, Tested};
use crate::spending::{ReferenceKind, used};
use crate::timeline::End;

impl Walk<'_> {
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
    pub(super) fn hold(&mut self, at: usize, place: usize, number: usize, state: &Golden) -> Result<()> {
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
    pub(super) fn follow(&mut self, at: usize, commit: &Commit, number: usize, state: &Golden) -> Result<()> {
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
    pub(super) fn hold_before(
        &mut self,
        place: usize,
        number: usize,
        state: &Golden,
        before: Golden,
    ) -> Result<()> {
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
}
