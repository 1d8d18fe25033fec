//! A mean over units that a model judged alone, by the errors that it made where people judged as well.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use rand::RngExt;

use super::corrected::CorrectedMean;
use super::{Stream, StreamRng};
use crate::{Error, Result};

/// Resamples of units.
const RESAMPLES: u64 = 1_000;
/// What stands for errors that no sample shows: half a unit of each reply in each class, as Jeffreys' prior has of counts.
const UNSEEN: f64 = 0.5;
/// The same of the estimate itself: only so much that no reply is impossible.
const POSSIBLE: f64 = 1e-3;
/// A determinant that is smaller is none: replies then say nothing of the classes.
const SINGULAR: f64 = 1e-12;

/// A query, or a group of them, whose items a model judged.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationUnit {
    /// Queries in it.
    pub queries: f64,
    /// Of items that people and the model judged: how many people put into each class (rows) that the model gave each reply
    /// (columns). None where people judged nothing of the unit.
    pub labels: Option<Vec<Vec<f64>>>,
    /// Of the value, or of the candidate and then the baseline.
    pub sides: Vec<CalibrationSide>,
}

/// What the items of a unit add to the sum of its queries' scores.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationSide {
    /// The sum of scores that is known without the model, were all of its items in the lowest class.
    pub known: f64,
    /// By reply of the model, what the items with that reply would add were they in the highest class.
    pub weights: Vec<f64>,
}

/// What items count, from 0 to 1: by the class into which people put them, and by what the model replied.
#[derive(Debug, Clone, PartialEq)]
pub struct Gains {
    classes: Vec<f64>,
    replies: Vec<f64>,
}

impl Gains {
    /// Gains of the classes, in ascending order, and of the replies taken at their word.
    ///
    /// # Errors
    ///
    /// Fewer than two classes, gains of classes that do not rise from 0 to 1, no replies.
    #[inline]
    pub fn new(classes: Vec<f64>, replies: Vec<f64>) -> Result<Self> {
        let rises = classes.windows(2).all(|two| two[0] < two[1]);
        let ends = [classes.first(), classes.last()];
        if !rises || ends != [Some(&0.0), Some(&1.0)] || replies.is_empty() {
            return Err(Error::invalid(format!("gains must rise from 0 to 1, and these are {classes:?}")));
        }
        Ok(Self { classes, replies })
    }
}

/// The model's replies counted by people's class.
type Counts = Vec<Vec<f64>>;

/// Estimates the mean score by people's judgments of units that people did not judge, or the difference of two such means.
///
/// The model errs on new items as on those that people judged: an item of a class gets each reply as often as the labelled
/// items of this class did. That is assumed, and the value is wrong where it does not hold. Shares of the classes may differ from
/// those of the labelled items.
///
/// # Source
///
/// Rogan and Gladen, "Estimating prevalence from the results of a screening test", American Journal of Epidemiology 107,
/// 1978, for any number of replies and classes: each reply m counts s(m), where the sum over m of P(m | class) s(m) is the gain
/// of the class. Of all such s it is the one with the smallest sum of q(m) s(m)², q being the shares of the replies among
/// labelled items. Means are kept between 0 and what the items can add. The standard error and the skewness are of a Bayesian
/// bootstrap (Rubin, Annals of Statistics 9, 1981) of units, those with labels and those without each by themselves, about the
/// estimate. In each of its resamples half a unit stands for errors that were not seen. Limits are Student's with one
/// degree of freedom less than there are units with labels, raised for skewness as of [`CorrectedMean`]. The standard error is no
/// smaller than one that people's scores of as many new units would leave.
///
/// # Errors
///
/// Fewer than two units with labels, units of different shapes, numbers that are not finite, a class that people never gave.
///
/// ```
/// use rankgate::stats::{CalibrationSide, CalibrationUnit, Gains, Stream, calibrated_mean};
///
/// // People put ten items of each unit into either class. The model says "yes" to nine of ten good ones and to two of ten bad ones.
/// let labels = || Some(vec![vec![8.0, 2.0], vec![1.0, 9.0]]);
/// // Of new items it says "yes" to 62%: a share p with .9 p + .2 (1 - p) = .62 is good.
/// let unit = |labels| CalibrationUnit {
///     queries: 1.0,
///     labels,
///     sides: vec![CalibrationSide { known: 0.0, weights: vec![0.38, 0.62] }],
/// };
/// let units: Vec<_> = (0..100).map(|at| unit(if at < 40 { labels() } else { None })).collect();
/// let mean = calibrated_mean(&units, &Gains::new(vec![0.0, 1.0], vec![0.0, 1.0])?, &Stream::new(1))?;
/// assert!((mean.value - 0.6).abs() < 1e-3);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[inline]
pub fn calibrated_mean(units: &[CalibrationUnit], gains: &Gains, stream: &Stream) -> Result<CorrectedMean> {
    let replies = check(units, gains)?;
    let labelled = units.iter().filter(|unit| unit.labels.is_some()).count();
    let ones = vec![1.0; units.len()];
    let possible = vec![vec![POSSIBLE; replies]; gains.classes.len()];
    let found = estimate(units, &ones, gains, &possible);
    let mut counts = Counts::new();
    for unit in units.iter().filter_map(|unit| unit.labels.as_ref()) {
        add(&mut counts, unit, 1.0);
    }
    // An average unit has so many items of each class, and no less than one.
    let of_unit: Vec<f64> =
        counts.iter().map(|row| (row.iter().sum::<f64>() / labelled as f64).max(1.0)).collect();
    let given = |reply: usize| {
        units.iter().any(|unit| {
            let labels = unit.labels.iter().flatten().any(|row| row[reply] > 0.0);
            labels || unit.sides.iter().any(|side| side.weights[reply] > 0.0)
        })
    };
    let given: Vec<bool> = (0..replies).map(given).collect();
    let mut moments = [0.0; 2];
    for number in 0..RESAMPLES {
        let mut random = stream.rng(number);
        let weights = resample(units, &mut random);
        let mut unseen = vec![vec![0.0; replies]; gains.classes.len()];
        for (row, of_unit) in unseen.iter_mut().zip(&of_unit) {
            for (cell, given) in row.iter_mut().zip(&given) {
                let pseudo = 2.0 * UNSEEN * of_unit * half_exponential(&mut random);
                *cell = if *given { pseudo } else { 0.0 };
            }
        }
        for end in estimate(units, &weights, gains, &unseen).ends {
            let apart = end - found.value();
            moments[0] += apart * apart / (2.0 * RESAMPLES as f64);
            moments[1] += apart.powi(3) / (2.0 * RESAMPLES as f64);
        }
    }
    let spread = moments[0].sqrt();
    let skewness = if spread > 0.0 { moments[1] / spread.powi(3) } else { 0.0 };
    let is_known = found.ends[0] == found.ends[1] && spread == 0.0;
    let standard_error = if is_known { 0.0 } else { spread.max(least_error(units, gains)?) };
    Ok(CorrectedMean::calibrated(
        (found.value(), found.by_model),
        (standard_error, skewness),
        (units.len(), labelled),
    ))
}

/// Whether units are of one shape; how many replies there are.
#[inline]
fn check(units: &[CalibrationUnit], gains: &Gains) -> Result<usize> {
    let first = units.first().and_then(|unit| unit.sides.first());
    let replies = first.ok_or_else(|| Error::invalid("there are no units to calibrate"))?.weights.len();
    let sides = units[0].sides.len();
    if replies != gains.replies.len() {
        let message = format!("{replies} replies were counted, and {} have a gain", gains.replies.len());
        return Err(Error::invalid(message));
    }
    let numbers = |unit: &CalibrationUnit| {
        let of_sides = unit.sides.iter().flat_map(|side| side.weights.iter().chain([&side.known]).copied());
        let labels = unit.labels.iter().flatten().flatten().copied();
        of_sides.chain(labels).chain([unit.queries]).all(f64::is_finite)
    };
    let fits = |unit: &CalibrationUnit| {
        let labels = unit.labels.as_ref();
        unit.sides.len() == sides
            && unit.sides.iter().all(|side| side.weights.len() == replies)
            && labels.is_none_or(|rows| {
                rows.len() == gains.classes.len() && rows.iter().all(|row| row.len() == replies)
            })
    };
    if !units.iter().all(fits) || sides > 2 {
        return Err(Error::invalid(
            "units to calibrate differ in how many sides, classes or replies they have",
        ));
    }
    if !units.iter().all(numbers) {
        return Err(Error::invalid("what units to calibrate hold must be finite numbers"));
    }
    let labelled: Vec<&Counts> = units.iter().filter_map(|unit| unit.labels.as_ref()).collect();
    if labelled.len() < 2 {
        return Err(Error::invalid("people must have judged items of two units at least"));
    }
    match (0..gains.classes.len())
        .find(|class| labelled.iter().all(|rows| rows[*class].iter().all(|one| *one == 0.0)))
    {
        Some(class) => Err(Error::invalid(format!("people put no item into class {class}"))),
        None => Ok(replies),
    }
}

/// The value, and where replies say nothing of classes, all that it can be.
struct Estimate {
    ends: [f64; 2],
    by_model: f64,
}

impl Estimate {
    #[inline]
    fn value(&self) -> f64 {
        f64::midpoint(self.ends[0], self.ends[1])
    }
}

#[inline]
fn add(counts: &mut Counts, labels: &Counts, times: f64) {
    if counts.is_empty() {
        *counts = vec![vec![0.0; labels[0].len()]; labels.len()];
    }
    for (row, more) in counts.iter_mut().zip(labels) {
        row.iter_mut().zip(more).for_each(|(cell, more)| *cell += times * more);
    }
}

/// The standard error that people's scores of as many queries would leave, had they judged the items that the model judged alone: a
/// value by its errors elsewhere is not surer than that. The model's scores leave of people's what they leave on labelled items, on each
/// side by itself.
#[inline]
fn least_error(units: &[CalibrationUnit], gains: &Gains) -> Result<f64> {
    let share = |labels: &Counts, gain: &dyn Fn(usize, usize) -> f64| {
        let cells = labels.iter().enumerate().flat_map(|(class, row)| {
            row.iter().enumerate().map(move |(reply, count)| (class, reply, *count))
        });
        let (sum, all) = cells.fold((0.0, 0.0), |(sum, all), (class, reply, count)| {
            (sum + count * gain(class, reply), all + count)
        });
        if all > 0.0 { sum / all } else { 0.0 }
    };
    let labelled: Vec<&Counts> = units.iter().filter_map(|unit| unit.labels.as_ref()).collect();
    let model: Vec<f64> =
        labelled.iter().map(|labels| share(labels, &|_, reply| gains.replies[reply])).collect();
    let people: Vec<Option<f64>> =
        labelled.iter().map(|labels| Some(share(labels, &|class, _| gains.classes[class]))).collect();
    let left = CorrectedMean::new(&model, &people)?.residual_spread();
    let (all, drawn) = (units.len() as f64, labelled.len() as f64);
    let queries: f64 = units.iter().map(|unit| unit.queries).sum::<f64>() / all;
    let added = |side: &CalibrationSide, gain: &dyn Fn(usize) -> f64| -> f64 {
        side.weights.iter().enumerate().map(|(reply, weight)| weight * gain(reply)).sum::<f64>() / queries
    };
    let (mut most, mut scores) = (0.0, vec![0.0; units.len()]);
    for (score, unit) in scores.iter_mut().zip(units) {
        for (sign, side) in [1.0, -1.0].into_iter().zip(&unit.sides) {
            *score += sign * (side.known / queries + added(side, &|reply| gains.replies[reply]));
            most += added(side, &|_| 1.0).powi(2) / all;
        }
    }
    let mean = scores.iter().sum::<f64>() / all;
    let square = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (all - 1.0);
    Ok((square / all + (1.0 / drawn - 1.0 / all) * most * left * left).sqrt())
}

/// The value where units have these weights and cells of the table so many items more.
#[inline]
fn estimate(units: &[CalibrationUnit], weights: &[f64], gains: &Gains, more: &Counts) -> Estimate {
    let mut counts = more.clone();
    let mut queries = 0.0;
    // Of each side what is known, then what items add by reply.
    let mut sums = vec![vec![0.0; 1 + gains.replies.len()]; units[0].sides.len()];
    for (unit, weight) in units.iter().zip(weights) {
        if let Some(labels) = &unit.labels {
            add(&mut counts, labels, *weight);
        }
        queries += unit.queries * weight;
        for (sums, side) in sums.iter_mut().zip(&unit.sides) {
            let of_side = std::iter::once(&side.known).chain(&side.weights);
            sums.iter_mut().zip(of_side).for_each(|(sum, one)| *sum += weight * one);
        }
    }
    let scores = scores(&counts, gains);
    let side = |sums: &Vec<f64>| -> [f64; 3] {
        let known = sums[0] / queries;
        let most = sums[1..].iter().sum::<f64>() / queries;
        let with = |scores: &[f64]| {
            let scored: f64 = sums[1..].iter().zip(scores).map(|(sum, score)| sum * score).sum();
            known + (scored / queries).clamp(0.0, most)
        };
        let by_model = with(&gains.replies);
        match &scores {
            Some(scores) => [with(scores), with(scores), by_model],
            None => [known, known + most, by_model],
        }
    };
    let [low, high, by_model] = side(&sums[0]);
    match sums.get(1).map(side) {
        None => Estimate { ends: [low, high], by_model },
        Some([other_low, other_high, other_model]) => {
            Estimate { ends: [low - other_high, high - other_low], by_model: by_model - other_model }
        }
    }
}

/// What each reply counts; nothing where replies do not tell the classes apart.
#[inline]
fn scores(counts: &Counts, gains: &Gains) -> Option<Vec<f64>> {
    let (classes, replies) = (counts.len(), counts[0].len());
    let shares: Vec<f64> = (0..replies).map(|reply| counts.iter().map(|row| row[reply]).sum()).collect();
    let all: f64 = shares.iter().sum();
    let rates: Counts = counts
        .iter()
        .map(|row| {
            let sum: f64 = row.iter().sum();
            row.iter().map(|cell| cell / sum).collect()
        })
        .collect();
    let inverse = |reply: usize| if shares[reply] > 0.0 { all / shares[reply] } else { 0.0 };
    let mut system = vec![vec![0.0; classes + 1]; classes];
    for (one, row) in system.iter_mut().enumerate() {
        for (other, cell) in row.iter_mut().take(classes).enumerate() {
            *cell = (0..replies).map(|reply| rates[one][reply] * rates[other][reply] * inverse(reply)).sum();
        }
        row[classes] = gains.classes[one];
    }
    let solved = solve(system)?;
    let score = |reply: usize| {
        (0..classes).map(|class| rates[class][reply] * solved[class]).sum::<f64>() * inverse(reply)
    };
    Some((0..replies).map(score).collect())
}

/// Solves linear equations, the last column being the right-hand sides, by elimination with the largest pivot.
#[inline]
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let count = rows.len();
    for at in 0..count {
        let pivot = (at..count).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs()))?;
        if rows[pivot][at].is_nan() || rows[pivot][at].abs() <= SINGULAR {
            return None;
        }
        rows.swap(at, pivot);
        let row = rows[at].clone();
        for below in &mut rows[at + 1..] {
            let times = below[at] / row[at];
            below.iter_mut().zip(&row).for_each(|(cell, above)| *cell -= times * above);
        }
    }
    let mut solved = vec![0.0; count];
    for at in (0..count).rev() {
        let known: f64 = (at + 1..count).map(|other| rows[at][other] * solved[other]).sum();
        solved[at] = (rows[at][count] - known) / rows[at][at];
    }
    Some(solved)
}

/// Exponential weights of units: those with labels, and those without, have an average of 1 each.
#[inline]
fn resample(units: &[CalibrationUnit], random: &mut StreamRng) -> Vec<f64> {
    let mut weights: Vec<f64> = units.iter().map(|_| exponential(random)).collect();
    for labelled in [true, false] {
        let is_meant = |unit: &&CalibrationUnit| unit.labels.is_some() == labelled;
        let count = units.iter().filter(is_meant).count() as f64;
        let sum: f64 =
            units.iter().zip(&weights).filter(|(unit, _)| is_meant(unit)).map(|(_, weight)| weight).sum();
        for (_, weight) in units.iter().zip(&mut weights).filter(|(unit, _)| is_meant(unit)) {
            *weight *= count / sum;
        }
    }
    weights
}

/// A number between 0 and 1, and neither of them.
#[inline]
fn unit_number(random: &mut StreamRng) -> f64 {
    (random.random_range(0..1_u64 << 53) as f64 + 0.5) / (1_u64 << 53) as f64
}

#[inline]
fn exponential(random: &mut StreamRng) -> f64 {
    -unit_number(random).ln()
}

/// Gamma-distributed with shape 1/2: half the square of a normal number (Box and Muller).
#[inline]
fn half_exponential(random: &mut StreamRng) -> f64 {
    let turn = (std::f64::consts::TAU * unit_number(random)).cos();
    exponential(random) * turn * turn
}

#[cfg(test)]
mod tests {
    use super::super::Confidence;
    use super::*;

    fn unit(labels: Option<Counts>, sides: &[&[f64]]) -> CalibrationUnit {
        let side = |weights: &&[f64]| CalibrationSide { known: 0.0, weights: weights.to_vec() };
        CalibrationUnit { queries: 1.0, labels, sides: sides.iter().map(side).collect() }
    }

    fn binary() -> Gains {
        Gains::new(vec![0.0, 1.0], vec![0.0, 1.0]).unwrap()
    }

    fn mean(units: &[CalibrationUnit], gains: &Gains) -> CorrectedMean {
        calibrated_mean(units, gains, &Stream::new(1)).unwrap()
    }

    #[test]
    fn three_classes_are_the_inverse_of_their_table() {
        // Shares .2, .3, .5 of classes that count 0, .5, 1 have a mean of .65, and through this table replies of .19, .38, .43.
        let table = vec![vec![80.0, 20.0, 0.0], vec![10.0, 80.0, 10.0], vec![0.0, 20.0, 80.0]];
        let gains = Gains::new(vec![0.0, 0.5, 1.0], vec![0.0, 0.5, 1.0]).unwrap();
        let units: Vec<_> =
            (0..60).map(|at| unit((at < 40).then(|| table.clone()), &[&[0.19, 0.38, 0.43]])).collect();
        let one = mean(&units, &gains);
        assert!((one.value - 0.65).abs() < 1e-4, "{}", one.value);
        // At their word: .38 / 2 + .43.
        assert!((one.uncorrected - 0.62).abs() < 1e-12, "{}", one.uncorrected);
        assert_eq!((one.units, one.drawn, one.freedom), (60, 40, 39));
    }

    #[test]
    fn its_standard_error_is_that_of_rogan_and_gladen() {
        // One item a unit: of 100 good ones 90 are called so, of 100 bad ones 20, and of 400 new ones 62%. Their formula (1978):
        // [.62 * .38 / 400 + .6^2 * .9 * .1 / 100 + .4^2 * .2 * .8 / 100] / (.9 - .2)^2 = .0488^2.
        let units: Vec<_> = (0..400)
            .map(|at| {
                let (good, yes) = (at % 2 == 0, at / 2 % 100);
                let says_yes = yes < if good { 90 } else { 20 };
                let mut table = vec![vec![0.0; 2]; 2];
                table[usize::from(good)][usize::from(says_yes)] = 1.0;
                let new: &[f64] = if at * 37 % 100 < 62 { &[0.0, 1.0] } else { &[1.0, 0.0] };
                unit((at < 200).then_some(table), &[new])
            })
            .collect();
        let one = mean(&units, &binary());
        assert!((one.value - 0.6).abs() < 1e-4, "{}", one.value);
        assert!((one.standard_error / 0.0488 - 1.0).abs() < 0.1, "{}", one.standard_error);
        assert_eq!(mean(&units, &binary()), one);
    }

    #[test]
    fn a_judge_that_says_the_same_of_everything_shows_nothing() {
        let table = vec![vec![0.0, 2.0], vec![0.0, 8.0]];
        let units: Vec<_> =
            (0..80).map(|at| unit((at < 40).then(|| table.clone()), &[&[0.0, 1.0]])).collect();
        let interval = mean(&units, &binary()).interval(Confidence::default()).unwrap();
        assert!(interval.low <= 0.0 && interval.high >= 1.0, "{interval:?}");
    }

    #[test]
    fn a_judge_that_was_always_right_is_not_taken_to_be_right_always() {
        let table = vec![vec![1.0, 0.0], vec![0.0, 4.0]];
        let units: Vec<_> =
            (0..80).map(|at| unit((at < 40).then(|| table.clone()), &[&[0.2, 0.8]])).collect();
        let one = mean(&units, &binary());
        assert!((one.value - 0.8).abs() < 1e-3, "{}", one.value);
        let interval = one.interval(Confidence::default()).unwrap();
        assert!(interval.low < 0.79 && interval.high > 0.81, "{interval:?}");
    }

    #[test]
    fn what_both_sides_return_cancels() {
        let table = vec![vec![3.0, 2.0], vec![1.0, 4.0]];
        let all = |at: usize| if at.is_multiple_of(3) { [0.5, 0.5] } else { [0.25, 0.75] };
        let units: Vec<_> =
            (0..80).map(|at| unit((at < 40).then(|| table.clone()), &[&all(at), &all(at)])).collect();
        let one = mean(&units, &binary());
        assert_eq!((one.value, one.standard_error), (0.0, 0.0));
    }

    #[test]
    fn what_cannot_be_calibrated_is_an_error() {
        let table = || Some(vec![vec![1.0, 1.0], vec![1.0, 1.0]]);
        let error = |units: &[CalibrationUnit]| {
            calibrated_mean(units, &binary(), &Stream::new(1)).unwrap_err().to_string()
        };
        let good = unit(table(), &[&[0.5, 0.5]]);
        assert!(error(&[]).contains("no units"));
        assert!(error(std::slice::from_ref(&good)).contains("two units at least"));
        assert!(error(&[good.clone(), unit(table(), &[&[0.5]])]).contains("differ in how many"));
        assert!(error(&[good.clone(), unit(table(), &[&[f64::NAN, 0.5]])]).contains("finite"));
        let one_class = unit(Some(vec![vec![0.0, 0.0], vec![1.0, 1.0]]), &[&[0.5, 0.5]]);
        assert!(error(&[one_class.clone(), one_class]).contains("no item into class 0"));
        for gains in [vec![0.0], vec![0.0, 0.5], vec![0.0, 1.0, 0.5], vec![0.1, 1.0]] {
            assert!(Gains::new(gains.clone(), vec![0.0]).is_err(), "{gains:?}");
        }
    }
}
