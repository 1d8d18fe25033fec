//! Values in columns, as JSON.

use serde::{Deserialize, Serialize};

use crate::store::{StoreError, Stored};

/// Writes a value into a column.
pub(crate) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Reads it from there.
pub(crate) fn from_json<T: for<'a> Deserialize<'a>>(text: &str) -> Stored<T> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::new(format!("the database holds what cannot be read: {error}")))
}
