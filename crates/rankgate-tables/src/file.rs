//! A Parquet file, gone through in batches of rows.

use std::fs::File;
use std::path::{Path, PathBuf};

use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use rankgate_core::internal::error::Quoted;
use rankgate_core::internal::panic;
use rankgate_core::{Error, Result};

use crate::MOST_ROWS;
use crate::column::Column;
use crate::values::{Unfit, Values};

/// The most bytes that the columns of a file may take.
const MOST_BYTES: i64 = 4 << 30;

/// The most rows of a batch.
const BATCH: usize = 8192;

/// A file whose directory has been read.
pub(crate) struct TableFile {
    path: PathBuf,
    reader: SerializedFileReader<File>,
}

/// Some rows, and how many rows of the file come before them.
pub(crate) struct Batch<'a> {
    file: &'a TableFile,
    places: &'a [usize],
    columns: Vec<Values>,
    pub(crate) first: u64,
    pub(crate) rows: usize,
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
        let reader = caught(path, || SerializedFileReader::new(File::open(path)?))?;
        Ok(Self { path: path.to_owned(), reader })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the columns.
    pub(crate) fn names(&self) -> Vec<&str> {
        let schema = self.reader.metadata().file_metadata().schema();
        schema.get_fields().iter().map(|field| field.name()).collect()
    }

    /// Returns true if the numbers of a column are floats of 32 bits or less.
    pub(crate) fn is_single(&self, place: usize) -> bool {
        Column::of(self.reader.metadata().file_metadata().schema_descr(), place).is_single()
    }

    fn rows(&self) -> u64 {
        self.groups().map(|group| group.num_rows().unsigned_abs()).fold(0, u64::saturating_add)
    }

    fn groups(&self) -> impl Iterator<Item = &RowGroupMetaData> {
        self.reader.metadata().row_groups().iter()
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
        let bytes =
            self.groups().flat_map(RowGroupMetaData::columns).map(|column| column.uncompressed_size());
        if bytes.fold(0, i64::saturating_add) > MOST_BYTES {
            return Err(self.too_large(&format!("more than {} GiB", MOST_BYTES >> 30)));
        }
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let columns: Vec<Column> = places.iter().map(|&place| Column::of(schema, place)).collect();
        let mut first = 0;
        for (index, group) in self.groups().enumerate() {
            let mut left = usize::try_from(group.num_rows()).unwrap_or_default();
            let mut readers: Vec<_> = caught(&self.path, || {
                let group = self.reader.get_row_group(index)?;
                columns.iter().map(|column| column.reader(|leaf| group.get_column_reader(leaf))).collect()
            })?;
            while left > 0 {
                let rows = left.min(BATCH);
                let columns = caught(&self.path, || {
                    let each = columns.iter().zip(&mut readers);
                    each.map(|(column, reader)| column.read(reader, rows)).collect()
                })?;
                each(&Batch { file: self, places, columns, first, rows })?;
                first += rows as u64;
                left -= rows;
            }
        }
        Ok(())
    }
}

impl Batch<'_> {
    /// The values of a column of those that are read; an error names file, column and row.
    pub(crate) fn values<'a, T>(
        &'a self,
        column: usize,
        read: impl FnOnce(&'a Values) -> Result<T, Unfit>,
    ) -> Result<T> {
        read(&self.columns[column]).map_err(|(row, said)| {
            let name = self.file.names()[self.places[column]];
            let row = row.map_or(String::new(), |row| format!("row {}, ", self.first + row as u64 + 1));
            Error::in_file(&self.file.path, format!("{row}column {}: {said}", Quoted(name)))
        })
    }
}

/// What the reader of Parquet returns; a panic of it on a broken file is an error as well.
fn caught<T>(path: &Path, read: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T> {
    let failed = |said: String| Error::in_file(path, format!("it cannot be read as Parquet: {said}"));
    panic::catch(read).map_err(failed)?.map_err(|error| failed(error.to_string()))
}
