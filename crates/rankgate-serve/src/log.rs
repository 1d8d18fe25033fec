//! The log: one line of JSON for each event, on standard error. It never contains a token or a body.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

/// Writes one event.
pub(crate) fn event(name: &str, fields: &[(&str, Value)]) {
    let mut line = Map::new();
    line.insert("time".to_owned(), (micros() / 1_000).into());
    line.insert("event".to_owned(), name.into());
    line.extend(fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
    // A log that nobody reads any more stops no request.
    let _ = writeln!(std::io::stderr().lock(), "{}", Value::Object(line));
}

/// Microseconds since 1970.
pub(crate) fn micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
