//! The judgments of models, as they are committed: who judged, and what of each document.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::claim::Claim;
use super::lines::lines;
use crate::content_hash::bytes_sha256;
use crate::gate::{Form, Longer, Reply, State, Vote};
use crate::{Error, Result};

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

/// All that a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgmentsFile {
    judges: BTreeMap<String, Description>,
    /// By query, document and judge.
    items: BTreeMap<(String, String, String), Item>,
    /// The committed file, where this one stands beside it.
    committed: Option<Box<JudgmentsFile>>,
}

impl JudgmentsFile {
    /// Reads a file's text. `killed` says that its last line may be torn, as one is that is still being written: then
    /// it is left out.
    ///
    /// # Errors
    ///
    /// A line that is neither a judge nor an item, a judge whose description is not that of its fingerprint, an
    /// item of a judge that is not described, a second item of the same, a grade beside a state that has none.
    pub fn parse(name: &str, text: &str, killed: bool) -> Result<Self> {
        let (judges, items) = lines::<Item>(name, text, killed)?;
        let keyed = |item: Item| ((item.query.clone(), item.document.clone(), item.judge.clone()), item);
        Ok(Self { judges, items: items.into_iter().map(keyed).collect(), committed: None })
    }

    /// This file beside the committed one: both are looked up, and only this one is [written](Self::text). Of a question that
    /// both answer, this one's answer counts.
    #[must_use]
    pub fn beside(self, committed: Self) -> Self {
        Self { committed: Some(Box::new(committed)), ..self }
    }

    /// Reads a file; one that is not there holds nothing yet.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; as [`parse`](Self::parse).
    pub fn read(path: &Path, killed: bool) -> Result<Self> {
        Self::parse(&path.display().to_string(), &text_of(path)?, killed)
    }

    /// Takes a judge in, and says what its items call it.
    pub fn describe(&mut self, judge: Description) -> String {
        let id = judge.id();
        self.judges.insert(id.clone(), judge);
        id
    }

    /// Takes an item in, in place of an earlier one of the same.
    pub fn insert(&mut self, item: Item) {
        self.items.insert((item.query.clone(), item.document.clone(), item.judge.clone()), item);
    }

    /// Whether it has one of the same query, document and judge.
    #[must_use]
    pub fn holds(&self, item: &Item) -> bool {
        self.items.contains_key(&(item.query.clone(), item.document.clone(), item.judge.clone()))
    }

    /// Takes what a judge made of a document out.
    pub fn remove(&mut self, judge: &str, query: &str, document: &str) -> Option<Item> {
        self.items.remove(&(query.to_owned(), document.to_owned(), judge.to_owned()))
    }

    /// What a judge made of a document that looked like this to it; nothing where it was another text, or never
    /// asked.
    #[must_use]
    pub fn item(&self, judge: &str, query: (&str, &str), document: (&str, &str)) -> Option<&Item> {
        let key = (query.0.to_owned(), document.0.to_owned(), judge.to_owned());
        let both = [Some(self), self.committed.as_deref()];
        both.into_iter().flatten().filter_map(|file| file.items.get(&key)).find(|item| {
            item.query_sha256 == shown_sha256(query.1) && item.document_sha256 == shown_sha256(document.1)
        })
    }

    /// The judges by what items call them, those of the committed file apart.
    #[must_use]
    pub fn judges(&self) -> &BTreeMap<String, Description> {
        &self.judges
    }

    /// The same with those of the committed file.
    pub fn all_judges(&self) -> impl Iterator<Item = (&String, &Description)> {
        let committed = self.committed.iter().flat_map(|file| &file.judges);
        self.judges.iter().chain(committed.filter(|(id, _)| !self.judges.contains_key(*id)))
    }

    /// All items, by query, document and judge; then those of the committed file.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        let is_another = |(key, item): &(&(String, String, String), &Item)| {
            self.items.get(*key).is_none_or(|own| own.shas() != item.shas())
        };
        let committed = self.committed.iter().flat_map(|file| &file.items).filter(is_another);
        self.items.values().chain(committed.map(|(_, item)| item))
    }

    /// The whole text, sorted: judges first.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (id, judge) in &self.judges {
            let head = Head { describes: judge.clone(), fingerprint: judge.fingerprint(), judge: id.clone() };
            let value = serde_json::to_value(&head).unwrap_or_default();
            text += &sorted(&value);
            text.push('\n');
        }
        self.items.values().for_each(|item| text += &item.line());
        text
    }
}

/// The text of a file; one that is not there holds nothing yet.
///
/// # Errors
///
/// A file that cannot be read.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(|error| Error::io("cannot read", path, error)),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::lines::Line;
    use crate::judge::tests::{description, item};
    use crate::judge::{glance, glance_beside};

    #[test]
    fn it_is_sorted_and_comes_back() {
        let mut file = JudgmentsFile::default();
        let judge = file.describe(description());
        assert!(judge.starts_with("relevance-") && judge.len() == 18, "{judge}");
        for (query, document, grade) in [("q2", "a", Some(2)), ("q1", "b", None), ("q1", "a", Some(0))] {
            file.insert(item(&judge, query, document, grade));
        }
        let text = file.text();
        assert_eq!(JudgmentsFile::parse("judged.jsonl", &text, false).unwrap(), file);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("{\"describes\":{\"confidence\":false,\"documents\":{\"fields\":"),
            "{}",
            lines[0]
        );
        let hash = sha256(b"text");
        let expected = format!(
            "{{\"analysis\":\"It says \\\"so\\\".\",\"document\":\"a\",\"document_sha256\":\"{hash}\",\"grade\":0,\"judge\":\"{judge}\",\
             \"query\":\"q1\",\"query_sha256\":\"{}\",\"seal\":\"{}\",\"served\":\"qwen2.5-32b-instruct\",\"state\":\"graded\",\"tokens\":[612,48]}}",
            sha256(b"asked"),
            item(&judge, "q1", "a", Some(0)).seal()
        );
        assert_eq!(lines[1], expected);
        assert!(lines[2].contains("\"b\"") && lines[3].contains("\"q2\""));
        // FIPS 180-2, appendix B.1.
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_changed_prompt_model_document_or_parameter_misses_the_cache() {
        let id = description().id();
        let changed: [fn(&mut Description); 8] = [
            |one| one.prompt.push(' '),
            |one| one.model.push('x'),
            |one| one.parameters.insert("temperature".into(), 0.1.into()).map_or((), drop),
            |one| one.parser += 1,
            |one| one.documents.longest += 1,
            |one| one.documents.fields.reverse(),
            |one| one.reply = Reply::Line,
            |one| one.samples = 3,
        ];
        for change in changed {
            let mut other = description();
            change(&mut other);
            assert_ne!(other.id(), id);
        }
        let mut file = JudgmentsFile::default();
        let judge = file.describe(description());
        file.insert(item(&judge, "q1", "a", Some(2)));
        assert_eq!(file.item(&judge, ("q1", "asked"), ("a", "text")).unwrap().grade, Some(2));
        assert_eq!(file.item(&judge, ("q1", "asked"), ("a", "text.")), None);
        assert_eq!(file.item(&judge, ("q1", "Asked"), ("a", "text")), None);
        assert_eq!(file.item("relevance-00000000", ("q1", "asked"), ("a", "text")), None);
    }

    #[test]
    fn a_file_beside_the_committed_one_answers_first_and_is_written_alone() {
        let (mut committed, mut own) = (JudgmentsFile::default(), JudgmentsFile::default());
        let judge = committed.describe(description());
        own.describe(description());
        let of = |query: &str, document: &str, text: &str, grade| Item {
            document_sha256: sha256(text.as_bytes()),
            ..item(&judge, query, document, Some(grade))
        };
        // Of another text on either side, of the same on both, and on one side alone.
        for (document, texts) in [("a", ["old", "text"]), ("b", ["text", "old"]), ("c", ["text", "text"])] {
            committed.insert(of("q1", document, texts[0], 1));
            own.insert(of("q1", document, texts[1], 2));
        }
        committed.insert(of("q2", "d", "text", 1));
        own.insert(of("q0", "e", "text", 2));
        let (both, alone) = (own.clone().beside(committed.clone()), own);
        let grade = |query: &str, document: &str| {
            both.item(&judge, (query, "asked"), (document, "text")).and_then(|item| item.grade)
        };
        let grades = [("q1", "a"), ("q1", "b"), ("q1", "c"), ("q2", "d"), ("q0", "e")];
        assert_eq!(grades.map(|(query, document)| grade(query, document)), [2, 1, 2, 1, 2].map(Some));
        assert_eq!(both.text(), alone.text());
        // One of each pair of texts: two of `a` and of `b`, one of the others.
        assert_eq!((both.items().count(), both.all_judges().count()), (7, 1));
        let texts = [committed.text(), alone.text()];
        let glanced = glance_beside(("committed", &texts[0]), ("own", &texts[1])).unwrap().1;
        let mut seen: Vec<_> = glanced.iter().map(|one| (one.key().map(str::to_owned), one.grade)).collect();
        let mut expected: Vec<_> =
            both.items().map(|one| (one.key().map(str::to_owned), one.grade)).collect();
        seen.sort();
        expected.sort();
        assert_eq!(seen, expected);
    }

    #[test]
    fn what_is_judged_twice_is_found_in_whatever_order() {
        let mut file = JudgmentsFile::default();
        let judge = file.describe(description());
        for document in ["a", "b", "c"] {
            file.insert(item(&judge, "q1", document, Some(2)));
        }
        let text = file.text();
        let [head, a, b, c] = text.split_inclusive('\n').collect::<Vec<_>>()[..] else { panic!("{text}") };
        for (lines, twice) in [
            (vec![head, a, b, b, c], Some(4)),
            (vec![head, b, a, c, b], Some(5)),
            (vec![head, c, head, b, a, c], Some(6)),
            (vec![head, c, b, a], None),
        ] {
            let read = JudgmentsFile::parse("judged.jsonl", &lines.concat(), false);
            match twice {
                None => assert_eq!(read.unwrap(), file),
                Some(line) => {
                    let error = read.unwrap_err().to_string();
                    assert!(error.starts_with(&format!("judged.jsonl:{line}: `{judge}` judged")), "{error}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_judgment_is_an_error_with_its_line() {
        let mut file = JudgmentsFile::default();
        let judge = file.describe(description());
        file.insert(item(&judge, "q1", "a", Some(2)));
        let text = file.text();
        let error = |text: &str| JudgmentsFile::parse("judged.jsonl", text, false).unwrap_err().to_string();
        assert!(
            error(&text.replace("Grade {doc", "grade {doc"))
                .starts_with("judged.jsonl:1: what describes `relevance-")
        );
        assert!(
            error(&text.replace("\"grade\":2", "\"grade\":4"))
                .contains(":2: the grade 4 is not on the scale from 0 to 3")
        );
        assert!(error(&text.replace("\"grade\":2,", "")).contains("there is no grade"));
        assert!(error(&text.replace("\"graded\"", "\"refused\"")).contains("the grade 2 beside a state"));
        assert!(
            error(&text.replace("\"graded\"", "\"good\""))
                .contains("judged.jsonl:2: no judgment: `good` is none of graded, abstained")
        );
        let second = text.lines().nth(1).unwrap();
        assert!(error(&format!("{text}{second}\n")).contains("judged.jsonl:3: `relevance-"));
        assert!(error(&format!("{second}\n")).contains("no line above describes the judge"));
        // Torn by a kill: what was written whole is kept, and asked for again is only the rest.
        let torn = format!("{text}{}", &second[..40]);
        assert!(error(&torn).contains("judged.jsonl:3: the last line has no end"));
        assert_eq!(JudgmentsFile::parse("judged.jsonl", &torn, true).unwrap(), file);
    }

    #[test]
    fn an_edited_grade_is_told_with_its_line() {
        let mut file = JudgmentsFile::default();
        let judge = file.describe(description());
        for (document, grade) in [("a", Some(2)), ("seal", None), ("\"seal\":\"0\",", Some(0))] {
            file.insert(item(&judge, "q1", document, grade));
        }
        let text = file.text();
        assert_eq!(JudgmentsFile::parse("judged.jsonl", &text, false).unwrap(), file);
        let seal = text.lines().nth(1).unwrap().split_once("\"seal\":\"").unwrap().1.len();
        assert!(seal > 16);
        let at = text.lines().position(|line| line.contains("\"document\":\"a\"")).unwrap() + 1;
        for (from, to) in [
            ("\"grade\":2", "\"grade\":3"),
            ("\"document\":\"a\"", "\"document\":\"b\""),
            ("\"grade\":2", "\"grade\":2,\"grades\":[2,2,3]"),
        ] {
            let edited = text.replace(from, to);
            assert_ne!(edited, text);
            let error = JudgmentsFile::parse("judged.jsonl", &edited, false).unwrap_err().to_string();
            let what = if to.contains("\"b\"") { "b" } else { "a" };
            let expected = format!(
                "judged.jsonl:{at}: the judgment of document `{what}` for query `q1` by `{judge}` was edited"
            );
            assert!(error.starts_with(&expected), "{error}");
            assert_eq!(glance("judged.jsonl", &edited).err().unwrap().to_string(), error);
        }
        // What a model wrote beside it is no part of it; and a file that has no seals yet is read as it was.
        let reworded = text.replace("It says", "It said");
        assert!(JudgmentsFile::parse("judged.jsonl", &reworded, false).is_ok());
        let bare: String = text.lines().map(|line| unsealed(line).0.into_owned() + "\n").collect();
        assert!(!bare.contains("\"seal\":\"") || bare.matches("\"seal\":\"").count() < 3, "{bare}");
        assert_eq!(JudgmentsFile::parse("judged.jsonl", &bare, false).unwrap(), file);
        assert_eq!(glance("judged.jsonl", &bare).unwrap().1.len(), 3);
        let bare = bare.replace("\"grade\":2", "\"grade\":3");
        assert!(JudgmentsFile::parse("judged.jsonl", &bare, false).is_ok());
    }

    #[test]
    fn a_text_that_could_close_the_first_fence_is_asked_about_again() {
        assert_eq!(shown_sha256("a > b >> c"), sha256(b"a > b >> c"));
        assert_ne!(shown_sha256("a\n>>>\nGrade 3."), sha256(b"a\n>>>\nGrade 3."));
        let mut file = JudgmentsFile::default();
        let judge = file.describe(description());
        let text = ">>> import this";
        let before = Item { document_sha256: sha256(text.as_bytes()), ..item(&judge, "q1", "a", Some(3)) };
        file.insert(before.clone());
        assert_eq!(file.item(&judge, ("q1", "asked"), ("a", text)), None);
        file.insert(Item { document_sha256: shown_sha256(text), ..before });
        assert!(file.item(&judge, ("q1", "asked"), ("a", text)).is_some());
    }

    #[test]
    fn a_glance_refuses_what_is_refused_otherwise() {
        let mut file = JudgmentsFile::default();
        let judge = file.describe(description());
        for (query, document, grade) in [("q2", "a", Some(2)), ("q1", "\"b\"", None), ("q1", "a", Some(0))] {
            file.insert(item(&judge, query, document, grade));
        }
        let text = file.text();
        let lines: Vec<&str> = text.lines().collect();
        // Out of order, as after a run that was killed.
        let shuffled = [0, 3, 1, 2].map(|at| lines[at].to_owned() + "\n").concat();
        let (judges, items) = glance("judged.jsonl", &shuffled).unwrap();
        assert_eq!(&judges, file.judges());
        let seen = items.iter().map(|one| (one.key().map(str::to_owned), one.outcome(), one.tokens));
        let kept = file.items().map(|one| (one.key().map(str::to_owned), one.outcome(), one.tokens));
        assert!(seen.eq(kept));
        let changes: [(&str, &str); 9] = [
            ("\"analysis\":\"It", "\"analysis\":3,\"x\":\"It"),
            ("\"analysis\":\"It", "\"analysis\":\"\\u12It"),
            ("\"analysis\"", "\"more\""),
            ("\"served\":\"qwen2.5-32b-instruct\"", "\"served\":7"),
            ("\"grade\":2", "\"grade\":9"),
            ("\"grade\":2", "\"confidence\":\"x\",\"grade\":2"),
            ("\"graded\"", "\"good\""),
            ("\"q2\"", "\"q1\""),
            ("\"tokens\":[612,48]", "\"tokens\":[612]"),
        ];
        for (from, to) in changes {
            let text = text.replace(from, to);
            let error = JudgmentsFile::parse("judged.jsonl", &text, false).unwrap_err();
            let glanced = glance("judged.jsonl", &text).err().unwrap().to_string();
            assert_eq!(glanced.replace("`seal`, ", ""), error.to_string(), "{to}");
        }
    }
}
