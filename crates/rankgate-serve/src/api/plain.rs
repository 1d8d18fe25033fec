//! The plain form of evaluations: queries with their relevant documents, and lists of ids.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use rankgate::metric::Metric;
use rankgate::{Hit, Qrels, Run};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::problem::{Answer, Problem};

/// The largest k: the metrics are computed for each.
const DEEPEST: usize = 100_000;
/// Values of k.
const DEPTHS: usize = 100;

/// What a query without a judged document is judged by: not relevant, so that it changes nothing.
const NO_DOCUMENT: &str = "-";

/// An id, without a copy of it where it needs none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(transparent)]
pub(super) struct Id<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// A query.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlainQuery<'a> {
    /// The query; shown, and not used.
    #[serde(borrow, default, rename = "query_text")]
    _text: Option<Cow<'a, str>>,
    /// Its number where it is left out.
    #[serde(borrow, default)]
    query_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    relevant_docs: Vec<Id<'a>>,
    /// By document; of those that are relevant and have none it is 1.
    #[serde(borrow, default)]
    relevance_grades: Option<Entries<'a, i32>>,
}

impl PlainQuery<'_> {
    /// How many documents are judged.
    pub(super) fn rows(&self) -> usize {
        self.relevant_docs.len() + self.relevance_grades.as_ref().map_or(0, |grades| grades.0.len())
    }
}

/// Lists of ids, one for each query.
pub(super) type Lists<'a> = Vec<Vec<Id<'a>>>;

/// An object in the order in which it was sent; the same key twice is an error.
#[derive(Debug)]
pub(super) struct Entries<'a, T>(pub(super) Vec<(Cow<'a, str>, T)>);

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Entries<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<'a, T>(PhantomData<(&'a (), T)>);
        impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<'a, T> {
            type Value = Entries<'a, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut entries, mut seen) = (Vec::new(), HashSet::new());
                while let Some(Id(key)) = map.next_key::<Id<'de>>()? {
                    if !seen.insert(key.clone()) {
                        return Err(serde::de::Error::custom(format!("{key:?} comes twice")));
                    }
                    entries.push((key, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

/// An object that is answered, in this order.
#[derive(Debug, Default)]
pub(super) struct OrderedObject<T>(pub(super) Vec<(String, T)>);

impl<T: Serialize> Serialize for OrderedObject<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Queries with their relevant documents.
pub(super) struct Judged {
    pub(super) ids: Vec<String>,
    /// Of the documents listed as relevant.
    pub(super) relevant: Qrels,
    /// With their grades, where there are any.
    pub(super) graded: Option<Qrels>,
}

impl Judged {
    pub(super) fn from_queries(queries: &[PlainQuery<'_>]) -> Answer<Self> {
        if queries.is_empty() {
            return Err(Problem::at("/queries", "there is no query"));
        }
        let own = |(place, query): (usize, &PlainQuery<'_>)| {
            query.query_id.as_ref().map_or_else(|| (place + 1).to_string(), ToString::to_string)
        };
        let ids: Vec<String> = queries.iter().enumerate().map(own).collect();
        let mut seen = HashSet::new();
        if let Some(place) = ids.iter().position(|id| !seen.insert(id)) {
            let detail = format!("{:?} is the id of another query, given or by its number", ids[place]);
            return Err(Problem::at(format!("/queries/{place}/query_id"), detail));
        }
        let is_graded = queries.iter().any(|query| query.relevance_grades.is_some());
        let (mut relevant, mut graded) = (Qrels::new(), is_graded.then(Qrels::new));
        for (place, (query, id)) in queries.iter().zip(&ids).enumerate() {
            let mut own = HashSet::new();
            for (number, Id(document)) in query.relevant_docs.iter().enumerate() {
                if !own.insert(document.as_ref()) {
                    let pointer = format!("/queries/{place}/relevant_docs/{number}");
                    return Err(Problem::at(pointer, format!("{document:?} comes twice")));
                }
                relevant.insert(id, document, 1)?;
            }
            let Some(graded) = &mut graded else { continue };
            let grades = query.relevance_grades.as_ref().map_or(&[][..], |grades| &grades.0);
            for (document, grade) in grades {
                if *grade <= 0 && own.contains(document.as_ref()) {
                    let pointer = format!("/queries/{place}/relevance_grades/{}", escaped(document));
                    let detail = format!("{document:?} has grade {grade} and is among the relevant_docs");
                    return Err(Problem::at(pointer, detail));
                }
                own.remove(document.as_ref());
                graded.insert(id, document, *grade)?;
            }
            for Id(document) in &query.relevant_docs {
                if own.contains(document.as_ref()) {
                    graded.insert(id, document, 1)?;
                }
            }
        }
        // A query without a relevant document scores 0; it is not left out.
        for (query, id) in queries.iter().zip(&ids) {
            if query.relevant_docs.is_empty() {
                relevant.insert(id, NO_DOCUMENT, 0)?;
            }
            if let Some(graded) = &mut graded
                && graded.judgments(id).is_none()
            {
                graded.insert(id, NO_DOCUMENT, 0)?;
            }
        }
        Ok(Self { ids, relevant, graded })
    }

    /// The judgments that gains are of.
    pub(super) fn gains(&self) -> &Qrels {
        self.graded.as_ref().unwrap_or(&self.relevant)
    }

    /// A run of lists, one for each query.
    pub(super) fn run(&self, pointer: &str, lists: &Lists<'_>) -> Answer<Run> {
        if lists.len() != self.ids.len() {
            let detail = format!("{} lists for {} queries: one for each", lists.len(), self.ids.len());
            return Err(Problem::at(pointer, detail));
        }
        let hits = |list: &Vec<Id<'_>>| -> Vec<Hit> {
            list.iter().enumerate().map(|(rank, Id(id))| Hit::new(id.as_ref(), -(rank as f64))).collect()
        };
        let rankings = self.ids.iter().zip(lists).map(|(id, list)| (id.clone(), hits(list)));
        Run::from_rankings(rankings).map_err(|error| {
            for (place, list) in lists.iter().enumerate() {
                let mut seen = HashSet::new();
                if let Some(rank) = list.iter().position(|id| !seen.insert(id)) {
                    let detail = format!("{:?} comes twice", list[rank].0);
                    return Problem::at(format!("{pointer}/{place}/{rank}"), detail);
                }
            }
            Problem::at(pointer, error.to_string())
        })
    }
}

/// A key within a JSON pointer.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The requested depths, each once.
pub(super) fn depths(asked: Option<&[usize]>) -> Answer<Vec<usize>> {
    let mut depths: Vec<usize> = Vec::new();
    for (place, depth) in asked.unwrap_or(&[1, 3, 5, 10]).iter().enumerate() {
        if !(1..=DEEPEST).contains(depth) {
            let detail = format!("k is {depth}: it is 1 to {DEEPEST}");
            return Err(Problem::at(format!("/k_values/{place}"), detail));
        }
        if !depths.contains(depth) {
            depths.push(*depth);
        }
        // Each is looked for among those before it.
        if depths.len() > DEPTHS {
            return Err(Problem::at("/k_values", format!("more than {DEPTHS} values")));
        }
    }
    Ok(depths)
}

/// A metric by a name of ours.
pub(super) fn metric(name: &str) -> Answer<Metric> {
    Ok(name.parse()?)
}
