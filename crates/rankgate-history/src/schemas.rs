//! JSON Schemas of all JSON output.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say.

/// The JSON Schema of [`Histories`](crate::Histories), as `history`.
///
/// ```
/// let [(name, schema)] = rankgate_history::SCHEMAS;
/// assert_eq!(name, "history");
/// assert!(schema.contains("\"alarms\""));
/// ```
pub const SCHEMAS: [(&str, &str); 1] = [("history", include_str!("../schemas/history.json"))];

#[cfg(all(test, feature = "schemars"))]
mod tests {
    use std::path::Path;

    use crate::Histories;
    use crate::json::assert_schema;

    #[test]
    fn schemas_are_what_the_types_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        assert_schema::<Histories>(&folder.join("history.json"));
    }
}
