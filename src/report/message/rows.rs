//! Queries, one a line, with what is said of each beside it or below.

use crate::benchmark::model::Disagreement;
use crate::report::clean::{shorten, shorten_name};
use crate::report::number::count;

use super::Block;

/// Queries with two answers that a message shows.
pub(super) const PARTED: usize = 5;
/// Characters of a document's id beside another.
const DOCUMENT: usize = 32;

/// Characters of a query's id: those of a UUID.
const ID: usize = 36;
/// Characters of its text beside which details may stand.
const LEAST_TEXT: usize = 20;
/// Characters of its text.
const TEXT: usize = 50;
/// Blanks before a query, and before details below it.
const INDENT: usize = 2;
pub(super) const DETAILS: usize = 6;
/// Blanks between id and text, and around the numbers.
const NARROW: usize = 2;
const WIDE: usize = 3;

/// What is said of one query.
pub(super) struct Row {
    id: String,
    text: String,
    /// A short one, such as its scores.
    number: String,
    /// Lines that are never broken.
    details: Vec<String>,
}

impl Row {
    /// A query by its id and text, as they are in the data; the rest is fit to be shown.
    pub(super) fn new(id: &str, text: &str, number: String, details: Vec<String>) -> Self {
        Self { id: shorten_name(id, ID), text: shorten(text, TEXT), number, details }
    }
}

/// Aligned lines.
pub(super) fn lines(rows: &[Row], width: usize) -> Block {
    Layout::of(rows, width).lines(rows)
}

/// The columns of rows: the details beside their queries where all of them fit the width, else below.
pub(super) struct Layout {
    id: usize,
    text: usize,
    number: usize,
    beside: bool,
}

impl Layout {
    /// The columns that are right for all of these rows, whatever lists they stand in.
    pub(super) fn of<'a>(rows: impl IntoIterator<Item = &'a Row>, width: usize) -> Self {
        let [mut id, mut number, mut details, mut longest] = [0; 4];
        for row in rows {
            id = id.max(length(&row.id));
            number = number.max(length(&row.number));
            longest = longest.max(length(&row.text));
            details = row.details.iter().map(|line| length(line)).fold(details, usize::max);
        }
        let others = INDENT + id + NARROW + WIDE + number;
        // Beside the details a text takes the room that they leave, if that is enough to tell one from another.
        let room = width.checked_sub(others + WIDE + details);
        let beside = room.filter(|&room| room >= longest.min(LEAST_TEXT)).map(|room| room.min(longest));
        let text = beside.unwrap_or_else(|| longest.min(width.saturating_sub(others).max(10)));
        Self { id, text, number, beside: beside.is_some() }
    }

    /// Rows in these columns.
    pub(super) fn lines(&self, rows: &[Row]) -> Block {
        let &Self { id, text, number, beside } = self;
        let mut block = Block::new();
        for row in rows {
            let mut start = format!("{:INDENT$}{:<id$}", "", row.id);
            // A collection of judgments only has no texts, and then no column for them.
            if text > 0 {
                start += &format!("{:NARROW$}{:<text$}", "", shorten(&row.text, text));
            }
            start += &format!("{:WIDE$}{:<number$}", "", row.number);
            if beside {
                let blank = " ".repeat(length(&start));
                let starts = std::iter::once(&start).chain(std::iter::repeat(&blank));
                let details = if row.details.is_empty() { &[String::new()] } else { row.details.as_slice() };
                block.extend(starts.zip(details).map(|(start, line)| format!("{start}{:WIDE$}{line}", "")));
            } else {
                block.push(start);
                block.extend(row.details.iter().map(|line| format!("{:DETAILS$}{line}", "")));
            }
        }
        block.iter().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// Queries with two answers: the rank at which they first part, and the documents there.
pub(super) fn parted(differing: &[Disagreement], width: usize) -> Block {
    let document =
        |id: &Option<String>| id.as_deref().map_or("no document".to_owned(), |id| shorten_name(id, DOCUMENT));
    let row = |one: &Disagreement| {
        let [first, second] = one.documents.each_ref().map(document);
        Row::new(&one.query, &one.text, format!("rank {}", one.rank), vec![format!("{first}, then {second}")])
    };
    let rows: Vec<Row> = differing.iter().take(PARTED).map(row).collect();
    lines(&rows, width)
}

/// How many more there are than the lines of [`parted`].
pub(super) fn more_parted(all: usize, listed: usize) -> Option<String> {
    let more = all.saturating_sub(listed.min(PARTED));
    (more > 0).then(|| format!("  and {} more", count(more)))
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_stand_beside_where_they_fit_and_below_where_not() {
        let row = |text, details: &[&str]| {
            Row::new("q1", text, "0.5".to_owned(), details.iter().map(|line| (*line).to_owned()).collect())
        };
        let rows = [row("alpha", &["one", "two"]), row("a", &[])];
        let beside = ["  q1  alpha   0.5   one", "                    two", "  q1  a       0.5"];
        assert_eq!(lines(&rows, 23), beside);
        let below = ["  q1  alpha   0.5", "      one", "      two", "  q1  a       0.5"];
        assert_eq!(lines(&rows, 22), below);
        assert_eq!(lines(&[row("", &["one"])], 22), ["  q1   0.5   one"]);
        assert!(lines(&[], 22).is_empty());
    }
}
