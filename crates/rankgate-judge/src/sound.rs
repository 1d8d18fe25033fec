//! Whether an answer is one that metrics can be computed of.

use std::collections::BTreeSet;

use rankgate::retriever::{Answer, CitedSentence, Context};

use crate::error::Quoted;

/// Whether contexts have names of their own, and citations leave nothing of the answer out.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check(answer: &Answer) -> Result<(), String> {
    check_contexts(answer.contexts.iter().flatten())?;
    check_citations(&answer.text, answer.citations.as_deref())
}

/// Whether each context has a name of its own.
///
/// # Errors
/// A context without a name, one that comes twice.
fn check_contexts<'a>(contexts: impl Iterator<Item = &'a Context>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for one in contexts {
        if one.id.is_empty() {
            return Err("a context has an empty id".to_owned());
        }
        if !seen.insert(&one.id) {
            return Err(format!("the context {} comes twice", Quoted(&one.id)));
        }
    }
    Ok(())
}

/// Whether the cited sentences are those of the answer, in its order: what stood in none of them would be a sentence that no
/// metric counts.
///
/// # Errors
/// A sentence that is not there or says nothing, a document that it cites twice or that has no id, a part of the answer that is no
/// sentence of the list.
fn check_citations(text: &str, citations: Option<&[CitedSentence]>) -> Result<(), String> {
    let Some(citations) = citations else { return Ok(()) };
    // Marks such as `[1]` stand between sentences or in them.
    let says_something = |part: &str| {
        let mut is_mark = false;
        part.chars().any(|c| {
            is_mark = match c {
                '[' => true,
                ']' => false,
                _ => is_mark,
            };
            !is_mark && c.is_alphanumeric()
        })
    };
    let left_out = |part: &str| match says_something(part) {
        true => Err(format!("its `citations` leave out {}", Quoted(part.trim()))),
        false => Ok(()),
    };
    let mut rest = text;
    for CitedSentence { sentence, documents, .. } in citations {
        if !says_something(sentence) {
            return Err(format!("a sentence of its `citations` says nothing: {}", Quoted(sentence)));
        }
        let Some(at) = rest.find(sentence.as_str()) else {
            return Err(format!("a sentence of its `citations` is not the answer's: {}", Quoted(sentence)));
        };
        left_out(&rest[..at])?;
        rest = &rest[at + sentence.len()..];
        let mut seen = BTreeSet::new();
        for document in documents {
            if document.is_empty() {
                return Err(format!("{} cites a document with an empty id", Quoted(sentence)));
            }
            if !seen.insert(document) {
                return Err(format!("{} cites {} twice", Quoted(sentence), Quoted(document)));
            }
        }
    }
    left_out(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_of_an_answer_stands_in_its_citations() {
        let text = "The fee is 5 EUR. [1] Pay it soon [2][3].";
        let check = |sentences: &[(&str, &[&str])]| {
            let cited = |(sentence, documents): &(&str, &[&str])| {
                CitedSentence::new(*sentence, documents.iter().copied())
            };
            check_citations(text, Some(&sentences.iter().map(cited).collect::<Vec<_>>()))
        };
        let (first, second) = ("The fee is 5 EUR.", "Pay it soon");
        assert_eq!(check(&[(first, &["a"]), (second, &["b", "c"])]), Ok(()));
        assert_eq!(check(&[(first, &[]), ("Pay it soon [2][3].", &[])]), Ok(()));
        assert_eq!(check_citations(text, None), Ok(()));
        assert_eq!(check_citations("", Some(&[])), Ok(()));
        for (sentences, why) in [
            (&[(first, &["a"][..])][..], "its `citations` leave out `[1] Pay it soon [2][3].`"),
            (&[(second, &["a"])], "its `citations` leave out `The fee is 5 EUR. [1]`"),
            (&[(second, &["a"]), (first, &["a"])], "its `citations` leave out"),
            (&[(first, &["a"]), ("Pay soon", &["b"])], "is not the answer's: `Pay soon`"),
            (&[(first, &["a"]), ("[2]", &["b"])], "says nothing: `[2]`"),
            (&[(first, &["a", "a"])], "`The fee is 5 EUR.` cites `a` twice"),
            (&[(first, &[""])], "cites a document with an empty id"),
        ] {
            let error = check(sentences).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
