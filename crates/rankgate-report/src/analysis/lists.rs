//! What the lists of a run do to its scores, and to a comparison with another run.

use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::{Caution, CutLists, RisingScores};
use crate::run::{Rising, is_of_nearly_all};
use crate::words::counted;

use super::pair::Pair;

/// Shorter lists may be all that there was to return.
const SHORTEST: usize = 10;

/// Whether scores rise with the ranks of the file.
pub fn rising_scores(rising: Rising) -> Option<RisingScores> {
    let without_ranks = rising.is_without_ranks();
    rising.upside_down().map(|[queries, of]| RisingScores { queries, of, without_ranks })
}

/// That the order of documents is that of their ids in some queries, where they have one infinite score.
pub fn infinite_scores(rising: Rising) -> Option<String> {
    let queries = rising.infinite_ties();
    (queries > 0).then(|| {
        format!(
            "documents have one infinite score in {}: they tie, and stand in the order of their ids, descending",
            counted(queries, "query", "queries")
        )
    })
}

/// What should be known of the order in which a run was read.
pub fn order_cautions(rising: Rising) -> impl Iterator<Item = String> {
    let rises = rising_scores(rising).map(|rising| rising.to_string());
    rises.into_iter().chain(infinite_scores(rising))
}

/// That a retriever's lists would be better the other way round: scores rise down nearly all of them, and what is relevant stands
/// nearer to their ends. Distances rise as well, and of these what is relevant stands at the beginning.
pub fn upside_down(evaluation: &Evaluation) -> Option<String> {
    let run = evaluation.run(0)?;
    let (mut lists, mut rising, mut gain) = (0, 0, 0.0);
    for (at, query) in evaluation.queries().iter().enumerate() {
        let (Some(hits), Some(judged)) = (run.ranking(&query.id), evaluation.judged(at)) else { continue };
        let any = |is: fn(f64, f64) -> bool| hits.windows(2).any(|pair| is(pair[0].score, pair[1].score));
        let (falls, rises) = (any(|one, next| one > next), any(|one, next| one < next));
        lists += usize::from(falls || rises);
        if falls || !rises {
            continue;
        }
        rising += 1;
        let mut ranks = judged.relevant_ranks(judged.relevant_from());
        let Some(first) = ranks.next() else { continue };
        let last = ranks.next_back().unwrap_or(first);
        gain += 1.0 / (judged.len() + 1 - last) as f64 - 1.0 / first as f64;
    }
    (is_of_nearly_all(rising, lists, lists) && gain > 0.0).then(|| {
        format!(
            "scores rise from each document to the next in {rising} of {}, and what is relevant stands nearer to the end: a list is \
             taken as it is returned, best first. If higher scores are better, return it the other way round",
            counted(lists, "query", "queries")
        )
    })
}

/// The metrics that look further down than lists of this depth reach.
pub fn cut_lists(depth: Option<usize>, metrics: &[Metric]) -> Option<CutLists> {
    let depth = depth.filter(|depth| *depth >= SHORTEST)?;
    let further = |metric: &&Metric| metric.needs_relevance() && metric.cutoff() > Some(depth);
    let metrics: Vec<String> = metrics.iter().filter(further).map(ToString::to_string).collect();
    (!metrics.is_empty()).then_some(CutLists { depth, metrics })
}

impl Pair {
    /// That one side's lists end where the other's go on, or those of both at one rank, above the cutoff of the metric and
    /// though there is more to find.
    pub(super) fn cut(&self, metric: &Metric) -> Option<Caution> {
        let sides = [(&self.candidate_name, &self.candidate), (&self.baseline_name, &self.baseline)];
        let reaches = |depth: usize| metric.cutoff().unwrap_or(usize::MAX).min(depth);
        let cut = |[(name, one), (other_name, other)]: [(&String, &Evaluation); 2]| {
            let (depth, longer) = (one.cut()?, other.longest());
            let is_same = metric.cutoff() > Some(depth) && other.cut() == Some(depth);
            let is_cut = metric.needs_relevance() && (reaches(longer) > depth || is_same);
            (is_cut && one.could_score_more(metric)).then(|| Caution::CutLists {
                configuration: name.clone(),
                depth,
                other: other_name.clone(),
                longer,
                metric: metric.to_string(),
            })
        };
        let [candidate, baseline] = sides;
        cut([candidate, baseline]).or_else(|| cut([baseline, candidate]))
    }
}
