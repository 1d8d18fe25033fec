//! `evidence:`: how much of what gates rest on has to be there.

use serde_json::{Value as Json, json};

use crate::gate::Evidence;
use crate::mapping::{Count, FromNode, Reader, Rule, mapping};
use crate::yaml::{Node, Problem, Span};

mapping! {
    /// How much of what a gate rests on has to be there: judged queries, answers of both sides, results that the corpus
    /// has. With less the gate is errored.
    pub(crate) struct RawEvidence as "`evidence`" {
        /// The smallest share that is enough, from 0 to 1; 0.9 by default.
        "at-least" => at_least: Share,
        /// How many judged queries there should be. By default as many as there were when the configuration was
        /// blessed, else those that the collection's files should have judged.
        "queries" => queries: Count<100_000_000>,
        /// How many results of each query are enough where run files have fewer than a metric looks at, and so are meant
        /// to end there; 1: however few. By default lists go on to the metric's cutoff, or as far as those of the other
        /// side.
        "depth" => depth: Count<1_000_000>,
    }
    rules: [Rule::AtLeastOne(&["at-least", "queries", "depth"])]
}

impl RawEvidence {
    /// What it says.
    pub(crate) fn checked(self) -> Evidence {
        let at_least = self.at_least.into_value().map(|share| share.0);
        Evidence {
            at_least,
            queries: self.queries.into_value().map(|count| count.0),
            depth: self.depth.into_value().map(|depth| depth.0),
        }
    }

    /// Where it says how many queries there should be, which a suite of several collections cannot.
    pub(crate) fn place_of_queries(&self) -> Option<Span> {
        self.queries.field_value().map(|given| given.key)
    }
}

/// A share of a whole, from 0 to 1.
pub(crate) struct Share(f64);

impl FromNode for Share {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let share = reader.number(node, "a share, from 0 to 1")?;
        if (0.0..=1.0).contains(&share) {
            return Some(Self(share));
        }
        let problem = Problem::new(node.span, format!("a share is from 0 to 1, not {share}"));
        let is_percentage = (2.0..=100.0).contains(&share);
        reader.report(match is_percentage {
            true => problem.help(format!("did you mean `{}`?", share / 100.0)),
            false => problem,
        });
        None
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "number", "minimum": 0, "maximum": 1})
    }
}
