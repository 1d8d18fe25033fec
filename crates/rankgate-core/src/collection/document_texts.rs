//! What is found out of the texts of documents that were returned, such as their lengths: each is read once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use foldhash::fast::RandomState;

use super::{Corpus, Document};
use crate::error::Quoted;
use crate::passage::Passage;
use crate::units::Units;
use crate::{Error, Result};

/// By the ids of documents and passages; `None` of what the corpus lacks.
type ByDocument<T> = HashMap<String, Option<T>, RandomState>;

/// Computes what is to be known of a document's texts.
type Compute<'f, T> = &'f (dyn Fn(&[&str]) -> Result<T> + Sync);

/// What is known of the documents that were asked for so far.
#[derive(Debug)]
pub(super) struct DocumentTexts<T>(Mutex<ByDocument<T>>);

impl<T> Default for DocumentTexts<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone + Send> DocumentTexts<T> {
    /// What `compute` makes of the texts of some documents. Where one was not asked for before, the corpus is read for all of
    /// `others` as well, for it is not read for each query.
    pub(super) fn get<'i>(
        &self,
        (corpus, units): (&Corpus, Option<&Units>),
        ids: &[&str],
        others: impl FnOnce() -> BTreeSet<&'i str>,
        compute: Compute<'_, T>,
    ) -> Result<Vec<Option<T>>> {
        // A second thread waits instead of reading the same file.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.iter().any(|id| !known.contains_key(*id)) {
            let wanted: BTreeSet<&str> = ids.iter().copied().chain(others()).collect();
            read((corpus, units), &wanted, &mut known, compute)?;
        }
        Ok(ids.iter().map(|id| known.get(*id).cloned().flatten()).collect())
    }
}

fn read<T: Send>(
    (corpus, units): (&Corpus, Option<&Units>),
    ids: &BTreeSet<&str>,
    known: &mut ByDocument<T>,
    compute: Compute<'_, T>,
) -> Result<()> {
    let missing: BTreeSet<&str> = ids.iter().copied().filter(|id| !known.contains_key(*id)).collect();
    // Several passages may be of one document.
    let mut passages: HashMap<&str, Vec<&str>, RandomState> = HashMap::default();
    for id in missing.iter().copied().filter(|id| Passage::document_of(id) != *id) {
        passages.entry(Passage::document_of(id)).or_default().push(id);
    }
    // Where the corpus holds chunks, a document is all of them in the order of their file.
    let mut of_chunks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let compute = |document: &str, texts: &[&str]| {
        let named = |error| Error::invalid(format!("document {}: {error}", Quoted(document)));
        compute(texts).map_err(named)
    };
    let work = |document: Document| {
        let (mut whole, mut chunk) = (Vec::new(), None);
        if missing.contains(document.id.as_str()) {
            whole.push((document.id.clone(), compute(&document.id, &parts(&document))?));
        }
        for id in passages.get(document.id.as_str()).into_iter().flatten() {
            if let Some(text) = Passage::parse(id).and_then(|passage| passage.text_in(&document.text)) {
                whole.push(((*id).to_owned(), compute(id, &[text])?));
            }
        }
        if let Some(Ok(of)) = units.map(|units| units.document(&document.id))
            && missing.contains(of)
        {
            let texts: Vec<String> = parts(&document).into_iter().map(str::to_owned).collect();
            chunk = Some((of.to_owned(), texts));
        }
        Ok::<_, Error>((whole, chunk))
    };
    let mut failed = None;
    corpus.each(work, |done| {
        match done {
            Ok((whole, chunk)) => {
                known.extend(whole.into_iter().map(|(id, found)| (id, Some(found))));
                if let Some((document, texts)) = chunk {
                    of_chunks.entry(document).or_default().extend(texts);
                }
            }
            Err(error) => failed = Some(error),
        }
        failed.is_none()
    })?;
    failed.map_or(Ok(()), Err)?;
    for (document, texts) in of_chunks {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        if let Entry::Vacant(vacant) = known.entry(document) {
            let found = compute(vacant.key(), &texts)?;
            vacant.insert(Some(found));
        }
    }
    for id in missing {
        known.entry(id.to_owned()).or_default();
    }
    Ok(())
}

/// What a document says.
fn parts(document: &Document) -> Vec<&str> {
    document.title.as_deref().into_iter().chain([document.text.as_str()]).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::shingles::TextShingles;

    fn shingles(texts: &[&str]) -> Result<Arc<TextShingles>> {
        Ok(Arc::new(TextShingles::new(texts.iter().copied())))
    }

    #[test]
    fn documents_and_passages_are_read_once() {
        let text = "one two three four five six";
        let corpus = Corpus::in_memory([
            Document::new("a", text),
            Document::new("b", "seven").with_title("six"),
            Document::new("a#char=0,3", "an id that looks like a passage"),
        ]);
        let texts = DocumentTexts::default();
        let get = |ids: &[&str], others: &[&'static str]| {
            texts.get((&corpus, None), ids, || others.iter().copied().collect(), &shingles).unwrap()
        };
        let of = |text: &str| Some(Arc::new(TextShingles::new([text])));
        let found = get(&["a", "a#char=4,13", "c"], &["b", "a#char=20,99"]);
        assert_eq!(found, [of(text), of("two three"), None]);
        // What nobody named before is there, and nobody reads again.
        let unreachable =
            texts.get((&corpus, None), &["b", "a#char=20,99"], || unreachable!(), &shingles).unwrap();
        assert_eq!(unreachable, [of("six seven"), None]);
        assert_eq!(get(&["a#char=0,3"], &[]), [of("an id that looks like a passage")]);
    }

    #[test]
    fn a_document_says_what_its_chunks_say() {
        let corpus = Corpus::in_memory(
            [("a#1", "one two"), ("b#1", "one two three"), ("a#2", "three")]
                .map(|(id, text)| Document::new(id, text)),
        );
        let units = Units::pattern(r"^(.+)#\d+$").unwrap();
        let ids = ["a", "b", "c", "a#2"];
        let found = DocumentTexts::default().get((&corpus, Some(&units)), &ids, BTreeSet::new, &shingles);
        let of = |text: &str| Some(Arc::new(TextShingles::new([text])));
        assert_eq!(found.unwrap(), [of("one two three"), of("one two three"), None, of("three")]);
    }

    #[test]
    fn a_text_of_which_nothing_can_be_found_out_is_an_error_each_time() {
        let corpus = Corpus::in_memory([Document::new("a", "one two"), Document::new("b", "three")]);
        let lengths = DocumentTexts::default();
        let length = |texts: &[&str]| match texts {
            ["three"] => Err(Error::invalid("no such word")),
            _ => Ok(texts.concat().len()),
        };
        for _ in 0..2 {
            let error = lengths.get((&corpus, None), &["b"], BTreeSet::new, &length).unwrap_err();
            assert_eq!(error.to_string(), "document `b`: no such word");
        }
        assert_eq!(lengths.get((&corpus, None), &["a"], BTreeSet::new, &length).unwrap(), [Some(7)]);
    }
}
