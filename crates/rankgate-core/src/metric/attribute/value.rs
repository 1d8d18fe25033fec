//! Comparisons of values of metadata. What has different types is never compared.

use serde_json::{Number, Value};

use crate::error::Quoted;
use crate::{Error, Result};

/// A value for messages: `the text `acme``, `the number 7`.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {}", Quoted(text)),
        Value::Array(_) => format!("the list {}", Quoted(&value.to_string())),
        Value::Object(_) => format!("the mapping {}", Quoted(&value.to_string())),
    }
}

/// Whether a value is another one, or one of a list.
pub(super) fn same(value: &Value, wanted: &Value) -> Result<bool> {
    match (value, wanted) {
        (Value::Array(_), _) => Err(Error::invalid(
            "a list is not compared with a value: write each of its values under a key of its own",
        )),
        (_, Value::Array(choices)) => any(choices, |choice| equal(value, choice)),
        _ => equal(value, wanted),
    }
}

/// Whether any of them is. All are looked at: an error does not depend on the order.
fn any(values: &[Value], is: impl Fn(&Value) -> Result<bool>) -> Result<bool> {
    values.iter().try_fold(false, |found, value| Ok(found | is(value)?))
}

fn equal(one: &Value, other: &Value) -> Result<bool> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Ok(one == other),
        (Value::Bool(one), Value::Bool(other)) => Ok(one == other),
        (Value::Number(one), Value::Number(other)) => Ok(same_number(one, other)),
        _ => Err(other_type(other)),
    }
}

/// Numbers by their value: 1 is 1.0, and whole numbers of 64 bits are not rounded.
fn same_number(one: &Number, other: &Number) -> bool {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.as_f64() == other.as_f64(),
    }
}

fn other_type(other: &Value) -> Error {
    Error::invalid(format!("it is of another type than {}, and the two cannot be compared", describe(other)))
}

/// Whether a value may be equal to something, or several may.
pub(super) fn check_choice(operand: &Value) -> Result<()> {
    let choices = match operand {
        Value::Array(choices) => choices.as_slice(),
        one => std::slice::from_ref(one),
    };
    match choices.iter().find(|one| matches!(one, Value::Null | Value::Array(_) | Value::Object(_))) {
        None => Ok(()),
        Some(other) => Err(Error::invalid(format!(
            "a text, a number or true and false, or a list of them, not {}",
            describe(other)
        ))),
    }
}
