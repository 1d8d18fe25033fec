//! The collection in numbers, and errors in its judgments.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::documents::DocumentStats;
use crate::health::collection::{Collection, Judgments};
use crate::health::model::{
    CollectionFacts, Example, Finding, Grade, SegmentFacts, Severity, Spread, choose,
};
use crate::health::shingles::Words;

/// A metadata key with more values than this names queries, not segments.
const SEGMENTS: usize = 50;
/// With fewer queries than this, tests ask for more than one proof, and hardly find any.
const FEW: usize = 25;

/// The collection in numbers.
pub(super) fn facts(
    collection: &Collection,
    relevant_from: i32,
    seen: Option<&DocumentStats>,
) -> CollectionFacts {
    let qrels = collection.qrels();
    let judgments = || qrels.iter().map(|(_, judgments)| judgments);
    let mut grades: BTreeMap<i32, usize> = BTreeMap::new();
    judgments().flat_map(Judgments::grades).for_each(|grade| *grades.entry(grade).or_default() += 1);
    let documents: HashSet<&str> = judgments().flat_map(Judgments::iter).map(|(id, _)| id).collect();
    let words = |query: &crate::health::collection::Query| Words::new([query.text.as_str()]).len();
    let has_judgments = !qrels.is_empty();
    CollectionFacts {
        queries: if has_judgments { collection.queries().len() } else { 0 },
        unjudged_queries: collection.unjudged_queries(),
        unanswerable: collection.unanswerable().len(),
        query_words: Spread::new(collection.queries().iter().map(words)),
        documents: seen.map(|seen| seen.documents),
        document_words: seen.map(|seen| seen.words),
        judgments: qrels.len(),
        judged_documents: documents.len(),
        relevant_from,
        grades: grades.into_iter().map(|(grade, judgments)| Grade { grade, judgments }).collect(),
        judgments_per_query: Spread::new(judgments().map(Judgments::len)),
        relevant_per_query: Spread::new(judgments().map(|judged| relevant(judged, relevant_from))),
        segments: segments(collection),
    }
}

fn relevant(judgments: &Judgments, relevant_from: i32) -> usize {
    judgments.grades().filter(|&grade| grade >= relevant_from).count()
}

fn segments(collection: &Collection) -> Vec<SegmentFacts> {
    let queries = collection.queries();
    let keys: BTreeSet<&String> = queries.iter().flat_map(|query| query.metadata.keys()).collect();
    let segment = |key: &String| {
        let mut values: BTreeMap<String, usize> = BTreeMap::new();
        let mut without = 0;
        for query in queries {
            let own: BTreeSet<String> = query.segments(key).into_iter().collect();
            without += usize::from(own.is_empty());
            own.into_iter().for_each(|value| *values.entry(value).or_default() += 1);
        }
        let mut values: Vec<(String, usize)> = values.into_iter().collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let usable = (1..=SEGMENTS).contains(&values.len());
        usable.then(|| SegmentFacts { key: key.clone(), values, without })
    };
    keys.into_iter().filter_map(segment).collect()
}

/// What to tell about the judgments.
pub(super) fn findings(
    collection: &Collection,
    relevant_from: i32,
    seen: Option<&DocumentStats>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(seen.and_then(|seen| missing(collection, relevant_from, &seen.missing)));
    findings.extend(unjudgeable(collection, relevant_from));
    if collection.qrels().is_empty() {
        findings.push(Finding {
            severity: Severity::Problem,
            code: "no-judgments".into(),
            message: "nothing is judged: no metric has a value".into(),
            count: collection.queries().len(),
            examples: Vec::new(),
            advice: "judge the first documents of a retriever: `rankgate pool` prints them".into(),
        });
        return findings;
    }
    let queries = collection.queries().len();
    if queries < FEW {
        findings.push(Finding {
            severity: Severity::Caution,
            code: "few-queries".into(),
            message: format!(
                "{} few: only large differences can be distinguished from chance",
                match queries {
                    1 => "1 judged query is".to_owned(),
                    _ => format!("{queries} judged queries are"),
                }
            ),
            count: queries,
            examples: Vec::new(),
            advice: format!("judge more queries, {FEW} at the least; 50 to 100 are common"),
        });
    }
    findings.extend(grades(collection));
    findings
}

/// Judged documents that no retriever can find.
fn missing(collection: &Collection, relevant_from: i32, missing: &[String]) -> Option<Finding> {
    let gone: HashSet<&str> = missing.iter().map(String::as_str).collect();
    let mut lost: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut relevant = 0;
    if !gone.is_empty() {
        for (query, judgments) in collection.qrels().iter() {
            for (document, grade) in judgments.iter().filter(|(document, _)| gone.contains(document)) {
                // Those that cost score come first among the examples.
                let counts = grade >= relevant_from;
                relevant += usize::from(counts);
                let queries = lost.entry(document).or_default();
                queries.insert(if counts { 0 } else { queries.len() }, query);
            }
        }
    }
    let (severity, cost) = match relevant {
        0 => (Severity::Caution, "none of them relevant".to_owned()),
        1 => (Severity::Problem, "1 relevant judgment cannot be met by any retriever".to_owned()),
        some => (Severity::Problem, format!("{some} relevant judgments cannot be met by any retriever")),
    };
    let example = |(document, queries): (&&str, &Vec<&str>)| {
        let more = match queries.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Example::new(
            *document,
            "",
            format!("judged for {}{more}", queries.first().copied().unwrap_or_default()),
        )
    };
    (!missing.is_empty()).then(|| Finding {
        severity,
        code: "missing-documents".into(),
        message: format!(
            "{} {} not in the corpus; {cost}",
            missing.len(),
            choose(missing.len(), "judged document is", "judged documents are")
        ),
        count: missing.len(),
        examples: lost.iter().take(Example::MOST).map(example).collect(),
        advice:
            "add the documents, or drop their judgments: recall cannot reach 1 and every score is too low"
                .into(),
    })
}

fn unjudgeable(collection: &Collection, relevant_from: i32) -> Option<Finding> {
    let without: Vec<&crate::health::collection::Query> = collection
        .queries()
        .iter()
        .filter(|query| {
            collection.judgments(&query.id).is_some_and(|judged| relevant(judged, relevant_from) == 0)
        })
        .collect();
    let example = |query: &&crate::health::collection::Query| {
        let judged = collection.judgments(&query.id).map_or(0, Judgments::len);
        Example::new(&query.id, &query.text, format!("{judged} judged"))
    };
    (!without.is_empty()).then(|| Finding {
        severity: Severity::Caution,
        code: "queries-without-relevant".into(),
        message: format!(
            "{} of {} judged queries {} 0 whatever is returned",
            without.len(),
            collection.queries().len(),
            choose(
                without.len(),
                "has no relevant document: it scores",
                "have no relevant document: they score"
            )
        ),
        count: without.len(),
        examples: without.iter().take(Example::MOST).map(example).collect(),
        advice: "judge more documents for them, or leave them out with `skip-queries-without-relevant: true`"
            .into(),
    })
}

fn grades(collection: &Collection) -> Vec<Finding> {
    let all = || collection.qrels().iter().flat_map(|(_, judgments)| judgments.grades());
    let (zero, negative) =
        (all().filter(|&grade| grade == 0).count(), all().filter(|&grade| grade < 0).count());
    let fact = |code: &str, message: String, count: usize, advice: &str| Finding {
        severity: Severity::Fact,
        code: code.into(),
        message,
        count,
        examples: Vec::new(),
        advice: advice.into(),
    };
    let mut facts = Vec::new();
    if zero == 0 {
        facts.push(fact(
            "nothing-non-relevant",
            "no document is judged non-relevant (grade 0): what was looked at and found wanting cannot be told \
             from what nobody looked at"
                .into(),
            0,
            "keep grades of 0 when judging; until then Bpref and `Judged@k` say no more than recall and precision",
        ));
    }
    if negative > 0 {
        facts.push(fact(
            "negative-grades",
            format!(
                "{negative} {} a grade below 0, which counts as judged and not relevant",
                choose(negative, "judgment has", "judgments have")
            ),
            negative,
            "",
        ));
    }
    facts
}
