//! GitHub-flavoured Markdown.
//!
//! Nothing that data holds can end a table, a code block or a folded section, or mention anybody.

use crate::model::Verdict;
use crate::report::clean::{clean, plain};
use crate::report::page::{Block, Kind, Section, Table};
use crate::report::verdict::word;

/// Columns of a code block that a reader sees without scrolling.
const WIDTH: usize = 100;

/// A page in parts, each of which can be left out without harm to the others: a folded section is one part.
pub fn parts(sections: &[Section]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for section in sections {
        let heading = escape(&section.heading);
        let start = match section.kind {
            _ if heading.is_empty() => None,
            Kind::Title => Some(format!("## {heading}")),
            Kind::Part | Kind::Nested => Some(format!("### {heading}")),
            Kind::Message | Kind::Folded => Some(format!("<details><summary>{heading}</summary>")),
        };
        let blocks: Vec<String> = match section.kind {
            // Its columns stand only in a code block.
            Kind::Message => vec![fenced(&super::message(section, WIDTH))],
            Kind::Title | Kind::Part | Kind::Nested | Kind::Folded => {
                let blocks = section.parts.iter().flatten().map(block).filter(|block| !block.is_empty());
                blocks.fold(Vec::new(), with_items_together)
            }
        };
        if !matches!(section.kind, Kind::Message | Kind::Folded) {
            parts.extend(start.into_iter().chain(blocks));
        } else if start.is_some() && !blocks.is_empty() {
            // Markdown inside of a folded section needs blank lines around it.
            let all = start.into_iter().chain(blocks).chain(["</details>".to_owned()]);
            parts.push(all.collect::<Vec<_>>().join("\n\n"));
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
        Block::Line(text) => escape(text),
        Block::Text { lead, text, .. } if lead == ITEM => format!("{ITEM}{}", escape(text)),
        Block::Text { lead, text, .. } if lead.is_empty() => escape(text),
        Block::Text { lead, text, .. } => format!("> {}{}", escape(lead), escape(text)),
        Block::Table(one) => table(one),
        Block::Preformatted { text, .. } => fenced(&plain(text)),
        Block::Queries(_) => fenced(&super::message(&Section::from_blocks([block.clone()]), WIDTH)),
    }
}

/// Adds a block; items of one list stand in one.
fn with_items_together(mut blocks: Vec<String>, block: String) -> Vec<String> {
    match blocks.last_mut().filter(|last| last.starts_with(ITEM) && block.starts_with(ITEM)) {
        Some(list) => *list += &format!("\n{block}"),
        None => blocks.push(block),
    }
    blocks
}

/// What stands before an item of a list.
const ITEM: &str = "- ";

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let columns = table.widths().len();
    let rule = |column| if table.right.contains(&column) { "---:" } else { "---" }.to_owned();
    let rule = line((0..columns).map(rule).collect());
    let row = |cells: &[String]| {
        let is_verdict =
            |cell: &str| Verdict::ALL.into_iter().any(|one| one != Verdict::Passed && word(one) == cell);
        let cells = cells.iter().map(|cell| escape(cell).trim().to_owned());
        let cells = cells.map(|cell| if is_verdict(&cell) { format!("**{cell}**") } else { cell });
        line(cells.chain(std::iter::repeat(String::new())).take(columns).collect())
    };
    let mut lines = vec![row(&table.header), rule];
    lines.extend(table.rows.iter().map(|cells| row(cells)));
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
/// something, so that the file itself reads well. What forges make of the text afterwards, mentions, references and
/// links, no entity keeps them from: an empty comment does, which nobody sees.
pub fn escape(text: &str) -> String {
    let text: Vec<char> = clean(text).chars().collect();
    let mut escaped = String::with_capacity(text.len());
    for (at, &c) in text.iter().enumerate() {
        let next = text.get(at + 1).copied();
        let previous = at.checked_sub(1).map(|before| text[before]);
        let special = match c {
            '|' | '`' | '\\' | '~' | '$' => true,
            // Between blanks it is a sign.
            '*' => !(is_blank(previous) && is_blank(next)),
            // Tags begin with a letter, entities with one or a `#`, and quotations a line.
            '<' => is_alphanumeric(next) || matches!(next, Some('/' | '!' | '?')),
            '&' => is_alphanumeric(next) || next == Some('#'),
            '>' => previous.is_none(),
            // Links and images; brackets of an interval or a segment are none.
            ']' => matches!(next, Some('(' | ':')),
            '[' => matches!(next, Some('^' | ']')) || previous == Some('!'),
            // Inside a word, as in `R_cap@10`, it has no meaning; elsewhere it emphasizes.
            '_' => !is_alphanumeric(previous),
            _ => false,
        };
        if special {
            escaped += &format!("&#{};", u32::from(c));
        } else {
            escaped.push(c);
        }
        if begins_reference(previous, c, &text[at + 1..]) {
            escaped += "<!-- -->";
        }
    }
    escaped
}

fn is_alphanumeric(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphanumeric)
}

fn is_blank(c: Option<char>) -> bool {
    c.is_none_or(char::is_whitespace)
}

/// Whether a forge links or mentions what stands here, unless a comment behind the character keeps it from that.
///
/// Source: "Autolinked references and URLs" of GitHub's documentation, "GitLab-specific references" of GitLab's, and the
/// extended autolinks of GitHub Flavored Markdown 0.29, section 6.9.
fn begins_reference(previous: Option<char>, c: char, behind: &[char]) -> bool {
    let begins = !is_alphanumeric(previous);
    let next = behind.first().copied();
    let is_digit = next.is_some_and(|c| c.is_ascii_digit());
    let is_behind = |letter: char| previous.is_some_and(|c| c.eq_ignore_ascii_case(&letter));
    match c {
        // Somebody's name; `nDCG@10` is none.
        '@' => begins && !is_blank(next),
        // `#12`, `acme/web#12`, and GitLab's merge requests.
        '#' => is_digit || (begins && !is_blank(next)),
        '!' => is_digit,
        // `GH-12`.
        '-' => is_digit && is_behind('h'),
        // `https://example.org`, whatever the scheme, and `www.example.org`.
        ':' => !begins && behind.starts_with(&['/', '/']),
        'w' | 'W' => next == Some('.') && is_behind('w'),
        _ => false,
    }
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

    /// Where `-` stands a comment does; what has none is no reference.
    #[test]
    fn forges_link_nothing_that_data_says() {
        for (text, expected) in [
            ("acme/web#12 x#1", "acme/web#-12 x#-1"),
            ("GH-12, gh-7, high and GH- 1", "GH--12, gh--7, high and GH- 1"),
            ("!12 a!3 95% of 5%3", "!-12 a!-3 95% of 5%3"),
            ("https://e.org http://x ftp://y a: //b", "https:-//e.org http:-//x ftp:-//y a: //b"),
            ("www.e.org, ew.e WWW.x", "www-.e.org, ew.e WWW-.x"),
            ("nDCG@10. R@10.5 x@y @a", "nDCG@10. R@10.5 x@y @-a"),
        ] {
            assert_eq!(escape(text).replace("<!-- -->", "-"), expected);
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
