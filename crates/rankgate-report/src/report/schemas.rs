//! JSON Schemas of all JSON output.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say.

/// The JSON Schema of a benchmark's [`Report`](crate::benchmark::model::Report), as `report`. That of a spec is
/// `rankgate::spec::json_schema`.
///
/// ```
/// let [(name, schema)] = rankgate::report::SCHEMAS;
/// assert_eq!(name, "report");
/// assert!(schema.contains("\"gates\""));
/// ```
pub const SCHEMAS: [(&str, &str); 1] = [("report", include_str!("../../schemas/report.json"))];

#[cfg(all(test, feature = "schemars"))]
mod tests {
    use std::path::Path;

    use crate::json::assert_schema;
    use crate::model::Report;

    #[test]
    fn schemas_are_what_the_types_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        assert_schema::<Report>(&folder.join("report.json"));
    }
}
