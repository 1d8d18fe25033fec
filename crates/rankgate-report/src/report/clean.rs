//! Text that comes from data, made fit to be shown.
//!
//! Queries, document ids and error messages may hold anything. Shown as they are, they could move a
//! terminal's cursor, reorder a line or push everything else off the screen.

use crate::report::width::{width as width_of, within};
use crate::shown::is_unfit;

/// `text` on one line, with characters that would move the cursor or reorder the line made visible.
///
/// Joiners stay: Persian and Hindi words, and many emoji, need them.
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        push(&mut cleaned, c);
    }
    cleaned
}

fn push(cleaned: &mut String, c: char) {
    match c {
        // What must not be broken has been laid out by now.
        '\u{a0}' => cleaned.push(' '),
        c if is_unfit(c) => cleaned.extend(c.escape_default()),
        c => cleaned.push(c),
    }
}

/// Text of several lines with characters that would move the cursor, reorder a line or hide in it made
/// visible; lines stay lines.
///
/// ```
/// assert_eq!(rankgate::report::plain("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\nb\\u{202e}");
/// ```
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' { plain.push(c) } else { push(&mut plain, c) }
    }
    plain
}

/// Text that a log of GitHub Actions takes for text: a line that begins with `::`, or holds `##[`, would
/// be a command to the runner, and it may come from data.
///
/// ```
/// assert_eq!(rankgate::report::defuse("a::b\n  ::add-mask::x\n"), "a::b\n  : :add-mask::x\n");
/// ```
pub fn defuse(text: &str) -> String {
    let line = |line: &str| {
        let rest = line.trim_start();
        let line = match rest.strip_prefix("::") {
            Some(after) => format!("{}: :{after}", &line[..line.len() - rest.len()]),
            None => line.to_owned(),
        };
        line.replace("##[", "# #[")
    };
    text.split_inclusive('\n').map(line).collect()
}

/// [`clean`], cut to `width` columns with `...` at the end.
pub fn shorten(text: &str, width: usize) -> String {
    cut(text, width, width.saturating_sub(3))
}

/// [`clean`], cut to `width` columns with `...` in the middle: for names, which often differ at
/// their ends only.
pub fn shorten_name(text: &str, width: usize) -> String {
    cut(text, width, width.saturating_sub(3).div_ceil(2))
}

/// Keeps `head` columns of a text that is too long, and as many of its end as there is room for.
fn cut(text: &str, width: usize, head: usize) -> String {
    let text = clean(text);
    if width_of(&text) <= width {
        return text;
    }
    let tail = within(text.chars().rev(), width.saturating_sub(head + 3));
    let start: String = text.chars().take(within(text.chars(), head)).collect();
    let end: String = text.chars().skip(text.chars().count() - tail).collect();
    format!("{start}...{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_the_cursor_is_made_visible() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("a\nb\tc\r", r"a\nb\tc\r"),
            ("\u{1b}[2J\u{7}\u{9b}", r"\u{1b}[2J\u{7}\u{9b}"),
            ("abc\u{202e}cba", r"abc\u{202e}cba"),
            ("naïve 検索 \u{1f600}", "naïve 検索 \u{1f600}"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ] {
            assert_eq!(clean(text), expected);
        }
    }

    #[test]
    fn long_text_is_cut_to_the_width() {
        for (text, width, end, middle) in [
            ("abcdefghij", 10, "abcdefghij", "abcdefghij"),
            ("abcdefghijk", 10, "abcdefg...", "abcd...ijk"),
            ("ééééééééééé", 10, "ééééééé...", "éééé...ééé"),
            ("検索エンジン", 12, "検索エンジン", "検索エンジン"),
            ("検索エンジンズ", 12, "検索エン...", "検索...ンズ"),
            ("abcdef", 3, "...", "..."),
            ("abcdef", 0, "...", "..."),
        ] {
            assert_eq!(shorten(text, width), end);
            assert_eq!(shorten_name(text, width), middle);
        }
    }

    #[test]
    fn a_log_line_is_no_command() {
        for (text, expected) in [
            ("plain\n", "plain\n"),
            ("::stop-commands::x", ": :stop-commands::x"),
            (" \t::error::x\r\nb", " \t: :error::x\r\nb"),
            ("a ##[error]x", "a # #[error]x"),
            ("toy::words::AP\n", "toy::words::AP\n"),
        ] {
            assert_eq!(defuse(text), expected);
        }
    }
}
