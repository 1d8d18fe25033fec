//! Questions and answers as batch files.

use std::collections::BTreeMap;

use crate::ask::{Journal, ReceivedAnswer, together};
use crate::{Error, Result};
use rankgate::judge::{Completion, Description, Pair, Request, State, batch_result};

use super::{Assessment, Questions, server};

/// What came of answers in files.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Responses {
    /// How many judgments were kept, by state.
    pub states: BTreeMap<State, usize>,
    /// Answers to unknown questions, or to those that need no answer any more.
    pub unknown: usize,
    /// Questions without an answer, or with too few, and the first reason.
    pub failed: usize,
    /// The first of those reasons.
    pub first_failure: Option<String>,
}

impl Assessment<'_> {
    /// The questions on missing pairs, as a batch file in the form of OpenAI's.
    ///
    /// # Errors
    ///
    /// A spec without a judge.
    pub fn judge_requests(&self, questions: &Questions) -> String {
        let judges = questions.judge.judges_to_ask();
        let line = |judge: &Description, pair: &Pair| {
            let request = pair.request(judge);
            let line = |sample| {
                let id = sample_id(judge, &request.id, sample);
                Request { id, ..request.clone() }.batch_line()
            };
            (0..judge.samples.max(1)).map(line).collect::<String>()
        };
        judges.iter().flat_map(|judge| questions.missing.iter().map(|pair| line(judge, pair))).collect()
    }

    /// Takes the results of a batch, which may come in several files and in any order.
    ///
    /// # Errors
    ///
    /// A line that is no result, a file that cannot be written.
    pub fn take_responses(&self, questions: &Questions, files: &[(String, String)]) -> Result<Responses> {
        let mut answers = BTreeMap::new();
        for (name, text) in files {
            for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
                let result = batch_result(line)
                    .map_err(|error| Error::invalid(format!("{name}:{number}: {error}")))?;
                answers.insert(result.0, result.1);
            }
        }
        let mut responses = Responses::default();
        for judge in &questions.judge.judges_to_ask() {
            self.take_answers(judge, questions, &mut answers, &mut responses)?;
        }
        if questions.judge.jury.is_some() {
            responses.states = self.add_jury_items(questions)?;
        }
        responses.unknown = answers.len();
        Ok(responses)
    }

    /// Takes a judge's answers out of those that came.
    fn take_answers(
        &self,
        judge: &Description,
        questions: &Questions,
        answers: &mut BTreeMap<String, Result<Completion, String>>,
        responses: &mut Responses,
    ) -> Result<()> {
        let journal = Journal::open(&questions.path)?;
        journal.ask_again(&judge.id(), &questions.missing);
        let secrets = server::secrets(self.judge()?);
        for pair in &questions.missing {
            let request = pair.request(judge);
            let results: Vec<_> = (0..judge.samples.max(1))
                .filter_map(|sample| answers.remove(&sample_id(judge, &request.id, sample)))
                .collect();
            if results.is_empty() {
                continue;
            }
            let all = results.len() == judge.samples.max(1) as usize;
            let told: Result<Vec<_>, String> = results
                .into_iter()
                .map(|result| {
                    let told =
                        result.map(|completion| ReceivedAnswer::from_completion(judge, &request, completion));
                    told.map(|told| told.without(&secrets))
                })
                .collect();
            let item = match told {
                Ok(told) if all => together(&judge.id(), pair, told),
                Ok(_) => {
                    responses.fail("not all of its answers are there".to_owned());
                    None
                }
                Err(why) => {
                    responses.fail(why);
                    None
                }
            };
            if let Some(item) = item {
                *responses.states.entry(item.state).or_default() += 1;
                journal.keep(judge, item)?;
            }
        }
        journal.finish().map(drop)
    }
}

impl Responses {
    fn fail(&mut self, why: String) {
        self.failed += 1;
        self.first_failure.get_or_insert(why);
    }
}

/// The id of one of the answers to a pair in a batch.
fn sample_id(judge: &Description, id: &str, sample: u32) -> String {
    if judge.samples > 1 { format!("{id}-{}", sample + 1) } else { id.to_owned() }
}
