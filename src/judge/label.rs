//! What a judge's pairs are on the page on which people grade documents.

use rankgate_report::report::LabelPair;

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
