//! What models and people said of the documents or claims that a value rests on.

use std::collections::{BTreeMap, BTreeSet};

use crate::collection::Collection;
use crate::evaluation::Evaluation;
use crate::order;

/// With fewer drawn queries, or groups of them, than this nothing is decided.
pub const FEWEST_DRAWN: usize = 30;

/// The judgments that corrected values rest on, and of whom they are.
pub struct Judges {
    /// What its judgments call the judge.
    pub judge: String,
    pub model: String,
    /// The collection with the judgments that are everybody's.
    pub base: Collection,
    /// The collection with the model's grades where people gave none; what it gave none is taken for not relevant
    /// in the first, and for as relevant as can be in the second.
    pub by_model: [Collection; 2],
    /// The collection with people's grades of the drawn queries.
    pub by_people: Collection,
    /// Of how many queries, or groups of them, the sample was drawn.
    pub of: usize,
    /// The drawn queries.
    pub drawn: BTreeSet<String>,
    /// Documents that the model gave no grade, by query.
    pub abstained: BTreeMap<String, BTreeSet<String>>,
    /// Documents that people cannot grade, by query: answers without a claim.
    pub beyond_people: BTreeMap<String, BTreeSet<String>>,
    /// The highest grade that people and the model give.
    pub highest: u8,
    /// Whether the sample was drawn for this judge.
    pub of_this_judge: bool,
    /// Whether the sample grows until verdicts are there, so that limits have to hold at every look.
    pub until: bool,
    /// The stratum of each query, or group of them, where the sample was drawn from strata one by one.
    pub strata: BTreeMap<String, usize>,
    /// The metadata keys by which leniency is reported.
    pub segments: Vec<String>,
    /// All that people and this judge have ever judged.
    pub labels: Vec<LabelledPair>,
}

/// A pair of query and document, or claim, that people and the model judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledPair {
    pub query: String,
    pub document: String,
    /// People's grade.
    pub people: u8,
    /// The model's; none where it gave none.
    pub model: Option<u8>,
    /// Which delivery of people's grades it came with, from 1.
    pub batch: u32,
}

impl Judges {
    /// Whether the model gave it no grade.
    pub(super) fn is_abstained(&self, (query, document): &(&str, &str)) -> bool {
        self.abstained.get(*query).is_some_and(|documents| documents.contains(*document))
    }

    /// Whether no person can grade it.
    pub(super) fn is_beyond_people(&self, (query, document): &(&str, &str)) -> bool {
        self.beyond_people.get(*query).is_some_and(|documents| documents.contains(*document))
    }

    /// The pairs within the cutoff that people had not judged; all sides have the same queries.
    pub fn needed<'a>(&self, sides: &[&'a Evaluation], cutoff: usize) -> Vec<(&'a str, &'a str)> {
        let mut needed = Vec::new();
        for query in sides.first().map(|side| side.queries()).unwrap_or_default() {
            let (id, before) = (query.id.as_str(), needed.len());
            for side in sides {
                for pass in 0..side.passes() {
                    let documents = side.top(pass, id, cutoff).into_iter();
                    let holes = documents.filter(|one| self.base.qrels().grade(id, one).is_none());
                    needed.extend(holes.map(|document| (id, document)));
                }
            }
            order::sort_by_key(&mut needed[before..], |pair| *pair);
        }
        needed.dedup();
        needed
    }
}
