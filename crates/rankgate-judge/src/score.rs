//! Answers in, score columns out: what is missing is asked for, until nothing is left that could be asked.

use std::collections::{BTreeSet, HashSet};
use std::sync::Mutex;

use crate::answers::Case;
use crate::ask::{Tally, ask};
use crate::backend;
use crate::column::{Column, Left};
use crate::metric::{Found, Metric, Outcome, Source, look};
use crate::people::People;
use crate::question::Question;
use crate::reply::{Reply, State};
use crate::request::{Request, requests};
use crate::scores::{Score, ScoreColumn};
use crate::settings::Settings;
use crate::verdicts::{Verdict, Verdicts};
use crate::{Error, Result};

/// Answers and what is counted in them.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    /// The judge.
    pub settings: &'a Settings,
    /// The answers.
    pub cases: &'a [Case],
    /// The metrics.
    pub metrics: &'a [Metric],
    /// Whether questions are asked again that had no usable reply.
    pub again: bool,
}

/// What came of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scored {
    /// A column for each metric.
    pub columns: Vec<Column>,
    /// What it took.
    pub tally: Tally,
}

/// What the judge's file says.
pub(crate) struct JudgeSource<'a> {
    pub(crate) verdicts: &'a Verdicts,
    pub(crate) settings: &'a Settings,
    /// The keys that were asked in this run, where failures of earlier ones are asked again.
    pub(crate) asked: Option<&'a HashSet<String>>,
}

impl Source for JudgeSource<'_> {
    fn find(&self, question: &Question) -> Found {
        let Some(verdict) = self.verdicts.get(self.settings, question) else { return Found::Missing };
        match (verdict.state, verdict.grade, &verdict.claims) {
            (_, Some(grade), _) => Found::Grade(grade),
            (_, _, Some(claims)) => Found::Claims(claims.clone()),
            (State::Abstained, ..) => Found::Unknown,
            _ if self.asked.is_some_and(|asked| !asked.contains(&question.key())) => Found::Missing,
            _ => Found::Failed,
        }
    }
}

impl Scoring<'_> {
    /// The requests that are missing now; replies may lead to further ones.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn missing(&self, verdicts: &Verdicts) -> Result<usize> {
        let asked = HashSet::new();
        Ok(self.requests(verdicts, &asked)?.len())
    }

    fn source<'a>(&'a self, verdicts: &'a Verdicts, asked: &'a HashSet<String>) -> JudgeSource<'a> {
        JudgeSource { verdicts, settings: self.settings, asked: self.again.then_some(asked) }
    }

    fn requests(&self, verdicts: &Verdicts, asked: &HashSet<String>) -> Result<Vec<Request>> {
        let source = self.source(verdicts, asked);
        let mut wanted = Vec::new();
        for case in self.cases {
            for metric in self.metrics {
                let missing = look(metric, case, self.settings, &source)?.missing;
                let is_new = |question: &Question| !asked.contains(&question.key());
                wanted.extend(missing.into_iter().filter(is_new).map(|one| (case.query.id.clone(), one)));
            }
        }
        Ok(requests(wanted))
    }

    /// Asks for what the file lacks, keeps each reply at once, and makes the columns.
    ///
    /// # Errors
    /// Answers that do not have what a metric needs, a judge that cannot be set up, a file that cannot be written.
    pub fn run(&self, verdicts: &mut Verdicts, people: Option<&People>) -> Result<Scored> {
        let mut asked = HashSet::new();
        let mut tally = Tally::default();
        let first = self.requests(verdicts, &asked)?;
        if !first.is_empty() {
            let backend = backend::open(self.settings)?;
            let mut round = first;
            while !round.is_empty() && tally.stopped.is_none() {
                asked.extend(round.iter().flat_map(|request| &request.questions).map(Question::key));
                ask_all(self.settings, &*backend, &round, &mut tally, verdicts)?;
                round = self.requests(verdicts, &asked)?;
            }
            if tally.is_complete() {
                backend.finish()?;
            }
        }
        let columns = self.metrics.iter().map(|metric| self.column(metric, verdicts, people));
        Ok(Scored { columns: columns.collect::<Result<_>>()?, tally })
    }

    fn column(&self, metric: &Metric, verdicts: &Verdicts, people: Option<&People>) -> Result<Column> {
        let source = JudgeSource { verdicts, settings: self.settings, asked: None };
        let (mut scores, mut left) = (ScoreColumn::default(), Left::default());
        for case in self.cases {
            let query = case.query.id.clone();
            match look(metric, case, self.settings, &source)?.outcome {
                Outcome::Score(value) => {
                    let people = people.filter(|people| people.is_drawn(&query));
                    let people = people.map(|people| people.source(&source));
                    let by_people = match &people {
                        Some(people) => look(metric, case, self.settings, people)?.outcome,
                        None => Outcome::Missing,
                    };
                    let is_ungraded = people.is_some() && matches!(by_people, Outcome::Missing);
                    left.ungraded.extend(is_ungraded.then(|| query.clone()));
                    let people = if let Outcome::Score(value) = by_people { Some(value) } else { None };
                    let contexts = case.contexts.iter().map(|(id, _)| id.as_str());
                    let mut score = Score::new(value);
                    score.people = people;
                    score.fingerprint = Some(case.answer.fingerprint(contexts));
                    score.is_of_model = metric.asks_a_judge();
                    scores.insert(query, score);
                }
                Outcome::Excluded(why) => *left.excluded.entry(why).or_default() += 1,
                Outcome::Unknown => left.unknown.push(query),
                Outcome::Failed => left.failed.push(query),
                Outcome::Missing => left.missing.push(query),
            }
        }
        if !left.ungraded.is_empty() {
            // Answers that did not change keep their grades. They alone are not drawn at random.
            let without = |(query, score): (&str, &Score)| {
                let mut score = score.clone();
                score.people = None;
                (query.to_owned(), score)
            };
            scores = scores.iter().map(without).collect();
        }
        Ok(Column { metric: metric.clone(), scores, left })
    }

    /// The questions that people are to grade: those of these queries, each once, with the query's id and text.
    pub(crate) fn questions_of(
        &self,
        verdicts: &Verdicts,
        queries: &BTreeSet<String>,
    ) -> Result<Vec<(String, String, Question)>> {
        let source = JudgeSource { verdicts, settings: self.settings, asked: None };
        let (mut known, mut all) = (HashSet::new(), Vec::new());
        for case in self.cases.iter().filter(|case| queries.contains(&case.query.id)) {
            for metric in self.metrics {
                for question in look(metric, case, self.settings, &source)?.questions {
                    let is_graded = question.task() != crate::Task::Claims;
                    if is_graded && known.insert(question.key()) {
                        all.push((case.query.id.clone(), case.query.text.clone(), question));
                    }
                }
            }
        }
        Ok(all)
    }
}

/// Asks requests and keeps their replies.
pub(crate) fn ask_all(
    settings: &Settings,
    backend: &dyn backend::Backend,
    requests: &[Request],
    tally: &mut Tally,
    verdicts: &mut Verdicts,
) -> Result<()> {
    let kept = Mutex::new(verdicts);
    let keep = |request: &Request, reply: Reply| {
        let one = |(at, question): (usize, &Question)| {
            let said = reply.said.as_ref().map_err(|state| *state).map(|said| &said[at]);
            Verdict::new(&settings.judge(question), question, said, &reply.analysis)
        };
        let all = request.questions.iter().enumerate().map(one).collect();
        kept.lock().map_err(|_| Error::invalid("a thread that keeps replies has failed"))?.keep(all)
    };
    ask(settings, backend, requests, tally, &keep)
}
