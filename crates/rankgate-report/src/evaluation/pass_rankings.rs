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
    /// Each with its rank.
    pub(super) documents: Box<[(Box<str>, u32)]>,
    /// Over the whole ranking.
    pub(super) tied_scores: usize,
}

/// A ranking, or what is held of it.
pub(super) struct List<'a> {
    /// How many documents the ranking has.
    pub(super) length: usize,
    /// Those that are held, each with its rank.
    documents: Box<dyn Iterator<Item = (&'a str, usize)> + 'a>,
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

    /// The ranking for a query, or what is held of it, were it an empty one.
    pub(super) fn list(&self, query: &str) -> Option<List<'_>> {
        Some(match self {
            Self::Whole(run) => {
                let hits = run.ranking(query)?;
                let documents = hits.iter().map(|hit| hit.id.as_str()).zip(1..);
                List { length: hits.len(), documents: Box::new(documents) }
            }
            Self::Outlines(outlines) => {
                let outline = outlines.by_query.get(query)?;
                let documents = outline.documents.iter().map(|(id, rank)| (&**id, *rank as usize));
                List { length: outline.length, documents: Box::new(documents) }
            }
        })
    }

    pub(super) fn longest(&self) -> usize {
        match self {
            Self::Whole(run) => run.iter().map(|(_, hits)| hits.len()).max().unwrap_or(0),
            Self::Outlines(outlines) => outlines.longest,
        }
    }

    /// The first `count` documents for a query; of an outline as many as it was to hold.
    pub(super) fn top(&self, query: &str, count: usize) -> Vec<&str> {
        let held = self.list(query).into_iter().flat_map(|list| list.documents).zip(1..=count);
        held.take_while(|((_, rank), place)| rank == place).map(|((id, _), _)| id).collect()
    }

    /// The judged documents that were retrieved for a query, with their ranks.
    pub(super) fn ranks(&self, query: &str, judgments: &Judgments) -> HashMap<&str, usize> {
        let held = self.list(query).into_iter().flat_map(|list| list.documents);
        held.filter(|(id, _)| judgments.grade(id).is_some()).collect()
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
