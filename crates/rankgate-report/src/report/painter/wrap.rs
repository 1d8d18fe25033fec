//! Text in lines of a width.

use crate::report::clean::clean;
use crate::report::number::counted;
use crate::report::page::{Role, Text};
use crate::report::width::{of_char, within};

/// A character, and what it belongs to.
type Glyph = (char, Role);

/// A longer line is not for reading.
const LINE: usize = 1000;

/// Lines of at most `width` columns. Of more than `limit` lines the middle is left out: an error
/// begins with what failed, and often ends with why.
///
/// Line breaks and indentation of the text are kept, so that a caret stays under what it points at;
/// only a word that is too long is broken, between words where there are any.
pub(super) fn wrap(text: &Text, width: usize, limit: usize) -> Vec<Text> {
    let mut glyphs: Vec<Glyph> =
        text.spans().iter().flat_map(|span| span.text.chars().map(|c| (c, span.role))).collect();
    let end = glyphs.iter().rposition(|(c, _)| !c.is_whitespace()).map_or(0, |last| last + 1);
    glyphs.truncate(end);
    let originals: Vec<&[Glyph]> = match glyphs.is_empty() {
        true => Vec::new(),
        false => glyphs.split(|(c, _)| *c == '\n').collect(),
    };
    let tail = limit / 2;
    let head = limit - tail;
    // Of a very long text only the ends are looked at.
    let unread = if originals.len() > limit { head..originals.len() - tail } else { 0..0 };
    let read = originals.iter().enumerate().filter(|(index, _)| !unread.contains(index));
    let mut lines: Vec<Text> = read.flat_map(|(_, line)| wrap_line(&fit(line), width)).collect();
    let cut = lines.len().saturating_sub(limit);
    if cut + unread.len() > 0 {
        let left_out = format!("... ({} left out)", counted(cut + unread.len(), "line", "lines"));
        lines.splice(head..head + cut, [Text::from(left_out)]);
    }
    lines
}

/// [`wrap`] behind `lead`, under which the following lines are blank.
pub(super) fn hang(lead: &Text, text: &Text, width: usize, limit: usize) -> Vec<Text> {
    let margin = lead.length();
    let blank = Text::from(" ".repeat(margin));
    let leads = std::iter::once(lead).chain(std::iter::repeat(&blank));
    let lines = wrap(text, width.saturating_sub(margin), limit);
    leads.zip(lines).map(|(lead, line)| lead.clone().and(line).trim_end()).collect()
}

/// A line as it may be shown.
fn fit(line: &[Glyph]) -> Vec<Glyph> {
    let line = match line.split_last() {
        Some((('\r', _), line)) => line,
        _ => line,
    };
    let mut shown: Vec<Glyph> = Vec::with_capacity(line.len());
    for &(c, role) in line {
        match c {
            '\t' => shown.extend([(' ', role); 4]),
            c => shown.extend(clean(c.encode_utf8(&mut [0; 4])).chars().map(|c| (c, role))),
        }
    }
    let blank = shown.iter().rposition(|(c, _)| !c.is_whitespace()).map_or(0, |last| last + 1);
    if shown.len() > LINE {
        shown.truncate(LINE - 3);
        shown.extend([('.', Role::Plain); 3]);
    } else {
        shown.truncate(blank);
    }
    shown
}

fn wrap_line(line: &[Glyph], width: usize) -> Vec<Text> {
    let is_blank = |glyph: &Glyph| glyph.0 == ' ';
    // Half an interval says nothing.
    let breaks = |glyph: &Glyph| is_blank(glyph) && glyph.1 != Role::Number;
    let indent = line.iter().take_while(|glyph| is_blank(glyph)).count().min(width / 2);
    let mut lines = Vec::new();
    let mut rest = line;
    let mut lead = 0;
    let of_all = |glyphs: &[Glyph]| glyphs.iter().map(|(c, _)| of_char(*c)).sum::<usize>();
    while lead + of_all(rest) > width && !rest.is_empty() {
        let room = within(rest.iter().map(|(c, _)| *c), width.saturating_sub(lead)).max(1);
        // The break may fall on the space right behind the room.
        let space = rest.iter().take(room + 1).rposition(breaks);
        let end = space.filter(|&at| rest.iter().take(at).any(|glyph| !is_blank(glyph))).unwrap_or(room);
        let (head, tail) = rest.split_at(end.min(rest.len()));
        lines.push(text(lead, head).trim_end());
        let blanks = tail.iter().take_while(|glyph| is_blank(glyph)).count();
        rest = tail.split_at(blanks).1;
        lead = indent;
    }
    if !rest.is_empty() || lines.is_empty() {
        lines.push(text(lead, rest));
    }
    lines
}

fn text(indent: usize, glyphs: &[Glyph]) -> Text {
    let mut text = Text::from(" ".repeat(indent));
    let mut buffer = [0; 4];
    for (c, role) in glyphs {
        text.push(*role, c.encode_utf8(&mut buffer));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize, limit: usize) -> Vec<String> {
        wrap(&text.into(), width, limit).iter().map(Text::to_string).collect()
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
        let hung = hang(&"note: ".into(), &"one two\n\nthree".into(), 10, 9);
        let hung: Vec<String> = hung.iter().map(Text::to_string).collect();
        assert_eq!(hung, ["note: one", "      two", "", "      thre", "      e"]);
        assert!(hang(&"note: ".into(), &"".into(), 10, 9).is_empty());
    }

    #[test]
    fn wide_characters_take_their_room() {
        let lines: Vec<String> = wrap(&"検索 エンジン".into(), 6, 9).iter().map(Text::to_string).collect();
        assert_eq!(lines, ["検索", "エンジ", "ン"]);
    }

    #[test]
    fn no_width_is_too_small() {
        assert_eq!(wrapped("ab c", 0, 9), ["a", "b", "c"]);
    }

    #[test]
    fn no_line_is_broken_inside_of_a_number() {
        let seen = Text::from("+0.0926 ")
            .and(Text::number("[0.058, 0.128]"))
            .and(" margin 0.02 ")
            .and(Text::number("p < 1e-9"));
        let lines: Vec<String> = wrap(&seen, 20, 9).iter().map(Text::to_string).collect();
        assert_eq!(lines, ["+0.0926", "[0.058, 0.128]", "margin 0.02 p < 1e-9"]);
    }
}
