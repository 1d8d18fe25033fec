//! Who beats whom: a table of several configurations against themselves.

use crate::model::PairsReport;
use crate::stats::PairsTest;

use super::clean::shorten_name;
use super::number::{DECIMALS, count, counted, decimals, fixed, p_number, queries, signed};
use super::page::{Block, Kind, Role, Section, Table, Text};
use super::phrases::measure;

/// A section for each metric, with names of at most so many characters, and beside it each pair with its p-value,
/// `folded` away or as a second table, where somebody wants them.
pub fn pairs(all: &[PairsReport], confidence: f64, name: usize, p: Option<Kind>) -> Vec<Section> {
    let of_one = |(place, one): (usize, &PairsReport)| {
        let note = note_after(all, place, confidence).map(Block::paragraph);
        let shown = Section::headed(heading(one)).part([Block::Table(matrix(one, name))]).part(note);
        let values = p.map(|kind| {
            Section::headed(format!("p of each pair: {}", about(one)))
                .kind(kind)
                .part([Block::Table(each(one, name))])
        });
        std::iter::once(shown).chain(values)
    };
    all.iter().enumerate().flat_map(of_one).collect()
}

/// What the marks of a table mean and what they rest on, unless the next one says the same.
pub fn note_after(all: &[PairsReport], place: usize, confidence: f64) -> Option<String> {
    let note = note(all.get(place)?, confidence);
    let next = all.get(place + 1).map(|next| self::note(next, confidence));
    (next.as_ref() != Some(&note)).then_some(note)
}

fn about(one: &PairsReport) -> String {
    measure(&one.metric, one.segment.as_ref())
}

/// `who beats whom on nDCG@10: 4 of 6 pairs are shown to differ`
pub fn heading(one: &PairsReport) -> String {
    let shown = one.pairs.iter().filter(|pair| pair.shown).count();
    let pairs = counted(one.pairs.len(), "pair is", "pairs are");
    format!("who beats whom on {}: {} of {pairs} shown to differ", about(one), count(shown))
}

/// The configurations, best first, against themselves.
pub fn matrix(one: &PairsReport, name: usize) -> Table {
    let places = 0..one.configurations.len();
    let header =
        ["".to_owned(), "mean".to_owned()].into_iter().chain(places.map(|place| (place + 1).to_string()));
    let mut table = Table::headed(header).right([1]).in_parts(2);
    for (row, ranked) in one.configurations.iter().enumerate() {
        let mark = |(column, other): (usize, &crate::model::RankedConfiguration)| {
            let is = |better: &str, worse: &str| {
                one.pairs.iter().any(|pair| pair.shown && pair.better == better && pair.worse == worse)
            };
            match () {
                () if row == column => Text::default(),
                () if is(&ranked.name, &other.name) => Text::with_role(Role::Gain, ">"),
                () if is(&other.name, &ranked.name) => Text::with_role(Role::Loss, "<"),
                () => Text::from("-"),
            }
        };
        let label = format!("{} {}", row + 1, shorten_name(&ranked.name, name));
        let mean = fixed(ranked.mean, decimals(&one.metric, &[ranked.mean]));
        let marks = one.configurations.iter().enumerate().map(mark);
        table.row([Text::from(label), Text::from(mean)].into_iter().chain(marks));
    }
    table
}

/// Every pair with its difference and p-value.
pub fn each(one: &PairsReport, name: usize) -> Table {
    let mut table = Table::headed(["better", "worse", "diff", "p adj.", ""]).right([2, 3]);
    for pair in &one.pairs {
        let [better, worse] = [&pair.better, &pair.worse].map(|one| shorten_name(one, name));
        let shown = if pair.shown { "shown" } else { "not shown" };
        table.row([
            better,
            worse,
            signed(pair.difference, DECIMALS),
            p_number(pair.p_adjusted),
            shown.to_owned(),
        ]);
    }
    table
}

fn note(one: &PairsReport, confidence: f64) -> String {
    let exact = if one.resamples.is_some() { "simulated" } else { "exact" };
    let how = match one.test {
        PairsTest::Tukey => "each query's scores permuted among all",
        PairsTest::MaxT => "one random sign per query for all pairs",
    };
    format!(
        "> the row is shown to be better than the column, < worse, - neither. {} on {} ({how}), {exact}; p is two-sided \
         and adjusted for {}; shown at {} or below. The first of {} was found by looking: its mean and its lead \
         are too large on average.",
        upper(&one.test.to_string()),
        queries(one.queries),
        counted(one.pairs.len(), "pair", "pairs"),
        p_number(1.0 - confidence),
        count(one.configurations.len()),
    )
}

/// With a capital at its start.
fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
