//! A gate that could not be decided.

use crate::model::{Outcome, UndecidedFinding};
use crate::report::clean::{shorten, shorten_name};
use crate::report::lookup::gate_name;
use crate::report::page::{Block, Part};

use crate::findings::Kind;
use crate::report::message::Context;
use crate::report::verdict::word;

/// Lines of a reason: an error with the last lines of a child's stderr, a spec's line with a caret.
const REASON: usize = 24;
/// Characters of a reason in a list of gates.
const SEEN: usize = 60;

impl Kind for UndecidedFinding {
    fn undecided_reason(&self) -> Option<&str> {
        Some(&self.reason)
    }

    fn headline(&self, context: &Context) -> String {
        // The finding has no metric: what was to be decided is told by the test's name.
        let name = gate_name(context.report, context.gate);
        let subject = shorten_name(name.rsplit("::").next().unwrap_or(name), 60);
        match context.configuration().map(|configuration| &configuration.outcome) {
            Some(Outcome::Error(_)) => {
                format!("{} ended in an error, so {subject} could not be decided", context.name())
            }
            // Of a comparison the name has both sides.
            _ => format!("{} could not be decided", shorten_name(name, 60)),
        }
    }

    fn short(&self, _: usize) -> String {
        shorten(self.reason.trim().lines().next().unwrap_or(""), SEEN)
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let reason = format!("{}: {}", word(context.gate.verdict), self.reason);
        let mut parts = vec![vec![Block::preformatted(reason, REASON)]];
        if let Some(configuration) = context.configuration()
            && let Outcome::Error(failure) = &configuration.outcome
        {
            let failure = failure.to_string();
            if !self.reason.contains(&failure) {
                let text = format!("{}: {failure}", configuration.source);
                parts.push(vec![Block::preformatted(text, REASON)]);
            }
        }
        parts
    }
}
