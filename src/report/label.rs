//! What a judge's pairs and a pool's entries are on the page on which people grade documents.

use rankgate_report::report::LabelPair;

#[cfg(feature = "judge")]
impl From<&crate::judge::Pair> for LabelPair {
    fn from(pair: &crate::judge::Pair) -> Self {
        let sha256 = |text: &str| Some(crate::judge::sha256(text.as_bytes()));
        Self {
            query: pair.query.id.clone(),
            query_text: pair.query.text.clone(),
            query_sha256: sha256(&pair.query.text),
            document: pair.document.id.clone(),
            document_text: pair.document.text.clone(),
            document_sha256: sha256(&pair.document.text),
        }
    }
}

#[cfg(feature = "health")]
impl From<&crate::benchmark::PoolEntry> for LabelPair {
    fn from(entry: &crate::benchmark::PoolEntry) -> Self {
        Self {
            query: entry.query.clone(),
            query_text: entry.query_text.clone(),
            query_sha256: None,
            document: entry.document.clone(),
            document_text: entry.document_text.clone().unwrap_or_default(),
            document_sha256: None,
        }
    }
}
