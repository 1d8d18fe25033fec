//! Scores, ranks and grades out of a column.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch};
use arrow_schema::DataType;

/// A row whose number will not do, and why.
pub(super) type Unfit = (Option<usize>, String);

/// An error in a column names the whole column; the caller that knows a row's number names the row.
pub(super) fn of_column(record: &RecordBatch, at: usize) -> impl Fn(Unfit) -> Unfit {
    let name = record.schema_ref().field(at).name().clone();
    move |(row, said)| match row {
        Some(row) => (Some(row), said),
        None => (None, format!("column `{name}`: {said}")),
    }
}

/// The scores of a column. What has no exact place among 64-bit floats is an error, for two scores would tie there
/// that differ; decimals are taken as text is, the nearest. `what` they are called in an error.
pub(super) fn scores(column: &ArrayRef, what: &str) -> Result<Vec<f64>, Unfit> {
    fn integers_of_type<T: ArrowPrimitiveType>(
        column: &ArrayRef,
        what: &str,
        of: impl Fn(T::Native) -> i128,
    ) -> Result<Vec<f64>, Unfit> {
        let exact = |(row, value): (usize, &T::Native)| {
            let value = of(*value);
            let score = value as f64;
            match score as i128 == value || column.is_null(row) {
                true => Ok(score),
                false => Err((Some(row), format!("the {what} {value} has more digits than a float holds"))),
            }
        };
        column.as_primitive::<T>().values().iter().enumerate().map(exact).collect()
    }
    let scores = match column.data_type() {
        DataType::Float64 => column.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Float32 => {
            column.as_primitive::<Float32Type>().values().iter().map(|&s| s.into()).collect()
        }
        DataType::Float16 => {
            column.as_primitive::<Float16Type>().values().iter().map(|s| s.to_f64()).collect()
        }
        DataType::Int8 => integers_of_type::<Int8Type>(column, what, i128::from)?,
        DataType::Int16 => integers_of_type::<Int16Type>(column, what, i128::from)?,
        DataType::Int32 => integers_of_type::<Int32Type>(column, what, i128::from)?,
        DataType::Int64 => integers_of_type::<Int64Type>(column, what, i128::from)?,
        DataType::UInt8 => integers_of_type::<UInt8Type>(column, what, i128::from)?,
        DataType::UInt16 => integers_of_type::<UInt16Type>(column, what, i128::from)?,
        DataType::UInt32 => integers_of_type::<UInt32Type>(column, what, i128::from)?,
        DataType::UInt64 => integers_of_type::<UInt64Type>(column, what, i128::from)?,
        DataType::Decimal32(..) => decimals::<Decimal32Type>(column, what)?,
        DataType::Decimal64(..) => decimals::<Decimal64Type>(column, what)?,
        DataType::Decimal128(..) => decimals::<Decimal128Type>(column, what)?,
        DataType::Decimal256(..) => decimals::<Decimal256Type>(column, what)?,
        other => return Err((None, format!("its type is {other}; {what}s are numbers"))),
    };
    match scores.iter().position(|score| score.is_nan()) {
        Some(row) if column.is_valid(row) => Err((Some(row), format!("the {what} is NaN"))),
        _ => Ok(scores),
    }
}

/// Any numbers of a column; booleans are 0 and 1.
pub(super) fn numbers(column: &ArrayRef) -> Result<Vec<f64>, Unfit> {
    match column.data_type() {
        DataType::Boolean => {
            let column = column.as_boolean();
            Ok((0..column.len()).map(|row| f64::from(u8::from(column.value(row)))).collect())
        }
        _ => scores(column, "score"),
    }
}

/// The nearest floats to decimals.
fn decimals<T: DecimalType>(column: &ArrayRef, what: &str) -> Result<Vec<f64>, Unfit> {
    let column = column.as_primitive::<T>();
    let nearest = |row: usize| {
        let text = column.value_as_string(row);
        text.parse().map_err(|_| (Some(row), format!("the {what} `{text}` is not a number")))
    };
    (0..column.len()).map(nearest).collect()
}

/// The whole numbers of a column, be they written as floats; `what` they are called in an error.
pub(super) fn integers(column: &ArrayRef, what: &str) -> Result<Vec<i64>, Unfit> {
    match column.data_type() {
        DataType::Boolean => {
            let column = column.as_boolean();
            return Ok((0..column.len()).map(|row| i64::from(column.value(row))).collect());
        }
        // Beyond 2^53 a float does not hold them.
        DataType::Int64 => return Ok(column.as_primitive::<Int64Type>().values().to_vec()),
        _ => {}
    }
    let numbers = scores(column, what)?;
    let whole = |(row, number): (usize, f64)| {
        let near = number as i64;
        match near as f64 == number && near.unsigned_abs() < 1 << 53 || column.is_null(row) {
            true => Ok(near),
            false => Err((Some(row), format!("the {what} {number} is not a whole number"))),
        }
    };
    numbers.into_iter().enumerate().map(whole).collect()
}

/// Whether scores of a type are floats of less than 64 bits.
pub(super) fn is_single(kind: &DataType) -> bool {
    matches!(kind, DataType::Float16 | DataType::Float32)
}
