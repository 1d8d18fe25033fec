//! What takes the place of `judge:` without its feature: the key is known, so that it is named where it is refused.

use serde_json::{Value as Json, json};

use super::judged::KnownJudge;
use super::read::{FromNode, Reader};
use crate::yaml::Node;

pub(super) struct RawJudge;

impl FromNode for RawJudge {
    fn from_node(_: &Node, _: &mut Reader<'_>) -> Option<Self> {
        Some(Self)
    }

    fn schema() -> Json {
        json!({"type": "object"})
    }
}

/// There is none.
pub(super) enum JudgePlan {}

impl RawJudge {
    pub(super) fn check(self, _: &mut Reader<'_>) -> Option<JudgePlan> {
        None
    }
}

impl JudgePlan {
    pub(super) fn known(&self) -> KnownJudge {
        match *self {}
    }
}
