//! Plain lines in colour: it takes no room, and no text depends on it.
//!
//! A word or a sign beside each colour says the same.

use crate::report::clean::clean;
use crate::report::page::Section;

use super::plain::{Widths, lines};

/// How text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Without colour: for files, pipes, and with `NO_COLOR`.
    #[default]
    Plain,
    /// With ANSI escape codes: verdicts and warnings in the colour of what they mean.
    Colour,
}

/// Sections with a blank line between them, a newline at the end.
pub fn page(sections: &[Section], widths: impl Into<Widths>, style: Style) -> String {
    let widths = widths.into();
    let mut page = String::new();
    for lines in sections.iter().map(|section| lines(section, widths)).filter(|lines| !lines.is_empty()) {
        if !page.is_empty() {
            page.push('\n');
        }
        for text in &lines {
            page += &line(text, style);
            page.push('\n');
        }
    }
    page
}

/// One line.
pub fn line(text: &str, style: Style) -> String {
    let text = clean(text);
    if style == Style::Plain {
        return text;
    }
    let start = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
    COLOURS.iter().fold(text.clone(), |line, (word, code)| {
        // A verdict may stand anywhere, and the word before a warning stands first.
        let at = line.find(word).filter(|at| *word != WARNING || *at == start);
        let colour = |at: usize| {
            let (before, behind) = (&line[..at], &line[at + word.len()..]);
            format!("{before}\u{1b}[{code}m{word}\u{1b}[0m{behind}")
        };
        at.map(colour).unwrap_or(line)
    })
}

const WARNING: &str = "warning:";
const COLOURS: [(&str, &str); 8] = [
    ("PASSED", "1;32"),
    ("FAILED", "1;31"),
    ("ERROR", "1;31"),
    ("INCONCLUSIVE", "1;33"),
    ("SKIPPED", "1;33"),
    ("ADVISORY", "1;33"),
    ("REPORTED", "1;33"),
    (WARNING, "33"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_adds_codes_and_nothing_else() {
        let text = "FAILED: a drop of -0.1 \u{1b}[2J";
        assert_eq!(line(text, Style::Plain), "FAILED: a drop of -0.1 \\u{1b}[2J");
        assert_eq!(line(text, Style::Colour), "\u{1b}[1;31mFAILED\u{1b}[0m: a drop of -0.1 \\u{1b}[2J");
    }
}
