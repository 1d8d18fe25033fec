//! Lists of queries: the details beside their queries where all of them fit the width, else below.

use crate::report::clean::{shorten, shorten_name};
use crate::report::number::count;
use crate::report::page::{Detail, Queries, Query};
use crate::report::width::{padded, width as width_of};

use super::wrap::wrap;

/// Columns of a text beside which details may stand.
const LEAST_TEXT: usize = 20;
/// Columns of a document's id, where there is room: those of a UUID and some more.
const DOCUMENT: [usize; 2] = [16, 40];
/// Columns of a title, at least.
const TITLE: usize = 12;
/// Blanks before a query, and before details below it.
const INDENT: usize = 2;
const DETAILS: usize = 6;
/// Blanks between id and text, and around the numbers.
const NARROW: usize = 2;
const WIDE: usize = 3;

/// The columns of rows.
pub(super) struct Layout {
    width: usize,
    id: usize,
    text: usize,
    number: usize,
    beside: bool,
}

impl Layout {
    /// The column widths for all of these rows, in any list.
    pub(super) fn for_rows<'a>(rows: impl IntoIterator<Item = &'a Query>, width: usize) -> Self {
        let [mut id, mut number, mut details, mut longest] = [0; 4];
        for row in rows {
            id = id.max(width_of(&row.id));
            number = number.max(width_of(&row.number));
            longest = longest.max(width_of(&row.text));
            details = row.details.iter().map(|one| width_of(&detail(one, width))).fold(details, usize::max);
        }
        let others = INDENT + id + NARROW + WIDE + number;
        // Beside the details a text takes the room that they leave, if that is enough to read it in lines.
        let room = width.checked_sub(others + WIDE + details);
        let beside = room.filter(|&room| room >= longest.min(LEAST_TEXT));
        let beside = beside.map(|room| room.min(longest));
        let text = beside.unwrap_or_else(|| longest.min(width.saturating_sub(others).max(10)));
        Self { width, id, text, number, beside: beside.is_some() }
    }

    /// A list in these columns.
    pub(super) fn lines(&self, queries: &Queries) -> Vec<String> {
        let &Self { width, id, text, number, beside } = self;
        let mut lines: Vec<String> = Vec::new();
        for row in &queries.rows {
            // A collection of judgments only has no texts, and then no column for them. A text that is longer than its column
            // goes on in it, beside details where they are.
            let texts = if text > 0 { wrap(&row.text, text, usize::MAX) } else { Vec::new() };
            let gap = if text > 0 { NARROW } else { 0 };
            let starts = (0..texts.len().max(1)).map(|index| {
                let (id_here, number_here) = match index {
                    0 => (row.id.as_str(), row.number.clone()),
                    _ => ("", String::new()),
                };
                let text_here = texts.get(index).cloned().unwrap_or_default();
                format!(
                    "{:INDENT$}{}{:gap$}{}{:WIDE$}{}",
                    "",
                    padded(id_here, id),
                    "",
                    padded(&text_here, text),
                    "",
                    padded(&number_here, number)
                )
            });
            let details = row.details.iter().map(|one| detail(one, width));
            if beside {
                let blank = " ".repeat(INDENT + id + gap + text + WIDE + number);
                let (starts, details): (Vec<String>, Vec<String>) = (starts.collect(), details.collect());
                let line = |index: usize| {
                    let start = starts.get(index).unwrap_or(&blank);
                    let detail = details.get(index).map_or("", String::as_str);
                    format!("{start}{:WIDE$}{detail}", "")
                };
                lines.extend((0..starts.len().max(details.len())).map(line));
            } else {
                lines.extend(starts);
                lines.extend(details.map(|line| format!("{:DETAILS$}{line}", "")));
            }
        }
        if queries.more > 0 {
            lines.push(format!("{:INDENT$}and {} more", "", count(queries.more)));
        }
        lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
    }
}

/// A detail with as much of the document's id and of its title as there is room for below a query.
fn detail(one: &Detail, width: usize) -> String {
    let [least, most] = DOCUMENT;
    let said = width_of(&one.said);
    let id = shorten_name(&one.document, width.saturating_sub(DETAILS + said).clamp(least, most));
    let room = width.saturating_sub(DETAILS + width_of(&id) + said + WIDE);
    match one.title.is_empty() || room < TITLE {
        true => format!("{id}{}", one.said),
        false => format!("{id}  {} {}", shorten(&one.title, room), one.said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_terminal() {
        let row = |id: &str, text| Query::new(id, text, "0.5".into(), Vec::new());
        let rows = [row("日本", "検索"), row("q1", "alpha")];
        let lines = Layout::for_rows(&rows, 80).lines(&Queries { rows: rows.to_vec(), more: 0 });
        assert_eq!(lines, ["  日本  検索    0.5", "  q1    alpha   0.5"]);
    }

    #[test]
    fn details_stand_beside_where_they_fit_and_below_where_not() {
        let row = |text, details: &[&str]| {
            Query::new(
                "q1",
                text,
                "0.5".into(),
                details.iter().map(|line| (*line).to_owned().into()).collect(),
            )
        };
        let lines = |rows: Vec<Query>, width| -> Vec<String> {
            Layout::for_rows(&rows, width).lines(&Queries { rows, more: 0 })
        };
        let rows = [row("alpha", &["one", "two"]), row("a", &[])];
        let beside = ["  q1  alpha   0.5   one", "                    two", "  q1  a       0.5"];
        assert_eq!(lines(rows.to_vec(), 23), beside);
        let below = ["  q1  alpha   0.5", "      one", "      two", "  q1  a       0.5"];
        assert_eq!(lines(rows.to_vec(), 22), below);
        assert_eq!(lines(vec![row("", &["one"])], 22), ["  q1   0.5   one"]);
        // A long text goes on below, and is not cut.
        let long = row("redirecting parcels to lockers", &["one", "two", "three"]);
        let wrapped = ["  q1  redirecting parcels    0.5   one", "      to lockers                   two"];
        assert_eq!(lines(vec![long.clone()], 40)[..2], wrapped);
        let below = ["  q1  redirecting   0.5", "      parcels to", "      lockers", "      one"];
        assert_eq!(lines(vec![long], 23)[..4], below);
        assert!(lines(Vec::new(), 22).is_empty());
    }

    #[test]
    fn titles_stand_between_ids_and_what_is_said_as_far_as_the_line_goes() {
        let moved = |document: &str, title: &str, said: &str| Detail {
            document: document.to_owned(),
            title: title.to_owned(),
            said: said.to_owned(),
        };
        let details = vec![
            moved("signin-5", "Signing in with a passkey", " (grade 3) rank 1 -> not retrieved"),
            moved("app-7", "The app", " (grade 1) rank 4 -> 1"),
            moved("untitled-1", "", " (grade 1) rank 2 -> 3"),
            "and 2 more documents".to_owned().into(),
        ];
        let rows = [Query::new("q083", "passkeys", "1.000 -> 0.202".into(), details)];
        let lines = |width| -> Vec<String> {
            Layout::for_rows(&rows, width).lines(&Queries { rows: rows.to_vec(), more: 0 })
        };
        let whole = [
            "  q083  passkeys   1.000 -> 0.202",
            "      signin-5  Signing in with a passkey  (grade 3) rank 1 -> not retrieved",
            "      app-7  The app  (grade 1) rank 4 -> 1",
            "      untitled-1 (grade 1) rank 2 -> 3",
            "      and 2 more documents",
        ];
        assert_eq!(lines(98), whole);
        // Cut to the line, and none where less than 12 columns are left.
        assert_eq!(lines(70)[1], "      signin-5  Signing in with ...  (grade 3) rank 1 -> not retrieved");
        assert_eq!(lines(60)[1], "      signin-5 (grade 3) rank 1 -> not retrieved");
        let widest = |width| lines(width).iter().map(|line| width_of(line)).max();
        assert!((52..100).all(|width| widest(width) <= Some(width)));
    }
}
