//! Documents and queries that are there more than once.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::documents::{Alike, DocumentStats};
use super::likeness::{Fingerprint, candidates};
use crate::health::collection::{Collection, Query};
use crate::health::model::{Example, Finding, Severity, choose};
use crate::health::shingles::{NEAR, SHINGLE, Words, jaccard, shingles};
use crate::health::words::counted;

/// Texts that are there more than once, and queries of other splits.
pub(super) fn findings(collection: &Collection, seen: Option<&DocumentStats>) -> Vec<Finding> {
    let alike = seen.map_or(&[][..], |seen| &seen.alike);
    let documents = judged_apart(collection, alike).into_iter().chain(documents(alike));
    documents.chain(queries(collection)).collect()
}

/// Copies of a relevant document with another grade: a retriever that returns one is marked down for it.
fn judged_apart(collection: &Collection, alike: &[Alike]) -> Option<Finding> {
    let copied: HashSet<&str> = alike.iter().flat_map(|one| &one.ids).map(String::as_str).collect();
    let mut queries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (query, judgments) in collection.qrels().iter() {
        for (document, _) in judgments.iter().filter(|(document, _)| copied.contains(document)) {
            queries.entry(document).or_default().insert(query);
        }
    }
    let mut cases = Vec::new();
    for one in alike {
        let of_both: BTreeSet<&str> =
            one.ids.iter().filter_map(|id| queries.get(id.as_str())).flatten().copied().collect();
        for query in of_both {
            let mut judged = one.ids.each_ref().map(|id| (collection.grade(query, id), id));
            judged.sort_by_key(|(grade, _)| std::cmp::Reverse(*grade));
            let [(best, _), (worst, _)] = judged;
            if best.is_some_and(|grade| grade > 0) && best != worst {
                cases.push((query, judged, one.near));
            }
        }
    }
    let grade = |grade: Option<i32>| grade.map_or("not judged".to_owned(), |grade| format!("grade {grade}"));
    let example = |(query, [(high, best), (low, worst)], _): &(&str, [(Option<i32>, &String); 2], _)| {
        let text = collection.query(query).map_or("", |query| &query.text);
        Example::new(*query, text, format!("{best}: {}; its copy {worst}: {}", grade(*high), grade(*low)))
    };
    // The words by which a near copy differs may be the ones that matter.
    let severity = match cases.iter().any(|(.., near)| near.is_none()) {
        true => Severity::Problem,
        false => Severity::Warning,
    };
    cases.sort_by_key(|(.., near)| near.is_some());
    Finding::new(
        (severity, "copies-judged-apart"),
        format!(
            "copies or near copies of a document are judged differently for one query, in {}",
            counted(cases.len(), "case", "cases")
        ),
        cases.len(),
        cases.iter().map(example),
        "keep one of the copies, or give all of them its grade: a retriever that returns another one is marked down for it",
    )
}

fn documents(alike: &[Alike]) -> Option<Finding> {
    let copies = |near: bool| {
        let of = alike.iter().filter(|one| one.near.is_some() == near).map(|one| &one.ids[1]);
        of.collect::<BTreeSet<_>>().len()
    };
    let later: BTreeSet<&String> = alike.iter().map(|one| &one.ids[1]).collect();
    let mut pairs: Vec<&Alike> = alike.iter().collect();
    pairs.sort_by_key(|one| one.near.is_some());
    let example = |one: &&Alike| {
        let [first, copy] = &one.ids;
        let how = one.near.map_or(format!("= {copy}"), |index| format!("~ {copy} (Jaccard {index:.2})"));
        Example::new(first, &one.text, how)
    };
    Finding::new(
        (Severity::Warning, "documents-repeated"),
        format!(
            "{} of an earlier one: {} word for word, {} with a Jaccard index of {NEAR} or more over runs of {SHINGLE} words",
            choose(later.len(), "1 document is a copy", &format!("{} documents are copies", later.len())),
            copies(false),
            copies(true),
        ),
        later.len(),
        pairs.iter().map(example),
        "keep one of each, or judge them alike: copies take places in a ranking, and only one of them may be judged",
    )
}

/// Judged queries that repeat others of this split, or of another one: a retriever tuned on those has seen these.
fn queries(collection: &Collection) -> Vec<Finding> {
    let others = match collection.qrels().is_empty() {
        true => &[][..],
        false => collection.without_judgments(),
    };
    // In a group of copies each is paired with the first, so that one of another split is paired with all.
    let all: Vec<&Query> = others.iter().chain(collection.queries()).collect();
    let words: Vec<Words> = all.iter().map(|query| Words::new([query.text.as_str()])).collect();
    // Queries are short, and ask the same in another order: their shingles are words.
    let sets: Vec<Vec<u64>> = words.iter().map(|words| shingles(words, 1)).collect();
    let prints: Vec<Fingerprint> = words.iter().map(|words| Fingerprint::new(words, 1)).collect();
    let (mut within, mut across) = (BTreeMap::new(), BTreeMap::new());
    for [one, other] in candidates(&prints).into_iter().map(|pair| pair.map(|index| index as usize)) {
        let index = jaccard(&sets[one], &sets[other]);
        if index >= NEAR && other >= others.len() {
            let twins = if one < others.len() { &mut across } else { &mut within };
            twins.entry(other).or_insert((one, index));
        }
    }
    let finding = |code, twins: &BTreeMap<usize, (usize, f64)>, [one, many]: [&str; 2], of, advice| {
        let example = |(&later, &(first, index)): (&usize, &(usize, f64))| {
            let (query, twin) = (all[later], all[first]);
            let note = format!("~ {}: {} (Jaccard {index:.2})", twin.id, twin.text);
            Example::new(&query.id, &query.text, note)
        };
        let message = format!(
            "{} {of} (Jaccard index of their words at least {NEAR})",
            counted(twins.len(), one, many)
        );
        Finding::new((Severity::Warning, code), message, twins.len(), twins.iter().map(example), advice)
    };
    let copies = ["judged query is a copy or near copy", "judged queries are copies or near copies"];
    let within = finding(
        "queries-repeated",
        &within,
        copies,
        "of another judged query",
        "keep one of each, or name what they have in common in their metadata and in `statistics.group-by`: a question \
         that is asked twice counts twice in every mean, and tests take queries for independent",
    );
    let across = finding(
        "queries-in-other-splits",
        &across,
        copies,
        "of a query that these judgments do not judge, as those of other splits are",
        "if a system was trained or tuned on that split, leave these out of this one",
    );
    within.into_iter().chain(across).collect()
}
