//! Chunks and documents that do not belong together.

use std::collections::BTreeSet;

use crate::health::Result;
use crate::health::collection::Collection;
use crate::health::model::{Example, Finding, Severity, choose};
use crate::health::run::Units;
use crate::health::spec::Configuration;

use super::Linting;

impl Linting<'_> {
    pub(super) fn chunk_findings(&self, collection: &Collection) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let Some((configuration, units)) = self.units() else { return Ok(findings) };
        let chunks = match collection.corpus().is_ok() {
            true => Some(ChunkIds::read(collection, &units)?),
            false => None,
        };
        findings.extend(chunks.as_ref().and_then(ChunkIds::finding));
        let listed = units.listed_documents();
        findings.extend(listed.and_then(|listed| self.without_chunks(configuration, collection, &listed)));
        Ok(findings)
    }

    /// The units of the first configuration that has some.
    fn units(&self) -> Option<(&Configuration, Units)> {
        let read = |one| Some((one, self.inspection.units(one).ok()??));
        self.spec().configurations.iter().find_map(read)
    }

    /// Relevant documents of which a list of chunks has none.
    fn without_chunks(
        &self,
        configuration: &Configuration,
        collection: &Collection,
        listed: &BTreeSet<&str>,
    ) -> Option<Finding> {
        let relevant_from = self.spec().collection.relevant_from;
        let judgments = collection.qrels().iter();
        let judged = judgments.flat_map(|(query, judgments)| judgments.iter().map(move |one| (query, one)));
        let relevant = judged.filter(|(_, (_, grade))| *grade >= relevant_from);
        let (mut all, mut lost) = (BTreeSet::new(), BTreeSet::new());
        for (query, (document, _)) in relevant {
            all.insert(document);
            if !listed.contains(document) {
                lost.insert((document, query));
            }
        }
        let documents: BTreeSet<&str> = lost.iter().map(|(document, _)| *document).collect();
        (!documents.is_empty()).then(|| Finding {
            severity: Severity::Problem,
            code: "relevant-without-chunk".into(),
            message: format!(
                "{} of {} relevant documents {} no chunk in the units of {}: no ranking can find {}",
                documents.len(),
                all.len(),
                choose(documents.len(), "has", "have"),
                configuration.name,
                choose(documents.len(), "it", "them")
            ),
            count: documents.len(),
            examples: lost
                .iter()
                .take(Example::MOST)
                .map(|(document, query)| Example::new(*document, "", format!("relevant to query {query}")))
                .collect(),
            advice: "list their chunks, or write the ids of documents as the judgments have them".into(),
        })
    }
}

/// The ids of a corpus, as those of chunks.
struct ChunkIds {
    chunks: u64,
    /// The first that belong to no document, and how many there are.
    strays: Vec<String>,
    stray: usize,
    why: String,
}

impl ChunkIds {
    fn read(collection: &Collection, units: &Units) -> Result<Self> {
        let mut ids = Self { chunks: 0, strays: Vec::new(), stray: 0, why: String::new() };
        for document in collection.corpus()?.documents()? {
            let id = document?.id;
            ids.chunks += 1;
            let Err(error) = units.document(&id) else { continue };
            ids.stray += 1;
            if ids.strays.len() < Example::MOST {
                if ids.why.is_empty() {
                    ids.why = error.to_string();
                }
                ids.strays.push(id);
            }
        }
        Ok(ids)
    }

    /// Chunks that belong to no document, beside others that do. Where none does, the corpus is one of documents.
    fn finding(&self) -> Option<Finding> {
        let Self { chunks, strays, stray, why } = self;
        (*stray > 0 && (*stray as u64) < *chunks).then(|| Finding {
            severity: Severity::Problem,
            code: "chunks-of-no-document".into(),
            message: format!(
                "{stray} of {chunks} chunks of the corpus {} to no document: a retriever that returns one of them is an error",
                choose(*stray, "belongs", "belong")
            ),
            count: *stray,
            examples: strays.iter().map(|id| Example::new(id, "", "")).collect(),
            advice: format!("mend `units` or the ids: {why}"),
        })
    }
}
