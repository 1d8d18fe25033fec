//! Each comparison in words: who is better first, then the evidence, then the reasons.

use crate::offline::model::{ComparisonFinding, Row, Warning};
use crate::offline::stats::{Correction, Reason};
use crate::offline::{Comparisons, Conclusion};
use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::message::moved;
use rankgate_report::report::internal::number::{
    DECIMALS, counted, decimals, fixed, interval, legible, p_number, p_value, percent, queries, signed,
};
use rankgate_report::report::internal::page::{Block, Kind, Section, Table, whole};
use rankgate_report::report::internal::polarity::widest;

use super::NAME;
use super::csv::verdict_of;

/// Characters of a run's name in a sentence.
const LONG: usize = 40;

/// Who is better, and how sure that is.
pub(super) fn sentence(one: &ComparisonFinding, all: &Comparisons) -> String {
    let [baseline, candidate] = names(one, all, LONG);
    let metric = clean(&one.metric);
    let digits = digits(one);
    let numbers = || {
        let mut numbers = signed(one.difference, digits);
        if let Some(limits) = one.interval {
            let limits = whole(&interval(limits, digits));
            let adjusted = if is_adjusted(all) { " (not adjusted)" } else { "" };
            numbers += &format!(", {} CI {limits}{adjusted}", percent(all.confidence));
        }
        format!("{numbers}, {}{}", whole(&p_value(one.p_adjusted)), family(all))
    };
    let shown = |said: &str| format!("{candidate} is {said} than {baseline} on {metric}: {}.", numbers());
    match one.conclusion {
        Some(Conclusion::Better) => shown("significantly better"),
        Some(Conclusion::Worse) => shown("significantly worse"),
        Some(Conclusion::Higher) => shown("significantly higher"),
        Some(Conclusion::Lower) => shown("significantly lower"),
        Some(Conclusion::Identical) => format!(
            "{candidate} ranks the same documents in the same order as {baseline} on all of {}.",
            queries(one.queries)
        ),
        Some(Conclusion::NotSignificant) | None => {
            let reason = match one.reason {
                Reason::NothingSignificant => String::new(),
                _ => format!(" ({})", one.reason_words()),
            };
            let unseen = match one.minimum_detectable_effect {
                // A gate has said it of what is expected.
                _ if all.gate.is_some() => String::new(),
                None => String::new(),
                Some(effect) if effect > widest(&one.metric) => {
                    " With so few queries hardly any difference is significant.".to_owned()
                }
                Some(effect) => {
                    // Planned for a gain; a drop is shown by one test, and may be smaller.
                    format!(" The minimum detectable gain is about {}.", fixed(effect, digits))
                }
            };
            let said =
                format!("{candidate} and {baseline} do not differ significantly on {metric}{reason}: ");
            format!("{said}{}.{unseen}", numbers())
        }
    }
}

/// How many comparisons the p-value is adjusted for.
fn family(all: &Comparisons) -> String {
    match (all.family, all.correction) {
        (1, _) => String::new(),
        (family, Correction::None) => format!(" (not adjusted for {family} comparisons)"),
        (family, Correction::Holm) => format!(" (adjusted for {family} comparisons, Holm)"),
    }
}

/// Means, difference, interval, p.
pub(super) fn numbers(group: &[ComparisonFinding], all: &Comparisons) -> Table {
    let Some(first) = group.first() else { return Table::default() };
    let [baseline, candidate] = names(first, all, NAME);
    let limits = format!("{} CI", percent(all.confidence));
    let adjusted = says_more(all).then_some("p adj.");
    let header = ["metric", &baseline, &candidate, "diff", &limits, "p"].into_iter().chain(adjusted);
    let mut table = Table::headed(header).right([1, 2, 3, 5, 6]).in_parts(1);
    for one in group {
        let digits = digits(one);
        let cells = [
            clean(&one.metric),
            fixed(one.baseline_mean, digits),
            fixed(one.candidate_mean, digits),
            signed(one.difference, digits),
            one.interval.map_or("-".to_owned(), |limits| interval(limits, digits)),
            p_number(one.p_deciding),
        ];
        table.row(cells.into_iter().chain(says_more(all).then(|| p_number(one.p_adjusted))));
    }
    table
}

/// Whether there are p-values beside those of single comparisons.
fn says_more(all: &Comparisons) -> bool {
    all.family > 1
}

/// Whether they are adjusted, so that an interval may say what they do not.
fn is_adjusted(all: &Comparisons) -> bool {
    says_more(all) && all.correction != Correction::None
}

fn by_bootstrap(all: &Comparisons) -> bool {
    all.test.resamples()
}

/// How alike the rankings are, independent of judgments.
pub(super) fn alike(group: &[ComparisonFinding]) -> Option<String> {
    let row = group.first()?.rows.iter().find(|row| row.label == Row::RANKINGS)?;
    Some(format!("Rankings: {}.", row.value))
}

/// Each warning once, most common first, with the names that it is about: those of all if `about` gives none.
pub(super) fn warning_blocks<'a>(
    warnings: impl Iterator<Item = (&'a str, &'a [Warning])>,
    about: impl Fn(&[&str]) -> Option<String>,
) -> Vec<Block> {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, warnings) in warnings {
        for warning in warnings.iter().map(ToString::to_string) {
            match told.iter_mut().find(|(known, _)| *known == warning) {
                Some((_, names)) if names.last() == Some(&name) => {}
                Some((_, names)) => names.push(name),
                None => told.push((warning, vec![name])),
            }
        }
    }
    told.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let line = |(warning, names): &(String, Vec<&str>)| {
        let about = about(names).map_or(String::new(), |about| format!("{about}: "));
        Block::warning(&format!("{about}{warning}"), 6)
    };
    told.iter().map(line).collect()
}

/// The queries that moved most: on the first metric that did not pass, else on the first.
pub(super) fn moved_most(group: &[ComparisonFinding], start: usize, all: &Comparisons) -> Option<Section> {
    let holds = |position: &usize| verdict_of(all, start + position).is_none_or(|verdict| !verdict.fails());
    let position = (0..group.len()).find(|position| !holds(position)).unwrap_or(0);
    let one = group.get(position)?;
    let most = one.movers.losses.len().max(one.movers.gains.len());
    let heading = format!("{}, query by query:", clean(&one.metric));
    (most > 0).then(|| Section::headed(heading).kind(Kind::Nested).part(moved(&one.movers, most)))
}

/// A claim in a candidate's favour counts an unseen query.
pub(super) const SECOND: &str = "; of a gain the larger of its p and that of an unseen query";

/// How many queries, and which tests.
pub(super) fn rests_on(all: &Comparisons) -> String {
    let adjusted = match (all.family, all.correction) {
        (1, _) => String::new(),
        (family, Correction::Holm) => format!("; p adj.: adjusted for {family} comparisons (Holm)"),
        (family, Correction::None) => format!("; p adj.: adjusted for {family} comparisons (none)"),
    };
    let (test, intervals) = match by_bootstrap(all) {
        false => ("permutation test against no difference", "Intervals are not adjusted."),
        true => (
            "studentised bootstrap against no difference, or without spread the permutation test",
            "Intervals are the bootstrap's, and not adjusted.",
        ),
    };
    let simulated = match all.simulated {
        false => ", exact".to_owned(),
        true if by_bootstrap(all) => format!(", simulated (seed {})", all.seed),
        true => format!(", in part simulated (seed {})", all.seed),
    };
    let second = if all.by_unseen_query { SECOND } else { "" };
    let first = all.comparisons.first();
    let grouped = first.filter(|one| one.is_grouped());
    format!(
        "{}{}. p: two-sided {test}{simulated}{second}{adjusted}; significant at {} or below. {intervals}",
        queries(first.map_or(0, |one| one.queries)),
        grouped.map_or_else(String::new, |one| format!(" in {}", counted(one.units(), "group", "groups"))),
        p_number(1.0 - all.confidence),
    )
}

fn names(one: &ComparisonFinding, all: &Comparisons, width: usize) -> [String; 2] {
    [all.short(&one.baseline), all.short(&one.candidate)].map(|name| shorten_name(name, width))
}

/// Enough decimals to tell the means apart.
pub(super) fn digits(one: &ComparisonFinding) -> usize {
    let least = decimals(&one.metric, &[one.baseline_mean, one.candidate_mean]).max(DECIMALS);
    if one.difference == 0.0 {
        return least;
    }
    legible(one.baseline_mean, one.candidate_mean, least)
}
