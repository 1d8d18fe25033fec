//! The references that stand: each kind has one, whose ranking another one may replace.

use std::collections::BTreeMap;

use super::Walk;
use crate::best::Pool;
use crate::commit::Commit;
use crate::measured::Golden;
use crate::reference::{Open, Reference};
use crate::spending::ReferenceKind;
use crate::timeline::ReferenceReport;

impl Walk<'_> {
    pub(super) fn standing(&self, kind: ReferenceKind) -> Option<usize> {
        self.references.iter().position(|reference| reference.kind == kind && !reference.is_retired)
    }

    /// Puts a ranking in the place of the reference of its kind, with the next share of the kind's budget.
    pub(super) fn stand(
        &mut self,
        kind: ReferenceKind,
        one: Golden,
        commit: &Commit,
        release: Option<String>,
    ) {
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
    pub(super) fn add(&mut self, kind: ReferenceKind, one: Golden, commit: &Commit, release: Option<String>) {
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

    pub(super) fn until(&mut self, at: usize, commit: &Commit) {
        let report = self.references[at].report;
        self.told.references[report].until = Some(commit.id.clone());
    }
}
