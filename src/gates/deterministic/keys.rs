//! `deterministic:`: whether configurations have to rank the same twice, and what is repeated.

use serde_json::{Value as Json, json};

use crate::gate::{DeterministicGate, Repetition};
use crate::mapping::{Field, FromNode, Reader, Rule, mapping};
use crate::spec::scalar::read_words;
use crate::words::Keyword;
use crate::yaml::{Node, Problem, Value};

read_words!(Repetition);

mapping! {
    /// What has to repeat.
    struct RawRepetition as "`deterministic`" {
        /// `builds`: two builds are asked, the first of them twice. `answers`: one build is asked twice. By default builds
        /// are repeated where a build takes less than 10 s.
        "of" => of: Repetition,
    }
    rules: [Rule::Required("of")]
}

/// `true`, `false`, or what has to repeat.
pub(crate) struct RawDeterministic(Option<DeterministicGate>);

impl RawDeterministic {
    /// The gate, unless it is `false`.
    pub(crate) fn gate(&self) -> Option<&DeterministicGate> {
        self.0.as_ref()
    }
}

impl Field<RawDeterministic> {
    /// Whether there is, or was meant to be, a gate.
    pub(crate) fn is_on(&self) -> bool {
        matches!(self, Self::Broken) || self.value().is_some_and(|given| given.0.is_some())
    }
}

impl FromNode for RawDeterministic {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        match &node.value {
            Value::Map(_) => {
                let of = reader.read::<RawRepetition>(node)?.of.into_value()?;
                Some(Self(Some(DeterministicGate { of: Some(of) })))
            }
            Value::Scalar(scalar) if Repetition::WORDS.contains(&&*scalar.text) => {
                let problem =
                    Problem::new(node.span, format!("expected true or false, found {}", node.describe()));
                reader.report(problem.help(format!("write `deterministic: {{of: {}}}`", scalar.text)));
                None
            }
            _ => {
                let is_on: bool = reader.read(node)?;
                Some(Self(is_on.then_some(DeterministicGate { of: None })))
            }
        }
    }

    #[inline]
    fn schema() -> Json {
        json!({"anyOf": [bool::schema(), RawRepetition::schema()]})
    }
}
