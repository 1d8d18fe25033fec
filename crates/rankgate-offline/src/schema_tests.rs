//! The schemas under `schemas/` are what the types say.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use crate::{Comparisons, Explanation, Plan, ScoreComparisons, Scores};

fn schema_of<T: JsonSchema>() -> String {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    format!("{}\n", serde_json::to_string_pretty(&schema).unwrap())
}

#[test]
fn schemas_are_what_the_types_say() {
    for (name, made) in [
        ("compare", schema_of::<Comparisons>()),
        ("compare-scores", schema_of::<ScoreComparisons>()),
        ("eval", schema_of::<Scores>()),
        ("explain", schema_of::<Explanation>()),
        ("power", schema_of::<Plan>()),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../schemas/{name}.json"));
        if std::env::var_os("RANKGATE_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == made, "schemas/{name}.json is out of date");
    }
}
