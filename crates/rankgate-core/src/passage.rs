//! Passages of documents, and ids that say them.

use std::fmt;
use std::ops::Range;

/// What stands between a document's id and the characters of a passage of it: the fragment of RFC 5147, which counts
/// positions between characters from 0.
const FRAGMENT: &str = "#char=";
/// The same before a text that is to be found in the document: a text fragment of the web.
const TEXT: &str = "#:~:text=";
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
    #[must_use]
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
    #[must_use]
    pub fn document_of(id: &str) -> &str {
        match id.rsplit_once(FRAGMENT) {
            Some((document, _)) if Self::parse(id).is_some() => document,
            _ => id,
        }
    }

    /// Its characters in the text of its document; `None` where it ends behind that.
    #[must_use]
    pub fn text_in<'t>(&self, document: &'t str) -> Option<&'t str> {
        let mut places = document.char_indices().map(|(at, _)| at).chain([document.len()]);
        let length = self.end.checked_sub(self.start)?;
        let (start, behind) = (places.nth(self.start)?, length.checked_sub(1)?);
        document.get(start..places.nth(behind)?)
    }
}

/// Where a hit says that it lies. A ranking carries it as an id, until places are looked up where spans are judged.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitPlace<'a> {
    /// What the hit is called, where it says that as well.
    pub id: Option<&'a str>,
    /// The document's id.
    pub document: &'a str,
    /// The first character, and the place behind the last one.
    pub characters: Option<(usize, usize)>,
    /// A text that stands there.
    pub text: Option<&'a str>,
}

impl<'a> HitPlace<'a> {
    /// What an id says; `None` where it is a plain one, or says characters alone.
    #[must_use]
    pub fn parse(id: &'a str) -> Option<Self> {
        let (own, place) = id.split_once(PLACE).map_or((None, id), |(own, place)| (Some(own), place));
        let (place, text) = place.split_once(TEXT).map_or((place, None), |(place, text)| (place, Some(text)));
        if own.is_none() && text.is_none() {
            return None;
        }
        let characters = Passage::parse(place).map(|passage| (passage.start, passage.end));
        Some(Self { id: own, document: Passage::document_of(place), characters, text })
    }

    /// What the hit is called where nobody looks places up: by its own id, or else by its characters.
    #[must_use]
    pub fn plain(&self) -> Option<String> {
        let by_characters =
            |(start, end): (usize, usize)| Passage::new(self.document, start..end).to_string();
        self.id.map(str::to_owned).or_else(|| self.characters.map(by_characters))
    }
}

impl fmt::Display for HitPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, "{id}{PLACE}")?;
        }
        f.write_str(self.document)?;
        if let Some((start, end)) = self.characters {
            write!(f, "{FRAGMENT}{start},{end}")?;
        }
        self.text.map_or(Ok(()), |text| write!(f, "{TEXT}{text}"))
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
    fn what_a_hit_says_of_its_place_is_read_as_it_was_written() {
        let all = [Some("c1"), None].into_iter().flat_map(|id| {
            [Some((3, 9)), None].into_iter().flat_map(move |characters| {
                [Some("a #char=1,2 b"), None].map(|text| HitPlace {
                    id,
                    document: "refunds",
                    characters,
                    text,
                })
            })
        });
        for place in all {
            let is_plain = place.id.is_none() && place.text.is_none();
            assert_eq!(HitPlace::parse(&place.to_string()), (!is_plain).then_some(place), "{place}");
        }
        let plain = |id: &str| HitPlace::parse(id).and_then(|place| place.plain());
        assert_eq!(plain("c1#:~:place=refunds#char=3,9#:~:text=a"), Some("c1".to_owned()));
        assert_eq!(plain("refunds#char=3,9#:~:text=a"), Some("refunds#char=3,9".to_owned()));
        assert_eq!(plain("refunds#:~:text=a"), None);
    }
}
