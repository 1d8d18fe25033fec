//! The formats of BEIR: judgments in three columns between tabs, queries and documents as JSON lines.

use crate::collection::Qrels;
use crate::collection::judgment_line::add_judgment;
use crate::collection::line_format::LineFormat;
use crate::collection::qrels_format::{QrelsFormat, first_line};
use crate::collection::record::Record;
use crate::error::Quoted;
use crate::input::{HashIds, Json, Lines, is_comment};
use crate::output::Output;
use crate::{Error, Result};

/// What the columns of a header are called. A first line without a column of a grade is data.
const QUERY_HEADERS: [&str; 6] = ["query-id", "query_id", "qid", "query", "topic", "q_id"];
const DOCUMENT_HEADERS: [&str; 9] =
    ["corpus-id", "corpus_id", "docid", "doc_id", "doc-id", "docno", "document", "document-id", "pid"];
const GRADE_HEADERS: [&str; 5] = ["score", "relevance", "rel", "grade", "label"];

/// What the fourth column of a header is called where judgments are by subtopic.
const SUBTOPIC_HEADER: &str = "subtopic";

/// `query<TAB>document<TAB>grade` lines, with or without a header. With one they may have a subtopic behind the grade: four
/// columns without a header are TREC's.
pub(super) const QRELS: QrelsFormat = QrelsFormat {
    begins: |head| {
        let first = first_line(head);
        first.iter().filter(|byte| **byte == b'\t').count() == 2
            || std::str::from_utf8(first).is_ok_and(is_by_subtopic)
    },
    read: |input| read_qrels(Lines::new(input)),
};

pub(super) fn judgment(query: &str, document: &str, grade: i32) -> Result<String> {
    [query, document].into_iter().try_for_each(check_column)?;
    if query == "#" || query.starts_with("# ") {
        return Err(Error::invalid(format!("the id {} begins as a comment does", Quoted(query))));
    }
    Ok(format!("{query}\t{document}\t{grade}"))
}

/// The first line of a file that has none yet.
pub(super) const HEADER: &str = "query-id\tcorpus-id\tscore";

/// Writes a header and the judgments, with their subtopics where they have some.
pub(super) fn write_qrels(qrels: &Qrels, output: &mut Output<'_>) -> Result<()> {
    if !qrels.has_subtopics() {
        output.line(format_args!("{HEADER}"))?;
        return qrels.write(judgment, output);
    }
    output.line(format_args!("{HEADER}\t{SUBTOPIC_HEADER}"))?;
    for (query, document, subtopic, grade) in qrels.by_subtopic() {
        check_column(subtopic)?;
        output.line(format_args!("{}\t{subtopic}", judgment(query, document, grade)?))?;
    }
    Ok(())
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

fn is_header_by_subtopic(columns: &[&str]) -> bool {
    columns.len() == 4 && header(columns).is_some() && is_any(columns[3], &[SUBTOPIC_HEADER])
}

/// Whether judgments that begin like this have a column of subtopics.
pub(super) fn is_by_subtopic(text: &str) -> bool {
    let first = text.lines().find(|line| !is_comment(line)).unwrap_or_default();
    is_header_by_subtopic(&columns(first))
}

fn read_qrels(mut lines: Lines<'_>) -> Result<Qrels> {
    let (mut qrels, mut ids) = (Qrels::of_file(lines.path()), HashIds::default());
    let (mut first, mut by_subtopic, mut order) = (true, false, [0, 1, 2]);
    while let Some(line) = lines.next_data()? {
        let columns = columns(line.text);
        if std::mem::take(&mut first) {
            by_subtopic = is_header_by_subtopic(&columns);
            if let Some(places) = header(&columns).filter(|_| by_subtopic || columns.len() == 3) {
                order = places;
                continue;
            }
        }
        ids.see(line)?;
        let (query, document, grade, subtopic) = match (&columns[..], by_subtopic) {
            ([_, _, _], false) => (columns[order[0]], columns[order[1]], columns[order[2]], None),
            (&[.., subtopic], true) if columns.len() == 4 => {
                (columns[order[0]], columns[order[1]], columns[order[2]], Some(subtopic))
            }
            _ => {
                let (wanted, found) = (if by_subtopic { 4 } else { 3 }, columns.len());
                return Err(line.error(format!("expected {wanted} columns separated by tabs, found {found}")));
            }
        };
        if [query, document].contains(&"") || subtopic == Some("") {
            return Err(line.error("an id is empty"));
        }
        add_judgment(&mut qrels, line, (query, subtopic), document, grade)?;
    }
    Ok(qrels)
}

/// The lines of `queries.jsonl` and `corpus.jsonl`.
pub(super) const LINES: LineFormat = LineFormat {
    extensions: &["jsonl", "ndjson", "json"],
    begins: |head| head.starts_with(b"{"),
    has_comments: false,
    query: |line| Record::parse(Json::of_line(line), line.text)?.beir_query(),
    document: |line| Record::parse(Json::of_line(line), line.text)?.document(None),
    chunk: |line| Record::parse(Json::of_line(line), line.text)?.chunk(),
};

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
    fn a_fourth_column_with_a_header_is_the_subtopic() {
        let text = "query-id\tcorpus-id\tscore\tsubtopic\r\nq1\td1\t1\ta\r\nq1\td1\t2\tb\r\nq1\td2\t0\ta\r\n";
        let read = Qrels::parse("test.tsv", text.as_bytes()).unwrap();
        assert_eq!(read, Qrels::parse("a.qrels", b"q1 a d1 1\nq1 b d1 2\nq1 a d2 0\n").unwrap());
        // What is written is what is read.
        let mut bytes = Vec::new();
        write_qrels(&read, &mut Output::new(std::path::Path::new("b.tsv"), &mut bytes)).unwrap();
        assert_eq!(Qrels::parse("b.tsv", &bytes).unwrap(), read);
        // Without a header four columns are TREC's.
        assert_eq!(Qrels::parse("a", b"q1\t0\td1\t1\n").unwrap().grade("q1", "d1"), Some(1));
        for (rest, expected) in [
            ("q1\td1\t1\n", "test.tsv:2: expected 4 columns separated by tabs, found 3"),
            ("q1\td1\t1\t\n", "test.tsv:2: an id is empty"),
            ("q1\td1\t1\ta\nq1\td1\t2\ta\n", "test.tsv:3: document `d1` is judged twice for query `q1`"),
        ] {
            let error = qrels(&format!("q\td\tscore\tsubtopic\n{rest}")).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
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
