//! Judgments in Parquet files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, StringArray};
use arrow_schema::{DataType, Field};
use foldhash::fast::RandomState;

use crate::collection::{Judgments, Qrels};
use crate::columnar::{ROWS, Scan, Stopped, Writer};
use crate::error::Quoted;
use crate::input::{Source, Table, TableSide, Tables};
use crate::output::replace_file;
use crate::{Error, Result, threads};

/// Rows of one row group, and what their ids are.
#[derive(Default)]
struct Rows {
    text: String,
    /// Where query and document end, and the grade.
    rows: Vec<(usize, usize, i32)>,
}

/// Reads judgments. Those of a single file tell their row as others tell their line.
pub(super) fn read_qrels(source: &Source<'_>, table: Table<'_>, tables: &Tables) -> Result<Qrels> {
    let several = matches!(&table, Table::Files(files) if files.len() > 1);
    let scan = Scan::open(source, table, tables, TableSide::Judgments)?;
    if let Some(path) = scan.file_with("subtopic") {
        return Err(Error::in_file(
            path,
            "it has a column `subtopic`, and judgments by subtopic are not read from Parquet: write them in TREC's form, with the \
             subtopic in the second column, as BEIR's tsv with a fourth column `subtopic`, or as JSON lines with `subtopic`",
        ));
    }
    let mut qrels = Qrels::of_file(source.path());
    let groups: Vec<usize> = (0..scan.groups()).collect();
    let mut before = 0;
    for wave in groups.chunks(threads::most()) {
        for rows in threads::map(wave.len(), |index| read(&scan, wave[index])) {
            let (mut start, rows) = (0, rows?);
            for (row, &(query, document, grade)) in (1..).zip(&rows.rows) {
                let (query, document, end) =
                    (&rows.text[start..query], &rows.text[query..document], document);
                let line = (!several).then_some(before + row);
                if qrels.insert_from_line(query, document, grade, line).is_err() {
                    let again = || Error::invalid(format!("document {} again", Quoted(document)));
                    return Err(judged_twice(&scan, query)?.unwrap_or_else(again));
                }
                start = end;
            }
            before += rows.rows.len() as u64;
        }
    }
    Ok(qrels)
}

/// Writes judgments as columns, ordered by query and document.
pub(super) fn write_qrels(qrels: &Qrels, path: &Path) -> Result<()> {
    if qrels.has_subtopics() {
        let message = "judgments by subtopic are not written as Parquet: TREC's form holds them";
        return Err(Error::in_file(path, message));
    }
    let fields = vec![
        Field::new("query", DataType::Utf8, false),
        Field::new("document", DataType::Utf8, false),
        Field::new("grade", DataType::Int32, false),
    ];
    replace_file(path, |output| {
        let mut writer = Writer::new(fields, &[])?;
        let of_query =
            |(query, judged)| Judgments::iter(judged).map(move |(document, grade)| (query, document, grade));
        let mut rows = qrels.iter().flat_map(of_query);
        loop {
            let some: Vec<(&str, &str, i32)> = rows.by_ref().take(ROWS).collect();
            if some.is_empty() {
                return writer.finish(output);
            }
            let columns: Vec<ArrayRef> = vec![
                Arc::new(StringArray::from_iter_values(some.iter().map(|(query, ..)| query))),
                Arc::new(StringArray::from_iter_values(some.iter().map(|(_, document, _)| document))),
                Arc::new(Int32Array::from_iter_values(some.iter().map(|(.., grade)| *grade))),
            ];
            writer.rows(columns, output)?;
        }
    })
}

fn read(scan: &Scan, group: usize) -> Result<Rows> {
    let mut rows = Rows::default();
    scan.read(group, |batch| {
        for row in 0..batch.rows {
            rows.text.push_str(batch.query.get(row));
            let query = rows.text.len();
            rows.text.push_str(batch.document.get(row));
            // Whatever does not fit has been refused.
            let grade = i32::try_from(batch.integer(row)).unwrap_or_default();
            rows.rows.push((query, rows.text.len(), grade));
        }
        Stopped::No
    })?;
    Ok(rows)
}

/// That a document is judged twice for a query, and where; `None` where none is.
pub fn judged_twice(scan: &Scan, query: &str) -> Result<Option<Error>> {
    let mut first: HashMap<String, (usize, u64), RandomState> = HashMap::default();
    let mut twice = None;
    for group in 0..scan.groups() {
        scan.read(group, |batch| {
            for row in (0..batch.rows).filter(|&row| batch.query.get(row) == query) {
                let (document, at) = (batch.document.get(row), (group, batch.first + row as u64 + 1));
                if let Some(before) = first.insert(document.to_owned(), at) {
                    twice = Some((before, at, document.to_owned()));
                    return Stopped::Yes;
                }
            }
            Stopped::No
        })?;
        if twice.is_some() {
            break;
        }
    }
    Ok(twice.map(|(before, at, document)| {
        let what = format!("document {} is judged twice for query {}", Quoted(&document), Quoted(query));
        scan.again(before, at, &what)
    }))
}
