//! What people say: queries drawn by a rule that anyone can repeat, and a grade for each of their questions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use crate::content_hash::sha256;
use crate::error::Quoted;
use crate::label::LabelPair;
use crate::metric::{Found, Source};
use crate::output::write_whole;
use crate::question::Question;
use crate::score::{JudgeSource, Scoring};
use crate::settings::Settings;
use crate::task::Task;
use crate::verdicts::Verdicts;
use crate::{Error, Result};

/// The draw: which queries people grade, and what it was drawn from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Draw {
    /// The ids of the drawn queries, sorted.
    pub drawn: Vec<String>,
    /// How many there were.
    pub of: usize,
    /// What the draw is keyed with.
    pub seed: u64,
    /// SHA-256 of the ids that it was drawn from, one a line, sorted.
    pub queries_sha256: String,
}

impl Draw {
    /// Draws queries: those whose ids have the smallest hashes with the seed, so that a larger draw holds the smaller one.
    ///
    /// # Errors
    /// Fewer than two queries, or more than there are.
    pub fn new(ids: &[&str], size: usize, seed: u64) -> Result<Self> {
        if size < 2 || size > ids.len() {
            return Err(Error::invalid(format!(
                "{size} of {} queries cannot be drawn: draw at least 2, and no more than there are",
                ids.len()
            )));
        }
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        let mut keyed: Vec<(String, &str)> =
            sorted.iter().map(|id| (sha256(&format!("{seed}\n{id}")), *id)).collect();
        keyed.sort_unstable();
        let mut drawn: Vec<String> = keyed.into_iter().take(size).map(|(_, id)| id.to_owned()).collect();
        drawn.sort_unstable();
        Ok(Self { drawn, of: ids.len(), seed, queries_sha256: sha256(&sorted.join("\n")) })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GradeLine {
    key: String,
    grade: Option<u8>,
}

/// A file of people's grades.
#[derive(Clone, Debug)]
pub struct People {
    path: PathBuf,
    /// The draw; `None` before the first one.
    pub draw: Option<Draw>,
    /// By the key of the content; `None` where somebody cannot tell.
    grades: BTreeMap<String, Option<u8>>,
}

impl People {
    /// Reads a file; there need not be one.
    ///
    /// # Errors
    /// A file that cannot be read, a line that is no grade, a draw that the seed does not give.
    pub fn read(path: &Path) -> Result<Self> {
        let mut people = Self { path: path.to_owned(), draw: None, grades: BTreeMap::new() };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(people),
            Err(error) => return Err(Error::io("cannot read", path, error)),
        };
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let place =
                |why: &str| Error::invalid(format!("{}:{number}: {why}: {}", path.display(), Quoted(line)));
            if people.draw.is_none() && people.grades.is_empty() {
                people.draw =
                    Some(serde_json::from_str(line).map_err(|_| place("the first line is not a draw"))?);
                continue;
            }
            let GradeLine { key, grade } = serde_json::from_str(line)
                .map_err(|_| place("this is no grade, which is `{\"key\": ..., \"grade\": 2}`"))?;
            people.grades.insert(key, grade);
        }
        Ok(people)
    }

    /// Draws queries of these; grades that are there stay.
    ///
    /// # Errors
    /// As [`Draw::new`]; a file that cannot be written.
    pub fn draw_of(&mut self, ids: &[&str], size: usize, seed: u64) -> Result<()> {
        self.draw = Some(Draw::new(ids, size, seed)?);
        self.write()
    }

    /// Whether the draw is what its seed gives of these queries.
    ///
    /// # Errors
    /// Other queries, or a draw that was edited.
    pub fn check(&self, ids: &[&str]) -> Result<()> {
        let Some(draw) = &self.draw else { return Ok(()) };
        let expected = Draw::new(ids, draw.drawn.len(), draw.seed)?;
        if expected.queries_sha256 != draw.queries_sha256 {
            return Err(Error::invalid(format!(
                "{}: the sample was drawn from {} other queries; draw it again with `rankgate judge sample --queries {}`, people's \
                 grades are kept",
                self.path.display(),
                draw.of,
                draw.drawn.len()
            )));
        }
        match draw.drawn.iter().find(|id| !expected.drawn.contains(id)) {
            None => Ok(()),
            Some(id) => Err(Error::invalid(format!(
                "{}: {} was not drawn by seed {}: a sample that somebody picks says nothing of the other queries",
                self.path.display(),
                Quoted(id),
                draw.seed
            ))),
        }
    }

    pub(crate) fn is_drawn(&self, query: &str) -> bool {
        self.draw.as_ref().is_some_and(|draw| draw.drawn.iter().any(|id| id == query))
    }

    fn drawn(&self) -> BTreeSet<String> {
        self.draw.iter().flat_map(|draw| draw.drawn.iter().cloned()).collect()
    }

    pub(crate) fn grade(&self, question: &Question) -> Option<u8> {
        self.grades.get(&question.key()).copied().flatten()
    }

    /// What people said, with the claims that the judge found.
    pub(crate) fn source<'a>(&'a self, judge: &'a JudgeSource<'a>) -> impl Source + 'a {
        PeopleSource { people: self, judge }
    }

    /// What is left to grade of the drawn queries.
    ///
    /// # Errors
    /// As of [`Scoring::run`].
    pub fn to_grade(&self, scoring: &Scoring<'_>, verdicts: &Verdicts) -> Result<Vec<LabelPair>> {
        let all = scoring.questions_of(verdicts, &self.drawn())?.into_iter();
        let open = all.filter(|(_, _, question)| !self.grades.contains_key(&question.key()));
        Ok(open.map(|(query, text, question)| pair(scoring.settings, query, text, &question)).collect())
    }

    /// Takes grades in: lines of JSON with `document`, which is the key of the content, and `grade`, which is null where
    /// somebody cannot tell. Lines without a grade are left. Returns how many are new.
    ///
    /// # Errors
    /// A line that is no grade of a drawn question, another grade than one that is there.
    pub fn merge(
        &mut self,
        name: &str,
        text: &str,
        scoring: &Scoring<'_>,
        verdicts: &Verdicts,
    ) -> Result<usize> {
        #[derive(Deserialize)]
        struct Graded {
            document: String,
            #[serde(default, deserialize_with = "given")]
            grade: Option<Option<u8>>,
        }
        let known: BTreeMap<String, u8> = scoring
            .questions_of(verdicts, &self.drawn())?
            .into_iter()
            .map(|(_, _, question)| (question.key(), scoring.settings.highest(&question)))
            .collect();
        let mut new = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let place = |why: String| Error::invalid(format!("{name}:{number}: {why}: {}", Quoted(line)));
            let Graded { document, grade } = serde_json::from_str(line).map_err(|error| {
                place(format!("this is no grade, which is `{{\"document\": ..., \"grade\": 2}}` ({error})"))
            })?;
            let highest = *known
                .get(&document)
                .ok_or_else(|| place("no drawn query has such a question".to_owned()))?;
            // A line that nobody graded yet.
            let Some(grade) = grade else { continue };
            if grade.is_some_and(|grade| grade > highest) {
                return Err(place(format!("a grade from 0 to {highest} was expected")));
            }
            match self.grades.get(&document).or_else(|| new.get(&document)) {
                Some(before) if *before != grade => {
                    return Err(place(
                        "there is another grade of it already, and people's grades are never overwritten"
                            .to_owned(),
                    ));
                }
                Some(_) => {}
                None => drop(new.insert(document, grade)),
            }
        }
        let count = new.len();
        self.grades.extend(new);
        self.write()?;
        Ok(count)
    }

    fn write(&self) -> Result<()> {
        let json = |value: serde_json::Result<String>| value.unwrap_or_default() + "\n";
        let mut text: String = self.draw.iter().map(|draw| json(serde_json::to_string(draw))).collect();
        for (key, grade) in &self.grades {
            text += &json(serde_json::to_string(&GradeLine { key: key.clone(), grade: *grade }));
        }
        write_whole(&self.path, text.as_bytes()).map(drop)
    }
}

/// A grade that is there, which may be `null`.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Option<u8>>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

struct PeopleSource<'a> {
    people: &'a People,
    judge: &'a JudgeSource<'a>,
}

impl Source for PeopleSource<'_> {
    fn find(&self, question: &Question) -> Found {
        if question.task() == Task::Claims {
            return self.judge.find(question);
        }
        self.people.grade(question).map_or(Found::Missing, Found::Grade)
    }
}

/// A question as people see it.
fn pair(settings: &Settings, query: String, query_text: String, question: &Question) -> LabelPair {
    let contexts =
        question.contexts().iter().zip(1..).map(|(text, at)| format!("[{at}]\n{text}")).collect::<Vec<_>>();
    let contexts = contexts.join("\n\n");
    let criterion = question.criterion().and_then(|name| settings.criteria.get(name));
    let document_text = match question {
        Question::Support { claim, .. } => format!("Claim:\n{claim}\n\nContexts:\n{contexts}"),
        Question::Nugget { nugget, text } => format!("Nugget:\n{nugget}\n\nAnswer:\n{text}"),
        Question::Citation { sentence, document } => {
            format!("Sentence:\n{sentence}\n\nCited document:\n{document}")
        }
        Question::Relevance { document, .. } => document.clone(),
        Question::AnswerRelevance { answer, .. } => {
            format!("How well does this answer the query?\n\nAnswer:\n{answer}")
        }
        Question::Criterion { answer, reference, .. } => {
            let asked = criterion.map(|one| one.question.as_str()).unwrap_or_default();
            let reference =
                reference.as_ref().map(|text| format!("\n\nReference:\n{text}")).unwrap_or_default();
            let contexts =
                if contexts.is_empty() { String::new() } else { format!("\n\nContexts:\n{contexts}") };
            format!("{asked}\n\nAnswer:\n{answer}{reference}{contexts}")
        }
        Question::Claims { text, .. } => text.clone(),
    };
    let of_task = || question.task().grades().iter().map(|&name| name.to_owned()).collect();
    LabelPair {
        query,
        query_text,
        query_sha256: None,
        document: question.key(),
        document_text,
        document_sha256: None,
        scale: criterion.map_or_else(of_task, |one| one.scale.clone()),
        rubric: Some(settings.rubric(question)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("q{at:03}")).collect()
    }

    fn draw(count: usize, size: usize, seed: u64) -> Draw {
        let ids = ids(count);
        Draw::new(&ids.iter().map(String::as_str).collect::<Vec<_>>(), size, seed).unwrap()
    }

    #[test]
    fn a_larger_draw_holds_the_smaller_one_and_a_grown_collection_keeps_most() {
        let one = draw(200, 40, 7);
        assert!(one.drawn.iter().all(|id| draw(200, 60, 7).drawn.contains(id)));
        assert_ne!(draw(200, 40, 8).drawn, one.drawn);
        let kept = one.drawn.iter().filter(|id| draw(220, 40, 7).drawn.contains(id)).count();
        assert!((30..40).contains(&kept), "{kept}");
    }

    #[test]
    fn every_query_is_drawn_as_often() {
        let mut times = [0_u32; 20];
        for seed in 0..2_000 {
            for id in draw(20, 5, seed).drawn {
                times[id[1..].parse::<usize>().unwrap()] += 1;
            }
        }
        // 500 each, with a standard deviation of 19.
        assert!(times.iter().all(|times| (400..600).contains(times)), "{times:?}");
    }

    #[test]
    fn a_hand_picked_sample_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let all = ids(50);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let mut people = People::read(&folder.path().join("p.jsonl")).unwrap();
        people.draw_of(&all, 10, 1).unwrap();
        let mut people = People::read(&folder.path().join("p.jsonl")).unwrap();
        people.check(&all).unwrap();
        assert!(people.check(&all[1..]).unwrap_err().to_string().contains("drawn from 50 other queries"));
        let draw = people.draw.as_mut().unwrap();
        let other = all.iter().find(|id| !draw.drawn.iter().any(|one| one == *id)).unwrap();
        draw.drawn[3] = (*other).to_owned();
        assert!(people.check(&all).unwrap_err().to_string().contains("was not drawn by seed 1"));
    }
}
