//! The claims of all configurations under one metric, by query and id.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::Result;
use crate::analysis::{AnswerWithContexts, Piece, PieceState};
use crate::collection::{Qrels, Query};
use crate::gate::State;
use crate::judge::{Description, JudgmentsFile};
use crate::measure::judged::read::changed;
use crate::model::AnswersReport;

use super::look::{Counts, Exclusion, Look};

/// What was taken of one configuration.
pub(super) struct Taken {
    pub(super) pieces: BTreeMap<String, Vec<Piece>>,
    pub(super) given: BTreeMap<String, AnswerWithContexts>,
    pub(super) report: AnswersReport,
}

/// All claims, by query and id.
#[derive(Default)]
pub(super) struct Pieces(BTreeMap<(String, String), Piece>);

impl Pieces {
    pub(super) fn take(&mut self, name: &str, looks: Vec<(Query, Look, AnswerWithContexts)>) -> Taken {
        let (mut pieces, mut all_given) = (BTreeMap::new(), BTreeMap::new());
        let (mut counts, mut declined, mut without_reference) = (Counts::default(), 0, 0);
        for (query, look, given) in looks {
            all_given.insert(query.id.clone(), given);
            match look.pieces {
                Ok(list) => {
                    for piece in &list {
                        counts.add(piece);
                        self.0.insert((query.id.clone(), piece.id.clone()), piece.clone());
                    }
                    pieces.insert(query.id, list);
                }
                Err(Exclusion::Declined) => declined += 1,
                Err(Exclusion::NoReference) => without_reference += 1,
            }
        }
        let Counts { claims, supported, partial, unsupported, contradicted, abstained, without_claims } =
            counts;
        let report = AnswersReport {
            configuration: name.to_owned(),
            claims,
            supported,
            partial,
            unsupported,
            contradicted,
            abstained,
            without_claims,
            declined,
            without_reference,
        };
        Taken { pieces, given: all_given, report }
    }

    pub(super) fn get(&self, query: &str, id: &str) -> Option<&Piece> {
        self.0.get(&(query.to_owned(), id.to_owned()))
    }

    pub(super) fn qrels(&self, grade: impl Fn(&Piece) -> Option<i32>) -> Result<Qrels> {
        let mut qrels = Qrels::new();
        for ((query, id), piece) in &self.0 {
            if let Some(grade) = grade(piece) {
                qrels.insert(query, id, grade)?;
            }
        }
        Ok(qrels)
    }

    /// The ids of those that are meant, by query.
    pub(super) fn ids_by_query(&self, meant: impl Fn(&Piece) -> bool) -> BTreeMap<String, BTreeSet<String>> {
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for ((query, id), _) in self.0.iter().filter(|(_, piece)| meant(piece)) {
            all.entry(query.clone()).or_default().insert(id.clone());
        }
        all
    }

    /// The states of the questions that left claims without a verdict.
    pub(super) fn without_grade(&self, file: &JudgmentsFile) -> BTreeMap<(String, String), State> {
        let failed = file.items().filter(|item| item.state != State::Graded);
        let failed: HashMap<(&str, &str), State> =
            failed.map(|item| ((item.query.as_str(), item.document.as_str()), item.state)).collect();
        let abstained = self.0.iter().filter(|(_, piece)| piece.state == PieceState::Abstained);
        let state = |(key, piece): (&(String, String), &Piece)| {
            Some((key.clone(), *failed.get(&(key.0.as_str(), piece.asked.as_str()))?))
        };
        abstained.filter_map(state).collect()
    }

    /// For questions that the judge lacks, why another judge's answer does not count.
    pub(super) fn elsewhere(
        &self,
        file: &JudgmentsFile,
        judge: &str,
        now: &Description,
    ) -> BTreeMap<(String, String), String> {
        let others = file.judges().iter().filter(|(id, other)| *id != judge && other.form == now.form);
        let others: Vec<_> = others.map(|(id, other)| (id, changed(id, now, other))).collect();
        let mut by_others: HashMap<(&str, &str), &str> = HashMap::new();
        for item in file.items() {
            if let Some((_, why)) = others.iter().find(|(id, _)| **id == item.judge) {
                by_others.insert((&item.query, &item.document), why);
            }
        }
        let missing = self.0.iter().filter(|(_, piece)| piece.state == PieceState::Missing);
        let why = |(key, piece): (&(String, String), &Piece)| {
            let why = by_others.get(&(key.0.as_str(), piece.asked.as_str()))?;
            Some((key.clone(), (*why).to_owned()))
        };
        missing.filter_map(why).collect()
    }
}
