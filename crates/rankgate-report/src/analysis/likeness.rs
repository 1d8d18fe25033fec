//! How alike the rankings of two sides are, and the gates on that.

use crate::evaluation::Evaluation;
use crate::gate::{Comparison, Expectation};
use crate::order;
use crate::run::Agreement;
use crate::stats;
use crate::words::counted;
use crate::{Result, threads};

use super::pair::Pair;
use crate::model::{Disagreement, Likeness, OverlapFinding, Standing, Verdict};

/// The persistence of rank-biased overlap: ten ranks carry 86% of the weight.
const PERSISTENCE: f64 = 0.9;

/// Two sides' likeness, and each query's overlap and rank-biased overlap.
struct Compared {
    likeness: Likeness,
    by_query: Vec<(f64, f64)>,
}

fn compare(pair: &Pair, cutoff: usize) -> Result<Compared> {
    let overlaps = of_queries(pair, |agreement| agreement.overlap(cutoff))?;
    // Whatever the cutoff.
    let biased = || of_queries(pair, |agreement| agreement.rank_biased_overlap(PERSISTENCE));
    let by_query: Vec<(f64, f64)> =
        overlaps.into_iter().zip(pair.rank_biased.get_or_init(biased).clone()?).collect();
    let likeness = Likeness {
        cutoff,
        overlap: mean(&by_query, |both| both.0)?,
        rbo: mean(&by_query, |both| both.1)?,
        identical: pair.differing.iter().filter(|differing| differing.is_none()).count(),
        queries: by_query.len(),
    };
    Ok(Compared { likeness, by_query })
}

/// By query; where there are repeats, the mean over them, as scores are.
fn of_queries(pair: &Pair, of: impl Fn(&Agreement) -> f64 + Sync) -> Result<Vec<f64>> {
    let each = pair.agreements();
    let of_query = |query: usize| stats::mean(&each[query].iter().map(&of).collect::<Vec<_>>());
    threads::map(each.len(), of_query).into_iter().collect()
}

fn mean(of: &[(f64, f64)], part: fn(&(f64, f64)) -> f64) -> Result<f64> {
    stats::mean(&of.iter().map(part).collect::<Vec<_>>())
}

/// What to say of a side that returns fewer documents inside a cutoff than the other: the usual cause of a
/// small overlap is a search that found too few.
fn shorter(pair: &Pair, cutoff: usize) -> Option<String> {
    let length = |side: &Evaluation, query| side.judged(query).map_or(0, |ranking| ranking.len().min(cutoff));
    let lengths: Vec<(usize, usize)> = (0..pair.queries().len())
        .map(|query| (length(&pair.candidate, query), length(&pair.baseline, query)))
        .collect();
    let fewer = lengths.iter().filter(|(ours, theirs)| ours < theirs).count();
    let more = lengths.iter().filter(|(ours, theirs)| ours > theirs).count();
    let (count, less, other) = match fewer >= more {
        true => (fewer, &pair.candidate_name, &pair.baseline_name),
        false => (more, &pair.baseline_name, &pair.candidate_name),
    };
    (count > 0).then(|| {
        let all = counted(lengths.len(), "query", "queries");
        format!("for {count} of the {all} {less} returned fewer documents than {other} in the top {cutoff}")
    })
}

/// How alike the rankings are, averaged over queries.
pub fn likeness(pair: &Pair, cutoff: usize) -> Result<Likeness> {
    Ok(compare(pair, cutoff)?.likeness)
}

/// Decides `expect: identical` and `expect: overlap`, which need no judgments.
pub fn decide(pair: &Pair, comparison: &Comparison) -> Result<(Verdict, OverlapFinding)> {
    decide_expectation(pair, comparison.expect)
}

/// The same for an expectation that no spec holds.
pub fn decide_expectation(pair: &Pair, expect: Expectation) -> Result<(Verdict, OverlapFinding)> {
    let (cutoff, min) = match expect {
        Expectation::Overlap { cutoff, min } => (cutoff, Some(min)),
        Expectation::Identical | Expectation::Scores(_) => (pair.candidate.depth(), None),
    };
    let Compared { likeness, by_query } = compare(pair, cutoff)?;
    let to_min = min.map(|min| Standing::compare(likeness.overlap, min));
    let holds = match to_min {
        Some(standing) => standing != Standing::Below,
        None => pair.is_identical(),
    };
    let mut differing: Vec<(f64, f64, &Disagreement)> = by_query
        .iter()
        .zip(&pair.differing)
        .filter_map(|(&(overlap, rbo), differing)| Some((overlap, rbo, differing.as_ref()?)))
        // Where sets are compared, their order is no difference.
        .filter(|(overlap, ..)| min.is_none() || *overlap < 1.0)
        .collect();
    // Queries stand in id order, and the sort is stable: ties come out by id.
    order::sort_by(&mut differing, |a, b| match min {
        Some(_) => a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)),
        None => a.1.total_cmp(&b.1),
    });
    let mut cautions = Vec::new();
    let unanswered = pair.unanswered();
    if unanswered > 0 {
        let all = counted(pair.queries().len(), "query", "queries");
        cautions
            .push(format!("neither side answered {unanswered} of the {all}: missing results count as alike"));
    }
    cautions.extend(shorter(pair, cutoff));
    let finding = OverlapFinding {
        candidate: pair.candidate_name.clone(),
        baseline: pair.baseline_name.clone(),
        expect: expect.kind(),
        min,
        to_min,
        segment: pair.segment.as_ref().map(|segment| [segment.key.clone(), segment.value.clone()]),
        likeness,
        unpaired: pair.unpaired,
        differing: differing.into_iter().map(|(.., differing)| differing.clone()).collect(),
        read_by_score: Vec::new(),
        cautions,
    };
    Ok((if holds { Verdict::Passed } else { Verdict::Failed }, finding))
}
