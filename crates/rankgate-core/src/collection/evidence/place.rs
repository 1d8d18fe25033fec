//! Places that chunks and hits say, held against what else they say of themselves: their text, their id.

use super::text::{squeeze, words};
use super::{Evidence, Found};
use crate::collection::Passage;
use crate::error::Quoted;
use crate::passage::HitPlace;
use crate::{Error, Result};

/// Characters of each of two texts that a message shows, and how many of them stand before the first that differs.
const SHOWN: usize = 40;
const SHOWN_BEFORE: usize = 15;

impl Evidence {
    /// Where a hit lies that says a place; `listed` is what a file of chunks says of its id.
    ///
    /// # Errors
    ///
    /// A place that is none, another text there, an id that says another place.
    pub(super) fn passage_of_hit(&self, hit: &HitPlace<'_>, listed: Option<&Passage>) -> Result<Passage> {
        // The id of a chunk says enough where what an engine calls a document beside it is none, as a title or the text itself.
        if let Some(listed) = listed.filter(|_| !self.documents.contains_key(hit.document)) {
            return self.within(listed.clone());
        }
        let said =
            |(start, end): (usize, usize)| self.within(Passage::new(hit.document, start..end)).map(Some);
        let by_id = listed.cloned().or_else(|| hit.id.and_then(Passage::parse));
        let passage = match (hit.characters.map_or(Ok(None), said)?, hit.text) {
            (Some(passage), _) => passage,
            // Its text may stand in several places, of which the id says one.
            (None, Some(text)) => match &by_id {
                Some(by_id) if by_id.document == hit.document => self.within(by_id.clone())?,
                _ => self.find(hit.document, text)?,
            },
            (None, None) => self.passage(hit.document)?,
        };
        if let (Some(id), Some(by_id)) = (hit.id, by_id)
            && by_id != passage
        {
            let message = format!(
                "{} is {}, and the hit says that it lies at {}",
                Quoted(id),
                place(&by_id),
                place(&passage)
            );
            return Err(Error::invalid(message));
        }
        match hit.text.is_none_or(|text| self.stands_at(&passage, text)) {
            true => Ok(passage),
            false => Err(self.other_text(&passage, hit.text.unwrap_or_default(), false)),
        }
    }

    /// That the text of a chunk is what stands at its place.
    ///
    /// # Errors
    ///
    /// Another text there, with the place where this one stands.
    pub(super) fn check_chunk(&self, passage: &Passage, text: &str) -> Result<()> {
        match self.stands_at(passage, text) {
            true => Ok(()),
            false => Err(self.other_text(passage, text, true)),
        }
    }

    /// A passage that ends within its document.
    pub(super) fn within(&self, passage: Passage) -> Result<Passage> {
        let length = self.source(&passage.document)?.len();
        if passage.end > length {
            let id = passage.to_string();
            let message = format!("{} ends behind its document, which has {length} characters", Quoted(&id));
            return Err(Error::invalid(message));
        }
        Ok(passage)
    }

    /// Whether a text is that of a passage, with any blanks in place of any others, as texts without a place are found.
    fn stands_at(&self, passage: &Passage, text: &str) -> bool {
        words(self.part(passage)).eq(words(text))
    }

    fn part(&self, passage: &Passage) -> &str {
        let source = self.documents.get(&passage.document);
        source.map_or("", |source| source.part(&(passage.start..passage.end)))
    }

    /// That a text is not that of its passage, and where it stands: in the same document, or in any.
    fn other_text(&self, passage: &Passage, text: &str, in_any: bool) -> Error {
        let (said, there) = (squeeze(text), squeeze(self.part(passage)));
        let same = said.chars().zip(there.chars()).take_while(|(said, there)| said == there).count();
        let from = same.saturating_sub(SHOWN_BEFORE);
        let shown = |text: &str| {
            let part: String = text.chars().skip(from).take(SHOWN).collect();
            let before = if from > 0 { "..." } else { "" };
            let after = if text.chars().count() > from + SHOWN { "..." } else { "" };
            format!("{before}{}{after}", Quoted(part.trim()))
        };
        let stands = if said.contains(&there) {
            "the text has more than stands there: what a chunker adds, as a title, goes under a key of its own".to_owned()
        } else {
            self.whereabouts(&passage.document, text, in_any)
        };
        // A mark of its own (NFD) looks like the letter that has it (NFC).
        let has_marks = |text: &str| text.contains(|c: char| ('\u{300}'..='\u{36f}').contains(&c));
        let alike = match has_marks(&said) != has_marks(&there) {
            true => {
                "; one of them writes accents as marks of their own: bring both to one Unicode normalization, such as NFC"
            }
            false => "",
        };
        Error::invalid(format!(
            "its text is not what stands at {}: it has {} where the document has {}; {stands}{alike}",
            place(passage),
            shown(&said),
            shown(&there)
        ))
    }

    /// Where a text stands that does not stand where it should.
    fn whereabouts(&self, document: &str, text: &str, in_any: bool) -> String {
        let find = |document: &str| match self.documents.get(document)?.find(text, None, None) {
            Found::Once(characters) => Some(characters),
            Found::Often(places) => places.into_iter().next(),
            Found::Never(_) | Found::Elsewhere(_) => None,
        };
        if let Some(found) = find(document) {
            return format!("it stands at characters {} to {} of that document", found.start, found.end);
        }
        if !in_any {
            return "that document has it nowhere".to_owned();
        }
        let mut others: Vec<&str> = self.documents.keys().map(String::as_str).collect();
        others.sort_unstable();
        let elsewhere = others.into_iter().find_map(|other| Some(Passage::new(other, find(other)?)));
        match elsewhere {
            Some(passage) => format!("it stands at {}", place(&passage)),
            None => "no document has it: were the chunks cut from other pages?".to_owned(),
        }
    }
}

/// A passage as messages name it.
fn place(passage: &Passage) -> String {
    let Passage { document, start, end } = passage;
    format!("characters {start} to {end} of document {}", Quoted(document))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Corpus, Document};
    use crate::input::Source;

    /// `refunds` has 56 characters; "In Ulm seven." stands at 27 to 40 of it, by hand.
    fn evidence() -> Evidence {
        let corpus = Corpus::in_memory([
            Document::new("refunds", "Refunds:\n  five days – ok. In Ulm seven. Ask us, please."),
            Document::new("fees", "A transfer costs five euros. Cards are free."),
        ]);
        let spans = r#"{"query": "q1", "document": "refunds", "quote": "In Ulm seven."}"#;
        super::super::read(&Source::bytes("spans.jsonl", spans.as_bytes()), &corpus).unwrap().0
    }

    #[test]
    fn the_text_of_a_chunk_stands_at_its_place_whatever_the_white_space() {
        let evidence = evidence();
        let check = |document: &str, characters: std::ops::Range<usize>, text: &str| {
            let checked = evidence.check_chunk(&Passage::new(document, characters), text);
            checked.map_err(|error| error.to_string())
        };
        for text in ["In Ulm seven.", "  In  Ulm\nseven. "] {
            assert_eq!(check("refunds", 27..40, text), Ok(()), "{text}");
            // What a chunker strips.
            assert_eq!(check("refunds", 26..41, text), Ok(()), "{text}");
        }
        assert_eq!(check("refunds", 0..20, "Refunds: five days"), Ok(()));
        for (document, characters, text, expected) in [
            (
                "refunds",
                30..43,
                "In Ulm seven.",
                "its text is not what stands at characters 30 to 43 of document `refunds`: it has `In Ulm seven.` where the \
                 document has `Ulm seven. As`; it stands at characters 27 to 40 of that document",
            ),
            (
                "fees",
                0..13,
                "In Ulm seven.",
                "its text is not what stands at characters 0 to 13 of document `fees`: it has `In Ulm seven.` where the \
                 document has `A transfer co`; it stands at characters 27 to 40 of document `refunds`",
            ),
            (
                "refunds",
                0..40,
                "Refunds: five days – ok. In Ulm six.",
                "it has ...`– ok. In Ulm six.` where the document has ...`– ok. In Ulm seven.`; no document has it: were",
            ),
            (
                "refunds",
                27..40,
                "Refunds in Ulm\nIn Ulm seven.",
                "; the text has more than stands there: what a chunker adds, as a title, goes under a key of its own",
            ),
            // Parts of a place are not the place.
            (
                "refunds",
                27..40,
                "In Ulm",
                "it has `In Ulm` where the document has `In Ulm seven.`; it stands at characters 27",
            ),
        ] {
            let error = check(document, characters, text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_a_hit_says_of_its_place_fits_together() {
        let evidence = evidence();
        let ulm = Passage::new("refunds", 27..40);
        let of =
            |id: Option<&str>, document: &str, characters: Option<(usize, usize)>, text: Option<&str>| {
                let hit = HitPlace { id, document, characters, text };
                let listed = (id == Some("c1")).then_some(&ulm);
                evidence.passage_of_hit(&hit, listed).map_err(|error| error.to_string())
            };
        let text = Some("In Ulm\tseven.");
        for (id, characters, text) in [
            (None, Some((27, 40)), text),
            (None, None, text),
            (Some("w7"), Some((27, 40)), None),
            (Some("w7"), None, text),
            (Some("c1"), Some((27, 40)), text),
            (Some("c1"), None, text),
            (Some("c1"), None, Some("In Ulm\u{1f}seven.\u{200b}")),
            (None, None, Some("\u{feff}In Ulm\u{1f}seven.\u{200b}")),
            // The id of the whole document does not make it the place.
            (Some("refunds"), Some((27, 40)), None),
            (Some("refunds#char=27,40"), Some((27, 40)), None),
        ] {
            assert_eq!(
                of(id, "refunds", characters, text),
                Ok(ulm.clone()),
                "{id:?} {characters:?} {text:?}"
            );
        }
        // A title, which is no document.
        assert_eq!(of(Some("c1"), "All refunds", None, Some("any")), Ok(ulm.clone()));
        for (id, document, characters, text, expected) in [
            (
                None,
                "refunds",
                Some((8, 21)),
                text,
                "its text is not what stands at characters 8 to 21 of document",
            ),
            (
                Some("c1"),
                "refunds",
                Some((8, 21)),
                None,
                "`c1` is characters 27 to 40 of document `refunds`, and the hit says that it lies at characters 8 to 21",
            ),
            (
                Some("c1"),
                "fees",
                None,
                Some("Cards are free."),
                "`c1` is characters 27 to 40 of document `refunds`, and",
            ),
            (
                Some("c1"),
                "refunds",
                None,
                Some("Ask us"),
                "its text is not what stands at characters 27 to 40",
            ),
            (Some("w7"), "refunds", Some((8, 99)), None, "ends behind its document"),
            (Some("w7"), "news", Some((8, 9)), None, "there is no document `news`"),
        ] {
            let error = of(id, document, characters, text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
