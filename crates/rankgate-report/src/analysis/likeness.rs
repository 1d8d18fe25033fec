//! How alike the rankings of two sides are, and the gates on that.

use crate::evaluation::Evaluation;
use crate::gate::{Expectation, Limit};
use crate::order;
use crate::stats::{self, Confidence};
use crate::words::counted;
use crate::{Result, threads};

use super::pair::Pair;
use crate::model::{Disagreement, OverlapFinding, Row, Verdict, Warning};
use crate::report::number::{count, fixed, queries};

/// How alike the rankings of two sides are.
#[derive(Clone, Copy)]
pub(super) struct Likeness {
    /// The cutoff of the overlap.
    pub cutoff: usize,
    /// Mean share of documents that both sides have inside the cutoff.
    pub overlap: f64,
    /// Queries with the same documents in the same order, to the full depth and in all repeats.
    pub identical: usize,
    pub queries: usize,
}

impl Likeness {
    pub(super) fn row(self) -> Row {
        let text = format!(
            "on average {}% of the first {} documents in common; {} of {} ranked alike to the end",
            fixed(100.0 * self.overlap, 0),
            self.cutoff,
            count(self.identical),
            queries(self.queries)
        );
        Row::new(Row::RANKINGS, text)
    }
}

/// How alike the rankings are, averaged over queries, and each query's overlap: where there are repeats, the mean over them,
/// as scores are.
pub(super) fn likeness(pair: &Pair, cutoff: usize) -> Result<(Likeness, Vec<f64>)> {
    let each = pair.agreements();
    let of_query = |query: usize| {
        stats::mean(&each[query].iter().map(|agreement| agreement.overlap(cutoff)).collect::<Vec<_>>())
    };
    let overlaps: Vec<f64> = threads::map(each.len(), of_query).into_iter().collect::<Result<_>>()?;
    let likeness = Likeness {
        cutoff,
        overlap: stats::mean(&overlaps)?,
        identical: pair.differing.iter().filter(|differing| differing.is_none()).count(),
        queries: overlaps.len(),
    };
    Ok((likeness, overlaps))
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

/// The limits of the mean overlap, queries that belong together being one.
fn interval(pair: &Pair, overlaps: &[f64], confidence: Confidence) -> Result<Option<[f64; 2]>> {
    let mean = match pair.candidate.groups() {
        None => stats::mean_interval(overlaps, confidence, 0.0..=1.0)?,
        Some(groups) => stats::grouped_mean_interval(overlaps, groups, confidence, 0.0..=1.0)?,
    };
    Ok(mean.interval.ok().map(|interval| [interval.low, interval.high]))
}

/// Decides `expect: identical` and `expect: overlap`, which need no judgments.
pub fn compare_rankings(
    pair: &Pair,
    expect: Expectation,
    confidence: Confidence,
) -> Result<(Verdict, OverlapFinding)> {
    let (cutoff, min) = match expect {
        Expectation::Overlap { cutoff, min } => (cutoff, Some(min)),
        Expectation::Identical | Expectation::Scores(_) => (pair.candidate.depth(), None),
    };
    let (likeness, overlaps) = likeness(pair, cutoff)?;
    let holds = match min {
        Some(min) => Limit::Min.is_kept(likeness.overlap, min),
        None => pair.is_identical(),
    };
    let mut differing: Vec<(f64, &Disagreement)> = overlaps
        .iter()
        .zip(&pair.differing)
        .filter_map(|(&overlap, differing)| Some((overlap, differing.as_ref()?)))
        // Where sets are compared, their order is no difference.
        .filter(|(overlap, _)| min.is_none() || *overlap < 1.0)
        .collect();
    // Queries stand in id order, and the sort is stable: ties come out by id.
    order::sort_by(&mut differing, |a, b| a.0.total_cmp(&b.0).then(a.1.rank.cmp(&b.1.rank)));
    let interval = match min {
        Some(_) => interval(pair, &overlaps, confidence)?,
        None => None,
    };
    let mut warnings = Vec::new();
    let unanswered = pair.unanswered();
    if unanswered > 0 {
        let all = counted(pair.queries().len(), "query", "queries");
        let text = format!("neither side answered {unanswered} of the {all}: missing results count as alike");
        warnings.push(Warning::new("unanswered", text));
    }
    warnings.extend(shorter(pair, cutoff).map(|text| Warning::new("fewer-documents", text)));
    let finding = OverlapFinding {
        candidate: pair.candidate_name.clone(),
        baseline: pair.baseline_name.clone(),
        expect: expect.kind(),
        min,
        segment: pair.segment.as_ref().map(|segment| [segment.key.clone(), segment.value.clone()]),
        cutoff,
        overlap: likeness.overlap,
        identical: likeness.identical,
        queries: likeness.queries,
        interval,
        unpaired: pair.unpaired,
        differing: differing
            .into_iter()
            .map(|(overlap, differing)| Disagreement { overlap: min.map(|_| overlap), ..differing.clone() })
            .collect(),
        warnings,
    };
    Ok((if holds { Verdict::Passed } else { Verdict::Failed }, finding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Side;
    use crate::collection::{CollectionBuilder, Query};
    use crate::gate::Expectation;
    use crate::run::{Hit, Run};

    /// Rankings of ten queries, a document's score being the number behind it.
    fn evaluation(ranked: impl Fn(usize) -> Vec<(&'static str, f64)>) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        let ids = (0..10).map(|query| format!("q{query}"));
        for id in ids.clone() {
            builder.add_query(Query::new(id, ""), [] as [(&str, i32); 0]);
        }
        let hits = |query| ranked(query).into_iter().map(|(id, score)| Hit::new(id, score)).collect();
        let run = Run::from_rankings(ids.enumerate().map(|(query, id)| (id, hits(query)))).unwrap();
        Evaluation::of_run(&builder.build().unwrap(), run).unwrap()
    }

    #[test]
    fn an_overlap_has_an_interval() {
        let exact = evaluation(|_| vec![("a", 3.0), ("b", 2.0), ("c", 2.0)]);
        // One query finds half of the two, and the others both.
        let index =
            evaluation(
                |query| if query == 0 { vec![("a", 3.0), ("c", 2.0)] } else { vec![("a", 3.0), ("b", 2.0)] },
            );
        let side = |name, evaluation| Side { name, evaluation, asked: None };
        let pair = Pair::new(&side("hnsw", &index), &side("exact", &exact), None).unwrap();
        let confidence = Confidence::default();
        let expect = Expectation::Overlap { cutoff: 2, min: 0.9 };
        let (verdict, finding) = compare_rankings(&pair, expect, confidence).unwrap();
        assert_eq!((verdict, finding.overlap), (Verdict::Passed, 0.95));
        let scores: Vec<f64> = std::iter::once(0.5).chain([1.0; 9]).collect();
        let expected = stats::mean_interval(&scores, confidence, 0.0..=1.0).unwrap().interval.unwrap();
        assert_eq!(finding.interval, Some([expected.low, expected.high]));
        let each = |one: &Disagreement| (one.query.clone(), one.overlap);
        assert_eq!(finding.differing.iter().map(each).collect::<Vec<_>>(), [("q0".to_owned(), Some(0.5))]);
        assert_eq!(finding.warnings, Vec::new());
        let (_, identical) = compare_rankings(&pair, Expectation::Identical, confidence).unwrap();
        assert_eq!((identical.interval, identical.warnings), (None, Vec::new()));
    }
}
