//! The report for programs.

use serde::Serialize;

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
    document(report).expect("the model is JSON")
}

/// A model as a document: two blanks of indentation, nothing that moves a cursor, a newline at the end.
///
/// Indented after it was written: a writer of its own for each layout would be the models' code once more.
pub(super) fn document<T: Serialize + ?Sized>(model: &T) -> serde_json::Result<String> {
    Ok(in_json(indented(&serde_json::to_string(model)?)))
}

/// JSON without blanks, laid out as `serde_json::to_string_pretty` does.
fn indented(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 2);
    let (mut depth, mut within, mut escaped) = (0, false, false);
    let line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    };
    let mut characters = json.chars().peekable();
    while let Some(c) = characters.next() {
        if within {
            text.push(c);
            within = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                text.push(c);
                if let Some(end) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(end);
                } else {
                    depth += 1;
                    line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                line(&mut text, depth);
            }
            ':' => text += ": ",
            _ => {
                text.push(c);
                within = c == '"';
            }
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_laid_out_as_by_the_library() {
        let value = serde_json::json!({
            "a": [], "b": {}, "c": [1, [2.5, null], {"d": "x: [\"y\\\\\", {}]\\", "é\n": true}], "d": "\\\"",
        });
        let pretty = format!("{}\n", serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(indented(&value.to_string()), pretty);
        for value in [serde_json::json!(1), serde_json::json!([]), serde_json::json!("a,b")] {
            assert_eq!(indented(&value.to_string()), format!("{value}\n"));
        }
    }
}
