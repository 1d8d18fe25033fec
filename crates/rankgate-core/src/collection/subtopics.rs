//! Judgments by subtopic, beside those of documents as a whole.

use std::collections::{BTreeMap, BTreeSet};

use crate::metric::SubtopicJudgments;

/// What the second column of judgments says: nothing, or which subtopic of its query a grade is for.
#[derive(Clone, Debug, Default)]
pub(super) enum Subtopics {
    /// No line was read.
    #[default]
    Unknown,
    /// Every line so far has the same.
    One(String),
    /// By query, document and subtopic.
    Several(ByQuery),
}

type ByQuery = BTreeMap<String, BTreeMap<String, BTreeMap<String, i32>>>;

impl Subtopics {
    /// Takes in what a line has there, before its grade is added; `judged` is what was judged so far. Whether lines
    /// differ.
    pub(super) fn see<'a>(
        &mut self,
        subtopic: &str,
        judged: impl FnOnce() -> Vec<(&'a str, &'a str, i32)>,
    ) -> bool {
        match self {
            Self::Unknown => {
                *self = Self::One(subtopic.to_owned());
                false
            }
            Self::One(one) if one == subtopic => false,
            Self::One(one) => {
                let one = std::mem::take(one);
                let mut several = Self::Several(ByQuery::new());
                for (query, document, grade) in judged() {
                    several.add(query, document, &one, grade);
                }
                *self = several;
                true
            }
            Self::Several(_) => true,
        }
    }

    /// Adds a grade, where lines differ. The one that is there already, if it is.
    pub(super) fn add(&mut self, query: &str, document: &str, subtopic: &str, grade: i32) -> Option<i32> {
        let Self::Several(by_query) = self else { return None };
        let of_query = match by_query.get_mut(query) {
            Some(of_query) => of_query,
            None => by_query.entry(query.to_owned()).or_default(),
        };
        let of_document = of_query.entry(document.to_owned()).or_default();
        match of_document.get(subtopic) {
            Some(known) => Some(*known),
            None => {
                of_document.insert(subtopic.to_owned(), grade);
                None
            }
        }
    }

    /// Judgments by subtopic, where any query has several: else the column says nothing.
    pub(super) fn judgments(&self) -> Option<&ByQuery> {
        let Self::Several(by_query) = self else { return None };
        let several = |of_query: &BTreeMap<String, BTreeMap<String, i32>>| {
            let names: BTreeSet<&str> =
                of_query.values().flat_map(|one| one.keys().map(String::as_str)).collect();
            names.len() > 1
        };
        Some(by_query).filter(|by_query| by_query.values().any(several))
    }

    /// Those of one query.
    pub(super) fn for_query(&self, query: &str) -> Option<SubtopicJudgments> {
        let of_query = self.judgments()?.get(query);
        let grades = of_query.into_iter().flatten().flat_map(|(document, grades)| {
            grades.iter().map(move |(subtopic, grade)| (document.as_str(), subtopic.as_str(), *grade))
        });
        Some(SubtopicJudgments::new(grades))
    }

    /// Query, document, subtopic and grade of all, in the order of ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str, &str, i32)> {
        let by_query = self.judgments().into_iter().flatten();
        by_query.flat_map(|(query, documents)| {
            documents.iter().flat_map(move |(document, grades)| {
                grades.iter().map(move |(subtopic, grade)| {
                    (query.as_str(), document.as_str(), subtopic.as_str(), *grade)
                })
            })
        })
    }
}
