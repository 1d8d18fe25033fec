//! Alarms: raised, acknowledged and ended; and notices of losses that raise none.

use super::Walk;
use crate::commit::{Commit, short_id};
use crate::measured::Golden;
use crate::reference::Tested;
use crate::spending::ReferenceKind;
use crate::timeline::{Alarm, End, Ended, Notice, ReferenceComparison};

impl Walk<'_> {
    /// Raises the alarm of losses, if there are any. Where somebody has acknowledged it, its ranking is the reference.
    pub(super) fn raise(
        &mut self,
        at: usize,
        place: usize,
        (number, state): (usize, &Golden),
        shown: Vec<Tested>,
    ) {
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

    pub(super) fn notice(&mut self, at: usize, commit: &Commit, number: usize, tested: Vec<Tested>) {
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

    /// Acknowledges what is lost with a ranking: who blessed it said that its loss is accepted.
    pub(super) fn accept(&mut self, commit: &Commit, state: &Golden) {
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

    /// Those of an alarm's losses that are against a reference, on a metric.
    pub(super) fn losses_against(
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
    pub(super) fn end(&mut self, at: usize, metric: &str, commit: &Commit, how: End) {
        let Some(alarm) = self.references[at].open.remove(metric) else { return };
        for held in self.losses_against(at, metric, alarm).filter(|held| held.ended.is_none()) {
            held.ended = Some(Ended { commit: commit.id.clone(), how });
        }
    }

    /// Ends all alarms that are open against a reference.
    pub(super) fn end_all(&mut self, at: usize, commit: &Commit, how: End) {
        for metric in self.references[at].open.clone().keys() {
            self.end(at, metric, commit, how);
        }
    }
}
