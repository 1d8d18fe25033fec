//! One pass over the documents that looks for everything at once, and a second one, where the first found
//! anything, for the texts it is about.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::copied::{Copies, Occurrence, Phrases};
use super::languages::{Relevant, Tongue};
use super::likeness::{Fingerprint, candidates, equal};
use super::spans::{self, Best, Span};
use crate::health::collection::{Collection, Corpus, Document, Documents, Passage};
use crate::health::model::{Example, Finding, Severity, Spread, choose};
use crate::health::shingles::Words;
use crate::health::shingles::{NEAR, SHINGLE, jaccard, shingles};
use crate::health::{Result, threads};

/// Shingles that are held at once to tell near copies apart: 256 MB of them.
const MOST_SHINGLES: u64 = 32 << 20;
/// Documents read at once, and their text.
const CHUNK: usize = 512;
const CHUNK_BYTES: usize = 4 << 20;
/// Texts that are kept for examples.
const TEXTS: usize = 1000;

/// What the documents hold.
pub(super) struct DocumentStats {
    pub(super) documents: u64,
    /// Words of a document.
    pub(super) words: Spread,
    /// Documents without a word: how many, and the first.
    empty: (usize, Vec<String>),
    /// Ids that several documents have.
    repeated_ids: BTreeMap<String, usize>,
    /// Judged documents that are not there, ordered by id.
    pub(super) missing: Vec<String>,
    /// Documents that have the id of a query, and whether they have its words too.
    pub(super) identical: Vec<(String, bool)>,
    /// Of each query.
    pub(super) copies: Vec<Copies>,
    /// Of each query: the longest part that a relevant document has, and the languages of these documents.
    pub(super) spans: Vec<Best>,
    pub(super) languages: Vec<Relevant>,
    pub(super) alike: Alike,
}

/// Documents that say the same.
#[derive(Default)]
pub(super) struct Alike {
    /// Ids of documents with equal words.
    pub(super) equal: Vec<Vec<String>>,
    /// Ids of two documents and the Jaccard index of their shingles.
    pub(super) near: Vec<(String, String, f64)>,
    /// Documents that are near copies of an earlier one.
    pub(super) near_copies: usize,
    /// Candidates that were not looked at: too much text at once.
    pub(super) unverified: usize,
    /// The beginnings of some texts, by id.
    pub(super) texts: HashMap<String, String>,
}

/// What the first pass says of one document.
struct Glance {
    id: String,
    words: u32,
    fingerprint: Fingerprint,
    occurrences: Vec<Occurrence>,
    spans: Vec<Span>,
    /// Of a document that is relevant to some query.
    tongue: Option<Tongue>,
    /// Where a query has its id, whether it has its words too.
    identical: Option<bool>,
}

/// Reads the documents; `None` where there are none to read.
pub(super) fn read(collection: &Collection, relevant_from: i32) -> Result<Option<DocumentStats>> {
    let Ok(corpus) = collection.corpus() else { return Ok(None) };
    // By document: the queries that it is judged for, and whether it is relevant to them.
    let mut judged: HashMap<&str, Vec<(u32, bool)>> = HashMap::new();
    for (number, query) in (0..).zip(collection.queries()) {
        for (document, grade) in collection.judgments(&query.id).into_iter().flat_map(|judged| judged.iter())
        {
            // Of a judged span the document that it is a part of.
            let document = Passage::document_of(document);
            judged.entry(document).or_default().push((number, grade >= relevant_from));
        }
    }
    let mut missing: HashSet<&str> = judged.keys().copied().collect();
    let asked: Vec<Words> =
        collection.queries().iter().map(|query| Words::new([query.text.as_str()])).collect();
    let phrases = Phrases::new(collection.queries());
    let mut copies = phrases.none();
    let mut words = Vec::new();
    let mut empty = (0, Vec::new());
    let mut fingerprints = Vec::new();
    let mut ids = Vec::new();
    let mut identical = Vec::new();
    let mut best = vec![Best::default(); asked.len()];
    let mut languages = vec![Relevant::default(); asked.len()];
    let of = |id: &str| judged.get(id).map(Vec::as_slice).unwrap_or_default();
    let relevant_to =
        |id: &str| of(id).iter().filter(|(_, relevant)| *relevant).map(|(query, _)| *query as usize);
    let glance = |_, document: &Document| {
        let words = words_of(document);
        let same = |query: &crate::health::collection::Query| {
            let asked = Words::new([query.text.as_str()]);
            [words.text(), Words::new([document.text.as_str()]).text()].contains(&asked.text())
        };
        Glance {
            identical: collection.query(&document.id).map(same),
            words: u32::try_from(words.len()).unwrap_or(u32::MAX),
            spans: relevant_to(&document.id)
                .filter_map(|at| spans::find(at, asked.get(at)?, &words))
                .collect(),
            tongue: relevant_to(&document.id).next().and_then(|_| Tongue::guess(&words)),
            fingerprint: Fingerprint::new(&words, SHINGLE),
            occurrences: phrases.find(&words),
            id: document.id.clone(),
        }
    };
    each(corpus, glance, |glance| {
        let Glance { id, words: count, fingerprint, occurrences, identical: same, spans, tongue } = glance;
        for span in spans {
            best[span.query].add(&id, span);
        }
        if let Some(tongue) = tongue {
            relevant_to(&id).for_each(|query| languages[query].add(&id, tongue));
        }
        identical.extend(same.map(|same| (id.clone(), same)));
        missing.remove(id.as_str());
        // Of a chunk the document that it belongs to.
        if let Some(document) = collection.units().and_then(|units| units.document(&id).ok()) {
            missing.remove(document);
        }
        for occurrence in occurrences {
            let query = collection.queries().get(occurrence.query).zip(copies.get_mut(occurrence.query));
            if let Some((query, copies)) = query {
                copies.add(&id, occurrence, collection.grade(&query.id, &id), relevant_from);
            }
        }
        ids.push(id_hash(&id));
        words.push(count);
        fingerprints.push(fingerprint);
        if count == 0 {
            empty.0 += 1;
            if empty.1.len() < Example::MOST {
                empty.1.push(id);
            }
        }
    })?;
    let mut missing: Vec<String> = missing.into_iter().map(str::to_owned).collect();
    missing.sort_unstable();
    let documents = words.len() as u64;
    let (alike, repeated_ids) = second_look(corpus, fingerprints, &words, ids)?;
    let words = Spread::new(words.into_iter().map(|count| count as usize));
    let (spans, languages) = (best, languages);
    Ok(Some(DocumentStats {
        documents,
        words,
        empty,
        repeated_ids,
        missing,
        identical,
        copies,
        spans,
        languages,
        alike,
    }))
}

/// The words of a document, its title first.
fn words_of(document: &Document) -> Words {
    Words::new(document.title.as_deref().into_iter().chain([document.text.as_str()]))
}

/// The same in every run, unlike the hashes of a map.
fn id_hash(id: &str) -> u64 {
    // Two ids of one hash cost a look at both of them and nothing else.
    id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(5)
    })
}

/// Hands every document to `map`, on all processors, and what comes of it to `take`, in their order. While
/// some are looked at the next are read.
fn each<T: Send>(
    corpus: &Corpus,
    map: impl Fn(usize, &Document) -> T + Sync,
    mut take: impl FnMut(T),
) -> Result<()> {
    let mut documents = corpus.documents()?;
    let mut number = 0;
    let mut chunk = next_chunk(&mut documents)?;
    while !chunk.is_empty() {
        let first = number;
        number += chunk.len();
        let (reading, next) = (Mutex::new(&mut documents), Mutex::new(Ok(Vec::new())));
        let done = threads::map(chunk.len() + 1, |index| match index.checked_sub(1) {
            None => {
                *alone(&next) = next_chunk(&mut alone(&reading));
                None
            }
            Some(index) => Some(map(first + index, &chunk[index])),
        });
        done.into_iter().flatten().for_each(&mut take);
        chunk = next.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    }
    Ok(())
}

fn alone<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn next_chunk(documents: &mut Documents) -> Result<Vec<Document>> {
    let mut chunk = Vec::with_capacity(CHUNK);
    let mut bytes = 0;
    while chunk.len() < CHUNK && bytes < CHUNK_BYTES {
        let Some(document) = documents.next().transpose()? else { break };
        bytes += document.text.len();
        chunk.push(document);
    }
    Ok(chunk)
}

/// Reads the documents again that seem to be there twice.
fn second_look(
    corpus: &Corpus,
    fingerprints: Vec<Fingerprint>,
    words: &[u32],
    ids: Vec<u64>,
) -> Result<(Alike, BTreeMap<String, usize>)> {
    // By position, and whether the shingles are wanted or just the id.
    let mut wanted: HashMap<usize, bool> = HashMap::new();
    let mut want = |index: usize, shingles: bool| *wanted.entry(index).or_default() |= shingles;
    let equals = equal(&fingerprints, |index| words.get(index) == Some(&0));
    let copies: HashSet<u32> = equals.iter().flat_map(|group| group.iter().skip(1)).copied().collect();
    equals.iter().flatten().for_each(|&index| want(index as usize, false));
    let is_copy = |index: usize| u32::try_from(index).is_ok_and(|index| copies.contains(&index));
    let mut pairs = candidates(&fingerprints, |index| !is_copy(index));
    let unverified = within_memory(&mut pairs, &fingerprints);
    // What comes next needs their room.
    drop(fingerprints);
    pairs.iter().flat_map(|&(a, b)| [a, b]).for_each(|index| want(index as usize, true));
    let mut order: Vec<(u64, u32)> = ids.into_iter().zip(0..).collect();
    order.sort_unstable();
    let shared = order.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
    let suspects: HashSet<usize> = shared.flatten().map(|&(_, index)| index as usize).collect();
    drop(order);
    suspects.iter().for_each(|&index| want(index, false));
    let mut alike = Alike { unverified, ..Alike::default() };
    let mut repeated: BTreeMap<String, usize> = BTreeMap::new();
    if wanted.is_empty() {
        return Ok((alike, repeated));
    }
    let mut found: HashMap<usize, (String, Vec<u64>)> = HashMap::with_capacity(wanted.len());
    let look = |index: usize, document: &Document| {
        let shingles = match wanted.get(&index)? {
            true => shingles(&words_of(document), SHINGLE),
            false => Vec::new(),
        };
        let title = document.title.as_deref().unwrap_or_default();
        let start: String = [title, &document.text].join(" ").trim_start().chars().take(300).collect();
        Some((index, document.id.clone(), start, shingles))
    };
    each(corpus, look, |seen| {
        let Some((index, id, start, shingles)) = seen else { return };
        if suspects.contains(&index) {
            *repeated.entry(id.clone()).or_default() += 1;
        }
        if alike.texts.len() < TEXTS {
            alike.texts.insert(id.clone(), start);
        }
        found.insert(index, (id, shingles));
    })?;
    repeated.retain(|_, count| *count > 1);
    let id = |index: u32| found.get(&(index as usize)).map(|(id, _)| id.clone());
    alike.equal = equals.iter().map(|group| group.iter().filter_map(|&index| id(index)).collect()).collect();
    let mut groups = Groups::default();
    for &(a, b) in &pairs {
        let (Some((one, left)), Some((other, right))) = (found.get(&(a as usize)), found.get(&(b as usize)))
        else {
            continue;
        };
        let index = jaccard(left, right);
        if index >= NEAR {
            groups.join(a, b);
            alike.near.push((one.clone(), other.clone(), index));
        }
    }
    alike.near_copies = groups.copies();
    Ok((alike, repeated))
}

/// Drops the pairs for whose texts there is no room, and says how many.
fn within_memory(pairs: &mut Vec<(u32, u32)>, fingerprints: &[Fingerprint]) -> usize {
    let mut held: HashSet<u32> = HashSet::new();
    let mut room = MOST_SHINGLES;
    let before = pairs.len();
    pairs.retain(|&(a, b)| {
        let size = |index: u32| match held.contains(&index) {
            true => 0,
            false => fingerprints.get(index as usize).map_or(0, |print| u64::from(print.shingles)),
        };
        let needed = size(a) + size(b);
        let fits = needed <= room;
        if fits {
            room -= needed;
            held.extend([a, b]);
        }
        fits
    });
    before - pairs.len()
}

/// Sets of texts that are joined by being near.
#[derive(Default)]
pub(super) struct Groups(HashMap<u32, u32>);

impl Groups {
    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.0.insert(a.max(b), a.min(b));
        self.0.insert(a.min(b), a.min(b));
    }

    fn first(&mut self, mut index: u32) -> u32 {
        let parent = |sets: &HashMap<u32, u32>, index: u32| sets.get(&index).copied().unwrap_or(index);
        loop {
            let before = parent(&self.0, index);
            if before == index {
                return index;
            }
            // Halves the way for whoever comes next.
            let earlier = parent(&self.0, before);
            self.0.insert(index, earlier);
            index = earlier;
        }
    }

    /// Members that are not the first of their set.
    pub(super) fn copies(&self) -> usize {
        self.0.iter().filter(|(index, before)| index != before).count()
    }
}

/// What to tell about the documents by themselves.
pub(super) fn findings(seen: &DocumentStats) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !seen.repeated_ids.is_empty() {
        let examples = seen.repeated_ids.iter().take(Example::MOST);
        findings.push(Finding {
            severity: Severity::Problem,
            code: "document-id-repeated".into(),
            message: {
                let count = seen.repeated_ids.len();
                format!(
                    "{count} {} there more than once",
                    choose(count, "document id is", "document ids are")
                )
            },
            count: seen.repeated_ids.len(),
            examples: examples
                .map(|(id, count)| Example::new(id, "", format!("{count} documents")))
                .collect(),
            advice: "give every document an id of its own: benchmarks refuse such a corpus".into(),
        });
    }
    if seen.empty.0 > 0 {
        findings.push(Finding {
            severity: Severity::Caution,
            code: "empty-documents".into(),
            message: format!(
                "{} of {} documents {} no word in title and text",
                seen.empty.0,
                seen.documents,
                choose(seen.empty.0, "has", "have")
            ),
            count: seen.empty.0,
            examples: seen.empty.1.iter().map(|id| Example::new(id, "", "")).collect(),
            advice: "leave them out, or find out where their text was lost".into(),
        });
    }
    findings
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

    #[test]
    fn a_set_counts_what_follows_its_first() {
        let mut groups = Groups::default();
        groups.join(5, 7);
        groups.join(1, 5);
        groups.join(1, 7);
        groups.join(20, 30);
        assert_eq!(groups.copies(), 3);
    }

    #[test]
    fn pairs_beyond_the_memory_are_counted() {
        let print = |shingles| Fingerprint { text: [0; 2], bands: [0; 16], shingles };
        let prints = [print(20 << 20), print(10 << 20), print(10 << 20), print(1)];
        let mut pairs = vec![(0, 1), (0, 2), (0, 3)];
        assert_eq!(within_memory(&mut pairs, &prints), 1);
        assert_eq!(pairs, [(0, 1), (0, 3)]);
    }
}
