//! Judgments.

use std::path::{Path, PathBuf};

use rankgate_core::collection::Qrels;
use rankgate_core::{Error, Result};

use crate::columns::{ColumnNames, TableSide};
use crate::file::open;
use crate::values::{ids, integers};

/// Reads judgments: columns of queries, documents and grades, whole numbers or booleans.
///
/// # Errors
///
/// A file that cannot be read; a column that is missing; a null or a grade that does not fit; a document that is judged
/// twice for a query; too many rows.
pub fn read_judgments(name: &Path, paths: &[PathBuf], columns: &ColumnNames) -> Result<Qrels> {
    let mut qrels = Qrels::of_file(name);
    for file in open(paths)? {
        if file.names().contains(&"subtopic") {
            return Err(Error::in_file(
                file.path(),
                "it has a column `subtopic`, and judgments by subtopic are not read from Parquet: write them in TREC's \
                 form, with the subtopic in the second column",
            ));
        }
        let found = columns.find(&file.names(), TableSide::Judgments, file.path())?;
        let places = found.places();
        let at = found.among(&places);
        file.batches(&places, |batch| {
            let (queries, documents) = (batch.values(at.query, ids)?, batch.values(at.document, ids)?);
            let grades = at.grade.map(|at| batch.values(at, grades)).transpose()?.unwrap_or_default();
            for (row, grade) in grades.into_iter().enumerate() {
                let inserted = qrels.insert(&queries[row], &documents[row], grade);
                inserted.map_err(|error| {
                    let row = batch.first + row as u64 + 1;
                    Error::in_file(file.path(), format!("row {row}: {error}"))
                })?;
            }
            Ok(())
        })?;
    }
    Ok(qrels)
}

fn grades(values: &crate::values::Values) -> Result<Vec<i32>, crate::values::Unfit> {
    let grade = |(row, grade): (usize, i64)| {
        i32::try_from(grade).map_err(|_| (Some(row), format!("the grade {grade} is out of range")))
    };
    integers(values)?.into_iter().enumerate().map(grade).collect()
}
