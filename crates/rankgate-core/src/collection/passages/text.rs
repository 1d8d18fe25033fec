//! The text of a document, in which quotes are found by characters.

use std::ops::Range;

/// A checkpoint every so many characters.
const STEP: usize = 128;

/// A text with its characters counted.
#[derive(Debug)]
pub(super) struct SourceText {
    text: String,
    /// Where in bytes each [`STEP`]th character begins; empty where each character is a byte.
    checkpoints: Vec<usize>,
    length: usize,
}

/// How often a quote is in a text.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// In one place.
    Once(Range<usize>),
    /// In several.
    Often(Vec<Range<usize>>),
    /// In none.
    Never,
}

impl SourceText {
    pub(super) fn new(text: String) -> Self {
        let is_ascii = text.is_ascii();
        let checkpoints: Vec<usize> =
            if is_ascii { Vec::new() } else { text.char_indices().step_by(STEP).map(|(at, _)| at).collect() };
        let length = if is_ascii { text.len() } else { text.chars().count() };
        Self { text, checkpoints, length }
    }

    /// How many characters it has.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Where a character begins, in bytes.
    fn byte(&self, character: usize) -> usize {
        if self.checkpoints.is_empty() {
            return character.min(self.text.len());
        }
        let Some(&from) = self.checkpoints.get(character / STEP) else { return self.text.len() };
        let rest = self.text[from..].char_indices().nth(character % STEP);
        rest.map_or(self.text.len(), |(at, _)| from + at)
    }

    /// Which character begins at a byte.
    fn character(&self, byte: usize) -> usize {
        if self.checkpoints.is_empty() {
            return byte;
        }
        let checkpoint = self.checkpoints.partition_point(|at| *at <= byte).saturating_sub(1);
        checkpoint * STEP + self.text[self.checkpoints[checkpoint]..byte].chars().count()
    }

    pub(super) fn part(&self, characters: &Range<usize>) -> &str {
        &self.text[self.byte(characters.start)..self.byte(characters.end)]
    }

    /// The places of a quote: letter by letter, or else with any blanks in place of any others.
    pub(super) fn find(&self, quote: &str) -> Found {
        let exact = self.text.match_indices(quote).map(|(at, _)| at..at + quote.len());
        let mut places: Vec<Range<usize>> = exact.collect();
        if places.is_empty() {
            places = self.find_by_words(quote);
        }
        let characters = |place: &Range<usize>| self.character(place.start)..self.character(place.end);
        match &places[..] {
            [] => Found::Never,
            [place] => Found::Once(characters(place)),
            _ => Found::Often(places.iter().map(characters).collect()),
        }
    }

    /// Each word with its place in bytes.
    fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
        words(text).map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
    }

    /// The places, in bytes, of the words of a quote, whatever the white space between them. First and last word may be
    /// parts of words.
    fn find_by_words(&self, quote: &str) -> Vec<Range<usize>> {
        let wanted: Vec<&str> = words(quote).collect();
        let [first, middle @ .., last] = &wanted[..] else {
            let one = wanted.first().into_iter().flat_map(|word| self.text.match_indices(word));
            return one.map(|(at, word)| at..at + word.len()).collect();
        };
        let words: Vec<(usize, &str)> = Self::words(&self.text).collect();
        let at = |window: &[(usize, &str)]| {
            let ((start, head), (end, tail)) = (window[0], window[window.len() - 1]);
            let is_found = head.ends_with(first)
                && tail.starts_with(last)
                && window[1..window.len() - 1].iter().map(|(_, word)| word).eq(middle);
            is_found.then(|| start + head.len() - first.len()..end + last.len())
        };
        words.windows(wanted.len()).filter_map(at).collect()
    }
}

/// Whether a character is a blank between words of quotes and chunks: white space, and what other languages strip as well, a
/// byte order mark, the separators of ASCII, a space of no width.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}' | '\u{200b}' | '\u{feff}')
}

/// The words of a quote or chunk.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_blank).filter(|word| !word.is_empty())
}

/// The same with one blank between any two.
pub(super) fn squeeze(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, quote: &str) -> Found {
        SourceText::new(text.to_owned()).find(quote)
    }

    #[test]
    fn quotes_are_found_letter_by_letter_then_by_words() {
        // text, quote, characters
        for (text, quote, place) in [
            ("Refunds take five days.", "five days", 13..22),
            ("Größe: fünf\n  Tage – fertig", "fünf Tage", 7..18),
            ("a  b\tc", "a b c", 0..6),
            ("(five   days)", "five days", 1..12),
        ] {
            assert_eq!(found(text, quote), Found::Once(place), "{text}");
        }
        assert_eq!(found("one two one two", "one two"), Found::Often(vec![0..7, 8..15]));
        assert_eq!(found("It takes seven working days.", "takes five working days."), Found::Never);
        assert_eq!(found("", "five days"), Found::Never);
    }

    proptest! {
        #[test]
        fn characters_and_bytes_belong_together(text in "[aé€😀 ]{0,400}", from in 0_usize..400, length in 1_usize..50) {
            let characters: Vec<char> = text.chars().collect();
            let source = SourceText::new(text.clone());
            prop_assert_eq!(source.len(), characters.len());
            let from = from.min(characters.len());
            let to = (from + length).min(characters.len());
            prop_assert_eq!(source.part(&(from..to)), characters[from..to].iter().collect::<String>());
            prop_assert_eq!(source.character(source.byte(from)), from);
        }

        #[test]
        fn a_quote_that_is_there_is_found(text in "[ab \n]{0,60}", from in 0_usize..60, length in 1_usize..9) {
            let from = from.min(text.len());
            let to = (from + length).min(text.len());
            let quote = &text[from..to];
            if quote.trim().is_empty() { return Ok(()); }
            let places = match found(&text, quote) {
                Found::Once(place) => vec![place],
                Found::Often(places) => places,
                Found::Never => Vec::new(),
            };
            let overlapping = places.iter().any(|place| place.start <= from && from < place.end);
            prop_assert!(overlapping, "{:?} {:?}", quote, places);
        }
    }
}
