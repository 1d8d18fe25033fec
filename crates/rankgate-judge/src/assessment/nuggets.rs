//! Nuggets that a model proposes from documents that people judged relevant.

use std::path::PathBuf;

use crate::ask::Journal;
use crate::collection::{Document, Query};
use crate::output::write_whole;
use crate::{Error, ErrorKind, Result};
use rankgate::judge::{Description, Nugget, NuggetsFile, Pair, State, Task, material, sha256};

use super::{Assessment, Questions, on_file, questions_about, without_grade};

/// The queries for which a model proposes nuggets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NuggetQuestions {
    /// A question for each query that has relevant documents and no nuggets in the collection. Missing are those without a
    /// proposal, of queries of which the file of nuggets says nothing.
    pub questions: Questions,
    /// The file of nuggets.
    pub path: PathBuf,
    /// Queries of which it says something: a number of queries.
    pub on_file: usize,
    /// Queries that have nuggets in the collection.
    pub in_collection: usize,
    /// Queries without a document that people judged relevant and that the corpus has.
    pub without_documents: usize,
    /// Documents that people judged relevant and the corpus does not have: pairs of query and document.
    pub absent_documents: usize,
}

/// Nuggets that were added to the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddedNuggets {
    /// Their queries.
    pub queries: usize,
    /// All of them.
    pub nuggets: usize,
    /// The vital ones among them.
    pub vital: usize,
    /// Queries for which the model proposes none.
    pub empty: usize,
    /// Queries whose question has no valid answer.
    pub failed: usize,
}

impl Assessment<'_> {
    /// The questions for nuggets: of each query up to so many documents that people judged relevant, the highest grade first and
    /// by id where grades are equal.
    ///
    /// # Errors
    ///
    /// A spec without a judge or without `nuggets`, a collection without a corpus, files that cannot be read, a document that is
    /// longer than the spec allows.
    pub fn nugget_questions(&self, documents: usize) -> Result<NuggetQuestions> {
        let (plan, collection) = (self.judge()?, self.collection()?);
        let none = || {
            let message =
                "the spec's `judge:` names no file of nuggets, as in `nuggets: judged/nuggets.jsonl`";
            Error::with_kind(ErrorKind::BadInput, message)
        };
        let path = plan.nuggets.as_ref().ok_or_else(none)?.resolve()?;
        let (judge, file) = (plan.task(Task::NuggetCreation)?, NuggetsFile::read(&path)?);
        file.check(collection)?;
        let relevant_from = self.spec().collection.relevant_from;
        let relevant = |query: &Query| {
            let judged = collection.judgments(&query.id);
            let mut relevant: Vec<(&str, i32)> = judged
                .into_iter()
                .flat_map(|judged| judged.iter())
                .filter(|(_, grade)| *grade >= relevant_from)
                .collect();
            // Documents of one grade stay in the order of their ids.
            relevant.sort_by_key(|(_, grade)| std::cmp::Reverse(*grade));
            relevant.into_iter().map(|(document, _)| document).collect::<Vec<_>>()
        };
        let has_own = |query: &&Query| query.metadata.get("nuggets").is_some_and(|own| !own.is_null());
        let (own, others): (Vec<&Query>, Vec<&Query>) = collection.queries().iter().partition(has_own);
        let relevant: Vec<(&Query, Vec<&str>)> =
            others.into_iter().map(|query| (query, relevant(query))).collect();
        let found = self.benchmark.documents(relevant.iter().flat_map(|(_, ids)| ids).copied())?;
        let (mut pairs, mut without_documents, mut absent_documents) = (Vec::new(), 0, 0);
        for (query, ids) in relevant {
            let there: Vec<&Document> = ids.iter().filter_map(|id| found.get(*id)).collect();
            absent_documents += ids.len() - there.len();
            match there.as_slice() {
                [] => without_documents += 1,
                there => pairs.push(pair(&judge, query, &there[..there.len().min(documents)])?),
            }
        }
        let on_file = collection.queries().iter().filter(|query| file.has(&query.id)).count();
        let (judgments, journal) = (self.path()?, self.journal()?);
        let mut questions = questions_about(&journal, &judge, &judgments, pairs);
        questions.task = Some(Task::NuggetCreation);
        questions.without_grade = journal.look(|file| without_grade(&judge, file, &questions.pairs));
        questions.missing.retain(|pair| !file.has(&pair.query.id));
        Ok(NuggetQuestions {
            questions,
            path,
            on_file,
            in_collection: own.len(),
            without_documents,
            absent_documents,
        })
    }

    /// Adds proposals to the file of nuggets, for queries of which it says nothing yet. Lines that are there stay as they are, byte
    /// by byte.
    ///
    /// # Errors
    ///
    /// Files that cannot be read or written.
    pub fn add_nuggets(&self, proposed: &NuggetQuestions) -> Result<AddedNuggets> {
        let questions = &proposed.questions;
        let (judge, journal) = (questions.judge.id(), Journal::open(&questions.path)?);
        let mut file = NuggetsFile::read(&proposed.path)?;
        let (before, mut added) = (file.text().len(), AddedNuggets::default());
        for pair in
            questions.pairs.iter().filter(|pair| !file.has(&pair.query.id)).cloned().collect::<Vec<_>>()
        {
            let Some(item) = journal.look(|judgments| on_file(judgments, &judge, &pair).cloned()) else {
                continue;
            };
            let (State::Graded, Some(claims)) = (item.state, item.claims) else {
                added.failed += 1;
                continue;
            };
            let documents = pair.document.metadata.get("documents").and_then(serde_json::Value::as_array);
            let document = |at: usize| Some(documents?.get(at.checked_sub(1)?)?.as_str()?.to_owned());
            let nuggets = claims.into_iter().map(|claim| Nugget {
                document: claim.context.and_then(document),
                query: pair.query.id.clone(),
                text: claim.text.unwrap_or_default(),
                vital: claim.id.starts_with('v'),
            });
            let nuggets: Vec<Nugget> = nuggets.collect();
            added.queries += 1;
            added.nuggets += nuggets.len();
            added.vital += nuggets.iter().filter(|nugget| nugget.vital).count();
            added.empty += usize::from(nuggets.is_empty());
            file.propose(&judge, &pair.query, nuggets);
        }
        if file.text().len() > before {
            write_whole(&proposed.path, file.text().as_bytes())?;
        }
        Ok(added)
    }
}

/// The question for the nuggets of a query by these documents.
fn pair(judge: &Description, query: &Query, documents: &[&Document]) -> Result<Pair> {
    let texts: Vec<String> =
        documents.iter().map(|document| judge.shown_of(document)).collect::<Result<_>>()?;
    let ids: Vec<&str> = documents.iter().map(|document| document.id.as_str()).collect();
    let mut shown = material("", &[], &texts).with("documents", ids);
    shown.id = format!("{}/{}", Task::NuggetCreation, &sha256(shown.text.as_bytes())[..12]);
    Ok(Pair { query: query.clone(), document: shown })
}
