//! The formats of BEIR: judgments in three columns between tabs, queries and documents as JSON lines.

use crate::collection::Qrels;
use crate::collection::judgment_line::add_judgment;
use crate::collection::line_format::LineFormat;
use crate::collection::qrels_format::{QrelsFormat, first_line};
use crate::collection::record::Record;
use crate::error::Quoted;
use crate::input::{Json, Lines};
use crate::{Error, Result};

/// What the third column of a header is called; in any other first line it must be a grade.
const GRADE_HEADERS: [&str; 5] = ["score", "relevance", "rel", "grade", "label"];

/// `query<TAB>document<TAB>grade` lines, with or without a header.
pub(super) const QRELS: QrelsFormat = QrelsFormat {
    begins: |head| first_line(head).iter().filter(|byte| **byte == b'\t').count() == 2,
    read: |input| read_qrels(Lines::new(input)),
    read_part: None,
    line: Some(judgment),
};

pub(super) fn judgment(query: &str, document: &str, grade: i32) -> Result<String> {
    [query, document].into_iter().try_for_each(check_column)?;
    Ok(format!("{query}\t{document}\t{grade}"))
}

/// The first line of a file that has none yet.
pub(super) const HEADER: &str = "query-id\tcorpus-id\tscore";

fn read_qrels(mut lines: Lines<'_>) -> Result<Qrels> {
    let mut qrels = Qrels::of_file(lines.path());
    let mut first = true;
    while let Some(line) = lines.next_data()? {
        let columns: Vec<&str> = line.text.split('\t').collect();
        let [query, document, grade] = columns[..] else {
            let found = columns.len();
            return Err(line.error(format!("expected 3 columns separated by tabs, found {found}")));
        };
        let is_header = first && GRADE_HEADERS.contains(&grade.to_ascii_lowercase().as_str());
        first = false;
        if is_header {
            continue;
        }
        if query.is_empty() || document.is_empty() {
            return Err(line.error("an id is empty"));
        }
        add_judgment(&mut qrels, line, (query, None), document, grade)?;
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
};

fn check_column(id: &str) -> Result<()> {
    if id.contains(['\t', '\n', '\r']) {
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
