//! JudgedPassages: judgments of spans of documents, which hold for any chunks of these documents.

mod chunks;
mod place;
mod read;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::RandomState;

use self::text::{Found, SourceText};
use crate::collection::judgments::JudgedTwice;
use crate::collection::{Corpus, Passage, Qrels};
use crate::error::Quoted;
use crate::passage::HitPlace;
use crate::{Error, Result};

pub use self::chunks::Chunks;
pub(super) use self::read::read;

/// Judged spans of documents by query, and the texts of the documents. Cloning is cheap.
///
/// A chunk is relevant if it overlaps a span that no chunk above it overlaps. Any chunks of the documents are scored by the
/// same spans.
#[derive(Clone, Debug)]
pub struct JudgedPassages {
    documents: Arc<HashMap<String, SourceText, RandomState>>,
    spans: Arc<BTreeMap<String, Vec<Span>>>,
}

/// A span of a document with its grade.
#[derive(Clone, Debug, PartialEq)]
struct Span {
    document: String,
    characters: Range<usize>,
    grade: i32,
}

impl JudgedPassages {
    /// How many spans are judged.
    #[expect(clippy::len_without_is_empty, reason = "there is one at least")]
    pub fn len(&self) -> usize {
        self.spans.values().map(Vec::len).sum()
    }

    /// Whether any chunk has the grade for a query that it has by the spans of another collection.
    pub fn judges_like(&self, other: &Self, query: &str) -> bool {
        self.spans.get(query) == other.spans.get(query)
    }

    /// The passage that an id says: that of an id of a passage, or a whole document by its id.
    ///
    /// # Errors
    ///
    /// A passage that is outside of its document or belongs to none, and any other id.
    pub fn passage(&self, id: &str) -> Result<Passage> {
        if let Some(source) = self.documents.get(id) {
            return Ok(Passage::new(id, 0..source.len()));
        }
        if let Some(HitPlace { passage, .. }) = HitPlace::parse(id) {
            return self.within(passage);
        }
        let passage = Passage::parse(id).ok_or_else(|| {
            let message = "is no document, and says no passage of one, as in `refunds#char=120,320`";
            Error::invalid(format!("{} {message}", Quoted(id)))
        })?;
        self.within(passage)
    }

    /// The text of the passage that an id says.
    ///
    /// # Errors
    ///
    /// As [`passage`](Self::passage).
    pub fn text(&self, id: &str) -> Result<&str> {
        let passage = self.passage(id)?;
        Ok(self.source(&passage.document)?.part(&(passage.start..passage.end)))
    }

    fn source(&self, document: &str) -> Result<&SourceText> {
        let missing = || Error::invalid(format!("there is no document {}", Quoted(document)));
        self.documents.get(document).ok_or_else(missing)
    }

    /// The grades of a ranking, and those of all that there is to find. A chunk has the highest grade of the spans that it
    /// covers and no chunk above it does; these count as one. Else it is not relevant in a document with a span, and
    /// unjudged in others.
    ///
    /// # Errors
    ///
    /// An id that says no passage.
    pub fn judge<'a>(
        &self,
        query: &str,
        ids: impl Iterator<Item = &'a str>,
    ) -> Result<(Vec<Option<i32>>, Vec<i32>)> {
        let spans = self.spans.get(query).map_or(&[][..], Vec::as_slice);
        let mut found = vec![false; spans.len()];
        let mut all = Vec::with_capacity(spans.len());
        let mut ranked = Vec::new();
        for id in ids {
            let passage = self.passage(id)?;
            let mut grade = None;
            for (span, found) in spans.iter().zip(&mut found).filter(|(_, found)| !**found) {
                if self.covers(&passage, span) {
                    *found = true;
                    grade = grade.max(Some(span.grade));
                }
            }
            let is_annotated = || spans.iter().any(|span| span.document == passage.document);
            let grade = grade.or_else(|| is_annotated().then_some(0));
            all.extend(grade);
            ranked.push(grade);
        }
        let missed = spans.iter().zip(found).filter(|(_, found)| !found);
        all.extend(missed.map(|(span, _)| span.grade));
        Ok((ranked, all))
    }

    /// The grade of a chunk by itself, wherever it is ranked; `None` where it is unjudged or says no passage.
    pub fn grade(&self, query: &str, id: &str) -> Option<i32> {
        let (passage, spans) = (self.passage(id).ok()?, self.spans.get(query)?);
        let in_document = spans.iter().filter(|span| span.document == passage.document);
        in_document.map(|span| if self.covers(&passage, span) { span.grade } else { 0 }).max()
    }

    /// Whether a passage covers so much of a span that it is relevant; both by their ids.
    pub fn is_covered(&self, span: &str, id: &str) -> bool {
        let span = Passage::parse(span);
        let span =
            span.map(|Passage { document, start, end }| Span { document, characters: start..end, grade: 0 });
        span.zip(self.passage(id).ok()).is_some_and(|(span, passage)| self.covers(&passage, &span))
    }

    fn covers(&self, passage: &Passage, span: &Span) -> bool {
        passage.document == span.document && shared(&(passage.start..passage.end), &span.characters) > 0
    }

    /// The spans as judgments of passages.
    fn qrels(&self, qrels: &mut Qrels, query: &str, span: &Span, line: u64) -> Result<(), Option<u64>> {
        let id = Passage::new(&*span.document, span.characters.clone()).to_string();
        qrels
            .insert_from_line(query, &id, span.grade, Some(line))
            .map_err(|JudgedTwice { first_line }| first_line)
    }
}

/// How many characters two ranges share.
fn shared(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

/// The texts of all documents.
fn texts(corpus: &Corpus) -> Result<HashMap<String, SourceText, RandomState>> {
    let mut texts: HashMap<String, SourceText, RandomState> = HashMap::default();
    let mut documents = corpus.documents()?;
    while let Some(document) = documents.next().transpose()? {
        texts.insert(document.id, SourceText::new(document.text));
    }
    Ok(texts)
}
