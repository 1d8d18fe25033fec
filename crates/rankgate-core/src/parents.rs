//! Parents: which document a chunk belongs to, and what a ranking of chunks is as one of documents.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use foldhash::fast::RandomState;
use regex_lite::Regex;

use crate::error::Quoted;
use crate::input::{HashIds, Source};
use crate::{Error, Result};

/// Which document each chunk belongs to, and how a ranking of chunks is read as one of documents.
///
/// Judgments of documents then score a retriever that returns chunks. A document has rank and score of its first chunk: that
/// is MaxP (Dai and Callan, SIGIR 2019), and what Anserini's `-selectMaxPassage` writes.
///
/// ```
/// use rankgate::Hit;
/// use rankgate::run::Parents;
///
/// let chunks = [("faq#2", 9.0), ("news#1", 8.0), ("faq#1", 7.0)].map(|(id, score)| Hit::new(id, score));
/// let parents = Parents::pattern(r"^(.+)#\d+$")?;
/// assert_eq!(parents.documents(&chunks)?, [Hit::new("faq", 9.0), Hit::new("news", 8.0)]);
///
/// let error = Parents::pattern(r"^(.+)#\d+$")?.document("faq-2").unwrap_err();
/// assert_eq!(error.to_string(), "`faq-2` belongs to no document: it does not match `^(.+)#\\d+$`");
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parents(By);

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
        Ok(Self(By::Pattern(regex)))
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
        Ok(Self(By::List(documents, path.display().to_string())))
    }

    /// Chunks that somebody lists with their documents; errors call the list by `name`.
    pub fn from_pairs(name: impl Into<String>, pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(By::List(pairs.into_iter().collect(), name.into()))
    }

    /// The document that a chunk belongs to.
    ///
    /// # Errors
    ///
    /// A chunk that belongs to none.
    pub fn document<'a>(&'a self, chunk: &'a str) -> Result<&'a str> {
        let found = match &self.0 {
            By::Pattern(regex) => {
                regex.captures(chunk).and_then(|found| found.get(1)).map(|group| group.as_str())
            }
            By::List(documents, _) => documents.get(chunk).map(String::as_str),
        };
        found.filter(|document| !document.is_empty()).ok_or_else(|| {
            let why = match &self.0 {
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
    /// A chunk that belongs to no document.
    pub(crate) fn rank<'a>(
        &'a self,
        chunks: impl Iterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<(&'a str, f64)>> {
        let mut seen: HashSet<&str, RandomState> = HashSet::default();
        let mut documents: Vec<(&str, f64)> = Vec::new();
        for (chunk, score) in chunks {
            let document = self.document(chunk)?;
            if seen.insert(document) {
                documents.push((document, score));
            }
        }
        Ok(documents)
    }
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
        let parents = Parents::pattern(r"^(.+)#\d+$").unwrap();
        // by hand
        let expected = [("a", 3.0), ("b", 2.5), ("c", 1.0)];
        assert_eq!(ranked(&parents, &chunks), expected.map(|(id, score)| (id.to_owned(), score)));
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
