//! What a reader should know before believing the verdict on a comparison.

use std::fmt;

use super::coverage::CoverageReport;
use super::list_changes::ListChanges;
use super::lists::RisingScores;
use crate::error::Quoted;
use crate::findings::comparison::JudgedReport;
use crate::json::record;
use crate::scores::LEAST_PEOPLE;
use crate::stats::{Outcome, Reason, Warning};
use crate::words::{agree, counted};

record! {
    /// What a reader should know before believing the verdict on a comparison; its text is a sentence for people.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum Caution {
        /// What is known of one side's scores.
        Side {
            /// The configuration.
            configuration: String,
            /// What is known, in a sentence.
            caution: String,
        } = "side",
        /// A judge gave the column, and people correct it.
        Corrected {
            /// The column.
            column: String,
            /// Queries that people graded on both sides.
            graded: usize,
            /// Queries that are compared.
            queries: usize,
        } = "corrected",
        /// A judge gave the column, and too few people's grades stand beside.
        JudgeAlone {
            /// The column.
            column: String,
            /// Queries that people graded on both sides.
            graded: usize,
        } = "judge-alone",
        /// It is inconclusive, and fails nothing because the spec says so.
        FailsNothing {
            /// What the verdict rests on.
            reason: Reason,
        } = "fails-nothing",
        /// What the statistics say.
        Statistics {
            /// What they say; its position of a unit is that in the order of ids.
            warning: Warning,
            /// The query or the group that it is about, if it is about one.
            unit?: Option<String>,
            /// The metadata key by which queries are grouped, if they are.
            cluster?: Option<String>,
        } = "statistics",
        /// The sides differ in how much of what they return was judged.
        JudgedApart {
            /// The configuration that is judged.
            candidate: String,
            /// What it is compared with.
            baseline: String,
            /// How much of what both return was judged.
            judged: JudgedReport,
            /// The mean difference without unjudged documents.
            difference: f64,
            /// What comes of the comparison then.
            outcome: Outcome,
            /// Whether that is what came of it with them.
            same: bool,
            /// Whether anything was expected.
            expected: bool,
        } = "judged-apart",
        /// The scores of a side rise with the ranks of its file.
        RisingScores {
            /// The side.
            configuration: String,
            /// In how many queries.
            rising: RisingScores,
        } = "rising-scores",
        /// A side's lists end where the other's go on, or where the other's do, above the cutoff of the metric.
        CutLists {
            /// The side.
            configuration: String,
            /// How many results nearly every query has there.
            depth: usize,
            /// The other side.
            other: String,
            /// How many results it has at most.
            longer: usize,
            /// The metric.
            metric: String,
        } = "cut-lists",
        /// What is put up with is no less than any run could lose, or differ by.
        CannotFail {
            /// The baseline.
            baseline: String,
            /// By how much any run could be worse, or differ.
            most: f64,
            /// How much is put up with.
            limit: f64,
        } = "cannot-fail",
        /// The difference is within that between repeats of one side.
        WithinSpread {
            /// The mean difference.
            difference: f64,
            /// The largest difference between two repeats.
            spread: f64,
        } = "within-spread",
        /// The blessed run is one ranking of each query, and the candidate the mean of several.
        GoldenOfOne {
            /// How many.
            repeats: usize,
        } = "golden-of-one",
        /// Comparisons of the family could not be tested.
        Untested {
            /// How many.
            untested: usize,
            /// Of how many that this one is adjusted for.
            family: usize,
        } = "untested",
        /// Not all of the data is there.
        Coverage {
            /// How much is, and what the rest could make of it.
            coverage: CoverageReport,
        } = "coverage",
        /// Neither side answered some of the queries.
        Unanswered {
            /// How many.
            unanswered: usize,
            /// Of how many that were compared.
            queries: usize,
        } = "unanswered",
        /// The baseline answered queries with no result that the candidate answered: any candidate looks better by that.
        EmptyBaseline {
            /// The baseline.
            baseline: String,
            /// How many.
            unanswered: usize,
            /// Of how many that were compared.
            queries: usize,
            /// Ids of the first few.
            ids: Vec<String>,
        } = "empty-baseline",
        /// The candidate has no result for queries that the baseline answered.
        LostAnswers {
            /// The baseline.
            baseline: String,
            /// How many.
            unanswered: usize,
            /// Of how many that were compared.
            queries: usize,
            /// Ids of the first few.
            ids: Vec<String>,
        } = "lost-answers",
        /// A drop was measured, and is not shown: how large it is beside what could have been shown.
        DropNotShown {
            /// The mean difference.
            difference: f64,
            /// The smallest drop that so many units show with power .8; none where they show none.
            detectable: Option<f64>,
            /// How many units there are: queries, or groups of them.
            units: usize,
            /// Whether they are groups.
            groups?: bool,
        } = "drop-not-shown",
        /// The lists of all queries differ in one way from those of the other side.
        ListsChanged {
            /// The configuration.
            configuration: String,
            /// The other side.
            against: String,
            /// How.
            changes: ListChanges,
        } = "lists-changed",
        /// It is the best of several candidates that were compared with the same baseline.
        ChosenAsBest {
            /// How many there are.
            candidates: usize,
        } = "chosen-as-best",
    }
}

/// The first few ids of so many, in quotes.
fn first_of(ids: &[String], all: usize) -> String {
    let named: Vec<String> = ids.iter().map(|id| Quoted(id).to_string()).collect();
    let more = if all > ids.len() { ", ..." } else { "" };
    named.join(", ") + more
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Side { configuration, caution } => write!(f, "{configuration}: {caution}"),
            Self::FailsNothing { reason } => write!(
                f,
                "inconclusive ({reason}); it fails nothing because the spec says `inconclusive: warn`"
            ),
            Self::Statistics { warning, unit, cluster } => {
                let unit = unit.as_ref().map(|unit| match cluster {
                    None => format!("query `{unit}`"),
                    Some(key) => format!("the group {key}={unit}"),
                });
                match (*warning, unit) {
                    (Warning::OneUnitDecides { p, .. }, Some(unit)) => {
                        write!(f, "the verdict rests on {unit}: without it p is {p:.3}")
                    }
                    (other, _) if cluster.is_some() => f.write_str(&other.text("group", "groups")),
                    (other, _) => other.fmt(f),
                }
            }
            Self::JudgedApart { candidate, baseline, judged, difference, outcome, same, expected } => {
                let verdict = match (expected, outcome) {
                    _ if *same => "the verdict would be the same".to_owned(),
                    (true, outcome) => format!("the verdict would be `{outcome}`"),
                    (false, Outcome::Passed) => "it would be shown to be better".to_owned(),
                    (false, Outcome::Failed) => "it would be shown to be worse".to_owned(),
                    (false, Outcome::Inconclusive) => "neither would be shown to be better".to_owned(),
                };
                let shown = |judged: f64| format!("{judged:.4}");
                let [of_candidate, of_baseline] = [shown(judged.candidate), shown(judged.baseline)];
                write!(
                    f,
                    "Judged@{} is {of_candidate} for {candidate} and {of_baseline} for {baseline}: ",
                    judged.cutoff
                )?;
                match of_candidate == of_baseline {
                    // As many of both sides: it is not their number that makes a difference, but their places.
                    true => write!(
                        f,
                        "unjudged documents count as not relevant; without them the difference is {difference:+.4}, and {verdict}"
                    ),
                    false => write!(
                        f,
                        "the difference may come from documents that nobody judged; without them it is {difference:+.4}, and \
                         {verdict}"
                    ),
                }
            }
            Self::RisingScores { configuration, rising } => write!(f, "{configuration}: {rising}"),
            Self::CutLists { configuration, depth, other, longer, metric } if depth == longer => write!(
                f,
                "the lists of {configuration} and of {other} end at rank {depth}, and {metric} looks further down: it is \
                 decided on these results alone"
            ),
            Self::CutLists { configuration, depth, other, longer, metric } => write!(
                f,
                "the lists of {configuration} end at rank {depth}, those of {other} at {longer}, and {metric} looks \
                 further down than {depth}: the difference may be that of their lengths"
            ),
            Self::CannotFail { baseline, most, limit } => write!(
                f,
                "this is no gate: no run can be more than {most:.4} worse than {baseline}, and {limit} is put up with"
            ),
            Self::WithinSpread { difference, spread } => write!(
                f,
                "the difference of {difference:+.4} is within the {spread:.4} by which repeats of one side differ"
            ),
            Self::GoldenOfOne { repeats } => write!(
                f,
                "the blessed run holds one ranking of each query, and the mean of {repeats} is compared with it: where \
                 answers vary by chance, an unchanged retriever fails far more often than it should; blessed today it \
                 would hold all {repeats}"
            ),
            Self::Corrected { column, graded, queries } => write!(
                f,
                "a judge gave {column} of {queries} queries, and people graded {graded} of them: the difference and its interval are \
                 the judge's, corrected by people; wins and losses are people's"
            ),
            Self::JudgeAlone { column, graded } => write!(
                f,
                "{column} rests on the judge alone: people graded {graded} of its queries, and from {LEAST_PEOPLE} on they correct it \
                 (`rankgate judge sample`)"
            ),
            Self::Untested { untested, family } => write!(
                f,
                "{untested} of the {family} comparisons that this one is adjusted for could not be tested and counts \
                 as showing nothing"
            ),
            Self::Coverage { coverage } => coverage.fmt(f),
            Self::Unanswered { unanswered, queries } => {
                write!(
                    f,
                    "neither side answered {unanswered} of the {}",
                    counted(*queries, "query", "queries")
                )
            }
            Self::EmptyBaseline { baseline, unanswered, queries, ids } => {
                let (queries, named) = (counted(*queries, "query", "queries"), first_of(ids, *unanswered));
                write!(
                    f,
                    "{baseline} has no result for {unanswered} of the {queries} ({named}): they score 0, and any \
                     candidate looks better by that"
                )
            }
            Self::LostAnswers { baseline, unanswered, queries, ids } => {
                let (queries, named) = (counted(*queries, "query", "queries"), first_of(ids, *unanswered));
                let have = agree(*unanswered, "has", "have");
                write!(
                    f,
                    "{unanswered} of the {queries} {have} no result now, and had one of {baseline} ({named})"
                )
            }
            Self::DropNotShown { difference, detectable, units, groups } => {
                let (one, many) = if *groups { ("group", "groups") } else { ("query", "queries") };
                let these = match units {
                    1 => format!("this one {one}"),
                    units => format!("these {}", counted(*units, one, many)),
                };
                let shown = match detectable {
                    Some(detectable) => {
                        format!(
                            "the smallest drop that {these} could have shown is about {}",
                            about(*detectable)
                        )
                    }
                    None => format!("{these} could have shown no drop, however large"),
                };
                write!(f, "the drop of {} is not shown, and may be real: {shown}", about(-difference))
            }
            Self::ListsChanged { configuration, against, changes } => {
                let how = changes.of_all().unwrap_or_else(|| changes.order());
                write!(f, "{configuration} answers in another way than {against}: {how}")
            }
            Self::ChosenAsBest { candidates } => write!(
                f,
                "the best of {candidates} candidates, chosen by looking: its observed gain is on average larger than the \
                 true one, and new queries would show less"
            ),
        }
    }
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
        let apart = |candidate: f64| Caution::JudgedApart {
            candidate: "new".to_owned(),
            baseline: "golden".to_owned(),
            judged: JudgedReport { cutoff: 10, baseline: 0.5, candidate },
            difference: -0.25,
            outcome: Outcome::Failed,
            same: false,
            expected: true,
        };
        assert_eq!(
            apart(0.5).to_string(),
            "Judged@10 is 0.5000 for new and 0.5000 for golden: unjudged documents count as not relevant; without them the \
             difference is -0.2500, and the verdict would be `failed`"
        );
        assert_eq!(
            apart(0.75).to_string(),
            "Judged@10 is 0.7500 for new and 0.5000 for golden: the difference may come from documents that nobody judged; \
             without them it is -0.2500, and the verdict would be `failed`"
        );
    }
}
