//! Text that comes from data, made fit to be shown.
//!
//! Queries, document ids and error messages may hold anything. Shown as they are, they could move a
//! terminal's cursor, reorder a line or push everything else off the screen.

use super::number::counted;
use crate::shown::is_unfit;

/// `text` on one line, with characters that would move the cursor or reorder the line made visible.
///
/// Joiners stay: Persian and Hindi words, and many emoji, need them.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        push(&mut cleaned, c);
    }
    cleaned
}

fn push(cleaned: &mut String, c: char) {
    if is_unfit(c) {
        cleaned.extend(c.escape_default());
    } else {
        cleaned.push(c);
    }
}

/// Text of several lines with characters that would move the cursor, reorder a line or hide in it made
/// visible; lines stay lines.
///
/// ```
/// assert_eq!(rankgate::report::plain("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\nb\\u{202e}");
/// ```
#[must_use]
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' { plain.push(c) } else { push(&mut plain, c) }
    }
    plain
}

/// [`clean`], cut to `width` characters with `...` at the end.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    cut(text, width, width.saturating_sub(3))
}

/// [`clean`], cut to `width` characters with `...` in the middle: for names, which often differ at
/// their ends only.
pub(crate) fn shorten_name(text: &str, width: usize) -> String {
    cut(text, width, width.saturating_sub(3).div_ceil(2))
}

/// Keeps `head` characters of a text that is too long, and as many of its end as there is room for.
fn cut(text: &str, width: usize, head: usize) -> String {
    let text = clean(text);
    let length = text.chars().count();
    if length <= width {
        return text;
    }
    let tail = width.saturating_sub(head + 3);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{start}...{end}")
}

/// Lines of at most `width` characters. Of more than `limit` lines the middle is left out: an error
/// begins with what failed, and often ends with why.
///
/// Line breaks and indentation of the text are kept, so that a caret stays under what it points at;
/// only what is too long is broken, between words where there are any.
pub(crate) fn wrap(text: &str, width: usize, limit: usize) -> Vec<String> {
    /// A longer line is not for reading.
    const LINE: usize = 1000;
    let originals: Vec<&str> = text.trim_end().lines().collect();
    let tail = limit / 2;
    let head = limit - tail;
    // Of a very long text only the ends are looked at.
    let unread = if originals.len() > limit { head..originals.len() - tail } else { 0..0 };
    let read = originals.iter().enumerate().filter(|(index, _)| !unread.contains(index));
    let mut lines: Vec<String> =
        read.flat_map(|(_, line)| wrap_line(&shorten(&line.replace('\t', "    "), LINE), width)).collect();
    let cut = lines.len().saturating_sub(limit);
    if cut + unread.len() > 0 {
        lines.splice(
            head..head + cut,
            [format!("... ({} left out)", counted(cut + unread.len(), "line", "lines"))],
        );
    }
    lines
}

/// [`wrap`] behind `lead`, under which the following lines are blank.
pub(crate) fn hang(lead: &str, text: &str, width: usize, limit: usize) -> Vec<String> {
    let margin = lead.chars().count();
    let blank = " ".repeat(margin);
    let leads = std::iter::once(lead).chain(std::iter::repeat(blank.as_str()));
    let lines = wrap(text, width.saturating_sub(margin), limit);
    leads.zip(lines).map(|(lead, line)| format!("{lead}{line}").trim_end().to_owned()).collect()
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let line: Vec<char> = line.trim_end().chars().collect();
    let indent = line.iter().take_while(|&&c| c == ' ').count().min(width / 2);
    let mut lines = Vec::new();
    let mut rest = line.as_slice();
    let mut lead = 0;
    while lead + rest.len() > width && !rest.is_empty() {
        let room = width.saturating_sub(lead).max(1);
        // The break may fall on the space right behind the room.
        let space = rest.iter().take(room + 1).rposition(|&c| c == ' ');
        let end = space.filter(|&at| rest.iter().take(at).any(|&c| c != ' ')).unwrap_or(room);
        let (head, tail) = rest.split_at(end.min(rest.len()));
        lines.push(" ".repeat(lead) + head.iter().collect::<String>().trim_end());
        let blanks = tail.iter().take_while(|&&c| c == ' ').count();
        rest = tail.split_at(blanks).1;
        lead = indent;
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(" ".repeat(lead) + &rest.iter().collect::<String>());
    }
    lines
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
            ("abcdef", 3, "...", "..."),
        ] {
            assert_eq!(shorten(text, width), end);
            assert_eq!(shorten_name(text, width), middle);
        }
    }

    #[test]
    fn lines_are_broken_between_words_and_keep_their_indentation() {
        for (text, expected) in [
            ("", vec![]),
            ("one two three", vec!["one two", "three"]),
            ("one two  three", vec!["one two", "three"]),
            ("abcdefghijkl", vec!["abcdefghij", "kl"]),
            ("  a\n    ^ here", vec!["  a", "    ^ here"]),
            ("  one two three", vec!["  one two", "  three"]),
            ("    abcdefghijkl", vec!["    abcdef", "    ghijkl"]),
            ("a\r\n\nb\u{1b}c\n\n", vec!["a", "", r"b\u{1b}c"]),
        ] {
            assert_eq!(wrap(text, 10, 9), expected, "{text:?}");
        }
    }

    #[test]
    fn of_too_many_lines_the_ends_are_kept() {
        assert_eq!(wrap("a\nb\nc", 10, 3), ["a", "b", "c"]);
        assert_eq!(wrap("a\nb\nc\nd\ne", 10, 3), ["a", "b", "... (2 lines left out)", "e"]);
        assert_eq!(wrap("a\nb\nc\nd", 10, 3), ["a", "b", "... (1 line left out)", "d"]);
        assert_eq!(wrap("one two three\nb\nc", 5, 3), ["one", "two", "... (2 lines left out)", "c"]);
        assert_eq!(wrap(&"x\n".repeat(1_000_000), 10, 2), ["x", "... (999,998 lines left out)", "x"]);
    }

    #[test]
    fn what_hangs_is_aligned_behind_its_lead() {
        assert_eq!(
            hang("note: ", "one two\n\nthree", 10, 9),
            ["note: one", "      two", "", "      thre", "      e"]
        );
        assert!(hang("note: ", "", 10, 9).is_empty());
    }

    #[test]
    fn no_width_is_too_small() {
        assert_eq!(wrap("ab c", 0, 9), ["a", "b", "c"]);
        assert_eq!(shorten("abcd", 0), "...");
    }
}
