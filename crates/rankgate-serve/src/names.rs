//! Names and texts that are taken.

use crate::problem::{Answer, Problem};

/// Bytes of a name that somebody gives.
const NAME: usize = 60;

/// Refuses names that would be hard to write into an address, and text that not every database holds.
pub(crate) fn checked_name<'a>(what: &str, name: &'a str) -> Answer<&'a str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) || name.starts_with('.') {
        let detail = format!(
            "{name:?} is no name of a {what}: letters of ASCII, digits, `-`, `_` and `.`, at most 64"
        );
        return Err(Problem::invalid(detail));
    }
    Ok(name)
}

/// The same for text that is shown.
pub(crate) fn checked_text(pointer: &str, text: &str, longest: usize) -> Answer<()> {
    if text.contains('\0') {
        return Err(Problem::at(pointer, "a NUL character is no text"));
    }
    if text.len() > longest {
        return Err(Problem::at(pointer, format!("it has {} bytes; at most {longest} are kept", text.len())));
    }
    Ok(())
}

pub(crate) fn checked_who(who: &str) -> Answer<&str> {
    let who = who.trim();
    if who.is_empty() || who.len() > NAME || who.contains(char::is_control) {
        return Err(Problem::at("/who", format!("a name has 1 to {NAME} bytes, and no control characters")));
    }
    Ok(who)
}
