//! `deterministic:`: whether configurations have to rank the same twice, and what is repeated.

use crate::gate::{DeterministicGate, Repetition};
use crate::mapping::{Field, FromNode, Reader};
use crate::spec::scalar::read_words;
use crate::yaml::{Node, Value};

read_words!(Repetition);

/// `true`, `false`, `builds` or `answers`.
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
            Value::Scalar(scalar) if scalar.bool().is_none() => {
                Some(Self(Some(DeterministicGate { of: Some(reader.read(node)?) })))
            }
            _ => {
                let is_on: bool = reader.read(node)?;
                Some(Self(is_on.then_some(DeterministicGate { of: None })))
            }
        }
    }
}
