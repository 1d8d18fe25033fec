//! JSON Schemas of JSON output.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say.

/// The JSON Schemas of [`ReanchorReport`](crate::ReanchorReport), as `reanchor`, and of a list of
/// [`FloorReport`](crate::FloorReport), as `floor`, and of [`TuneReport`](crate::TuneReport), as `tune`.
///
/// ```
/// let [(name, schema), (other, _), (last, _)] = rankgate_health::SCHEMAS;
/// assert_eq!((name, other, last), ("reanchor", "floor", "tune"));
/// assert!(schema.contains("\"lost\""));
/// ```
pub const SCHEMAS: [(&str, &str); 3] = [
    ("reanchor", include_str!("../schemas/reanchor.json")),
    ("floor", include_str!("../schemas/floor.json")),
    ("tune", include_str!("../schemas/tune.json")),
];

#[cfg(all(test, feature = "schemars"))]
mod tests {
    use std::path::Path;

    use crate::json::assert_schema;
    use crate::{FloorReport, ReanchorReport, TuneReport};

    #[test]
    fn schemas_are_what_the_types_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        assert_schema::<ReanchorReport>(&folder.join("reanchor.json"));
        assert_schema::<Vec<FloorReport>>(&folder.join("floor.json"));
        assert_schema::<Vec<TuneReport>>(&folder.join("tune.json"));
    }
}
