//! A question to a judge: the content that is judged, and the key under which its verdict is kept.

use serde_json::{Value, json};

use crate::content_hash::sha256;
use crate::task::Task;

/// What is judged. Two questions with the same content are the same question, wherever they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which claims a text makes.
    Claims {
        /// The query that the text answers.
        query: String,
        /// The text.
        text: String,
    },
    /// Whether contexts support a claim.
    Support {
        /// The claim.
        claim: String,
        /// What was given to the model.
        contexts: Vec<String>,
    },
    /// Whether a text holds a nugget.
    Nugget {
        /// The nugget.
        nugget: String,
        /// The text.
        text: String,
    },
    /// Whether a document says what a sentence says that cites it.
    Citation {
        /// The sentence.
        sentence: String,
        /// The text of the document.
        document: String,
    },
    /// How relevant a document is to a query.
    Relevance {
        /// The query.
        query: String,
        /// The text of the document.
        document: String,
    },
    /// How well an answer answers the query.
    AnswerRelevance {
        /// The query.
        query: String,
        /// The answer.
        answer: String,
    },
    /// What an answer is by a criterion.
    Criterion {
        /// The name of the criterion.
        name: String,
        /// The query.
        query: String,
        /// The answer.
        answer: String,
        /// What the answer was made from, where the criterion shows it.
        contexts: Option<Vec<String>>,
        /// The reference answer, where the criterion shows it.
        reference: Option<String>,
    },
}

impl Question {
    /// Its kind.
    pub fn task(&self) -> Task {
        match self {
            Self::Claims { .. } => Task::Claims,
            Self::Support { .. } => Task::Support,
            Self::Nugget { .. } => Task::Nuggets,
            Self::Citation { .. } => Task::Citations,
            Self::Relevance { .. } => Task::Relevance,
            Self::AnswerRelevance { .. } => Task::AnswerRelevance,
            Self::Criterion { .. } => Task::Criterion,
        }
    }

    /// The name of its criterion, where it has one.
    pub fn criterion(&self) -> Option<&str> {
        match self {
            Self::Criterion { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The key of its content. The order of contexts is no part of it.
    pub fn key(&self) -> String {
        let sorted = |contexts: &[String]| {
            let mut contexts = contexts.to_vec();
            contexts.sort_unstable();
            contexts
        };
        let content = match self {
            Self::Claims { query, text } => json!([query, text]),
            Self::Support { claim, contexts } => json!([claim, sorted(contexts)]),
            Self::Nugget { nugget, text } => json!([nugget, text]),
            Self::Citation { sentence, document } => json!([sentence, document]),
            Self::Relevance { query, document } => json!([query, document]),
            Self::AnswerRelevance { query, answer } => json!([query, answer]),
            Self::Criterion { name, query, answer, contexts, reference } => {
                json!([name, query, answer, contexts.as_deref().map(sorted), reference])
            }
        };
        let mut key = sha256(&json!([self.task().as_str(), content]).to_string());
        key.truncate(32);
        key
    }

    /// The claim, nugget or sentence of a list; `None` where the question is about one text.
    pub(crate) fn item(&self) -> Option<&str> {
        match self {
            Self::Support { claim: item, .. }
            | Self::Nugget { nugget: item, .. }
            | Self::Citation { sentence: item, .. } => Some(item),
            _ => None,
        }
    }

    /// The texts that it is judged by.
    pub(crate) fn contexts(&self) -> Vec<&str> {
        match self {
            Self::Support { contexts, .. } => contexts.iter().map(String::as_str).collect(),
            Self::Nugget { text, .. } => vec![text],
            Self::Citation { document, .. } => vec![document],
            Self::Criterion { contexts, .. } => contexts.iter().flatten().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The parts of its prompt, by their places, apart from the list of claims.
    pub(crate) fn parts(&self) -> Vec<(&'static str, String)> {
        let contexts = numbered(&self.contexts());
        match self {
            Self::Claims { query, text } => vec![("{query}", query.clone()), ("{text}", text.clone())],
            Self::Support { .. } | Self::Nugget { .. } | Self::Citation { .. } => {
                vec![("{contexts}", contexts)]
            }
            Self::Relevance { query, document } => {
                vec![("{query}", query.clone()), ("{document}", document.clone())]
            }
            Self::AnswerRelevance { query, answer } => {
                vec![("{query}", query.clone()), ("{document}", answer.clone())]
            }
            Self::Criterion { query, answer, reference, .. } => vec![
                ("{query}", query.clone()),
                ("{contexts}", contexts),
                ("{reference}", reference.clone().unwrap_or_default()),
                ("{document}", answer.clone()),
            ],
        }
    }

    /// Its content as a program gets it.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Claims { query, text } => json!({ "query": query, "text": text }),
            Self::Support { contexts, .. } => json!({ "contexts": contexts }),
            Self::Nugget { text, .. } => json!({ "contexts": [text] }),
            Self::Citation { document, .. } => json!({ "contexts": [document] }),
            Self::Relevance { query, document } => json!({ "query": query, "document": document }),
            Self::AnswerRelevance { query, answer } => json!({ "query": query, "answer": answer }),
            Self::Criterion { name, query, answer, contexts, reference } => json!({
                "criterion": name, "query": query, "answer": answer, "contexts": contexts, "reference": reference,
            }),
        }
    }

    /// The text that it is about, for people who look into a file of verdicts.
    pub(crate) fn about(&self) -> &str {
        match self {
            Self::Claims { text, .. } => text,
            Self::Relevance { document, .. } => document,
            Self::AnswerRelevance { answer, .. } | Self::Criterion { answer, .. } => answer,
            Self::Support { .. } | Self::Nugget { .. } | Self::Citation { .. } => {
                self.item().unwrap_or_default()
            }
        }
    }
}

/// Texts, each below its number.
fn numbered(contexts: &[&str]) -> String {
    let shown = (1..).zip(contexts).map(|(at, text)| format!("[{at}]\n{text}"));
    shown.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn support(claim: &str, contexts: &[&str]) -> Question {
        Question::Support { claim: claim.into(), contexts: contexts.iter().map(|&one| one.into()).collect() }
    }

    #[test]
    fn a_key_is_of_the_content_alone() {
        assert_eq!(support("a", &["x", "y"]).key(), support("a", &["y", "x"]).key());
        assert_ne!(support("a", &["x", "y"]).key(), support("a", &["x"]).key());
        assert_ne!(support("a", &["x"]).key(), support("b", &["x"]).key());
        let nugget = Question::Nugget { nugget: "a".into(), text: "x".into() };
        let citation = Question::Citation { sentence: "a".into(), document: "x".into() };
        assert_ne!(nugget.key(), citation.key(), "another task is another question");
    }
}
