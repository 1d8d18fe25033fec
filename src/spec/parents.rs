//! `parents:`: the documents that chunks belong to.

use super::template::{InputFile, PathTemplate};
use crate::mapping::{Count, FromNode, Reader, Rule, mapping};
use crate::run::Parents;
use crate::yaml::{Node, Problem, Value};

mapping! {
    /// The documents that the chunks of a retriever belong to, by exactly one of `pattern`, `field` and `file`.
    pub(super) struct RawParents as "`parents`" {
        /// A regular expression for ids of chunks, whose first group in parentheses is the document's id: `'^(.+)#\d+$'`.
        "pattern" => pattern: ParentsPattern,
        /// The key of the chunks' metadata in the corpus that has the document's id.
        "field" => field: String,
        /// A file of lines: chunk, tab, document.
        "file" => file: InputFile,
        /// How many chunks are asked for at first; more are where they are of too few documents. As many as documents by
        /// default.
        "depth" => depth: Count<1_000_000>,
    }
    rules: [Rule::ExactlyOne(&["pattern", "field", "file"])]
}

/// The documents that chunks belong to, by paths that may hold variables of the environment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParentsPlan {
    /// How an id of a chunk leads to its document.
    pub source: ParentsSource,
    /// How many chunks are asked for at first; `None`: as many as documents.
    pub depth: Option<usize>,
}

/// How an id of a chunk leads to its document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ParentsSource {
    /// By a regular expression.
    Pattern(Parents),
    /// By this key of the chunks' metadata.
    Field(String),
    /// By a list.
    File(PathTemplate),
}

/// A regular expression with a group.
pub(super) struct ParentsPattern(Parents);

impl FromNode for ParentsPattern {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a regular expression")?;
        match Parents::pattern(text) {
            Ok(parents) => Some(Self(parents)),
            Err(error) => {
                let problem = Problem::new(node.span, error.to_string());
                reader.report(
                    problem.help("the first group in parentheses is the document's id, as in '^(.+)#\\d+$'"),
                );
                None
            }
        }
    }
}

/// The parents of a configuration, or that its results are documents.
pub(super) enum ConfigurationParents {
    None,
    Own(Box<RawParents>),
}

impl FromNode for ConfigurationParents {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Scalar(scalar) if &*scalar.text == "none" => Some(Self::None),
            Value::Map(_) => reader.read(node).map(|parents| Self::Own(Box::new(parents))),
            _ => reader.expected(node, "`none`, or a mapping with `pattern`, `field` or `file`"),
        }
    }
}

impl RawParents {
    /// The plan; `None` where something is wrong, which has been reported.
    pub(super) fn check(self) -> Option<ParentsPlan> {
        let source = if let Some(pattern) = self.pattern.into_value() {
            ParentsSource::Pattern(pattern.0)
        } else if let Some(field) = self.field.into_value() {
            ParentsSource::Field(field)
        } else {
            ParentsSource::File(self.file.into_value()?.0)
        };
        Some(ParentsPlan { source, depth: self.depth.into_value().map(|depth| depth.0) })
    }
}
