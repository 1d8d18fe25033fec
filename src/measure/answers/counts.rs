//! How many claims answers make, and what becomes of queries that a metric leaves out.

use crate::analysis::{NO_CLAIMS, Piece, PieceState};
use crate::gate::Support;
use crate::model::AnswersReport;
use crate::words::beginning;

use super::AnswersOf;

/// How the ids begin of sentences that cite nothing, and of citations of documents that were not retrieved.
pub(super) const UNCITED: &str = "citations/none/u";
pub(super) const NOT_RETRIEVED: &str = "citations/none/n";

/// Characters that are kept of a text without a claim.
const CLAIMLESS: usize = 200;

/// Why a query is not in a metric's mean. Nothing that failed is among it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exclusion {
    /// The answerer declined to answer.
    Declined,
    /// The query has no reference answer: it is left out.
    NoReference,
    /// The query has no nuggets, or none that is vital where those count: it is left out.
    NoNuggets,
    /// The contexts support no claim of its reference, so that there is nothing which the answer could make of them.
    NothingToUse,
    /// It was answered once, and there is nothing to compare the answer with.
    AskedOnce,
}

/// How many claims there are, by their verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) claims: usize,
    pub(super) supported: usize,
    pub(super) partial: usize,
    pub(super) unsupported: usize,
    pub(super) contradicted: usize,
    /// Wrong claims that come from a context.
    pub(super) noise: usize,
    /// Those of which the judge says nothing.
    pub(super) abstained: usize,
    /// Answers and references in which there is no claim.
    pub(super) without_claims: usize,
    /// Sentences that cite nothing.
    pub(super) uncited: usize,
    /// Citations of documents that were not retrieved.
    pub(super) not_retrieved: usize,
}

impl Counts {
    pub(super) fn add(&mut self, piece: &Piece) {
        if piece.id.starts_with(NO_CLAIMS) {
            self.without_claims += 1;
            return;
        }
        if piece.id.starts_with(UNCITED) {
            self.uncited += 1;
            return;
        }
        self.claims += 1;
        if piece.id.starts_with(NOT_RETRIEVED) {
            self.not_retrieved += 1;
            return;
        }
        if piece.is_noise {
            self.noise += 1;
            return;
        }
        match (piece.state, piece.verdict) {
            (PieceState::Fixed(2), _) => self.supported += 1,
            (PieceState::Fixed(_), _) => self.unsupported += 1,
            (_, Some(Support::Supported)) => self.supported += 1,
            (_, Some(Support::Partial)) => self.partial += 1,
            (_, Some(Support::Unsupported)) => self.unsupported += 1,
            (_, Some(Support::Contradicted)) => self.contradicted += 1,
            // A whole answer has a grade: it is supported by nothing and contradicted by nothing.
            (PieceState::Graded(_), None) => {}
            (PieceState::Abstained | PieceState::Missing, None) | (_, Some(Support::CannotTell)) => {
                self.abstained += 1;
            }
        }
    }
}

impl AnswersOf {
    /// The counts of the queries that are meant.
    pub(crate) fn report(&self, configuration: &str, is_meant: impl Fn(&str) -> bool) -> AnswersReport {
        let mut counts = Counts::default();
        let mut claimless_text = None;
        for piece in self.pieces.iter().filter(|(query, _)| is_meant(query)).flat_map(|(_, pieces)| pieces) {
            counts.add(piece);
            if claimless_text.is_none() && piece.id.starts_with(NO_CLAIMS) && !piece.text.is_empty() {
                claimless_text = Some(beginning(&piece.text, CLAIMLESS));
            }
        }
        let excluded =
            |why| self.excluded.iter().filter(|(query, one)| **one == why && is_meant(query)).count();
        let Counts { claims, supported, partial, unsupported, contradicted, abstained, .. } = counts;
        AnswersReport {
            configuration: configuration.to_owned(),
            claims,
            supported,
            partial,
            unsupported,
            contradicted,
            abstained,
            without_claims: counts.without_claims,
            uncited: counts.uncited,
            not_retrieved: counts.not_retrieved,
            noise: counts.noise,
            asked_once: excluded(Exclusion::AskedOnce),
            nothing_to_use: excluded(Exclusion::NothingToUse),
            claimless_text,
            declined: excluded(Exclusion::Declined),
            without_reference: excluded(Exclusion::NoReference),
            without_nuggets: excluded(Exclusion::NoNuggets),
        }
    }
}
