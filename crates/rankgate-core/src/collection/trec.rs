//! The formats of TREC: judgments in four columns, topics as id, tab, text.

use std::path::Path;

use crate::collection::Qrels;
use crate::collection::judgment_line::add_judgment;
use crate::error::Quoted;
use crate::input::{HashIds, Lines};
use crate::output::replace_file;
use crate::{Error, Result};

fn judgment(query: &str, document: &str, grade: i32) -> Result<String> {
    for id in [query, document] {
        if id.contains(|c: char| c.is_ascii_whitespace() || c == '\0') {
            return Err(no_column(id));
        }
    }
    Ok(format!("{query} 0 {document} {grade}"))
}

/// `query iteration document grade` lines.
pub(super) fn read_qrels(mut lines: Lines<'_>) -> Result<Qrels> {
    let (mut qrels, mut ids) = (Qrels::of_file(lines.path()), HashIds::default());
    while let Some(line) = lines.next_data()? {
        ids.see(line)?;
        let [query, subtopic, document, grade] = line.columns(other_columns)?;
        add_judgment(&mut qrels, line, (query, Some(subtopic)), document, grade)?;
    }
    Ok(qrels)
}

/// What judgments without four columns may be.
fn other_columns(found: usize) -> &'static str {
    match found {
        3 => "judgments in three columns have tabs between them",
        5 => "ids hold no spaces, unless tabs separate all columns",
        6 => "six columns are a run: did you swap judgments and run?",
        _ => "judgments are `query iteration document grade`",
    }
}

/// Writes `query 0 document grade` lines, ordered by query and document.
pub(super) fn write_qrels(qrels: &Qrels, path: &Path) -> Result<()> {
    replace_file(path, |output| {
        // What the file would begin with, read again, is something else.
        match qrels.queries().find(|query| *query == "#" || query.starts_with('\u{feff}')) {
            Some(query) => Err(no_column(query)),
            None if qrels.has_subtopics() => {
                for (query, document, subtopic, grade) in qrels.by_subtopic() {
                    let line = judgment(query, document, grade)?;
                    if subtopic.contains(|c: char| c.is_ascii_whitespace()) {
                        return Err(no_column(subtopic));
                    }
                    let rest = line.get(query.len() + 2..).unwrap_or_default();
                    output.line(format_args!("{query} {subtopic}{rest}"))?;
                }
                Ok(())
            }
            None => qrels.write(judgment, output),
        }
    })
}

fn no_column(id: &str) -> Error {
    Error::invalid(format!("the id {} does not fit into a column of judgments", Quoted(id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Collection, Query};
    use crate::input::Source;

    fn qrels(text: &str) -> Result<Qrels> {
        read_qrels(Source::bytes("a.qrels", text.as_bytes()).lines()?)
    }

    #[test]
    fn judgments_are_read_whatever_the_order_of_lines() {
        let found =
            qrels("# made by hand\nq2 0 d1 1\n# second pass 2\nq1\tQ0\td2\t-1\r\n\nq2 0 d3 4").unwrap();
        assert_eq!(found, qrels("q2 0 d3 +4\nq2 0 d1 1\nq1 Q0 d2 -1\n").unwrap());
        assert_eq!((found.grade("q1", "d2"), found.max_grade()), (Some(-1), 4));
    }

    #[test]
    fn malformed_judgments_are_errors_with_file_line_and_text() {
        let cases = [
            (
                "q1 0 d1\n",
                "a.qrels:1: expected 4 columns, found 3; judgments in three columns have tabs between them: \
                 `q1 0 d1`",
            ),
            (
                "q1 0 d1 1 x\n",
                "a.qrels:1: expected 4 columns, found 5; ids hold no spaces, unless tabs separate all columns: `q1 0 d1 1 x`",
            ),
            (
                "q1 Q0 d1 1 2.5 t\n",
                "a.qrels:1: expected 4 columns, found 6; six columns are a run: did you swap judgments and run?: `q1 Q0 d1 1 2.5 t`",
            ),
            (
                "q1\n",
                "a.qrels:1: expected 4 columns, found 1; judgments are `query iteration document grade`: `q1`",
            ),
            (
                "\nq1 0 d1 0.5\n",
                "a.qrels:2: grade `0.5` is not a whole number of 32 bits, such as 0, 1 or 2: `q1 0 d1 0.5`",
            ),
            (
                "q1 0 d1 rel\n",
                "a.qrels:1: grade `rel` is not a whole number of 32 bits, such as 0, 1 or 2: `q1 0 d1 rel`",
            ),
            (
                "q1 0 d1 3000000000\n",
                "a.qrels:1: grade `3000000000` is not a whole number of 32 bits, such as 0, 1 or 2",
            ),
            (
                "q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 1\n",
                "a.qrels:3: document `d1` is judged twice for query `q1` (first in line 1): `q1 0 d1 1`",
            ),
        ];
        for (text, message) in cases {
            let error = qrels(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text:?}\n{error}");
        }
    }

    #[test]
    fn a_grade_that_a_data_frame_wrote_as_a_decimal_is_taken_where_it_is_whole() {
        let found = qrels("q1 0 d1 2.0\nq1 0 d2 -1.00\nq1 0 d3 0.0\n").unwrap();
        assert_eq!(found, qrels("q1 0 d1 2\nq1 0 d2 -1\nq1 0 d3 0\n").unwrap());
        for grade in ["2.5", "2.", ".0", "2.0.0", "2e0", "1.0x", "3000000000.0", "nan"] {
            let error = qrels(&format!("q1 0 d1 {grade}\n")).unwrap_err().to_string();
            assert!(error.contains(&format!("grade `{grade}` is not a whole number")), "{error}");
        }
    }

    #[test]
    fn judgments_are_written_in_order_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.qrels");
        let written = qrels("q2 0 d1 1\nq10 0 d3 -1\nq2 0 #d 0\n").unwrap();
        written.write_trec(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "q10 0 d3 -1\nq2 0 #d 0\nq2 0 d1 1\n");
        assert_eq!(Qrels::read_trec(&path).unwrap(), written);

        let mut unwritable = Qrels::new();
        unwritable.insert("q 1", "d1", 1).unwrap();
        assert!(unwritable.write_trec(&path).is_err());
    }

    fn collection(topics: &str, judgments: &str) -> Result<Collection, String> {
        let dir = tempfile::tempdir().unwrap();
        let (queries, qrels) = (dir.path().join("topics.tsv"), dir.path().join("a.qrels"));
        std::fs::write(&queries, topics).unwrap();
        std::fs::write(&qrels, judgments).unwrap();
        let here = format!("{}/", dir.path().display());
        Collection::trec(&queries, &qrels, None).map_err(|error| error.to_string().replace(&here, ""))
    }

    #[test]
    fn topics_are_an_id_a_tab_and_a_text() {
        let found = collection("q2\ttwo\twords\r\nq1\tone\nq3\t\n", "q2 0 d1 1\nq1 0 d1 0\n").unwrap();
        assert_eq!(found.queries(), [Query::new("q1", "one"), Query::new("q2", "two\twords")]);
        assert_eq!(found.unjudged_queries(), 1);
    }

    #[test]
    fn what_does_not_fit_together_is_an_error() {
        let cases = [
            ("q1 one\n", "q1 0 d 1\n", "topics.tsv:1: expected an id, a tab and a text: `q1 one`"),
            ("q1\ta\nq1\tb\n", "q1 0 d 1\n", "topics.tsv:2: query id `q1` again (first in line 1): `q1\\tb`"),
            ("q1\ta\n", "q2 0 d 1\n", "a.qrels:1: judgment of a query that topics.tsv does not have: `q2`"),
            ("q1\ta\n", "", "a.qrels: there are no judgments"),
        ];
        for (topics, judgments, message) in cases {
            assert_eq!(collection(topics, judgments).unwrap_err(), message);
        }
    }
}
