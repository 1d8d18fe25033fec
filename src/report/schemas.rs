//! JSON Schemas of what is written as JSON.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say, and `RANKGATE_WRITE_SCHEMAS=1 cargo test schemas` writes them anew.

/// The JSON Schemas that ship with the crate, by the names of what they describe: `compare`, `compare-scores`, `eval`,
/// `explain`, `power` for the models of `rankgate-offline`, `history` for what happened over commits, `judge-check` for what can be said of a judge, `report` for a benchmark's
/// [`Report`](crate::benchmark::model::Report). That of a spec is
/// [`json_schema`](crate::spec::json_schema).
///
/// ```
/// let (name, schema) = rankgate::report::SCHEMAS[0];
/// assert_eq!(name, "compare");
/// assert!(schema.contains("\"p_two_sided\""));
/// ```
pub const SCHEMAS: [(&str, &str); 8] = [
    ("compare", include_str!("../../schemas/compare.json")),
    ("compare-scores", include_str!("../../schemas/compare-scores.json")),
    ("eval", include_str!("../../schemas/eval.json")),
    ("explain", include_str!("../../schemas/explain.json")),
    ("history", include_str!("../../schemas/history.json")),
    ("judge-check", include_str!("../../schemas/judge-check.json")),
    ("power", include_str!("../../schemas/power.json")),
    ("report", include_str!("../../schemas/report.json")),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn schemas_are_what_the_types_say() {
        use super::SCHEMAS;
        use crate::model::Report;

        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<Report>();
        let made = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        // The others are looked after where their types are.
        for (name, kept) in SCHEMAS.iter().filter(|(name, _)| *name == "report") {
            if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some() {
                std::fs::write(folder.join(format!("{name}.json")), &made).unwrap();
                continue;
            }
            assert!(*kept == made, "schemas/{name}.json is out of date: see src/report/schemas.rs");
        }
    }

    /// What editors read of the examples, as the first lines of their specs say.
    #[test]
    #[cfg(all(feature = "bm25", feature = "datasets", feature = "http"))]
    fn schemas_of_specs_are_what_the_keys_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        for (name, made) in [("spec", crate::spec::json_schema()), ("suite", crate::spec::suite_schema())] {
            let path = folder.join(format!("{name}.json"));
            let made = format!("{made:#}\n");
            if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some() {
                std::fs::write(&path, &made).unwrap();
            }
            assert!(std::fs::read_to_string(&path).unwrap() == made, "{} is out of date", path.display());
        }
    }
}
