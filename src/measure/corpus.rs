//! What the documents hold, and their titles for those who read rankings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::collection::{Collection, Document};

/// Of larger corpora no titles are read: it would take too long.
const BYTES: u64 = 64 << 20;
const DOCUMENTS: usize = 200_000;
/// Characters of a title that are kept.
const TITLE: usize = 120;

/// Titles by the ids of documents.
pub(crate) type Titles = BTreeMap<String, String>;

/// What one pass over the documents found.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct CorpusFacts {
    pub(crate) documents: u64,
    pub(crate) sha256: String,
    pub(crate) warning: Option<String>,
}

/// The titles of a collection's documents; `None` where there is no corpus, or one that is too large or cannot be read: that is
/// for those to say who need the documents.
pub(super) fn titles(collection: &Collection) -> Option<Titles> {
    let corpus = collection.corpus().ok()?;
    let bytes = corpus.path().map_or(Some(0), |path| Some(std::fs::metadata(path).ok()?.len()))?;
    if bytes > BYTES {
        return None;
    }
    let (mut titles, mut read) = (Titles::new(), 0);
    let and = |titled: Option<(String, String)>| {
        read += 1;
        titles.extend(titled);
        read <= DOCUMENTS
    };
    corpus.each(|document| titled(&document), and).ok()?;
    (read <= DOCUMENTS).then_some(titles)
}

/// Id and title of a document that has one.
fn titled(document: &Document) -> Option<(String, String)> {
    let title = document.title.as_deref().filter(|title| !title.trim().is_empty())?;
    Some((document.id.clone(), title.chars().take(TITLE).collect()))
}
