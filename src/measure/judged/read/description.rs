//! The judge of a spec as its judgments name it.

use crate::error::Quoted;
use crate::gate::Reply;
use crate::judge::{
    Description, Documents, Form, Jury, PARSER, RELEVANCE, SCALE, Task, criterion_places, criterion_prompt,
};
use crate::spec::{JudgePlan, PathTemplate, PromptSource};
use crate::{Error, Result};

use super::files::changed;

impl JudgePlan {
    /// The judge as its judgments name it: all that its grades depend on.
    ///
    /// # Errors
    ///
    /// A prompt that cannot be read, or that has no place for the query or the document.
    pub fn description(&self) -> Result<Description> {
        let (prompt_name, prompt) = match (self.own_prompt(DOCUMENTS), &self.prompt) {
            (Some(own), _) => own,
            (None, PromptSource::Relevance) => (DOCUMENTS.to_owned(), RELEVANCE.to_owned()),
            (None, PromptSource::File(path)) => read(path, &["{query}", "{document}"])?,
        };
        Ok(self.asking(prompt_name, prompt, Form::Grade))
    }

    /// The judge for questions about answers.
    ///
    /// # Errors
    ///
    /// A prompt that cannot be read, or that has no place for what it asks about; `reply: line`, which holds no list.
    pub fn task(&self, task: Task) -> Result<Description> {
        let (name, prompt) = match (self.own_prompt(task.as_str()), self.prompts.get(task.as_str())) {
            (Some(own), _) => own,
            (None, Some(path)) => read(path, task.places())?,
            (None, None) => (task.as_str().to_owned(), task.prompt().to_owned()),
        };
        if self.reply == Reply::Line && task.form() != Form::Grade {
            let message = "`reply: line` of the spec's judge holds one grade and no list, and answers are judged by lists";
            return Err(Error::invalid(message));
        }
        Ok(self.asking(name, prompt, task.form()))
    }

    /// The judge for a question about answers: one that is built in, or a criterion of the spec by its name.
    ///
    /// # Errors
    ///
    /// As [`task`](Self::task); a criterion that the spec does not have.
    pub fn question(&self, task: Task, criterion: Option<&str>) -> Result<Description> {
        let Some(name) = criterion else { return self.task(task) };
        let none = || Error::invalid(format!("the judge has no criterion {}", Quoted(name)));
        let criterion = self.criterion(name).ok_or_else(none)?;
        let prompt = match (self.own_prompt(name), &criterion.prompt) {
            (Some((_, text)), _) => text,
            (None, Some(path)) => read(path, &criterion_places(&criterion.shows))?.1,
            (None, None) => criterion_prompt(&criterion.question, &criterion.scale, &criterion.shows),
        };
        let scale = [0, criterion.highest()];
        let criterion = Some(name.to_owned());
        Ok(Description { scale, criterion, ..self.asking(name.to_owned(), prompt, Form::Grade) })
    }

    /// The same plan with another judge in its place, which a file of judgments describes: its model, its parameters and what it is
    /// shown of documents for all questions, and its prompt for this one, about documents where there is no task.
    ///
    /// # Errors
    ///
    /// A judge that no spec of this version describes, as one of another version may be.
    #[doc(hidden)] // for rankgate alone
    pub fn replaced_by(&self, other: &Description, task: Option<Task>) -> Result<Self> {
        let name = other.criterion.as_deref().or(task.map(Task::as_str)).unwrap_or(DOCUMENTS);
        let mut plan = self.clone();
        plan.model.clone_from(&other.model);
        plan.jury = other.jury.as_ref().map(|jury| (jury.members.clone(), jury.vote));
        plan.parameters.clone_from(&other.parameters);
        (plan.reply, plan.samples) = (other.reply, other.samples);
        plan.fields.clone_from(&other.documents.fields);
        (plan.longest, plan.longer) = (other.documents.longest, other.documents.longer);
        if other.form == Form::Grade {
            plan.confidence = other.confidence;
        }
        plan.prompt_texts.insert(name.to_owned(), [other.prompt_name.clone(), other.prompt.clone()]);
        let described = match task {
            Some(task) => plan.question(task, other.criterion.as_deref())?,
            None => plan.description()?,
        };
        if described != *other {
            let why = changed(&other.id(), &described, other);
            return Err(Error::invalid(format!(
                "no spec of this version describes the judge {}: {why}",
                Quoted(&other.id())
            )));
        }
        Ok(plan)
    }

    fn own_prompt(&self, question: &str) -> Option<(String, String)> {
        self.prompt_texts.get(question).map(|[name, text]| (name.clone(), text.clone()))
    }

    fn asking(&self, prompt_name: String, prompt: String, form: Form) -> Description {
        Description {
            confidence: self.confidence && form == Form::Grade,
            documents: Documents { fields: self.fields.clone(), longer: self.longer, longest: self.longest },
            form,
            jury: self.jury.as_ref().map(|(members, vote)| Jury { members: members.clone(), vote: *vote }),
            model: self.model.clone(),
            parameters: self.parameters.clone(),
            parser: PARSER,
            prompt,
            prompt_name,
            reply: self.reply,
            samples: self.samples,
            scale: if form == Form::Grade { SCALE } else { [0, 2] },
            writes: None,
            criterion: None,
        }
    }
}

/// What the question about documents is called.
const DOCUMENTS: &str = "relevance";

/// A prompt of one's own: what it is called, and its text.
fn read(path: &PathTemplate, places: &[&str]) -> Result<(String, String)> {
    let path = path.resolve()?;
    let text = std::fs::read_to_string(&path).map_err(|error| Error::io("cannot read", &path, error))?;
    if let Some(place) = places.iter().find(|place| !text.contains(**place)) {
        return Err(Error::in_file(&path, format!("the prompt has no `{place}`")));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = |c: char| if c.is_alphanumeric() { c } else { '-' };
    Ok((stem.chars().map(name).collect(), text))
}
