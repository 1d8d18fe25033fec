//! People's grades, taken into the file of the sample.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rankgate::internal::judge::highest_grade;
use rankgate::judge::{HumanGrade, Pair, shown_to_people};

use super::Assessment;
use super::people::{MOST, hashes, read};
use crate::agreement::Agreeing;
use crate::collection::Document;
use crate::error::Quoted;
use crate::output::write_whole;
use crate::stats::Confidence;
use crate::{Error, ErrorKind, Result};

/// What came of people's grades.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merging {
    /// The file that they were added to.
    pub path: PathBuf,
    /// How many were added, those included of which a person cannot tell.
    pub added: usize,
    /// How many were there already.
    pub known: usize,
    /// How many were given to another text than there is now, and were left out.
    pub changed: usize,
    /// How far several people agree, in pairs of them.
    pub agreement: Option<Agreeing>,
    /// Documents on which they do not, and which were left out.
    pub disagreements: Vec<Disagreement>,
}

/// A document that people grade differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Disagreement {
    /// The query's id.
    pub query: String,
    /// The document's.
    pub document: String,
    /// The grade by file; none where the person cannot tell.
    pub grades: Vec<(String, Option<u8>)>,
}

impl Assessment<'_> {
    /// Takes in people's grades, a file each, given as its name and its text. Grades that they agree on, or most of them
    /// where they are more than two, is added to the file of the sample.
    ///
    /// # Errors
    ///
    /// A line that is no grade, a query that was not drawn, another grade for a document that has one.
    pub fn merge_grades(&self, files: &[(String, String)]) -> Result<Merging> {
        let path = self.humans_path()?;
        let none = || {
            Error::of_file(
                ErrorKind::Missing,
                &path,
                "no queries are drawn yet: `rankgate sample SPEC --queries 40`",
            )
        };
        let mut file = read(&path)?.ok_or_else(none)?;
        let units = self.units()?;
        let ids: Vec<&str> = units.keys().map(String::as_str).collect();
        file.sample.check(&ids)?;
        let drawn: BTreeSet<&str> =
            file.sample.drawn.iter().filter_map(|unit| units.get(unit)).flatten().copied().collect();
        let mut said: BTreeMap<(String, String), Vec<(usize, HumanGrade)>> = BTreeMap::new();
        for (person, (name, text)) in files.iter().enumerate() {
            for grade in grades(name, text, &drawn)? {
                said.entry((grade.query.clone(), grade.document.clone())).or_default().push((person, grade));
            }
        }
        let collection = self.collection()?;
        let claims: BTreeMap<(String, String), Pair> = self
            .claims_for_people(&drawn)?
            .into_iter()
            .map(|pair| ((pair.query.id.clone(), pair.document.id.clone()), pair))
            .collect();
        let documents = || said.keys().filter(|key| !claims.contains_key(*key));
        let found = match documents().next() {
            None => Default::default(),
            Some(_) => self.benchmark.documents(documents().map(|(_, document)| document.as_str()))?,
        };
        let mut merging = Merging {
            path: path.clone(),
            added: 0,
            known: 0,
            changed: 0,
            agreement: None,
            disagreements: Vec::new(),
        };
        let mut both = Vec::new();
        let batch = file.last_batch() + 1;
        for ((query, document), mut votes) in said {
            let of_document = collection.query(&query).zip(found.get(&document)).map(|(query, document)| {
                hashes(&Pair {
                    query: query.clone(),
                    document: Document::new(&document.id, shown_to_people(document)),
                })
            });
            let claim = claims.get(&(query.clone(), document.clone()));
            let now = claim.map(hashes).or(of_document);
            let before = votes.len();
            votes.retain(|(_, vote)| {
                now.as_ref().is_some_and(|[query, document]| {
                    vote.query_sha256 == *query && vote.document_sha256 == *document
                })
            });
            merging.changed += before - votes.len();
            for (at, (_, first)) in votes.iter().enumerate() {
                let others = votes[at + 1..]
                    .iter()
                    .filter_map(|(_, second)| Some((query.clone(), first.grade?, second.grade?)));
                both.extend(others);
            }
            let agreed = |vote: &HumanGrade| {
                2 * votes.iter().filter(|(_, other)| other.grade == vote.grade).count() > votes.len()
            };
            let Some((_, vote)) = votes.iter().find(|(_, vote)| agreed(vote)) else {
                if !votes.is_empty() {
                    let grades =
                        votes.iter().map(|(person, vote)| (files[*person].0.clone(), vote.grade)).collect();
                    merging.disagreements.push(Disagreement { query, document, grades });
                }
                continue;
            };
            match file.grade(&query, &document) {
                Some(known)
                    if known.document_sha256 == vote.document_sha256
                        && known.query_sha256 == vote.query_sha256 =>
                {
                    if known.grade != vote.grade {
                        let shown = |grade: Option<u8>| {
                            grade.map_or_else(|| "cannot tell".to_owned(), |grade| grade.to_string())
                        };
                        let (document, query) = (Quoted(&document), Quoted(&query));
                        let message = format!(
                            "document {document} has grade {} for query {query}, and now {}: edit the file where the first is wrong",
                            shown(known.grade),
                            shown(vote.grade)
                        );
                        return Err(Error::in_file(&path, message));
                    }
                    merging.known += 1;
                }
                // Another text was judged before: that says nothing of this one.
                Some(_) | None => {
                    // Several said it: it is nobody's alone.
                    let who = vote.who.clone().filter(|_| votes.len() == 1);
                    file.insert(HumanGrade { batch, who, ..vote.clone() });
                    merging.added += 1;
                }
            }
        }
        if !both.is_empty() {
            let most = both.iter().flat_map(|(_, first, second)| [*first, *second]).max().unwrap_or(MOST);
            merging.agreement = Some(Agreeing::from_pairs(
                both.iter().map(|(query, first, second)| (query, *first, *second)),
                most.max(MOST),
                Confidence::default(),
            )?);
        }
        write_whole(&path, file.text().as_bytes())?;
        Ok(merging)
    }
}

/// One person's grade; a repeated grade counts once.
fn grades(name: &str, text: &str, drawn: &BTreeSet<&str>) -> Result<Vec<HumanGrade>> {
    let mut said: BTreeMap<(String, String), HumanGrade> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let place = |message: String| Error::invalid(format!("{name}:{number}: {message}"));
        let no_grade = |error: serde_json::Error| place(format!("no grade: {error}"));
        let mut line: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(no_grade)?;
        // Texts stand in what is listed, and a line without a grade is one that nobody has judged yet.
        line.retain(|key, _| !matches!(key.as_str(), "query_text" | "document_text" | "scale" | "seal"));
        if !line.contains_key("grade") {
            continue;
        }
        let grade: HumanGrade = serde_json::from_value(line.into()).map_err(no_grade)?;
        let most = highest_grade(&grade.document);
        if let Some(high) = grade.grade.filter(|grade| *grade > most) {
            return Err(place(format!("the grade {high} is not on the scale from 0 to {most}")));
        }
        if !drawn.contains(grade.query.as_str()) {
            return Err(place(format!("query {} was not drawn", Quoted(&grade.query))));
        }
        let key = (grade.query.clone(), grade.document.clone());
        if let Some(before) = said.insert(key, grade.clone()).filter(|before| before.grade != grade.grade) {
            let (query, document) = (Quoted(&before.query), Quoted(&before.document));
            return Err(place(format!("document {document} of query {query} has two grades")));
        }
    }
    Ok(said.into_values().collect())
}
