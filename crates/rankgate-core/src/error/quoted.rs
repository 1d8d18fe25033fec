//! Text from data within a message.

use std::fmt;
use std::path::Path;

use crate::shown::is_unfit;

/// Offending text is quoted up to this many characters.
const QUOTE: usize = 80;

/// A file's name on one line: archives and branches bring names with anything in them.
pub(super) struct Named<'a>(pub(super) &'a Path);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().to_string().chars().try_for_each(|c| show(c, f))
    }
}

/// Text from data, between backticks, shortened, with control characters made visible so that it
/// cannot move a terminal's cursor.
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Excerpt(self.0, QUOTE).fmt(f)
    }
}

/// The same with another limit: for an answer that explains itself in its own words.
pub struct Excerpt<'a>(pub &'a str, pub usize);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`")?;
        let mut rest = self.0.chars();
        for c in rest.by_ref().take(self.1) {
            show(c, f)?;
        }
        f.write_str("`")?;
        if rest.next().is_some() {
            f.write_str("...")?;
        }
        Ok(())
    }
}

/// A character, made visible where it would not stay in its place.
fn show(c: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if is_unfit(c) { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_shortened() {
        assert_eq!(Quoted(&"x".repeat(100)).to_string(), format!("`{}`...", "x".repeat(80)));
    }
}
