//! Which queries are turns of one conversation, and what was said before each.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::collection::{EarlierTurns, Query, Turn};
use crate::error::Quoted;
use crate::{Error, Result};

/// The key under which a query brings its own history.
const HISTORY: &str = "history";

/// Which metadata say what conversation a query is of, which of its turns it is, and what was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnKeys {
    /// The key whose value is the same in all turns of a conversation.
    pub conversation: String,
    /// The key of a turn's number, from 1.
    pub number: String,
    /// The key of the answer that later turns see; `None`: they see what the user wrote alone.
    pub answer: Option<String>,
}

impl TurnKeys {
    /// Turns by `conversation`, numbered by `turn`, without answers.
    pub fn new(conversation: impl Into<String>) -> Self {
        Self { conversation: conversation.into(), number: "turn".to_owned(), answer: None }
    }

    /// Gives each query the turns before it. A query that has a `history` of its own keeps that one.
    ///
    /// # Errors
    ///
    /// A query without a conversation or a number; a number that is none, comes twice or leaves out one before it; an answer
    /// or a history that is not what it should be.
    pub fn add_history(&self, queries: &mut [Query]) -> Result<()> {
        let mut conversations: BTreeMap<String, BTreeMap<u64, usize>> = BTreeMap::new();
        let mut turns = Vec::with_capacity(queries.len());
        for (at, query) in queries.iter().enumerate() {
            let number = self.number(query)?;
            let conversation =
                query.group(&self.conversation).map_err(|_| self.without_conversation(query))?;
            if let Some(first) = conversations.entry(conversation.clone()).or_default().insert(number, at) {
                let first = Quoted(&queries[first].id);
                return Err(self.error(
                    query,
                    format!("turn {number} of conversation {}, as query {first} is", Quoted(&conversation)),
                ));
            }
            turns.push((conversation, number));
        }
        let mut seen: BTreeMap<&str, EarlierTurns> = BTreeMap::new();
        let mut histories = Vec::with_capacity(queries.len());
        for (query, (conversation, number)) in queries.iter().zip(&turns) {
            if let Some(own) = own_history(query) {
                let turns = read_history(own).map_err(|why| self.error(query, why))?;
                histories.push(turns.into());
                continue;
            }
            let turns = &conversations[conversation];
            self.check_whole(query, (conversation, turns), *number)?;
            if !seen.contains_key(conversation.as_str()) {
                seen.insert(conversation, self.seen_turns(queries, turns)?.into());
            }
            let before = usize::try_from(*number - 1).unwrap_or(usize::MAX);
            histories.push(seen[conversation.as_str()].beginning(before));
        }
        for (query, history) in queries.iter_mut().zip(histories) {
            query.history = history;
        }
        Ok(())
    }

    /// Whether every turn before one is there.
    fn check_whole(
        &self,
        query: &Query,
        (conversation, turns): (&str, &BTreeMap<u64, usize>),
        number: u64,
    ) -> Result<()> {
        match (1..number).find(|earlier| !turns.contains_key(earlier)) {
            None => Ok(()),
            Some(earlier) => Err(self.error(
                query,
                format!(
                    "turn {number} of conversation {}, whose turn {earlier} no query is: later turns have to be read with it; a \
                     `history` of the query's own takes its place",
                    Quoted(conversation)
                ),
            )),
        }
    }

    /// The turns of a conversation that later ones see, from the first one on as far as none is missing.
    fn seen_turns(&self, queries: &[Query], turns: &BTreeMap<u64, usize>) -> Result<Vec<Turn>> {
        let sees_others = |(_, at): &(&u64, &usize)| own_history(&queries[**at]).is_none();
        let last = turns.iter().filter(sees_others).map(|(number, _)| *number).max().unwrap_or(1);
        let whole = (1..last).map_while(|number| turns.get(&number));
        let turn = |at: &usize| {
            let earlier = &queries[*at];
            Ok(Turn { text: earlier.text.clone(), answer: self.answer(earlier)? })
        };
        whole.map(turn).collect()
    }

    /// The number of a turn.
    fn number(&self, query: &Query) -> Result<u64> {
        let key = &self.number;
        let number = match query.metadata.get(key) {
            Some(Value::Number(number)) => number.as_u64(),
            Some(Value::String(text)) => text.parse().ok(),
            Some(_) => None,
            None => {
                return Err(self
                    .error(query, format!("there is no `{key}`, which of its conversation's turns it is")));
            }
        };
        number.filter(|number| (1..=MOST_TURNS).contains(number)).ok_or_else(|| {
            let value = &query.metadata[key];
            self.error(
                query,
                format!("`{key}` is {value}: a whole number from 1 to {MOST_TURNS} was expected"),
            )
        })
    }

    /// What was answered in a turn.
    fn answer(&self, query: &Query) -> Result<Option<String>> {
        let Some(key) = &self.answer else { return Ok(None) };
        match query.metadata.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => {
                let kind = if other.is_array() { "a list" } else { "no text" };
                Err(self.error(
                    query,
                    format!("`{key}` is {kind}: turns after it see a text (`turns: {{answer: {key}}}`)"),
                ))
            }
        }
    }

    fn without_conversation(&self, query: &Query) -> Error {
        let message =
            format!("there is no one `{}`, the conversation that it is a turn of", self.conversation);
        self.error(query, message)
    }

    fn error(&self, query: &Query, message: String) -> Error {
        Error::invalid(format!("query {}: {message}", Quoted(&query.id)))
    }
}

/// A conversation has at most so many turns: each is asked with all before it, and a larger number is none of a turn.
const MOST_TURNS: u64 = 1_000;

/// A history that a query brings.
fn own_history(query: &Query) -> Option<&Value> {
    query.metadata.get(HISTORY).filter(|own| !own.is_null())
}

/// # Errors
/// What is no history. A key that a turn does not have is one as well: an answer under a misspelt key would be lost.
fn read_history(value: &Value) -> Result<Vec<Turn>, String> {
    let none =
        || "`history` is no list of turns, each `{\"text\": ..., \"answer\": ...}` or a text".to_owned();
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(none);
    let turn = |(place, value): (usize, &Value)| match value {
        Value::String(text) => Ok(Turn::new(text, None)),
        Value::Object(turn) => {
            if let Some(key) = turn.keys().find(|key| !["text", "answer"].contains(&key.as_str())) {
                let key = Quoted(key);
                return Err(format!(
                    "turn {place} of its `history` has a key {key}; a turn has `text` and `answer`"
                ));
            }
            let answer = turn.get("answer").filter(|answer| !answer.is_null()).map(text).transpose()?;
            Ok(Turn { text: text(turn.get("text").ok_or_else(none)?)?, answer })
        }
        _ => Err(none()),
    };
    (1..).zip(value.as_array().ok_or_else(none)?).map(turn).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn query(id: &str, conversation: &str, turn: impl Into<Value>) -> Query {
        Query::new(id, format!("text of {id}")).with("conversation", conversation).with("turn", turn)
    }

    fn keys() -> TurnKeys {
        TurnKeys { answer: Some("reference".into()), ..TurnKeys::new("conversation") }
    }

    fn history(query: &Query) -> Vec<(&str, Option<&str>)> {
        query.history.iter().map(|turn| (turn.text.as_str(), turn.answer.as_deref())).collect()
    }

    #[test]
    fn turns_see_what_was_said_before_them_in_whatever_order_they_stand() {
        let mut queries = vec![
            query("b", "c1", "2").with("reference", "yes"),
            query("x", "c2", 1),
            query("c", "c1", 3),
            query("a", "c1", 1),
        ];
        keys().add_history(&mut queries).unwrap();
        assert_eq!(history(&queries[0]), [("text of a", None)]);
        assert_eq!(history(&queries[1]), []);
        assert_eq!(history(&queries[2]), [("text of a", None), ("text of b", Some("yes"))]);
        assert_eq!(history(&queries[3]), []);
        TurnKeys::new("conversation").add_history(&mut queries).unwrap();
        assert_eq!(history(&queries[2]), [("text of a", None), ("text of b", None)]);
    }

    #[test]
    fn a_history_of_its_own_takes_the_place_of_earlier_turns() {
        let own = json!(["first", {"text": "second", "answer": "no"}, {"text": "third", "answer": null}]);
        let mut queries = vec![query("q", "c1", 4).with("history", own)];
        keys().add_history(&mut queries).unwrap();
        assert_eq!(history(&queries[0]), [("first", None), ("second", Some("no")), ("third", None)]);
    }

    /// A copy for each turn took 4 GB of a conversation of 4 MB.
    #[test]
    fn the_turns_of_a_conversation_share_what_was_said() {
        let turn = |number: u64| query(&format!("q{number}"), "c1", number).with("reference", "yes");
        let mut queries: Vec<Query> = (1..=MOST_TURNS).rev().map(turn).collect();
        keys().add_history(&mut queries).unwrap();
        let said = |at: usize| queries[at].history.first().unwrap().text.as_ptr();
        assert_eq!(queries.iter().map(|query| query.history.len()).sum::<usize>(), 999 * 1000 / 2);
        assert_eq!(said(0), said(998), "the longest history and the shortest one");
    }

    #[test]
    fn what_is_no_turn_is_an_error() {
        let first = || query("a", "c1", 1);
        for (queries, expected) in [
            (
                vec![Query::new("q", "t").with("turn", 1)],
                "query `q`: there is no one `conversation`, the conversation that it is a turn of",
            ),
            (
                vec![Query::new("q", "t").with("conversation", "c")],
                "query `q`: there is no `turn`, which of its conversation's turns it is",
            ),
            (vec![query("q", "c", 0)], "query `q`: `turn` is 0: a whole number from 1 to 1000 was expected"),
            (
                vec![query("q", "c", 1.5)],
                "query `q`: `turn` is 1.5: a whole number from 1 to 1000 was expected",
            ),
            (
                vec![query("q", "c", "two")],
                "query `q`: `turn` is \"two\": a whole number from 1 to 1000 was expected",
            ),
            (vec![first(), query("q", "c1", 1)], "query `q`: turn 1 of conversation `c1`, as query `a` is"),
            (
                vec![first(), query("q", "c1", 3)],
                "query `q`: turn 3 of conversation `c1`, whose turn 2 no query is: later turns have to be read with it; a `history` of \
                 the query's own takes its place",
            ),
            (
                vec![first().with("reference", json!(["a claim"])), query("q", "c1", 2)],
                "query `a`: `reference` is a list: turns after it see a text (`turns: {answer: reference}`)",
            ),
            (
                vec![first().with("history", "before")],
                "query `a`: `history` is no list of turns, each `{\"text\": ..., \"answer\": ...}` or a text",
            ),
            (
                vec![first().with("history", json!(["before", {"text": "then", "answr": "yes"}]))],
                "query `a`: turn 2 of its `history` has a key `answr`; a turn has `text` and `answer`",
            ),
        ] {
            let error = keys().add_history(&mut { queries }).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
