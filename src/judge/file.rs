//! The judgments of models, as they are committed: who judged, and what of each document.

use std::collections::BTreeMap;
use std::path::Path;

use super::item::{Description, Head, Item, shown_sha256, sorted};
use super::lines::lines;
use crate::{Error, Result};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Reply;
    use crate::judge::item::unsealed;
    use crate::judge::lines::Line;
    use crate::judge::tests::{description, item};
    use crate::judge::{glance, glance_beside, sha256};

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
