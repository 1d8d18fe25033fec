//! One pass over the documents that looks for everything at once, and a second one for the texts that may be copies.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::copied::{Copies, Occurrence, Phrases};
use super::likeness::{Fingerprint, candidates};
use crate::health::collection::{Collection, Corpus, Document, Passage};
use crate::health::model::{Example, Finding, Severity, Spread, choose};
use crate::health::shingles::{NEAR, SHINGLE, Words, jaccard, shingles};
use crate::health::{Result, threads};

/// Documents in memory at once.
const CHUNK: usize = 512;
/// Copies that keep their texts for examples.
const TEXTS: usize = 1000;

/// The result of reading the documents.
pub(super) struct DocumentStats {
    pub(super) documents: usize,
    /// Words of a document.
    pub(super) words: Spread,
    /// Documents with the id of an earlier one: how many, and the first.
    repeated: (usize, Vec<String>),
    /// Judged documents that are not there, ordered by id.
    pub(super) missing: Vec<String>,
    /// Of each query.
    pub(super) copies: Vec<Copies>,
    /// Documents and their copies.
    pub(super) alike: Vec<Alike>,
}

/// A document and a later one with the same words, or nearly.
pub(super) struct Alike {
    pub(super) ids: [String; 2],
    /// The beginning of the first one's text.
    pub(super) text: String,
    /// The Jaccard index of their shingles; `None` if all words are equal.
    pub(super) near: Option<f64>,
}

/// What the first pass keeps of one document.
struct Glance {
    id: String,
    words: usize,
    fingerprint: Fingerprint,
    occurrences: Vec<Occurrence>,
}

/// Reads the documents; `None` without a corpus.
pub(super) fn read(collection: &Collection, relevant_from: i32) -> Result<Option<DocumentStats>> {
    let Ok(corpus) = collection.corpus() else { return Ok(None) };
    let judged = collection.qrels().iter().flat_map(|(_, judged)| judged.iter());
    // A judged passage is a part of its document.
    let mut missing: HashSet<&str> = judged.map(|(id, _)| Passage::document_of(id)).collect();
    let phrases = Phrases::new(collection.queries());
    let mut copies = vec![Copies::default(); collection.queries().len()];
    let (mut words, mut fingerprints) = (Vec::new(), Vec::new());
    let (mut ids, mut repeated) = (HashSet::new(), (0, Vec::new()));
    let glance = |_, document: &Document| {
        let words = words_of(document);
        Glance {
            words: words.len(),
            fingerprint: Fingerprint::new(&words, SHINGLE),
            occurrences: phrases.find(&words),
            id: document.id.clone(),
        }
    };
    each(corpus, glance, |Glance { id, words: count, fingerprint, occurrences }| {
        missing.remove(id.as_str());
        // A chunk stands for its document.
        if let Some(document) = collection.parents().and_then(|parents| parents.document(&id).ok()) {
            missing.remove(document);
        }
        for occurrence in occurrences {
            let query = collection.queries().get(occurrence.query).zip(copies.get_mut(occurrence.query));
            if let Some((query, copies)) = query {
                copies.add(&id, occurrence, collection.grade(&query.id, &id), relevant_from);
            }
        }
        words.push(count);
        fingerprints.push(fingerprint);
        if !ids.insert(FixedState::default().hash_one(&id)) {
            repeated.0 += 1;
            if repeated.1.len() < Example::MOST {
                repeated.1.push(id);
            }
        }
    })?;
    let mut missing: Vec<String> = missing.into_iter().map(str::to_owned).collect();
    missing.sort_unstable();
    let alike = alike(corpus, &fingerprints)?;
    Ok(Some(DocumentStats {
        documents: words.len(),
        words: Spread::new(words),
        repeated,
        missing,
        copies,
        alike,
    }))
}

/// The words of a document, its title first.
fn words_of(document: &Document) -> Words {
    Words::new(document.title.as_deref().into_iter().chain([document.text.as_str()]))
}

/// Hands every document to `map`, on all processors, and the results to `take`, in their order.
fn each<T: Send>(
    corpus: &Corpus,
    map: impl Fn(usize, &Document) -> T + Sync,
    mut take: impl FnMut(T),
) -> Result<()> {
    let mut documents = corpus.documents()?;
    for first in (0..).step_by(CHUNK) {
        let chunk: Vec<Document> = documents.by_ref().take(CHUNK).collect::<Result<_>>()?;
        if chunk.is_empty() {
            break;
        }
        threads::map(chunk.len(), |index| map(first + index, &chunk[index])).into_iter().for_each(&mut take);
    }
    Ok(())
}

/// Reads the documents again that seem to be copies, and compares them.
fn alike(corpus: &Corpus, fingerprints: &[Fingerprint]) -> Result<Vec<Alike>> {
    let pairs = candidates(fingerprints);
    let wanted: HashSet<usize> = pairs.iter().flatten().map(|&index| index as usize).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: HashMap<usize, (String, String, Vec<u64>)> = HashMap::with_capacity(wanted.len());
    let look = |index: usize, document: &Document| {
        let title = document.title.as_deref().unwrap_or_default();
        let seen = || {
            let start: String = [title, &document.text].join(" ").trim_start().chars().take(300).collect();
            (index, (document.id.clone(), start, shingles(&words_of(document), SHINGLE)))
        };
        wanted.contains(&index).then(seen)
    };
    each(corpus, look, |seen| {
        if let Some((index, (id, start, shingles))) = seen {
            let start = if found.len() < TEXTS { start } else { String::new() };
            found.insert(index, (id, start, shingles));
        }
    })?;
    let alike = |[one, other]: [u32; 2]| {
        let [one, other] = [one as usize, other as usize];
        let ((id, text, left), (copy, _, right)) = (found.get(&one)?, found.get(&other)?);
        let equal = fingerprints[one].text == fingerprints[other].text;
        let near = (!equal).then(|| jaccard(left, right));
        let ids = [id.clone(), copy.clone()];
        near.is_none_or(|index| index >= NEAR).then(|| Alike { ids, text: text.clone(), near })
    };
    Ok(pairs.into_iter().filter_map(alike).collect())
}

/// Documents with the id of an earlier one.
pub(super) fn repeated_ids(seen: &DocumentStats) -> Option<Finding> {
    let (count, first) = &seen.repeated;
    Finding::new(
        (Severity::Problem, "document-id-repeated"),
        format!("{count} {} the id of an earlier one", choose(*count, "document has", "documents have")),
        *count,
        first.iter().map(|id| Example::new(id, "", "")),
        "give every document an id of its own: benchmarks refuse such a corpus",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_seen_once_and_in_order() {
        let corpus = Corpus::in_memory((0..1500).map(|n| Document::new(format!("d{n}"), "text")));
        let mut seen = Vec::new();
        each(&corpus, |number, document| (number, document.id.clone()), |one| seen.push(one)).unwrap();
        let expected: Vec<_> = (0..1500).map(|n| (n, format!("d{n}"))).collect();
        assert_eq!(seen, expected);
    }
}
