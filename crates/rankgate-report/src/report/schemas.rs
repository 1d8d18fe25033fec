//! JSON Schemas of all JSON output.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say.

/// The JSON Schema of a benchmark's [`Report`](crate::benchmark::model::Report), as `report`. That of a spec is
/// `rankgate::spec::SPEC_SCHEMA`.
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

    use schemars::generate::SchemaSettings;

    use crate::model::Report;

    /// With `RANKGATE_WRITE_SCHEMAS` set in the environment it writes the file.
    #[test]
    fn schemas_are_what_the_types_say() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/report.json");
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let mut schema = settings.into_generator().into_root_schema_for::<Report>();
        schema.insert("$id".to_owned(), concat!(env!("CARGO_PKG_HOMEPAGE"), "/schemas/report.json").into());
        let made = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == made, "it is out of date: set RANKGATE_WRITE_SCHEMAS=1 and test again");
    }
}
