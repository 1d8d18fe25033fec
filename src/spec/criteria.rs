//! `criteria:` of a judge: what else answers are graded by, in words of one's own.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use super::scalar::read_words;
use super::template::{InputFile, PathTemplate};
use crate::error::Quoted;
use crate::gate::AnswerPart;
use crate::mapping::{Field, FromNode, List, OneOrMany, Reader, Rule, mapping};
use crate::yaml::{Entry, Node, Problem, Value};

read_words!(AnswerPart);

/// Words of a scale: people type a digit for each.
const MOST_WORDS: usize = 10;
/// Characters of a word.
const LONGEST_WORD: usize = 40;
/// More criteria are a mistake, or an attack.
const MOST_CRITERIA: usize = 100;
/// Characters of a name, which is part of file names and ids.
const LONGEST_NAME: usize = 40;
/// Names that judgments of other questions have.
const TAKEN: [&str; 6] = ["relevance", "claims", "support", "nuggets", "nugget-creation", "answer-relevance"];

mapping! {
    /// A criterion of one's own: the judge grades each answer by it, and `Criterion(NAME)` is the mean grade, from 0 to 1.
    struct RawCriterion as "a criterion" {
        /// What is asked of an answer, such as `Is the answer polite?`. Model and people read it.
        "question" => question: Question,
        /// The words of the scale, the worst first: two to ten, such as `[no, partly, yes]`.
        "scale" => scale: Scale,
        /// What the judge is shown beside query and answer: `contexts`, `reference`, or both.
        "shows" => shows: OneOrMany<AnswerPart>,
        /// In place of the built-in prompt a file with `{query}` and `{document}` in it, the document being the answer;
        /// with `{contexts}` and `{reference}` where these are shown.
        "prompt" => prompt: InputFile,
        /// Answers whose grades are known: the judge is asked about them as probes.
        "examples" => examples: List<RawExample>,
    }
    rules: [Rule::Required("question"), Rule::Required("scale")]
}

mapping! {
    /// An answer whose grade by a criterion is known.
    struct RawExample as "an example" {
        /// What was asked.
        "query" => query: String,
        /// The answer.
        "answer" => answer: String,
        /// The word of the scale that it deserves.
        "grade" => grade: Word,
        /// What the answer was made from, where the judge is shown that.
        "contexts" => contexts: OneOrMany<String>,
        /// The reference answer, where the judge is shown that.
        "reference" => reference: String,
    }
    rules: [Rule::Required("query"), Rule::Required("answer"), Rule::Required("grade")]
}

/// A criterion that answers are graded by, checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Criterion {
    /// Its name, as in `Criterion(polite)`.
    pub name: String,
    /// What is asked of an answer.
    pub question: String,
    /// The words of the scale, the worst first: two to ten.
    pub scale: Vec<String>,
    /// What the judge is shown beside query and answer.
    pub shows: Vec<AnswerPart>,
    /// The prompt, where it is not the built-in one.
    pub prompt: Option<PathTemplate>,
    /// Answers whose grades are known.
    pub examples: Vec<CriterionExample>,
}

/// An answer whose grade by a criterion is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CriterionExample {
    /// What was asked.
    pub query: String,
    /// The answer.
    pub answer: String,
    /// Its grade: the place of its word on the scale, from 0.
    pub grade: u8,
    /// What the answer was made from.
    pub contexts: Vec<String>,
    /// The reference answer.
    pub reference: Option<String>,
}

impl Criterion {
    /// The highest grade, which is that of the last word.
    #[must_use]
    pub fn highest(&self) -> u8 {
        u8::try_from(self.scale.len().saturating_sub(1)).unwrap_or(u8::MAX)
    }

    /// Whether the judge is shown this beside query and answer.
    #[must_use]
    pub fn shows(&self, part: AnswerPart) -> bool {
        self.shows.contains(&part)
    }
}

/// The question of a criterion.
struct Question(String);

impl FromNode for Question {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a question, such as `Is the answer polite?`")?.trim();
        match text {
            "" => {
                reader.refuse(node.span, "the question is empty: neither model nor people know what to grade")
            }
            // The prompt is filled in once, and what stands here would be filled in as well.
            _ if ["{query}", "{document}", "{contexts}", "{reference}"]
                .iter()
                .any(|place| text.contains(place)) =>
            {
                let problem = Problem::new(node.span, "a question has no places to fill in");
                reader.report(
                    problem.help("query and answer are shown below it; a `prompt` of one's own has places"),
                );
                None
            }
            _ => Some(Self(text.to_owned())),
        }
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "string", "minLength": 1, "examples": ["Is the answer polite?"]})
    }
}

/// The words of a scale, the worst first.
struct Scale(Vec<String>);

impl FromNode for Scale {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::List(items) = &node.value else {
            return reader.expected(node, "a list of words, the worst first, such as `[no, partly, yes]`");
        };
        let words: Option<Vec<Word>> = items.iter().map(|item| reader.read(item)).collect();
        let words: Vec<String> = words?.into_iter().map(|word| word.0).collect();
        if !(2..=MOST_WORDS).contains(&words.len()) {
            let what = match words.len() {
                1 => format!("a scale of one word, {}, tells no answer from another", Quoted(&words[0])),
                number => format!("a scale of {number} words"),
            };
            let problem = Problem::new(node.span, what);
            reader
                .report(problem.help(format!(
                    "write two to {MOST_WORDS}, the worst first, such as `[no, partly, yes]`"
                )));
            return None;
        }
        let mut seen = HashSet::new();
        for (item, word) in items.iter().zip(&words) {
            if !seen.insert(word.to_lowercase()) {
                return reader.refuse(item.span, format!("{} stands twice on the scale", Quoted(word)));
            }
        }
        Some(Self(words))
    }

    #[inline]
    fn schema() -> Json {
        json!({
            "type": "array", "items": Word::schema(), "minItems": 2, "maxItems": MOST_WORDS, "uniqueItems": true,
            "examples": [["no", "partly", "yes"]],
        })
    }
}

/// A word of a scale.
struct Word(String);

impl FromNode for Word {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a word of a scale")?.trim();
        if text.is_empty() || text.chars().count() > LONGEST_WORD || text.chars().any(char::is_control) {
            let message = format!("a word of a scale has one to {LONGEST_WORD} characters, on one line");
            return reader.refuse(node.span, message);
        }
        Some(Self(text.to_owned()))
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": ["string", "number", "boolean"], "minLength": 1, "maxLength": LONGEST_WORD})
    }
}

/// The mapping from names to criteria, as far as they can be read.
#[derive(Default)]
pub(super) struct RawCriteria(Vec<Option<Criterion>>);

impl FromNode for RawCriteria {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected(node, "a mapping from names to criteria");
        };
        if entries.len() > MOST_CRITERIA {
            return reader.refuse(node.span, format!("more than {MOST_CRITERIA} criteria"));
        }
        Some(Self(entries.iter().map(|entry| criterion(entry, reader)).collect()))
    }

    #[inline]
    fn schema() -> Json {
        json!({
            "type": "object",
            "maxProperties": MOST_CRITERIA,
            "propertyNames": {"pattern": format!("^[A-Za-z0-9][A-Za-z0-9_-]{{0,{}}}$", LONGEST_NAME - 1), "not": {"enum": TAKEN}},
            "additionalProperties": RawCriterion::schema(),
        })
    }
}

impl RawCriteria {
    /// The criteria, unless something is wrong with one, which has been reported.
    pub(super) fn into_criteria(self) -> Option<Vec<Criterion>> {
        self.0.into_iter().collect()
    }
}

fn criterion(Entry { key, value }: &Entry, reader: &mut Reader<'_>) -> Option<Criterion> {
    let name = key.text.to_string();
    let raw: Option<RawCriterion> = reader.read(value);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !begins || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
        let message = format!(
            "{} is no name of a criterion: up to {LONGEST_NAME} ASCII letters, digits, `-` and `_`",
            Quoted(&name)
        );
        return reader.refuse(key.span, message);
    }
    if TAKEN.contains(&name.as_str()) {
        return reader.refuse(key.span, format!("{} is the name of a built-in question", Quoted(&name)));
    }
    raw?.check(name, reader)
}

impl RawCriterion {
    /// The criterion; `None` where something is wrong, which has been reported.
    fn check(self, name: String, reader: &mut Reader<'_>) -> Option<Criterion> {
        let shows: Vec<AnswerPart> = read(self.shows)?.map_or_else(Vec::new, OneOrMany::into_values);
        let (question, scale) = (self.question.into_value()?.0, self.scale.into_value()?.0);
        let mut examples = Vec::new();
        let mut is_whole = true;
        for item in self.examples.into_value().into_iter().flat_map(|list| list.items) {
            match item.value.check(&scale, &shows, reader) {
                Some(example) => examples.push(example),
                None => is_whole = false,
            }
        }
        let prompt = read(self.prompt)?.map(|file| file.0);
        is_whole.then_some(Criterion { name, question, scale, shows, prompt, examples })
    }
}

impl RawExample {
    fn check(
        self,
        scale: &[String],
        shows: &[AnswerPart],
        reader: &mut Reader<'_>,
    ) -> Option<CriterionExample> {
        for (field, part) in [
            (self.contexts.field_value().map(|one| one.key), AnswerPart::Contexts),
            (self.reference.field_value().map(|one| one.key), AnswerPart::Reference),
        ] {
            if let Some(key) = field.filter(|_| !shows.contains(&part)) {
                let problem = Problem::new(key, format!("the judge is not shown the {part} of an answer"));
                reader.report(problem.help(format!("write `shows: {part}` in the criterion")));
                return None;
            }
        }
        let (at, word) = self.grade.field_value().map(|grade| (grade.at, grade.value.0.clone()))?;
        let Some(grade) = scale.iter().position(|one| *one == word) else {
            let problem = Problem::new(at, format!("{} is no word of the scale", Quoted(&word)));
            reader.report(problem.help(format!("its words are {}", scale.join(", "))));
            return None;
        };
        Some(CriterionExample {
            query: self.query.into_value()?,
            answer: self.answer.into_value()?,
            grade: u8::try_from(grade).ok()?,
            contexts: read(self.contexts)?.map_or_else(Vec::new, OneOrMany::into_values),
            reference: read(self.reference)?,
        })
    }
}

/// The value of a key, which may not be there; the outer `None` where it cannot be read.
#[expect(clippy::option_option, reason = "absent and wrong lead to different things")]
fn read<T>(field: Field<T>) -> Option<Option<T>> {
    match field {
        Field::Absent => Some(None),
        Field::Broken => None,
        Field::Given(given) => Some(Some(given.value)),
    }
}
