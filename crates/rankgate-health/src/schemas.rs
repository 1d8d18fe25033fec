//! JSON Schemas of JSON output.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say.

/// The JSON Schema of [`ReanchorReport`](crate::ReanchorReport), as `reanchor`.
///
/// ```
/// let [(name, schema)] = rankgate_health::SCHEMAS;
/// assert_eq!(name, "reanchor");
/// assert!(schema.contains("\"lost\""));
/// ```
pub const SCHEMAS: [(&str, &str); 1] = [("reanchor", include_str!("../schemas/reanchor.json"))];

#[cfg(all(test, feature = "schemars"))]
mod tests {
    use std::path::Path;

    use crate::ReanchorReport;
    use crate::json::assert_schema;

    #[test]
    fn schemas_are_what_the_types_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        assert_schema::<ReanchorReport>(&folder.join("reanchor.json"));
    }
}
