//! `answerer:`: who answers with what a configuration retrieves.

use super::command::Command;
use super::mapping::{Rule, mapping};
use super::read::{Count, Reader};
use super::template::{InputFile, PathTemplate, Template};

mapping! {
    /// Who answers with what is retrieved.
    struct RawAnswerer as "an answerer" {
        /// A program that answers as JSON lines: the program and its arguments. It runs in the folder of the spec.
        "command" => command: Command,
        /// What it is told to do: a file whose text it gets when it is started. Failures say whether it is another than when
        /// answers were blessed.
        "prompt" => prompt: InputFile,
        /// How many of the results it is given; 5 by default.
        "contexts" => contexts: Count<1000>,
    }
    rules: [Rule::Required("command")]
}

/// Who answers with what a configuration retrieves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnswererPlan {
    /// A program with its arguments, and the folder that it runs in.
    pub command: (Vec<Template>, PathTemplate),
    /// The file of its prompt.
    pub prompt: Option<PathTemplate>,
    /// How many of the results it is given.
    pub contexts: usize,
}

#[cfg(feature = "judge")]
impl AnswererPlan {
    /// All that the spec says of it, variables as they are written: to see whether a model is named in it.
    pub(crate) fn words(&self) -> String {
        self.command.0.iter().map(|part| format!(" {part}")).collect()
    }
}

impl RawAnswerer {
    /// The plan; `None` where something in it could not be read, which has been reported.
    pub(super) fn check(self, reader: &Reader<'_>) -> Option<AnswererPlan> {
        let command = self.command.given()?;
        let folder = PathTemplate::folder_of_spec(reader, command.at);
        Some(AnswererPlan {
            command: (command.value.0.clone(), folder),
            prompt: self.prompt.into_value().map(|path| path.0),
            contexts: self.contexts.into_value().map_or(5, |count| count.0),
        })
    }
}
