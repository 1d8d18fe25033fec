//! How the values of one column are read.

use parquet::basic::{ConvertedType, IntType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use crate::values::{Held, Values};

/// A column: its values on disk, and what they mean.
pub(crate) struct Column {
    /// Which of the values on disk; none of a column that holds no single values.
    leaf: usize,
    of: ColumnDescPtr,
    meaning: Meaning,
}

/// What the values on disk are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Text,
    Whole,
    /// Of `INT32` and `INT64`, whose sign is theirs.
    Unsigned,
    Boolean,
    Float,
    Half,
    Decimal,
    /// Neither an id nor a number, such as a date or a list.
    Other,
}

impl Column {
    /// The column at a place among those of a table; one of several leaves, such as a list, holds other things than ids and
    /// numbers.
    pub(crate) fn of(schema: &SchemaDescriptor, place: usize) -> Self {
        let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == place);
        let leaf = leaf.unwrap_or_default();
        let of = schema.column(leaf);
        let meaning = match schema.get_column_root(leaf).is_primitive() && of.max_rep_level() == 0 {
            true => meaning(&of),
            false => Meaning::Other,
        };
        Self { leaf, of, meaning }
    }

    pub(crate) fn is_single(&self) -> bool {
        self.meaning == Meaning::Half || self.of.physical_type() == Physical::FLOAT
    }

    /// A reader of its values in a row group, out of that of a leaf; none where they are not read.
    pub(crate) fn reader(
        &self,
        of_leaf: impl FnOnce(usize) -> Result<ColumnReader>,
    ) -> Result<Option<ColumnReader>> {
        (self.meaning != Meaning::Other).then(|| of_leaf(self.leaf)).transpose()
    }

    /// The next rows.
    pub(crate) fn read(&self, reader: &mut Option<ColumnReader>, rows: usize) -> Result<Values> {
        let scale = self.of.type_scale();
        let of_whole = |(wholes, null): (Vec<i128>, _)| {
            let held = match self.meaning {
                Meaning::Decimal => Held::Decimals(wholes, scale),
                _ => Held::Wholes(wholes),
            };
            Values { held, null }
        };
        let of_float = |(floats, null)| Values { held: Held::Floats(floats), null };
        let unsigned = self.meaning == Meaning::Unsigned;
        Ok(match reader {
            None => Values { held: Held::Other(self.name_of_type()), null: None },
            Some(ColumnReader::BoolColumnReader(reader)) => {
                of_float(self.next(reader, rows, |is| Ok(f64::from(u8::from(is))))?)
            }
            Some(ColumnReader::Int32ColumnReader(reader)) => of_whole(
                self.next(reader, rows, |n| Ok(if unsigned { (n as u32).into() } else { n.into() }))?,
            ),
            Some(ColumnReader::Int64ColumnReader(reader)) => of_whole(
                self.next(reader, rows, |n| Ok(if unsigned { (n as u64).into() } else { n.into() }))?,
            ),
            Some(ColumnReader::FloatColumnReader(reader)) => {
                of_float(self.next(reader, rows, |n| Ok(n.into()))?)
            }
            Some(ColumnReader::DoubleColumnReader(reader)) => of_float(self.next(reader, rows, Ok)?),
            Some(ColumnReader::ByteArrayColumnReader(reader)) if self.meaning == Meaning::Text => {
                let (texts, null) = self.next(reader, rows, Ok)?;
                Values { held: Held::Texts(texts), null }
            }
            Some(ColumnReader::ByteArrayColumnReader(reader)) => {
                of_whole(self.next(reader, rows, |bytes| whole(bytes.as_bytes()))?)
            }
            Some(ColumnReader::FixedLenByteArrayColumnReader(reader)) if self.meaning == Meaning::Half => {
                of_float(self.next(reader, rows, |bytes| half(bytes.as_bytes()))?)
            }
            Some(ColumnReader::FixedLenByteArrayColumnReader(reader)) => {
                of_whole(self.next(reader, rows, |bytes| whole(bytes.as_bytes()))?)
            }
            Some(ColumnReader::Int96ColumnReader(_)) => return Err(broken("a time is read as a number")),
        })
    }

    /// The next rows, and the first that is null.
    fn next<D: DataType, T>(
        &self,
        reader: &mut ColumnReaderImpl<D>,
        rows: usize,
        value: impl Fn(D::T) -> Result<T>,
    ) -> Result<(Vec<T>, Option<usize>)> {
        let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::new());
        let (read, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
        if read < rows {
            return Err(broken("its row groups have more rows than their columns"));
        }
        let null = levels.iter().position(|level| *level < self.of.max_def_level());
        if null.is_none() && values.len() != rows {
            return Err(broken("its columns have fewer values than rows"));
        }
        Ok((values.into_iter().map(value).collect::<Result<_>>()?, null))
    }

    fn name_of_type(&self) -> String {
        if self.of.path().parts().len() > 1 || self.of.max_rep_level() > 0 {
            return "a list, map or struct".to_owned();
        }
        match (self.of.logical_type_ref(), self.of.converted_type()) {
            (Some(logical), _) => format!("{logical:?}"),
            (None, ConvertedType::NONE) => self.of.physical_type().to_string(),
            (None, converted) => converted.to_string(),
        }
    }
}

/// What values mean, by the type that is written for them: today's types first, then those of older writers.
fn meaning(of: &ColumnDescPtr) -> Meaning {
    use {ConvertedType as Converted, LogicalType as Logical};
    let (logical, converted) = (of.logical_type_ref(), of.converted_type());
    match (of.physical_type(), logical, converted) {
        (_, Some(Logical::Decimal(_)), _) | (_, None, Converted::DECIMAL) => Meaning::Decimal,
        (Physical::FIXED_LEN_BYTE_ARRAY, Some(Logical::Float16), _) => Meaning::Half,
        (Physical::INT32 | Physical::INT64, Some(Logical::Integer(IntType { is_signed: false, .. })), _)
        | (
            Physical::INT32 | Physical::INT64,
            None,
            Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64,
        ) => Meaning::Unsigned,
        (Physical::INT32 | Physical::INT64, Some(Logical::Integer(_)), _)
        | (
            Physical::INT32 | Physical::INT64,
            None,
            Converted::NONE | Converted::INT_8 | Converted::INT_16 | Converted::INT_32 | Converted::INT_64,
        ) => Meaning::Whole,
        (Physical::BYTE_ARRAY, Some(Logical::String | Logical::Enum | Logical::Json), _)
        | (
            Physical::BYTE_ARRAY,
            None,
            Converted::NONE | Converted::UTF8 | Converted::ENUM | Converted::JSON,
        ) => Meaning::Text,
        (Physical::BOOLEAN, None, _) => Meaning::Boolean,
        (Physical::FLOAT | Physical::DOUBLE, None, _) => Meaning::Float,
        _ => Meaning::Other,
    }
}

/// A whole number of as many bytes as there are, the greatest first.
fn whole(bytes: &[u8]) -> Result<i128> {
    let mut number = if bytes.first().is_some_and(|byte| *byte >= 0x80) { -1 } else { 0 };
    for byte in bytes {
        let shifted =
            i128::checked_mul(number, 256).ok_or_else(|| broken("a decimal has more than 38 digits"))?;
        number = shifted | i128::from(*byte);
    }
    Ok(number)
}

fn half(bytes: &[u8]) -> Result<f64> {
    let bits = bytes.try_into().map_err(|_| broken("a number of 16 bits has other than 2 bytes"))?;
    Ok(half::f16::from_le_bytes(bits).to_f64())
}

fn broken(said: &str) -> ParquetError {
    ParquetError::General(said.to_owned())
}
