//! Parquet files, written a batch at a time.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::output::Output;
use crate::{Error, Result};

/// Rows that are written at once.
pub const ROWS: usize = 1 << 16;

/// A file that is being written: finished parts are handed on at once.
pub struct Writer {
    schema: Arc<Schema>,
    writer: ArrowWriter<Vec<u8>>,
}

impl Writer {
    /// A file of these columns, with what else is to be known of it.
    pub fn new(columns: Vec<Field>, notes: &[(&str, String)]) -> Result<Self> {
        let note = |(key, value): &(&str, String)| KeyValue::new((*key).to_owned(), value.clone());
        let properties = WriterProperties::builder()
            // What every reader knows.
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(4 * ROWS))
            .set_key_value_metadata(Some(notes.iter().map(note).collect()));
        let schema = Arc::new(Schema::new(columns));
        let writer =
            ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties.build())).map_err(failed)?;
        Ok(Self { schema, writer })
    }

    pub fn rows(&mut self, columns: Vec<ArrayRef>, output: &mut Output<'_>) -> Result<()> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(failed)?;
        self.writer.write(&batch).map_err(failed)?;
        output.bytes(&std::mem::take(self.writer.inner_mut()))
    }

    pub fn finish(self, output: &mut Output<'_>) -> Result<()> {
        output.bytes(&self.writer.into_inner().map_err(failed)?)
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::invalid(format!("rows that Parquet does not hold: {error}"))
}
