//! Asking a jury: its members one after the other, then what they say together.

use std::collections::BTreeMap;

use crate::agreement::Agreeing;
use crate::ask::{Journal, Progress, Tally, jury_item};
use crate::jury::{JuryCheck, JuryMember, MemberAgreement};
use crate::stats::Confidence;
use crate::{Error, ErrorKind, Result};
use rankgate::internal::judge::grade_id;
use rankgate::judge::{Description, Item, JudgmentsFile, Pair, State, Task};

use super::grades::{Grades, common};
use super::{AskOptions, Assessment, Questions, budget, on_file};

impl Assessment<'_> {
    /// Asks the members of a jury what each lacks of the missing pairs, in one budget, and adds the jury's own items.
    pub(super) fn ask_jury(
        &self,
        questions: &Questions,
        how: AskOptions,
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<Tally> {
        let jury = &questions.judge;
        let mut whole = Tally { pairs: questions.missing.len(), ..Tally::default() };
        let mut assessment = *self;
        for member in jury.judges_to_ask() {
            let (id, journal) = (member.id(), self.journal_at(&questions.path)?);
            let lacks = |file: &JudgmentsFile, pair: &Pair| match on_file(file, &id, pair) {
                None => true,
                // What the jury is asked about again, it is asked that has given no grade.
                Some(item) => item.state != State::Graded && on_file(file, &jury.id(), pair).is_some(),
            };
            let missing: Vec<Pair> = journal
                .look(|file| questions.missing.iter().filter(|pair| lacks(file, pair)).cloned().collect());
            journal.ask_again(&id, &missing);
            let keep = |item| journal.keep(&member, item);
            let tally = assessment.ask_of(&member, &missing, how, &keep, watch)?;
            journal.finish()?;
            assessment = assessment.after(&tally);
            let is_stopped = tally.stopped.is_some();
            add(&mut whole, tally);
            if is_stopped {
                break;
            }
        }
        whole.states = self.add_jury_items(questions)?;
        let answered: usize = whole.states.values().sum();
        // A question is answered once all members have.
        whole.failed = if whole.stopped.is_some() { 0 } else { whole.pairs - answered };
        Ok(whole)
    }

    /// Asks the members of a jury about these pairs, in one budget, and says what the jury comes to. Nothing is kept.
    pub(super) fn ask_jury_again(
        &self,
        jury: &Description,
        pairs: &[Pair],
        how: AskOptions,
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<(Vec<Item>, Tally)> {
        let mut whole = Tally { pairs: pairs.len(), ..Tally::default() };
        let (mut assessment, mut by_member) = (*self, Vec::new());
        for member in jury.judges_to_ask() {
            let (items, tally) = assessment.items_of(&member, pairs, how, watch)?;
            assessment = assessment.after(&tally);
            let is_stopped = tally.stopped.is_some();
            add(&mut whole, tally);
            by_member.push(items);
            if is_stopped {
                break;
            }
        }
        let together = |pair: &Pair| {
            let is_of = |item: &&Item| item.query == pair.query.id && item.document == pair.document.id;
            let items: Option<Vec<&Item>> = by_member.iter().map(|items| items.iter().find(is_of)).collect();
            jury_item(jury, &items.filter(|items| items.len() == jury.judges_to_ask().len())?)
        };
        let items: Vec<Item> = pairs.iter().filter_map(together).collect();
        for item in &items {
            *whole.states.entry(item.state).or_default() += 1;
        }
        whole.failed = if whole.stopped.is_some() { 0 } else { whole.pairs - items.len() };
        Ok((items, whole))
    }

    /// Adds what a jury says of the missing pairs that all of its members have answered: how many, by state.
    pub(super) fn add_jury_items(&self, questions: &Questions) -> Result<BTreeMap<State, usize>> {
        let jury = &questions.judge;
        let ids: Vec<String> = jury.judges_to_ask().iter().map(Description::id).collect();
        let journal = self.journal_at(&questions.path)?;
        let together = |file: &JudgmentsFile, pair: &Pair| {
            let items: Option<Vec<&Item>> = ids.iter().map(|id| on_file(file, id, pair)).collect();
            jury_item(jury, &items?)
        };
        let items: Vec<(&Pair, Item)> = journal.look(|file| {
            questions.missing.iter().filter_map(|pair| Some((pair, together(file, pair)?))).collect()
        });
        let mut states: BTreeMap<State, usize> = BTreeMap::new();
        for (pair, item) in items {
            journal.ask_again(&jury.id(), std::slice::from_ref(pair));
            *states.entry(item.state).or_default() += 1;
            journal.keep(jury, item)?;
        }
        journal.finish()?;
        Ok(states)
    }

    /// How far the members of a jury agree with each other, with the jury and with people, and what each has cost.
    ///
    /// # Errors
    ///
    /// Files that cannot be read.
    pub(super) fn check_jury(&self, questions: &Questions) -> Result<Option<JuryCheck>> {
        let Some(jury) = &questions.judge.jury else { return Ok(None) };
        let journal = Journal::open(&questions.path)?;
        let (judges, most) = (questions.judge.judges_to_ask(), questions.judge.scale[1]);
        let grades = |judge: &Description| journal.look(|file| grades_on_file(file, judge, questions));
        let agreement = |one: &Grades, other: &Grades| match common(one, other).as_slice() {
            [] => Ok(None),
            both => Agreeing::from_pairs(both.iter().copied(), most, Confidence::default()).map(Some),
        };
        let (people, together) = (self.grades_by_people(questions)?, grades(&questions.judge));
        let by_member: Vec<Grades> = judges.iter().map(grades).collect();
        let prices = budget(self.judge()?).prices;
        let mut members = Vec::new();
        for (judge, own) in judges.iter().zip(&by_member) {
            let tokens = journal.look(|file| tokens(file, &judge.id(), &questions.pairs));
            members.push(JuryMember {
                judge: judge.id(),
                model: judge.model.clone(),
                graded: own.len(),
                tokens,
                cost: prices.map(|prices| prices.cost(tokens)),
                people: agreement(&people, own)?,
                jury: agreement(&together, own)?,
            });
        }
        let mut pairs = Vec::new();
        for (at, one) in judges.iter().enumerate() {
            for (other, second) in judges.iter().enumerate().skip(at + 1) {
                if let Some(agreement) = agreement(&by_member[at], &by_member[other])? {
                    let members = [one.model.clone(), second.model.clone()];
                    pairs.push(MemberAgreement { members, agreement });
                }
            }
        }
        Ok(Some(JuryCheck { vote: jury.vote, members, agreement: pairs }))
    }
}

/// Why a judge from Rust cannot stand for a jury.
pub(super) fn one_judge() -> Error {
    Error::with_kind(
        ErrorKind::BadInput,
        "a judge from Rust is one judge, and the spec's judge is a jury: write `model: NAME` in place of `judges`",
    )
}

/// Adds up what asking members came to.
fn add(whole: &mut Tally, more: Tally) {
    whole.requests += more.requests;
    whole.repeated += more.repeated;
    (0..2).for_each(|at| whole.tokens[at] += more.tokens[at]);
    whole.uncounted += more.uncounted;
    whole.cost = match (whole.cost, more.cost) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    };
    whole.formless += more.formless;
    whole.first_failure = whole.first_failure.take().or(more.first_failure);
    whole.stopped = whole.stopped.take().or(more.stopped);
    for (served, number) in more.served {
        *whole.served.entry(served).or_default() += number;
    }
}

/// Grades of a judge by what people are asked about: documents, claims of lists, answers.
fn grades_on_file(file: &JudgmentsFile, judge: &Description, questions: &Questions) -> Grades {
    let id = judge.id();
    let mut all = Grades::new();
    for pair in questions.pairs.iter().take(questions.pairs.len() - questions.probes) {
        let Some(item) = on_file(file, &id, pair) else { continue };
        let key = |part: String| (item.query.clone(), part);
        if let Some(grade) = item.grade {
            let part = match questions.task {
                Some(Task::AnswerRelevance) => grade_id(&item.document, None),
                Some(Task::Criterion) => grade_id(&item.document, Some(judge.scale[1])),
                _ => item.document.clone(),
            };
            all.insert(key(part), grade);
        }
        for claim in item.claims.iter().flatten() {
            if let Some(grade) = claim.verdict.and_then(|verdict| verdict.grade(judge.form)) {
                all.insert(key(format!("{}/{}", item.document, claim.id)), grade);
            }
        }
    }
    all
}

/// Tokens that a judge's items on file have read and written.
fn tokens(file: &JudgmentsFile, judge: &str, pairs: &[Pair]) -> [u64; 2] {
    let items = pairs.iter().filter_map(|pair| on_file(file, judge, pair)?.tokens);
    items.fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
}
