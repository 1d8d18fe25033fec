//! People's grades of the drawn queries, as a committed file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::criterion::highest_grade;
use super::item::{SCALE, seal, sealed, sorted, unsealed};
use super::sample::Sample;
use crate::collection::Document;
use crate::{Error, Result};

/// A person's grade of one document for one query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HumanGrade {
    /// With which delivery of grades it came, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub batch: u32,
    /// Its id.
    pub document: String,
    /// Of what [`shown_to_people`] makes of it.
    pub document_sha256: String,
    /// 0 to 3, or to the highest of a criterion's scale; none where the person could not tell.
    pub grade: Option<u8>,
    /// Its id.
    pub query: String,
    /// Of its text.
    pub query_sha256: String,
    /// The person's name, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
}

fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_first(batch: &u32) -> bool {
    *batch == first()
}

impl HumanGrade {
    /// What tells an edit of it.
    fn seal(&self) -> String {
        let Self { batch, document, document_sha256, grade, query, query_sha256, who } = self;
        let parts = (query, query_sha256, document, document_sha256, grade, who);
        // Files that know one batch keep their seals.
        if is_first(batch) { seal(&parts) } else { seal(&(parts, batch)) }
    }
}

/// The text of a document that people see, independent of the model: title and text, a line apart.
#[must_use]
pub fn shown_to_people(document: &Document) -> String {
    let parts: Vec<&str> = document.title.as_deref().into_iter().chain([&*document.text]).collect();
    parts.join("\n")
}

/// The file of a sample: a line that says which queries were drawn and how, then a line for each grade, sorted by
/// query and document. Its grades are the measure of the model's and no part of the judgments that it completes.
#[derive(Clone, Debug, PartialEq)]
pub struct HumansFile {
    /// Which queries were drawn.
    pub sample: Sample,
    /// By query and document.
    grades: BTreeMap<(String, String), HumanGrade>,
}

impl HumansFile {
    /// A sample without grades.
    #[must_use]
    pub fn new(sample: Sample) -> Self {
        Self { sample, grades: BTreeMap::new() }
    }

    /// Reads a file's text.
    ///
    /// # Errors
    ///
    /// A first line that is no sample, another that is no grade, a grade above 3, one that was edited since it was written,
    /// a second one of the same pair.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let place = |number: usize, message: String| Error::invalid(format!("{name}:{number}: {message}"));
        let mut lines = (1..).zip(text.lines());
        let (_, first) = lines.next().ok_or_else(|| place(1, "there is no sample".into()))?;
        let sample = serde_json::from_str(first).map_err(|error| place(1, format!("no sample: {error}")))?;
        let mut file = Self::new(sample);
        for (number, line) in lines {
            let (line, seal) = unsealed(line);
            let grade: HumanGrade =
                serde_json::from_str(&line).map_err(|error| place(number, format!("no grade: {error}")))?;
            let (least, most) = (SCALE[0], highest_grade(&grade.document));
            if let Some(high) = grade.grade.filter(|grade| !(least..=most).contains(grade)) {
                let message = format!("the grade {high} is not on the scale from {least} to {most}");
                return Err(place(number, message));
            }
            let pair =
                format!("document `{}` of query `{}` was judged above already", grade.document, grade.query);
            if seal.is_some_and(|seal| seal != grade.seal()) {
                return Err(place(
                    number,
                    format!(
                        "the grade of document `{}` for query `{}` was edited: its seal is that of another one; what people \
                         say anew is taken in by `rankgate sample --merge`, once this line is taken out",
                        grade.document, grade.query
                    ),
                ));
            }
            if file.insert(grade).is_some() {
                return Err(place(number, pair));
            }
        }
        Ok(file)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; as [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io("cannot read", path, error))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Takes a grade in, and gives back an earlier one of the same pair.
    pub fn insert(&mut self, grade: HumanGrade) -> Option<HumanGrade> {
        self.grades.insert((grade.query.clone(), grade.document.clone()), grade)
    }

    /// The grade of a document for a query.
    #[must_use]
    pub fn grade(&self, query: &str, document: &str) -> Option<&HumanGrade> {
        self.grades.get(&(query.to_owned(), document.to_owned()))
    }

    /// The last delivery of grades; 0 where there is none.
    #[must_use]
    pub fn last_batch(&self) -> u32 {
        self.grades.values().map(|grade| grade.batch).max().unwrap_or(0)
    }

    /// The grades by which the judge's errors are known: those of deliveries since the sample says so.
    pub fn labels(&self) -> impl Iterator<Item = &HumanGrade> {
        self.grades.values().filter(|grade| grade.batch >= self.sample.calibrate_from)
    }

    /// All grades, by query and document.
    pub fn grades(&self) -> impl Iterator<Item = &HumanGrade> {
        self.grades.values()
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        let line = |value: serde_json::Result<serde_json::Value>| {
            value.map(|value| sorted(&value) + "\n").unwrap_or_default()
        };
        let mut text = line(serde_json::to_value(&self.sample));
        self.grades.values().for_each(|grade| text += &sealed(serde_json::to_value(grade), grade.seal()));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_and_says_what_is_wrong_with_it() {
        let sample = Sample::draw(&["q1", "q2", "q3"], 2, 7).unwrap();
        let mut file = HumansFile::new(sample);
        for (query, document, grade) in [("q2", "a", Some(2)), ("q1", "b", None), ("q1", "a", Some(0))] {
            let said = HumanGrade {
                batch: 1,
                document: document.into(),
                document_sha256: "d".into(),
                grade,
                query: query.into(),
                query_sha256: "q".into(),
                who: (query == "q1").then(|| "anna".into()),
            };
            assert_eq!(file.insert(said), None);
        }
        let text = file.text();
        assert_eq!(HumansFile::parse("h.jsonl", &text).unwrap(), file);
        assert!(text.starts_with("{\"collection\":\""), "{text}");
        let first = text.lines().nth(1).unwrap();
        let (bare, seal) = unsealed(first);
        assert_eq!(
            bare.replace(' ', ""),
            "{\"document\":\"a\",\"document_sha256\":\"d\",\"grade\":0,\"query\":\"q1\",\"query_sha256\":\"q\",\"who\":\"anna\"}"
        );
        assert_eq!(seal.map(str::len), Some(16), "{first}");
        // An edit is told with its line; lines that were written before there were seals are read as they are.
        for (from, to) in
            [("\"grade\":2", "\"grade\":3"), ("\"grade\":null", "\"grade\":3"), ("anna", "otto")]
        {
            let edited = text.replace(from, to);
            let number = 1 + text.lines().position(|line| line.contains(from)).unwrap();
            let error = HumansFile::parse("h.jsonl", &edited).unwrap_err().to_string();
            assert!(error.starts_with(&format!("h.jsonl:{number}: the grade of document `")), "{error}");
            assert!(error.contains("was edited: its seal is that of another one"), "{error}");
        }
        let bare: String = text.lines().map(|line| unsealed(line).0.into_owned() + "\n").collect();
        assert_eq!(HumansFile::parse("h.jsonl", &bare).unwrap(), file);
        let error = |text: &str| HumansFile::parse("h.jsonl", text).unwrap_err().to_string();
        assert_eq!(error(""), "h.jsonl:1: there is no sample");
        assert!(
            error(&text.replace("\"seed\"", "\"sed\""))
                .starts_with("h.jsonl:1: no sample: unknown field `sed`")
        );
        assert_eq!(
            error(&text.replace("\"grade\":2", "\"grade\":4")),
            "h.jsonl:4: the grade 4 is not on the scale from 0 to 3"
        );
        let twice = format!("{text}{}\n", text.lines().nth(3).unwrap());
        assert_eq!(error(&twice), "h.jsonl:5: document `a` of query `q2` was judged above already");
    }
}
