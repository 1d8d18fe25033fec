//! The data kept of a baseline's file while its candidates are read, one after the other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::offline::analysis::{Alike, only_ties_moved, parting};
use crate::offline::collection::Query;
use crate::offline::run::{Agreement, Ranking};

/// The data kept of a baseline until the candidates have been read.
#[derive(Default)]
pub(super) struct Baseline {
    /// The ids of the documents, one after the other, and where each ends.
    ids: String,
    ends: Vec<usize>,
    /// Of the same documents, where it matters whether nothing but ties moved.
    scores: Vec<f64>,
    scored: bool,
    /// The rank down to which the overlap of rankings is asked for.
    deepest: usize,
    pub(super) places: BTreeMap<String, RankingPlace>,
}

/// Where a ranking is among all that is held.
#[derive(Default)]
pub(super) struct RankingPlace {
    documents: Range<usize>,
    scores: Range<usize>,
}

impl Baseline {
    /// With the scores, where it matters whether nothing but ties moved; `deepest` is the rank down to which the overlap of
    /// rankings is asked for.
    pub(super) fn new(scored: bool, deepest: usize) -> Self {
        Self { scored, deepest, ..Self::default() }
    }

    pub(super) fn keep(all: &Mutex<Self>, ranking: &Ranking<'_>) -> RankingPlace {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, from) = (all.ends.len(), all.scores.len());
        for hit in ranking.hits() {
            all.ids.push_str(hit.id);
            let end = all.ids.len();
            all.ends.push(end);
        }
        if all.scored {
            all.scores.extend(ranking.scores());
        }
        RankingPlace { documents: first..all.ends.len(), scores: from..all.scores.len() }
    }

    /// How alike a candidate's ranking is; `None` where it has none.
    pub(super) fn alike(&self, query: &Query, candidate: Option<&Ranking<'_>>) -> Alike {
        let nothing = RankingPlace::default();
        let kept = self.places.get(&query.id).unwrap_or(&nothing);
        let begin = |at: usize| at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let documents = kept.documents.clone().map(|at| &self.ids[begin(at)..self.ends[at]]);
        let ours = || candidate.into_iter().flat_map(Ranking::hits);
        let tied = || {
            let theirs = documents.clone().zip(self.scores[kept.scores.clone()].iter().copied());
            let ours = ours().map(|hit| (hit.id, hit.score));
            self.scored && only_ties_moved(&theirs.collect::<Vec<_>>(), &ours.collect::<Vec<_>>())
        };
        let lengths = [documents.len(), candidate.map_or(0, Ranking::len)].map(|len| len.min(self.deepest));
        // To look up a document costs more than to read its line.
        let theirs = documents.clone().zip(1..).take(self.deepest);
        let both = theirs.filter_map(|(id, rank)| Some([rank, candidate?.rank_of(id)?]));
        Alike {
            differing: parting(query, documents.clone(), ours().map(|hit| hit.id), tied),
            agreement: Agreement::new(lengths, both),
        }
    }
}
