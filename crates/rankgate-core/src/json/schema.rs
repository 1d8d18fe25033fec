//! JSON Schemas, made from types and held to files.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

/// Checks that a file holds the JSON Schema of a type under the address that it is published at, for the tests of this
/// workspace. With `RANKGATE_WRITE_SCHEMAS` set
/// in the environment it writes the file.
///
/// # Panics
///
/// When the file holds another schema, or cannot be read or written.
pub fn assert_schema<T: JsonSchema>(path: &Path) {
    let mut schema =
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    schema.insert("$id".to_owned(), format!("{}/schemas/{name}", env!("CARGO_PKG_HOMEPAGE")).into());
    let made = serde_json::to_string_pretty(&schema).map(|text| format!("{text}\n"));
    let made = made.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some()
        && let Err(error) = std::fs::write(path, &made)
    {
        panic!("{}: {error}", path.display());
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == made, "{} is out of date: set RANKGATE_WRITE_SCHEMAS=1 and test again", path.display());
}
