//! The demand of a gate and the result.

use super::coverage::CoverageReport;
use super::row::Row;
use crate::findings::Finding;
use crate::gate::Verdict;
use crate::json::record;

record! {
    /// One gate: its demand, its result, the verdict.
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "schemars", schemars(transform = with_texts))]
    pub struct GateReport {
        /// The test's name.
        pub name: String,
        /// The configuration that is judged.
        pub configuration: String,
        /// Whether it only advises.
        pub advisory: bool,
        /// What came of it.
        pub verdict: Verdict,
        /// The file and the line in which the spec asks for it, if a spec does: `rankgate.yaml:12`.
        pub place?: Option<String>,
        /// The demand and the result.
        pub finding: Finding,
        /// How much of its data is there, if it is not all.
        pub coverage?: Option<CoverageReport>,
        /// Where blessed files have a part in it: what has changed since they were blessed, the retriever aside.
        pub inputs_changed?: Vec<String>,
        /// What to do next, most helpful first: what for, and the command to type or the file to open.
        pub advice: Vec<Row>,
    }
}

impl GateReport {
    /// The file of its spec, and the line.
    pub fn file_and_line(&self) -> Option<(&str, u64)> {
        let (file, line) = self.place.as_deref()?.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }
}

/// Fields that the JSON of a report has beside it: made by the writer, since the model holds no text.
#[cfg(feature = "schemars")]
fn with_texts(schema: &mut schemars::Schema) {
    let message = serde_json::json!({
        "description": "Its message, in lines: the text of the failed test.",
        "type": "string",
    });
    let short_message = serde_json::json!({
        "description": "The same for whoever reads it below the messages of the gates before it: what these say already is \
                        left out, such as a cause that they share. Absent where there is nothing to leave out.",
        "type": "string",
    });
    let warnings = serde_json::json!({
        "description": "What should be known before the verdict is believed; absent where there is nothing.",
        "type": "array",
        "items": {"$ref": "#/$defs/Warning"},
    });
    for (key, value) in [("properties", serde_json::json!({})), ("required", serde_json::json!([]))] {
        schema.ensure_object().entry(key).or_insert(value);
    }
    schema.ensure_object()["properties"]["message"] = message;
    schema.ensure_object()["properties"]["short_message"] = short_message;
    schema.ensure_object()["properties"]["warnings"] = warnings;
    if let Some(required) = schema.ensure_object()["required"].as_array_mut() {
        required.push("message".into());
    }
}
