//! JSON Schemas of all JSON output.
//!
//! The files under `schemas/` are made from the types, documentation included; a test fails where they
//! are no longer what the types say.

/// The JSON Schemas of this crate's models, by the names of what they describe: [`Comparisons`](crate::Comparisons),
/// [`ScoreComparisons`](crate::ScoreComparisons), [`Leaderboards`](crate::Leaderboards), [`Scores`](crate::Scores), [`Explanation`](crate::Explanation),
/// [`Plan`](crate::Plan) and [`SuitePlan`](crate::SuitePlan).
///
/// ```
/// let (name, schema) = rankgate_offline::SCHEMAS[0];
/// assert_eq!(name, "compare");
/// assert!(schema.contains("\"p_two_sided\""));
/// ```
pub const SCHEMAS: [(&str, &str); 7] = [
    ("compare", include_str!("../schemas/compare.json")),
    ("compare-scores", include_str!("../schemas/compare-scores.json")),
    ("compare-leaderboard", include_str!("../schemas/compare-leaderboard.json")),
    ("eval", include_str!("../schemas/eval.json")),
    ("explain", include_str!("../schemas/explain.json")),
    ("power", include_str!("../schemas/power.json")),
    ("power-suite", include_str!("../schemas/power-suite.json")),
];

#[cfg(all(test, feature = "schemars"))]
mod tests {
    use std::path::Path;

    use crate::json::assert_schema;
    use crate::{Comparisons, Explanation, Leaderboards, Plan, ScoreComparisons, Scores, SuitePlan};

    #[test]
    fn schemas_are_what_the_types_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        assert_schema::<Comparisons>(&folder.join("compare.json"));
        assert_schema::<ScoreComparisons>(&folder.join("compare-scores.json"));
        assert_schema::<Leaderboards>(&folder.join("compare-leaderboard.json"));
        assert_schema::<Scores>(&folder.join("eval.json"));
        assert_schema::<Explanation>(&folder.join("explain.json"));
        assert_schema::<Plan>(&folder.join("power.json"));
        assert_schema::<SuitePlan>(&folder.join("power-suite.json"));
    }
}
