//! Lists of a run file that end where the other side's go on: a file does not say how many results were asked for.

use crate::Result;
use crate::collection::CorpusIds;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::{CoverageCount, Covered};
use crate::stats::ROUNDING;

/// Results that count where a metric has no cutoff: those below seldom decide anything.
const WITHOUT_CUTOFF: usize = 10;

/// Lists that show where they were cut, at least, and how many of a hundred end there.
const FEWEST: usize = 5;
const MOST_OF_THEM: usize = 80;

/// Down to where the lists of two sides have to go.
#[derive(Clone, Copy)]
pub struct CompleteLists<'a> {
    cutoff: Option<usize>,
    /// By what they are scored; `None` where rankings are compared: what both sides lack counts as alike there.
    metric: Option<&'a Metric>,
}

impl<'a> CompleteLists<'a> {
    /// For scores by a metric.
    pub fn scored(metric: &'a Metric) -> Self {
        Self { cutoff: metric.cutoff(), metric: Some(metric) }
    }

    /// For the overlap of rankings down to a cutoff.
    pub fn overlap(cutoff: usize) -> Self {
        Self { cutoff: Some(cutoff), metric: None }
    }

    /// The lists of a side that are too short; `None` where there are none, or where its retriever was asked for more and
    /// has no more.
    ///
    /// # Errors
    /// A metric that cannot be computed; a corpus that cannot be read.
    pub(super) fn short(
        &self,
        (name, own): (&str, &Evaluation),
        theirs: Option<&Evaluation>,
    ) -> Result<Option<CoverageCount>> {
        // A list that says something is no silence, however long it is.
        let is_of_silence = self.metric.is_some_and(Metric::is_of_silence);
        if own.has_whole_lists() || is_of_silence {
            return Ok(None);
        }
        let needed = self.cutoff.unwrap_or(WITHOUT_CUTOFF);
        // What both sides lack counts as alike, unless a retriever was asked and has no more.
        let theirs = theirs.filter(|theirs| self.metric.is_some() || theirs.has_whole_lists());
        let all = match theirs {
            None => own.collection().corpus_ids()?.map_or(usize::MAX, CorpusIds::len),
            Some(_) => usize::MAX,
        };
        let mut short = Vec::new();
        for (position, query) in own.queries().iter().enumerate() {
            let Some(length) = own.shortest_list(&query.id) else { continue };
            let beside = theirs.map_or(all, |theirs| theirs.longest_list(&query.id));
            if length >= needed.min(beside) {
                continue;
            }
            let down_to = self.cutoff.unwrap_or(usize::MAX).min(beside);
            if self.metric.is_none_or(|metric| own.could_be_higher(metric, position, down_to)) {
                short.push((length, query.id.as_str()));
            }
        }
        let lengths: Vec<usize> = short.iter().map(|(length, _)| *length).collect();
        let missing = short.iter().map(|(_, id)| *id);
        Ok((!short.is_empty()).then(|| CoverageCount {
            depth: common_end(&lengths),
            ..CoverageCount::without(Covered::Complete, Some(name), own.queries().len(), missing)
        }))
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
    /// Whether any query could score more were its list longer.
    pub(super) fn could_score_more(&self, metric: &Metric) -> bool {
        let down_to = metric.cutoff().unwrap_or(usize::MAX);
        (0..self.queries().len()).any(|position| self.could_be_higher(metric, position, down_to))
    }

    /// Whether a query could score more were its lists so long; where nobody knows, it could.
    fn could_be_higher(&self, metric: &Metric, position: usize, down_to: usize) -> bool {
        if metric.needs_documents() || !metric.needs_relevance() {
            return true;
        }
        let in_pass = |pass| -> Result<bool> {
            let Some(ranking) = self.judged_in(pass, position) else { return Ok(false) };
            Ok(metric.try_compute(&ranking.completed(down_to))? - metric.try_compute(ranking)? > ROUNDING)
        };
        (0..self.passes()).any(|pass| in_pass(pass).unwrap_or(true))
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
