//! Text in lines of a width.

use crate::report::clean::clean;
use crate::report::number::counted;
use crate::report::width::{width as width_of, within};

/// A longer line is not for reading.
const LINE: usize = 1000;

/// Lines of at most `width` columns. Of more than `limit` lines the middle is left out: an error
/// begins with what failed, and often ends with why.
///
/// Line breaks and indentation of the text are kept, so that a caret stays under what it points at;
/// only a word that is too long is broken, between words where there are any.
pub(super) fn wrap(text: &str, width: usize, limit: usize) -> Vec<String> {
    let text = text.trim_end();
    let originals: Vec<&str> = if text.is_empty() { Vec::new() } else { text.split('\n').collect() };
    let tail = limit / 2;
    let head = limit - tail;
    // Of a very long text only the ends are looked at.
    let unread = if originals.len() > limit { head..originals.len() - tail } else { 0..0 };
    let read = originals.iter().enumerate().filter(|(index, _)| !unread.contains(index));
    let mut lines: Vec<String> = read.flat_map(|(_, line)| wrap_line(&fit(line), width)).collect();
    let cut = lines.len().saturating_sub(limit);
    if cut + unread.len() > 0 {
        let left_out = format!("... ({} left out)", counted(cut + unread.len(), "line", "lines"));
        lines.splice(head..head + cut, [left_out]);
    }
    lines
}

/// [`wrap`] behind `lead`, under which the following lines are blank.
pub(super) fn hang(lead: &str, text: &str, width: usize, limit: usize) -> Vec<String> {
    let lead = clean(lead);
    let margin = width_of(&lead);
    let leads = std::iter::once(lead).chain(std::iter::repeat(" ".repeat(margin)));
    let lines = wrap(text, width.saturating_sub(margin), limit);
    leads.zip(lines).map(|(lead, line)| (lead + &line).trim_end().to_owned()).collect()
}

/// A line as it may be shown.
fn fit(line: &str) -> Vec<char> {
    let line = line.strip_suffix('\r').unwrap_or(line).replace('\t', "    ");
    // What must not be broken stays together until lines are made.
    let parts: Vec<String> = line.split('\u{a0}').map(clean).collect();
    let mut shown: Vec<char> = parts.join("\u{a0}").trim_end().chars().collect();
    if shown.len() > LINE {
        shown.truncate(LINE - 3);
        shown.extend(['.'; 3]);
    }
    shown
}

fn wrap_line(line: &[char], width: usize) -> Vec<String> {
    let text = |lead: usize, part: &[char]| " ".repeat(lead) + &String::from_iter(part);
    let is_blank = |c: &char| *c == ' ';
    let indent = line.iter().take_while(|c| is_blank(c)).count().min(width / 2);
    let mut lines = Vec::new();
    let mut rest = line;
    let mut lead = 0;
    while lead + width_of(&String::from_iter(rest)) > width && !rest.is_empty() {
        let room = within(rest.iter().copied(), width.saturating_sub(lead)).max(1);
        // The break may fall on the space right behind the room.
        let space = rest.iter().take(room + 1).rposition(is_blank);
        let end = space.filter(|&at| rest.iter().take(at).any(|c| !is_blank(c))).unwrap_or(room);
        let (head, tail) = rest.split_at(end.min(rest.len()));
        lines.push(text(lead, head).trim_end().to_owned());
        rest = tail.split_at(tail.iter().take_while(|c| is_blank(c)).count()).1;
        lead = indent;
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(text(lead, rest));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize, limit: usize) -> Vec<String> {
        wrap(text, width, limit)
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
            assert_eq!(wrapped(text, 10, 9), expected, "{text:?}");
        }
    }

    #[test]
    fn of_too_many_lines_the_ends_are_kept() {
        for (text, width, limit, expected) in [
            ("a\nb\nc", 10, 3, vec!["a", "b", "c"]),
            ("a\nb\nc\nd\ne", 10, 3, vec!["a", "b", "... (2 lines left out)", "e"]),
            ("a\nb\nc\nd", 10, 3, vec!["a", "b", "... (1 line left out)", "d"]),
            ("one two three\nb\nc", 5, 3, vec!["one", "two", "... (2 lines left out)", "c"]),
            (&"x\n".repeat(1_000_000), 10, 2, vec!["x", "... (999,998 lines left out)", "x"]),
        ] {
            assert_eq!(wrapped(text, width, limit), expected);
        }
    }

    #[test]
    fn what_hangs_is_aligned_behind_its_lead() {
        let hung = hang("note: ", "one two\n\nthree", 10, 9);
        assert_eq!(hung, ["note: one", "      two", "", "      thre", "      e"]);
        assert!(hang("note: ", "", 10, 9).is_empty());
    }

    #[test]
    fn wide_characters_take_their_room() {
        let lines = wrap("検索 エンジン", 6, 9);
        assert_eq!(lines, ["検索", "エンジ", "ン"]);
    }

    #[test]
    fn no_width_is_too_small() {
        assert_eq!(wrapped("ab c", 0, 9), ["a", "b", "c"]);
    }

    #[test]
    fn no_line_is_broken_inside_of_a_number() {
        let whole = crate::report::page::whole;
        let (limits, p) = (whole("[0.058, 0.128]"), whole("p < 1e-9"));
        let lines = wrap(&format!("+0.0926 {limits} margin 0.02 {p}"), 20, 9);
        assert_eq!(lines, ["+0.0926".to_owned(), limits, format!("margin 0.02 {p}")]);
    }
}
