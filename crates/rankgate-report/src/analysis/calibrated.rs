//! A value that rests on a model's judgments alone, by the errors that the model made where people judged as well.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use std::collections::{BTreeSet, HashMap};

use crate::collection::{Collection, Query};
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::{CalibratedReport, CorrectedOpen, ErrorTest};
use crate::order::SmallMap;
use crate::stats::{
    CalibrationSide, CalibrationUnit, CorrectedMean, Gains, Stream, calibrated_mean,
    stratified_permutation_test,
};
use crate::{Error, Result};

use super::judges::{FEWEST_DRAWN, Judges, LabelledPair};

/// Grades that count for so nearly the same are of one class.
const EQUAL: f64 = 1e-9;
/// What a reply without a grade counts where replies are compared.
const CANNOT_TELL: f64 = 0.5;

/// A calibrated value, or difference of two.
#[derive(Clone)]
pub(super) struct Calibrated {
    /// What no grade can be known of taken for the lowest.
    pub(super) mean: CorrectedMean,
    /// The same taken for the highest, where there is any.
    pub(super) highest: Option<CorrectedMean>,
    /// Of the candidate, then of the baseline.
    pub(super) sides: Vec<f64>,
    pub(super) report: CalibratedReport,
}

/// Why there is none.
pub(super) enum NotCalibrated {
    Open(CorrectedOpen),
    Error(Error),
}

impl From<Error> for NotCalibrated {
    #[inline]
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl Calibrated {
    /// Calibrates the mean of the first side, or how much higher it is than that of the second one.
    ///
    /// # Errors
    /// Too few queries with grades by people, a class of which they judged nothing, a metric that cannot be computed.
    #[inline]
    pub(super) fn new(
        judges: &Judges,
        sides: &[&Evaluation],
        metric: &Metric,
        units: &[String],
        stream: &Stream,
    ) -> std::result::Result<Self, NotCalibrated> {
        let first = sides.first().ok_or_else(|| Error::invalid("there is nothing to calibrate"))?;
        let queries = first.queries();
        let scale = Scale::new(judges, sides, metric)?;
        let mut names: Vec<&str> = units.iter().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        let place = |unit: &String| names.partition_point(|name| *name < unit.as_str());
        let unit_of: HashMap<&str, usize> =
            queries.iter().zip(units).map(|(query, unit)| (query.id.as_str(), place(unit))).collect();
        let labels: Vec<&LabelledPair> = judges
            .labels
            .iter()
            .filter(|one| judges.drawn.contains(&one.query) && unit_of.contains_key(one.query.as_str()))
            .collect();
        let labelled: BTreeSet<&str> = labels.iter().map(|one| names[unit_of[one.query.as_str()]]).collect();
        if labelled.len() < FEWEST_DRAWN {
            return Err(NotCalibrated::Open(CorrectedOpen::FewDrawn));
        }
        let (classes, replies) = (scale.values.len(), scale.values.len() + 1);
        let side = CalibrationSide { known: 0.0, weights: vec![0.0; replies] };
        let count = unit_of.values().max().map_or(0, |last| last + 1);
        let empty = CalibrationUnit { queries: 0.0, labels: None, sides: vec![side; sides.len()] };
        let mut all = vec![empty; count];
        for (at, side) in sides.iter().enumerate() {
            let known = scale.least(judges, side, metric)?;
            for (score, unit) in known.iter().zip(units_in(&unit_of, queries)) {
                all[unit].sides[at].known += score;
                all[unit].queries += if at == 0 { 1.0 } else { 0.0 };
            }
            for reply in 0..replies {
                let most = scale.most(judges, side, metric, reply)?;
                for ((most, known), unit) in most.iter().zip(&known).zip(units_in(&unit_of, queries)) {
                    all[unit].sides[at].weights[reply] += most - known;
                }
            }
        }
        for one in &labels {
            let unit = &mut all[unit_of[one.query.as_str()]];
            let table = unit.labels.get_or_insert_with(|| vec![vec![0.0; replies]; classes]);
            table[scale.class(one.people)][scale.reply(one.model)] += 1.0;
        }
        let mut confusion = vec![vec![0_u64; replies]; classes];
        for one in &labels {
            confusion[scale.class(one.people)][scale.reply(one.model)] += 1;
        }
        let is_seen = |class: usize| confusion[class].iter().any(|cell| *cell > 0);
        if !is_seen(0) || !is_seen(classes - 1) {
            return Err(NotCalibrated::Open(CorrectedOpen::UnseenClass));
        }
        // A grade between the others that people never gave is none of the new ones either.
        let seen: Vec<usize> = (0..classes).filter(|class| is_seen(*class)).collect();
        for table in all.iter_mut().filter_map(|unit| unit.labels.as_mut()) {
            *table = seen.iter().map(|class| table[*class].clone()).collect();
        }
        let own: Vec<f64> = scale.values.iter().copied().chain([0.0]).collect();
        let gains = Gains::new(seen.iter().map(|class| scale.values[*class]).collect(), own)?;
        let mean = calibrated_mean(&all, &gains, stream)?;
        let beyond = scale.beyond(judges, sides, metric, &unit_of, queries)?;
        let highest = match beyond.iter().flatten().any(|weight| *weight > 0.0) {
            false => None,
            true => {
                let mut raised = all.clone();
                for (at, side) in beyond.iter().enumerate() {
                    raised.iter_mut().zip(side).for_each(|(unit, weight)| unit.sides[at].known += weight);
                }
                Some(calibrated_mean(&raised, &gains, stream)?)
            }
        };
        let of_side = |at: usize| -> Result<f64> {
            let alone = |unit: &CalibrationUnit| CalibrationUnit {
                sides: vec![unit.sides[at].clone()],
                ..unit.clone()
            };
            let units: Vec<CalibrationUnit> = all.iter().map(alone).collect();
            Ok(calibrated_mean(&units, &gains, stream)?.value)
        };
        let sides_values: Vec<f64> = (0..sides.len()).map(of_side).collect::<Result<_>>()?;
        let needed = judges.needed(sides, scale.cutoff);
        let tests = scale.tests(judges, &labels, sides, stream);
        let is_refuted = tests.iter().any(|test| test.is_refuted(tests.len()));
        let report = CalibratedReport {
            judge: judges.judge.clone(),
            model: judges.model.clone(),
            uncorrected: mean.uncorrected,
            labels: labels.len(),
            labelled: labelled.len(),
            units: count,
            pairs: needed.len(),
            abstained: needed.iter().filter(|pair| judges.is_abstained(pair)).count(),
            beyond_people: needed.iter().filter(|pair| judges.is_beyond_people(pair)).count(),
            gains: scale.values.clone(),
            confusion,
            tests,
            open: is_refuted.then_some(CorrectedOpen::ErrorsChanged),
        };
        Ok(Self { mean, highest, sides: sides_values, report })
    }
}

/// The unit of each query.
#[inline]
fn units_in<'a>(unit_of: &'a HashMap<&str, usize>, queries: &'a [Query]) -> impl Iterator<Item = usize> + 'a {
    queries.iter().map(|query| unit_of[query.id.as_str()])
}

/// What grades count to a metric: those that count alike are one class.
struct Scale {
    /// What the classes count, from 0 to 1.
    values: Vec<f64>,
    /// By grade.
    classes: Vec<usize>,
    cutoff: usize,
    /// By query and document, the model's reply to what the sides need; of what no person can grade none.
    replies: Vec<((String, String), Option<usize>)>,
}

impl Scale {
    #[inline]
    fn new(judges: &Judges, sides: &[&Evaluation], metric: &Metric) -> Result<Self> {
        let cutoff = metric.cutoff().unwrap_or_else(|| sides.first().map_or(0, |side| side.depth()));
        let needed = judges.needed(sides, cutoff);
        let total = |grade: u8| -> Result<f64> {
            let judged = judged_as(judges, needed.iter().map(|pair| (*pair, grade)))?;
            let mut sum = 0.0;
            for side in sides {
                sum += side.rejudged(&judged)?.scores(metric)?.iter().sum::<f64>();
            }
            Ok(sum)
        };
        let totals: Vec<f64> = (0..=judges.highest).map(total).collect::<Result<_>>()?;
        let (lowest, highest) = (totals[0], totals[totals.len() - 1]);
        let share = |total: &f64| if highest > lowest { (total - lowest) / (highest - lowest) } else { 0.0 };
        let shares: Vec<f64> = totals.iter().map(share).collect();
        let (mut values, mut classes): (Vec<f64>, Vec<usize>) = (Vec::new(), Vec::new());
        for share in &shares {
            if values.last().is_none_or(|last| share - last > EQUAL) {
                values.push(*share);
            }
            classes.push(values.len() - 1);
        }
        if let Some(last) = values.last_mut().filter(|_| highest > lowest) {
            *last = 1.0;
        }
        let mut scale = Self { values, classes, cutoff, replies: Vec::new() };
        let qrels = judges.by_model[0].qrels();
        for pair in &needed {
            let grade = || qrels.grade(pair.0, pair.1).and_then(|grade| u8::try_from(grade).ok());
            let reply = match (judges.is_beyond_people(pair), judges.is_abstained(pair)) {
                (true, _) => None,
                (false, true) => Some(scale.reply(None)),
                (false, false) => Some(scale.reply(grade())),
            };
            scale.replies.push(((pair.0.to_owned(), pair.1.to_owned()), reply));
        }
        Ok(scale)
    }

    #[inline]
    fn class(&self, grade: u8) -> usize {
        let last = self.values.len() - 1;
        self.classes.get(usize::from(grade)).copied().unwrap_or(last)
    }

    /// The class of a grade, or what comes after the last one where there is none.
    #[inline]
    fn reply(&self, grade: Option<u8>) -> usize {
        grade.map_or(self.values.len(), |grade| self.class(grade))
    }

    /// The scores where everything that the model judged has these grades.
    #[inline]
    fn scores(
        &self,
        judges: &Judges,
        side: &Evaluation,
        metric: &Metric,
        is_high: impl Fn(Option<usize>) -> bool,
    ) -> Result<Vec<f64>> {
        let grade = |reply: &Option<usize>| if is_high(*reply) { judges.highest } else { 0 };
        let pairs = self
            .replies
            .iter()
            .map(|((query, document), reply)| ((query.as_str(), document.as_str()), grade(reply)));
        side.rejudged(&judged_as(judges, pairs)?)?.scores(metric)
    }

    /// What counts without any reply of the judge.
    #[inline]
    fn least(&self, judges: &Judges, side: &Evaluation, metric: &Metric) -> Result<Vec<f64>> {
        self.scores(judges, side, metric, |_| false)
    }

    #[inline]
    fn most(&self, judges: &Judges, side: &Evaluation, metric: &Metric, reply: usize) -> Result<Vec<f64>> {
        self.scores(judges, side, metric, |one| one == Some(reply))
    }

    /// By side and unit, what would be added if all that no person can grade counted most.
    #[inline]
    fn beyond(
        &self,
        judges: &Judges,
        sides: &[&Evaluation],
        metric: &Metric,
        unit_of: &HashMap<&str, usize>,
        queries: &[Query],
    ) -> Result<Vec<Vec<f64>>> {
        let of_side = |side: &&Evaluation| {
            let known = self.least(judges, side, metric)?;
            let most = self.scores(judges, side, metric, |one| one.is_none())?;
            let mut weights = vec![0.0; unit_of.values().max().map_or(0, |last| last + 1)];
            for ((most, known), unit) in most.iter().zip(known).zip(units_in(unit_of, queries)) {
                weights[unit] += most - known;
            }
            Ok(weights)
        };
        sides.iter().map(of_side).collect()
    }

    /// Whether the model errs on grades that people gave last as on those before, and on what one side alone returns as on what the
    /// other does.
    #[inline]
    fn tests(
        &self,
        judges: &Judges,
        labels: &[&LabelledPair],
        sides: &[&Evaluation],
        stream: &Stream,
    ) -> Vec<ErrorTest> {
        let last = labels.iter().map(|one| one.batch).max().unwrap_or(1);
        let later = self.test("later grades", labels, |one| Some(one.batch == last), stream);
        let [candidate, baseline] = sides else { return later.into_iter().collect() };
        let of = |side: &Evaluation| -> BTreeSet<(String, String)> {
            let needed = judges.needed(&[side], self.cutoff).into_iter();
            needed.map(|(query, document)| (query.to_owned(), document.to_owned())).collect()
        };
        let [ours, theirs] = [of(candidate), of(baseline)];
        let of_candidate = |one: &LabelledPair| {
            let key = (one.query.clone(), one.document.clone());
            match (ours.contains(&key), theirs.contains(&key)) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            }
        };
        later.into_iter().chain(self.test("candidate", labels, of_candidate, stream)).collect()
    }

    /// Tests within each class whether the model replies otherwise to pairs of the second group.
    #[inline]
    fn test(
        &self,
        what: &str,
        labels: &[&LabelledPair],
        is_second: impl Fn(&LabelledPair) -> Option<bool>,
        stream: &Stream,
    ) -> Option<ErrorTest> {
        let own = |one: &LabelledPair| one.model.map_or(CANNOT_TELL, |grade| self.values[self.class(grade)]);
        let (mut ps, mut pairs) = (Vec::new(), [0, 0]);
        for class in 0..self.values.len() {
            let mut sums: SmallMap<(&str, bool), (f64, f64)> = SmallMap::default();
            for one in labels.iter().filter(|one| self.class(one.people) == class) {
                let Some(second) = is_second(one) else { continue };
                pairs[usize::from(second)] += 1;
                let (sum, count) = sums.get_or_insert_with((one.query.as_str(), second), Default::default);
                (*sum, *count) = (*sum + own(one), *count + 1.0);
            }
            let mut by_query: SmallMap<&str, Vec<(bool, f64)>> = SmallMap::default();
            for ((query, second), (sum, count)) in sums {
                by_query.get_or_insert_with(query, Vec::new).push((second, sum / count));
            }
            // Queries with both are pairs; the others are exchangeable among themselves.
            let (mut strata, alone): (Vec<_>, Vec<_>) =
                by_query.into_iter().map(|(_, values)| values).partition(|values| values.len() > 1);
            strata.push(alone.into_iter().flatten().collect());
            ps.extend(stratified_permutation_test(&strata, &stream.for_name(what)));
        }
        let least = ps.iter().copied().reduce(f64::min)?;
        Some(ErrorTest { what: what.to_owned(), pairs, p: (least * ps.len() as f64).min(1.0) })
    }
}

/// The collection with these grades for what people had not judged.
#[inline]
fn judged_as<'a>(
    judges: &Judges,
    grades: impl Iterator<Item = ((&'a str, &'a str), u8)>,
) -> Result<Collection> {
    let mut qrels = judges.base.qrels().clone();
    for ((query, document), grade) in grades {
        qrels.insert(query, document, i32::from(grade))?;
    }
    Ok(judges.base.judged_as(qrels))
}

/// What a model's errors show where people judged pairs of several deliveries or of one configuration and others.
///
/// # Errors
/// A metric that cannot be computed.
#[inline]
pub fn error_tests(
    judges: &Judges,
    evaluation: &Evaluation,
    metric: &Metric,
    stream: &Stream,
) -> Result<Vec<ErrorTest>> {
    let scale = Scale::new(judges, &[evaluation], metric)?;
    let labels: Vec<&LabelledPair> =
        judges.labels.iter().filter(|one| judges.drawn.contains(&one.query)).collect();
    let needed: BTreeSet<(&str, &str)> = judges.needed(&[evaluation], scale.cutoff).into_iter().collect();
    let is_own = |one: &LabelledPair| Some(needed.contains(&(one.query.as_str(), one.document.as_str())));
    let later = scale.tests(judges, &labels, &[evaluation], stream);
    Ok(later.into_iter().chain(scale.test("configuration", &labels, is_own, stream)).collect())
}
