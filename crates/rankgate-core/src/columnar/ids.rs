//! Ids out of a column, as text.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Decimal128Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, StringViewArray};
use arrow_schema::DataType;

/// The ids of some rows.
pub enum Ids {
    /// Where they stand.
    Views(StringViewArray),
    /// One after the other, and where each ends.
    Texts { text: String, ends: Vec<usize> },
    /// Each once, and which of them each row has: a few bytes may stand for many rows of long ids.
    Dictionary { values: Box<Self>, keys: Vec<Option<usize>> },
}

impl Ids {
    #[inline]
    pub fn get(&self, at: usize) -> &str {
        match self {
            Self::Views(views) => views.value(at),
            Self::Texts { text, ends } => {
                let start = if at == 0 { 0 } else { ends[at - 1] };
                &text[start..ends[at]]
            }
            Self::Dictionary { values, keys } => keys[at].map_or("", |key| values.get(key)),
        }
    }

    /// The values of a column: text as it stands, integers as their decimal text. A null is an empty id, since a caller that
    /// takes none has reported nulls before.
    ///
    /// # Errors
    ///
    /// A type that is no id; text that is not UTF-8.
    pub(super) fn from_column(column: &ArrayRef) -> Result<Self, String> {
        fn integers<T: ArrowPrimitiveType>(column: &ArrayRef) -> Ids
        where
            T::Native: std::fmt::Display,
        {
            Ids::texts(column.as_primitive::<T>().values().iter())
        }
        let not_utf8 = |_| "an id is not UTF-8".to_owned();
        Ok(match column.data_type() {
            DataType::Utf8View => Self::Views(column.as_string_view().clone()),
            DataType::BinaryView => {
                Self::Views(column.as_binary_view().clone().to_string_view().map_err(not_utf8)?)
            }
            DataType::Utf8 => Self::strings(column.as_string::<i32>().iter()),
            DataType::LargeUtf8 => Self::strings(column.as_string::<i64>().iter()),
            DataType::Binary => Self::bytes(column.as_binary::<i32>().iter())?,
            DataType::LargeBinary => Self::bytes(column.as_binary::<i64>().iter())?,
            DataType::Int8 => integers::<Int8Type>(column),
            DataType::Int16 => integers::<Int16Type>(column),
            DataType::Int32 => integers::<Int32Type>(column),
            DataType::Int64 => integers::<Int64Type>(column),
            DataType::UInt8 => integers::<UInt8Type>(column),
            DataType::UInt16 => integers::<UInt16Type>(column),
            DataType::UInt32 => integers::<UInt32Type>(column),
            DataType::UInt64 => integers::<UInt64Type>(column),
            // What warehouses make of integers.
            DataType::Decimal128(_, 0) => integers::<Decimal128Type>(column),
            DataType::Dictionary(keys, _) => match **keys {
                DataType::Int8 => Self::dictionary::<Int8Type>(column)?,
                DataType::Int16 => Self::dictionary::<Int16Type>(column)?,
                DataType::Int32 => Self::dictionary::<Int32Type>(column)?,
                DataType::Int64 => Self::dictionary::<Int64Type>(column)?,
                DataType::UInt8 => Self::dictionary::<UInt8Type>(column)?,
                DataType::UInt16 => Self::dictionary::<UInt16Type>(column)?,
                DataType::UInt32 => Self::dictionary::<UInt32Type>(column)?,
                _ => Self::dictionary::<UInt64Type>(column)?,
            },
            other => return Err(format!("its type is {other}; ids are text or whole numbers")),
        })
    }

    fn texts(values: impl Iterator<Item = impl std::fmt::Display>) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for value in values {
            // Nothing can fail where text is kept in memory.
            let _ = write!(text, "{value}");
            ends.push(text.len());
        }
        Self::Texts { text, ends }
    }

    fn strings<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for value in values {
            text.push_str(value.unwrap_or_default());
            ends.push(text.len());
        }
        Self::Texts { text, ends }
    }

    fn bytes<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> Result<Self, String> {
        let values = values.map(|value| std::str::from_utf8(value.unwrap_or_default()).ok());
        let values: Option<Vec<&str>> = values.collect();
        Ok(Self::strings(values.ok_or("an id is not UTF-8")?.into_iter().map(Some)))
    }

    fn dictionary<K: ArrowDictionaryKeyType>(column: &ArrayRef) -> Result<Self, String> {
        let column = column.as_dictionary::<K>();
        let values = Box::new(Self::from_column(column.values())?);
        Ok(Self::Dictionary { values, keys: (0..column.len()).map(|at| column.key(at)).collect() })
    }
}

/// Bytes that the ids of rows take one by one, so that a few bytes of a file do not stand for work without end: a column
/// may have a long id once and any number of rows of it.
#[derive(Default)]
pub(super) struct IdBytes {
    rows: u64,
    bytes: u64,
}

impl IdBytes {
    /// The memory that ids may take for any number of rows.
    const FREE: u64 = 4 << 20;
    /// What they may take beside that for each row.
    const A_ROW: u64 = 512;

    /// Adds so many rows with the ids of one column or several.
    ///
    /// # Errors
    /// The first row, of these, with which ids take more than they may.
    pub(super) fn add(&mut self, rows: usize, columns: &[&Ids]) -> Result<(), (usize, String)> {
        for row in 0..rows {
            self.rows += 1;
            self.bytes += columns.iter().map(|ids| ids.get(row).len() as u64).sum::<u64>();
            if self.bytes > Self::FREE + Self::A_ROW * self.rows {
                let (read, mib, free) = (self.rows, self.bytes >> 20, Self::FREE >> 20);
                let said = format!(
                    "ids are too long: those of the {read} rows read so far take {mib} MiB, and {} bytes a row and {free} \
                     MiB are the most",
                    Self::A_ROW
                );
                return Err((row, said));
            }
        }
        Ok(())
    }
}
