//! The report for programs.

use crate::model::Report;
use crate::shown::in_json;

/// The whole model as JSON: two blanks of indentation, keys in the order of the model's fields,
/// numbers with all their digits, a newline at the end.
///
/// Reading it back gives the same model, provided that its numbers are finite: JSON has no others,
/// and writes them as `null`.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// let report: Report = serde_json::from_str(example)?;
/// assert_eq!(rankgate::report::json(&report), example);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
#[expect(clippy::expect_used, reason = "the model's maps have strings as keys, and a String takes any text")]
pub fn json(report: &Report) -> String {
    let text = serde_json::to_string_pretty(report).expect("the model is JSON");
    let mut text = in_json(text);
    text.push('\n');
    text
}
