//! Removing the judgments that cannot count any more.
//!
//! A grade of a document counts wherever its query does, whoever returns the document today: it is part of the ideal ranking, and of
//! what recall divides by. Were it kept for some queries alone, such as those that people judged, scores of both kinds of queries
//! could no longer be compared. So it goes only where it can never apply again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use crate::ask::Journal;
use crate::collection::{Document, Query};
use crate::probe::{Probe, probes};
use crate::words::keywords;
use crate::{Error, ErrorKind, Result};
use rankgate::judge::{Description, Item, JudgmentsFile, PEOPLE, Pair, Task};

use super::{Assessment, Questions, on_file};

keywords! {
    /// Why a judgment cannot count.
    #[non_exhaustive]
    pub enum Unusable {
        /// The spec describes another judge.
        OtherJudge = "other-judge" => "no judge of this spec: prompt, model or a parameter is another",
        /// The collection does not have the query.
        NoQuery = "no-query" => "of queries that the collection does not have",
        /// The corpus does not have the document.
        NoDocument = "no-document" => "of documents that the corpus does not have",
        /// Query or document had another text.
        OtherText = "other-text" => "of queries or documents whose text is another now",
        /// No gate asks the question: nobody gives the answer today, or no gate is on it.
        NotAsked = "not-asked" => "of answers that no configuration gives today, or about what no gate asks",
    }
}

/// The judgments that cannot count any more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pruning {
    /// The file of judgments.
    pub path: PathBuf,
    /// How many there are, by what items call their judge and by the reason.
    pub unusable: BTreeMap<(String, Unusable), usize>,
}

impl Pruning {
    /// How many judgments these are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.unusable.values().sum()
    }
}

impl Assessment<'_> {
    /// Removes judgments that cannot count any more: of judges that the spec does not describe, of queries or documents that are
    /// gone or have another text, of answers that no gate looks at. No gate's value moves.
    ///
    /// # Errors
    ///
    /// Answers that could not be read, whose judgments would be lost; a corpus that cannot be read; a file that cannot be written.
    pub fn prune_judgments(&self, questions: &[Questions]) -> Result<Pruning> {
        let (pruning, unusable) = self.sort_out(questions)?;
        if !unusable.is_empty() {
            Journal::open(&pruning.path)?.replace(|file| (without(file, &unusable), ()))?;
        }
        Ok(pruning)
    }

    /// The judgments that [`prune_judgments`](Self::prune_judgments) would remove. The file stays as it is.
    ///
    /// # Errors
    ///
    /// As of [`prune_judgments`](Self::prune_judgments).
    pub fn unusable_judgments(&self, questions: &[Questions]) -> Result<Pruning> {
        Ok(self.sort_out(questions)?.0)
    }

    fn sort_out(&self, questions: &[Questions]) -> Result<(Pruning, BTreeSet<Key>)> {
        let about_answers = questions.iter().filter(|all| all.task.is_some());
        if let Some(left) = about_answers.flat_map(|all| &all.left_out).next() {
            return Err(Error::with_kind(
                ErrorKind::Setup,
                format!(
                    "{} was not asked, and what it answers may be on file: nothing is pruned ({})",
                    left.configuration, left.reason
                ),
            ));
        }
        let path = self.path()?;
        let file = JudgmentsFile::read(&path, true)?;
        let usable = Usable::new(self, &file, questions)?;
        let (mut pruning, mut keys) = (Pruning { path, unusable: BTreeMap::new() }, BTreeSet::new());
        for item in file.items() {
            if let Some(why) = usable.why_not(&file, item) {
                *pruning.unusable.entry((item.judge.clone(), why)).or_default() += 1;
                keys.insert(key(item));
            }
        }
        Ok((pruning, keys))
    }
}

/// A file without these items, and without judges that have none left.
fn without(file: &JudgmentsFile, unusable: &BTreeSet<Key>) -> JudgmentsFile {
    let mut kept = JudgmentsFile::default();
    for item in file.items().filter(|item| !unusable.contains(&key(item))) {
        if let Some(judge) = file.judges().get(&item.judge) {
            kept.describe(judge.clone());
        }
        kept.insert(item.clone());
    }
    kept
}

/// Judge, query and document of an item.
type Key = [String; 3];

fn key(item: &Item) -> Key {
    [&item.judge, &item.query, &item.document].map(String::clone)
}

/// What a judgment has to be of.
struct Usable<'a> {
    /// The judge of documents and its members.
    of_documents: BTreeMap<String, Description>,
    /// The queries, those included that this split does not judge: another spec on the same file may.
    queries: HashMap<&'a str, &'a Query>,
    /// The documents that were judged, as far as the corpus has them.
    documents: HashMap<String, Document>,
    probes: Vec<Pair>,
    /// Judges of what gates ask about answers.
    of_answers: BTreeSet<String>,
    /// Their items that answer a question of today, by judge, query and document.
    answered: BTreeSet<Key>,
    /// What people graded as well: the judge's errors on these are carried over to what it judged alone.
    graded: BTreeSet<(String, String)>,
    /// Who proposes nuggets.
    creation: Option<String>,
}

impl<'a> Usable<'a> {
    fn new(assessment: &Assessment<'a>, file: &JudgmentsFile, questions: &[Questions]) -> Result<Self> {
        let (plan, collection) = (assessment.judge()?, assessment.collection()?);
        let judge = plan.description()?;
        let probes = probes(collection.queries(), judge.scale[1]);
        let all = judge.judges_to_ask().into_iter().chain([judge]);
        let of_documents: BTreeMap<String, Description> = all.map(|judge| (judge.id(), judge)).collect();
        let judged: BTreeSet<&str> = file
            .items()
            .filter(|item| of_documents.contains_key(&item.judge) && Probe::kinds(&item.document).is_empty())
            .map(|item| item.document.as_str())
            .collect();
        let documents = match judged.is_empty() {
            true => HashMap::new(),
            false => assessment.benchmark.documents(judged.into_iter())?,
        };
        let (mut of_answers, mut answered) = (BTreeSet::new(), BTreeSet::new());
        for questions in questions.iter().filter(|questions| questions.task.is_some()) {
            let members = questions.judge.judges_to_ask();
            let judges: Vec<String> = members.iter().chain([&questions.judge]).map(Description::id).collect();
            for judge in judges.iter().map(String::as_str).chain([PEOPLE]) {
                let items = questions.pairs.iter().filter_map(|pair| on_file(file, judge, pair));
                answered.extend(items.map(key));
            }
            of_answers.extend(judges);
        }
        let creation = plan.nuggets.as_ref().map(|_| plan.task(Task::NuggetCreation)).transpose()?;
        let queries = collection.queries_to_ask().iter().chain(collection.without_judgments());
        Ok(Self {
            of_documents,
            queries: queries.map(|query| (query.id.as_str(), query)).collect(),
            documents,
            probes,
            of_answers,
            answered,
            graded: assessment.graded_questions()?,
            creation: creation.map(|creation| creation.id()),
        })
    }

    /// Why a judgment cannot count; nothing where it can.
    fn why_not(&self, file: &JudgmentsFile, item: &Item) -> Option<Unusable> {
        if let Some(judge) = self.of_documents.get(&item.judge) {
            return if self.is_graded(item) { None } else { self.of_document(file, judge, item) };
        }
        let is_proposal = self.creation.as_ref() == Some(&item.judge);
        if is_proposal || self.answered.contains(&key(item)) {
            return None;
        }
        if item.judge != PEOPLE && !self.of_answers.contains(&item.judge) {
            return Some(Unusable::OtherJudge);
        }
        match self.queries.contains_key(item.query.as_str()) {
            _ if item.judge != PEOPLE && self.is_graded(item) => None,
            true => Some(Unusable::NotAsked),
            false => Some(Unusable::NoQuery),
        }
    }

    fn is_graded(&self, item: &Item) -> bool {
        self.graded.contains(&(item.query.clone(), item.document.clone()))
    }

    fn of_document(&self, file: &JudgmentsFile, judge: &Description, item: &Item) -> Option<Unusable> {
        let Some(query) = self.queries.get(item.query.as_str()) else { return Some(Unusable::NoQuery) };
        let text = if Probe::kinds(&item.document).is_empty() {
            let Some(document) = self.documents.get(&item.document) else {
                return Some(Unusable::NoDocument);
            };
            // What is too long to be shown now is another text, too.
            judge.shown_of(document).ok()
        } else {
            let same = |pair: &&Pair| pair.query.id == item.query && pair.document.id == item.document;
            let Some(probe) = self.probes.iter().find(same) else { return Some(Unusable::NotAsked) };
            Some(probe.document.text.clone())
        };
        let of_today = |text: &String| {
            let query = (item.query.as_str(), &*query.in_conversation());
            file.item(&item.judge, query, (&item.document, text)).is_some()
        };
        (!text.as_ref().is_some_and(of_today)).then_some(Unusable::OtherText)
    }
}
