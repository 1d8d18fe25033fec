//! The one call, and what it refuses.

use super::{Comparison, Question, measure, verdict};
use crate::Result;
use crate::stats::{
    ComparisonSettings, Correction, Differences, Expectation, PermutationOptions, Stream, correction,
};

/// Tests a family of questions, adjusts them for each other, and decides each.
///
/// Questions about the same units and the same pair of configurations share their random signs and resamples.
/// The answer to a question depends on the others through the correction alone: its own p-values and
/// intervals stay the same whatever is asked beside it (but for Monte Carlo going on for longer where the
/// correction compares with more levels).
///
/// # Errors
///
/// When a limit, the power or the number of resamples is out of range.
///
/// ```
/// use rankgate::stats::{ComparisonSettings, Differences, Outcome, Question, Stream, compare};
///
/// let baseline = [0.9, 0.8, 1.0, 0.7, 0.6, 0.9, 0.8, 1.0];
/// let candidate = [0.7, 0.5, 0.8, 0.6, 0.5, 0.6, 0.7, 0.9];
/// let differences = Differences::new(&baseline, &candidate)?;
/// let stream = Stream::new(1).for_name("helpdesk").for_name("golden").for_name("bm25");
/// let questions = [Question::new(&differences, &stream)];
/// let comparison = compare(&questions, &ComparisonSettings::default())?.remove(0);
/// assert_eq!(comparison.decision.outcome, Outcome::Failed);
/// assert_eq!(comparison.permutation().p_less, 1.0 / 256.0);
/// assert!(comparison.interval.unwrap().high < 0.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn compare(questions: &[Question<'_>], settings: &ComparisonSettings) -> Result<Vec<Comparison>> {
    for question in questions {
        question.expectation.check()?;
        if question.corrected.is_none() {
            question.rule(settings).check(question.differences)?;
        }
    }
    settings.permutation.check()?;
    let options = options(questions, settings);
    let measured = measure::measure(questions, &options, settings)?;
    verdict::decide_all(questions, &options, measured, settings)
}

/// Compares two slices of scores with the default settings: one score per query, in the order of sorted
/// query ids.
///
/// # Errors
///
/// When the slices cannot be paired (see [`Differences::new`]), or a limit of the expectation is out of range.
///
/// ```
/// use rankgate::stats::{Expectation, compare_scores};
///
/// let baseline = [0.9, 0.8, 1.0, 0.7, 0.6, 0.9, 0.8, 1.0];
/// let candidate = [0.7, 0.5, 0.8, 0.6, 0.5, 0.6, 0.7, 0.9];
/// let comparison = compare_scores(&baseline, &candidate, Expectation::default())?;
/// assert_eq!((comparison.wins, comparison.losses), (0, 8));
/// assert_eq!(comparison.permutation().p_two_sided(), 2.0 / 256.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn compare_scores(baseline: &[f64], candidate: &[f64], expectation: Expectation) -> Result<Comparison> {
    let differences = Differences::new(baseline, candidate)?;
    let stream = Stream::default();
    let question = Question { expectation, ..Question::new(&differences, &stream) };
    let mut compared = compare(&[question], &ComparisonSettings::default())?;
    Ok(compared.swap_remove(0))
}

/// Each question's options: its own stream, and the levels that its p-values will be held against.
fn options(questions: &[Question<'_>], settings: &ComparisonSettings) -> Vec<PermutationOptions> {
    let tail = settings.confidence.tail();
    let corrected = questions.iter().filter(|question| question.expectation.is_corrected()).count();
    let of_question = |question: &Question<'_>| {
        let correction =
            if question.expectation.is_corrected() { settings.correction } else { Correction::None };
        PermutationOptions {
            levels: correction::levels(corrected.max(1) + settings.untested, tail, correction),
            stream: question.stream.for_name("signs"),
            ..settings.permutation.clone()
        }
    };
    questions.iter().map(of_question).collect()
}
