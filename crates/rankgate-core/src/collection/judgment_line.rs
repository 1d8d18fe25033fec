//! One judgment of a line in columns.

use crate::Result;
use crate::collection::Qrels;
use crate::collection::judgments::JudgedTwice;
use crate::error::Quoted;
use crate::input::Line;

/// The grade that is written: a whole number, which some tools write as `2.0`.
pub(super) fn whole_grade(grade: &str) -> Option<i32> {
    let decimals = |zeros: &&str| !zeros.is_empty() && zeros.bytes().all(|digit| digit == b'0');
    let of_decimal = || grade.split_once('.').filter(|(_, zeros)| decimals(zeros))?.0.parse().ok();
    grade.parse().ok().or_else(of_decimal)
}

/// Adds the judgment that a line makes, of a subtopic of the query where it has one.
pub(super) fn add_judgment(
    qrels: &mut Qrels,
    line: Line<'_>,
    (query, subtopic): (&str, Option<&str>),
    document: &str,
    grade: &str,
) -> Result<()> {
    let grade = whole_grade(grade).ok_or_else(|| {
        let grade = Quoted(grade);
        line.error(format!("grade {grade} is not a whole number of 32 bits, such as 0, 1 or 2"))
    })?;
    insert_judgment(qrels, line, (query, subtopic), document, grade)
}

/// The same of a grade that has been read.
pub(super) fn insert_judgment(
    qrels: &mut Qrels,
    line: Line<'_>,
    (query, subtopic): (&str, Option<&str>),
    document: &str,
    grade: i32,
) -> Result<()> {
    let added = match subtopic {
        Some(subtopic) => qrels.insert_of_subtopic((query, subtopic), document, grade, Some(line.number)),
        None => qrels.insert_from_line(query, document, grade, Some(line.number)),
    };
    added.map_err(|JudgedTwice { first_line }| {
        let (query, document) = (Quoted(query), Quoted(document));
        let first = first_line.map(|line| format!(" (first in line {line})")).unwrap_or_default();
        line.error(format!("document {document} is judged twice for query {query}{first}"))
    })
}
