//! A Parquet file, gone through in batches of rows.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use rankgate_core::internal::error::Quoted;
use rankgate_core::internal::panic;
use rankgate_core::{Error, Result};

use crate::MOST_ROWS;
use crate::values::Unfit;

/// The most bytes that the columns of a file may take.
const MOST_BYTES: i64 = 4 << 30;

/// A file whose directory has been read.
pub(crate) struct TableFile {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
}

/// Some rows, and how many rows of the file come before them.
pub(crate) struct Batch<'a> {
    file: &'a TableFile,
    pub(crate) record: RecordBatch,
    pub(crate) first: u64,
}

/// Opens the files of a table, which must not have too many rows together.
pub(crate) fn open(paths: &[PathBuf]) -> Result<Vec<TableFile>> {
    let files = paths.iter().map(|path| TableFile::open(path)).collect::<Result<Vec<_>>>()?;
    let rows = files.iter().map(TableFile::rows).fold(0_u64, u64::saturating_add);
    match files.last().filter(|_| rows > MOST_ROWS) {
        None => Ok(files),
        Some(last) => Err(last.too_large(&format!("{rows} rows and {MOST_ROWS} are the most"))),
    }
}

impl TableFile {
    fn open(path: &Path) -> Result<Self> {
        // What a writer noted of Arrow's types says nothing more of ids and numbers.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = caught(path, || ArrowReaderMetadata::load(&File::open(path)?, options))?;
        Ok(Self { path: path.to_owned(), metadata })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    fn rows(&self) -> u64 {
        let rows = |group: &parquet::file::metadata::RowGroupMetaData| group.num_rows().unsigned_abs();
        self.metadata.metadata().row_groups().iter().map(rows).fold(0, u64::saturating_add)
    }

    fn too_large(&self, said: &str) -> Error {
        let message = format!(
            "the table has {said}: score it with DataFusion (rankgate-datafusion) or Spark, and compare the scores with \
             `rankgate compare --from-scores`"
        );
        Error::in_file(&self.path, message)
    }

    /// Hands all rows over in batches, with the columns at some places, in the order of the file.
    pub(crate) fn batches(
        &self,
        places: &[usize],
        mut each: impl FnMut(&Batch<'_>) -> Result<()>,
    ) -> Result<()> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), places.iter().copied());
        let groups = self.metadata.metadata().row_groups().iter();
        let bytes = groups.flat_map(|group| group.columns()).map(|column| column.uncompressed_size());
        if bytes.fold(0, i64::saturating_add) > MOST_BYTES {
            return Err(self.too_large(&format!("more than {} GiB", MOST_BYTES >> 30)));
        }
        let mut reader = caught(&self.path, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(File::open(&self.path)?, self.metadata.clone())
                .with_projection(mask)
                .with_batch_size(8192)
                .build()
        })?;
        let mut first = 0;
        while let Some(record) = caught(&self.path, || reader.next().transpose().map_err(Into::into))? {
            let rows = record.num_rows() as u64;
            each(&Batch { file: self, record, first })?;
            first += rows;
        }
        match first == self.rows() {
            true => Ok(()),
            false => Err(malformed(&self.path, &format!("its row groups have {first} rows"))),
        }
    }
}

impl Batch<'_> {
    /// The values of a column of those that are read; an error names file, column and row.
    pub(crate) fn values<T>(
        &self,
        column: usize,
        read: impl FnOnce(&arrow_array::ArrayRef) -> Result<T, Unfit>,
    ) -> Result<T> {
        let name = self.record.schema_ref().field(column).name().clone();
        let read = panic::catch(|| read(self.record.column(column)));
        read.map_err(|said| malformed(&self.file.path, &said))?.map_err(|(row, said)| {
            let row = row.map_or(String::new(), |row| format!("row {}, ", self.first + row as u64 + 1));
            Error::in_file(&self.file.path, format!("{row}column {}: {said}", Quoted(&name)))
        })
    }
}

/// What the reader of Parquet returns; a panic of it on a broken file is an error as well.
fn caught<T>(path: &Path, read: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T> {
    let failed = |said: String| malformed(path, &said);
    panic::catch(read).map_err(failed)?.map_err(|error| failed(error.to_string()))
}

fn malformed(path: &Path, said: &str) -> Error {
    Error::in_file(path, format!("it cannot be read as Parquet: {said}"))
}
