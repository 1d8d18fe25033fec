//! Questions for judges and people about the answers that gates look at.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::{Piece, PieceState};
use crate::collection::Query;
use crate::judge::JudgmentsFile;
use crate::measure::Cache;
use crate::measure::answers::AnswerMetric;
use crate::metric::Metric;
use crate::{Error, Result};

use super::look::{Question, QuestionKind};

/// A judge's questions about answers, one kind after the other: each kind may need answers of the one before.
pub(crate) type AllQuestions = BTreeMap<QuestionKind, Vec<Question>>;

/// Something that a judge could be asked about answers, and people may judge.
pub(crate) struct JudgedPiece {
    pub(crate) query: Query,
    pub(crate) piece: Piece,
    /// The answer that it is about; where several are, the first.
    pub(crate) answer: String,
    /// Whose answers it is about.
    pub(crate) sources: BTreeSet<String>,
}

impl Cache {
    /// All questions about the answers that gates look at, as far as they are determined; and the
    /// configurations whose answers could not be read.
    pub(crate) fn wanted_of_answers(
        &self,
        file: &JudgmentsFile,
    ) -> Result<(AllQuestions, Vec<(String, Error)>)> {
        let (mut all, mut left, mut seen) = (AllQuestions::new(), Vec::new(), BTreeSet::new());
        for metric in self.metrics_of_answers() {
            self.looks(&metric, file, |name, looks| match looks {
                Err(error) => left.push((name.to_owned(), error)),
                Ok(looks) => {
                    for wanted in looks.into_iter().flat_map(|(_, look, _)| look.wanted) {
                        let key = (wanted.pair.query.id.clone(), wanted.pair.document.id.clone());
                        let kind = (wanted.task, metric.criterion().map(str::to_owned));
                        if seen.insert((kind.clone(), key)) {
                            all.entry(kind).or_default().push(wanted);
                        }
                    }
                }
            })?;
        }
        Ok((all, left))
    }

    /// Claims that people may judge: of these queries, what the judge could be asked, in all forms or in one.
    pub(crate) fn claims_for_people(
        &self,
        drawn: &BTreeSet<&str>,
        kind: Option<&QuestionKind>,
    ) -> Result<Vec<JudgedPiece>> {
        let file = JudgmentsFile::read(&self.judge_plan()?.judgments.resolve()?, false)?;
        let mut all: BTreeMap<(String, String), JudgedPiece> = BTreeMap::new();
        let is_asked = |metric: &Metric| {
            kind.is_none_or(|kind| AnswerMetric::question_kind(metric).as_ref() == Some(kind))
        };
        for metric in self.metrics_of_answers().into_iter().filter(is_asked) {
            self.looks(&metric, &file, |name, looks| {
                let looks =
                    looks.into_iter().flatten().filter(|(query, ..)| drawn.contains(query.id.as_str()));
                for (query, look, given) in looks {
                    for piece in look.pieces.into_iter().flatten().filter(|piece| !piece.people.is_empty()) {
                        if !matches!(piece.state, PieceState::Fixed(_)) {
                            let key = (query.id.clone(), piece.id.clone());
                            let (query, answer) = (query.clone(), given.answer.clone());
                            let sources = BTreeSet::new();
                            let known =
                                all.entry(key).or_insert(JudgedPiece { query, piece, answer, sources });
                            known.sources.insert(name.to_owned());
                        }
                    }
                }
            })?;
        }
        Ok(all.into_values().collect())
    }

    /// The metrics of answers on which there are gates.
    pub(crate) fn metrics_of_answers(&self) -> Vec<Metric> {
        let mut all: Vec<Metric> = Vec::new();
        let limited = self.spec.thresholds.iter().flat_map(|one| &one.metrics);
        for metric in limited.chain(self.spec.comparisons.iter().flat_map(|one| &one.metrics)) {
            if metric.is_of_answers() && !all.contains(metric) {
                all.push(metric.clone());
            }
        }
        all
    }
}
