//! The file of verdicts: JSON lines, each under the content that was judged, appended as soon as it is there.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Quoted;
use crate::question::Question;
use crate::reply::{Said, State};
use crate::settings::Settings;
use crate::{Error, Result};

/// Characters that are kept of what a model wrote and of what it was asked about.
const KEPT: usize = 2_000;

/// What a judge said of one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Verdict {
    /// The judge: a task, and a hash of model, prompt and parameters.
    pub judge: String,
    /// The key of the content.
    pub key: String,
    /// What became of the question.
    pub state: State,
    /// The grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<u8>,
    /// The claims of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<String>>,
    /// The beginning of the text that it is about, for people who read the file.
    #[serde(default)]
    pub about: String,
    /// What the judge wrote beside it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub analysis: String,
}

impl Verdict {
    pub(crate) fn new(judge: &str, question: &Question, said: Result<&Said, State>, analysis: &str) -> Self {
        let beginning = |text: &str| text.chars().take(KEPT).collect::<String>();
        let (state, grade, claims) = match said {
            Ok(Said::Grade(grade)) => (State::Graded, Some(*grade), None),
            Ok(Said::Claims(claims)) => (State::Graded, None, Some(claims.clone())),
            Ok(Said::CannotTell) => (State::Abstained, None, None),
            Err(state) => (state, None, None),
        };
        Self {
            judge: judge.to_owned(),
            key: question.key(),
            state,
            grade,
            claims,
            about: beginning(question.about()),
            analysis: beginning(analysis),
        }
    }

    /// Whether the judge answered the question, be it that it cannot tell.
    pub(crate) fn is_answered(&self) -> bool {
        matches!(self.state, State::Graded | State::Abstained)
    }
}

/// All verdicts of a file.
#[derive(Debug)]
pub struct Verdicts {
    path: PathBuf,
    by_key: HashMap<(String, String), Verdict>,
    /// Whether the last line was cut off, as by a killed process.
    is_cut: bool,
}

impl Verdicts {
    /// Reads a file; there need not be one. A last line that was cut off is asked for again.
    ///
    /// # Errors
    /// A file that cannot be read, a line that is no verdict.
    pub fn read(path: &Path) -> Result<Self> {
        let mut verdicts = Self { path: path.to_owned(), by_key: HashMap::new(), is_cut: false };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(verdicts),
            Err(error) => return Err(Error::io("cannot read", path, error)),
        };
        verdicts.is_cut = !text.is_empty() && !text.ends_with('\n');
        let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
        for (number, line) in (1..).zip(whole.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let verdict: Verdict = serde_json::from_str(line).map_err(|error| {
                let message = format!(
                    "{}:{number}: this is no verdict of a judge ({error}): {}",
                    path.display(),
                    Quoted(line)
                );
                Error::invalid(message)
            })?;
            verdicts.insert(verdict);
        }
        Ok(verdicts)
    }

    /// Takes one in: an answer stays where a failure follows it, and takes the place of a failure before it.
    fn insert(&mut self, verdict: Verdict) {
        let key = (verdict.judge.clone(), verdict.key.clone());
        match self.by_key.get(&key) {
            Some(known) if known.is_answered() && !verdict.is_answered() => {}
            _ => drop(self.by_key.insert(key, verdict)),
        }
    }

    /// What the judge said of a question.
    pub fn get(&self, settings: &Settings, question: &Question) -> Option<&Verdict> {
        self.by_key.get(&(settings.judge(question), question.key()))
    }

    /// Appends verdicts to the file, at once.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(&mut self, all: Vec<Verdict>) -> Result<()> {
        let failed = |error| Error::output("cannot write", &self.path, error);
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let line = |one: &Verdict| serde_json::to_string(one).map(|line| line + "\n");
        let text: String =
            all.iter().map(line).collect::<Result<_, _>>().map_err(|error| failed(error.into()))?;
        if std::mem::take(&mut self.is_cut) {
            let kept = std::fs::read(&self.path).map_err(failed)?;
            let whole = kept.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let file = OpenOptions::new().write(true).open(&self.path).map_err(failed)?;
            file.set_len(whole as u64).map_err(failed)?;
        }
        let mut file: File = OpenOptions::new().create(true).append(true).open(&self.path).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        all.into_iter().for_each(|one| self.insert(one));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> Question {
        Question::AnswerRelevance { query: "q".into(), answer: "a".into() }
    }

    #[test]
    fn a_grade_beats_a_failure_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judged/v.jsonl");
        let (settings, question) = (Settings::of_model("tiny"), question());
        let judge = settings.judge(&question);
        let of = |said: Result<&Said, State>| Verdict::new(&judge, &question, said, "so");
        let mut file = Verdicts::read(&path).unwrap();
        for said in [Err(State::Truncated), Ok(&Said::Grade(2)), Err(State::Unparseable)] {
            file.keep(vec![of(said)]).unwrap();
        }
        for file in [file, Verdicts::read(&path).unwrap()] {
            assert_eq!(file.get(&settings, &question).unwrap().grade, Some(2));
            assert_eq!(file.get(&Settings::of_model("other"), &question), None);
        }
        // A line that was cut off is no verdict, and the next one does not stand behind it.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"judge\":\"x").unwrap();
        let mut file = Verdicts::read(&path).unwrap();
        file.keep(vec![of(Ok(&Said::Grade(3)))]).unwrap();
        assert_eq!(Verdicts::read(&path).unwrap().get(&settings, &question).unwrap().grade, Some(3));
        std::fs::write(&path, "{\"judge\": 3}\n").unwrap();
        let error = Verdicts::read(&path).unwrap_err().to_string();
        assert!(error.contains("v.jsonl:1: this is no verdict of a judge"), "{error}");
    }
}
