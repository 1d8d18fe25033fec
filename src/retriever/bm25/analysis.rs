//! From text to the tokens that are indexed and searched for.

use tantivy::tokenizer::{
    AsciiFoldingFilter, LowerCaser, NgramTokenizer, RawTokenizer, RemoveLongFilter, SimpleTokenizer, Stemmer,
    TextAnalyzer, TextAnalyzerBuilder, WhitespaceTokenizer,
};

use crate::error::Quoted;
use crate::{Error, Result};

use super::words::lower;
use super::{Bm25Params, StopWords, Tokenizer};

/// Tokens of so many bytes and more are left out by `default`, as by tantivy's tokenizer of that name.
const LONG: usize = 40;

/// Longest n-gram, in characters: anything longer is a word, and a text of n characters has n times
/// `max - min + 1` of them.
const LONGEST_NGRAM: usize = 32;

/// The one analysis that documents and queries get.
///
/// Stop words go before folding and stemming, since lists are written in full words; folding comes
/// before stemming, so that words which fold to the same letters stem to the same token.
pub(super) fn analyzer(params: &Bm25Params) -> Result<TextAnalyzer> {
    let mut chain = lowered(params.tokenizer)?;
    if let Some(stop_words) = &params.stop_words {
        chain = chain.filter_dynamic(stop_words.filter()?);
        if let StopWords::Words(words) = stop_words {
            check_words(words, params.tokenizer)?;
        }
    }
    if params.ascii_folding {
        // Some letters that have no lower case fold to capitals.
        chain = chain.filter_dynamic(AsciiFoldingFilter).filter_dynamic(LowerCaser);
    }
    if let Some(language) = params.stemmer {
        chain = chain.filter_dynamic(Stemmer::new(language.engine()));
    }
    Ok(chain.build())
}

fn lowered(tokenizer: Tokenizer) -> Result<TextAnalyzerBuilder> {
    Ok(match tokenizer {
        Tokenizer::Default => {
            let simple = TextAnalyzer::builder(SimpleTokenizer::default());
            simple.filter(RemoveLongFilter::limit(LONG)).filter(LowerCaser).dynamic()
        }
        Tokenizer::Whitespace => {
            TextAnalyzer::builder(WhitespaceTokenizer::default()).filter(LowerCaser).dynamic()
        }
        Tokenizer::Raw => TextAnalyzer::builder(RawTokenizer::default()).filter(LowerCaser).dynamic(),
        Tokenizer::Ngram { min, max } => {
            if !(1 <= min && min <= max && max <= LONGEST_NGRAM) {
                return Err(Error::invalid(format!(
                    "`tokenizer`: n-grams of {min} to {max} characters: 1 <= min <= max <= {LONGEST_NGRAM} is allowed"
                )));
            }
            let ngrams = NgramTokenizer::all_ngrams(min, max).map_err(|e| Error::invalid(e.to_string()))?;
            TextAnalyzer::builder(ngrams).filter(LowerCaser).dynamic()
        }
    })
}

/// A stop word that the tokenizer never makes would be ignored in silence.
fn check_words(words: &[String], tokenizer: Tokenizer) -> Result<()> {
    let analyzer = lowered(tokenizer)?.build();
    for word in words {
        let made = tokens(&analyzer, word);
        if !made.contains(&lower(word)) {
            let made = if made.is_empty() {
                "nothing".to_owned()
            } else {
                made.iter().map(|token| Quoted(token).to_string()).collect::<Vec<_>>().join(", ")
            };
            return Err(Error::invalid(format!(
                "`stop-words`: {} can match no token: the tokenizer makes {made} of it",
                Quoted(word)
            )));
        }
    }
    Ok(())
}

/// The tokens of a text, in the order of the text; the raw tokenizer makes an empty one of no text.
pub(super) fn tokens(analyzer: &TextAnalyzer, text: &str) -> Vec<String> {
    let mut analyzer = analyzer.clone();
    let mut stream = analyzer.token_stream(text);
    let mut tokens = Vec::new();
    stream.process(&mut |token| {
        if !token.text.is_empty() {
            tokens.push(token.text.clone());
        }
    });
    tokens
}
