//! Places of chunks and hits in their documents.

use super::JudgedPassages;
use super::text::{squeeze, words};
use crate::collection::Passage;
use crate::error::Quoted;
use crate::{Error, Result};

impl JudgedPassages {
    /// Checks that the text of a chunk is the text at its place, whatever the white space: chunks of an older page would be
    /// judged by what stands there today.
    ///
    /// # Errors
    ///
    /// Another text there.
    pub(super) fn check_chunk(&self, passage: &Passage, text: &str) -> Result<()> {
        let there = self.source(&passage.document)?.part(&(passage.start..passage.end));
        if text.trim().is_empty() || words(there).eq(words(text)) {
            return Ok(());
        }
        let Passage { document, start, end } = passage;
        Err(Error::invalid(format!(
            "its text is not the text at characters {start} to {end} of document {}: it has {} and the document has {}. Cut the \
             pages again, or leave `text` out",
            Quoted(document),
            Quoted(&squeeze(text)),
            Quoted(&squeeze(there))
        )))
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Corpus, Document};
    use crate::input::Source;

    #[test]
    fn the_text_of_a_chunk_stands_at_its_place_whatever_the_white_space() {
        // `refunds` has 56 characters; "In Ulm seven." stands at 27 to 40 of it, by hand.
        let corpus = Corpus::in_memory([Document::new(
            "refunds",
            "Refunds:\n  five days – ok. In Ulm seven. Ask us, please.",
        )]);
        let spans = r#"{"query": "q1", "document": "refunds", "quote": "In Ulm seven."}"#;
        let passages =
            super::super::read(&Source::bytes("spans.jsonl", spans.as_bytes()), &corpus).unwrap().0;
        let check = |characters: std::ops::Range<usize>, text: &str| {
            let checked = passages.check_chunk(&Passage::new("refunds", characters), text);
            checked.map_err(|error| error.to_string())
        };
        for text in ["In Ulm seven.", "  In  Ulm\nseven. "] {
            assert_eq!(check(27..40, text), Ok(()), "{text}");
            // What a chunker strips.
            assert_eq!(check(26..41, text), Ok(()), "{text}");
        }
        assert_eq!(check(0..20, "Refunds: five days"), Ok(()));
        for (characters, text, expected) in [
            (
                30..43,
                "In Ulm seven.",
                "its text is not the text at characters 30 to 43 of document `refunds`: it has `In Ulm seven.` and the document \
                 has `Ulm seven. As`",
            ),
            (
                0..40,
                "Refunds: five days – ok. In Ulm six.",
                "it has `Refunds: five days – ok. In Ulm six.` and the document has `Refunds: five days – ok. In Ulm seven.`",
            ),
            (27..40, "In Ulm", "it has `In Ulm` and the document has `In Ulm seven.`"),
        ] {
            let error = check(characters, text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
