//! What a judge's pairs are on the page on which people grade documents.

use rankgate_report::report::LabelPair;

impl From<&crate::judge::Pair> for LabelPair {
    fn from(pair: &crate::judge::Pair) -> Self {
        let sha256 = |text: &str| Some(crate::judge::sha256(text.as_bytes()));
        Self {
            query: pair.query.id.clone(),
            query_text: pair.query.in_conversation().into_owned(),
            query_sha256: sha256(&pair.query.in_conversation()),
            document: pair.document.id.clone(),
            document_text: pair.document.text.clone(),
            document_sha256: sha256(&pair.document.text),
            scale: words(pair),
        }
    }
}

/// What its grades are called, where they are not those of documents.
fn words(pair: &crate::judge::Pair) -> Vec<String> {
    let words = pair.document.metadata.get("scale").and_then(serde_json::Value::as_array);
    words.into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
}
