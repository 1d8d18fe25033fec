//! Titles of documents, for those who read rankings.

use std::collections::BTreeMap;

use super::carry::Benchmark;
use super::model::{ConfigurationReport, Outcome};

/// Of larger corpora no titles are read: nobody would wait for them.
const BYTES: u64 = 64 << 20;
const DOCUMENTS: usize = 200_000;
/// Characters of a title that are kept.
const TITLE: usize = 120;

/// Titles by the ids of documents.
pub(super) type Titles = BTreeMap<String, String>;

impl Benchmark {
    /// Reads the titles of all documents, once in this test run.
    pub(super) fn read_titles(&self) {
        self.titles.get_or_init(|| match &self.context.cache {
            None => self.all_titles().unwrap_or_default(),
            Some(cache) => {
                let read = || self.all_titles().unwrap_or_default();
                cache.get_or_make(&self.key("titles"), read).unwrap_or_default()
            }
        });
    }

    /// `None` where there is no corpus, or one that is too large or cannot be read: that is for those to
    /// say who need the documents.
    fn all_titles(&self) -> Option<Titles> {
        let corpus = self.loaded_collection()?.corpus().ok()?;
        let bytes = corpus.path().map_or(Some(0), |path| Some(std::fs::metadata(path).ok()?.len()))?;
        if bytes > BYTES {
            return None;
        }
        let mut titles = Titles::new();
        for (index, document) in corpus.documents().ok()?.enumerate() {
            let document = document.ok().filter(|_| index < DOCUMENTS)?;
            if let Some(title) = document.title.filter(|title| !title.trim().is_empty()) {
                titles.insert(document.id, title.chars().take(TITLE).collect());
            }
        }
        Some(titles)
    }

    /// Those of the documents that rankings of these configurations name, as far as they have been read.
    pub(super) fn titles_in(&self, configurations: &[ConfigurationReport]) -> Titles {
        let Some(all) = self.titles.get().filter(|all| !all.is_empty()) else { return Titles::new() };
        let measured = configurations.iter().filter_map(|configuration| match &configuration.outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        });
        let rankings = measured.flat_map(|measured| &measured.queries).flat_map(|query| {
            let golden = query.golden.as_ref().and_then(|golden| golden.ranking.as_ref());
            query.ranking.iter().chain(golden)
        });
        let named = rankings.flat_map(|ranking| {
            let missed = ranking.missed.iter().map(|missed| &missed.document);
            ranking.top.iter().map(|ranked| &ranked.document).chain(missed)
        });
        named.filter_map(|id| Some((id.clone(), all.get(id)?.clone()))).collect()
    }
}
