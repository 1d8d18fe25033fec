//! Judgments that are older than what they judge, as far as metadata have dates.

use std::collections::BTreeMap;

use crate::health::collection::{Collection, Document, Metadata};
use crate::health::model::{Example, Finding, Severity, choose};

/// Metadata of documents that say when their text was last another, the surest first.
const DOCUMENTS: [&str; 10] = [
    "updated",
    "updated_at",
    "modified",
    "last_modified",
    "last-modified",
    "date",
    "published",
    "published_at",
    "created",
    "created_at",
];
/// Metadata of queries that say when they were judged.
const JUDGED: [&str; 3] = ["judged", "judged_at", "judged-at"];
/// That all of the newest documents are unjudged is taken for chance where it is likelier than this.
const CHANCE: f64 = 0.001;

/// A day, or a month without a day: `2024-06-30`, `2024-06`.
fn day(metadata: &Metadata, key: &str) -> Option<String> {
    let text = metadata.get(key)?.as_str()?.get(..7)?;
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    let is_month = digits(0..4) && bytes[4] == b'-' && digits(5..7);
    let whole = metadata.get(key)?.as_str()?;
    is_month.then(|| whole.get(..10).unwrap_or(text).to_owned())
}

/// When a document was last changed, and which key says so.
pub(super) fn find(document: &Document) -> Option<(usize, String)> {
    (0..DOCUMENTS.len()).find_map(|key| Some((key, day(&document.metadata, DOCUMENTS[key])?)))
}

/// Days with how many documents they have, and how many of these are judged; by key.
#[derive(Default)]
pub(super) struct Days {
    by_key: BTreeMap<usize, BTreeMap<String, [usize; 2]>>,
    documents: usize,
    /// Documents that were changed after their query was judged: how many pairs, and the first.
    changed: (usize, Vec<Example>),
}

impl Days {
    /// Takes a document in; `queries` are the positions of those that it is judged for.
    pub(super) fn add(
        &mut self,
        collection: &Collection,
        id: &str,
        date: Option<(usize, String)>,
        queries: &[u32],
    ) {
        self.documents += 1;
        let Some((key, date)) = date else { return };
        for query in queries.iter().filter_map(|&query| collection.queries().get(query as usize)) {
            let Some(judged) = JUDGED.iter().find_map(|key| day(&query.metadata, key)) else { continue };
            // A month is over on its last day: only what is surely later counts.
            let length = judged.len().min(date.len());
            if date[..length] > judged[..length] {
                self.changed.0 += 1;
                if self.changed.1.len() < Example::MOST {
                    let note = format!("judged {judged}; {id} is of {date}");
                    self.changed.1.push(Example::new(&query.id, &query.text, note));
                }
            }
        }
        let day = self.by_key.entry(key).or_default().entry(date).or_default();
        day[0] += 1;
        day[1] += usize::from(!queries.is_empty());
    }
}

/// What to tell of them.
pub(super) fn findings(days: &Days) -> Vec<Finding> {
    let (changed, examples) = &days.changed;
    let mut findings = Vec::new();
    if *changed > 0 {
        findings.push(Finding {
            severity: Severity::Caution,
            code: "documents-changed-since".into(),
            message: format!(
                "{changed} {} of a document that was changed after its query was judged",
                choose(*changed, "judgment is", "judgments are")
            ),
            count: *changed,
            examples: examples.clone(),
            advice: "judge these again: what was relevant may have gone from the text".into(),
        });
    }
    findings.extend(newer(days));
    findings
}

/// Documents that are newer than every judged one, where chance does not explain that none of them is judged.
fn newer(days: &Days) -> Option<Finding> {
    // The key that says most.
    let (key, dated) =
        days.by_key.iter().max_by_key(|(_, days)| days.values().map(|day| day[0]).sum::<usize>())?;
    let (all, judged) = dated.values().fold((0, 0), |(all, judged), day| (all + day[0], judged + day[1]));
    let newest = dated.iter().rev().find(|(_, day)| day[1] > 0)?.0;
    let newer: usize = dated.iter().rev().take_while(|(_, day)| day[1] == 0).map(|(_, day)| day[0]).sum();
    // The chance that the newest are all among the unjudged: draws without replacement.
    let log: f64 = (0..newer).map(|at| ((all - judged - at) as f64 / (all - at) as f64).ln()).sum();
    (newer > 0 && log < CHANCE.ln()).then(|| Finding {
        severity: Severity::Caution,
        code: "documents-newer-than-judged".into(),
        message: format!(
            "{newer} of {} documents are newer than every judged one (`{}` after {newest}), and no grader can have seen \
             them: were dates and judgments unrelated, that would happen with probability {:.1e}",
            days.documents,
            DOCUMENTS[*key],
            log.exp()
        ),
        count: newer,
        examples: Vec::new(),
        advice: "judge what retrievers return of them (`rankgate pool`): until then a retriever that finds them is marked down"
            .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankgate::{CollectionBuilder, Query};

    fn found(documents: &[(&str, &str)], judged: &[&str], when: &str) -> Vec<(String, usize)> {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q", "text").with("judged", when), judged.iter().map(|id| (*id, 1)));
        let collection = builder.build().unwrap();
        let mut days = Days::default();
        for (id, date) in documents {
            let document = Document::new(*id, "t").with("updated", *date);
            let queries: &[u32] = if judged.contains(id) { &[0] } else { &[] };
            days.add(&collection, id, find(&document), queries);
        }
        findings(&days).into_iter().map(|one| (one.code, one.count)).collect()
    }

    #[test]
    fn judgments_older_than_the_text_are_told() {
        let documents =
            [("a", "2024-06-30"), ("b", "2024-07-01T10:00:00Z"), ("c", "2024-08"), ("d", "yesterday")];
        let changed = |judged: &[&str], when| found(&documents, judged, when);
        assert_eq!(changed(&["a", "b", "c", "d"], "2024-06-30"), [("documents-changed-since".to_owned(), 2)]);
        // Within one month nothing is sure.
        assert_eq!(changed(&["a", "b", "c"], "2024-08-01"), []);
        assert_eq!(changed(&["a", "b"], "soon"), []);
    }

    /// 10 of 20 documents judged, and k newer than these: C(20 - k, 10) / C(20, 10) by hand.
    #[test]
    fn newer_documents_are_told_where_it_is_no_chance() {
        let ids: Vec<String> = (0..20).map(|n| format!("d{n}")).collect();
        let count = |newer: usize| {
            let date = |n: usize| if n < 20 - newer { "2024-01-01" } else { "2024-02-01" };
            let documents: Vec<(&str, &str)> = (0..20).map(|n| (ids[n].as_str(), date(n))).collect();
            let judged: Vec<&str> = ids.iter().take(10).map(String::as_str).collect();
            found(&documents, &judged, "")
        };
        // 8: 66 / 184,756 = .00036; 7: 286 / 184,756 = .0015.
        assert_eq!(count(7), []);
        assert_eq!(count(8), [("documents-newer-than-judged".to_owned(), 8)]);
    }
}
