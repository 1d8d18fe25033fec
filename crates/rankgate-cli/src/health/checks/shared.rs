//! Queries that want the same documents: tests and intervals take queries for independent.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::documents::Groups;
use crate::health::collection::{Collection, Query};
use crate::health::model::{Example, Finding, Severity};

/// Two queries that have this share of all their relevant documents in common are taken to belong together.
const ALIKE: [usize; 2] = [2, 3];
/// Fewer queries than one in so many that have such a twin are what collections ordinarily have.
const ONE_IN: usize = 5;
/// A metadata key groups them where it has one value for at least this share of the pairs.
const COVERED: [usize; 2] = [9, 10];

/// What this finding is called.
pub(crate) const CODE: &str = "queries-share-relevant";

/// What to tell about queries that share their relevant documents, and the metadata key that would group them.
pub(super) fn finding(collection: &Collection, relevant_from: i32) -> Option<Finding> {
    let queries = collection.queries();
    let wanted: Vec<Vec<&str>> =
        queries.iter().map(|query| relevant(collection, query, relevant_from)).collect();
    let pairs = pairs(&wanted);
    let twins: BTreeSet<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let judgeable = wanted.iter().filter(|wanted| !wanted.is_empty()).count();
    if pairs.is_empty() || twins.len() * ONE_IN < judgeable {
        return None;
    }
    let mut joined = Groups::default();
    for &(a, b) in &pairs {
        joined.join(u32::try_from(a).ok()?, u32::try_from(b).ok()?);
    }
    let groups = judgeable - joined.copies();
    let advice = match key_of(queries, &pairs, groups) {
        Some(key) => {
            format!("`statistics: {{group-by: {key}}}` takes those that share a value of `{key}` for one")
        }
        None => {
            "give each query a metadata key that says what it belongs to, one value to all paraphrases of a \
                 question, say, or to all queries of a user, and name that key in `statistics.group-by`"
                .to_owned()
        }
    };
    let example = |&(a, b): &(usize, usize)| {
        let common = wanted[b].iter().filter(|document| wanted[a].contains(document)).count();
        let of = wanted[a].len() + wanted[b].len() - common;
        Example::new(
            &queries[a].id,
            &queries[a].text,
            format!("~ {}: {common} of {of} in common", queries[b].id),
        )
    };
    Some(Finding {
        severity: Severity::Caution,
        code: CODE.into(),
        message: format!(
            "{} of {judgeable} queries have at least two thirds of their relevant documents in common with another one: \
             they stand for {groups} at most, and every test and interval takes them for {judgeable} independent ones",
            twins.len()
        ),
        count: twins.len(),
        examples: pairs.iter().take(Example::MOST).map(example).collect(),
        advice,
    })
}

fn relevant<'a>(collection: &'a Collection, query: &Query, from: i32) -> Vec<&'a str> {
    let judgments = collection.judgments(&query.id).into_iter().flat_map(|judgments| judgments.iter());
    judgments.filter(|(_, grade)| *grade >= from).map(|(document, _)| document).collect()
}

/// Pairs of queries that want about the same, by their places: each query with the first that it is like, and of
/// queries that want exactly the same each with the first of them.
fn pairs(wanted: &[Vec<&str>]) -> Vec<(usize, usize)> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    wanted.iter().flatten().for_each(|document| *times.entry(document).or_default() += 1);
    let mut same: HashMap<&[&str], usize> = HashMap::new();
    let mut rare: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (query, own) in wanted.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
        if let Some(&first) = same.get(&own[..]) {
            pairs.push((first, query));
            continue;
        }
        same.insert(&own[..], query);
        // Of two that are alike the rarest documents of each hold one that both want.
        let mut by_rarity = own.clone();
        by_rarity.sort_by_key(|document| (times[document], *document));
        by_rarity.truncate(own.len() + 1 - (own.len() * ALIKE[0]).div_ceil(ALIKE[1]));
        let near: BTreeSet<usize> =
            by_rarity.iter().flat_map(|one| rare.get(one)).flatten().copied().collect();
        pairs
            .extend(near.into_iter().filter(|&other| alike(&wanted[other], own)).map(|other| (other, query)));
        by_rarity.into_iter().for_each(|document| rare.entry(document).or_default().push(query));
    }
    pairs
}

/// Whether the Jaccard index of two sorted lists is large enough.
fn alike(one: &[&str], other: &[&str]) -> bool {
    let common = one.iter().filter(|document| other.binary_search(document).is_ok()).count();
    common * ALIKE[1] >= (one.len() + other.len() - common) * ALIKE[0]
}

/// The key under which most pairs have one value: of several the finest, and none that is much coarser than need be.
fn key_of<'a>(queries: &'a [Query], pairs: &[(usize, usize)], groups: usize) -> Option<&'a str> {
    let keys: BTreeSet<&String> = queries.iter().flat_map(|query| query.metadata.keys()).collect();
    let fits = |key: &'a String| {
        let values: Vec<String> = queries
            .iter()
            .map(|query| <[String; 1]>::try_from(query.segments(key)).ok().map(|[value]| value))
            .collect::<Option<_>>()?;
        let together = pairs.iter().filter(|&&(a, b)| values[a] == values[b]).count();
        let different = values.iter().collect::<BTreeSet<_>>().len();
        let covers = together * COVERED[1] >= pairs.len() * COVERED[0];
        (covers && different > 1 && 2 * different >= groups).then_some((different, key))
    };
    let fitting: BTreeMap<usize, &'a String> = keys.into_iter().rev().filter_map(fits).collect();
    fitting.into_iter().next_back().map(|(_, key)| key.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankgate::CollectionBuilder;

    /// A query's relevant documents and, by key, a value.
    type QueryFixture<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);

    fn collection(queries: &[QueryFixture<'_>]) -> Collection {
        let mut builder = CollectionBuilder::new();
        for (number, (relevant, metadata)) in queries.iter().enumerate() {
            let query = Query::new(format!("q{number}"), "text");
            let query = metadata.iter().fold(query, |query, (key, value)| query.with(*key, *value));
            builder.add_query(query, relevant.iter().map(|document| (*document, 1)).chain([("other", 0)]));
        }
        builder.build().unwrap()
    }

    #[test]
    fn queries_that_want_the_same_are_to_be_grouped() {
        let told = |all: &[QueryFixture<'_>]| finding(&collection(all), 1).unwrap();
        let pair: [QueryFixture<'_>; 4] = [
            (&["a", "b"], &[("intent", "x"), ("kind", "k")]),
            (&["a", "b", "c"], &[("intent", "x"), ("kind", "k")]),
            (&["d"], &[("intent", "y"), ("kind", "k")]),
            (&["d"], &[("intent", "y"), ("kind", "k")]),
        ];
        let found = told(&pair);
        assert_eq!((found.count, found.code.as_str()), (4, "queries-share-relevant"));
        assert!(found.message.starts_with("4 of 4 queries"), "{}", found.message);
        assert!(found.message.contains("they stand for 2 at most"), "{}", found.message);
        assert!(found.advice.contains("{group-by: intent}"), "{}", found.advice);
        assert_eq!(found.examples[0].note, "~ q1: 2 of 3 in common");
        // Where no key groups them it is said how one would.
        let without = pair.map(|(relevant, metadata)| (relevant, &metadata[1..]));
        assert!(told(&without).advice.starts_with("give each query a metadata key"));
    }

    #[test]
    fn queries_that_share_some_documents_are_ordinary() {
        let three: &[QueryFixture<'_>] = &[(&["a", "b"], &[]), (&["a", "c"], &[]), (&["a", "d"], &[])];
        assert_eq!(finding(&collection(three), 1), None);
        // Two of eleven are twins.
        let names: Vec<String> = (0..9).map(|number| format!("d{number}")).collect();
        let lists: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).chain([["x"], ["x"]]).collect();
        let queries: Vec<QueryFixture<'_>> = lists.iter().map(|list| (&list[..], &[][..])).collect();
        assert_eq!(finding(&collection(&queries), 1), None);
        assert!(finding(&collection(&queries[1..]), 1).is_some(), "two of ten");
    }

    #[test]
    fn pairs_are_those_of_each_with_each() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let names: Vec<String> = (0..7).map(|number| format!("d{number}")).collect();
        let mut lists: Vec<Vec<&str>> = Vec::new();
        for _ in 0..60 {
            let list: BTreeSet<&str> = (0..random(6)).map(|_| names[random(7) as usize].as_str()).collect();
            lists.push(list.into_iter().collect());
        }
        lists.sort();
        lists.dedup();
        let all = (0..lists.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let mut expected: Vec<_> =
            all.filter(|&(a, b)| !lists[a].is_empty() && alike(&lists[a], &lists[b])).collect();
        expected.sort_unstable();
        let mut found = pairs(&lists);
        found.sort_unstable();
        assert!(expected.len() > 20);
        assert_eq!(found, expected);
    }
}
