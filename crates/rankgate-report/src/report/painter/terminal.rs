//! Plain lines in colour: it takes no room, and no text depends on it.
//!
//! A word or a sign beside each colour says the same.

use crate::model::Verdict;
use crate::report::clean::clean;
use crate::report::page::{Role, Section, Text};

use super::plain::{Widths, lines};

/// How text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Without colour: for files, pipes, and with `NO_COLOR`.
    #[default]
    Plain,
    /// With ANSI escape codes: headings bold, gains green, losses red, verdicts in the colour of what
    /// they mean.
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
pub fn line(text: &Text, style: Style) -> String {
    let mut line = String::new();
    for span in text.spans() {
        let text = clean(&span.text);
        match code(span.role).filter(|_| style == Style::Colour) {
            Some(code) => line += &format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => line += &text,
        }
    }
    line
}

fn code(role: Role) -> Option<&'static str> {
    Some(match role {
        Role::Plain | Role::Number | Role::Code => return None,
        Role::Strong => "1",
        Role::Verdict(Verdict::Passed) => "1;32",
        Role::Verdict(Verdict::Failed | Verdict::Error) => "1;31",
        Role::Verdict(Verdict::Inconclusive | Verdict::Skipped | Verdict::Advisory | Verdict::Reported) => {
            "1;33"
        }
        Role::Gain => "32",
        Role::Loss => "31",
        Role::Warning => "33",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_adds_codes_and_nothing_else() {
        let text = Text::with_role(Role::Verdict(Verdict::Failed), "FAILED")
            .and(": a drop of ")
            .and(Text::with_role(Role::Loss, "-0.1"))
            .and(" \u{1b}[2J");
        assert_eq!(line(&text, Style::Plain), "FAILED: a drop of -0.1 \\u{1b}[2J");
        assert_eq!(
            line(&text, Style::Colour),
            "\u{1b}[1;31mFAILED\u{1b}[0m: a drop of \u{1b}[31m-0.1\u{1b}[0m \\u{1b}[2J"
        );
    }
}
