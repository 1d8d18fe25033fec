//! What to know of a run's scores beside the numbers.

use std::path::Path;

use rankgate::metric::Metric;
use rankgate::{Error, ErrorKind};

use crate::offline::Scores;
use crate::offline::model::Report;
use rankgate_report::report::internal::clean::clean;
use rankgate_report::report::internal::lookup::measured;
use rankgate_report::report::internal::number::{count, counted};

use super::FEW;

/// A baseline and so many candidates are listed one by one, with their warnings.
const TOLD_EACH: usize = 3;

/// A run's name, and how many there are of each of [`WHAT`].
type Counted<'a> = (&'a str, [usize; 6]);

/// What of runs is counted, and what that means for their scores.
const WHAT: [[&str; 2]; 6] = [
    ["judged queries without an answer", "they score 0"],
    ["judged queries left out of the means", "as asked"],
    ["queries without a relevant document", "they score 0"],
    ["queries that are not judged", "ignored"],
    ["documents with the score of a neighbour", "such ties are ordered by document id, descending"],
    ["documents with the id of their query", "taken out, as asked"],
];

/// What a reader should know of runs before trusting their scores, a sentence each: queries that were not
/// answered or not judged, and ties. Of many runs equal notes are one sentence.
pub fn remarks(runs: &[Scores]) -> Vec<String> {
    fn count(run: &Scores) -> Counted<'_> {
        let Scores { unanswered, left_out, without_relevant, unjudged_queries, tied_scores, .. } = *run;
        let identical = run.identical_ids.unwrap_or(0);
        let counts = [unanswered, left_out, without_relevant, unjudged_queries, tied_scores];
        let [one, two, three, four, five] = counts;
        (&run.run, [one, two, three, four, five, identical])
    }
    let narrow = runs.iter().filter(|run| run.float32_scores).map(|run| {
        format!(
            "{}: scores are 32-bit floats or shorter; those that differ beyond their digits tie (7, of 16-bit floats 3)",
            clean(&run.run)
        )
    });
    let rising = runs.iter().filter_map(|run| Some(of_lists(&run.run, run.rising_scores.as_ref()?)));
    let cut = runs.iter().filter_map(|run| Some(of_lists(&run.run, run.cut_lists.as_ref()?)));
    let told = notes(&runs.iter().map(count).collect::<Vec<_>>());
    rising.chain(cut).chain(told).chain(narrow).collect()
}

/// Checks that a run has results that are judged, if a metric needs relevance.
///
/// # Errors
/// A run of another collection, whose values would all be 0.
pub fn check_judged<'a>(
    scores: &Scores,
    mut metrics: impl Iterator<Item = &'a Metric>,
    qrels: &Path,
) -> rankgate::Result<()> {
    let needs = metrics.find(|metric| metric.needs_relevance());
    let Some(metric) = needs.filter(|_| scores.results > 0 && scores.judged_results == 0) else {
        return Ok(());
    };
    let (run, results, qrels) =
        (clean(&scores.run), counted(scores.results, "result", "results"), qrels.display());
    Err(Error::with_kind(
        ErrorKind::BadInput,
        format!(
            "{run}: none of its {results} is judged, so {metric} has no value. Are its document ids those of {qrels}?"
        ),
    ))
}

/// What a run's lists do to its scores.
fn of_lists(run: &str, lists: &dyn std::fmt::Display) -> String {
    format!("{}: {}", clean(run), clean(&lists.to_string()))
}

/// The same of the runs that a report holds, as that of [`Comparisons`](crate::offline::Comparisons) does.
pub fn remarks_on(report: &Report) -> Vec<String> {
    let (mut runs, mut warnings) = (Vec::new(), Vec::new());
    for (configuration, measured) in measured(report) {
        warnings.extend(measured.warnings.iter().map(|warning| of_lists(&configuration.name, warning)));
        let identical = measured.identical_ids.unwrap_or(0);
        let counts = [measured.unanswered.len(), 0, 0, measured.unjudged_queries, 0, identical];
        runs.push((configuration.name.as_str(), counts));
    }
    // Of few candidates each comparison says them.
    if runs.len() <= TOLD_EACH {
        warnings.clear();
    }
    warnings.extend(notes(&runs));
    warnings
}

/// A note for each run, or of many runs one for all: `30 of 30 runs: judged queries without an answer: up to 8 (bm25.run)`.
fn notes(runs: &[Counted<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    for (index, [what, then]) in WHAT.iter().enumerate() {
        let having: Vec<(&str, usize)> = runs
            .iter()
            .map(|(run, counts)| (*run, counts[index]))
            .filter(|(_, number)| *number > 0)
            .collect();
        if runs.len() <= FEW {
            let one = |(run, number): &(&str, usize)| {
                format!("{}: {what}: {} ({then})", clean(run), count(*number))
            };
            notes.extend(having.iter().map(one));
        } else if let Some((name, most)) =
            having.iter().copied().reduce(|best, one| if one.1 > best.1 { one } else { best })
        {
            let (some, all) = (count(having.len()), count(runs.len()));
            notes.push(format!(
                "{some} of {all} runs: {what}: up to {}, of {} ({then})",
                count(most),
                clean(name)
            ));
        }
    }
    notes
}
