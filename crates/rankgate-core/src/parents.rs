//! Parents: which document a chunk belongs to, and what a ranking of chunks is as one of documents.

use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::RandomState;
use regex_lite::Regex;

use crate::error::Quoted;
use crate::input::{HashIds, Source};
use crate::stats;
use crate::words::keywords;
use crate::{Error, Result};

keywords! {
    /// What the chunks of a document make of its rank and its score.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Keep {
        /// Rank and score of its first chunk, as MaxP does.
        #[default]
        First = "first",
        /// The highest score of its chunks; documents are ordered by that.
        Best = "best",
        /// The sum of the scores of its chunks; documents are ordered by that.
        Sum = "sum",
    }
}

/// Which document each chunk belongs to, and how a ranking of chunks is read as one of documents.
///
/// Judgments of documents then score a retriever that returns chunks. With [`Keep::First`] that is MaxP (Dai and Callan,
/// SIGIR 2019), and what Anserini's `-selectMaxPassage` writes.
///
/// ```
/// use rankgate::Hit;
/// use rankgate::run::{Keep, Parents};
///
/// let chunks = [("faq#2", 9.0), ("news#1", 8.0), ("faq#1", 7.0)].map(|(id, score)| Hit::new(id, score));
/// let parents = Parents::pattern(r"^(.+)#\d+$")?;
/// assert_eq!(parents.documents(&chunks)?, [Hit::new("faq", 9.0), Hit::new("news", 8.0)]);
/// assert_eq!(parents.keep(Keep::Sum).documents(&chunks)?, [Hit::new("faq", 16.0), Hit::new("news", 8.0)]);
///
/// let error = Parents::pattern(r"^(.+)#\d+$")?.document("faq-2").unwrap_err();
/// assert_eq!(error.to_string(), "`faq-2` belongs to no document: it does not match `^(.+)#\\d+$`");
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parents {
    by: By,
    keep: Keep,
}

#[derive(Clone, Debug)]
enum By {
    Pattern(Regex),
    /// Documents by chunk, and where they are listed.
    List(HashMap<String, String, RandomState>, String),
}

impl Parents {
    /// Chunks whose ids hold that of their document: what the first group in parentheses of a regular expression
    /// matches.
    ///
    /// # Errors
    ///
    /// What is no regular expression (syntax of the crate `regex-lite`), and one without a group.
    pub fn pattern(pattern: &str) -> Result<Self> {
        let regex = Regex::new(pattern).map_err(|error| {
            Error::invalid(format!("{} is no regular expression: {error}", Quoted(pattern)))
        })?;
        if regex.captures_len() < 2 {
            let message =
                "has no group in parentheses, which is to match the document's id, as in `^(.+)#\\d+$`";
            return Err(Error::invalid(format!("{} {message}", Quoted(pattern))));
        }
        Ok(Self { by: By::Pattern(regex), keep: Keep::default() })
    }

    /// Reads a file that lists chunks: chunk, tab, document. It may be compressed.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; a line without a tab or with an empty id; a chunk that comes twice.
    pub fn read(path: &Path) -> Result<Self> {
        let mut lines = Source::from(path).lines()?;
        let mut documents: HashMap<String, String, RandomState> = HashMap::default();
        let mut ids = HashIds::default();
        while let Some(line) = lines.next_data()? {
            ids.see(line)?;
            let (chunk, document) = match line.text.split_once('\t') {
                Some((chunk, document)) if !document.contains('\t') => (chunk, document),
                _ => return Err(line.error("expected the id of a chunk, a tab and the id of its document")),
            };
            if chunk.is_empty() || document.is_empty() {
                return Err(line.error("an id is empty"));
            }
            if documents.insert(chunk.to_owned(), document.to_owned()).is_some() {
                return Err(line.error(format!("chunk {} again", Quoted(chunk))));
            }
        }
        if documents.is_empty() {
            return Err(Error::in_file(path, "no chunk is listed"));
        }
        Ok(Self { by: By::List(documents, path.display().to_string()), keep: Keep::default() })
    }

    /// Chunks that somebody lists with their documents; errors call the list by `name`.
    pub fn from_pairs(name: impl Into<String>, pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { by: By::List(pairs.into_iter().collect(), name.into()), keep: Keep::default() }
    }

    /// What the chunks of a document make of its rank and its score.
    #[must_use]
    pub fn keep(self, keep: Keep) -> Self {
        Self { keep, ..self }
    }

    /// The document that a chunk belongs to.
    ///
    /// # Errors
    ///
    /// A chunk that belongs to none.
    pub fn document<'a>(&'a self, chunk: &'a str) -> Result<&'a str> {
        let found = match &self.by {
            By::Pattern(regex) => {
                regex.captures(chunk).and_then(|found| found.get(1)).map(|group| group.as_str())
            }
            By::List(documents, _) => documents.get(chunk).map(String::as_str),
        };
        found.filter(|document| !document.is_empty()).ok_or_else(|| {
            let why = match &self.by {
                By::Pattern(regex) => format!("it does not match {}", Quoted(regex.as_str())),
                By::List(_, name) => format!("{name} does not list it"),
            };
            Error::invalid(format!("{} belongs to no document: {why}", Quoted(chunk)))
        })
    }

    /// Which documents come in which order, given chunks with their scores, best first: for each the place of its first
    /// chunk, and its score. Of equal scores the document whose chunk came first is first, as in the answer of a retriever.
    ///
    /// # Errors
    ///
    /// A chunk that belongs to no document; a sum of scores that is not a number.
    pub(crate) fn rank<'a>(
        &'a self,
        chunks: impl Iterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<(&'a str, f64)>> {
        let mut places: HashMap<&str, usize, RandomState> = HashMap::default();
        let mut documents: Vec<(&str, f64)> = Vec::new();
        // The scores of each, where they are added up.
        let mut added: Vec<Vec<f64>> = Vec::new();
        for (chunk, score) in chunks {
            let document = self.document(chunk)?;
            let place = *places.entry(document).or_insert(documents.len());
            if self.keep == Keep::Sum {
                added.resize_with(added.len().max(place + 1), Vec::new);
                added[place].push(score);
            }
            match documents.get_mut(place) {
                None => documents.push((document, score)),
                Some((_, kept)) if self.keep == Keep::Best => *kept = kept.max(score),
                Some(_) => {}
            }
        }
        for ((_, kept), scores) in documents.iter_mut().zip(&added) {
            *kept = total(scores);
        }
        if let Some((document, _)) = documents.iter().find(|(_, score)| score.is_nan()) {
            let message = format!("the scores of the chunks of {} have no sum", Quoted(document));
            return Err(Error::invalid(message));
        }
        if self.keep != Keep::First {
            documents.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
        Ok(documents)
    }
}

/// Rounded once, so that documents whose chunks have the same scores tie. Infinite scores add up as they do elsewhere.
fn total(scores: &[f64]) -> f64 {
    stats::sum(scores).unwrap_or_else(|_| scores.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(parents: &Parents, chunks: &[(&str, f64)]) -> Vec<(String, f64)> {
        let documents = parents.rank(chunks.iter().copied()).unwrap();
        documents.into_iter().map(|(id, score)| (id.to_owned(), score)).collect()
    }

    #[test]
    fn chunks_make_a_ranking_of_documents() {
        let chunks = [("a#1", 3.0), ("b#1", 2.5), ("b#2", 2.0), ("c#9", 1.0), ("a#2", 4.0)];
        let parents = |keep| Parents::pattern(r"^(.+)#\d+$").unwrap().keep(keep);
        // all by hand
        for (keep, expected) in [
            (Keep::First, [("a", 3.0), ("b", 2.5), ("c", 1.0)]),
            (Keep::Best, [("a", 4.0), ("b", 2.5), ("c", 1.0)]),
            (Keep::Sum, [("a", 7.0), ("b", 4.5), ("c", 1.0)]),
        ] {
            assert_eq!(ranked(&parents(keep), &chunks), expected.map(|(id, score)| (id.to_owned(), score)));
        }
        // Best looks at all chunks: a document may overtake one whose chunk came first.
        let late = [("a#1", 1.0), ("b#1", 0.5), ("b#2", 2.0)];
        assert_eq!(ranked(&parents(Keep::Best), &late)[0], ("b".to_owned(), 2.0));
        assert_eq!(ranked(&parents(Keep::First), &late)[0], ("a".to_owned(), 1.0));
    }

    #[test]
    fn the_order_of_chunks_changes_no_sum() {
        // .3 + .2 + .1 and .1 + .2 + .3 as such differ by rounding; the first chunk decides between documents that tie.
        let chunks = [("b#1", 0.3), ("a#1", 0.1), ("b#2", 0.2), ("a#2", 0.2), ("b#3", 0.1), ("a#3", 0.3)];
        let all = ranked(&Parents::pattern("^(.)").unwrap().keep(Keep::Sum), &chunks);
        assert_eq!((all[0].0.as_str(), all[1].0.as_str()), ("b", "a"));
        assert_eq!(all[0].1, all[1].1);
        let turned: Vec<(&str, f64)> = chunks.into_iter().rev().collect();
        let turned = ranked(&Parents::pattern("^(.)").unwrap().keep(Keep::Sum), &turned);
        assert_eq!((turned[0].0.as_str(), turned[0].1), ("a", all[0].1));
    }

    #[test]
    fn what_leads_to_no_document_is_an_error_that_names_it() {
        for pattern in ["^(.+", "[", "^a#\\d$"] {
            assert!(Parents::pattern(pattern).is_err(), "{pattern}");
        }
        let parents = Parents::pattern("^([a-z]*)#").unwrap();
        for chunk in ["", "#1", "A#1"] {
            let error = parents.document(chunk).unwrap_err().to_string();
            assert_eq!(error, format!("`{chunk}` belongs to no document: it does not match `^([a-z]*)#`"));
        }
        let sum = Parents::pattern("^(.)").unwrap().keep(Keep::Sum);
        let infinite = [("a1", f64::INFINITY), ("a2", f64::NEG_INFINITY)];
        let error = sum.rank(infinite.into_iter()).unwrap_err().to_string();
        assert_eq!(error, "the scores of the chunks of `a` have no sum");
    }

    #[test]
    fn a_list_of_chunks_is_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chunks.tsv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Parents::read(&path)
        };
        let parents = read("# chunk and document\nc1\tfaq\nc2\tnews\r\n").unwrap();
        assert_eq!((parents.document("c1").unwrap(), parents.document("c2").unwrap()), ("faq", "news"));
        assert!(parents.document("c3").unwrap_err().to_string().ends_with("chunks.tsv does not list it"));
        for (text, message) in [
            ("c1 faq\n", ":1: expected the id of a chunk, a tab and the id of its document: `c1 faq`"),
            ("c1\tfaq\tx\n", ":1: expected the id of a chunk, a tab and the id of its document"),
            ("c1\tfaq\n\tfaq\n", ":2: an id is empty"),
            ("c1\tfaq\nc1\tnews\n", ":2: chunk `c1` again"),
            ("", "no chunk is listed"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
