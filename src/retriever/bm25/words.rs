//! Languages, and the words that are left out because every document has them.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use tantivy::tokenizer::{self as engine, StopWordFilter};

use crate::{Error, Result};

/// Declares the languages, which the engine calls the same.
macro_rules! languages {
    ($($name:ident)+) => {
        /// A language that words can be stemmed in, with a Snowball stemmer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum Language {
            $($name,)+
        }

        impl Language {
            const ALL: &[Self] = &[$(Self::$name,)+];

            pub(super) fn engine(self) -> engine::Language {
                match self {
                    $(Self::$name => engine::Language::$name,)+
                }
            }
        }
    };
}

languages! {
    Arabic Danish Dutch English Finnish French German Greek Hungarian Italian Norwegian Portuguese Romanian
    Russian Spanish Swedish Tamil Turkish
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// Words that are neither indexed nor searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopWords {
    /// The engine's list for a language: Lucene's 33 words for English, Snowball's lists for the
    /// others. There is none for Arabic, Greek, Romanian, Tamil and Turkish.
    Language(Language),
    /// These words, in lower or upper case.
    Words(Vec<String>),
}

impl StopWords {
    /// The filter that leaves these words out.
    pub(super) fn filter(&self) -> Result<StopWordFilter> {
        match self {
            Self::Language(language) => StopWordFilter::new(language.engine()).ok_or_else(|| {
                let listed = Language::ALL.iter().filter(|l| StopWordFilter::new(l.engine()).is_some());
                let listed = listed.map(Language::to_string).collect::<Vec<_>>().join(", ");
                Error::invalid(format!(
                    "there is no list of stop words for {language}, only for {listed}; \
                     words of one's own are given as a list"
                ))
            }),
            // Tokens are in lower case by the time they are compared.
            Self::Words(words) => Ok(StopWordFilter::remove(words.iter().map(|word| lower(word)))),
        }
    }
}

/// A word as the engine lowers it: letter by letter, so that a final sigma is no special case.
pub(super) fn lower(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).collect()
}

impl<'de> Deserialize<'de> for StopWords {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(LanguageOrWords)
    }
}

/// Written by hand because an untagged enum's error would not name the languages.
struct LanguageOrWords;

impl<'de> Visitor<'de> for LanguageOrWords {
    type Value = StopWords;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a language or a list of words")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<StopWords, E> {
        let language = Language::deserialize(StrDeserializer::<E>::new(name))?;
        let words = StopWords::Language(language);
        words.filter().map_err(E::custom)?;
        Ok(words)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<StopWords, A::Error> {
        let mut words = Vec::new();
        while let Some(word) = list.next_element()? {
            words.push(word);
        }
        Ok(StopWords::Words(words))
    }
}
