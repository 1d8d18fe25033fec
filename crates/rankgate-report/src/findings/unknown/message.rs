//! A gate of a kind that this build does not know: the text that the report's writer put into it.

use crate::model::UnknownFinding;
use crate::report::clean::shorten_name;
use crate::report::lookup::gate_name;
use crate::report::page::{Block, Part, Text};

use crate::report::message::{Context, Message};
use crate::report::verdict::verdict;

/// Lines of a message, and of its data where there is no message.
const MESSAGE: usize = 60;
const FIELDS: usize = 24;
/// Characters of a kind's name.
const KIND: usize = 40;

impl Message for UnknownFinding {
    fn headline(&self, context: &Context) -> String {
        let name = shorten_name(gate_name(context.report, context.gate), 60);
        format!(
            "{name} is of the kind `{}`, which this version does not know",
            shorten_name(&self.kind, KIND)
        )
    }

    fn short(&self, _: usize) -> Text {
        format!("kind `{}`, not known here", shorten_name(&self.kind, KIND)).into()
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let whose =
            "The verdict is that of the version that wrote the report; a later rankgate shows what it saw.";
        let lead = vec![Block::paragraph(verdict(context.gate.verdict).and(". ").and(whose))];
        let said = if self.message.is_empty() {
            let fields = serde_json::to_string_pretty(&self.fields).unwrap_or_default();
            Block::preformatted(Text::from(fields), FIELDS)
        } else {
            Block::preformatted(Text::from(&self.message), MESSAGE)
        };
        vec![lead, vec![said]]
    }
}
