//! Documents and queries that are there more than once.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::documents::{Alike, DocumentStats, Groups};
use super::likeness::{Fingerprint, candidates, equal};
use crate::health::collection::{Collection, Judgments, Query};
use crate::health::model::{Example, Finding, Severity, choose};
use crate::health::shingles::Words;
use crate::health::shingles::{NEAR, SHINGLE, jaccard, shingles};

/// What to tell about texts that are there more than once.
pub(super) fn findings(collection: &Collection, seen: Option<&DocumentStats>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(seen) = seen {
        findings.extend(judged_apart(collection, &seen.alike.equal, Likeness::Equal));
        let near: Vec<Vec<String>> =
            seen.alike.near.iter().map(|(one, other, _)| vec![one.clone(), other.clone()]).collect();
        findings.extend(judged_apart(collection, &near, Likeness::Near));
        findings.extend(equal_documents(&seen.alike));
        findings.extend(near_documents(&seen.alike));
    }
    findings.extend(equal_queries(collection));
    findings.extend(near_queries(collection.queries()));
    findings.extend(other_splits(collection));
    findings
}

/// How much of a text its copy says.
#[derive(Clone, Copy, PartialEq)]
enum Likeness {
    Equal,
    Near,
}

/// Copies of a relevant document that are not judged as it is: a retriever that returns one is marked down for it.
fn judged_apart(collection: &Collection, alike: &[Vec<String>], likeness: Likeness) -> Option<Finding> {
    let copied: HashSet<&str> = alike.iter().flatten().map(String::as_str).collect();
    let mut judged: HashMap<&str, BTreeMap<&str, i32>> = HashMap::new();
    for (query, judgments) in collection.qrels().iter() {
        for (document, grade) in judgments.iter() {
            if copied.contains(document) {
                judged.entry(document).or_default().insert(query, grade);
            }
        }
    }
    let mut cases = Vec::new();
    for group in alike {
        let queries: HashSet<&str> =
            group.iter().filter_map(|id| judged.get(id.as_str())).flat_map(BTreeMap::keys).copied().collect();
        let mut queries: Vec<&str> = queries.into_iter().collect();
        queries.sort_unstable();
        for query in queries {
            let grade = |id: &String| judged.get(id.as_str()).and_then(|grades| grades.get(query)).copied();
            // No judgment stands below every grade.
            let best = group.iter().max_by_key(|id| (grade(id), std::cmp::Reverse(*id)));
            let worst = group.iter().min_by_key(|id| (grade(id), *id));
            let (Some(best), Some(worst)) = (best, worst) else { continue };
            // Two that say nothing good of either are alike.
            if grade(best).is_some_and(|grade| grade > 0) && grade(best) != grade(worst) {
                cases.push((query, best, grade(best), worst, grade(worst)));
            }
        }
    }
    let said = |grade: Option<i32>| grade.map_or("not judged".to_owned(), |grade| format!("grade {grade}"));
    let example = |(query, best, high, worst, low): &(&str, &String, Option<i32>, &String, Option<i32>)| {
        let text = collection.query(query).map_or("", |query| &query.text);
        Example::new(*query, text, format!("{best}: {}; its copy {worst}: {}", said(*high), said(*low)))
    };
    // What one of two versions says more may be what was asked for.
    let (severity, code, copies, advice) = match likeness {
        Likeness::Equal => (
            Severity::Problem,
            "copies-judged-apart",
            "copies",
            "keep one of the copies, or give all of them its grade: a retriever that returns the other one is marked \
             down for it",
        ),
        Likeness::Near => (
            Severity::Caution,
            "near-copies-judged-apart",
            "near copies",
            "look at them: where what they differ in does not matter to the query, they deserve one grade",
        ),
    };
    (!cases.is_empty()).then(|| Finding {
        severity,
        code: code.into(),
        message: format!(
            "{copies} of a document are judged differently for one query, in {} {}",
            cases.len(),
            choose(cases.len(), "case", "cases")
        ),
        count: cases.len(),
        examples: cases.iter().take(Example::MOST).map(example).collect(),
        advice: advice.into(),
    })
}

fn equal_documents(alike: &Alike) -> Option<Finding> {
    let copies: usize = alike.equal.iter().map(|group| group.len().saturating_sub(1)).sum();
    let example = |group: &Vec<String>| {
        let first = group.first().map(String::as_str).unwrap_or_default();
        let text = alike.texts.get(first).map(String::as_str).unwrap_or_default();
        let others: Vec<&str> = group.iter().skip(1).take(3).map(String::as_str).collect();
        let more = match group.len().saturating_sub(4) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Example::new(first, text, format!("= {}{more}", others.join(", ")))
    };
    (copies > 0).then(|| Finding {
        severity: Severity::Caution,
        code: "documents-repeated".into(),
        message: format!(
            "{copies} {} word for word what an earlier one says (case and punctuation aside)",
            choose(copies, "document says", "documents say")
        ),
        count: alike.equal.len(),
        examples: alike.equal.iter().take(Example::MOST).map(example).collect(),
        advice: "keep one of each: copies take places in a ranking, and only one of them may be judged"
            .into(),
    })
}

fn near_documents(alike: &Alike) -> Option<Finding> {
    if alike.near_copies == 0 && alike.unverified == 0 {
        return None;
    }
    let example = |(one, other, index): &(String, String, f64)| {
        let text = alike.texts.get(one).map(String::as_str).unwrap_or_default();
        Example::new(one, text, format!("~ {other} (Jaccard {index:.2})"))
    };
    let unverified = match alike.unverified {
        0 => String::new(),
        pairs => format!("; {pairs} more pairs that may be near were not compared, for want of memory"),
    };
    Some(Finding {
        severity: Severity::Caution,
        code: "documents-near".into(),
        message: format!(
            "{} {} of an earlier one (Jaccard index of their runs of {SHINGLE} words at least \
             {NEAR}){unverified}",
            alike.near_copies,
            choose(alike.near_copies, "document is a near copy", "documents are near copies")
        ),
        count: alike.near.len(),
        examples: alike.near.iter().take(Example::MOST).map(example).collect(),
        advice: "look at them: versions of one text should be judged alike".into(),
    })
}

fn equal_queries(collection: &Collection) -> Option<Finding> {
    let queries = collection.queries();
    let asked = QuestionTexts::all(queries);
    let groups = asked.equal();
    let copies: usize = groups.iter().map(|group| group.len() - 1).sum();
    let judged = |index: &u32| -> Option<&Judgments> { collection.judgments(&query_at(queries, *index)?.id) };
    let apart = |group: &Vec<u32>| group.windows(2).any(|pair| judged(&pair[0]) != judged(&pair[1]));
    let example = |group: &Vec<u32>| {
        let ids: Vec<&str> =
            group.iter().filter_map(|&index| Some(query_at(queries, index)?.id.as_str())).collect();
        let text = group.first().and_then(|&index| query_at(queries, index)).map_or("", |query| &query.text);
        let how = if apart(group) { ", judged differently" } else { "" };
        let first = ids.first().copied().unwrap_or_default();
        Example::new(first, text, format!("= {}{how}", ids.get(1..).unwrap_or_default().join(", ")))
    };
    let differing = groups.iter().filter(|group| apart(group)).count();
    let (severity, judged) = match differing {
        0 => (Severity::Caution, String::new()),
        some => (Severity::Problem, format!("; the judgments differ in {some} of {} cases", groups.len())),
    };
    (copies > 0).then(|| Finding {
        severity,
        code: "queries-repeated".into(),
        message: format!(
            "{copies} {} word for word what an earlier one asks{judged}",
            choose(copies, "query asks", "queries ask")
        ),
        count: groups.len(),
        examples: groups.iter().take(Example::MOST).map(example).collect(),
        advice: "keep one of each, with the judgments of both: a question that is asked twice counts twice in every \
                 mean, and is taken for two independent ones by every test"
            .into(),
    })
}

fn near_queries(queries: &[Query]) -> Option<Finding> {
    let asked = QuestionTexts::all(queries);
    let later: HashSet<u32> = asked.equal().iter().flat_map(|group| group.iter().skip(1)).copied().collect();
    let is_first = |index: usize| u32::try_from(index).is_ok_and(|index| !later.contains(&index));
    let mut groups = Groups::default();
    let mut near = Vec::new();
    for (a, b) in candidates(&asked.prints, is_first) {
        let index = asked.likeness(a, b);
        if index >= NEAR {
            groups.join(a, b);
            near.push((a, b, index));
        }
    }
    let example = |&(a, b, index): &(u32, u32, f64)| {
        let (one, other) = (query_at(queries, a)?, query_at(queries, b)?);
        Some(Example::new(&one.id, &one.text, format!("~ {}: {} (Jaccard {index:.2})", other.id, other.text)))
    };
    (!near.is_empty()).then(|| Finding {
        severity: Severity::Caution,
        code: "queries-near".into(),
        message: format!(
            "{} {} of an earlier one (Jaccard index of their words at least {NEAR})",
            groups.copies(),
            choose(groups.copies(), "query is a near copy", "queries are near copies")
        ),
        count: near.len(),
        examples: near.iter().take(Example::MOST).filter_map(example).collect(),
        advice: "keep one of each, or name what they have in common in their metadata and in `statistics.group-by`: \
                 tests take queries for independent"
            .into(),
    })
}

/// Judged queries that repeat, in these words or nearly, queries that this split does not judge: a retriever tuned on
/// those has seen these.
fn other_splits(collection: &Collection) -> Option<Finding> {
    let (judged, others) = (collection.queries(), collection.without_judgments());
    if collection.qrels().is_empty() || others.is_empty() {
        return None;
    }
    let all: Vec<Query> = judged.iter().chain(others).cloned().collect();
    let asked = QuestionTexts::all(&all);
    let across = |a: u32, b: u32| (a as usize) < judged.len() && (b as usize) >= judged.len();
    let mut twins: BTreeMap<u32, (u32, f64)> = BTreeMap::new();
    let equals = asked.equal();
    let same = equals.iter().flat_map(|group| {
        let first_other = group.iter().copied().find(|&one| (one as usize) >= judged.len());
        group.iter().filter_map(move |&one| Some((one, first_other?)))
    });
    let near = candidates(&asked.prints, |index| !asked.is_empty(index)).into_iter();
    for (a, b) in same.chain(near).filter(|&(a, b)| across(a, b)) {
        let index = asked.likeness(a, b);
        if index >= NEAR && twins.get(&a).is_none_or(|(_, best)| index > *best) {
            twins.insert(a, (b, index));
        }
    }
    let example = |(&a, &(b, index)): (&u32, &(u32, f64))| {
        let (one, other) = (query_at(&all, a)?, query_at(&all, b)?);
        Some(Example::new(&one.id, &one.text, format!("~ {}: {} (Jaccard {index:.2})", other.id, other.text)))
    };
    (!twins.is_empty()).then(|| Finding {
        severity: Severity::Caution,
        code: "queries-in-other-splits".into(),
        message: format!(
            "{} of {} judged queries {} of a query that these judgments do not judge, as those of other splits are (Jaccard \
             index of their words at least {NEAR})",
            twins.len(),
            judged.len(),
            choose(twins.len(), "is a copy or near copy", "are copies or near copies")
        ),
        count: twins.len(),
        examples: twins.iter().take(Example::MOST).filter_map(example).collect(),
        advice: "where something was trained or tuned on that split, leave these out of this one".into(),
    })
}

/// What queries ask.
///
/// Queries are short, and say the same in another order: their shingles are words.
struct QuestionTexts {
    prints: Vec<Fingerprint>,
    sets: Vec<Vec<u64>>,
}

impl QuestionTexts {
    fn all(queries: &[Query]) -> Self {
        let words: Vec<Words> = queries.iter().map(|query| Words::new([query.text.as_str()])).collect();
        Self {
            prints: words.iter().map(|words| Fingerprint::new(words, 1)).collect(),
            sets: words.iter().map(|words| shingles(words, 1)).collect(),
        }
    }

    fn is_empty(&self, index: usize) -> bool {
        self.sets.get(index).is_none_or(Vec::is_empty)
    }

    /// Those that ask the same.
    fn equal(&self) -> Vec<Vec<u32>> {
        equal(&self.prints, |index| self.is_empty(index))
    }

    /// How much the words of two have in common.
    fn likeness(&self, one: u32, other: u32) -> f64 {
        match [one, other].map(|index| self.sets.get(index as usize)) {
            [Some(one), Some(other)] => jaccard(one, other),
            _ => 0.0,
        }
    }
}

fn query_at(queries: &[Query], index: u32) -> Option<&Query> {
    queries.get(index as usize)
}
