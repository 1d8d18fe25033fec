//! The values of a column as ids, numbers or whole numbers.

use std::borrow::Cow;

use parquet::data_type::{AsBytes, ByteArray};

/// Some rows of a column.
pub(crate) struct Values {
    /// All of them where none is null.
    pub(crate) held: Held,
    /// The first row that is null.
    pub(crate) null: Option<usize>,
}

/// What the rows of a column hold.
pub(crate) enum Held {
    Texts(Vec<ByteArray>),
    Wholes(Vec<i128>),
    /// Booleans as well, as 0 and 1.
    Floats(Vec<f64>),
    /// Whole numbers, and how many of their digits are behind the point.
    Decimals(Vec<i128>, i32),
    /// Neither ids nor numbers: the name of their type.
    Other(String),
}

/// A row whose value does not fit, and why; the whole column if there is no row.
pub(crate) type Unfit = (Option<usize>, String);

/// The ids of a column: text, or whole numbers as their decimal text.
pub(crate) fn ids<'a>(values: &'a Values) -> Result<Vec<Cow<'a, str>>, Unfit> {
    no_nulls(values)?;
    let ids: Vec<Cow<'a, str>> = match &values.held {
        Held::Texts(texts) => {
            let not_text = |row| (Some(row), "the id is not UTF-8".to_owned());
            let text = |text: &'a ByteArray| std::str::from_utf8(text.as_bytes()).map(Cow::Borrowed);
            let texts = texts.iter().enumerate().map(|(row, bytes)| text(bytes).map_err(|_| not_text(row)));
            texts.collect::<Result<_, _>>()?
        }
        Held::Wholes(wholes) | Held::Decimals(wholes, 0) => {
            wholes.iter().map(|whole| whole.to_string().into()).collect()
        }
        Held::Floats(_) | Held::Decimals(..) => {
            return Err(wrong_type("fractions", "ids are text or whole numbers"));
        }
        Held::Other(name) => return Err(wrong_type(name, "ids are text or whole numbers")),
    };
    match ids.iter().position(|id| id.is_empty()) {
        Some(row) => Err((Some(row), "the id is empty".to_owned())),
        None => Ok(ids),
    }
}

/// The numbers of a column. A number that a 64-bit float does not hold exactly is an error, because two scores could tie
/// that differ; decimals become the nearest floats, as text does, and booleans 0 and 1.
pub(crate) fn floats(values: &Values) -> Result<Cow<'_, [f64]>, Unfit> {
    no_nulls(values)?;
    let exact = |(row, &whole): (usize, &i128)| match whole as f64 {
        number if number as i128 == whole => Ok(number),
        _ => Err((Some(row), format!("{whole} has more digits than a float holds"))),
    };
    let numbers = match &values.held {
        Held::Floats(floats) => Cow::Borrowed(floats.as_slice()),
        Held::Wholes(wholes) => wholes.iter().enumerate().map(exact).collect::<Result<_, _>>()?,
        Held::Decimals(wholes, scale) => {
            let nearest = |(row, whole): (usize, &i128)| {
                let text = format!("{whole}e{}", -scale);
                text.parse().map_err(|_| (Some(row), format!("`{text}` is not a number")))
            };
            wholes.iter().enumerate().map(nearest).collect::<Result<_, _>>()?
        }
        Held::Texts(_) => return Err(wrong_type("text", "scores, ranks and grades are numbers")),
        Held::Other(name) => return Err(wrong_type(name, "scores, ranks and grades are numbers")),
    };
    match numbers.iter().position(|number| number.is_nan()) {
        Some(row) => Err((Some(row), "the value is NaN".to_owned())),
        None => Ok(numbers),
    }
}

/// The whole numbers of a column, also if they are written as floats.
pub(crate) fn integers(values: &Values) -> Result<Vec<i64>, Unfit> {
    let whole =
        |(row, &number): (usize, &f64)| match number.fract() == 0.0 && number.abs() < (1_u64 << 53) as f64 {
            true => Ok(number as i64),
            false => Err((Some(row), format!("{number} is not a whole number"))),
        };
    floats(values)?.iter().enumerate().map(whole).collect()
}

fn wrong_type(name: &str, instead: &str) -> Unfit {
    (None, format!("it holds values of the type {name}; {instead}"))
}

fn no_nulls(values: &Values) -> Result<(), Unfit> {
    match values.null {
        Some(row) => Err((Some(row), "the value is null".to_owned())),
        None => Ok(()),
    }
}
