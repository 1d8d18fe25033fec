//! A value that rests on a model's judgments, corrected by people's grades of a random sample of queries.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use crate::collection::{Collection, Query};
use crate::evaluation::Evaluation;
use crate::metric::{JudgedRanking, Metric};
use crate::model::{
    BoundsFinding, CalibratedReport, CorrectedOpen, CorrectedReport, JudgeDisagreement, Movers,
    SegmentLeniency, UnjudgedDocument,
};
use crate::order::SmallMap;
use crate::stats::{
    Confidence, CorrectedMean, Differences, PermutationOptions, Stream, mean, permutation_test,
};
use crate::{Error, Result, order};

use super::assumed::Assumed;
use super::calibrated::{Calibrated, NotCalibrated};
use super::judges::{FEWEST_DRAWN, Judges};
use super::unjudged::{End, QuerySides, last_rank, takes_grades};

/// With fewer drawn queries a segment gets no value.
const FEWEST_OF_SEGMENT: usize = 5;
/// Rank weights that differ by less are the same.
const EQUAL: f64 = 1e-12;
/// Documents that are listed.
const LISTED: usize = 10;

/// Scores by query of one side, or of the candidate less the baseline: the model's in both readings of its
/// abstentions, people's in all of unjudged documents.
#[derive(Clone)]
struct Scores {
    model: [Vec<f64>; 2],
    people: [Vec<Option<f64>>; 3],
}

impl Scores {
    #[inline]
    fn less(&self, other: &Self) -> Self {
        let of_model = |at: usize| self.model[at].iter().zip(&other.model[at]).map(|(a, b)| a - b).collect();
        let of_people = |at: usize| {
            let both = self.people[at].iter().zip(&other.people[at]);
            both.map(|(a, b)| Some((*a)? - (*b)?)).collect()
        };
        Self { model: [0, 1].map(of_model), people: [0, 1, 2].map(of_people) }
    }
}

/// A value, or a difference of two, by the model's and by people's judgments.
pub struct Corrected {
    /// Of the candidate, then of the baseline where there is one.
    sides: Vec<Scores>,
    /// Of the value itself.
    scores: Scores,
    /// The query, or the group of queries, of each score.
    units: Vec<String>,
    /// The stratum of each score; none where all queries were drawn from together.
    strata: Vec<usize>,
    pairs: usize,
    abstained: usize,
    unjudged: usize,
    beyond_people: usize,
    to_judge: Vec<UnjudgedDocument>,
    /// What people and the model judge differently, and on which side.
    disagreeing: Vec<Disagreeing>,
    /// How many units were drawn.
    drawn: usize,
    /// Of how many of them people judged everything.
    judged_whole: usize,
    /// By metadata key and value, the positions of queries.
    segments: SmallMap<(String, String), Vec<usize>>,
    /// What two scores can differ by.
    differences: RangeInclusive<f64>,
    /// What the value of a query can be.
    range: RangeInclusive<f64>,
    /// Where people have not judged all that it takes, and the model's errors are carried over from what they did.
    calibrated: Option<Calibrated>,
    /// Why they are not.
    not_calibrated: Option<CorrectedOpen>,
    /// Whether limits have to hold at every look.
    until: bool,
}

/// The readings of what has no grade under which a verdict has to be the same.
pub const READINGS: [CorrectedOpen; 3] =
    [CorrectedOpen::Abstentions, CorrectedOpen::Unjudged, CorrectedOpen::Unjudged];

impl Corrected {
    /// Scores evaluations of the same queries, the candidate first, by both kinds of judgments.
    ///
    /// # Errors
    /// A metric that cannot be computed.
    #[inline]
    pub fn new(judges: &Judges, sides: &[&Evaluation], metric: &Metric) -> Result<Self> {
        let first = sides.first().ok_or_else(|| Error::invalid("there is nothing to correct"))?;
        let queries = first.queries();
        let cutoff = metric.cutoff().unwrap_or_else(|| first.depth());
        let is_drawn = |query: &Query| judges.drawn.contains(&query.id);
        let drawn: Vec<Option<Evaluation>> = sides.iter().map(|side| side.keeping(is_drawn)).collect();
        let drawn: Vec<Evaluation> = drawn.into_iter().flatten().collect();
        let weights = unjudged(judges, &drawn, metric, cutoff);
        let by_people: Vec<Evaluation> =
            drawn.iter().map(|side| side.rejudged(&judges.by_people)).collect::<Result<_>>()?;
        let of_side = |(at, side): (usize, &&Evaluation)| -> Result<Scores> {
            let by_model = |reading: usize| side.rejudged(&judges.by_model[reading])?.scores(metric);
            let first = by_model(0)?;
            let second = if judges.abstained.is_empty() { first.clone() } else { by_model(1)? };
            let zero = match by_people.get(at) {
                Some(side) => of_all(queries, side.scores(metric)?, is_drawn),
                None => vec![None; queries.len()],
            };
            Ok(Scores { model: [first, second], people: [zero.clone(), zero.clone(), zero] })
        };
        let mut sides_scored: Vec<Scores> = sides.iter().enumerate().map(of_side).collect::<Result<_>>()?;
        if !weights.is_empty() {
            for (reading, end) in [(1, End::Lowest), (2, End::Highest)] {
                let ends = match takes_grades(metric) {
                    true => judges.ends(&by_people, metric, end)?,
                    false => {
                        let taken = judges.taken_for(&weights, end, sides.len());
                        let score = |side: &Evaluation| side.rejudged(&taken)?.scores(metric);
                        drawn.iter().map(score).collect::<Result<_>>()?
                    }
                };
                for (side, scores) in sides_scored.iter_mut().zip(ends) {
                    side.people[reading] = of_all(queries, scores, is_drawn);
                }
            }
        }
        let scores = match sides_scored.as_slice() {
            [value] => value.clone(),
            [candidate, baseline, ..] => candidate.less(baseline),
            [] => return Err(Error::invalid("there is nothing to correct")),
        };
        let units = match first.groups() {
            Some(groups) => groups.to_vec(),
            None => queries.iter().map(|query| query.id.clone()).collect(),
        };
        let strata = units.iter().filter_map(|unit| judges.strata.get(unit)).copied().collect();
        let drawn_units: BTreeSet<&str> = units
            .iter()
            .zip(queries)
            .filter(|(_, query)| is_drawn(query))
            .map(|(unit, _)| unit.as_str())
            .collect();
        let mut segments: SmallMap<(String, String), Vec<usize>> = SmallMap::default();
        for key in &judges.segments {
            for (at, query) in queries.iter().enumerate() {
                for value in query.segments(key) {
                    segments.get_or_insert_with((key.clone(), value), Vec::new).push(at);
                }
            }
        }
        let needed = judges.needed(sides, cutoff);
        let most = metric.difference_range().end() * sides.len() as f64;
        // Where nothing is seen to differ between two sides, they may be the same: there is no limit then.
        let seen = scores.model[0].iter().chain(scores.people[0].iter().flatten());
        let range = match sides.len() {
            1 => metric.range(),
            _ if seen.copied().all(|score| score == 0.0) => f64::NEG_INFINITY..=f64::INFINITY,
            _ => metric.difference_range(),
        };
        let beyond_people = |(query, document): &&(String, String)| {
            judges.beyond_people.get(query).is_some_and(|documents| documents.contains(document))
        };
        let open: BTreeSet<&str> = weights.keys().map(|(query, _)| query.as_str()).collect();
        let open: BTreeSet<&str> = units
            .iter()
            .zip(queries)
            .filter(|(_, query)| open.contains(query.id.as_str()))
            .map(|(unit, _)| unit.as_str())
            .collect();
        let askable = weights.iter().filter(|(pair, _)| !beyond_people(pair));
        let mut by_influence: Vec<(&(String, String), f64)> =
            askable.map(|(pair, weight)| (pair, weight.abs())).collect();
        order::sort_by(&mut by_influence, |a, b| b.1.total_cmp(&a.1));
        let listed = by_influence.iter().take(LISTED).map(|((query, document), _)| UnjudgedDocument {
            query: query.clone(),
            document: document.clone(),
        });
        Ok(Self {
            drawn: drawn_units.len(),
            judged_whole: drawn_units.len() - open.len(),
            pairs: needed.len(),
            abstained: needed.iter().filter(|pair| judges.is_abstained(pair)).count(),
            unjudged: weights.len(),
            beyond_people: weights.keys().filter(beyond_people).count(),
            to_judge: listed.collect(),
            disagreeing: disagreeing(judges, &drawn, cutoff),
            sides: sides_scored,
            scores,
            units,
            strata,
            segments,
            differences: -most..=most,
            range,
            calibrated: None,
            not_calibrated: None,
            until: judges.until,
        })
    }

    /// The same by the errors that the model made where people judged as well, where they have not judged all that it takes.
    ///
    /// # Errors
    /// A metric that cannot be computed.
    #[inline]
    pub fn calibrated(
        mut self,
        judges: &Judges,
        sides: &[&Evaluation],
        metric: &Metric,
        stream: &Stream,
    ) -> Result<Self> {
        if !self.is_open() || self.unvalidated(judges).is_some() {
            return Ok(self);
        }
        match Calibrated::new(judges, sides, metric, &self.units, &stream.for_name("calibrated")) {
            Ok(calibrated) => self.calibrated = Some(calibrated),
            Err(NotCalibrated::Open(open)) => self.not_calibrated = Some(open),
            Err(NotCalibrated::Error(error)) => return Err(error),
        }
        Ok(self)
    }

    /// Why the model's errors are not carried over where people have not judged all that it takes.
    #[must_use]
    pub fn not_calibrated(&self) -> Option<CorrectedOpen> {
        self.not_calibrated
    }

    /// What is said of a calibrated value.
    #[must_use]
    pub fn calibrated_report(&self, open: Option<CorrectedOpen>) -> Option<CalibratedReport> {
        let report = self.calibrated.as_ref()?.report.clone();
        Some(CalibratedReport { open: report.open.or(open), ..report })
    }

    /// How many queries, or groups of them, were drawn.
    pub fn drawn(&self) -> usize {
        self.drawn
    }

    /// Whether the value depends on what no person judged: then there is none, and nothing may be made of the scores of
    /// the drawn queries but [bounds](Self::bounds).
    pub fn is_open(&self) -> bool {
        if self.calibrated.is_some() {
            return false;
        }
        let [zero, lowest, highest] = &self.scores.people;
        let differs = |other: &[Option<f64>]| {
            zero.iter().zip(other).any(|(a, b)| a.zip(*b).is_some_and(|(a, b)| (a - b).abs() > EQUAL))
        };
        self.unjudged > 0 && (differs(lowest) || differs(highest))
    }

    /// The lowest and the highest value over what no person judged: with none of it relevant, and with the lowest and the highest
    /// that each query can score.
    ///
    /// # Errors
    /// As of [`mean`](Self::mean).
    pub fn bounds(&self) -> Result<[CorrectedMean; 2]> {
        // The model weighs another share in each, so that even the order of the three may be another.
        let mut means = [self.mean_of(0, 0)?, self.mean_of(0, 1)?, self.mean_of(0, 2)?];
        order::sort_by(&mut means, |a, b| a.value.total_cmp(&b.value));
        let [lowest, _, highest] = means;
        Ok([lowest, highest])
    }

    /// The finding of a value that depends on documents without a person's grade. Callers that know its bounds and the question
    /// add them.
    ///
    /// # Errors
    /// No scores.
    pub fn without_value(
        &self,
        judges: &Judges,
        metric: &Metric,
        open: Option<CorrectedOpen>,
    ) -> Result<BoundsFinding> {
        Ok(BoundsFinding {
            metric: metric.to_string(),
            segment: None,
            baseline: None,
            expect: None,
            limit: None,
            min: None,
            max: None,
            lowest: None,
            highest: None,
            queries: self.scores.model[0].len(),
            unanswered: 0,
            judge: judges.judge.clone(),
            model: judges.model.clone(),
            uncorrected: mean(&self.scores.model[0])?,
            drawn: self.drawn,
            judged_whole: self.judged_whole,
            units: self.units.iter().collect::<BTreeSet<_>>().len(),
            pairs: self.pairs,
            abstained: self.abstained,
            unjudged: self.unjudged,
            beyond_people: self.beyond_people,
            to_judge: self.to_judge.clone(),
            open,
            cautions: Vec::new(),
            answers: Vec::new(),
            told_apart: None,
            movers: Movers::default(),
        })
    }

    /// The corrected value: what the model gave no grade and what no person judged taken for not relevant.
    ///
    /// # Errors
    /// Fewer than two drawn queries.
    pub fn mean(&self) -> Result<CorrectedMean> {
        if let Some(calibrated) = &self.calibrated {
            return Ok(self.looked_at(calibrated.mean));
        }
        self.mean_of(0, 0)
    }

    /// With the limits that the sample asks for.
    fn looked_at(&self, mean: CorrectedMean) -> CorrectedMean {
        if self.until { mean.at_every_look() } else { mean }
    }

    /// The corrected value of the candidate, then that of the baseline. The model has the weight that it has in their
    /// difference, so that the one less the other is that.
    pub(crate) fn means(&self) -> Result<Vec<f64>> {
        if let Some(calibrated) = &self.calibrated {
            return Ok(calibrated.sides.clone());
        }
        let weight = self.mean()?.weight;
        let of_side = |side: &Scores| {
            let one = self.corrected(&side.model[0], &side.people[0])?;
            let people = self.people_alone(&side.people[0])?.value;
            Ok(people + weight * (one.uncorrected - one.leniency - people))
        };
        self.sides.iter().map(of_side).collect()
    }

    /// The value in one reading of what the model gave no grade, and of what no person judged.
    fn mean_of(&self, model: usize, people: usize) -> Result<CorrectedMean> {
        let mean = self.corrected(&self.scores.model[model], &self.scores.people[people]);
        mean.map(|mean| self.looked_at(mean))
    }

    /// A model's scores corrected by people's, as the sample was drawn.
    fn corrected(&self, model: &[f64], people: &[Option<f64>]) -> Result<CorrectedMean> {
        if self.strata.is_empty() {
            return CorrectedMean::within(model, people, &self.units, &self.range);
        }
        CorrectedMean::stratified(model, people, &self.units, &self.strata, &self.range)
    }

    /// People's scores of the drawn queries alone.
    fn people_alone(&self, people: &[Option<f64>]) -> Result<CorrectedMean> {
        self.corrected(&vec![0.0; self.units.len()], people)
    }

    /// The interval by people's scores of the drawn queries alone.
    fn people_interval(&self, confidence: Confidence) -> Result<Option<[f64; 2]>> {
        let alone = self.people_alone(&self.scores.people[0])?;
        let interval =
            self.looked_at(alone).interval(confidence).ok().map(|interval| interval.within(&self.range));
        Ok(interval.map(|interval| [interval.low, interval.high]))
    }

    /// The same in each of the [`READINGS`] of what has no grade; none where there is nothing to read otherwise.
    pub fn read_otherwise(&self) -> Result<[Option<CorrectedMean>; 3]> {
        if let Some(calibrated) = &self.calibrated {
            return Ok([calibrated.highest.map(|mean| self.looked_at(mean)), None, None]);
        }
        let when =
            |there: bool, model: usize, people: usize| there.then(|| self.mean_of(model, people)).transpose();
        Ok([when(self.abstained > 0, 1, 0)?, when(self.unjudged > 0, 0, 1)?, when(self.unjudged > 0, 0, 2)?])
    }

    /// People's scores of the drawn queries, paired: the candidate's against the baseline's, or a value's against
    /// `limit`.
    pub(crate) fn of_people(&self, limit: f64) -> Result<Differences> {
        let known = |scores: &Scores| -> Vec<f64> { scores.people[0].iter().flatten().copied().collect() };
        let value = self.sides.first().map(known).unwrap_or_default();
        let against = self.sides.get(1).map_or_else(|| vec![limit; value.len()], known);
        let drawn = self.units.iter().zip(&self.scores.people[0]);
        let units: Vec<&String> = drawn.filter(|(_, score)| score.is_some()).map(|(unit, _)| unit).collect();
        Differences::grouped(&against, &value, &units)
    }

    /// What there is to say of it beside its interval; `limit` is what it is held against, the nearest of several.
    ///
    /// # Errors
    /// As [`mean`](Self::mean).
    pub fn report(
        &self,
        judges: &Judges,
        limit: f64,
        (p_people, confidence): (f64, Confidence),
        open: Option<CorrectedOpen>,
        inconclusive: bool,
    ) -> Result<CorrectedReport> {
        let corrected = self.mean()?;
        let by_all = corrected.units >= FEWEST_DRAWN && corrected.settled_by_all(limit, confidence);
        let needed = corrected.units_needed(limit, confidence);
        let (settles, by_nobody) = match open {
            None => (needed.filter(|_| inconclusive), inconclusive && !by_all),
            Some(CorrectedOpen::FewDrawn) if by_all => (Some(needed.unwrap_or(0).max(FEWEST_DRAWN)), false),
            Some(CorrectedOpen::FewDrawn) => (None, true),
            Some(
                CorrectedOpen::OtherJudge
                | CorrectedOpen::Abstentions
                | CorrectedOpen::Unjudged
                | CorrectedOpen::UnseenClass
                | CorrectedOpen::ErrorsChanged,
            ) => (None, false),
        };
        // Of a segment so many are to be drawn as its share of all is.
        let of_all = |needed: usize| (needed * judges.of).div_ceil(corrected.units.max(1)).min(judges.of);
        Ok(CorrectedReport {
            judge: judges.judge.clone(),
            model: judges.model.clone(),
            uncorrected: corrected.uncorrected,
            weight: Some(corrected.weight),
            until: self.until,
            people: self.people_alone(&self.scores.people[0])?.value,
            people_interval: self.people_interval(confidence)?,
            p_people,
            drawn: corrected.drawn,
            units: corrected.units,
            differing: Some(self.differing()),
            people_moves: (self.sides.len() > 1).then(|| self.people_moves()),
            disagreements: self.disagreeing.len(),
            disagreeing: self.disagreeing.iter().take(LISTED).map(Disagreeing::report).collect(),
            leniency: corrected.leniency,
            leniency_interval: corrected
                .leniency_interval(confidence)
                .ok()
                .map(|interval| interval.within(&self.differences))
                .map(|interval| [interval.low, interval.high]),
            worst_segment: self.worst_segment(corrected.leniency),
            needed: settles.filter(|needed| *needed > corrected.drawn).map(of_all),
            by_nobody,
            pairs: self.pairs,
            abstained: self.abstained,
            unjudged: self.unjudged,
            to_judge: self.to_judge.clone(),
            open,
        })
    }

    /// How many units people would have to judge before an unseen query left a claim that has this p-value now, and whether
    /// all would not do: of units that are all alike it falls by the same factor with each.
    ///
    /// # Errors
    /// As of [`mean`](Self::mean).
    pub fn needed_beside_unseen(
        &self,
        judges: &Judges,
        p: f64,
        confidence: Confidence,
    ) -> Result<(Option<usize>, bool)> {
        let corrected = self.mean()?;
        if !(p > 0.0 && p < 1.0) {
            return Ok((None, false));
        }
        let needed = (corrected.drawn as f64 * confidence.tail().ln() / p.ln()).ceil() as usize;
        let of_all = (needed * judges.of).div_ceil(corrected.units.max(1)).min(judges.of);
        let is_enough = needed <= corrected.units && needed > corrected.drawn;
        Ok((is_enough.then_some(of_all), needed > corrected.units))
    }

    /// The drawn queries that score lower than on the other side by people's judgments, and those that score higher.
    fn people_moves(&self) -> [usize; 2] {
        let moves = || self.scores.people[0].iter().flatten();
        [moves().filter(|one| **one < -EQUAL).count(), moves().filter(|one| **one > EQUAL).count()]
    }

    /// The sides of what people and the model judge differently, in the order of the report: 0 the candidate.
    pub fn disagreeing_sides(&self) -> impl Iterator<Item = usize> {
        self.disagreeing.iter().take(LISTED).map(|one| one.side)
    }

    /// Drawn units that people and the model score differently.
    fn differing(&self) -> usize {
        let scores = self.scores.model[0].iter().zip(&self.scores.people[0]);
        let differs =
            |model: f64, people: Option<f64>| people.is_some_and(|people| (people - model).abs() > EQUAL);
        let units = self.units.iter().zip(scores).filter(|(_, (model, people))| differs(**model, **people));
        units.map(|(unit, _)| unit).collect::<BTreeSet<_>>().len()
    }

    /// What keeps it open before its verdicts are looked at.
    pub fn unvalidated(&self, judges: &Judges) -> Option<CorrectedOpen> {
        if self.drawn < FEWEST_DRAWN {
            Some(CorrectedOpen::FewDrawn)
        } else if !judges.of_this_judge {
            Some(CorrectedOpen::OtherJudge)
        } else {
            self.calibrated.as_ref().and_then(|calibrated| calibrated.report.open)
        }
    }

    /// The p-value of the permutation test on people's scores of the drawn queries alone, against a limit.
    pub fn p_people(&self, limit: f64, stream: &Stream) -> Result<f64> {
        let options =
            PermutationOptions { stream: stream.for_name("people"), ..PermutationOptions::default() };
        Ok(permutation_test(&self.of_people(limit)?, 0.0, &options)?.p_two_sided())
    }

    /// The segment in which the model is further from people than anywhere else, and than overall.
    fn worst_segment(&self, overall: f64) -> Option<SegmentLeniency> {
        let of = |((key, value), queries): &((String, String), Vec<usize>)| {
            let apart = |&at: &usize| Some(self.scores.model[0][at] - self.scores.people[0][at]?);
            let apart: Vec<f64> = queries.iter().filter_map(apart).collect();
            let enough = apart.len() >= FEWEST_OF_SEGMENT;
            let leniency = mean(&apart).ok().filter(|_| enough)?;
            Some(SegmentLeniency { key: key.clone(), value: value.clone(), drawn: apart.len(), leniency })
        };
        let all = self.segments.iter().filter_map(of);
        let worst = all.max_by(|a, b| a.leniency.abs().total_cmp(&b.leniency.abs()))?;
        (worst.leniency.abs() > overall.abs() + EQUAL).then_some(worst)
    }
}

/// What people and the model judge differently.
struct Disagreeing {
    /// 0 the candidate, 1 the baseline.
    side: usize,
    query: String,
    document: String,
    people: i32,
    model: i32,
}

impl Disagreeing {
    fn report(&self) -> JudgeDisagreement {
        let [people, model] = [self.people, self.model].map(|grade| u8::try_from(grade).unwrap_or(0));
        let (query, document) = (self.query.clone(), self.document.clone());
        JudgeDisagreement {
            side: None,
            query,
            document,
            text: None,
            people,
            model,
            verdicts: None,
            words: None,
        }
    }
}

/// Of the drawn queries what people and the model judge differently, each once: what people grade lowest beside the model
/// first, and the candidate's before the baseline's.
#[inline]
fn disagreeing(judges: &Judges, drawn: &[Evaluation], cutoff: usize) -> Vec<Disagreeing> {
    let mut all: SmallMap<(&str, &str), Disagreeing> = SmallMap::default();
    let (by_people, by_model) = (judges.by_people.qrels(), judges.by_model[0].qrels());
    for (side, evaluation) in drawn.iter().enumerate() {
        for query in evaluation.queries() {
            for document in (0..evaluation.passes()).flat_map(|pass| evaluation.top(pass, &query.id, cutoff))
            {
                let grades = by_people.grade(&query.id, document).zip(by_model.grade(&query.id, document));
                let Some((people, model)) = grades.filter(|(people, model)| people != model) else {
                    continue;
                };
                let (id, of) = (query.id.clone(), document.to_owned());
                let first = || Disagreeing { side, query: id, document: of, people, model };
                all.get_or_insert_with((&query.id, document), first);
            }
        }
    }
    let mut all: Vec<Disagreeing> = all.into_iter().map(|(_, one)| one).collect();
    order::sort_by_key(&mut all, |one| (one.people - one.model, one.side));
    all
}

/// How much better the candidate ranks documents of drawn queries that no person judged than the baseline does.
type Weights = BTreeMap<(String, String), f64>;

#[inline]
fn unjudged(judges: &Judges, drawn: &[Evaluation], metric: &Metric, cutoff: usize) -> Weights {
    let mut weights = Weights::new();
    for (side, sign) in drawn.iter().zip([1.0, -1.0]) {
        for query in side.queries() {
            for pass in 0..side.passes() {
                let top = side.top(pass, &query.id, cutoff);
                let claims = top.len() as f64;
                for (rank, document) in (2..).zip(top) {
                    if judges.by_people.qrels().grade(&query.id, document).is_none() {
                        // Of an answer every claim counts alike, and less where there are many.
                        let weight = if metric.is_of_answers() { claims } else { f64::from(rank).log2() };
                        let worth = sign / weight / side.passes() as f64;
                        *weights.entry((query.id.clone(), document.to_owned())).or_default() += worth;
                    }
                }
            }
        }
    }
    weights
}

/// Scores of the drawn queries, by position among all.
#[inline]
fn of_all(queries: &[Query], scores: Vec<f64>, is_drawn: impl Fn(&Query) -> bool) -> Vec<Option<f64>> {
    let mut scores = scores.into_iter();
    queries.iter().map(|query| if is_drawn(query) { scores.next() } else { None }).collect()
}

impl Judges {
    /// The scores of each side, the candidate first, at one end of what documents that people did not judge may make of each
    /// query: of its value, or of its difference.
    #[inline]
    fn ends(&self, by_people: &[Evaluation], metric: &Metric, end: End) -> Result<Vec<Vec<f64>>> {
        let Some(candidate) = by_people.first() else { return Ok(Vec::new()) };
        let cutoff = last_rank(metric, &by_people.iter().collect::<Vec<_>>());
        let relevant_from = candidate.judged(0).map_or(1, JudgedRanking::relevant_from);
        let grade = i32::from(self.highest);
        let assumed = Assumed::new(metric, cutoff, grade, relevant_from)?;
        let mut scores = vec![Vec::new(); by_people.len()];
        for query in candidate.queries().iter().enumerate() {
            let sides = QuerySides::new([by_people.get(1), Some(candidate)], query, cutoff)?;
            let unbounded = || {
                Error::invalid(format!(
                    "nothing bounds what documents that no person judged could make of {metric}"
                ))
            };
            let [baseline, candidate] = sides.scores_at(end, &assumed)?.ok_or_else(unbounded)?;
            for (side, score) in scores.iter_mut().zip([candidate, baseline]) {
                side.push(score);
            }
        }
        Ok(scores)
    }

    /// People's judgments, and what claims that they did not judge are taken for: at the lowest those that the baseline has more
    /// of are supported, at the highest those of the candidate.
    #[inline]
    fn taken_for(&self, weights: &Weights, end: End, sides: usize) -> Collection {
        let highest = |weight: f64| match end {
            End::Lowest => sides > 1 && weight < -EQUAL,
            End::Highest => weight > EQUAL,
        };
        let mut qrels = self.by_people.qrels().clone();
        for ((query, document), weight) in weights {
            let grade = if highest(*weight) { i32::from(self.highest) } else { 0 };
            // It is there once, and was not before.
            drop(qrels.insert(query, document, grade));
        }
        self.by_people.judged_as(qrels)
    }
}
