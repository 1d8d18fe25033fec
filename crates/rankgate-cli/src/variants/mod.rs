//! Other texts that ask for the same, made of a query by a rule. They depend on the rule, the query's id and its text.

mod function_words;
mod keyboard;
mod letters;
mod typos;
mod words;

use clap::ValueEnum;
use rand::RngExt;
use rankgate::Query;
use rankgate::stats::{Stream, StreamRng};

/// A change to the text of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// One slip of the finger in a word of four letters or more, never in its first letter
    Typos,
    /// A search box's query: without function words and punctuation, in lower case, each word once
    Keywords,
    /// In lower case; a text in lower case, in capitals
    Case,
    /// Without accents, umlauts and ligatures, such as `cafe` and `Strasse`
    Diacritics,
    /// The words in another order
    WordOrder,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Typos => "typos",
            Self::Keywords => "keywords",
            Self::Case => "case",
            Self::Diacritics => "diacritics",
            Self::WordOrder => "word-order",
        }
    }
}

/// Whose keys a typist misses, and how somebody without the letters types them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Keyboard {
    /// QWERTY; `u` for `ü`
    #[default]
    Us,
    /// QWERTZ with umlauts; `ue` for `ü`
    De,
}

/// Whose function words are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryLanguage {
    #[default]
    English,
    German,
}

/// How another text is made of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariantRule {
    pub(crate) kind: Kind,
    /// What random numbers are derived from.
    pub(crate) seed: u64,
    pub(crate) keyboard: Keyboard,
    pub(crate) language: QueryLanguage,
}

/// So often chance is tried for a text that is another one.
const TRIES: usize = 50;

impl VariantRule {
    /// Another text for a query; `None` where there is nothing to change.
    pub(crate) fn text(&self, query: &Query) -> Option<String> {
        let text = query.text.as_str();
        let other = match self.kind {
            Kind::Typos => self.by_chance(query, |rng| typos::typo(text, self.keyboard, rng))?,
            Kind::WordOrder => self.by_chance(query, |rng| Some(reordered(text, rng)))?,
            Kind::Keywords => words::keywords(text, self.language),
            Kind::Case => letters::other_case(text),
            Kind::Diacritics => letters::without_diacritics(text, self.keyboard),
        };
        (!other.is_empty() && other != text).then_some(other)
    }

    fn by_chance(&self, query: &Query, make: impl Fn(&mut StreamRng) -> Option<String>) -> Option<String> {
        let mut rng = Stream::new(self.seed).for_name(self.kind.as_str()).for_name(&query.id).rng(0);
        (0..TRIES).map_while(|_| make(&mut rng)).find(|text| *text != query.text)
    }
}

/// The words in another order; what ends the sentence stays where it is.
fn reordered(text: &str, rng: &mut StreamRng) -> String {
    let sentence = text.trim_end();
    let words = sentence.trim_end_matches(['.', '?', '!']);
    let end = &sentence[words.len()..];
    let mut words: Vec<&str> = words.split_whitespace().collect();
    for place in (1..words.len()).rev() {
        words.swap(place, rng.random_range(0..=place));
    }
    words.join(" ") + end
}

#[cfg(test)]
mod tests;
