//! Ids and numbers out of a column.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, StringArray};
use arrow_schema::DataType;

/// A row whose value does not fit, and why; the whole column if there is no row.
pub(crate) type Unfit = (Option<usize>, String);

/// The ids of a column: text, or whole numbers as their decimal text.
pub(crate) fn ids(column: &ArrayRef) -> Result<StringArray, Unfit> {
    fn integers<T: ArrowPrimitiveType>(column: &ArrayRef) -> StringArray
    where
        T::Native: ToString,
    {
        StringArray::from_iter_values(column.as_primitive::<T>().values().iter().map(ToString::to_string))
    }
    no_nulls(column)?;
    let ids = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().clone(),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().collect(),
        DataType::Binary => {
            let texts =
                column.as_binary::<i32>().iter().map(|bytes| std::str::from_utf8(bytes.unwrap_or_default()));
            let texts = texts.collect::<Result<Vec<_>, _>>();
            StringArray::from_iter_values(texts.map_err(|_| (None, "an id is not UTF-8".to_owned()))?)
        }
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
        other => return Err((None, format!("its type is {other}; ids are text or whole numbers"))),
    };
    match (0..ids.len()).find(|&row| ids.value(row).is_empty()) {
        Some(row) => Err((Some(row), "the id is empty".to_owned())),
        None => Ok(ids),
    }
}

/// The numbers of a column. A number that a 64-bit float does not hold exactly is an error, because two scores could tie
/// that differ; decimals become the nearest floats, as text does, and booleans 0 and 1.
pub(crate) fn floats(column: &ArrayRef) -> Result<Vec<f64>, Unfit> {
    fn integers<T: ArrowPrimitiveType>(column: &ArrayRef) -> Result<Vec<f64>, Unfit>
    where
        T::Native: Into<i128>,
    {
        let exact = |(row, value): (usize, &T::Native)| {
            let value: i128 = (*value).into();
            let number = value as f64;
            match number as i128 == value {
                true => Ok(number),
                false => Err((Some(row), format!("{value} has more digits than a float holds"))),
            }
        };
        column.as_primitive::<T>().values().iter().enumerate().map(exact).collect()
    }
    no_nulls(column)?;
    let numbers = match column.data_type() {
        DataType::Float64 => column.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Float32 => {
            column.as_primitive::<Float32Type>().values().iter().map(|&n| n.into()).collect()
        }
        DataType::Float16 => {
            column.as_primitive::<Float16Type>().values().iter().map(|n| n.to_f64()).collect()
        }
        DataType::Boolean => column.as_boolean().values().iter().map(|is| f64::from(u8::from(is))).collect(),
        DataType::Int8 => integers::<Int8Type>(column)?,
        DataType::Int16 => integers::<Int16Type>(column)?,
        DataType::Int32 => integers::<Int32Type>(column)?,
        DataType::Int64 => integers::<Int64Type>(column)?,
        DataType::UInt8 => integers::<UInt8Type>(column)?,
        DataType::UInt16 => integers::<UInt16Type>(column)?,
        DataType::UInt32 => integers::<UInt32Type>(column)?,
        DataType::UInt64 => integers::<UInt64Type>(column)?,
        DataType::Decimal32(..) => decimals::<Decimal32Type>(column)?,
        DataType::Decimal64(..) => decimals::<Decimal64Type>(column)?,
        DataType::Decimal128(..) => decimals::<Decimal128Type>(column)?,
        DataType::Decimal256(..) => decimals::<Decimal256Type>(column)?,
        other => return Err((None, format!("its type is {other}, which is not a type of numbers"))),
    };
    match numbers.iter().position(|number| number.is_nan()) {
        Some(row) => Err((Some(row), "the value is NaN".to_owned())),
        None => Ok(numbers),
    }
}

fn decimals<T: DecimalType>(column: &ArrayRef) -> Result<Vec<f64>, Unfit> {
    let column = column.as_primitive::<T>();
    let nearest = |row: usize| {
        let text = column.value_as_string(row);
        text.parse().map_err(|_| (Some(row), format!("`{text}` is not a number")))
    };
    (0..column.len()).map(nearest).collect()
}

/// The whole numbers of a column, also if they are written as floats.
pub(crate) fn integers(column: &ArrayRef) -> Result<Vec<i64>, Unfit> {
    let whole =
        |(row, number): (usize, f64)| match number.fract() == 0.0 && number.abs() < (1_u64 << 53) as f64 {
            true => Ok(number as i64),
            false => Err((Some(row), format!("{number} is not a whole number"))),
        };
    floats(column)?.into_iter().enumerate().map(whole).collect()
}

fn no_nulls(column: &ArrayRef) -> Result<(), Unfit> {
    match (0..column.len()).find(|&row| column.null_count() > 0 && column.is_null(row)) {
        Some(row) => Err((Some(row), "the value is null".to_owned())),
        None => Ok(()),
    }
}
