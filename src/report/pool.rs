//! A pool as JSON lines, ready to be judged.

use crate::benchmark::Pool;

use crate::shown::in_json;

/// One document a line, with its query, its text, the ranks at which configurations returned it, and a
/// grade of `null` to be replaced.
#[must_use]
#[expect(clippy::expect_used, reason = "the keys are strings, and a String takes any text")]
pub fn pool_lines(pool: &Pool) -> String {
    let mut lines = String::new();
    for entry in &pool.entries {
        lines += &in_json(serde_json::to_string(entry).expect("an entry is JSON"));
        lines.push('\n');
    }
    lines
}
