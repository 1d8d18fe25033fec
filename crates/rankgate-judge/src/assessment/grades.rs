//! What the judge and people say of the same pairs.

use std::collections::{BTreeMap, BTreeSet};

use crate::Result;
use crate::error_sources::{ErrorRegression, GradedPair};
use crate::holes::Holes;
use crate::probe::Probe;
use crate::stats::Confidence;
use rankgate::internal::judge::ClaimForPeople;
use rankgate::judge::{HumansFile, JudgmentsFile, Pair, Task, sha256};

use super::{Assessment, Questions, on_file};

/// The highest grade that people give documents.
const MOST: i32 = 3;

/// Grades by the ids of query and what is graded.
pub(super) type Grades = BTreeMap<(String, String), u8>;

impl Assessment<'_> {
    /// What goes with the judge's errors on what people judged as well; none of fewer than 30 queries.
    pub(super) fn error_sources(&self, questions: &Questions) -> Result<Option<ErrorRegression>> {
        let (people, judge) = (self.grades_by_people(questions)?, self.grades(Some(questions))?);
        if people.is_empty() {
            return Ok(None);
        }
        let units = self.units()?;
        let by_query: BTreeMap<&str, &String> =
            units.iter().flat_map(|(unit, all)| all.iter().map(move |query| (*query, unit))).collect();
        let graded = |query: &str, id: &str| {
            let key = (query.to_owned(), id.to_owned());
            Some(((*by_query.get(query)?).clone(), *people.get(&key)?, *judge.get(&key)?))
        };
        let pairs: Vec<GradedPair> = match questions.task {
            Some(task) => {
                let claims = self.all_claims(task, questions.criterion.as_ref())?;
                let pair = |one: ClaimForPeople| {
                    let (unit, people, judge) = graded(&one.query.id, &one.id)?;
                    let length = |text: &str| text.chars().count();
                    let others = length(&one.text).saturating_sub(length(&one.claim));
                    Some(GradedPair {
                        unit,
                        query: one.query.text,
                        answer: Some([length(&one.answer), others]),
                        text: one.claim,
                        rank: None,
                        configurations: one.configurations,
                        people,
                        judge,
                    })
                };
                claims.into_iter().filter_map(pair).collect()
            }
            None => {
                let ranks = Holes::find(self.benchmark)?.pairs;
                let pair = |one: &Pair| {
                    let (unit, people, judge) = graded(&one.query.id, &one.document.id)?;
                    let places = ranks.get(&(one.query.id.clone(), one.document.id.clone()));
                    Some(GradedPair {
                        unit,
                        query: one.query.text.clone(),
                        text: one.document.text.to_string(),
                        answer: None,
                        rank: places.and_then(|places| places.values().min().copied()),
                        configurations: places
                            .into_iter()
                            .flat_map(|places| places.keys().cloned())
                            .collect(),
                        people,
                        judge,
                    })
                };
                questions.pairs.iter().filter_map(pair).collect()
            }
        };
        ErrorRegression::new(pairs, Confidence::default())
    }

    /// The judge's grades of what it is asked about, probes apart.
    pub(super) fn grades(&self, questions: Option<&Questions>) -> Result<Grades> {
        let Some(questions) = questions else { return Ok(Grades::new()) };
        if let Some(task) = questions.task {
            let claims = self.all_claims(task, questions.criterion.as_ref())?;
            return Ok(claims
                .into_iter()
                .filter_map(|one| Some(((one.query.id, one.id), one.judged?)))
                .collect());
        }
        let id = questions.judge.id();
        let journal = self.journal()?;
        let own = questions.pairs.iter().filter(|pair| Probe::kinds(&pair.document.id).is_empty());
        let graded = |file: &JudgmentsFile| {
            let grade = |pair: &Pair| {
                let key = (pair.query.id.clone(), pair.document.id.clone());
                Some((key, on_file(file, &id, pair)?.grade?))
            };
            own.filter_map(grade).collect()
        };
        Ok(journal.look(graded))
    }

    /// People's grades of what the judge is asked about.
    pub(super) fn grades_by_people(&self, questions: &Questions) -> Result<Grades> {
        let sample = match self.judge()?.humans.as_ref().map(|path| path.resolve()).transpose()? {
            Some(path) if path.exists() => Some(HumansFile::read(&path)?),
            _ => None,
        };
        let collection = self.collection()?;
        if let Some(task) = questions.task {
            let Some(sample) = sample else { return Ok(Grades::new()) };
            let claims = self.all_claims(task, questions.criterion.as_ref())?;
            let said = |one: ClaimForPeople| {
                let grade = sample.grade(&one.query.id, &one.id)?;
                let is_of_today = grade.query_sha256 == sha256(one.query.in_conversation().as_bytes())
                    && grade.document_sha256 == sha256(one.text.as_bytes());
                Some(((one.query.id, one.id), grade.grade.filter(|_| is_of_today)?))
            };
            return Ok(claims.into_iter().filter_map(said).collect());
        }
        let own = questions.pairs.iter().filter(|pair| Probe::kinds(&pair.document.id).is_empty());
        let said = |pair: &Pair| {
            let (query, document) = (pair.query.id.as_str(), pair.document.id.as_str());
            let judged = collection.qrels().grade(query, document).map(|grade| grade.max(0));
            let drawn = || Some(i32::from(sample.as_ref()?.grade(query, document)?.grade?));
            let grade = judged.or_else(drawn).filter(|grade| *grade <= MOST)?;
            Some(((query.to_owned(), document.to_owned()), u8::try_from(grade).ok()?))
        };
        Ok(own.filter_map(said).collect())
    }

    /// What a judge is asked about in answers to all queries.
    pub(super) fn all_claims(&self, task: Task, criterion: Option<&String>) -> Result<Vec<ClaimForPeople>> {
        let queries: BTreeSet<&str> =
            self.collection()?.queries().iter().map(|query| query.id.as_str()).collect();
        self.inspection.claims_for_people(&queries, Some(&(task, criterion.cloned())))
    }
}

/// What both have graded: the query, and both grades.
pub(super) fn common<'a>(first: &'a Grades, second: &Grades) -> Vec<(&'a str, u8, u8)> {
    let both = first.iter().filter_map(|(key, grade)| Some((key.0.as_str(), *grade, *second.get(key)?)));
    both.collect()
}
