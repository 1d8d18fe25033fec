//! What to know of a run's scores beside the numbers.

use crate::benchmark::model::{Outcome, Report};
use crate::offline::Scores;
use crate::report::clean::clean;
use crate::report::number::{count, counted, queries};

/// What a reader should know of a run before trusting its scores, a sentence each: queries that were not
/// answered or not judged, and ties.
#[must_use]
pub fn remarks(scores: &Scores) -> Vec<String> {
    let mut remarks = Vec::new();
    let run = clean(&scores.run);
    if scores.unanswered > 0 {
        let of = count(scores.queries);
        remarks.push(format!(
            "{run}: {} of {of} judged queries unanswered; they score 0",
            count(scores.unanswered)
        ));
    }
    if scores.left_out > 0 {
        let left_out = counted(scores.left_out, "judged query", "judged queries");
        remarks.push(format!("{run}: {left_out} left out of the means, as asked"));
    }
    if scores.without_relevant > 0 {
        let without = queries(scores.without_relevant);
        remarks.push(format!("{run}: {without} without a relevant document; they score 0"));
    }
    if scores.unjudged_queries > 0 {
        let unjudged = queries(scores.unjudged_queries);
        remarks.push(format!("{run}: {unjudged} of the run not judged; ignored"));
    }
    if scores.tied_scores > 0 {
        let tied = counted(scores.tied_scores, "document has", "documents have");
        remarks.push(format!(
            "{run}: {tied} the score of a neighbour; such ties are ordered by document id, descending"
        ));
    }
    remarks
}

/// That not one result of a run was judged, where it is so: what relevance it has nobody knows, and its
/// scores of 0 say nothing.
#[must_use]
pub fn warning(scores: &Scores) -> Option<String> {
    (scores.results > 0 && scores.judged_results == 0).then(|| {
        format!(
            "{}: not one of its {} was judged: its ids may be those of another collection, and the scores say \
             nothing",
            clean(&scores.run),
            counted(scores.results, "result", "results")
        )
    })
}

/// The same of the runs that a report holds, as that of [`Comparisons`](crate::offline::Comparisons) does.
#[must_use]
pub fn remarks_on(report: &Report) -> Vec<String> {
    let mut remarks = Vec::new();
    for configuration in &report.configurations {
        let Outcome::Measured(measured) = &configuration.outcome else { continue };
        let run = clean(&configuration.name);
        if !measured.unanswered.is_empty() {
            let (unanswered, of) = (count(measured.unanswered.len()), count(measured.queries.len()));
            remarks.push(format!("{run}: {unanswered} of {of} judged queries unanswered; they score 0"));
        }
        if measured.unjudged_queries > 0 {
            let unjudged = queries(measured.unjudged_queries);
            remarks.push(format!("{run}: {unjudged} of the run not judged; ignored"));
        }
    }
    remarks
}
