//! What to know of a run's scores beside the numbers.

use crate::model::Report;
use crate::offline::Scores;
use crate::report::clean::clean;
use crate::report::lookup::measured;
use crate::report::number::{count, counted, queries};

use super::FEW;

/// What a reader should know of runs before trusting their scores, a sentence each: queries that were not
/// answered or not judged, and ties. Of many runs what is alike is one sentence.
#[must_use]
pub fn remarks(runs: &[Scores]) -> Vec<String> {
    type Count = fn(&Scores) -> usize;
    if runs.len() <= FEW {
        return runs.iter().flat_map(of_one).collect();
    }
    let counts: [(Count, &str, &str); 5] = [
        (|run| run.unanswered, UNANSWERED, "they score 0"),
        (|run| run.left_out, "judged queries left out of the means", "as asked"),
        (|run| run.without_relevant, "queries without a relevant document", "they score 0"),
        (|run| run.unjudged_queries, UNJUDGED, "ignored"),
        (
            |run| run.tied_scores,
            "documents with the score of a neighbour",
            "such ties are ordered by document id, descending",
        ),
    ];
    let summed = |(of, what, then): &(Count, &str, &str)| {
        together(runs.iter().map(|run| (run.run.as_str(), of(run))), what, then)
    };
    counts.iter().filter_map(summed).collect()
}

const UNANSWERED: &str = "unanswered judged queries";
const UNJUDGED: &str = "queries that are not judged";

/// `12 of 30 runs have ..., up to 8 (bm25.run); ...`; nothing where no run has any.
fn together<'a>(
    runs: impl Iterator<Item = (&'a str, usize)> + Clone,
    what: &str,
    then: &str,
) -> Option<String> {
    let having = runs.clone().filter(|(_, number)| *number > 0);
    let least = having.clone().map(|(_, number)| number).min()?;
    // Of several that have most the first.
    let (name, most) = having.clone().reduce(|best, one| if one.1 > best.1 { one } else { best })?;
    let range = match least == most {
        true => format!("{} each", count(most)),
        false => format!("up to {} ({})", count(most), clean(name)),
    };
    Some(format!("{} of {} runs have {what}, {range}; {then}", count(having.count()), count(runs.count())))
}

fn of_one(scores: &Scores) -> Vec<String> {
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
    let runs = measured(report);
    if runs.len() > FEW {
        let runs = || runs.iter().map(|(configuration, measured)| (configuration.name.as_str(), *measured));
        let unanswered = runs().map(|(name, measured)| (name, measured.unanswered.len()));
        let unjudged = runs().map(|(name, measured)| (name, measured.unjudged_queries));
        let summed =
            [together(unanswered, UNANSWERED, "they score 0"), together(unjudged, UNJUDGED, "ignored")];
        return summed.into_iter().flatten().collect();
    }
    let mut remarks = Vec::new();
    for (configuration, measured) in runs {
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
