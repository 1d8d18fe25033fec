//! What a server says of a model's answer, and how its content is read as a grade or a list.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::item::Description;
use super::request::Request;
use crate::gate::{Form, Reply, State};

impl Answer {
    /// Parses a model's reply to a judge's question.
    #[must_use]
    pub fn from_content(content: &str, judge: &Description, request: &Request) -> Self {
        match judge.form {
            Form::Grade => Self::read(content, judge.reply, judge.scale[1], judge.confidence),
            form => super::claims::read(unfenced(content), form, &request.claims, request.contexts)
                .unwrap_or_else(|| Self::new(State::Unparseable, content)),
        }
    }

    /// Parses a model's reply in exactly the demanded form; anything else is no grade.
    ///
    /// Grades are 0 to `most`; `confidence` says whether the answer has one.
    #[must_use]
    pub fn read(content: &str, reply: Reply, most: u8, confidence: bool) -> Self {
        let read = match reply {
            Reply::Line => line(content, most, confidence),
            Reply::JsonSchema | Reply::JsonObject => object(unfenced(content), most, confidence),
        };
        read.unwrap_or_else(|| Self::new(State::Unparseable, content))
    }
}

/// What stands in the one fence of Markdown that is all of a reply: three backquotes, at most the word `json`, the lines in
/// it, three backquotes. Of any other reply all of it: a parser of one JSON value refuses it where anything stands beside that.
fn unfenced(content: &str) -> &str {
    let inner = || {
        let (opening, rest) = content.trim().strip_prefix("```")?.split_once('\n')?;
        let opening = opening.trim();
        let is_json = opening.is_empty() || opening.eq_ignore_ascii_case("json");
        rest.strip_suffix("```").filter(|_| is_json)
    };
    inner().unwrap_or(content)
}

/// One JSON object and nothing beside it, with exactly the demanded keys.
fn object(content: &str, most: u8, confidence: bool) -> Option<Answer> {
    // serde_json would take the last of two equal keys.
    let object: Unique = serde_json::from_str(content).ok()?;
    let Unique(mut object) = object;
    let Value::String(analysis) = object.remove("analysis")? else { return None };
    let grade = object.remove("grade")?;
    let confidence = match confidence {
        true => Some(object.remove("confidence")?.as_f64().filter(|sure| (0.0..=1.0).contains(sure))?),
        false => None,
    };
    if !object.is_empty() {
        return None;
    }
    graded(&grade, most).map(|(state, grade)| Answer { state, grade, analysis, confidence, claims: None })
}

fn graded(grade: &Value, most: u8) -> Option<(State, Option<u8>)> {
    match grade {
        Value::String(word) if word == "cannot_tell" => Some((State::Abstained, None)),
        // 2.0 is another number than 2 to a schema of integers, and 2.6 no grade at all.
        Value::Number(number) => {
            let grade = u8::try_from(number.as_u64()?).ok().filter(|grade| *grade <= most)?;
            Some((State::Graded, Some(grade)))
        }
        _ => None,
    }
}

/// A last line that is `grade: 2`, and no other line that says a grade.
fn line(content: &str, most: u8, confidence: bool) -> Option<Answer> {
    let content = content.trim_end();
    let value = |line: &str, key: &str| -> Option<String> {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case(key).then(|| value.trim().to_owned())
    };
    let (before, last) = content.rsplit_once('\n').unwrap_or(("", content));
    let grade = value(last, "grade")?;
    let (analysis, sure) = match confidence {
        true => {
            let (analysis, sure) = before.trim_end().rsplit_once('\n').unwrap_or(("", before.trim_end()));
            let sure = value(sure, "confidence")?.parse::<f64>().ok();
            (analysis, Some(sure.filter(|sure| (0.0..=1.0).contains(sure))?))
        }
        false => (before, None),
    };
    if analysis.lines().any(|line| value(line, "grade").is_some()) {
        return None;
    }
    let (state, grade) = match grade.as_str() {
        "cannot_tell" => (State::Abstained, None),
        digits => {
            // No sign, no point, nothing behind it.
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            let grade = digits.parse::<u8>().ok().filter(|grade| plain && *grade <= most)?;
            (State::Graded, Some(grade))
        }
    };
    Some(Answer { state, grade, analysis: analysis.trim().to_owned(), confidence: sure, claims: None })
}

/// An object that has no key twice.
struct Unique(Map<String, Value>);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
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

/// What a server says of an answer, in the form of OpenAI's chat completions.
#[derive(Debug, Deserialize)]
pub struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
    /// The model that answered, which need not be the one in the request.
    #[serde(default)]
    pub model: Option<String>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Choice {
    #[serde(default)]
    finish_reason: Option<String>,
    message: Message,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    /// What the model thought, as llama.cpp, vLLM (`reasoning_content`) and Ollama (`reasoning`) say it.
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
}

/// Tokens that were read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Usage {
    /// Read.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Written.
    #[serde(default)]
    pub completion_tokens: u64,
}

impl Completion {
    /// Whether both have the same words, however many tokens the server counted.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.choices == other.choices
    }

    /// Tokens that the server counted, where it did.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Bytes that the model wrote, thoughts and refusals included.
    #[must_use]
    pub fn written(&self) -> u64 {
        let of = |Choice { message, .. }: &Choice| {
            let thought = message.reasoning_content.as_ref().or(message.reasoning.as_ref());
            let texts = [message.content.as_ref(), message.refusal.as_ref(), thought];
            texts.iter().flatten().map(|text| text.len() as u64).sum::<u64>()
        };
        self.choices.iter().map(of).sum()
    }

    /// What was understood. A prompt of so many bytes has at least `least_tokens`; a server that counted fewer has
    /// cut it.
    #[must_use]
    pub fn answer(&self, reply: Reply, most: u8, confidence: bool, least_tokens: u64) -> Answer {
        self.answer_read(least_tokens, |content| Answer::read(content, reply, most, confidence))
    }

    /// What was understood as an answer to this request.
    #[must_use]
    pub fn answer_to(&self, judge: &Description, request: &Request) -> Answer {
        self.answer_read(request.least_tokens, |content| Answer::from_content(content, judge, request))
    }

    /// What was understood, its content read by the function.
    fn answer_read(&self, least_tokens: u64, read: impl FnOnce(&str) -> Answer) -> Answer {
        let [choice] = self.choices.as_slice() else {
            return Answer::new(
                State::Unparseable,
                format!("{} choices where one was asked for", self.choices.len()),
            );
        };
        let message = &choice.message;
        let content = message.content.as_deref().unwrap_or_default();
        if let Some(refusal) = message.refusal.as_deref().filter(|refusal| !refusal.is_empty()) {
            return Answer::new(State::Refused, refusal);
        }
        match choice.finish_reason.as_deref() {
            Some("stop") => {}
            Some("length") => return Answer::new(State::Truncated, content),
            Some("content_filter") => return Answer::new(State::Refused, content),
            Some(_) | None => return Answer::new(State::Unparseable, content),
        }
        if self.usage.is_some_and(|usage| usage.prompt_tokens > 0 && usage.prompt_tokens < least_tokens) {
            return Answer::new(State::Truncated, content);
        }
        if content.trim().is_empty() {
            // Some servers say it under both names.
            let thought =
                message.reasoning_content.as_deref().or(message.reasoning.as_deref()).unwrap_or_default();
            return Answer::new(State::Empty, thought);
        }
        read(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(content: &str) -> Answer {
        Answer::read(content, Reply::JsonSchema, 3, false)
    }

    fn states(contents: &[&str], reply: Reply, state: State) {
        for content in contents {
            let answer = Answer::read(content, reply, 3, false);
            assert_eq!((answer.state, answer.grade), (state, None), "{content}");
        }
    }

    #[test]
    fn the_form_that_was_asked_for_is_a_grade() {
        let answer = json(r#"{"analysis": "It names the fee.", "grade": 2}"#);
        assert_eq!((answer.state, answer.grade), (State::Graded, Some(2)));
        assert_eq!(answer.analysis, "It names the fee.");
        let abstained = json(" {\"analysis\": \"\", \"grade\": \"cannot_tell\"}\n");
        assert_eq!((abstained.state, abstained.grade), (State::Abstained, None));
        let line = Answer::read("It names the fee.\n\nGrade: 3\n", Reply::Line, 3, false);
        assert_eq!((line.grade, line.analysis.as_str()), (Some(3), "It names the fee."));
        let sure =
            Answer::read(r#"{"analysis":"a","grade":0,"confidence":0.75}"#, Reply::JsonObject, 3, true);
        assert_eq!((sure.grade, sure.confidence), (Some(0), Some(0.75)));
        let sure = Answer::read("a\nconfidence: 1\ngrade: 0", Reply::Line, 3, true);
        assert_eq!((sure.grade, sure.confidence), (Some(0), Some(1.0)));
    }

    #[test]
    fn digits_in_prose_are_no_grade() {
        states(
            &[
                "published in 2013 and cannot be rated",
                "3",
                "The grade is 3.",
                "I would say 2",
                "grade: 2 because",
            ],
            Reply::JsonSchema,
            State::Unparseable,
        );
        states(
            &[
                "published in 2013 and cannot be rated",
                "3",
                "The grade is 3.",
                "grade: 2 because",
                "grade: 2\nas I said",
            ],
            Reply::Line,
            State::Unparseable,
        );
    }

    #[test]
    fn ten_minus_one_and_two_of_three_are_no_grades() {
        for grade in ["10", "-1", "\"2/3\"", "\"2\"", "[2]", "null", "true", "4", "256"] {
            assert_eq!(
                json(&format!("{{\"analysis\": \"a\", \"grade\": {grade}}}")).state,
                State::Unparseable,
                "{grade}"
            );
        }
        states(
            &["grade: 10", "grade: -1", "grade: 2/3", "grade: +2", "grade:", "grade: 4"],
            Reply::Line,
            State::Unparseable,
        );
    }

    #[test]
    fn a_grade_of_2_6_is_no_grade() {
        for grade in ["2.6", "2.0", "2e0"] {
            assert_eq!(
                json(&format!("{{\"analysis\": \"a\", \"grade\": {grade}}}")).state,
                State::Unparseable,
                "{grade}"
            );
        }
        states(&["grade: 2.6", "grade: 2.0"], Reply::Line, State::Unparseable);
    }

    #[test]
    fn the_analysis_is_never_parsed() {
        let answer = json(r#"{"analysis": "\"grade\": 3 would be too much. grade: 1", "grade": 2}"#);
        assert_eq!(answer.grade, Some(2));
        states(
            &[r#"{"analysis": "grade: 3"}"#, r#"{"analysis": "{\"grade\": 3}"}"#],
            Reply::JsonSchema,
            State::Unparseable,
        );
        // Of lines two that say a grade contradict each other, or repeat what the document said.
        states(
            &["grade: 3\ngrade: 1", "The document says\n grade: 3\nso\ngrade: 3"],
            Reply::Line,
            State::Unparseable,
        );
    }

    #[test]
    fn two_json_objects_are_an_abstention() {
        let one = r#"{"analysis": "a", "grade": 2}"#;
        states(
            &[&format!("{one}{one}"), &format!("{one}\n{one}"), &format!("Here: {one}"), &format!("[{one}]")],
            Reply::JsonSchema,
            State::Unparseable,
        );
        states(&[r#"{"analysis": "a", "grade": 1, "grade": 2}"#], Reply::JsonSchema, State::Unparseable);
    }

    #[test]
    fn one_value_in_one_fence_is_read() {
        let one = r#"{"analysis": "a", "grade": 2}"#;
        for fenced in [
            format!("```json\n{one}\n```"),
            format!("```\n{one}\n```"),
            format!("\n ```JSON \r\n\n{one} \n\n```\n"),
            // The analysis may hold what looks like a fence.
            "```json\n{\"analysis\": \"```\", \"grade\": 2}\n```".to_owned(),
        ] {
            for reply in [Reply::JsonSchema, Reply::JsonObject] {
                let answer = Answer::read(&fenced, reply, 3, false);
                assert_eq!((answer.state, answer.grade), (State::Graded, Some(2)), "{fenced}");
            }
            states(&[&fenced], Reply::Line, State::Unparseable);
        }
        states(
            &[
                &format!("Here:\n```json\n{one}\n```"),
                &format!("```json\n{one}\n```\nAs I said."),
                &format!("```json\n{one}\n{one}\n```"),
                &format!("```json\n{one}\n```\n```json\n{one}\n```"),
                &format!("```json\n```json\n{one}\n```\n```"),
                &format!("```python\n{one}\n```"),
                &format!("```json\n{one}"),
                &format!("{one}\n```"),
                "```json\n3\n```",
                "```json\n```",
            ],
            Reply::JsonObject,
            State::Unparseable,
        );
    }

    #[test]
    fn a_missing_key_is_no_pass() {
        states(
            &[
                r#"{"grade": 2}"#,
                r#"{"analysis": "a"}"#,
                "{}",
                r#"{"analysis": "a", "grade": 2, "reason": "b"}"#,
                r#"{"analysis": 3, "grade": 2}"#,
                r#"{"analysis": "a", "grade": 2, "confidence": 0.5}"#,
            ],
            Reply::JsonObject,
            State::Unparseable,
        );
        for content in [r#"{"analysis":"a","grade":2}"#, r#"{"analysis":"a","grade":2,"confidence":1.5}"#] {
            assert_eq!(
                Answer::read(content, Reply::JsonSchema, 3, true).state,
                State::Unparseable,
                "{content}"
            );
        }
    }

    fn completion(text: &str) -> Answer {
        let completion: Completion = serde_json::from_str(text).unwrap();
        completion.answer(Reply::JsonSchema, 3, false, 100)
    }

    #[test]
    fn an_answer_cut_at_max_tokens_is_no_grade() {
        let cut = r#"{"choices":[{"finish_reason":"length","message":{"content":"{\"analysis\":\"a\",\"grade\":2}"}}]}"#;
        assert_eq!(completion(cut).state, State::Truncated);
    }

    #[test]
    fn empty_content_with_reasoning_is_named() {
        for key in ["reasoning_content", "reasoning"] {
            let text = format!(
                "{{\"choices\":[{{\"finish_reason\":\"stop\",\"message\":{{\"content\":\"\",\"{key}\":\"hm, 3\"}}}}]}}"
            );
            let answer = completion(&text);
            assert_eq!((answer.state, answer.analysis.as_str()), (State::Empty, "hm, 3"));
        }
    }

    #[test]
    fn a_silently_cut_prompt_is_noticed() {
        let of = |tokens: u64| {
            completion(&format!(
                "{{\"choices\":[{{\"finish_reason\":\"stop\",\"message\":{{\"content\":\"{{\\\"analysis\\\":\\\"a\\\",\\\"grade\\\":2}}\"}}}}],\
                 \"usage\":{{\"prompt_tokens\":{tokens},\"completion_tokens\":9}}}}"
            ))
        };
        assert_eq!((of(99).state, of(100).state), (State::Truncated, State::Graded));
        // A server that counts nothing says nothing.
        assert_eq!(of(0).state, State::Graded);
    }

    #[test]
    fn what_a_filter_stops_is_refused() {
        let filtered = r#"{"choices":[{"finish_reason":"content_filter","message":{"content":null}}]}"#;
        let refused =
            r#"{"choices":[{"finish_reason":"stop","message":{"content":null,"refusal":"I will not."}}]}"#;
        assert_eq!((completion(filtered).state, completion(refused).state), (State::Refused, State::Refused));
        let two = r#"{"choices":[{"finish_reason":"stop","message":{"content":"a"}},{"finish_reason":"stop","message":{"content":"b"}}]}"#;
        let unfinished = r#"{"choices":[{"message":{"content":"{\"analysis\":\"a\",\"grade\":2}"}}]}"#;
        assert_eq!(
            (completion(two).state, completion(unfinished).state),
            (State::Unparseable, State::Unparseable)
        );
    }
}
