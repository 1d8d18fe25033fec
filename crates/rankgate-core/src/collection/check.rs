//! One pass over a corpus that finds what reading it document by document cannot.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher;

use crate::collection::{Corpus, Document, Passage, Qrels};
use crate::content_hash::Content;
use crate::error::Quoted;
use crate::parents::Parents;
use crate::{Error, Result};

/// What one pass over a corpus found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CorpusCheck {
    /// How many documents there are.
    pub documents: u64,
    /// How many documents were judged for any query.
    pub judged: usize,
    /// The judged documents that the corpus lacks, ordered by id.
    pub missing: Vec<String>,
    /// SHA-256 of what the documents say, whatever their order and the compression of their file.
    pub sha256: String,
}

impl CorpusCheck {
    /// What to tell about judged documents that no retriever can find, if there are any.
    pub fn warning(&self) -> Option<String> {
        const SHOWN: usize = 5;
        if self.missing.is_empty() {
            return None;
        }
        let shown: Vec<_> = self.missing.iter().take(SHOWN).map(|id| Quoted(id).to_string()).collect();
        let more = if self.missing.len() > SHOWN { ", ..." } else { "" };
        let (missing, judged, shown) = (self.missing.len(), self.judged, shown.join(", "));
        Some(format!("{missing} of {judged} judged documents are not in the corpus: {shown}{more}"))
    }
}

impl Corpus {
    /// Reads all documents once: counts and hashes them and compares them with the judgments.
    ///
    /// Holds the judged ids and 8 bytes a document, not the documents.
    ///
    /// # Errors
    ///
    /// A corpus that cannot be read, or in which two documents have one id.
    ///
    /// ```
    /// # fn main() -> rankgate::Result<()> {
    /// use rankgate::{Corpus, Document, Qrels};
    ///
    /// let corpus = Corpus::in_memory([Document::new("d1", "alpha")]);
    /// let mut qrels = Qrels::new();
    /// qrels.insert("q1", "d1", 1)?;
    /// qrels.insert("q1", "d2", 1)?;
    /// let check = corpus.check(&qrels)?;
    /// assert_eq!((check.documents, check.missing), (1, vec!["d2".to_owned()]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn check(&self, qrels: &Qrels) -> Result<CorpusCheck> {
        self.check_in_parents(qrels, None)
    }

    /// The same where it may hold chunks of the judged documents.
    pub(super) fn check_in_parents(&self, qrels: &Qrels, parents: Option<&Parents>) -> Result<CorpusCheck> {
        let judged: HashSet<&str> = qrels
            .iter()
            .flat_map(|(_, judgments)| judgments.iter().map(|(document, _)| Passage::document_of(document)))
            .collect();
        let mut missing = judged.clone();
        let hasher = RandomState::new();
        let mut id_hashes = Vec::new();
        let mut corpus_hash = CorpusHash::default();
        for document in self.documents()? {
            let document = document?;
            missing.remove(Passage::document_of(&document.id));
            if let Some(document) = parents.and_then(|parents| parents.document(&document.id).ok()) {
                missing.remove(document);
            }
            id_hashes.push(hasher.hash_one(&document.id));
            corpus_hash.add(&document);
        }
        let documents = id_hashes.len() as u64;
        id_hashes.sort_unstable();
        let shared: HashSet<u64> =
            id_hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        drop(id_hashes);
        if !shared.is_empty() {
            self.find_repeated_id(|id| shared.contains(&hasher.hash_one(id)))?;
        }
        let missing: BTreeSet<&str> = missing.into_iter().collect();
        Ok(CorpusCheck {
            documents,
            judged: judged.len(),
            missing: missing.into_iter().map(str::to_owned).collect(),
            sha256: corpus_hash.finish(),
        })
    }

    /// A second pass over those documents whose ids may be there twice: different ids can have one
    /// hash.
    fn find_repeated_id(&self, suspect: impl Fn(&str) -> bool) -> Result<()> {
        let mut first_positions: HashMap<String, u64> = HashMap::new();
        let mut documents = self.documents()?;
        while let Some(document) = documents.next().transpose()? {
            if !suspect(&document.id) {
                continue;
            }
            let position = documents.position();
            let Some(first) = first_positions.insert(document.id.clone(), position) else { continue };
            return Err(match self.path() {
                Some(path) => Error::at_line(
                    path,
                    position,
                    &document.id,
                    format!("document id again (first in line {first})"),
                ),
                None => Error::invalid(format!(
                    "documents {first} and {position} have the id {}",
                    Quoted(&document.id)
                )),
            });
        }
        Ok(())
    }
}

/// The hash of a corpus whatever the order of its documents: their hashes, summed modulo 2^256.
#[derive(Default)]
struct CorpusHash {
    documents: u64,
    sum: [u64; 4],
}

impl CorpusHash {
    fn add(&mut self, document: &Document) {
        let mut content = Content::new("document");
        content.text(&document.id);
        content.text(document.title.as_deref().unwrap_or_default());
        content.text(&document.text);
        content.metadata(&document.metadata);
        let hash = content.digest();
        self.documents += 1;
        let mut carry = 0;
        for (limb, bytes) in self.sum.iter_mut().zip(hash.as_chunks::<8>().0) {
            let sum = u128::from(*limb) + u128::from(u64::from_le_bytes(*bytes)) + carry;
            *limb = sum as u64;
            carry = sum >> 64;
        }
    }

    fn finish(&self) -> String {
        let mut content = Content::new("corpus");
        for limb in [self.documents].iter().chain(&self.sum) {
            content.bytes(&limb.to_le_bytes());
        }
        content.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Document;

    #[test]
    fn judged_documents_that_the_corpus_lacks_are_counted() {
        let corpus = Corpus::in_memory([Document::new("d0", "zero")]);
        let mut qrels = Qrels::new();
        for number in 0..10 {
            qrels.insert("q1", &format!("d{number}"), 1).unwrap();
        }
        qrels.insert("q2", "d9", 0).unwrap();
        let check = corpus.check(&qrels).unwrap();
        assert_eq!((check.judged, check.missing.len()), (10, 9));
        let expected = "9 of 10 judged documents are not in the corpus: `d1`, `d2`, `d3`, `d4`, `d5`, ...";
        assert_eq!(check.warning().unwrap(), expected);
        assert_eq!(corpus.check(&Qrels::new()).unwrap().warning(), None);
    }

    #[test]
    fn an_id_that_is_there_twice_is_an_error_with_both_places() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.tsv");
        let line = |number| format!("d{number}\ttext\n");
        let text: String = (0..1000).chain([500]).map(line).collect();
        std::fs::write(&path, &text).unwrap();
        let error = Corpus::open(&path).unwrap().check(&Qrels::new()).unwrap_err().to_string();
        assert!(error.ends_with("c.tsv:1001: document id again (first in line 501): `d500`"), "{error}");

        let twice =
            Corpus::in_memory([Document::new("a", ""), Document::new("b", ""), Document::new("a", "")]);
        let error = twice.check(&Qrels::new()).unwrap_err().to_string();
        assert_eq!(error, "documents 1 and 3 have the id `a`");
    }

    #[test]
    fn the_hash_of_a_corpus_does_not_depend_on_order_and_does_on_everything_else() {
        let hash = |documents: &[Document]| {
            let mut hash = CorpusHash::default();
            documents.iter().for_each(|document| hash.add(document));
            hash.finish()
        };
        let (a, b) = (Document::new("a", "alpha"), Document::new("b", "beta"));
        let both = hash(&[a.clone(), b.clone()]);
        assert_eq!(both, hash(&[b.clone(), a.clone()]));
        let others = [
            vec![],
            vec![a.clone()],
            vec![a.clone(), b.clone(), b.clone()],
            vec![a.clone(), b.clone().with_title("t")],
            vec![a.clone(), b.clone().with("k", 1)],
            vec![a.clone(), Document::new("bb", "eta")],
        ];
        for other in others {
            assert_ne!(both, hash(&other), "{other:?}");
        }
    }
}
