//! What a reader should know before believing what came of a question.

use crate::Result;
use crate::evaluation::People;
use crate::gate::Expect;
use crate::model::{Conclusion, Verdict, Warning};
use crate::scores::LEAST_PEOPLE;
use crate::stats::{self, Outcome};

use super::{Answer, Compared, Judged, Part, Question};
use crate::analysis::cannot_fail::cannot_fail;

/// Sides that differ by more in how much of what they return was judged may differ by that alone.
const JUDGED_APART: f64 = 0.05;

impl Question {
    pub(super) fn warnings(&self, answer: &Answer, spread: Option<f64>) -> Result<Vec<Warning>> {
        let expect = &self.expect;
        let comparison = &answer.comparison;
        let pair = self.pair();
        let baseline = (pair.baseline_name.as_str(), comparison.baseline_mean);
        let mut warnings: Vec<Warning> =
            cannot_fail(expect, &self.metric, baseline).into_iter().filter(|_| self.expected).collect();
        warnings.extend(comparison.warnings.iter().map(|&warning| self.warning(warning)));
        if answer.untested > 0 && expect.is_corrected() {
            warnings.push(not_tested(answer.untested, comparison.family));
        }
        if self.is_of_suite() {
            let named = |part: &Part| {
                let warning = part.pair.empty_baseline()?;
                let benchmark = part.benchmark.as_deref().unwrap_or_default();
                Some(Warning::new(&warning.kind, format!("{benchmark}: {warning}")))
            };
            warnings.extend(self.parts.iter().filter_map(named));
            return Ok(warnings);
        }
        warnings.extend(self.drop_not_shown(comparison));
        // What one side does not return at all is neither judged nor unjudged.
        let cut = pair.cut(&self.metric);
        let by_length = cut.as_ref().is_some_and(|cut| cut.kind == Warning::CUT_LISTS);
        if let (Some(judged), Some(repeated), false) =
            (answer.prepared.judged, &answer.judged_only, by_length)
        {
            let outcome = repeated.decision.outcome;
            let decides = outcome != comparison.decision.outcome;
            let (_, [theirs, ours]) = judged;
            let verdict = match (self.expected, outcome) {
                _ if !decides => "the verdict would be the same".to_owned(),
                (true, outcome) => format!("the verdict would be `{outcome}`"),
                (false, Outcome::Passed) => "it would be significantly better".to_owned(),
                (false, Outcome::Failed) => "it would be significantly worse".to_owned(),
                (false, Outcome::Inconclusive) => "neither would be significantly better".to_owned(),
            };
            if decides || (theirs - ours).abs() > JUDGED_APART {
                let kind = if decides { Warning::UNJUDGED_DECIDE } else { "judged-apart" };
                let names = [&pair.candidate_name, &pair.baseline_name].map(String::as_str);
                warnings.push(Warning::new(kind, judged_apart(judged, names, repeated.difference, &verdict)));
            }
        }
        warnings.extend(cut);
        warnings.extend(pair.empty_baseline());
        warnings.extend(pair.lost_answers());
        if let Some(spread) = spread.filter(|&spread| spread > 0.0 && comparison.difference.abs() <= spread) {
            let difference = comparison.difference;
            let text = format!(
                "the difference of {difference:+.4} is within the {spread:.4} by which repeats of one side differ"
            );
            warnings.push(Warning::new("within-spread", text));
        }
        let (column, queries) = (self.metric.to_string(), pair.queries().len());
        match pair.people(&self.metric)? {
            People::NotNeeded => {}
            People::Sample(graded) => warnings.push(Warning::new(
                "corrected",
                format!(
                    "a judge gave {column} of {queries} queries, and people graded {graded} of them: the difference and its interval \
                     are the judge's, corrected by people; wins and losses are people's"
                ),
            )),
            People::TooFew(graded) => warnings.push(Warning::new(
                "judge-alone",
                format!(
                    "{column} rests on the judge alone: people graded {graded} of its queries, and from {LEAST_PEOPLE} on they \
                     correct it (`rankgate judge sample`)"
                ),
            )),
        }
        Ok(warnings)
    }

    /// That a gate on regressions passes though the drop is a good part of what so many units could show: a third, below which
    /// chance alone explains it.
    fn drop_not_shown(&self, comparison: &stats::Comparison) -> Option<Warning> {
        let stats::Expectation::NoRegression { margin } = self.expect else { return None };
        let drop = -comparison.difference;
        let is_open = self.expected && comparison.decision.outcome == Outcome::Passed;
        let detectable = comparison.minimum_detectable_effect;
        let is_large = drop > detectable.map_or(stats::ROUNDING, |detectable| detectable / 3.0);
        (is_open && is_large && drop > margin).then(|| {
            let text = format!("the drop of {} is not significant, and may be real", about(drop));
            Warning::new("drop-not-significant", text)
        })
    }

    /// A warning, with its unit called by its id, and in a suite by its collection.
    fn warning(&self, warning: stats::Warning) -> Warning {
        let named = |mut unit: usize| {
            for Part { benchmark, pair, .. } in self.parts.iter() {
                if unit < pair.units() {
                    let name = pair.unit(unit);
                    return Some(benchmark.as_ref().map_or(name.to_owned(), |one| format!("{one}/{name}")));
                }
                unit -= pair.units();
            }
            None
        };
        let cluster = if self.is_of_suite() { None } else { self.pair().cluster() };
        Warning::of_statistics(warning, warning.unit().and_then(named), cluster)
    }
}

/// Warns of candidates whose gain is shown, where none of the others that were compared on the same metric gained more: they are
/// the ones that everybody looks at.
pub(super) fn warn_of_best(family: &mut [&mut Compared]) {
    for place in 0..family.len() {
        let Compared { finding, verdict, .. } = &*family[place];
        let gained = match finding.conclusion {
            Some(conclusion) => conclusion == Conclusion::Better,
            None => finding.expect == Some(Expect::Improvement) && *verdict == Verdict::Passed,
        };
        let others = family.iter().enumerate().filter(|(other, _)| *other != place);
        let others = others.map(|(_, one)| &one.finding).filter(|one| one.metric == finding.metric);
        let others: Vec<f64> = others.map(|one| one.difference).collect();
        if !gained || others.is_empty() || others.iter().any(|&other| other > finding.difference) {
            continue;
        }
        let text = format!(
            "the best of {} candidates, chosen by looking: its observed gain is on average larger than the true one, and new \
             queries would show less",
            others.len() + 1
        );
        family[place].finding.warnings.push(Warning::new("chosen-as-best", text));
    }
}

/// That questions of its family could not be asked.
fn not_tested(untested: usize, family: usize) -> Warning {
    let text = format!(
        "{untested} of the {family} comparisons that this one is adjusted for could not be tested and counts as showing nothing"
    );
    Warning::new("untested", text)
}

/// That more documents of one side were judged, or others: the difference without those that nobody judged.
fn judged_apart(
    (cutoff, shares): Judged,
    [candidate, baseline]: [&str; 2],
    difference: f64,
    verdict: &str,
) -> String {
    let [theirs, ours] = shares.map(|share| format!("{share:.4}"));
    let text = match ours == theirs {
        // As many of both sides: it is not their number that makes a difference, but their places.
        true => format!(
            "unjudged documents count as not relevant; without them the difference is {difference:+.4}, and {verdict}"
        ),
        false => format!(
            "the difference may come from documents that nobody judged; without them it is {difference:+.4}, and {verdict}"
        ),
    };
    format!("Judged@{cutoff} is {ours} for {candidate} and {theirs} for {baseline}: {text}")
}

/// A difference to two significant digits, or as many as four decimals show.
fn about(difference: f64) -> String {
    let digits = (4..=6).find(|&digits| difference * 10_f64.powi(digits) >= 1.0).unwrap_or(6);
    format!("{difference:.*}", usize::try_from(digits).unwrap_or(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where as much was judged on both sides, no difference comes from its being more on one.
    #[test]
    fn what_unjudged_documents_do_is_told_by_how_many_each_side_has() {
        let apart = |candidate: f64| {
            judged_apart((10, [0.5, candidate]), ["new", "golden"], -0.25, "the verdict would be `failed`")
        };
        assert_eq!(
            apart(0.5),
            "Judged@10 is 0.5000 for new and 0.5000 for golden: unjudged documents count as not relevant; without them the \
             difference is -0.2500, and the verdict would be `failed`"
        );
        assert_eq!(
            apart(0.75),
            "Judged@10 is 0.7500 for new and 0.5000 for golden: the difference may come from documents that nobody judged; \
             without them it is -0.2500, and the verdict would be `failed`"
        );
    }
}
