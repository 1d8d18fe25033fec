//! GitHub-flavoured Markdown.
//!
//! Nothing that data holds can end a table, a code block or a folded section, or mention anybody.

use crate::model::Verdict;
use crate::report::clean::{clean, plain};
use crate::report::page::{Block, Kind, Row, Section, Table};
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
    lines.extend(table.rows.iter().map(|one| match one {
        Row::Cells(cells) => row(cells),
        Row::Common(text) => row(std::slice::from_ref(text)),
    }));
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
    let mut comments = reference_breaks(&text).into_iter().peekable();
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
        if comments.next_if_eq(&at).is_some() {
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

/// Digits of a commit's id that forges know it by.
const SHORT_ID: usize = 7;

/// The places behind which a comment keeps a forge from linking or mentioning what stands there, in their order.
///
/// Source: "Autolinked references and URLs" of GitHub's documentation, "GitLab-specific references" of GitLab's, and the
/// extended autolinks of GitHub Flavored Markdown 0.29, section 6.9.
fn reference_breaks(text: &[char]) -> Vec<usize> {
    let at = |place: usize| text.get(place).copied();
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let starts = |place: usize, word: &str| {
        word.chars()
            .enumerate()
            .all(|(offset, own)| at(place + offset).is_some_and(|c| c.eq_ignore_ascii_case(&own)))
    };
    let mut breaks = Vec::new();
    let mut id = 0..0;
    for (place, &c) in text.iter().enumerate() {
        let (previous, next) = (place.checked_sub(1).and_then(at), at(place + 1));
        let begins = !is_alphanumeric(previous);
        let breaks_here = match c {
            // Somebody's name, and the server of an address; `nDCG@10` is none.
            '@' => (begins && !is_blank(next)) || is_host(&text[place + 1..]),
            // `#12`, `acme/web#12`; GitLab's issues, requests, milestones, labels, snippets and epics.
            '#' => (begins && !is_blank(next)) || is_digit(next),
            '!' => is_digit(next),
            '%' | '~' | '$' | '&' => begins && is_digit(next),
            // `GH-12`.
            '-' => {
                is_digit(next)
                    && place >= 2
                    && starts(place - 2, "gh")
                    && !is_alphanumeric(place.checked_sub(3).and_then(at))
            }
            // `https://example.org`, whatever the scheme.
            ':' => !begins && starts(place + 1, "//"),
            'w' | 'W' => {
                next == Some('.')
                    && place >= 2
                    && starts(place - 2, "www")
                    && !is_alphanumeric(place.checked_sub(3).and_then(at))
            }
            _ => false,
        };
        if begins && c.is_ascii_hexdigit() {
            let end =
                text[place..].iter().position(|c| !c.is_alphanumeric()).map_or(text.len(), |end| place + end);
            id = if is_commit(&text[place..end]) { place..end } else { 0..0 };
        }
        // In the middle of what would be long enough.
        if breaks_here
            || (id.contains(&place)
                && (place - id.start) % (SHORT_ID - 1) == SHORT_ID - 2
                && place + 1 < id.end)
        {
            breaks.push(place);
        }
    }
    breaks
}

/// Whether a word can be the id of a commit. A number is not one: ids of documents are numbers.
fn is_commit(word: &[char]) -> bool {
    (SHORT_ID..=64).contains(&word.len())
        && word.iter().all(char::is_ascii_hexdigit)
        && word.iter().any(char::is_ascii_digit)
        && word.iter().any(char::is_ascii_alphabetic)
}

/// Whether what stands behind an `@` is the server of an address of mail: a name with a point in it, and letters behind that.
fn is_host(text: &[char]) -> bool {
    let end =
        text.iter().position(|c| !(c.is_ascii_alphanumeric() || "-_.".contains(*c))).unwrap_or(text.len());
    let letters = |pair: &[char]| pair[0] == '.' && pair[1].is_ascii_alphabetic();
    end > 0 && text[0].is_ascii_alphanumeric() && text[..end].windows(2).any(letters)
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
            ("GH-12, gh-7, high-5 and GH- 1", "GH--12, gh--7, high-5 and GH- 1"),
            ("!12 a!3 %3 95% of 5%3", "!-12 a!-3 %-3 95% of 5%3"),
            ("https://e.org http://x ftp://y a: //b", "https:-//e.org http:-//x ftp:-//y a: //b"),
            ("www.e.org, awww.e WWW.x", "www-.e.org, awww.e WWW-.x"),
            ("a@b.co nDCG@10. R@10.5 x@y @a", "a@-b.co nDCG@10. R@10.5 x@y @-a"),
            ("a5c3785 7187158 deadbeef 1234567890abcdefg", "a5c378-5 7187158 deadbeef 1234567890abcdefg"),
            ("a5c3785ed8d6a35868bc169f07e40e889087fd2e", "a5c378-5ed8d6-a35868-bc169f-07e40e-889087-fd2e"),
            ("jlord@a5c3785ed", "jlord@a5c378-5ed"),
        ] {
            assert_eq!(escape(text).replace("<!-- -->", "-"), expected);
        }
        assert_eq!(escape("~3 $5 &7"), "&#126;<!-- -->3 &#36;<!-- -->5 &#38;<!-- -->7");
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
