//! Words of a query: which may be changed, and which carry its meaning.

use std::ops::Range;

use super::QueryLanguage;
use super::function_words::is_function_word;

/// A word between blanks, without the punctuation around it.
pub(super) fn core(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a word is a number, a code or a name that a computer knows: it has digits, punctuation inside, or
/// capitals where sentences have none.
pub(super) fn is_code(word: &str) -> bool {
    let inner = |c: char| c.is_alphabetic() || is_joint(c) || is_mark(c);
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let first = word.chars().next().is_some_and(char::is_uppercase);
    !word.chars().all(inner) || (capitals > usize::from(first))
}

/// What joins the parts of a word: `sign-in`, `don't`.
fn is_joint(c: char) -> bool {
    matches!(c, '-' | '\'' | '\u{2019}' | '\u{2010}')
}

/// A mark that belongs to the letter before it.
pub(super) fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// Where the words stand that are no codes, joined ones by their parts.
pub(super) fn places(text: &str) -> Vec<Range<usize>> {
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let words = text.split_whitespace().map(core).filter(|word| !word.is_empty() && !is_code(word));
    let parts = words.flat_map(|word| word.split(is_joint)).filter(|part| !part.is_empty());
    parts.map(|part| offset(part)..offset(part) + part.len()).collect()
}

/// The words that carry the meaning, in lower case but for codes, each once.
pub(super) fn keywords(text: &str, language: QueryLanguage) -> String {
    let mut kept: Vec<String> = Vec::new();
    for word in text.split_whitespace().map(core) {
        let shown = if is_code(word) { word.to_owned() } else { word.to_lowercase() };
        if !word.is_empty() && !is_function_word(word, language) && !kept.contains(&shown) {
            kept.push(shown);
        }
    }
    kept.join(" ")
}
