//! A judge and one of its judgments, as they stand in a file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::claim::Claim;
use crate::content_hash::bytes_sha256;
use crate::gate::{Form, Longer, Reply, State, Vote};

/// What items call people, whose lists of claims stand before any model's.
pub const PEOPLE: &str = "people";
/// The lowest and the highest grade that people and models give.
pub const SCALE: [u8; 2] = [0, 3];

/// How answers are read; another number where the same answer would be another grade.
pub const PARSER: u32 = 1;

/// A judge as it stands in the file: all that its grades depend on. Where it is asked, and with which key, is no
/// part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Description {
    /// Whether answers say how sure the model is.
    pub confidence: bool,
    /// The name of the criterion that it grades answers by, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// What is shown of documents.
    pub documents: Documents,
    /// What an answer holds.
    #[serde(default, skip_serializing_if = "Form::is_grade")]
    pub form: Form,
    /// Where a jury judges: its members, and how they come to a grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jury: Option<Jury>,
    /// The model as it was asked for; of a jury all names, with ` + ` between.
    pub model: String,
    /// Parameters of the request, such as the temperature.
    pub parameters: BTreeMap<String, Value>,
    /// The version of what reads the answers.
    pub parser: u32,
    /// The prompt, with `{query}` and `{document}` in it.
    pub prompt: String,
    /// What the prompt is called.
    pub prompt_name: String,
    /// The form of an answer.
    pub reply: Reply,
    /// How often each pair is asked.
    pub samples: u32,
    /// The lowest and the highest grade.
    pub scale: [u8; 2],
    /// What it is to write before the grade, where that is no analysis; no judge of documents has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<String>,
}

/// Several models that judge together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Jury {
    /// The models, in the order of the spec.
    pub members: Vec<String>,
    /// How they come to a grade.
    pub vote: Vote,
}

/// What of a document is shown, and what becomes of a longer one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Documents {
    /// `title`, `text`, or keys of the metadata, in the order in which they are shown.
    pub fields: Vec<String>,
    /// What becomes of a longer one.
    pub longer: Longer,
    /// Characters.
    pub longest: usize,
}

impl Description {
    /// SHA-256 of the description, in hexadecimal: other bytes of the prompt, another model or parameter give
    /// another.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        // Keys are sorted by serde_json's map, whatever the order of the fields.
        let value = serde_json::to_value(self).unwrap_or_default();
        sha256(sorted(&value).as_bytes())
    }

    /// What items call the judge: the prompt's name and the first digits of the fingerprint.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}-{}", self.prompt_name, &self.fingerprint()[..8])
    }
}

/// What a model made of one document for one query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// What the model wrote before its grade.
    pub analysis: String,
    /// Where a list was asked for: the claims that a text makes, or what was said of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<Claim>>,
    /// From 0 to 1, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Its id.
    pub document: String,
    /// Of the text that was shown.
    pub document_sha256: String,
    /// There where the state is graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<u8>,
    /// The grades of the answers that were asked for, where there were several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grades: Vec<Option<u8>>,
    /// What the describing line calls it.
    pub judge: String,
    /// Its id.
    pub query: String,
    /// Of its text.
    pub query_sha256: String,
    /// The model that answered, as its server says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<String>,
    /// What became of the question.
    pub state: State,
    /// Tokens read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<[u64; 2]>,
}

impl Item {
    /// One line of the file: keys in alphabetical order, no time and no duration, so that it differs where the
    /// judgment does; with a seal, by which it is told when somebody edits the grade.
    #[must_use]
    pub fn line(&self) -> String {
        sealed(serde_json::to_value(self), self.seal())
    }
}

/// The first key of a describing line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) describes: Description,
    pub(super) fingerprint: String,
    pub(super) judge: String,
}

impl Item {
    pub(super) fn shas(&self) -> [&str; 2] {
        [&self.query_sha256, &self.document_sha256]
    }

    pub(super) fn seal(&self) -> String {
        let Self {
            judge, query, query_sha256, document, document_sha256, state, grade, grades, claims, ..
        } = self;
        seal(&(judge, query, query_sha256, document, document_sha256, state, grade, grades, claims))
    }
}

/// SHA-256 of a text as a model is shown it, in hexadecimal.
///
/// Prompts had one fence for all texts once, which a text could close that holds it; since then they have a fence that is
/// drawn from the text. What was said of such a text in its first fence is no judgment of it: it is shown as another one.
/// All other texts are what they were.
pub fn shown_sha256(text: &str) -> String {
    const FIRST_FENCE: &str = ">>>";
    match text.contains(FIRST_FENCE) {
        true => bytes_sha256([b"in a fence of its own\n", text.as_bytes()]),
        false => sha256(text.as_bytes()),
    }
}

/// What stands beside a grade and tells an edit of it: digits of the hash of all that a gate takes from its line.
pub(super) fn seal(of: &impl Serialize) -> String {
    let mut seal = sha256(serde_json::to_string(of).unwrap_or_default().as_bytes());
    seal.truncate(16);
    seal
}

/// A line with its seal.
pub(super) fn sealed(value: serde_json::Result<Value>, seal: String) -> String {
    let Ok(mut value) = value else { return String::new() };
    value["seal"] = seal.into();
    sorted(&value) + "\n"
}

/// A line without its seal, and that; within a text the quotes of the key would be escaped.
pub(super) fn unsealed(line: &str) -> (Cow<'_, str>, Option<&str>) {
    const KEY: &str = "\"seal\"";
    let key = |at: &(usize, &str)| line[at.0 + KEY.len()..].trim_start().starts_with(':');
    let Some((start, _)) = line.match_indices(KEY).find(key) else { return (line.into(), None) };
    let behind = line[start + KEY.len()..].trim_start().trim_start_matches(':').trim_start();
    let Some((seal, rest)) = behind.strip_prefix('"').and_then(|behind| behind.split_once('"')) else {
        return (line.into(), None);
    };
    // One of the two commas goes with it. Blanks stand in their place, so that errors name the columns of the line.
    let (before, rest) = match rest.trim_start().strip_prefix(',') {
        Some(rest) => (&line[..start], rest),
        None => (line[..start].trim_end().trim_end_matches(','), rest),
    };
    let line = format!("{before}{}{rest}", " ".repeat(line.len() - before.len() - rest.len()));
    (line.into(), Some(seal))
}

/// SHA-256 in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    bytes_sha256([bytes, &[]])
}

/// JSON with the keys of every object in order, though a crate of the build asks serde_json to keep them as they come.
pub(super) fn sorted(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort();
            let entry = |key: &String| format!("{}:{}", Value::from(key.as_str()), sorted(&object[key]));
            format!("{{{}}}", keys.into_iter().map(entry).collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => format!("[{}]", values.iter().map(sorted).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}
