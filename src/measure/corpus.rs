//! What the documents hold, and their titles for those who read rankings.

use std::collections::BTreeMap;

use crate::Result;
use crate::analysis::MissingRelevant;
use crate::collection::{Corpus, Document};
use crate::json::as_json;
use crate::progress::{Watched, Work};

use super::Cache;

/// Of larger corpora no titles are read: it would take too long.
const BYTES: u64 = 64 << 20;
const DOCUMENTS: usize = 200_000;
/// Characters of a title that are kept.
const TITLE: usize = 120;

/// Titles by the ids of documents.
pub(crate) type Titles = BTreeMap<String, String>;

/// What one pass over the documents found.
#[derive(Clone, Debug)]
pub(crate) struct CorpusFacts {
    pub(crate) documents: u64,
    pub(crate) sha256: String,
    pub(crate) warning: Option<String>,
}

as_json!(struct CorpusFacts { documents, sha256, warning });

impl Cache {
    /// What the documents hold, found by reading them once in this test run; `None` without any.
    pub(crate) fn corpus(&self) -> Result<Option<&CorpusFacts>> {
        let facts = self.corpus.get_or_init(|| {
            let collection = self.collection()?;
            if collection.corpus().is_err() {
                return Ok(None);
            }
            self.share_once(&self.key("corpus"), || {
                let work = Work::Reading { benchmark: self.name() };
                let _watched = Watched::start(self.context.observer(), work, None);
                let check = collection.check_corpus()?;
                let (documents, warning) = (check.documents, check.warning());
                Ok(Some(CorpusFacts { documents, sha256: check.sha256, warning }))
            })
        });
        facts.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// The same, if it has been found.
    pub(crate) fn corpus_so_far(&self) -> Option<&CorpusFacts> {
        self.corpus.get()?.as_ref().ok()?.as_ref()
    }

    /// The relevant documents that the corpus lacks, looked up once in this test run.
    pub(crate) fn missing_relevant(&self) -> Result<&MissingRelevant> {
        let find = || {
            let collection = self.collection()?;
            self.share_once(&self.key("missing-relevant"), || {
                Ok(MissingRelevant::new(collection, collection.corpus_ids()?))
            })
        };
        self.missing_relevant.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// Reads the titles of all documents, once in this test run.
    pub(crate) fn read_titles(&self) {
        let read = || self.share_once(&self.key("titles"), || Ok(self.all_titles().unwrap_or_default()));
        self.titles.get_or_init(|| read().unwrap_or_default());
    }

    /// `None` where there is no corpus, or one that is too large or cannot be read: that is for those to
    /// say who need the documents.
    fn all_titles(&self) -> Option<Titles> {
        let corpus = self.collection_so_far()?.corpus().ok()?;
        let mut titles = Some(TitlesOf::begin(corpus)?);
        let and = |one| {
            titles = titles.take().and_then(|titles| titles.and(one));
            titles.is_some()
        };
        corpus.each(|document| Titled::new(&document), and).ok()?;
        Some(titles?.titles)
    }

    /// The titles, as far as they have been read.
    pub(crate) fn titles_so_far(&self) -> Option<&Titles> {
        self.titles.get().filter(|all| !all.is_empty())
    }
}

/// Titles in the reading, as long as there are not too many documents.
#[derive(Default)]
pub(super) struct TitlesOf {
    pub(super) titles: Titles,
    read: usize,
}

impl TitlesOf {
    /// Before the first document; `None` of a corpus that is too large.
    pub(super) fn begin(corpus: &Corpus) -> Option<Self> {
        let bytes = corpus.path().map_or(Some(0), |path| Some(std::fs::metadata(path).ok()?.len()))?;
        (bytes <= BYTES).then(Self::default)
    }

    /// With one more document; `None` where that is one too many.
    pub(super) fn and(mut self, Titled(title): Titled) -> Option<Self> {
        self.read += 1;
        self.titles.extend(title);
        (self.read <= DOCUMENTS).then_some(self)
    }
}

/// Id and title of a document that has one.
pub(super) struct Titled(Option<(String, String)>);

impl Titled {
    pub(super) fn new(document: &Document) -> Self {
        let title = document.title.as_deref().filter(|title| !title.trim().is_empty());
        let end = |title: &str| title.char_indices().nth(TITLE).map_or(title.len(), |(at, _)| at);
        Self(title.map(|title| (document.id.clone(), title[..end(title)].to_owned())))
    }
}
