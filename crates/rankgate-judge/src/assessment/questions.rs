//! What a judge is to be asked: what gates need, and what of it is not on file.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Assessment, Questions};
use crate::ask::Journal;
use crate::collection::{Document, Query};
use crate::error::Quoted;
use crate::holes::SkippedConfiguration;
use crate::probe::{probes_of_answers, probes_of_criterion};
use crate::{Error, ErrorKind, Result};
use rankgate::judge::{Description, Item, JudgmentsFile, PEOPLE, Pair, State, Task};

impl Assessment<'_> {
    /// Whether people and the judge are to grade documents: not where all that gates ask about are answers.
    pub(super) fn rests_on_grades(&self) -> bool {
        if !self.inspection.judges_answers() {
            return true;
        }
        self.spec().gates_judged_rankings()
    }

    pub(super) fn questions_about_answers(&self) -> Result<Vec<Questions>> {
        let plan = self.judge()?;
        let (path, journal) = (self.path()?, self.journal()?);
        let (mut wanted, left) = journal.look(|file| self.inspection.pairs_about_answers(file))?;
        if wanted.is_empty() && !left.is_empty() {
            // Answers that nobody could read are no reason to ask about documents in their place.
            wanted.insert((Task::Claims, None), Vec::new());
        }
        let left_out: Vec<SkippedConfiguration> = left
            .into_iter()
            .map(|(configuration, error)| SkippedConfiguration::new(&configuration, error.to_string(), false))
            .collect();
        let of_kind = |((task, criterion), mut pairs): ((Task, Option<String>), Vec<Pair>)| {
            let judge = plan.question(task, criterion.as_deref())?;
            let probes = match criterion.as_ref().and_then(|name| plan.criterion(name)) {
                _ if self.in_ci => Vec::new(),
                Some(criterion) => probes_of_criterion(criterion, &pairs),
                None => probes_of_answers(task, &pairs, judge.scale[1]),
            };
            let (asked, count) = (pairs.len(), probes.len());
            pairs.extend(probes);
            let by_people = |file: &JudgmentsFile, pair: &Pair| on_file(file, PEOPLE, pair).is_some();
            let (mut missing, by_others) = journal.look(|file| lacking(&judge, file, &pairs));
            missing.retain(|pair| !journal.look(|file| by_people(file, pair)));
            let without_grade = journal.look(|file| without_grade(&judge, file, &pairs[..asked]));
            let (path, left_out) = (path.clone(), left_out.clone());
            let task = Some(task);
            Ok(Questions {
                judge,
                task,
                criterion,
                path,
                pairs,
                probes: count,
                missing,
                without_grade,
                by_others,
                left_out,
            })
        };
        wanted.into_iter().map(of_kind).collect()
    }

    /// These documents of these queries, as the judge is shown them.
    pub(super) fn shown(
        &self,
        judge: &Description,
        ids: impl Iterator<Item = (String, String)>,
    ) -> Result<Vec<Pair>> {
        let ids: Vec<(String, String)> = ids.collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let (collection, found) = (
            self.collection()?,
            self.benchmark.documents(ids.iter().map(|(_, document)| document.as_str()))?,
        );
        let pair = |(query, document): &(String, String)| {
            let missing = || {
                let message =
                    format!("document {} is not in the corpus, and cannot be judged", Quoted(document));
                Error::with_kind(ErrorKind::Missing, message)
            };
            let text = judge.shown_of(found.get(document).ok_or_else(missing)?)?;
            let query = collection.query(query).cloned().unwrap_or_else(|| Query::new(query, ""));
            Ok(Pair { query, document: Document::new(document, text) })
        };
        ids.iter().map(pair).collect()
    }
}

pub(super) fn on_file<'a>(file: &'a JudgmentsFile, judge: &str, pair: &Pair) -> Option<&'a Item> {
    file.item(
        judge,
        (&pair.query.id, &pair.query.in_conversation()),
        (&pair.document.id, &pair.document.text),
    )
}

/// What a judge has not graded, and how much of that others have.
pub(super) fn lacking(
    judge: &Description,
    file: &JudgmentsFile,
    pairs: &[Pair],
) -> (Vec<Pair>, BTreeMap<String, usize>) {
    let id = judge.id();
    let missing: Vec<Pair> =
        pairs.iter().filter(|pair| on_file(file, &id, pair).is_none()).cloned().collect();
    let mut others = BTreeMap::new();
    // What members of a jury said is no judgment of another judge.
    let own: Vec<String> = judge.judges_to_ask().iter().map(Description::id).chain([id]).collect();
    for (other, _) in file.all_judges().filter(|(other, _)| !own.contains(other)) {
        let count = missing.iter().filter(|pair| on_file(file, other, pair).is_some()).count();
        if count > 0 {
            others.insert(other.clone(), count);
        }
    }
    (missing, others)
}

/// What of these is on file without a grade.
pub(super) fn without_grade(
    judge: &Description,
    file: &JudgmentsFile,
    pairs: &[Pair],
) -> BTreeMap<State, usize> {
    let id = judge.id();
    let mut states = BTreeMap::new();
    let items = pairs.iter().filter_map(|pair| on_file(file, &id, pair));
    for item in items.filter(|item| item.state != State::Graded) {
        *states.entry(item.state).or_default() += 1;
    }
    states
}

/// These pairs for a judge, with the judgments on file.
#[doc(hidden)]
pub fn questions_about(journal: &Journal, judge: &Description, path: &Path, pairs: Vec<Pair>) -> Questions {
    let (missing, by_others) = journal.look(|file| lacking(judge, file, &pairs));
    Questions {
        judge: judge.clone(),
        task: None,
        criterion: None,
        path: path.to_owned(),
        pairs,
        probes: 0,
        missing,
        without_grade: BTreeMap::new(),
        by_others,
        left_out: Vec::new(),
    }
}

/// A judge's grade of a pair.
#[doc(hidden)]
#[must_use]
pub fn item_of(journal: &Journal, judge: &Description, pair: &Pair) -> Option<Item> {
    journal.look(|file| on_file(file, &judge.id(), pair).cloned())
}
