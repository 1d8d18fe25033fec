//! JSON Schemas of all JSON output.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say.

/// The JSON Schema of a list of [`JudgeCheck`](crate::JudgeCheck), as `judge-check`.
///
/// ```
/// let [(name, schema)] = rankgate_judge::SCHEMAS;
/// assert_eq!(name, "judge-check");
/// assert!(schema.contains("\"quadratic_kappa\""));
/// ```
pub const SCHEMAS: [(&str, &str); 1] = [("judge-check", include_str!("../schemas/judge-check.json"))];

#[cfg(all(test, feature = "schemars"))]
mod tests {
    use std::path::Path;

    use crate::JudgeCheck;
    use crate::json::assert_schema;

    #[test]
    fn schemas_are_what_the_types_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        assert_schema::<Vec<JudgeCheck>>(&folder.join("judge-check.json"));
    }
}
