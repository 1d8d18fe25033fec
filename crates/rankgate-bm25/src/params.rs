//! What a team may choose about BM25.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::Quoted;
use crate::{Error, Result};

use super::Language;
use super::tokens::{ENGLISH, lower, raw};

/// Boosts outside of this would drown a field, or every other one, in rounding.
const BOOSTS: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

/// Searched by default; a corpus may have no titles.
const DEFAULT_FIELDS: [&str; 2] = ["title", "text"];

/// Longest n-gram, in characters: anything longer is a word, and a text of n characters has n times
/// `max - min + 1` of them.
const LONGEST_NGRAM: usize = 32;

/// Parameters of the built-in BM25 (`params:` of `builtin: bm25`).
///
/// | key | value | default |
/// |---|---|---|
/// | `k1` | how much a second occurrence of a word adds: 0 or more | 1.2 |
/// | `b` | how much a long document is held back: 0 to 1 | 0.75 |
/// | `tokenizer` | `words` or `ngram: {min, max}`: see [`Tokenizer`] | `words` |
/// | `stemmer` | a [`Language`]; words are cut to their stems | no stemming |
/// | `stopwords` | `english` (Lucene's 33 words) or a list of words; left out of documents and queries | none |
/// | `fields` | searched fields: `title`, `text`, any metadata key | `[title, text]` |
/// | `boosts` | a factor per field, from 0.001 to 1000 | 1 each |
///
/// Text is always put in lower case. The order is: tokenizer, lower case, stop words, stemmer; documents and queries
/// go the same way. There is no Unicode normalisation.
///
/// ```
/// # fn main() -> Result<(), serde_json::Error> {
/// use rankgate::retriever::{Bm25Params, Language};
///
/// let params: Bm25Params = serde_json::from_str(
///     r#"{"k1": 0.9, "stemmer": "english", "stopwords": ["the", "of"], "boosts": {"title": 2.0}}"#,
/// )?;
/// assert_eq!((params.k1, params.b), (0.9, 0.75));
/// assert_eq!(params.stemmer, Some(Language::English));
/// assert_eq!(params.stopwords, ["the", "of"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bm25Params {
    /// How much a second occurrence of a word adds.
    pub k1: f64,
    /// How much a long document is held back.
    pub b: f64,
    /// How text is cut into tokens.
    pub tokenizer: Tokenizer,
    /// The language whose stemmer words go through; `None`: they stay as they are.
    pub stemmer: Option<Language>,
    /// Words that are left out.
    pub stopwords: Vec<String>,
    /// The fields that are searched; their scores are summed. `None`: title and text, and no error
    /// if no document has a title.
    pub fields: Option<Vec<String>>,
    /// The factor of a field's score; 1 for fields that are not named.
    pub boosts: BTreeMap<String, f64>,
}

/// How text is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tokenizer {
    /// Runs of letters and digits. Scripts without spaces between words (Chinese, Japanese, Thai) want
    /// [`Ngram`](Self::Ngram).
    #[default]
    Words,
    /// Every run of `min` to `max` characters, white space included, across words;
    /// 1 <= min <= max <= 32.
    Ngram {
        /// Length of the shortest, in characters.
        min: usize,
        /// Length of the longest, in characters.
        max: usize,
    },
}

impl Default for Bm25Params {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.75,
            tokenizer: Tokenizer::default(),
            stemmer: None,
            stopwords: Vec::new(),
            fields: None,
            boosts: BTreeMap::new(),
        }
    }
}

impl Bm25Params {
    /// Checks that an index can be built with these parameters. Deserialized parameters have been checked.
    ///
    /// # Errors
    ///
    /// A number outside of its range, a boost for a field that is not searched, no field, a field named twice, a stop
    /// word that the tokenizer never makes.
    pub fn check(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::invalid(message));
        let fields = self.searched();
        let list = fields.iter().map(|field| Quoted(field).to_string()).collect::<Vec<_>>().join(", ");
        if !(self.k1 >= 0.0 && self.k1.is_finite()) {
            return invalid(format!("`k1`: {} is not a number of 0 or more", self.k1));
        }
        if !(0.0..=1.0).contains(&self.b) {
            return invalid(format!("`b`: {} is not a number from 0 to 1", self.b));
        }
        if let Tokenizer::Ngram { min, max } = self.tokenizer
            && !(1 <= min && min <= max && max <= LONGEST_NGRAM)
        {
            return invalid(format!(
                "`tokenizer`: n-grams of {min} to {max} characters: 1 <= min <= max <= {LONGEST_NGRAM} is allowed"
            ));
        }
        // A stop word that the tokenizer never makes would be ignored in silence.
        if let Some(word) =
            self.stopwords.iter().find(|word| !raw(self.tokenizer, word).contains(&word.as_str()))
        {
            return invalid(format!(
                "`stopwords`: the tokenizer never makes {} of a text",
                Quoted(&lower(word))
            ));
        }
        if fields.is_empty() {
            return invalid("`fields` names no field".to_owned());
        }
        if let Some((_, field)) = fields.iter().enumerate().find(|(at, field)| fields[..*at].contains(field))
        {
            return invalid(format!("`fields` names {} twice", Quoted(field)));
        }
        for (field, boost) in &self.boosts {
            let quoted = Quoted(field);
            if !fields.contains(&field.as_str()) {
                return invalid(format!(
                    "`boosts` names {quoted}, which is not searched; `fields` are {list}"
                ));
            }
            if !BOOSTS.contains(boost) {
                let (least, most) = (BOOSTS.start(), BOOSTS.end());
                return invalid(format!(
                    "`boosts`: {boost} for {quoted} is not a number from {least} to {most}"
                ));
            }
        }
        Ok(())
    }

    pub(super) fn searched(&self) -> Vec<&str> {
        match &self.fields {
            Some(fields) => fields.iter().map(String::as_str).collect(),
            None => DEFAULT_FIELDS.to_vec(),
        }
    }
}

/// By hand, as is all below: serde's derive macros would hold up the build of everybody who tests with rankgate.
impl<'de> Deserialize<'de> for Bm25Params {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Written)
    }
}

struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Bm25Params;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters of BM25")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bm25Params, A::Error> {
        let mut params = Bm25Params::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "k1" => params.k1 = map.next_value()?,
                "b" => params.b = map.next_value()?,
                "tokenizer" => params.tokenizer = map.next_value()?,
                "stemmer" => params.stemmer = Some(map.next_value()?),
                "stopwords" => params.stopwords = map.next_value::<Stopwords>()?.0,
                "fields" => params.fields = Some(map.next_value()?),
                "boosts" => params.boosts = map.next_value()?,
                unknown => return Err(A::Error::unknown_field(unknown, KEYS)),
            }
        }
        params.check().map_err(A::Error::custom)?;
        Ok(params)
    }
}

const KEYS: &[&str] = &["k1", "b", "tokenizer", "stemmer", "stopwords", "fields", "boosts"];

impl<'de> Deserialize<'de> for Tokenizer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = Value::deserialize(from)?;
        let ngram = || {
            let (outer, inner) = (written.as_object()?, written.get("ngram")?.as_object()?);
            let number = |key: &str| inner.get(key)?.as_u64().and_then(|number| usize::try_from(number).ok());
            let has_no_more = outer.len() == 1 && inner.len() == 2;
            has_no_more.then_some(())?;
            Some(Self::Ngram { min: number("min")?, max: number("max")? })
        };
        match written.as_str() {
            Some("words") => Ok(Self::Words),
            _ => ngram().ok_or_else(|| {
                D::Error::custom(format!(
                    "expected `words` or `{{ngram: {{min: 3, max: 5}}}}`, found {written}"
                ))
            }),
        }
    }
}

struct Stopwords(Vec<String>);

impl<'de> Deserialize<'de> for Stopwords {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = Value::deserialize(from)?;
        let words = match &written {
            Value::Array(words) => words.iter().map(|word| word.as_str().map(str::to_owned)).collect(),
            name if name == "english" => Some(ENGLISH.split(' ').map(str::to_owned).collect()),
            _ => None,
        };
        words.map(Self).ok_or_else(|| {
            D::Error::custom(format!("expected `english` or a list of words, found {written}"))
        })
    }
}
