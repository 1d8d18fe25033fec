//! What a team may choose about BM25.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::Quoted;
use crate::{Error, Result};

use super::analysis;
use super::{Language, StopWords};

/// Boosts outside of this would drown a field, or every other one, in rounding.
const BOOSTS: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

/// Searched where `fields` is not given; a corpus may have no titles.
const DEFAULT_FIELDS: [&str; 2] = ["title", "text"];

/// Parameters of the built-in BM25 (`params:` of `builtin: bm25`).
///
/// | key | value | default |
/// |---|---|---|
/// | `tokenizer` | `default`, `whitespace`, `raw` or `ngram: {min, max}`: see [`Tokenizer`] | `default` |
/// | `stemmer` | a [`Language`]; words are cut to their stems | no stemming |
/// | `stop-words` | a [`Language`] or a list of words; left out of documents and queries | none |
/// | `ascii-folding` | `true`: `é` is searched as `e`, `ß` as `ss` | `false` |
/// | `fields` | searched fields: `title`, `text`, any metadata key | `[title, text]` |
/// | `boosts` | a factor per field, from 0.001 to 1000 | 1 each |
///
/// Text is always put in lower case. The order is: tokenizer, lower case, stop words, ASCII folding,
/// stemmer; documents and queries go the same way. There is no Unicode normalisation.
///
/// k1 = 1.2 and b = 0.75 are constants of the engine and no parameters.
///
/// ```
/// # fn main() -> Result<(), serde_json::Error> {
/// use rankgate::retriever::{Bm25Params, Language, StopWords};
///
/// let params: Bm25Params = serde_json::from_str(
///     r#"{"stemmer": "english", "stop-words": ["the", "of"], "boosts": {"title": 2.0}}"#,
/// )?;
/// assert_eq!(params.stemmer, Some(Language::English));
/// assert_eq!(params.stop_words, Some(StopWords::Words(vec!["the".into(), "of".into()])));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Bm25Params {
    /// How text is cut into tokens.
    pub tokenizer: Tokenizer,
    /// The language whose stemmer words go through; `None`: they stay as they are.
    pub stemmer: Option<Language>,
    /// Words that are left out.
    pub stop_words: Option<StopWords>,
    /// Whether letters are replaced by what comes next to them in ASCII.
    pub ascii_folding: bool,
    /// The fields that are searched; their scores are summed. `None`: title and text, and no error
    /// where no document has a title.
    pub fields: Option<Vec<String>>,
    /// What the score of a field is multiplied by; 1 for fields that are not named.
    pub boosts: BTreeMap<String, f64>,
}

/// How text is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Tokenizer {
    /// Runs of letters and digits, of less than 40 bytes each: longer ones are left out. Combining
    /// marks separate: scripts that need them inside words (Hindi, Tamil) want
    /// [`Whitespace`](Self::Whitespace), scripts without spaces between words (Chinese, Japanese,
    /// Thai) want [`Ngram`](Self::Ngram).
    #[default]
    Default,
    /// Runs of anything but ASCII white space, punctuation included.
    Whitespace,
    /// The whole field as one token.
    Raw,
    /// Every run of `min` to `max` characters, white space included, across words;
    /// 1 <= min <= max <= 32.
    Ngram {
        /// Length of the shortest, in characters.
        min: usize,
        /// Length of the longest, in characters.
        max: usize,
    },
}

impl Bm25Params {
    /// Whether these parameters can be built with, the documents aside. Parameters that were
    /// deserialized have been checked.
    ///
    /// # Errors
    ///
    /// A boost outside of 0.001 to 1000 or for a field that is not searched, no field, a field
    /// named twice, n-grams outside of 1 to 32 characters, a language without a list of stop words,
    /// a stop word that the tokenizer never makes.
    pub fn check(&self) -> Result<()> {
        let fields = self.searched();
        let list = fields.iter().map(|field| Quoted(field).to_string()).collect::<Vec<_>>().join(", ");
        if fields.is_empty() {
            return Err(Error::invalid("`fields` names no field"));
        }
        for (index, field) in fields.iter().enumerate() {
            if fields[..index].contains(field) {
                return Err(Error::invalid(format!("`fields` names {} twice", Quoted(field))));
            }
        }
        for (field, boost) in &self.boosts {
            let field = field.as_str();
            if !fields.contains(&field) {
                return Err(Error::invalid(format!(
                    "`boosts` names {}, which is not searched; `fields` are {list}",
                    Quoted(field)
                )));
            }
            if !BOOSTS.contains(boost) {
                return Err(Error::invalid(format!(
                    "`boosts`: {boost} for {} is not a number from {} to {}",
                    Quoted(field),
                    BOOSTS.start(),
                    BOOSTS.end()
                )));
            }
        }
        analysis::analyzer(self)?;
        Ok(())
    }

    pub(super) fn searched(&self) -> Vec<&str> {
        match &self.fields {
            Some(fields) => fields.iter().map(String::as_str).collect(),
            None => DEFAULT_FIELDS.to_vec(),
        }
    }
}

/// The parameters as they were written.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Unchecked {
    tokenizer: Tokenizer,
    stemmer: Option<Language>,
    stop_words: Option<StopWords>,
    ascii_folding: bool,
    fields: Option<Vec<String>>,
    boosts: BTreeMap<String, f64>,
}

impl TryFrom<Unchecked> for Bm25Params {
    type Error = Error;

    fn try_from(written: Unchecked) -> Result<Self> {
        let Unchecked { tokenizer, stemmer, stop_words, ascii_folding, fields, boosts } = written;
        let params = Self { tokenizer, stemmer, stop_words, ascii_folding, fields, boosts };
        params.check()?;
        Ok(params)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_yaml() {
        let written = "{tokenizer: {ngram: {min: 2, max: 3}}, stemmer: german, stop-words: german, \
                       ascii-folding: true, fields: [text, lang], boosts: {lang: 2}}";
        let read = Bm25Params {
            tokenizer: Tokenizer::Ngram { min: 2, max: 3 },
            stemmer: Some(Language::German),
            stop_words: Some(StopWords::Language(Language::German)),
            ascii_folding: true,
            fields: Some(vec!["text".into(), "lang".into()]),
            boosts: BTreeMap::from([("lang".into(), 2.0)]),
        };
        assert_eq!(serde_yaml::from_str::<Bm25Params>(written).unwrap(), read);
        assert_eq!(serde_yaml::from_str::<Bm25Params>("{}").unwrap(), Bm25Params::default());
        let raw = Bm25Params { tokenizer: Tokenizer::Raw, ..Bm25Params::default() };
        assert_eq!(serde_yaml::from_str::<Bm25Params>("tokenizer: raw").unwrap(), raw);
    }

    #[test]
    fn an_error_says_what_is_allowed() {
        let cases: [(&str, &[&str]); 22] = [
            ("k1: 0.9", &["k1", "tokenizer", "stemmer", "stop-words", "ascii-folding", "fields", "boosts"]),
            ("stop_words: english", &["stop_words", "stop-words"]),
            ("stemmer: klingon", &["klingon", "arabic", "english", "turkish"]),
            ("stemmer: English", &["English", "english"]),
            ("tokenizer: icu", &["icu", "default", "whitespace", "raw", "ngram"]),
            ("tokenizer: {ngram: {min: 2}}", &["max"]),
            ("tokenizer: {ngram: {min: 2, max: 3, prefix: true}}", &["prefix", "min", "max"]),
            ("tokenizer: {ngram: {min: 0, max: 3}}", &["0 to 3", "1 <= min <= max <= 32"]),
            ("tokenizer: {ngram: {min: 3, max: 2}}", &["3 to 2", "1 <= min <= max <= 32"]),
            ("tokenizer: {ngram: {min: 3, max: 33}}", &["3 to 33", "1 <= min <= max <= 32"]),
            ("stop-words: klingon", &["klingon", "english"]),
            ("stop-words: greek", &["no list of stop words for greek, only for danish, dutch, english,"]),
            ("stop-words: 7", &["a language or a list of words"]),
            (
                "stop-words: [\"don't\"]",
                &["`don't` can match no token: the tokenizer makes `don`, `t` of it"],
            ),
            ("stop-words: [\"\"]", &["`` can match no token: the tokenizer makes nothing of it"]),
            ("fields: []", &["`fields` names no field"]),
            ("fields: [text, text]", &["`fields` names `text` twice"]),
            (
                "boosts: {body: 2}",
                &["`boosts` names `body`, which is not searched; `fields` are `title`, `text`"],
            ),
            ("{fields: [text], boosts: {title: 2}}", &["`boosts` names `title`", "`fields` are `text`"]),
            ("boosts: {title: 0}", &["0 for `title` is not a number from 0.001 to 1000"]),
            ("boosts: {title: -1}", &["-1 for `title` is not a number from 0.001 to 1000"]),
            ("boosts: {title: .nan}", &["NaN for `title` is not a number from 0.001 to 1000"]),
        ];
        for (yaml, parts) in cases {
            let error = serde_yaml::from_str::<Bm25Params>(yaml).unwrap_err().to_string();
            for part in parts {
                assert!(error.contains(part), "{yaml}\n{error}\nexpected {part}");
            }
        }
    }
}
