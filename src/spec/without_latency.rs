//! What takes the place of `latency:` without its feature: the key is known, so that it is named where it is refused.

use serde_json::{Value as Json, json};

use super::configuration::Configuration;
use super::read::{FromNode, Reader};
use super::threshold::Names;
use crate::gate::LatencyGate;
use crate::yaml::{Node, Span};

pub(super) struct RawLatency;

impl FromNode for RawLatency {
    fn from_node(_: &Node, _: &mut Reader<'_>) -> Option<Self> {
        Some(Self)
    }

    fn schema() -> Json {
        json!({"type": "object"})
    }
}

impl RawLatency {
    pub(super) fn gates(&self, _: &Names<'_>) -> usize {
        0
    }

    pub(super) fn check(
        self,
        _: Span,
        _: &Names<'_>,
        _: Option<&[Configuration]>,
        _: &mut Reader<'_>,
    ) -> Option<LatencyGate> {
        None
    }
}
