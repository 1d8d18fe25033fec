//! `judge.yaml`: who is asked, with which prompts, and what it may cost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::content_hash::sha256;
use crate::question::Question;
use crate::task::{Task, criterion_prompt};
use crate::yaml::{Params, Problems, Source, parse};
use crate::{Error, ErrorKind, Result};

/// The highest grade where no criterion has a scale of its own.
pub(crate) const HIGHEST: u8 = 3;
/// Bytes that are read of a prompt.
const MOST_PROMPT: u64 = 1 << 20;

/// The settings of a judge.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[non_exhaustive]
pub struct Settings {
    /// A server that speaks as OpenAI's does: the address before `/chat/completions`.
    pub endpoint: Option<String>,
    /// The key that the server takes.
    pub api_key: Option<String>,
    /// A program that answers JSON lines, instead of a server.
    pub command: Vec<String>,
    /// The name of the model.
    pub model: String,
    /// Parameters of each request; `{temperature: 0, max_tokens: 600}` by default.
    pub parameters: Option<BTreeMap<String, Value>>,
    /// Files with prompts of your own, by task.
    pub prompts: BTreeMap<String, String>,
    /// Questions of your own about an answer, by name.
    pub criteria: BTreeMap<String, Criterion>,
    /// What one run may cost.
    pub budget: Budget,
    /// Seconds that one request may take; 60 by default.
    pub timeout: Option<f64>,
    /// How many requests are made at once; 4 by default.
    pub concurrency: Option<usize>,
    /// The spec with the queries and documents, relative to this file.
    pub spec: Option<String>,
    /// The file of verdicts; `judged.jsonl` beside this file by default.
    pub verdicts: Option<String>,
    /// The file of people's grades; `people.jsonl` beside this file by default.
    pub people: Option<String>,
    #[serde(skip)]
    folder: PathBuf,
    /// The prompts of files, by task.
    #[serde(skip)]
    own: BTreeMap<Task, String>,
}

/// A question of your own about an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Criterion {
    /// The question.
    pub question: String,
    /// What the grades are called, the worst first; at least two.
    pub scale: Vec<String>,
    /// What else is shown: `contexts`, `reference`.
    #[serde(default)]
    pub shows: Vec<String>,
}

impl Criterion {
    pub(crate) fn shows(&self, what: &str) -> bool {
        self.shows.iter().any(|one| one == what)
    }

    pub(crate) fn highest(&self) -> u8 {
        u8::try_from(self.scale.len() - 1).unwrap_or(u8::MAX)
    }
}

/// What one run may cost; nothing limits what is left out.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Budget {
    /// Requests, repetitions included.
    pub requests: Option<u64>,
    /// In the currency of the prices.
    pub cost: Option<f64>,
    /// For a million tokens.
    pub prices: Option<Prices>,
}

/// Prices of a million tokens.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Prices {
    /// Of tokens that the model reads.
    #[serde(rename = "in")]
    pub read: f64,
    /// Of tokens that it writes.
    #[serde(rename = "out")]
    pub written: f64,
}

impl Settings {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, a key that is unknown, neither a server nor a program, a criterion without a scale.
    pub fn read(path: &Path) -> Result<Self> {
        let source = Source::read(path)?;
        let parsed = parse(&source);
        let root = match parsed.root {
            Some(root) if parsed.problems.is_empty() => root,
            _ => return Err(Problems::new(source, parsed.problems).into()),
        };
        let mut settings: Self = Params::new(source, root.span, Some(root)).deserialize()?;
        settings.folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let name = path.display();
        settings.check().map_err(|why| Error::invalid(format!("{name}: {why}")))?;
        for (task, file) in &settings.prompts {
            let path = settings.folder.join(file);
            let known: Result<Task, _> = task.parse();
            let task =
                known.map_err(|_| Error::invalid(format!("{name}: `prompts` has no task `{task}`")))?;
            let text =
                std::fs::read_to_string(&path).map_err(|error| Error::io("cannot read", &path, error))?;
            if text.len() as u64 > MOST_PROMPT {
                return Err(Error::in_file(&path, "a prompt of more than a million characters"));
            }
            if let Some(missing) = task.places().iter().find(|place| !text.contains(**place)) {
                return Err(Error::in_file(
                    &path,
                    format!("the prompt of `{task}` needs the place `{missing}`"),
                ));
            }
            settings.own.insert(task, text);
        }
        Ok(settings)
    }

    fn check(&self) -> std::result::Result<(), String> {
        if self.endpoint.is_some() != self.command.is_empty() {
            return Err("give either `endpoint` or `command`".to_owned());
        }
        if self.model.is_empty() {
            return Err("`model` is missing: the name of the model".to_owned());
        }
        if self.budget.cost.is_some() && self.budget.prices.is_none() {
            return Err(
                "`cost` of the budget needs `prices: {in: ..., out: ...}` of a million tokens".to_owned()
            );
        }
        if self.timeout.is_some_and(|seconds| !(seconds > 0.0 && seconds <= 3600.0)) {
            return Err("`timeout` is a number of seconds above 0 and at most 3600".to_owned());
        }
        for (name, criterion) in &self.criteria {
            if !(2..=10).contains(&criterion.scale.len()) {
                return Err(format!(
                    "the criterion `{name}` needs a `scale` of 2 to 10 words, the worst first"
                ));
            }
            if let Some(other) =
                criterion.shows.iter().find(|one| !["contexts", "reference"].contains(&one.as_str()))
            {
                return Err(format!(
                    "the criterion `{name}` shows `{other}`; known are `contexts` and `reference`"
                ));
            }
        }
        Ok(())
    }

    /// The settings of a model, all else being the default.
    #[cfg(test)]
    pub(crate) fn of_model(model: &str) -> Self {
        Self { model: model.to_owned(), ..Self::default() }
    }

    /// A path of this file, which is relative to it.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// The folder of this file.
    pub(crate) fn folder(&self) -> PathBuf {
        if self.folder.as_os_str().is_empty() { PathBuf::from(".") } else { self.folder.clone() }
    }

    /// The file of verdicts.
    pub fn verdicts(&self) -> PathBuf {
        self.path(self.verdicts.as_deref().unwrap_or("judged.jsonl"))
    }

    /// The file of people's grades.
    pub fn people(&self) -> PathBuf {
        self.path(self.people.as_deref().unwrap_or("people.jsonl"))
    }

    /// Parameters of a request, by their names in its body.
    pub(crate) fn parameters(&self) -> BTreeMap<String, Value> {
        let default =
            || BTreeMap::from([("temperature".to_owned(), json!(0)), ("max_tokens".to_owned(), json!(600))]);
        self.parameters.clone().unwrap_or_else(default)
    }

    /// The most tokens of a reply.
    pub(crate) fn longest(&self) -> u64 {
        let parameters = self.parameters();
        let named =
            ["max_tokens", "max_completion_tokens"].iter().find_map(|name| parameters.get(*name)?.as_u64());
        named.unwrap_or(1_000)
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.unwrap_or(60.0))
    }

    pub(crate) fn concurrency(&self) -> usize {
        self.concurrency.unwrap_or(4).clamp(1, 64)
    }

    /// The criterion of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn criterion(&self, name: &str) -> Result<&Criterion> {
        self.criteria.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.criteria.keys().map(String::as_str).collect();
            let message =
                format!("no criterion is called `{name}`; `criteria` of the judge has: {}", known.join(", "));
            Error::with_kind(ErrorKind::BadInput, message)
        })
    }

    /// The highest grade of a question.
    pub(crate) fn highest(&self, question: &Question) -> u8 {
        match question.criterion().and_then(|name| self.criteria.get(name)) {
            Some(criterion) => criterion.highest(),
            None if question.task().words().is_empty() => HIGHEST,
            None => 2,
        }
    }

    /// The prompt of a question.
    pub(crate) fn prompt(&self, question: &Question) -> String {
        let task = question.task();
        if let Some(own) = self.own.get(&task) {
            return own.clone();
        }
        match question.criterion().and_then(|name| self.criteria.get(name)) {
            Some(one) => {
                criterion_prompt(&one.question, &one.scale, one.shows("contexts"), one.shows("reference"))
            }
            None => task.prompt().to_owned(),
        }
    }

    /// How people are to grade a question: by what its prompt says before the texts.
    pub(crate) fn rubric(&self, question: &Question) -> String {
        let prompt = self.prompt(question);
        let places = question.task().places().iter().filter_map(|place| prompt.find(place));
        let before = places.min().map_or(&*prompt, |at| &prompt[..at]);
        // The last paragraph introduces the first text.
        let rubric = before.rsplit_once("\n\n").map_or("", |(rubric, _)| rubric);
        if rubric.is_empty() { prompt } else { rubric.to_owned() }
    }

    /// What the judge of a question is called: its task, and a hash of all that its verdicts depend on.
    pub(crate) fn judge(&self, question: &Question) -> String {
        let all = json!([self.model, self.parameters(), self.prompt(question), self.highest(question)]);
        let name = question.criterion().unwrap_or_else(|| question.task().as_str());
        format!("{name}-{}", &sha256(&all.to_string())[..8])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judge.yaml");
        std::fs::write(&path, text).unwrap();
        Settings::read(&path).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_place() {
        assert!(error("modle: tiny\n").contains("did you mean `model`?"), "{}", error("modle: tiny\n"));
        assert!(error("model: tiny\n").contains("either `endpoint` or `command`"));
        assert!(error("endpoint: http://x\n").contains("`model` is missing"));
        let endless = "endpoint: http://x\nmodel: tiny\nbudget: {cost: 1}\n";
        assert!(error(endless).contains("needs `prices"));
        let scale = "endpoint: http://x\nmodel: tiny\ncriteria: {brief: {question: Is it?, scale: [yes]}}\n";
        assert!(error(scale).contains("a `scale` of 2 to 10 words"));
    }

    #[test]
    fn a_judge_is_all_that_its_verdicts_depend_on() {
        let question = Question::Claims { query: "q".into(), text: "t".into() };
        let [one, other] = ["tiny", "large"].map(|model| Settings::of_model(model).judge(&question));
        assert!(one.starts_with("claims-") && one != other);
    }
}
