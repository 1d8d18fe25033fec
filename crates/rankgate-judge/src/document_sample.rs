//! People's grades of documents: of drawn queries, in a file of judgments.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use rankgate::{Collection, Qrels};

use crate::error::Quoted;
use crate::people::Draw;
use crate::settings::HIGHEST;
use crate::{Error, Result};

/// The drawn queries, with each document that is judged for them: people's grade, or none yet.
#[derive(Clone, Debug)]
pub struct DocumentSample {
    /// The draw.
    pub draw: Draw,
    grades: BTreeMap<(String, String), Option<i32>>,
}

/// What a line has beside its judgment.
#[derive(Deserialize)]
struct Drawn {
    drawn: Size,
}

#[derive(Deserialize)]
struct Size {
    queries: usize,
    seed: u64,
}

impl DocumentSample {
    /// Draws queries of a collection by a seed, or those of the file if no number is given. Grades of the file stay.
    ///
    /// # Errors
    /// As [`Draw::new`]; no file and no number; a file of other queries, or of more than are drawn.
    pub fn new(path: &Path, collection: &Collection, size: Option<(usize, u64)>) -> Result<Self> {
        let ids: Vec<&str> = collection.queries().iter().map(|query| query.id.as_str()).collect();
        let known = if path.exists() { Qrels::read(path)? } else { Qrels::new() };
        let (queries, seed) = size.map_or_else(|| drawn(path), Ok)?;
        let draw = Draw::new(&ids, queries, seed)?;
        if let Some(lost) = known.queries().find(|query| !draw.drawn.iter().any(|id| id == query)) {
            return Err(Error::in_file(
                path,
                format!(
                    "query {} has people's grades and is not drawn by seed {seed} as one of {queries} of {} queries: draw more by the \
                     seed of the file, or name another one",
                    Quoted(lost),
                    ids.len()
                ),
            ));
        }
        let mut grades = BTreeMap::new();
        for query in &draw.drawn {
            let people = |document: &str, grade: i32| {
                let of_model =
                    collection.origins().is_some_and(|origins| origins.is_of_model(query, document));
                known.grade(query, document).or((!of_model).then_some(grade))
            };
            let judged = collection.judgments(query).into_iter().flat_map(|judged| judged.unordered());
            grades.extend(judged.map(|(id, grade)| ((query.clone(), id.to_owned()), people(id, grade))));
        }
        Ok(Self { draw, grades })
    }

    /// Takes grades in, and returns how many are new.
    ///
    /// # Errors
    /// A document that is not of the sample, a grade off the scale, another grade than one that is there.
    pub fn merge(&mut self, new: &Qrels) -> Result<usize> {
        let mut count = 0;
        for (query, judged) in new.iter() {
            for (document, grade) in judged.iter() {
                let at = new.origin(query, document).map(|at| format!("{at}: ")).unwrap_or_default();
                let what = format!("document {} of query {}", Quoted(document), Quoted(query));
                let wrong = |why: String| Err(Error::invalid(format!("{at}{what} {why}")));
                let Some(known) = self.grades.get_mut(&(query.to_owned(), document.to_owned())) else {
                    return wrong("is not in the sample".to_owned());
                };
                if !(0..=i32::from(HIGHEST)).contains(&grade) {
                    return wrong(format!("has grade {grade}, and grades are 0 to {HIGHEST}"));
                }
                if let Some(before) = known.filter(|before| *before != grade) {
                    return wrong(format!("has grade {grade} here and {before} already"));
                }
                count += usize::from(known.replace(grade).is_none());
            }
        }
        Ok(count)
    }

    /// The queries and documents without a grade.
    pub fn to_grade(&self) -> impl Iterator<Item = (&str, &str)> {
        let open = self.grades.iter().filter(|(_, grade)| grade.is_none());
        open.map(|((query, document), _)| (query.as_str(), document.as_str()))
    }

    /// The sample as a file of judgments, in which a grade of `null` is still to be given.
    pub fn lines(&self) -> String {
        let drawn = json!({"queries": self.draw.drawn.len(), "of": self.draw.of, "seed": self.draw.seed});
        let line = |((query, document), grade): (&(String, String), &Option<i32>)| {
            let (query, document, grade) = (json!(query), json!(document), json!(grade));
            format!(
                "{{\"query\": {query}, \"document\": {document}, \"grade\": {grade}, \"origin\": \"people\", \"drawn\": {drawn}}}\n"
            )
        };
        self.grades.iter().map(line).collect()
    }
}

/// How many queries the file has, and by which seed.
fn drawn(path: &Path) -> Result<(usize, u64)> {
    let none = || Error::in_file(path, "nothing is drawn yet: --queries 40 draws that many queries");
    let text = std::fs::read_to_string(path).map_err(|_| none())?;
    let first = text.lines().next().and_then(|line| serde_json::from_str::<Drawn>(line).ok());
    first.map(|Drawn { drawn }| (drawn.queries, drawn.seed)).ok_or_else(none)
}
