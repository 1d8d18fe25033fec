//! `history:`: what an alarm of a history takes.

use serde_json::{Value as Json, json};

use super::scalar::non_negative;
use crate::mapping::{FromNode, Reader, Rule, mapping};
use crate::model::AlarmRules;
use crate::stats::Guarantee;
use crate::yaml::Node;

mapping! {
    /// What alarms of `rankgate history` and of a server take. Gates do not depend on it.
    pub(super) struct RawHistory as "`history`" {
        /// Losses that are smaller are neither alarms nor notices, in the metric's own unit; 0.002 by default.
        "smallest-loss" => smallest_loss: SmallestLoss,
        /// What a loss has to stand beside the permutation test: one more query that gains what others lack, in all but 1%
        /// of weighings (`typical`, the default); the same at the alarm's own level (`bounded`); nothing (`none`), where
        /// changes help and hurt alike.
        "guarantee" => guarantee: Guarantee,
    }
    rules: [Rule::AtLeastOne(&["smallest-loss", "guarantee"])]
}

impl RawHistory {
    pub(super) fn checked(self) -> AlarmRules {
        AlarmRules {
            smallest_loss: self.smallest_loss.into_value().map(|loss| loss.0),
            guarantee: self.guarantee.into_value(),
        }
    }
}

/// A loss, from 0 on.
pub(super) struct SmallestLoss(f64);

impl FromNode for SmallestLoss {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        non_negative(node, "a loss", reader).map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "number", "minimum": 0})
    }
}
