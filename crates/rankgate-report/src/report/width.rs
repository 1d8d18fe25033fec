//! How many columns of a terminal a text takes: of Chinese, Japanese, Korean and emoji two a character, of accents that
//! stand on another none.

use unicode_width::UnicodeWidthChar;

/// The columns of a character, as terminals count them: one by one, independent of its neighbours.
pub fn of_char(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns of a text.
pub fn width(text: &str) -> usize {
    text.chars().map(of_char).sum()
}

/// A text with blanks behind it, up to so many columns.
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// How many of these characters are within so many columns, from the first on.
pub fn within(characters: impl Iterator<Item = char>, columns: usize) -> usize {
    let ends = characters.scan(0, |end, c| {
        *end += of_char(c);
        Some(*end)
    });
    ends.take_while(|end| *end <= columns).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// East Asian Width (UAX #11): W and F take two columns, combining marks none.
    #[test]
    fn wide_characters_take_two_columns() {
        for (text, columns) in [
            ("", 0),
            ("ab", 2),
            ("日本", 4),
            ("한", 2),
            ("\u{1f600}", 2),
            ("e\u{301}", 1),
            ("Ａ", 2),
            ("é", 1),
        ] {
            assert_eq!(width(text), columns, "{text}");
            assert_eq!(width(&padded(text, 6)), 6, "{text}");
        }
        assert_eq!(padded("日本", 3), "日本");
    }

    #[test]
    fn half_of_a_wide_character_does_not_fit() {
        for (columns, fit) in [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (9, 3)] {
            assert_eq!(within("日本a".chars(), columns), fit, "{columns}");
        }
        assert_eq!(within("e\u{301}a".chars(), 1), 2);
    }
}
