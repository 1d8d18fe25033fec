//! Passages of documents, and ids that say them.

use std::fmt;
use std::ops::Range;

/// What stands between a document's id and the characters of a passage of it: the fragment of RFC 5147, which counts
/// positions between characters from 0.
const FRAGMENT: &str = "#char=";
/// What stands between the id of a hit and the place that it says beside it.
const PLACE: &str = "#:~:place=";

/// A part of a document: characters (Unicode scalar values) from a start to before an end.
///
/// As text it is the document's id with the fragment of RFC 5147. A hit may have such an id: it then says where it lies,
/// whatever chunks are called.
///
/// ```
/// use rankgate::collection::Passage;
///
/// let passage = Passage::new("refunds", 120..320);
/// assert_eq!(passage.to_string(), "refunds#char=120,320");
/// assert_eq!(Passage::parse("refunds#char=120,320"), Some(passage));
/// assert_eq!(Passage::parse("refunds#char=320,120"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Passage {
    /// The document's id.
    pub document: String,
    /// Where it begins, from 0.
    pub start: usize,
    /// Where it ends: behind its last character.
    pub end: usize,
}

impl Passage {
    /// The characters of a range of a document.
    pub fn new(document: impl Into<String>, characters: Range<usize>) -> Self {
        Self { document: document.into(), start: characters.start, end: characters.end }
    }

    /// The passage that an id says; `None` where it says none.
    pub fn parse(id: &str) -> Option<Self> {
        let (document, range) = id.rsplit_once(FRAGMENT)?;
        let (start, end) = range.split_once(',')?;
        let number =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
        let (start, end) = (number(start)?, number(end)?);
        (start < end && !document.is_empty()).then(|| Self::new(document, start..end))
    }
}

impl fmt::Display for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{FRAGMENT}{},{}", self.document, self.start, self.end)
    }
}

#[doc(hidden)]
impl Passage {
    /// The document that an id says a passage of; the id itself where it says none.
    pub fn document_of(id: &str) -> &str {
        match id.rsplit_once(FRAGMENT) {
            Some((document, _)) if Self::parse(id).is_some() => document,
            _ => id,
        }
    }

    /// Its characters in the text of its document; `None` where it ends behind that.
    pub fn text_in<'t>(&self, document: &'t str) -> Option<&'t str> {
        let mut places = document.char_indices().map(|(at, _)| at).chain([document.len()]);
        let length = self.end.checked_sub(self.start)?;
        let (start, behind) = (places.nth(self.start)?, length.checked_sub(1)?);
        document.get(start..places.nth(behind)?)
    }
}

/// A hit that has an id of its own and the place of a passage. A ranking carries both as one id, until passages are judged.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitPlace<'a> {
    /// The hit's id.
    pub id: &'a str,
    /// Its place.
    pub passage: Passage,
}

impl<'a> HitPlace<'a> {
    /// Reads both; `None` of an id alone.
    pub fn parse(id: &'a str) -> Option<Self> {
        let (id, place) = id.split_once(PLACE)?;
        Some(Self { id, passage: Passage::parse(place)? })
    }
}

impl fmt::Display for HitPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{PLACE}{}", self.id, self.passage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_passage_is_counted_in_characters() {
        for (characters, expected) in [
            (0..2, Some("aé")),
            (1..4, Some("é字d")),
            (3..4, Some("d")),
            (3..5, None),
            (4..5, None),
            (usize::MAX - 1..usize::MAX, None),
        ] {
            assert_eq!(Passage::new("p", characters.clone()).text_in("aé字d"), expected, "{characters:?}");
        }
    }

    #[test]
    fn a_hit_has_an_id_and_a_place() {
        let place = HitPlace { id: "c1", passage: Passage::new("refunds", 3..9) };
        assert_eq!(HitPlace::parse(&place.to_string()), Some(place));
        assert_eq!(HitPlace::parse("refunds#char=3,9"), None);
    }
}
