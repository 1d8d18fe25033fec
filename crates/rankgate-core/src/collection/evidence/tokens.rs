//! Tokens of a model in passages, by which budgets are counted.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;

use super::text::SourceText;
use crate::collection::Passage;
use crate::{Error, Result};

/// Splits texts into the tokens of a model. Assertions on an evaluation are caught as panics, and it goes with them.
pub trait Tokenizer: Send + Sync + RefUnwindSafe + UnwindSafe + fmt::Debug {
    /// Where each token of a text ends, in bytes, in the order of the tokens.
    ///
    /// # Errors
    /// A text that it cannot split.
    fn token_ends(&self, text: &str) -> Result<Vec<usize>>;

    /// What says which one it is: its file, and the file's hash.
    fn name(&self) -> &str;
}

/// The tokens of passages, each split once.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) tokenizer: Arc<dyn Tokenizer>,
    /// Where tokens end, in characters of the passage, by passage.
    known: Mutex<HashMap<Passage, Arc<Vec<usize>>, RandomState>>,
}

impl Tokens {
    pub(super) fn new(tokenizer: Arc<dyn Tokenizer>) -> Self {
        Self { tokenizer, known: Mutex::default() }
    }

    /// The part of a passage that its first `most` tokens are, and how many these are.
    pub(super) fn first(
        &self,
        source: &SourceText,
        passage: &Passage,
        most: usize,
    ) -> Result<(usize, Range<usize>)> {
        let ends = self.ends(source, passage)?;
        if ends.len() <= most {
            return Ok((ends.len(), passage.start..passage.end));
        }
        // A character may be several tokens, the last of which are beyond the budget: it counts as whole.
        let end = most.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(0);
        Ok((most, passage.start..passage.start + end))
    }

    /// Where the tokens of a passage end, in characters of it.
    fn ends(&self, source: &SourceText, passage: &Passage) -> Result<Arc<Vec<usize>>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ends) = known().get(passage) {
            return Ok(Arc::clone(ends));
        }
        let text = source.part(&(passage.start..passage.end));
        let ends = self.tokenizer.token_ends(text).map_err(|error| {
            Error::invalid(format!("{} cannot split {passage} into tokens: {error}", self.tokenizer.name()))
        })?;
        let ends = Arc::new(characters(text, ends));
        known().insert(passage.clone(), Arc::clone(&ends));
        Ok(ends)
    }
}

/// How many tokens a text has.
pub(in crate::collection) fn count_tokens(tokenizer: &dyn Tokenizer, text: &str) -> Result<usize> {
    let ends = tokenizer.token_ends(text);
    let ends = ends.map_err(|error| {
        Error::invalid(format!("{} cannot split a text into tokens: {error}", tokenizer.name()))
    })?;
    Ok(ends.len())
}

/// Places in bytes as numbers of characters before them; a place inside of a character is behind it.
fn characters(text: &str, mut places: Vec<usize>) -> Vec<usize> {
    // Special tokens may be anywhere; the text is read in its order.
    places.sort_unstable();
    let (mut byte, mut count) = (0, 0);
    let mut rest = text.chars();
    let of_place = |place: usize| {
        while byte < place {
            let Some(next) = rest.next() else { break };
            byte += next.len_utf8();
            count += 1;
        }
        count
    };
    places.into_iter().map(of_place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte is a token, and `x` cannot be split.
    #[derive(Debug)]
    struct Bytes;

    impl Tokenizer for Bytes {
        fn token_ends(&self, text: &str) -> Result<Vec<usize>> {
            match text {
                "x" => Err(Error::invalid("no such letter")),
                _ => Ok((1..=text.len()).collect()),
            }
        }

        fn name(&self) -> &str {
            "bytes"
        }
    }

    #[test]
    fn a_budget_ends_behind_a_character() {
        let source = SourceText::new("aé€x".to_owned());
        let tokens = Tokens::new(Arc::new(Bytes));
        let first = |start, end, most| tokens.first(&source, &Passage::new("d", start..end), most);
        // a is byte 1, é bytes 2 and 3, € bytes 4 to 6
        for (most, expected) in
            [(0, (0, 0..0)), (1, (1, 0..1)), (2, (2, 0..2)), (3, (3, 0..2)), (4, (4, 0..3)), (9, (6, 0..3))]
        {
            assert_eq!(first(0, 3, most).unwrap(), expected, "{most}");
        }
        assert_eq!(first(1, 3, 1).unwrap(), (1, 1..2));
        let error = first(3, 4, 1).unwrap_err().to_string();
        assert_eq!(error, "bytes cannot split d#char=3,4 into tokens: no such letter");
    }
}
