//! Parquet files as engines write them.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::rows::{Judged, Retrieved};

/// What ids are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Ids {
    #[default]
    Text,
    Integers,
    Dictionary,
}

/// How a file is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) ids: Ids,
    /// Rows of a row group.
    pub(crate) group: usize,
    /// Whether scores have 32 bits.
    pub(crate) single: bool,
    pub(crate) names: Option<[&'static str; 3]>,
}

impl Default for Written {
    fn default() -> Self {
        Self { ids: Ids::Text, group: 1000, single: false, names: None }
    }
}

pub(crate) fn texts(texts: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

/// Writes columns as they are.
pub(crate) fn columns(path: &Path, columns: &[(&str, ArrayRef)]) {
    grouped(path, columns, 1000);
}

fn grouped(path: &Path, columns: &[(&str, ArrayRef)], group: usize) {
    let batch =
        RecordBatch::try_from_iter(columns.iter().map(|(name, column)| (*name, column.clone()))).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_compression(Compression::SNAPPY)
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

impl Written {
    fn ids<'a>(&self, ids: impl Iterator<Item = &'a str>) -> ArrayRef {
        match self.ids {
            Ids::Text => Arc::new(StringArray::from_iter_values(ids)),
            Ids::Integers => Arc::new(Int64Array::from_iter_values(ids.map(|id| id.parse().unwrap()))),
            Ids::Dictionary => Arc::new(ids.collect::<DictionaryArray<Int32Type>>()),
        }
    }

    pub(crate) fn run(&self, path: &Path, rows: &[Retrieved]) {
        let scores = rows.iter().map(|row| row.score);
        let scores: ArrayRef = match self.single {
            true => Arc::new(scores.map(|score| score.map(|score| score as f32)).collect::<Float32Array>()),
            false => Arc::new(scores.collect::<Float64Array>()),
        };
        let [query, document, score] = self.names.unwrap_or(["query", "document", "score"]);
        let all = [
            (query, self.ids(rows.iter().map(|row| row.query.as_str()))),
            (document, self.ids(rows.iter().map(|row| row.document.as_str()))),
            (score, scores),
        ];
        grouped(path, &all, self.group);
    }

    pub(crate) fn ranked(&self, path: &Path, rows: &[Retrieved], ranks: &[i32], scored: bool) {
        let mut all = vec![
            ("query", self.ids(rows.iter().map(|row| row.query.as_str()))),
            ("document", self.ids(rows.iter().map(|row| row.document.as_str()))),
        ];
        if scored {
            let scores: Float64Array = rows.iter().map(|row| row.score).collect();
            all.push(("score", Arc::new(scores)));
        }
        all.push(("rank", Arc::new(Int32Array::from(ranks.to_vec()))));
        grouped(path, &all, self.group);
    }

    pub(crate) fn judgments(&self, path: &Path, rows: &[Judged]) {
        let [query, document, grade] = self.names.unwrap_or(["qid", "docid", "relevance"]);
        let grades: Int32Array = rows.iter().map(|row| Some(row.grade)).collect();
        let all = [
            (query, self.ids(rows.iter().map(|row| row.query.as_str()))),
            (document, self.ids(rows.iter().map(|row| row.document.as_str()))),
            (grade, Arc::new(grades) as ArrayRef),
        ];
        grouped(path, &all, self.group);
    }
}
