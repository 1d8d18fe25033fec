//! Variants that somebody wrote: a line each, with the id of its query.

use std::collections::BTreeMap;

use crate::Result;
use crate::collection::{Collection, record::Record, trec};
use crate::error::Quoted;
use crate::input::{Json, Lines, Source};

/// The texts by the id of their query, in the order of the lines: JSON lines with `id` and `text`, or id, tab,
/// text. A query may have several, and one that is as the query itself is left out.
///
/// # Errors
///
/// A file that cannot be read or is malformed, a query that the collection does not have, a text that is there
/// twice; the message names file, line and text.
pub(super) fn read(source: &Source<'_>, collection: &Collection) -> Result<BTreeMap<String, Vec<String>>> {
    let mut input = source.open()?;
    let is_json = input.peek_text()?.starts_with(b"{");
    let mut lines = Lines::new(input);
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(line) = if is_json { lines.next()? } else { lines.next_data()? } {
        let query = match is_json {
            true => Record::parse(Json::of_line(line), line.text)?.query(None)?.0,
            false => (trec::LINES.query)(line)?,
        };
        let mut left_out = collection.without_judgments().iter().chain(collection.unanswerable());
        let Some(original) = collection.query(&query.id).filter(|query| !query.is_unanswerable()) else {
            // Nothing is asked of a query that nobody judged, or that has no answer.
            if left_out.any(|one| one.id == query.id) {
                continue;
            }
            return Err(line.error(format!("a variant of {}, which is no query here", Quoted(&query.id))));
        };
        if query.text.trim().is_empty() {
            return Err(line.error(format!("a variant of {} without a text", Quoted(&query.id))));
        }
        let known = texts.entry(query.id.clone()).or_default();
        if known.contains(&query.text) {
            return Err(line.error(format!("the same variant of {} again", Quoted(&query.id))));
        }
        if query.text != original.text {
            known.push(query.text);
        }
    }
    Ok(texts)
}
