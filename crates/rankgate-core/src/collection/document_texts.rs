//! What documents that were returned say, to tell copies by: each is read once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;

use super::{Corpus, Document};
use crate::Result;
use crate::passage::Passage;
use crate::shingles::TextShingles;
use crate::units::Units;

/// By the ids of documents and passages; `None` of what the corpus lacks.
type Texts = HashMap<String, Option<Arc<TextShingles>>, RandomState>;

/// The same of those that were asked for so far.
#[derive(Debug, Default)]
pub(super) struct DocumentTexts(Mutex<Texts>);

impl DocumentTexts {
    /// What some documents say. Where one was not asked for before, the corpus is read for all of `others` as well, for it is
    /// not read for each query.
    pub(super) fn get<'i>(
        &self,
        (corpus, units): (&Corpus, Option<&Units>),
        ids: &[&str],
        others: impl FnOnce() -> BTreeSet<&'i str>,
    ) -> Result<Vec<Option<Arc<TextShingles>>>> {
        // A second thread waits instead of reading the same file.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.iter().any(|id| !known.contains_key(*id)) {
            let wanted: BTreeSet<&str> = ids.iter().copied().chain(others()).collect();
            read(corpus, units, &wanted, &mut known)?;
        }
        Ok(ids.iter().map(|id| known.get(*id).cloned().flatten()).collect())
    }
}

fn read(corpus: &Corpus, units: Option<&Units>, ids: &BTreeSet<&str>, known: &mut Texts) -> Result<()> {
    let missing: BTreeSet<&str> = ids.iter().copied().filter(|id| !known.contains_key(*id)).collect();
    // Several passages may be of one document.
    let mut passages: HashMap<&str, Vec<&str>, RandomState> = HashMap::default();
    for id in missing.iter().copied().filter(|id| Passage::document_of(id) != *id) {
        passages.entry(Passage::document_of(id)).or_default().push(id);
    }
    // Where the corpus holds chunks, a document is all of them in the order of their file.
    let mut of_chunks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let work = |document: Document| {
        let (mut whole, mut chunk) = (Vec::new(), None);
        if missing.contains(document.id.as_str()) {
            whole.push((document.id.clone(), TextShingles::new(parts(&document))));
        }
        for id in passages.get(document.id.as_str()).into_iter().flatten() {
            whole.extend(
                passage(&document, id).map(|text| ((*id).to_owned(), TextShingles::new([text.as_str()]))),
            );
        }
        if let Some(Ok(of)) = units.map(|units| units.document(&document.id))
            && missing.contains(of)
        {
            let texts: Vec<String> = parts(&document).map(str::to_owned).collect();
            chunk = Some((of.to_owned(), texts));
        }
        (whole, chunk)
    };
    corpus.each(work, |(whole, chunk)| {
        known.extend(whole.into_iter().map(|(id, shingles)| (id, Some(Arc::new(shingles)))));
        if let Some((document, texts)) = chunk {
            of_chunks.entry(document).or_default().extend(texts);
        }
        true
    })?;
    for (document, texts) in of_chunks {
        let shingles = TextShingles::new(texts.iter().map(String::as_str));
        known.entry(document).or_insert_with(|| Some(Arc::new(shingles)));
    }
    for id in missing {
        known.entry(id.to_owned()).or_default();
    }
    Ok(())
}

/// What a document says.
fn parts(document: &Document) -> impl Iterator<Item = &str> {
    document.title.as_deref().into_iter().chain([document.text.as_str()])
}

/// The characters of a passage; `None` of one that lies outside of its document.
fn passage(document: &Document, id: &str) -> Option<String> {
    let Passage { start, end, .. } = Passage::parse(id)?;
    let characters: String = document.text.chars().skip(start).take(end - start).collect();
    (characters.chars().count() == end - start).then_some(characters)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            texts.get((&corpus, None), ids, || others.iter().copied().collect()).unwrap()
        };
        let of = |text: &str| Some(Arc::new(TextShingles::new([text])));
        let found = get(&["a", "a#char=4,13", "c"], &["b", "a#char=20,99"]);
        assert_eq!(found, [of(text), of("two three"), None]);
        // What nobody named before is there, and nobody reads again.
        let unreachable = texts.get((&corpus, None), &["b", "a#char=20,99"], || unreachable!()).unwrap();
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
        let found =
            DocumentTexts::default().get((&corpus, Some(&units)), &["a", "b", "c", "a#2"], BTreeSet::new);
        let of = |text: &str| Some(Arc::new(TextShingles::new([text])));
        assert_eq!(found.unwrap(), [of("one two three"), of("one two three"), None, of("three")]);
    }
}
