//! What an evaluation holds of the rankings of one pass.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::collection::Judgments;
use crate::run::{Run, tied_scores};

/// The rankings of one pass.
#[derive(Clone, Debug)]
pub(super) enum PassRankings {
    /// All rankings.
    Whole(Arc<Run>),
    /// What reports name, of a run that was judged while it was read.
    Outlines(Arc<Outlines>),
}

/// The data kept of a run that was judged while it was read.
#[derive(Debug)]
pub(super) struct Outlines {
    pub(super) by_query: BTreeMap<String, Outline>,
    /// How many documents the longest ranking has, be its query judged or not.
    pub(super) longest: usize,
    /// How many of the first documents are held of each.
    pub(super) top: usize,
}

/// The first documents of a ranking and, further down, those that were judged.
#[derive(Debug)]
pub(super) struct Outline {
    /// How many documents the ranking has.
    pub(super) length: usize,
    pub(super) documents: Box<[Box<str>]>,
    /// Of each of these.
    pub(super) ranks: Box<[u32]>,
    /// Over the whole ranking.
    pub(super) tied_scores: usize,
}

impl PassRankings {
    pub(super) fn as_run(&self) -> Option<&Arc<Run>> {
        match self {
            Self::Whole(run) => Some(run),
            Self::Outlines(_) => None,
        }
    }

    /// Whether no query was answered.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Whole(run) => run.is_empty(),
            Self::Outlines(outlines) => outlines.by_query.is_empty(),
        }
    }

    /// Whether there is a ranking for a query, were it an empty one.
    pub(super) fn has(&self, query: &str) -> bool {
        match self {
            Self::Whole(run) => run.ranking(query).is_some(),
            Self::Outlines(outlines) => outlines.by_query.contains_key(query),
        }
    }

    pub(super) fn longest(&self) -> usize {
        match self {
            Self::Whole(run) => run.iter().map(|(_, hits)| hits.len()).max().unwrap_or(0),
            Self::Outlines(outlines) => outlines.longest,
        }
    }

    /// The first `count` documents for a query; of an outline as many as it was to hold.
    pub(super) fn top(&self, query: &str, count: usize) -> Vec<&str> {
        match self {
            Self::Whole(run) => {
                run.ranking(query).unwrap_or_default().iter().take(count).map(|hit| hit.id.as_str()).collect()
            }
            Self::Outlines(outlines) => {
                let top = outlines.by_query.get(query).into_iter().flat_map(Outline::iter);
                top.zip(1..=count)
                    .take_while(|((_, rank), place)| rank == place)
                    .map(|((id, _), _)| id)
                    .collect()
            }
        }
    }

    /// The judged documents that were retrieved for a query, with their ranks.
    pub(super) fn ranks(&self, query: &str, judgments: &Judgments) -> HashMap<&str, usize> {
        let judged = |(id, _): &(&str, usize)| judgments.grade(id).is_some();
        match self {
            Self::Whole(run) => {
                let hits = run.ranking(query).unwrap_or_default();
                hits.iter().map(|hit| hit.id.as_str()).zip(1..).filter(judged).collect()
            }
            Self::Outlines(outlines) => {
                outlines.by_query.get(query).into_iter().flat_map(Outline::iter).filter(judged).collect()
            }
        }
    }

    /// How many scores are tied within `cutoff`; of an outline in the whole ranking.
    pub(super) fn tied_scores(&self, query: &str, cutoff: usize) -> usize {
        match self {
            Self::Whole(run) => {
                let hits = run.ranking(query).unwrap_or_default();
                tied_scores(hits.iter().map(|hit| hit.score), cutoff)
            }
            Self::Outlines(outlines) => outlines.by_query.get(query).map_or(0, |outline| outline.tied_scores),
        }
    }
}

impl Outline {
    fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.documents.iter().map(AsRef::as_ref).zip(self.ranks.iter().map(|rank| *rank as usize))
    }
}
