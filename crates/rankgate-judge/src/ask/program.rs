//! A judge of one's own in any language: a program that grades over its standard input and output.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use rankgate::internal::Secrets;
use rankgate::internal::program::{
    Conversation, Limit, Program, Protocol, Unanswered, check_hello, protocol_line, read_object, why_broken,
    why_unstarted,
};
use rankgate::judge::{Answer, Description, Form, Pair, State};

use super::{JudgeBackend, JudgeReply, ReceivedAnswer};
use crate::gate::Reply;
use crate::{Error, ErrorKind, Result};

/// Time to say hello at least: a model may have to be loaded.
const HELLO: Duration = Duration::from_secs(300);
/// Time to exit once standard input has ended.
const GOODBYE: Duration = Duration::from_secs(2);

/// A program that was started once and grades all documents.
pub(crate) struct OwnProgram<'a> {
    conversation: Arc<Conversation<Answered>>,
    /// The command as it is shown.
    shown: String,
    secrets: Secrets,
    judge: &'a Description,
    limit: Limit,
}

/// The answer to one question, or why there is none.
type Answered = Result<Value, String>;

impl<'a> OwnProgram<'a> {
    /// How long the program may take to say hello.
    pub(crate) fn patience(limit: Limit) -> Duration {
        HELLO.max(limit.time)
    }

    /// Starts the program and waits for its hello.
    ///
    /// # Errors
    /// A program that cannot be started, or that does not say hello as it should.
    pub(crate) fn start(program: &Program, judge: &'a Description, limit: Limit) -> Result<Self> {
        #[derive(Serialize)]
        struct Hello<'a> {
            rankgate: u64,
            judge: &'a str,
        }
        let hello = protocol_line(&Hello { rankgate: 1, judge: &judge.model });
        let protocol = Protocol { check_hello, read };
        let started = Conversation::start(program, protocol, hello, Self::patience(limit));
        let conversation = started.map_err(|unstarted| {
            let why = why_unstarted(unstarted, &program.shown, limit);
            Error::with_kind(ErrorKind::Setup, format!("the judge could not be set up: {why}"))
        })?;
        Ok(Self {
            conversation,
            shown: program.shown.clone(),
            secrets: program.secrets.clone(),
            judge,
            limit,
        })
    }

    /// Ends the program, once all is answered.
    ///
    /// # Errors
    /// An exit that is no success, or anything written after the last answer.
    pub(crate) fn finish(&self) -> Result<()> {
        self.conversation.finish(GOODBYE).map_err(|broken| {
            let why = why_broken(&broken, &self.shown, self.limit, None);
            let message = format!("the judge's answers are on file, and may be wrong: {why}");
            Error::with_kind(ErrorKind::Setup, message)
        })
    }
}

/// The id of the question that a line answers, and the answer.
fn read(line: &str, secrets: &Secrets) -> Result<(String, Answered), String> {
    let wrong = |what: &str| format!("wrote a line that {what}: {}", secrets.excerpt(line));
    let mut answer = read_object(line, secrets)?;
    let Some(Value::String(id)) = answer.remove("id") else { return Err(wrong("has no `id` of a question")) };
    let answered = match answer.remove("error") {
        None | Some(Value::Null) => Ok(answer.into()),
        Some(Value::String(error)) => Err(format!("the program says: {}", secrets.excerpt(&error))),
        Some(error) => Err(format!("the program says: {}", secrets.excerpt(&error.to_string()))),
    };
    Ok((id, answered))
}

/// Takes out what is no part of an answer: a program may say more, as anywhere in the protocol. A model may not, of which the form
/// is all that tells an answer from talk.
fn ignore_others(answer: &mut Value, judge: &Description) {
    let (keys, of_entries): (&[&str], &[&str]) = match judge.form {
        Form::Grade if judge.confidence => (&["analysis", "confidence", "grade"], &[]),
        Form::Grade => (&["analysis", "grade"], &[]),
        Form::Claims => (&["claims"], &[]),
        Form::Support | Form::Nuggets => (&["analysis", "verdicts"], &["context", "id", "verdict"]),
        Form::NuggetCreation => (&["nuggets"], &["document", "importance", "text"]),
    };
    let Some(answer) = answer.as_object_mut() else { return };
    answer.retain(|key, _| keys.contains(&key.as_str()));
    let entries = answer.values_mut().filter_map(Value::as_array_mut).flatten();
    for entry in entries.filter_map(Value::as_object_mut) {
        entry.retain(|key, _| of_entries.contains(&key.as_str()));
    }
}

/// The question about a pair, as a program gets it.
fn request(judge: &Description, id: &str, pair: &Pair) -> Value {
    let of = |id: &str, text: &str| json!({ "id": id, "text": text });
    let (mut query, document) =
        (of(&pair.query.id, &pair.query.text), of(&pair.document.id, &pair.document.text));
    if !pair.query.history.is_empty() {
        query["history"] = pair.query.history_json();
    }
    let mut request = json!({ "id": id, "query": query, "document": document });
    if judge.form != Form::Grade {
        // What is to be listed, and of what.
        request["task"] = judge.form.as_str().into();
    }
    if let Some(name) = &judge.criterion {
        request["criterion"] = name.as_str().into();
    }
    if judge.form != Form::Grade || judge.criterion.is_some() {
        for (key, part) in &pair.document.metadata {
            request[key.as_str()] = part.clone();
        }
    }
    request
}

impl JudgeBackend for OwnProgram<'_> {
    fn ask(&self, pair: &Pair) -> JudgeReply {
        let asked = pair.request(self.judge);
        let id = asked.id.clone();
        let request = protocol_line(&request(self.judge, &id, pair));
        match self.conversation.ask(&id, request, self.limit.time) {
            Ok(Ok(mut answer)) => {
                ignore_others(&mut answer, self.judge);
                // Who has nothing to say of a grade leaves the analysis out.
                if let Some(answer) = answer.as_object_mut().filter(|_| !self.judge.form.is_list()) {
                    answer.entry("analysis").or_insert_with(|| "".into());
                }
                let text = answer.to_string();
                let judge = Description { reply: Reply::JsonObject, ..self.judge.clone() };
                let read = Answer::from_content(&text, &judge, &asked);
                if read.state == State::Unparseable {
                    return JudgeReply::Never(format!(
                        "the program's answer is not what was asked for: {}",
                        self.secrets.excerpt(&text)
                    ));
                }
                let told = ReceivedAnswer { answer: read, usage: None, written: 0, served: None };
                JudgeReply::Answered(told.without(&self.secrets))
            }
            Ok(Err(why)) => JudgeReply::Never(why),
            Err(Unanswered::Twice) => JudgeReply::Never("the same is asked twice at once".to_owned()),
            Err(Unanswered::Broken(broken) | Unanswered::Ended(broken)) => {
                JudgeReply::Stop(why_broken(broken, &self.shown, self.limit, None))
            }
        }
    }

    fn size(&self, _: &Pair) -> u64 {
        0
    }
}

impl Drop for OwnProgram<'_> {
    fn drop(&mut self) {
        self.conversation.close(GOODBYE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Document, Query};
    use crate::tests::description;
    use rankgate::Turn;

    #[test]
    fn a_later_turn_is_asked_about_with_those_before_it() {
        let pair = |query| Pair { query, document: Document::new("d1", "text") };
        let mut query = Query::new("q2", "and in winter?");
        let first = request(&description(), "a", &pair(query.clone()));
        assert_eq!(first["query"], json!({ "id": "q2", "text": "and in winter?" }));
        query.history.push(Turn::new("when are you open?", None));
        let later = request(&description(), "a", &pair(query));
        assert_eq!(later["query"]["history"], json!([{ "text": "when are you open?" }]));
        assert_eq!(later["document"], json!({ "id": "d1", "text": "text" }));
    }

    #[test]
    fn entries_that_nobody_asked_for_are_ignored() {
        let ignoring = |form, confidence, mut answer: Value| {
            ignore_others(&mut answer, &Description { form, confidence, ..description() });
            answer
        };
        let graded = json!({"grade": 2, "confidence": 0.5, "score": 0.61});
        assert_eq!(ignoring(Form::Grade, false, graded.clone()), json!({"grade": 2}));
        assert_eq!(ignoring(Form::Grade, true, graded), json!({"grade": 2, "confidence": 0.5}));
        let verdict = json!({"id": "c1", "context": 1, "verdict": "supported"});
        let mut more = verdict.clone();
        more["score"] = json!(0.9);
        assert_eq!(
            ignoring(Form::Support, false, json!({"analysis": "", "verdicts": [more], "model": "m"})),
            json!({"analysis": "", "verdicts": [verdict]})
        );
        assert_eq!(ignoring(Form::Claims, false, json!({"claims": ["a"], "n": 1})), json!({"claims": ["a"]}));
    }

    #[test]
    fn a_line_answers_one_question() {
        let read = |line| read(line, &Secrets::default());
        assert_eq!(read(r#"{"id": "a", "grade": 2}"#).unwrap(), ("a".to_owned(), Ok(json!({"grade": 2}))));
        assert_eq!(
            read(r#"{"id": "a", "error": "no model"}"#).unwrap().1.unwrap_err(),
            "the program says: `no model`"
        );
        for twice in [r#"{"id": "a", "grade": 0, "grade": 2}"#, r#"{"id": "a", "id": "b", "grade": 2}"#] {
            let error = read(twice).unwrap_err();
            assert!(
                error.starts_with("wrote a line that is ambiguous (") && error.contains("occurs twice"),
                "{error}"
            );
        }
        assert_eq!(read("2").unwrap_err(), "wrote a line that is not a JSON object: `2`");
        assert_eq!(
            read(r#"{"grade": 2}"#).unwrap_err(),
            "wrote a line that has no `id` of a question: `{\"grade\": 2}`"
        );
    }
}
