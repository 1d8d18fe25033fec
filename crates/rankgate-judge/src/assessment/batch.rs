//! Questions and answers as batch files.

use std::collections::BTreeMap;

use crate::ask::{Journal, ReceivedAnswer, together};
use crate::error::Quoted;
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
    /// A line that is no result, two different answers to one question, a file that cannot be written.
    pub fn take_responses(&self, questions: &Questions, files: &[(String, String)]) -> Result<Responses> {
        let mut answers = results(files)?;
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
        answers: &mut BTreeMap<String, Received>,
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

/// A question's answer, or why there is none.
type Received = Result<Completion, String>;

/// The results in files by their questions. Of a question that failed once and was answered later the answer counts.
fn results(files: &[(String, String)]) -> Result<BTreeMap<String, Received>> {
    let mut results: BTreeMap<String, (String, Received)> = BTreeMap::new();
    for (name, text) in files {
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let place = format!("{name}:{number}");
            let (id, received) =
                batch_result(line).map_err(|error| Error::invalid(format!("{place}: {error}")))?;
            match (results.get(&id), &received) {
                (Some((first, Ok(before))), Ok(now)) if !before.says_the_same(now) => {
                    return Err(Error::invalid(format!(
                        "{place}: the question {} has another answer in {first}: take one of the two out",
                        Quoted(&id)
                    )));
                }
                (Some((_, Ok(_))), _) | (Some((_, Err(_))), Err(_)) => {}
                (None, _) | (Some((_, Err(_))), Ok(_)) => _ = results.insert(id, (place, received)),
            }
        }
    }
    Ok(results.into_iter().map(|(id, (_, received))| (id, received)).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one result a line: the question, and the answer's words or the status that came in its place.
    fn file(name: &str, lines: &[(&str, Result<&str, u16>)]) -> (String, String) {
        let line = |(id, said): &(&str, Result<&str, u16>)| {
            let response = match said {
                Ok(words) => {
                    let choice = serde_json::json!({"finish_reason": "stop", "message": {"content": words}});
                    serde_json::json!({"status_code": 200, "body": {"choices": [choice]}})
                }
                Err(status) => serde_json::json!({"status_code": status, "body": {}}),
            };
            serde_json::json!({"custom_id": id, "response": response}).to_string() + "\n"
        };
        (name.to_owned(), lines.iter().map(line).collect())
    }

    #[test]
    fn two_answers_to_one_question_are_an_error_that_names_both() {
        let files =
            [file("a", &[("q1", Ok("grade 1")), ("q2", Ok("grade 0"))]), file("b", &[("q1", Ok("grade 2"))])];
        assert_eq!(
            results(&files).unwrap_err().to_string(),
            "b:1: the question `q1` has another answer in a:1: take one of the two out"
        );
        // The same again is no other answer, and an error is none.
        let words = |files: &[(String, String)]| {
            let all = results(files).unwrap();
            all["q1"].as_ref().map(Completion::written).map_err(Clone::clone)
        };
        for second in [Ok("grade 1"), Err(500)] {
            let files = [file("a", &[("q1", Ok("grade 1"))]), file("b", &[("q1", second)])];
            assert_eq!(words(&files), Ok(7));
            let [a, b] = files;
            assert_eq!(words(&[b, a]), Ok(7));
        }
        assert_eq!(
            words(&[file("a", &[("q1", Err(429))]), file("b", &[("q1", Err(500))])]),
            Err("status 429: {}".to_owned())
        );
    }
}
