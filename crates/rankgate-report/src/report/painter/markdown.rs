//! GitHub-flavoured Markdown.
//!
//! Nothing that data holds can end a table, a code block or a folded section, or mention anybody.

use crate::model::Verdict;
use crate::report::clean::{clean, plain};
use crate::report::page::{Block, Kind, Role, Section, Span, Table, Text};

/// Columns of a code block that a reader sees without scrolling.
const WIDTH: usize = 100;

/// A page in parts, each of which can be left out without harm to the others: a folded section is one part.
pub fn parts(sections: &[Section]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for section in sections {
        let heading: String = section.heading.spans().iter().map(|span| escape(&span.text)).collect();
        let start = match section.kind {
            _ if heading.is_empty() => None,
            Kind::Title => Some(format!("## {heading}")),
            Kind::Part | Kind::Message | Kind::Nested => Some(format!("### {heading}")),
            Kind::Folded => Some(format!("<details><summary>{heading}</summary>")),
        };
        let blocks = section.parts.iter().flatten().map(block).filter(|block| !block.is_empty());
        let blocks = start.into_iter().chain(blocks);
        match section.kind {
            // Markdown inside of a folded section needs blank lines around it.
            Kind::Folded => {
                parts.push(blocks.chain(["</details>".to_owned()]).collect::<Vec<_>>().join("\n\n"))
            }
            Kind::Title | Kind::Part | Kind::Message | Kind::Nested => parts.extend(blocks),
        }
    }
    let apart = |(index, part): (usize, String)| {
        let lines: Vec<&str> = part.lines().map(str::trim_end).collect();
        format!("{}{}\n", if index == 0 { "" } else { "\n" }, lines.join("\n"))
    };
    parts.into_iter().enumerate().map(apart).collect()
}

fn block(block: &Block) -> String {
    match block {
        Block::Paragraph { text, .. } | Block::Line(text) => inline(text),
        Block::Hanging { lead, text, .. } => format!("> {}{}", inline(lead), inline(text)),
        Block::List(items) => {
            items.iter().map(|item| format!("- {}", inline(item))).collect::<Vec<_>>().join("\n")
        }
        Block::Table(one) => table(one),
        Block::Preformatted { text, .. } => fenced(&plain(&text.to_string())),
        Block::Facts(_) | Block::Steps(_) | Block::Queries(_) => {
            fenced(&super::message(&Section::from_blocks([block.clone()]), WIDTH))
        }
    }
}

/// What a gate says, whose columns stand only in a code block.
pub fn message(section: &Section) -> Block {
    Block::preformatted(super::message(section, WIDTH), usize::MAX)
}

fn inline(text: &Text) -> String {
    let span = |Span { text, role }: &Span| match role {
        Role::Strong | Role::Caution => format!("**{}**", escape(text)),
        Role::Verdict(verdict) if *verdict != Verdict::Passed => format!("**{}**", escape(text)),
        Role::Plain | Role::Verdict(_) | Role::Gain | Role::Loss | Role::Number => escape(text),
        Role::Code => text.clone(),
    };
    text.spans().iter().map(span).collect()
}

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let rule = |column| if table.right.contains(&column) { "---:" } else { "---" }.to_owned();
    let rule = line((0..table.header.len()).map(rule).collect());
    let mut lines: Vec<String> =
        table.cells().map(|cells| line(cells.iter().map(inline).collect())).collect();
    lines.insert(1, rule);
    lines.join("\n")
}

/// A code block whose fence is longer than any that the text holds.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}text\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// Text from data as Markdown that shows it: inside a paragraph, a table's cell or a summary.
///
/// Entities instead of backslashes, as they work in all three; and only where a character would mean
/// something, so that the file itself reads well.
pub fn escape(text: &str) -> String {
    let text = clean(text);
    let mut escaped = String::with_capacity(text.len());
    let mut previous = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let alphanumeric = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let special = match c {
            '|' | '`' | '\\' | '~' | '$' => true,
            // Between blanks it is a sign.
            '*' => !(blank(previous) && blank(next)),
            // Tags begin with a letter, entities with one or a `#`, and quotations a line.
            '<' => alphanumeric(next) || matches!(next, Some('/' | '!' | '?')),
            '&' => alphanumeric(next) || next == Some('#'),
            '>' => previous.is_none(),
            // Links and images; brackets of an interval or a segment are none.
            ']' => matches!(next, Some('(' | ':')),
            '[' => matches!(next, Some('^' | ']')) || previous == Some('!'),
            // Inside a word, as in `R_cap@10`, it has no meaning; elsewhere it emphasizes.
            '_' => !alphanumeric(previous),
            _ => false,
        };
        match c {
            _ if special => escaped += &format!("&#{};", u32::from(c)),
            // These mention somebody and link to an issue. The empty comment keeps GitHub from it.
            '@' | '#' if !alphanumeric(previous) && !blank(next) => {
                escaped.push(c);
                escaped += "<!-- -->";
            }
            other => escaped.push(other),
        }
        previous = Some(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_shown_and_does_nothing() {
        for (text, expected) in [
            ("nDCG@10", "nDCG@10"),
            ("R_cap@10", "R_cap@10"),
            ("a|b", "a&#124;b"),
            ("`x`", "&#96;x&#96;"),
            ("</details>", "&#60;/details>"),
            ("> quoted", "&#62; quoted"),
            ("0.53 < 0.60 & more [0.1, 0.2] * 2 (a=b) !", "0.53 < 0.60 & more [0.1, 0.2] * 2 (a=b) !"),
            ("&lt; &#60; <!--", "&#38;lt; &#38;#<!-- -->60; &#60;!--"),
            ("[a]: b [c][d] [^1] ![e](f)", "[a&#93;: b [c][d] &#91;^1] !&#91;e&#93;(f)"),
            ("a\nb", "a&#92;nb"),
            ("ask @anna about #12", "ask @<!-- -->anna about #<!-- -->12"),
            ("*a* _b_ [c](d) $e$", "&#42;a&#42; &#95;b_ [c&#93;(d) &#36;e&#36;"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        for (text, fence) in [("plain", "```"), ("a `b` c", "```"), ("````\n", "`````")] {
            let said = Section::from_blocks([Block::preformatted(text, usize::MAX)]);
            assert_eq!(
                parts(&[said]).concat(),
                format!("{fence}text\n{text}\n{fence}\n").replace("\n\n", "\n")
            );
        }
    }
}
