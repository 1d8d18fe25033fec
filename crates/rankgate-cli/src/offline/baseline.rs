//! The data kept of a baseline's file while its candidates are read, one after the other.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::offline::analysis::{Alike, only_ties_moved, parting};
use crate::offline::collection::Query;
use crate::offline::run::{Agreement, Place as ShelfPlace, Ranking, Shelf};

/// The data kept of a baseline until the candidates have been read.
#[derive(Default)]
pub(super) struct Baseline {
    documents: Shelf,
    /// Of the same documents, where it matters whether nothing but ties moved.
    scores: Vec<f64>,
    scored: bool,
    pub(super) places: BTreeMap<String, RankingPlace>,
}

/// Where a ranking is among all that is held.
#[derive(Default)]
pub(super) struct RankingPlace {
    documents: ShelfPlace,
    scores: Range<usize>,
}

impl Baseline {
    /// With the scores, where it matters whether nothing but ties moved.
    pub(super) fn scored(scored: bool) -> Self {
        Self { scored, ..Self::default() }
    }

    pub(super) fn keep(all: &Mutex<Self>, ranking: &Ranking<'_>) -> RankingPlace {
        let documents = ranking.hits().map(|hit| hit.id).collect();
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let from = all.scores.len();
        if all.scored {
            all.scores.extend(ranking.scores());
        }
        RankingPlace { documents: all.documents.put(&documents), scores: from..all.scores.len() }
    }

    /// How alike a candidate's ranking is; `None` where it has none.
    pub(super) fn alike(&self, query: &Query, candidate: Option<&Ranking<'_>>) -> Alike {
        let nothing = RankingPlace::default();
        let kept = self.places.get(&query.id).unwrap_or(&nothing);
        let documents = self.documents.at(&kept.documents);
        let ours = || candidate.into_iter().flat_map(Ranking::hits);
        let tied = || {
            let theirs = documents.iter().zip(self.scores[kept.scores.clone()].iter().copied());
            let ours = ours().map(|hit| (hit.id, hit.score));
            self.scored && only_ties_moved(&theirs.collect::<Vec<_>>(), &ours.collect::<Vec<_>>())
        };
        let lengths = [documents.len(), candidate.map_or(0, Ranking::len)];
        let theirs = documents.iter().zip(1..);
        let both = theirs.filter_map(|(id, rank)| Some([rank, candidate?.rank_of(id)?]));
        Alike {
            differing: parting(query, documents.iter(), ours().map(|hit| hit.id), tied),
            agreement: Agreement::new(lengths, both),
        }
    }
}
