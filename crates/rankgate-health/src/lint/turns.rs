//! Turns of conversations that are asked as if nothing had been said before.

use crate::collection::{Collection, Query};
use crate::model::{Example, Finding, Severity, choose};
use crate::spec::Spec;

/// Under which keys collections usually say which conversation a query is of, and which of its turns it is.
const CONVERSATION: [&str; 6] =
    ["conversation", "conversation_id", "conversation-id", "session", "session_id", "dialogue"];
const NUMBER: [&str; 4] = ["turn", "turn_number", "turn-number", "turn_id"];

/// Queries that their metadata call later turns, where the spec says nothing of turns.
pub(super) fn finding(spec: &Spec, collection: &Collection) -> Option<Finding> {
    if spec.collection.turns.is_some() {
        return None;
    }
    let queries = collection.queries_to_ask();
    let key = |known: &[&'static str]| {
        known.iter().copied().find(|key| queries.iter().any(|query| query.metadata.contains_key(*key)))
    };
    let (conversation, number) = (key(&CONVERSATION)?, key(&NUMBER)?);
    let is_later = |query: &&Query| {
        let number = query.segments(number).first().and_then(|number| number.parse::<u64>().ok());
        number.is_some_and(|number| number > 1) && query.metadata.contains_key(conversation)
    };
    let later: Vec<&Query> = queries.iter().filter(is_later).collect();
    let count = later.len();
    let example = |query: &&Query| Example::new(&query.id, &query.text, String::new());
    let named = match number {
        "turn" => String::new(),
        number => format!(", number: {number}"),
    };
    (count > 0).then(|| Finding {
        severity: Severity::Caution,
        code: "turns-without-history".into(),
        message: format!(
            "{count} {} by `{conversation}` and `{number}`, and {} without what was said before",
            choose(count, "query is a later turn of a conversation", "queries are later turns of conversations"),
            choose(count, "is asked", "are asked"),
        ),
        count,
        examples: later.iter().take(5).map(example).collect(),
        advice: format!(
            "`collection: {{turns: {{conversation: {conversation}{named}}}}}` gives retrievers, answerers and judges the turns before \
             each, and takes conversations for the units of tests and intervals"
        ),
    })
}
