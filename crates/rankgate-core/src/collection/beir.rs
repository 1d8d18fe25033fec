//! The formats of BEIR: judgments in three columns between tabs, queries and documents as JSON lines.

use crate::collection::Qrels;
use crate::collection::judgment_line::add_judgment;
use crate::error::Quoted;
use crate::input::{HashIds, Lines, is_comment};
use crate::output::Output;
use crate::{Error, Result};

/// What the columns of a header are called. A first line without a column of a grade is data.
const QUERY_HEADERS: [&str; 6] = ["query-id", "query_id", "qid", "query", "topic", "q_id"];
const DOCUMENT_HEADERS: [&str; 9] =
    ["corpus-id", "corpus_id", "docid", "doc_id", "doc-id", "docno", "document", "document-id", "pid"];
const GRADE_HEADERS: [&str; 5] = ["score", "relevance", "rel", "grade", "label"];

/// Whether judgments begin with a line of three columns between tabs; a header counts, a comment does not.
pub(super) fn begins(head: &[u8]) -> bool {
    let is_data = |line: &&[u8]| !std::str::from_utf8(line).is_ok_and(is_comment);
    let first = head.split(|byte| *byte == b'\n').find(is_data).unwrap_or_default();
    first.iter().filter(|byte| **byte == b'\t').count() == 2
}

pub(super) fn judgment(query: &str, document: &str, grade: i32) -> Result<String> {
    [query, document].into_iter().try_for_each(check_column)?;
    if query == "#" || query.starts_with("# ") {
        return Err(Error::invalid(format!("the id {} begins as a comment does", Quoted(query))));
    }
    Ok(format!("{query}\t{document}\t{grade}"))
}

/// The first line of a file that has none yet.
pub(super) const HEADER: &str = "query-id\tcorpus-id\tscore";

/// Writes a header and the judgments.
pub(super) fn write_qrels(qrels: &Qrels, output: &mut Output<'_>) -> Result<()> {
    if qrels.has_subtopics() {
        return Err(Error::invalid(
            "judgments by subtopic are written in TREC's form, with the subtopic in the second column",
        ));
    }
    output.line(format_args!("{HEADER}"))?;
    qrels.write(judgment, output)
}

fn columns(line: &str) -> Vec<&str> {
    line.trim_end_matches('\r').split('\t').collect()
}

fn is_any(column: &str, names: &[&str]) -> bool {
    names.iter().any(|name| column.trim_matches('"').eq_ignore_ascii_case(name))
}

/// Where query, document and grade stand, if a line is a header: as it says, if it names all three, else in this order.
fn header(columns: &[&str]) -> Option<[usize; 3]> {
    let place = |names: &[&str]| columns.iter().position(|column| is_any(column, names));
    match (place(&QUERY_HEADERS), place(&DOCUMENT_HEADERS), place(&GRADE_HEADERS)) {
        (Some(query), Some(document), Some(grade)) => Some([query, document, grade]),
        (_, _, Some(2)) => Some([0, 1, 2]),
        _ => None,
    }
}

/// `query<TAB>document<TAB>grade` lines, with or without a header.
pub(super) fn read_qrels(mut lines: Lines<'_>) -> Result<Qrels> {
    let (mut qrels, mut ids) = (Qrels::of_file(lines.path()), HashIds::default());
    let (mut first, mut order) = (true, [0, 1, 2]);
    while let Some(line) = lines.next_data()? {
        let columns = columns(line.text);
        if std::mem::take(&mut first)
            && columns.len() == 3
            && let Some(places) = header(&columns)
        {
            order = places;
            continue;
        }
        ids.see(line)?;
        if columns.len() != 3 {
            return Err(line.error(format!("expected 3 columns separated by tabs, found {}", columns.len())));
        }
        let [query, document, grade] = order.map(|place| columns[place]);
        if [query, document].contains(&"") {
            return Err(line.error("an id is empty"));
        }
        add_judgment(&mut qrels, line, (query, None), document, grade)?;
    }
    Ok(qrels)
}

fn check_column(id: &str) -> Result<()> {
    if id.contains(['\t', '\n', '\r', '\0']) {
        return Err(Error::invalid(format!("the id {} does not fit into a column between tabs", Quoted(id))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    fn qrels(text: &str) -> Result<Qrels> {
        read_qrels(Source::bytes("test.tsv", text.as_bytes()).lines()?)
    }

    #[test]
    fn a_header_is_known_by_its_third_column_and_may_be_left_out() {
        let mut expected = Qrels::new();
        expected.insert("q1", "d 1", 2).unwrap();
        for header in ["query-id\tcorpus-id\tscore\n", "qid\tdocid\tRelevance\r\n", ""] {
            assert_eq!(qrels(&format!("{header}q1\td 1\t2\n")).unwrap(), expected, "{header:?}");
        }
    }

    #[test]
    fn a_header_that_names_all_columns_says_their_order() {
        let mut expected = Qrels::new();
        expected.insert("q1", "d 1", 2).unwrap();
        for text in [
            "corpus-id\tquery-id\tscore\nd 1\tq1\t2\n",
            "score\tqid\tdocid\n2\tq1\td 1\n",
            "\"query-id\"\t\"corpus-id\"\t\"score\"\nq1\td 1\t2\n",
        ] {
            assert_eq!(qrels(text).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn four_columns_between_tabs_are_those_of_trec() {
        assert_eq!(Qrels::parse("a", b"q1\t0\td1\t1\n").unwrap().grade("q1", "d1"), Some(1));
        let error = Qrels::parse("a", b"query-id\tcorpus-id\tscore\tsubtopic\nq1\td1\t1\ta\n")
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("a:1: grade `subtopic` is not a whole number"), "{error}");
        let by_subtopic = Qrels::parse("a", b"q1 1 d1 1\nq1 2 d1 1\n").unwrap();
        let mut bytes = Vec::new();
        let path = std::path::Path::new("b.tsv");
        assert!(write_qrels(&by_subtopic, &mut Output::new(path, &mut bytes)).is_err());
    }

    #[test]
    fn malformed_judgments_are_errors_with_file_line_and_text() {
        let cases = [
            (
                "q1\td1\thigh\n",
                "test.tsv:1: grade `high` is not a whole number of 32 bits, such as 0, 1 or 2: `q1\\td1\\thigh`",
            ),
            (
                "q1\td1\t1\nq1\td2\tscore\n",
                "test.tsv:2: grade `score` is not a whole number of 32 bits, such as 0, 1 or 2",
            ),
            ("q1 0 d1 1\n", "test.tsv:1: expected 3 columns separated by tabs, found 1: `q1 0 d1 1`"),
            ("q1\t\t1\n", "test.tsv:1: an id is empty"),
            (
                "a\tb\tscore\nq\td\t1\nq\td\t1\n",
                "test.tsv:3: document `d` is judged twice for query `q` (first in line 2)",
            ),
        ];
        for (text, message) in cases {
            let error = qrels(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text:?}\n{error}");
        }
    }
}
