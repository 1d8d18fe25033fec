//! The claims of all configurations under one metric, by query and id.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::Result;
use crate::analysis::{AnswerWithContexts, NO_CLAIMS, Piece, PieceState};
use crate::collection::{Collection, Qrels, Query};
use crate::gate::State;
use crate::judge::{Description, Item, JudgmentsFile, Task, Unasked};
use crate::measure::answers::counts::Exclusion;
use crate::measure::judged::files::WithoutGrade;
use crate::measure::judged::read::changed;

use super::look::Look;

/// What was taken of one configuration.
pub(super) struct Taken {
    pub(super) pieces: BTreeMap<String, Vec<Piece>>,
    pub(super) given: BTreeMap<String, AnswerWithContexts>,
    pub(super) excluded: BTreeMap<String, Exclusion>,
}

/// All claims, by query and id.
#[derive(Default)]
pub(super) struct Pieces(BTreeMap<(String, String), Piece>);

impl Pieces {
    pub(super) fn take(&mut self, looks: Vec<(Query, Look, AnswerWithContexts)>) -> Taken {
        let (mut pieces, mut all_given, mut excluded) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (query, look, given) in looks {
            all_given.insert(query.id.clone(), given);
            match look.pieces {
                Ok(list) => {
                    for piece in &list {
                        self.0.insert((query.id.clone(), piece.id.clone()), piece.clone());
                    }
                    pieces.insert(query.id, list);
                }
                Err(exclusion) => drop(excluded.insert(query.id, exclusion)),
            }
        }
        Taken { pieces, given: all_given, excluded }
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

    /// What these judges answered where that left claims without a verdict.
    pub(super) fn without_grade(
        &self,
        file: &JudgmentsFile,
        judges: &[&str],
    ) -> BTreeMap<(String, String), WithoutGrade> {
        let answered = file.items().filter(|item| judges.contains(&item.judge.as_str()));
        let answered: HashMap<(&str, &str), &Item> =
            answered.map(|item| ((item.query.as_str(), item.document.as_str()), item)).collect();
        let abstained = self.0.iter().filter(|(_, piece)| piece.state == PieceState::Abstained);
        let why = |(key, piece): (&(String, String), &Piece)| {
            let item = answered.get(&(key.0.as_str(), piece.asked.as_str()))?;
            let judge = item.judge.clone();
            let why = match item.state {
                State::Graded if piece.id.starts_with(NO_CLAIMS) => {
                    WithoutGrade::NoClaim { judge, text: piece.text.clone() }
                }
                // A verdict of `cannot_tell` in a list of verdicts.
                State::Graded => WithoutGrade::Failed { judge, state: State::Abstained },
                state => WithoutGrade::Failed { judge, state },
            };
            Some((key.clone(), why))
        };
        abstained.filter_map(why).collect()
    }

    /// The pieces that a judge lacks which is none of verdicts: the claims of their texts are unknown.
    pub(super) fn lacking(&self, finds_claims: Option<&str>) -> BTreeMap<(String, String), String> {
        let Some(judge) = finds_claims else { return BTreeMap::new() };
        let missing = self.0.iter().filter(|(_, piece)| piece.state == PieceState::Missing);
        let of_claims = missing.filter(|(_, piece)| piece.asked.starts_with(Task::Claims.as_str()));
        of_claims.map(|(key, _)| (key.clone(), judge.to_owned())).collect()
    }

    /// The pieces that lack an answer to a question which was not asked on this machine.
    pub(super) fn unasked<'a>(
        &self,
        unasked: &Unasked,
        judges: impl Iterator<Item = &'a String>,
        collection: &Collection,
    ) -> BTreeSet<(String, String)> {
        let mut questions: BTreeSet<(&str, &str)> = BTreeSet::new();
        for judge in judges {
            for query in collection.queries() {
                // The id of a question is made of all that is shown.
                let documents = unasked.documents(judge, query);
                questions.extend(documents.map(|(document, _)| (query.id.as_str(), document)));
            }
        }
        let missing = self.0.iter().filter(|(_, piece)| piece.state == PieceState::Missing);
        let is_unasked = |(key, piece): &(&(String, String), &Piece)| {
            questions.contains(&(key.0.as_str(), piece.asked.as_str()))
        };
        missing.filter(is_unasked).map(|(key, _)| key.clone()).collect()
    }

    /// For questions that the judge lacks, why another judge's answer does not count.
    pub(super) fn elsewhere(
        &self,
        file: &JudgmentsFile,
        judge: &str,
        now: &Description,
    ) -> BTreeMap<(String, String), String> {
        let others = file.all_judges().filter(|(id, other)| *id != judge && other.form == now.form);
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
