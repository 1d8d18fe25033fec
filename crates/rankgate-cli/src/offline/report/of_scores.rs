//! Comparisons of scores for the terminal.

use std::collections::BTreeMap;

use crate::offline::metric::Metric;
use crate::offline::{Conclusion, ScoreComparison, ScoreComparisons, short_names};
use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::number::{DECIMALS, fixed, interval, p_number, percent, queries};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};
use rankgate_report::report::internal::verdict::word;

use super::details::{SECOND, warnings};
use super::{NAME, WIDTH};

/// A line for each candidate and metric, and the queries that moved most.
#[must_use]
pub fn score_comparisons(all: &ScoreComparisons, style: Style) -> String {
    let header = ["metric", "candidate", "mean", "baseline", "difference", "CI", "p", ""];
    let mut table = Table::headed(header).right(2..7).in_parts(2);
    let names: Vec<&str> = all.comparisons.iter().map(|one| one.candidate.as_str()).collect();
    let mut moved = Vec::new();
    for (one, name) in all.comparisons.iter().zip(short_names_of(&names)) {
        let digits = DECIMALS;
        table.row([
            clean(&one.metric),
            name,
            fixed(one.candidate_mean, digits),
            fixed(one.baseline_mean, digits),
            format!("{:+.digits$}", one.difference),
            one.interval.map_or_else(|| "-".to_owned(), |limits| interval(limits, digits)),
            p_number(one.p_adjusted),
            one.conclusion.to_string(),
        ]);
        moved.push(movers(one));
    }
    let mut sections = Vec::new();
    if let Some(gate) = &all.gate {
        let limit = gate.limit.map_or(String::new(), |limit| format!(" ({limit})"));
        sections.push(Section::headed(format!("{}{limit}: {}", gate.expect, word(gate.verdict))));
        let own = all
            .comparisons
            .iter()
            .zip(&gate.intervals)
            .filter(|(one, own)| one.wins + one.losses > 0 && one.interval != **own);
        let own = own.filter_map(|(one, own)| {
            let (confidence, limits) = (percent(all.confidence), interval((*own)?, DECIMALS));
            let candidate = shorten_name(&one.candidate, NAME);
            Some(Block::line(format!(
                "{candidate} on {}: {confidence} CI of this verdict: {limits}",
                clean(&one.metric)
            )))
        });
        sections.push(Section::from_blocks(own));
    }
    sections.push(Section::from_blocks([Block::Table(table)]));
    sections.push(Section::from_blocks(moved.into_iter().map(Block::paragraph)));
    let metrics = |one: &ScoreComparison, other: &ScoreComparison| one.candidate == other.candidate;
    for of_candidate in all.comparisons.chunk_by(metrics) {
        let cautions = of_candidate.iter().map(|one| (one.metric.as_str(), &one.cautions[..]));
        sections.push(Section::from_blocks(warnings(cautions)));
    }
    let count = all.comparisons.first().map_or(0, |one| one.queries);
    let adjusted = match all.comparisons.len() {
        1 => String::new(),
        family => format!(", adjusted for {family} comparisons ({})", all.correction),
    };
    let gains = all.comparisons.iter().any(|one| one.difference > 0.0) && !all.test.resamples();
    let second = if gains { SECOND } else { "" };
    let legend = format!(
        "{}; p of the {} test{second}{adjusted}; {} CI of the difference from {}",
        queries(count),
        all.test,
        percent(all.confidence),
        all.comparisons.first().map_or(String::new(), |one| shorten_name(&one.baseline, 2 * NAME)),
    );
    sections.push(Section::from_blocks([Block::paragraph(legend)]));
    painter::page(&sections, WIDTH, style)
}

fn short_names_of(names: &[&str]) -> Vec<String> {
    let mut unique = names.to_vec();
    unique.dedup();
    let short = short_names(&unique);
    let known: BTreeMap<&str, &String> = unique.iter().copied().zip(&short).collect();
    names
        .iter()
        .map(|name| known.get(name).map_or(*name, |short| short.as_str()))
        .map(|name| shorten_name(name, NAME))
        .collect()
}

fn movers(one: &ScoreComparison) -> String {
    let (said, moved) = match one.conclusion {
        Conclusion::Better => ("gained", &one.gained),
        Conclusion::Higher => ("rose", &one.gained),
        Conclusion::Lower => ("fell", &one.lost),
        Conclusion::NotShown if !Metric::takes_rise_for_gain(&one.metric) => ("fell", &one.lost),
        Conclusion::Worse | Conclusion::NotShown | Conclusion::Identical => ("lost", &one.lost),
    };
    let of_query = |(query, before, after): &(String, f64, f64)| {
        format!("{} {} -> {}", clean(query), fixed(*before, DECIMALS), fixed(*after, DECIMALS))
    };
    let named: Vec<String> = moved.iter().map(of_query).collect();
    let [above, below] =
        if Metric::takes_rise_for_gain(&one.metric) { ["won", "lost"] } else { ["higher", "lower"] };
    let counts = format!("{} {above}, {} tied, {} {below}", one.wins, one.ties, one.losses);
    let most = if named.is_empty() { String::new() } else { format!("; {said} most: {}", named.join(", ")) };
    format!("{}: {counts}{most}", clean(&one.metric))
}
