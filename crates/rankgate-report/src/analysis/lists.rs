//! What the lists of a run do to its scores, and to a comparison with another run.

use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::Warning;
use crate::run::{Hit, Rising};
use crate::words::agree;

use super::pair::Pair;

/// Fewer answers may have one score each by chance.
const FEWEST: usize = 5;
/// Shorter lists may be all that there was to return.
const SHORTEST: usize = 10;

/// That scores rise with the ranks of the file in nearly every query: what ranks first counts as last.
pub fn rising_scores(rising: Rising) -> Option<String> {
    let [queries, of] = rising.upside_down()?;
    Some(match rising.is_without_ranks() {
        true => format!(
            "scores rise from each document to the next in {queries} of {of} queries, and a run is read by score, highest \
             first: what stands first counts as last. The file has no ranks: if its order is right, write scores that fall"
        ),
        false => format!(
            "scores rise with the ranks in {queries} of {of} queries, and a run is read by score, highest first: what ranks \
             first counts as last. If the ranks are right, read it by them (`order: rank`, `--order rank`)"
        ),
    })
}

/// That lists end at one rank in nearly every query, above the cutoffs of some metrics.
pub fn cut_lists(depth: Option<usize>, metrics: &[Metric]) -> Option<String> {
    let depth = depth.filter(|depth| *depth >= SHORTEST)?;
    let further = |metric: &&Metric| metric.needs_relevance() && metric.cutoff() > Some(depth);
    let metrics: Vec<String> = metrics.iter().filter(further).map(ToString::to_string).collect();
    let look = agree(metrics.len(), "looks", "look");
    (!metrics.is_empty()).then(|| {
        let metrics = metrics.join(", ");
        format!("lists end at rank {depth}, and {metrics} {look} further down: longer lists may score higher")
    })
}

/// The metrics whose `max=` is below the highest grade of the judgments.
pub fn above_scale<'a>(
    metrics: impl IntoIterator<Item = &'a Metric>,
    highest: i32,
) -> impl Iterator<Item = String> {
    metrics.into_iter().filter_map(move |metric| {
        let max = metric.max_grade().filter(|max| *max < highest)?;
        Some(format!("{metric} counts grades above {max} as {max}, and the judgments have grade {highest}"))
    })
}

impl Pair {
    /// That one side's lists end where the other's go on, or those of both at one rank, above the cutoff of the metric and
    /// though there is more to find.
    pub(super) fn cut(&self, metric: &Metric) -> Option<Warning> {
        let sides = [(&self.candidate_name, &self.candidate), (&self.baseline_name, &self.baseline)];
        let reaches = |depth: usize| metric.cutoff().unwrap_or(usize::MAX).min(depth);
        let cut = |[(name, one), (other_name, other)]: [(&String, &Evaluation); 2]| {
            let (depth, longer) = (one.cut()?, other.longest());
            let is_same = metric.cutoff() > Some(depth) && other.cut() == Some(depth);
            let is_cut = metric.needs_relevance() && (reaches(longer) > depth || is_same);
            (is_cut && one.could_score_more(metric)).then(|| match depth == longer {
                true => Warning::new(
                    "lists-end-together",
                    format!(
                        "the lists of {name} and of {other_name} end at rank {depth}, and {metric} looks further down: it is decided \
                         on these results alone"
                    ),
                ),
                false => Warning::new(
                    Warning::CUT_LISTS,
                    format!(
                        "the lists of {name} end at rank {depth}, those of {other_name} at {longer}, and {metric} looks further down \
                         than {depth}: the difference may be that of their lengths"
                    ),
                ),
            })
        };
        let [candidate, baseline] = sides;
        cut([candidate, baseline]).or_else(|| cut([baseline, candidate]))
    }
}

/// The sentence about a retriever whose documents all have one score.
pub fn equal_scores(evaluation: &Evaluation) -> Option<String> {
    let run = evaluation.run(0).filter(|run| run.has_scores())?;
    let lists = evaluation.queries().iter().filter_map(|query| run.ranking(&query.id));
    let lists: Vec<&[Hit]> = lists.filter(|hits| hits.len() > 1).collect();
    let is_flat = |hits: &&[Hit]| hits.windows(2).all(|pair| pair[0].score == pair[1].score);
    (lists.len() >= FEWEST && lists.iter().all(is_flat)).then(|| {
        "all documents of an answer have one score, in every answer: the order of the list counts".to_owned()
    })
}
