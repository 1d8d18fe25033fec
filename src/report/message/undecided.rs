//! A gate that could not be decided.

use crate::benchmark::model::Outcome;
use crate::report::clean::{shorten, shorten_name, wrap};
use crate::report::lookup::gate_name;

use super::{Block, Context, Tell, word};

/// Lines of a reason: an error with the last lines of a child's stderr, a spec's line with a caret.
const REASON: usize = 24;
/// Characters of a reason in a list of gates.
const SEEN: usize = 60;

/// Why a gate could not be decided.
pub(super) struct Undecided<'a> {
    pub(super) reason: &'a str,
}

impl Tell for Undecided<'_> {
    fn headline(&self, context: &Context) -> String {
        // The finding has no metric: what was to be decided is told by the test's name.
        let name = gate_name(context.report, context.gate);
        let subject = shorten_name(name.rsplit("::").next().unwrap_or(name), 60);
        match context.configuration().map(|configuration| &configuration.outcome) {
            Some(Outcome::Errored(_)) => {
                format!("{} errored, so {subject} could not be decided", context.name())
            }
            _ => format!("{subject} of {} could not be decided", context.name()),
        }
    }

    fn seen(&self, _: usize) -> String {
        shorten(self.reason.trim().lines().next().unwrap_or(""), SEEN)
    }

    fn body(&self, context: &Context) -> Vec<Block> {
        let mut blocks =
            vec![wrap(&format!("{}: {}", word(context.gate.verdict), self.reason), context.width, REASON)];
        if let Some(configuration) = context.configuration()
            && let Outcome::Errored(failure) = &configuration.outcome
        {
            let failure = failure.to_string();
            if !self.reason.contains(&failure) {
                let text = format!("{}: {failure}", configuration.source);
                blocks.push(wrap(&text, context.width, REASON));
            }
        }
        blocks
    }
}
