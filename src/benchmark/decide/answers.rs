//! Gates on answers: which claims are behind a value.

use std::sync::Arc;

use crate::Result;
use crate::analysis::{AnswerWithContexts, NO_CLAIMS, Pair, Piece, PieceState, Side, missing_of};
use crate::collection::Query;
use crate::gate::{Comparison, Evidence, Segment, Support};
use crate::measure::{AnswerMetric, AnswersOf, again_name, blessed_name};
use crate::metric::Metric;
use crate::model::{
    AnswersReport, BoundsFinding, ClaimMove, ClaimSource, ClaimVerdict, DocumentMove, EvidenceCount,
    EvidenceKind, Half, Movers, ShownAnswer, ShownClaim, ShownContext, ToldApart,
};
use crate::order;
use crate::spec::Criterion;
use crate::words::beginning;

use super::Decisions;

/// A change that is reported as one.
const SOME: f64 = 0.005;
/// Claims that are reported per query.
const CLAIMS: usize = 4;
/// Contexts that are shown whether or not they decide a claim.
const CONTEXTS: usize = 5;
/// Characters that are shown of what the judge wrote.
const ANALYSIS: usize = 1000;
/// Characters that are shown of an answer, of a context that decides a claim, and of one that does not.
const ANSWER: usize = 4000;
const DECIDING: usize = 1500;
const OTHER: usize = 300;

/// What the baseline of a comparison is called among the sides of a metric.
pub(crate) fn side_name(comparison: &Comparison) -> String {
    match comparison.baseline.is_blessed() {
        true => blessed_name(&comparison.candidate, &comparison.baseline),
        false => comparison.baseline.to_string(),
    }
}

impl Decisions {
    /// Which half of the pipeline lost what a candidate lost against its blessed answers: it is asked again with the
    /// contexts of these.
    pub(crate) fn told_apart(&self, comparison: &Comparison, metric: &Metric) -> Result<Option<ToldApart>> {
        if !comparison.baseline.is_blessed() {
            return Ok(None);
        }
        let candidate = self.cache.configuration(&comparison.candidate)?;
        let files = self.cache.answer_files(metric)?;
        let name = side_name(comparison);
        let again = match files.side_if_there(&again_name(&name)) {
            Some(again) => again?,
            None => return Ok(Some(ToldApart { half: Half::Unknown, ..ToldApart::default() })),
        };
        let (ours, theirs) = (files.side(&comparison.candidate)?, files.side(&name)?);
        let missing = again.pieces.values().flatten().filter(|one| one.state == PieceState::Missing).count();
        if missing > 0 {
            return Ok(Some(ToldApart { missing, ..ToldApart::default() }));
        }
        // The queries of which all three are known.
        let shared = |query: &crate::Query| {
            [&ours, &theirs, &again].iter().all(|side| side.pieces.contains_key(&query.id))
        };
        let judged = &files.files.judges.by_model[0];
        let value = |side: &AnswersOf| -> Result<Option<f64>> {
            let kept = side.evaluation.keeping(shared);
            kept.map(|kept| kept.rejudged(judged)?.value(metric)).transpose()
        };
        let (Some(now), Some(then), Some(asked)) = (value(&ours)?, value(&theirs)?, value(&again)?) else {
            return Ok(None);
        };
        let (retrieval, generation) = (now - asked, asked - then);
        let prompt_changed = self.cache.has_other_prompt(candidate, comparison.baseline.tag())?;
        let half = match (retrieval < -SOME, generation < -SOME) {
            (true, true) => Half::Both,
            (true, false) => Half::Retrieval,
            (false, true) if cites_otherwise(metric, &again, &theirs, shared) => Half::Citation,
            (false, true) => Half::Generation,
            (false, false) => Half::Neither,
        };
        Ok(Some(ToldApart { half, again: asked, retrieval, generation, prompt_changed, missing: 0 }))
    }

    /// How many of these queries a side answered, and how many of its answers count, where it is not all of them: `name` is
    /// what the side is called among those of the metric, `called` in what is told.
    ///
    /// That declined answers do not count is meant, and a caution says it. Whoever writes which share has to be there means
    /// these as well.
    pub(crate) fn answered(
        &self,
        metric: &Metric,
        (name, called): (&str, &str),
        queries: &[Query],
        evidence: Evidence,
    ) -> Result<Vec<EvidenceCount>> {
        let side = self.cache.answer_files(metric)?.side(name)?;
        let left_out = if evidence.at_least.is_some() { side.left_out(queries) } else { Vec::new() };
        let counts =
            [(EvidenceKind::Answered, side.missing(metric, queries)), (EvidenceKind::InMean, left_out)];
        let counts = counts.into_iter().filter(|(_, missing)| !missing.is_empty());
        Ok(counts
            .map(|(kind, missing)| missing_of(kind, Some(called), queries.len(), missing.into_iter()))
            .collect())
    }

    /// The two sides of a comparison under a metric of answers.
    pub(crate) fn answers_pair(&self, comparison: &Comparison, metric: &Metric) -> Result<Arc<Pair>> {
        let name = &comparison.candidate;
        let candidate = self.cache.answer_files(metric)?.side(name)?;
        let baseline_name = side_name(comparison);
        let baseline = self.cache.answer_files(metric)?.side(&baseline_name)?;
        let side = |name, evaluation| Side { name, evaluation, asked: None };
        let called = comparison.baseline.to_string();
        let sides = [side(name, &candidate.evaluation), side(&called, &baseline.evaluation)];
        let pair = Arc::new(Pair::new(&sides[0], &sides[1], comparison.segment.as_ref())?);
        match comparison.judged {
            None => Ok(pair),
            Some(judged) => self.judged_pair(&pair, comparison, Some(metric), judged),
        }
    }

    /// The bounds of a metric of answers, with the counts of its answers and the claims behind its queries.
    pub(crate) fn with_claims(
        &self,
        mut bounds: BoundsFinding,
        metric: &Metric,
        configuration: &str,
        segment: Option<&Segment>,
    ) -> Result<BoundsFinding> {
        if metric.is_of_answers() {
            let sides = (configuration, None);
            bounds.answers = self.tell_claims(metric, sides, segment, &mut bounds.movers)?;
        }
        Ok(bounds)
    }

    /// The counts of the answers of these sides, the candidate first, in a segment; and the claims behind the queries that
    /// moved.
    pub(crate) fn tell_claims(
        &self,
        metric: &Metric,
        (candidate, baseline): (&str, Option<&str>),
        segment: Option<&Segment>,
        movers: &mut Movers,
    ) -> Result<Vec<AnswersReport>> {
        let files = self.cache.answer_files(metric)?;
        let ours = files.side(candidate)?;
        let theirs = baseline.map(|name| files.side(name)).transpose()?;
        let criterion = self.criterion_of(metric);
        let scale = criterion.map_or(&[][..], |criterion| &criterion.scale[..]);
        (movers.unjudged, movers.against_unjudged, movers.judged) = (0, None, None);
        for mover in movers.losses.iter_mut().chain(&mut movers.gains) {
            mover.documents.clear();
            let beyond = |document: &str| self.rank_of(candidate, &mover.query, document);
            mover.claims = claims(&mover.query, &ours, theirs.as_deref(), scale, beyond);
            let before = theirs.as_deref().zip(movers.against.as_deref().or(baseline));
            let sides = before.into_iter().chain([(&*ours, candidate)]);
            mover.answers = sides.map(|side| answer(metric, &mover.query, side, criterion)).collect();
        }
        let collection = self.cache.collection()?;
        let is_meant = |query: &str| {
            let of = |Segment { key, value, .. }: &Segment| {
                collection.query(query).is_some_and(|query| query.segments(key).contains(value))
            };
            segment.is_none_or(of)
        };
        let before = theirs.as_deref().zip(baseline).map(|(side, name)| side.report(name, is_meant));
        Ok(std::iter::once(ours.report(candidate, is_meant)).chain(before).collect())
    }

    /// The criterion that a metric is of.
    pub(crate) fn criterion_of(&self, metric: &Metric) -> Option<&Criterion> {
        self.cache.spec.judge.as_ref()?.criterion(metric.criterion()?)
    }

    /// Where a configuration ranks a document.
    fn rank_of(&self, configuration: &str, query: &str, document: &str) -> Option<usize> {
        let measured = self.cache.measurement(self.cache.configuration(configuration).ok()?).ok()?;
        let evaluation = &measured.evaluation;
        let top = evaluation.top(0, query, evaluation.depth());
        Some(1 + top.into_iter().position(|id| id == document)?)
    }
}

/// Whether a metric of citations is of answers that have the same words on both sides.
fn cites_otherwise(
    metric: &Metric,
    again: &AnswersOf,
    theirs: &AnswersOf,
    is_shared: impl Fn(&Query) -> bool,
) -> bool {
    let has_same_words = |query: &Query| {
        let [ours, theirs] = [again, theirs].map(|side| side.given.get(&query.id));
        ours.zip(theirs).is_some_and(|(ours, theirs)| ours.answer.trim() == theirs.answer.trim())
    };
    AnswerMetric::from_metric(metric).is_some_and(AnswerMetric::is_of_citations)
        && theirs.evaluation.queries().iter().filter(|query| is_shared(query)).all(has_same_words)
}

/// The verdict on a claim.
fn verdict(piece: &Piece) -> ClaimVerdict {
    match (piece.verdict, piece.state) {
        _ if piece.is_noise => ClaimVerdict::Noise,
        (Some(Support::Supported), _) | (None, PieceState::Fixed(2)) => ClaimVerdict::Supported,
        (Some(Support::Partial), _) => ClaimVerdict::Partial,
        (Some(Support::Unsupported), _) | (_, PieceState::Fixed(_)) => ClaimVerdict::Unsupported,
        (Some(Support::Contradicted), _) => ClaimVerdict::Contradicted,
        (Some(Support::CannotTell) | None, _) => ClaimVerdict::NoVerdict,
    }
}

/// The same in a word, or the grade where the answer is graded as a whole: the word of a criterion's scale.
fn short_verdict(piece: &Piece, scale: &[String]) -> String {
    match (piece.verdict, piece.state) {
        _ if piece.id.starts_with(NO_CLAIMS) => "no claim".to_owned(),
        (None, PieceState::Graded(grade)) => {
            scale.get(usize::from(grade)).cloned().unwrap_or_else(|| format!("grade {grade}"))
        }
        _ => verdict(piece).to_string(),
    }
}

/// A side's answer, with its contexts and the verdicts on its claims.
fn answer(
    metric: &Metric,
    query: &str,
    (side, of): (&AnswersOf, &str),
    criterion: Option<&Criterion>,
) -> ShownAnswer {
    let mut shown = ShownAnswer { of: of.to_owned(), ..ShownAnswer::default() };
    let of_metric = AnswerMetric::from_metric(metric);
    let by_contexts = of_metric.is_none_or(AnswerMetric::is_by_contexts);
    let pieces = || side.pieces.get(query).into_iter().flatten();
    let mut analyses: Vec<&str> = pieces().filter_map(|piece| piece.analysis.as_deref()).collect();
    analyses.dedup();
    shown.analysis = (!analyses.is_empty()).then(|| beginning(&analyses.join("\n"), ANALYSIS));
    for piece in pieces().filter(|piece| makes_claim(piece)) {
        if of_metric.is_some_and(AnswerMetric::is_one_grade) {
            if let PieceState::Graded(grade) = piece.state {
                shown.grade = Some(grade);
                shown.word = criterion.and_then(|one| one.scale.get(usize::from(grade))).cloned();
            }
            shown.criterion = criterion.map(|one| one.name.clone());
            continue;
        }
        // Claims are called `a1`, `r1`, `v1` or `o1` in the list that they are asked in.
        let source = match piece.id.rsplit('/').next().and_then(|id| id.chars().next()) {
            Some('r') => ClaimSource::Reference,
            Some('v' | 'o') => ClaimSource::Nugget,
            _ => ClaimSource::Answer,
        };
        let context = piece.context.filter(|_| by_contexts);
        shown.claims.push(ShownClaim { text: piece.text.clone(), source, verdict: verdict(piece), context });
    }
    let Some(AnswerWithContexts { answer, contexts, .. }) = side.given.get(query) else { return shown };
    shown.text = beginning(answer.trim(), ANSWER);
    for (rank, context) in (1..).zip(contexts) {
        let decides = shown.claims.iter().any(|claim| claim.context == Some(rank));
        if decides || rank <= CONTEXTS {
            let text = beginning(&context.text, if decides { DECIDING } else { OTHER });
            shown.contexts.push(ShownContext { rank, document: context.id.clone(), text });
        }
    }
    shown.more_contexts = contexts.len() - shown.contexts.len();
    shown
}

fn makes_claim(piece: &Piece) -> bool {
    !piece.text.is_empty() && !piece.id.starts_with(NO_CLAIMS)
}

fn is_good(piece: &Piece) -> bool {
    let is_supported =
        matches!(piece.state, PieceState::Fixed(grade) | PieceState::Graded(grade) if grade >= 2);
    !piece.is_noise && (is_supported || piece.verdict == Some(Support::Supported))
}

/// The claims behind a query's score: against another side those with another verdict, else those that are
/// not supported.
fn claims(
    query: &str,
    ours: &AnswersOf,
    theirs: Option<&AnswersOf>,
    scale: &[String],
    beyond: impl Fn(&str) -> Option<usize>,
) -> Vec<ClaimMove> {
    let short_verdict = |piece: &Piece| short_verdict(piece, scale);
    let of = |side: &AnswersOf| side.pieces.get(query).cloned().unwrap_or_default();
    let contexts = |side: &AnswersOf| -> Vec<String> {
        let given = side.given.get(query).into_iter().flat_map(|given| &given.contexts);
        given.map(|one| one.id.clone()).collect()
    };
    let now = of(ours);
    let Some(theirs) = theirs else {
        let mut open: Vec<&Piece> = now.iter().filter(|piece| !is_good(piece)).collect();
        order::sort_by_key(&mut open, |piece| !piece.is_noise);
        let told = |piece: &Piece| ClaimMove {
            text: piece.text.clone(),
            before: None,
            after: Some(short_verdict(piece)),
            context: None,
        };
        return open.into_iter().take(CLAIMS).map(told).collect();
    };
    let (before, given) = (of(theirs), [contexts(theirs), contexts(ours)]);
    let same = |list: &[Piece], piece: &Piece| list.iter().find(|one| one.text == piece.text).cloned();
    let mut all = Vec::new();
    for piece in &before {
        let after = same(&now, piece);
        if after.as_ref().is_some_and(|after| short_verdict(after) == short_verdict(piece)) {
            continue;
        }
        let context = piece.context.and_then(|at| given[0].get(at - 1)).map(|document| DocumentMove {
            neighbour: None,
            metadata: Vec::new(),
            score: None,
            document: document.clone(),
            grade: None,
            by_model: false,
            from: given[0].iter().position(|id| id == document).map(|at| at + 1),
            to: given[1].iter().position(|id| id == document).map(|at| at + 1).or_else(|| beyond(document)),
        });
        all.push(ClaimMove {
            text: piece.text.clone(),
            before: Some(short_verdict(piece)),
            after: after.as_ref().map(short_verdict),
            context,
        });
    }
    for piece in now.iter().filter(|piece| same(&before, piece).is_none()) {
        all.push(ClaimMove {
            text: piece.text.clone(),
            before: None,
            after: Some(short_verdict(piece)),
            context: None,
        });
    }
    // What was lost comes first.
    order::sort_by_key(&mut all, |claim| {
        (claim.before.as_deref() != Some("supported"), claim.after.as_deref() == Some("supported"))
    });
    all.truncate(CLAIMS);
    all
}
