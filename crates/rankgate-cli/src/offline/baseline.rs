//! The data kept of a baseline's file while its candidates are read, one after the other.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use foldhash::quality::RandomState;

use crate::offline::analysis::{Alike, only_ties_moved, parting};
use crate::offline::collection::Query;
use crate::offline::model::Disagreement;
use crate::offline::run::{Agreement, Ranking};

/// The data kept of a baseline until the candidates have been read.
#[derive(Default)]
pub(super) struct Baseline {
    /// The ids of the documents, one after the other, and where each ends.
    ids: String,
    ends: Vec<usize>,
    /// Of the same documents, where it matters whether nothing but ties moved.
    scores: Vec<f64>,
    /// Whether it matters where rankings part, and not only if they do. Then all of each is kept.
    whole: bool,
    /// The rank down to which the overlap of rankings is asked for.
    deepest: usize,
    state: RandomState,
    pub(super) places: BTreeMap<String, RankingPlace>,
}

/// Where a ranking is among all that is held.
#[derive(Default)]
pub(super) struct RankingPlace {
    documents: Range<usize>,
    scores: Range<usize>,
    /// How many documents it has.
    length: usize,
    /// The hash of those that are not held.
    rest: u64,
}

impl Baseline {
    /// `whole` where it matters in which documents rankings part; `deepest` is the rank down to which the overlap of rankings is
    /// asked for.
    pub(super) fn new(whole: bool, deepest: usize) -> Self {
        Self { whole, deepest, ..Self::default() }
    }

    pub(super) fn keep(all: &Mutex<Self>, ranking: &Ranking<'_>) -> RankingPlace {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, from) = (all.ends.len(), all.scores.len());
        for hit in ranking.hits().take(all.held()) {
            all.ids.push_str(hit.id);
            let end = all.ids.len();
            all.ends.push(end);
        }
        if all.whole {
            all.scores.extend(ranking.scores());
        }
        let (documents, scores) = (first..all.ends.len(), from..all.scores.len());
        let (held, state) = (all.held(), all.state.clone());
        drop(all);
        RankingPlace { documents, scores, length: ranking.len(), rest: rest(ranking, held, &state) }
    }

    /// How many documents of a ranking are held.
    fn held(&self) -> usize {
        if self.whole { usize::MAX } else { self.deepest }
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
            self.whole && only_ties_moved(&theirs.collect::<Vec<_>>(), &ours.collect::<Vec<_>>())
        };
        let length = candidate.map_or(0, Ranking::len);
        let held = ours().map(|hit| hit.id).take(self.held());
        let further_down = || {
            let same_rest = |ranking| rest(ranking, self.held(), &self.state) == kept.rest;
            let same = kept.length == length && (length <= self.held() || candidate.is_some_and(same_rest));
            (!same).then(|| Disagreement {
                query: query.id.clone(),
                text: query.text.clone(),
                rank: self.held().saturating_add(1),
                documents: [None, None],
                overlap: None,
                tied: false,
            })
        };
        // To look up a document costs more than to read its line.
        let theirs = documents.clone().zip(1..).take(self.deepest);
        let both = theirs.filter_map(|(id, rank)| Some([rank, candidate?.rank_of(id)?]));
        Alike {
            agreement: Agreement::new([kept.length, length].map(|len| len.min(self.deepest)), both),
            differing: parting(query, documents.clone(), held, tied).or_else(further_down),
        }
    }
}

/// The hash of the documents below those that are held, by which rankings are told apart without holding them.
fn rest(ranking: &Ranking<'_>, held: usize, state: &RandomState) -> u64 {
    let mut hasher = state.build_hasher();
    for hit in ranking.hits().skip(held) {
        hit.id.hash(&mut hasher);
    }
    hasher.finish()
}
