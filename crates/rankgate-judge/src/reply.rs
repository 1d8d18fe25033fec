//! How a judge's reply is read: exactly the demanded form, or a state that is no number.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::request::Request;
use crate::settings::Settings;
use crate::task::{Task, Word};
use crate::words::keywords;

keywords! {
    /// What became of a question.
    pub enum State {
        /// There is a grade, a verdict or a list.
        Graded = "graded",
        /// The judge cannot tell.
        Abstained = "abstained",
        /// The model refused.
        Refused = "refused",
        /// The prompt or the reply was cut.
        Truncated = "truncated",
        /// The reply has no content.
        Empty = "empty",
        /// The reply is not of the demanded form.
        Unparseable = "unparseable",
    }
}

/// What a judge says of one question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Grade(u8),
    Claims(Vec<String>),
    CannotTell,
}

/// A reply as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    /// One for each question of the request, or the state of all of them.
    pub(crate) said: Result<Vec<Said>, State>,
    /// What the judge wrote beside it; nothing is read out of it.
    pub(crate) analysis: String,
    /// Tokens that were read and written, as the server counted them.
    pub(crate) tokens: Option<[u64; 2]>,
}

impl Reply {
    pub(crate) fn without(state: State, text: impl Into<String>) -> Self {
        Self { said: Err(state), analysis: text.into(), tokens: None }
    }

    /// Reads the content of a reply.
    pub(crate) fn read(content: &str, request: &Request, settings: &Settings) -> Self {
        let read = match request.task() {
            Task::Claims => claims(unfenced(content)),
            task if task.words().is_empty() => {
                graded(unfenced(content), settings.highest(&request.questions[0]))
            }
            task => verdicts(unfenced(content), task, request),
        };
        match read {
            Some((said, analysis)) => Self { said: Ok(said), analysis, tokens: None },
            None => Self::without(State::Unparseable, content),
        }
    }
}

/// What stands in the one fence of Markdown that is all of a reply; of any other reply all of it.
fn unfenced(content: &str) -> &str {
    let inner = || {
        let (opening, rest) = content.trim().strip_prefix("```")?.split_once('\n')?;
        let opening = opening.trim();
        let is_json = opening.is_empty() || opening.eq_ignore_ascii_case("json");
        rest.strip_suffix("```").filter(|_| is_json)
    };
    inner().unwrap_or(content)
}

fn claims(content: &str) -> Option<(Vec<Said>, String)> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Found {
        claims: Vec<String>,
    }
    let Found { claims } = serde_json::from_str(content).ok()?;
    let claims: Vec<String> = claims.iter().map(|claim| claim.trim().to_owned()).collect();
    (!claims.iter().any(String::is_empty)).then(|| (vec![Said::Claims(claims)], String::new()))
}

/// One JSON object and nothing beside it, with exactly the demanded keys.
fn graded(content: &str, highest: u8) -> Option<(Vec<Said>, String)> {
    let Unique(mut object) = serde_json::from_str(content).ok()?;
    let Value::String(analysis) = object.remove("analysis")? else { return None };
    let said = match object.remove("grade")? {
        Value::String(word) if word == "cannot_tell" => Said::CannotTell,
        // 2.0 is 2, and 2.6 is no grade.
        Value::Number(number) => {
            let grade = number.as_f64().filter(|grade| grade.fract() == 0.0)?;
            let grade = (0..=highest).find(|one| f64::from(*one) == grade)?;
            Said::Grade(grade)
        }
        _ => return None,
    };
    object.is_empty().then(|| (vec![said], analysis))
}

/// One verdict for each claim that was sent and no other, of no context that was not there.
fn verdicts(content: &str, task: Task, request: &Request) -> Option<(Vec<Said>, String)> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Verdicts {
        analysis: String,
        verdicts: Vec<One>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct One {
        id: String,
        // A key that may be left out says nothing where it is.
        #[serde(deserialize_with = "context")]
        context: Option<usize>,
        verdict: Word,
    }
    fn context<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
        Option::deserialize(deserializer)
    }
    let Verdicts { analysis, verdicts } = serde_json::from_str(content).ok()?;
    let (ids, contexts) = (request.ids(), request.contexts());
    if verdicts.len() != ids.len() {
        return None;
    }
    let of = |id: &String| {
        let mut said = verdicts.iter().filter(|one| one.id == *id);
        let (one, None) = (said.next()?, said.next()) else { return None };
        let is_known = one.context.is_none_or(|context| (1..=contexts).contains(&context));
        let is_word = task.words().contains(&one.verdict);
        (is_known && is_word).then(|| task.grade(one.verdict).map_or(Said::CannotTell, Said::Grade))
    };
    Some((ids.iter().map(of).collect::<Option<_>>()?, analysis))
}

/// An object that has no key twice: serde_json would take the last of two.
struct Unique(Map<String, Value>);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> serde::de::Visitor<'de> for Keys {
            type Value = Unique;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
                let mut object = Map::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if object.insert(key, value).is_some() {
                        return Err(serde::de::Error::custom("a key comes twice"));
                    }
                }
                Ok(Unique(object))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// What a server says of a reply, in the form of OpenAI's chat completions.
#[derive(Debug, Deserialize)]
pub(crate) struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    finish_reason: Option<String>,
    message: Message,
}

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl Completion {
    /// What was understood as a reply to this request.
    pub(crate) fn reply(&self, request: &Request, settings: &Settings) -> Reply {
        let tokens = self.usage.map(|usage| [usage.prompt_tokens, usage.completion_tokens]);
        Reply { tokens, ..self.read(request, settings) }
    }

    fn read(&self, request: &Request, settings: &Settings) -> Reply {
        let [choice] = self.choices.as_slice() else {
            return Reply::without(
                State::Unparseable,
                format!("{} choices where one was asked for", self.choices.len()),
            );
        };
        let content = choice.message.content.as_deref().unwrap_or_default();
        if let Some(refusal) = choice.message.refusal.as_deref().filter(|refusal| !refusal.is_empty()) {
            return Reply::without(State::Refused, refusal);
        }
        let state = match choice.finish_reason.as_deref() {
            Some("stop") => None,
            Some("length") => Some(State::Truncated),
            Some("content_filter") => Some(State::Refused),
            Some(_) | None => Some(State::Unparseable),
        };
        if let Some(state) = state {
            return Reply::without(state, content);
        }
        let is_cut =
            |usage: Usage| usage.prompt_tokens > 0 && usage.prompt_tokens < request.least_tokens(settings);
        if self.usage.is_some_and(is_cut) {
            return Reply::without(State::Truncated, content);
        }
        if content.trim().is_empty() {
            return Reply::without(State::Empty, "");
        }
        Reply::read(content, request, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;

    fn grade(content: &str) -> Result<Vec<Said>, State> {
        let question = Question::AnswerRelevance { query: "q".into(), answer: "a".into() };
        let request = Request { queries: Vec::new(), questions: vec![question] };
        Reply::read(content, &request, &Settings::of_model("tiny")).said
    }

    #[test]
    fn a_grade_is_one_whole_number_in_one_object() {
        for (grade_is, said) in [
            ("2", Said::Grade(2)),
            ("2.0", Said::Grade(2)),
            ("0", Said::Grade(0)),
            ("\"cannot_tell\"", Said::CannotTell),
        ] {
            let one = format!("{{\"analysis\": \"grade: 3\", \"grade\": {grade_is}}}");
            for content in [one.clone(), format!("```json\n{one}\n```"), format!("\n```\n{one}\n```\n")] {
                assert_eq!(grade(&content), Ok(vec![said.clone()]), "{content}");
            }
        }
        for content in [
            "The grade is 3.",
            "3",
            "{\"analysis\": \"a\", \"grade\": 2.6}",
            "{\"analysis\": \"a\", \"grade\": 4}",
            "{\"analysis\": \"a\", \"grade\": -1}",
            "{\"analysis\": \"a\", \"grade\": \"2\"}",
            "{\"analysis\": \"a\", \"grade\": 1, \"grade\": 2}",
            "{\"grade\": 2}",
            "{\"analysis\": \"a\", \"grade\": 2, \"more\": 1}",
            "{\"analysis\": \"a\", \"grade\": 2}{\"analysis\": \"a\", \"grade\": 2}",
            "Here:\n```json\n{\"analysis\": \"a\", \"grade\": 2}\n```",
        ] {
            assert_eq!(grade(content), Err(State::Unparseable), "{content}");
        }
    }

    #[test]
    fn every_claim_has_exactly_one_verdict() {
        let claim =
            |text: &str| Question::Support { claim: text.into(), contexts: vec!["x".into(), "y".into()] };
        let request = Request { queries: Vec::new(), questions: vec![claim("a"), claim("b")] };
        let read = |list: &str| {
            let content = format!("{{\"analysis\": \"so\", \"verdicts\": [{list}]}}");
            Reply::read(&content, &request, &Settings::of_model("tiny")).said
        };
        let [first, second] = [
            r#"{"id": "c1", "context": 2, "verdict": "supported"}"#,
            r#"{"id": "c2", "context": null, "verdict": "cannot_tell"}"#,
        ];
        assert_eq!(read(&format!("{second}, {first}")), Ok(vec![Said::Grade(2), Said::CannotTell]));
        let other = second.replace("c2", "c3");
        let elsewhere = second.replace("null", "3");
        let partial = second.replace("cannot_tell", "partial");
        for list in [
            first.to_owned(),
            format!("{first}, {first}"),
            format!("{first}, {other}"),
            format!("{first}, {elsewhere}"),
            format!("{first}, {partial}"),
            format!("{first}, {second}, {second}"),
        ] {
            assert_eq!(read(&list), Err(State::Unparseable), "{list}");
        }
    }

    #[test]
    fn a_reply_that_was_cut_or_refused_is_a_state() {
        let question = Question::Claims { query: "q".into(), text: "t".repeat(400) };
        let request = Request { queries: Vec::new(), questions: vec![question] };
        let settings = Settings::of_model("tiny");
        let state = |completion: Value| {
            let completion: Completion = serde_json::from_value(completion).unwrap();
            completion.reply(&request, &settings).said
        };
        let of = |reason: &str, content: &str, tokens: u64| serde_json::json!({"choices": [{"finish_reason": reason, "message": {"content": content}}], "usage": {"prompt_tokens": tokens, "completion_tokens": 1}});
        assert_eq!(state(of("stop", "{\"claims\": []}", 400)), Ok(vec![Said::Claims(Vec::new())]));
        assert_eq!(state(of("stop", "{\"claims\": []}", 3)), Err(State::Truncated));
        assert_eq!(state(of("length", "{\"claims\": [", 400)), Err(State::Truncated));
        assert_eq!(state(of("content_filter", "", 400)), Err(State::Refused));
        assert_eq!(state(of("stop", " ", 400)), Err(State::Empty));
        assert_eq!(state(of("stop", "I list no claims.", 400)), Err(State::Unparseable));
    }
}
