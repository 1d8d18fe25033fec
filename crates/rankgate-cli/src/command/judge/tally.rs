//! What came of questions: states, tokens, cost, and what has no answer.

use rankgate::gate::Reply;
use rankgate::judge::State;
use rankgate_judge::{Questions, Tally};

use super::plan::{counted, grouped};
use crate::terminal::Terminal;

/// `, 12,288 tokens read, 960 written; 0.02 spent`; nothing where nobody reads a prompt.
pub(super) fn spent(tally: &Tally) -> String {
    let about = about(tally.uncounted);
    let [read, written] = tally.tokens.map(grouped);
    let cost = tally.cost.map_or_else(String::new, |cost| format!("; {about}{cost:.2} spent"));
    match tally.tokens {
        [0, 0] => cost,
        _ => format!(", {about}{read} tokens read, {about}{written} written{cost}"),
    }
}

/// How numbers of tokens begin of which not all were counted.
pub(super) fn about(uncounted: usize) -> &'static str {
    if uncounted > 0 { "about " } else { "" }
}

pub(super) fn states(states: &std::collections::BTreeMap<State, usize>) -> String {
    let all: Vec<String> =
        states.iter().map(|(state, number)| format!("{} {state}", grouped(*number as u64))).collect();
    if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) }
}

/// What should be known of how the server answers.
pub(super) fn formless(questions: &Questions, tally: &Tally, terminal: &Terminal) {
    let number = |state| tally.states.get(&state).copied().unwrap_or(0);
    if tally.formless > 0 {
        let answers = counted(tally.formless, "answer was", "answers were");
        terminal.warn(&match questions.judge.reply {
            Reply::JsonSchema => format!(
                "{answers} not of the schema that was sent: the server does not hold the model to it (`reply: json-object` or \
                 `reply: line` ask for less)"
            ),
            Reply::JsonObject | Reply::Line => format!("{answers} not of the form that was asked for"),
        });
    }
    told_states(number, terminal);
    if tally.served.len() > 1 {
        let names: Vec<&str> = tally.served.keys().map(String::as_str).collect();
        terminal.warn(&format!("{} models answered: {}", names.len(), names.join(", ")));
    }
}

pub(super) fn told_states(number: impl Fn(State) -> usize, terminal: &Terminal) {
    if let some @ 1.. = number(State::Empty) {
        terminal.warn(&format!(
            "{} empty but for the model's reasoning: it needs more `max-tokens`, or a parameter that turns reasoning off",
            counted(some, "answer was", "answers were")
        ));
    }
    if let some @ 1.. = number(State::Truncated) {
        terminal.warn(&format!(
            "{} cut: the answer by `max-tokens`, or the prompt by the context that the server gives the model",
            counted(some, "was", "were")
        ));
    }
    if let some @ 1.. = number(State::Refused) {
        terminal.warn(&format!(
            "{} refused, by the model or by a filter of the server",
            counted(some, "was", "were")
        ));
    }
}

/// Says what has no answer; whether everything has one.
pub(super) fn unanswered(tally: &Tally, terminal: &Terminal) -> bool {
    if tally.failed > 0 {
        let first = tally.first_failure.as_ref().map_or_else(String::new, |[query, document, why]| {
            format!(", the first of document {document} for query {query}: {why}")
        });
        terminal.warn(&format!(
            "{} without an answer{first}",
            counted(tally.failed, "question is", "questions are")
        ));
    }
    if let Some(why) = &tally.stopped {
        terminal.warn(&format!("stopped: {why}; what was answered is kept, and the same command goes on"));
    }
    tally.is_complete()
}
