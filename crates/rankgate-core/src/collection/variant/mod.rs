//! Variants: other texts that ask for the same, made of a query by rule or read from a file. What was judged
//! for the query holds for its variants, so that the judgments are inherited.
//!
//! | file | holds |
//! |---|---|
//! | `words` | which words of a text may be changed |
//! | `typos`, `keyboard` | slips of the finger |
//! | `function_words` | words that carry no meaning of their own, in two languages |
//! | `letters` | case and diacritics |
//! | `file` | variants that somebody wrote |
//! | `queries` | all queries of a variant, and whom their answers belong to |

mod file;
mod function_words;
mod keyboard;
mod letters;
mod queries;
mod typos;
mod words;

use rand::RngExt;

use super::Query;
use crate::stats::{Stream, StreamRng};
use crate::words::keywords;

pub use queries::VariantQueries;

keywords! {
    /// A change to the text of a query.
    pub enum VariantKind {
        /// One slip of the finger, in a word of four letters or more and never in its first letter: a key beside
        /// the right one, two letters swapped, one left out, one typed twice.
        Typos = "typos",
        /// A search box's query: without function words and punctuation, in lower case, each word
        /// once.
        Keywords = "keywords",
        /// The words in another order.
        WordOrder = "word-order",
        /// Without articles, pronouns, prepositions, auxiliaries and question words; negations stay.
        NoStopWords = "no-stop-words",
        /// In lower case; a text in lower case, in capitals.
        Case = "case",
        /// Without accents, umlauts and ligatures: `cafe`, `Strasse`.
        Diacritics = "diacritics",
        /// Read from a file that somebody wrote.
        File = "file",
    }
}

keywords! {
    /// Whose keys a typist misses, and how somebody without the letters types them.
    #[derive(Default)]
    pub enum Keyboard {
        /// QWERTY; `u` for `ü`.
        #[default]
        Us = "us",
        /// QWERTZ with umlauts; `ue` for `ü`.
        De = "de",
    }
}

keywords! {
    /// Whose function words are left out.
    #[derive(Default)]
    pub enum QueryLanguage {
        /// English.
        #[default]
        English = "english",
        /// German.
        German = "german",
    }
}

/// How variants are made of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariantRule {
    /// The change.
    pub kind: VariantKind,
    /// What random numbers are derived from.
    pub seed: u64,
    /// How many different texts are made of each query where that goes by chance, 1 or more.
    pub per_query: usize,
    /// The keyboard.
    pub keyboard: Keyboard,
    /// The language.
    pub language: QueryLanguage,
}

/// So often chance is tried for another text that is not there yet.
const TRIES: usize = 50;

impl VariantRule {
    /// A rule with seed 1, one text a query, a keyboard of the US and English function words.
    #[must_use]
    pub fn new(kind: VariantKind) -> Self {
        let (keyboard, language) = (Keyboard::default(), QueryLanguage::default());
        Self { kind, seed: 1, per_query: 1, keyboard, language }
    }

    /// The variants of a query, all different and none as the query is; none where there is nothing to change.
    /// They depend on the rule, the query's id and its text, and on nothing else.
    ///
    /// ```
    /// use rankgate::Query;
    /// use rankgate::collection::{VariantKind, VariantRule};
    ///
    /// let keywords = VariantRule::new(VariantKind::Keywords);
    /// assert_eq!(keywords.texts(&Query::new("q1", "How do I cancel my order?")), ["cancel order"]);
    /// assert!(keywords.texts(&Query::new("q2", "refund")).is_empty());
    /// ```
    #[must_use]
    pub fn texts(&self, query: &Query) -> Vec<String> {
        let text = query.text.as_str();
        match self.kind {
            VariantKind::Typos => self.by_chance(query, |rng| typos::typo(text, self.keyboard, rng)),
            VariantKind::WordOrder => self.by_chance(query, |rng| Some(reordered(text, rng))),
            VariantKind::Keywords => changed(text, words::keywords(text, self.language)),
            VariantKind::NoStopWords => changed(text, words::without_function_words(text, self.language)),
            VariantKind::Case => changed(text, letters::other_case(text)),
            VariantKind::Diacritics => changed(text, letters::without_diacritics(text, self.keyboard)),
            VariantKind::File => Vec::new(),
        }
    }

    fn by_chance(&self, query: &Query, make: impl Fn(&mut StreamRng) -> Option<String>) -> Vec<String> {
        let mut rng = Stream::new(self.seed).for_name(self.kind.as_str()).for_name(&query.id).rng(0);
        let mut made: Vec<String> = Vec::new();
        for _ in 0..self.per_query.saturating_mul(TRIES) {
            let Some(text) = make(&mut rng) else { break };
            if text != query.text && !made.contains(&text) {
                made.push(text);
            }
            if made.len() == self.per_query {
                break;
            }
        }
        made
    }
}

/// The one text that was made, if it is another one.
fn changed(from: &str, to: String) -> Vec<String> {
    if to.is_empty() || to == from { Vec::new() } else { vec![to] }
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
