//! Faults of other files that a spec names.

use crate::error::chain;

/// The fault of the other file in a line, such as `has an error in line 3: unknown key`.
pub(super) fn fault(error: &crate::Error) -> String {
    let Some(problems) = error.yaml_problems() else {
        return format!("cannot be read: {}", chain(error));
    };
    let all = problems.iter().count();
    let first = problems.iter().next().map(|one| format!("line {}: {}", one.line(), one.message()));
    let more = if all > 1 { format!(", and {} more", all - 1) } else { String::new() };
    format!("has an error in {}{more}", first.unwrap_or_default())
}
