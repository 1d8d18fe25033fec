//! From text to the tokens that are indexed and searched for.

use std::borrow::Cow;
use std::collections::HashSet;

use rust_stemmers::{Algorithm, Stemmer};

use crate::words::keywords;

use super::{Bm25Params, Tokenizer};

/// The list of Lucene's `EnglishAnalyzer`.
pub(super) const ENGLISH: &str = "a an and are as at be but by for if in into is it no not of on or such that the their \
                                  then there these they this to was will with";

/// Declares the languages with a Snowball stemmer, each by its name in the stemmers.
macro_rules! languages {
    ($($language:ident = $word:literal,)+) => {
        keywords! {
            /// A language with a Snowball stemmer.
            #[non_exhaustive]
            pub enum Language {
                $(#[doc = $word] $language = $word,)+
            }
        }

        impl Language {
            fn algorithm(self) -> Algorithm {
                match self {
                    $(Self::$language => Algorithm::$language,)+
                }
            }
        }
    };
}

languages! {
    Arabic = "arabic",
    Danish = "danish",
    Dutch = "dutch",
    English = "english",
    Finnish = "finnish",
    French = "french",
    German = "german",
    Greek = "greek",
    Hungarian = "hungarian",
    Italian = "italian",
    Norwegian = "norwegian",
    Portuguese = "portuguese",
    Romanian = "romanian",
    Russian = "russian",
    Spanish = "spanish",
    Swedish = "swedish",
    Tamil = "tamil",
    Turkish = "turkish",
}

/// Returns true if most letters of a text are of scripts that put no space between words: Thai to Khmer, kana and Han.
pub fn is_without_spaces(text: &str) -> bool {
    let is_spaceless = |letter: &char| {
        matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
            || matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
    };
    let letters: Vec<char> = text.chars().filter(|letter| letter.is_alphabetic()).collect();
    2 * letters.iter().filter(|letter| is_spaceless(letter)).count() > letters.len()
}

/// The one analysis that documents and queries get: tokens in lower case, without stop words, stemmed.
pub(super) struct Analyzer {
    tokenizer: Tokenizer,
    stopwords: HashSet<String>,
    stemmer: Option<Stemmer>,
}

impl Analyzer {
    pub(super) fn new(params: &Bm25Params) -> Self {
        let stopwords = params.stopwords.iter().map(|word| lower(word)).collect();
        let stemmer = params.stemmer.map(|language| Stemmer::create(language.algorithm()));
        Self { tokenizer: params.tokenizer, stopwords, stemmer }
    }

    /// The tokens of a text, in the order of the text.
    pub(super) fn tokens(&self, text: &str) -> Vec<String> {
        let lowered = raw(self.tokenizer, text).into_iter().map(lower);
        let kept = lowered.filter(|token| !self.stopwords.contains(token));
        let stemmed = kept.map(|token| match self.stemmer.as_ref().map(|stemmer| stemmer.stem(&token)) {
            Some(Cow::Owned(stem)) => stem,
            Some(Cow::Borrowed(stem)) => stem.to_owned(),
            None => token,
        });
        stemmed.collect()
    }
}

/// Letter by letter, so that a final sigma is no special case.
pub(super) fn lower(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).collect()
}

pub(super) fn raw(tokenizer: Tokenizer, text: &str) -> Vec<&str> {
    match tokenizer {
        Tokenizer::Words => {
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
        }
        Tokenizer::Ngram { min, max } => {
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let from = |first: usize| {
                let ends = starts.iter().skip(first + min).take(max + 1 - min);
                let start = starts[first];
                ends.map(move |end| &text[start..*end])
            };
            (0..starts.len()).flat_map(from).collect()
        }
    }
}
