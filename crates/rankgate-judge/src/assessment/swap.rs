//! Another judge of the file of judgments in the place of the spec's.

use crate::agreement::{Agreeing, Bias, mean_rises};
use crate::error::Quoted;
use crate::probe::Probe;
use crate::stats::Confidence;
use crate::swap::{Anchors, JudgeSwap, SwappedGate};
use crate::{Error, ErrorKind, Result};
use rankgate::internal::Inspection;
use rankgate::judge::{Description, JudgmentsFile, Task};

use super::grades::{Grades, common};
use super::{Assessment, Questions};

impl Assessment<'_> {
    /// Which of these questions a judge of the file answers, by what its items are called or by the first digits of its fingerprint, and
    /// its description.
    ///
    /// # Errors
    ///
    /// A name that no judge of the file has, or several; the spec's own judge; a judge of another question.
    pub fn judge_on_file(&self, name: &str, all: &[Questions]) -> Result<(usize, Description)> {
        let path = self.path()?;
        let file = JudgmentsFile::read(&path, false)?;
        let is_meant = |(id, judge): &(&String, &Description)| {
            *id == name || name.len() >= 8 && judge.fingerprint().starts_with(name)
        };
        let mut meant = file.all_judges().filter(is_meant);
        let refuse = |message: String| Error::of_file(ErrorKind::BadInput, &path, message);
        let (id, judge) = match (meant.next(), meant.next()) {
            (Some(one), None) => one,
            (Some(_), Some(_)) => {
                return Err(refuse(format!("several judges have the fingerprint {}", Quoted(name))));
            }
            (None, _) => {
                let known: Vec<&str> = file.judges().keys().map(String::as_str).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(refuse(format!("there is no judge {}; the judges are {known}", Quoted(name))));
            }
        };
        if all.iter().any(|questions| questions.judge.id() == *id) {
            return Err(refuse(format!("{} is the spec's own judge", Quoted(id))));
        }
        let task = answered(&file, id, judge);
        let same = |questions: &Questions| {
            let criterion =
                (&questions.criterion, &questions.judge.scale) == (&judge.criterion, &judge.scale);
            criterion && (judge.criterion.is_some() || questions.task == task)
        };
        let at = all.iter().position(same).ok_or_else(|| {
            refuse(format!("{} answers no question of this spec on the same scale", Quoted(id)))
        })?;
        Ok((at, judge.clone()))
    }

    /// Another judge beside the spec's: how far both agree, and what comes of the gates with the other in its place. Nobody is
    /// asked, and no retriever runs again.
    ///
    /// # Errors
    ///
    /// A judge that no spec describes; files that cannot be read.
    pub fn swap_judge(&self, questions: &Questions, other: &Description) -> Result<JudgeSwap> {
        let plan = self.judge()?.replaced_by(other, questions.task)?;
        let benchmark = self.inspection.with_judge(Some(plan));
        let there = Assessment::new(&benchmark);
        let pairs = there.all_questions()?;
        let theirs = pairs.iter().find(|one| one.judge == *other);
        let grades = [self.grades(Some(questions))?, there.grades(theirs)?];
        let most = questions.judge.scale[1];
        let confidence = Confidence::default();
        let agreement = |both: &[(&str, u8, u8)]| match both {
            [] => Ok(None),
            both => Agreeing::from_pairs(both.iter().copied(), most, confidence).map(Some),
        };
        let both = common(&grades[0], &grades[1]);
        let rises: Vec<f64> = mean_rises(both.iter().copied()).into_values().collect();
        let bias = match rises.as_slice() {
            [] => None,
            rises => Some(Bias::from_means(None, rises, most, confidence)?),
        };
        let people = self.grades_by_people(questions)?;
        let shared: Grades = people
            .iter()
            .filter(|(key, _)| grades.iter().all(|all| all.contains_key(*key)))
            .map(|(key, grade)| (key.clone(), *grade))
            .collect();
        let with_people = grades.each_ref().map(|all| agreement(&common(&shared, all)));
        let [here_agrees, there_agrees] = with_people;
        let anchors = Anchors {
            pairs: people.len(),
            without: grades.each_ref().map(|all| people.keys().filter(|key| !all.contains_key(*key)).count()),
            agreement: here_agrees?.zip(there_agrees?).map(|(here, there)| [here, there]),
        };
        let decided = [self.inspection, Inspection::new(&benchmark)].map(|one| one.judged_gates());
        let gates =
            decided[0].iter().zip(&decided[1]).map(|(here, there)| SwappedGate::new(here, there)).collect();
        Ok(JudgeSwap {
            judge: other.id(),
            model: other.model.clone(),
            agreement: agreement(&both)?,
            bias,
            anchors,
            gates,
        })
    }
}

/// The question that a judge answers, by its items; none where it grades documents.
fn answered(file: &JudgmentsFile, id: &str, judge: &Description) -> Option<Task> {
    if judge.criterion.is_some() {
        return Some(Task::Criterion);
    }
    let mut own = file.items().filter(|item| item.judge == id && Probe::kinds(&item.document).is_empty());
    own.find_map(|item| Task::from_item(&item.document))
}
