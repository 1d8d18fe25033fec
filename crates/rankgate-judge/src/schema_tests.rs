//! The schema under `schemas/` is what the types say.

use std::path::Path;

use schemars::generate::SchemaSettings;

use crate::JudgeCheck;

#[test]
fn schemas_are_what_the_types_say() {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<Vec<JudgeCheck>>();
    let made = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/judge-check.json");
    if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap() == made, "schemas/judge-check.json is out of date");
}
