//! Lists of a run file that end where the other side's go on: a file does not say how many results were asked for.

use std::collections::BTreeMap;

use crate::Result;
use crate::collection::CorpusIds;
use crate::evaluation::Evaluation;
use crate::gate::Evidence;
use crate::metric::Metric;
use crate::model::{EvidenceCount, EvidenceKind};
use crate::stats::ROUNDING;

/// Results that count where a metric has no cutoff: those below seldom decide anything.
const WITHOUT_CUTOFF: usize = 10;

/// Lists that show where they were cut, at least, and how many of a hundred end there.
const FEWEST: usize = 5;
const MOST_OF_THEM: usize = 80;

/// Down to where the lists of two sides have to go.
#[derive(Clone, Copy)]
pub struct WholeLists<'a> {
    cutoff: Option<usize>,
    /// By what they are scored, where that is by the collection's judgments.
    metric: Option<&'a Metric>,
    /// Whether rankings are compared: what both sides lack counts as alike there.
    overlap: bool,
    /// How many results are enough, where somebody says so.
    enough: Option<usize>,
}

/// What the short lists of one side leave open.
pub(super) struct ShortLists {
    pub count: EvidenceCount,
    /// The highest score that each of these queries could have, where that is known.
    pub best: BTreeMap<String, f64>,
}

impl<'a> WholeLists<'a> {
    /// For scores by a metric.
    #[must_use]
    pub fn scored(metric: &'a Metric, evidence: Evidence) -> Self {
        Self { cutoff: metric.cutoff(), metric: Some(metric), overlap: false, enough: evidence.depth }
    }

    /// For the overlap of rankings down to a cutoff.
    #[must_use]
    pub fn overlap(cutoff: usize, evidence: Evidence) -> Self {
        Self { cutoff: Some(cutoff), metric: None, overlap: true, enough: evidence.depth }
    }

    /// The lists of a side that are too short; `None` where there are none, or where its retriever was asked for more and
    /// has no more.
    ///
    /// # Errors
    /// A metric that cannot be computed; a corpus that cannot be read.
    pub(super) fn short_lists(
        &self,
        (name, own): (&str, &Evaluation),
        theirs: Option<&Evaluation>,
    ) -> Result<Option<ShortLists>> {
        // A list that says something is no silence, however long it is.
        let is_of_silence = self.metric.is_some_and(Metric::is_of_silence);
        if own.has_whole_lists() || is_of_silence {
            return Ok(None);
        }
        let needed = self.cutoff.unwrap_or(WITHOUT_CUTOFF);
        // What both sides lack counts as alike, unless a retriever was asked and has no more; of one side alone there is
        // nothing to compare with.
        let theirs = theirs.filter(|theirs| !self.overlap || theirs.has_whole_lists());
        let all = match theirs {
            None => own.collection().corpus_ids()?.map_or(usize::MAX, CorpusIds::len),
            Some(_) => usize::MAX,
        };
        let (mut short, mut best) = (Vec::new(), BTreeMap::new());
        for (position, query) in own.queries().iter().enumerate() {
            let Some(length) = own.shortest_list(&query.id) else { continue };
            let beside = theirs.map_or(all, |theirs| theirs.longest_list(&query.id));
            if length >= needed.min(beside) {
                continue;
            }
            if let Some(metric) = self.metric {
                let down_to = self.cutoff.unwrap_or(usize::MAX).min(beside);
                let Some(score) = own.best_if_longer(metric, position, down_to)? else { continue };
                best.extend(score.map(|score| (query.id.clone(), score)));
            }
            short.push((length, query.id.as_str()));
        }
        if short.is_empty() {
            return Ok(None);
        }
        // One side alone is measured as it is, and lists that are meant to end where they do are decided on: both are told.
        let is_meant = |length: usize| self.enough.is_some_and(|enough| length >= enough);
        let cut: Vec<_> = short.iter().copied().filter(|(length, _)| !is_meant(*length)).collect();
        let lengths: Vec<usize> = cut.iter().map(|(length, _)| *length).collect();
        let end = common_end(&lengths).filter(|_| self.overlap || theirs.is_some());
        let missing = if end.is_some() { cut } else { short };
        let of = own.queries().len();
        let count = EvidenceCount {
            side: Some(name.to_owned()),
            depth: end,
            cutoff: Some(needed),
            missing: missing.iter().take(EvidenceCount::NAMED).map(|(_, id)| (*id).to_owned()).collect(),
            ..EvidenceCount::new(EvidenceKind::WholeLists, of - missing.len(), of)
        };
        Ok(Some(ShortLists { count, best }))
    }
}

/// The rank at which most of these lists end, give or take two or a tenth; `None` where they end anywhere, as answers do
/// that ran out of results.
fn common_end(lengths: &[usize]) -> Option<usize> {
    if lengths.len() < FEWEST {
        return None;
    }
    let there = |end: usize| {
        let from = end.saturating_sub((end / 10).max(2));
        lengths.iter().filter(|length| (from..=end).contains(length)).count()
    };
    let ends = lengths.iter().copied().filter(|end| there(*end) * 100 >= lengths.len() * MOST_OF_THEM);
    ends.max()
}

impl Evaluation {
    /// Whether any query could score more were its list longer; where nobody knows, it could.
    pub(super) fn could_score_more(&self, metric: &Metric) -> bool {
        let down_to = metric.cutoff().unwrap_or(usize::MAX);
        let more = |position| self.best_if_longer(metric, position, down_to);
        (0..self.queries().len()).any(|position| more(position).is_ok_and(|best| best.is_some()))
    }

    /// The highest score that a query could have were its lists so long; `None` where that is the score that it has. The
    /// inner `None`: nobody knows how high.
    fn best_if_longer(
        &self,
        metric: &Metric,
        position: usize,
        down_to: usize,
    ) -> Result<Option<Option<f64>>> {
        if metric.needs_documents() || !metric.needs_relevance() {
            return Ok(Some(None));
        }
        let (mut score, mut best, mut passes) = (0.0, 0.0, 0.0);
        for pass in 0..self.passes() {
            let Some(ranking) = self.judged_in(pass, position) else { continue };
            score += metric.try_compute(ranking)?;
            best += metric.try_compute(&ranking.completed(down_to))?;
            passes += 1.0;
        }
        Ok((best - score > ROUNDING).then_some(Some(best / passes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_were_cut_end_at_about_one_rank() {
        let all = |lengths: &[usize]| common_end(lengths);
        assert_eq!(all(&[1; 20]), Some(1));
        assert_eq!(all(&[1, 2].repeat(10)), Some(2));
        assert_eq!(all(&[50; 9].into_iter().chain([3]).collect::<Vec<_>>()), Some(50));
        // As many as there are documents with the words of a query.
        assert_eq!(all(&[3, 17, 1, 8, 5, 2, 30, 6, 11, 4]), None);
        assert_eq!(all(&(50..100).collect::<Vec<_>>()), None);
        // Too few to tell.
        assert_eq!(all(&[1; 4]), None);
    }
}
