//! Why a conversation ended, in words.

use std::fmt::Write;
use std::time::Duration;

use crate::collection::Query;
use crate::error::{Excerpt, Quoted};
use crate::retriever::{Limit, Secrets};

use crate::retriever::limit::TEXT;

use super::process::End;
use super::stderr::Kept;

/// What broke a conversation.
pub(super) enum Break {
    /// Standard output ended, perhaps within a line, or the program did.
    Ended { said_hello: bool, rest: Option<String> },
    /// The program ended by itself once all was answered, but badly.
    Exited,
    /// The program did something else, as a phrase that follows its name.
    Said(String),
    /// A query had no answer in time.
    Late(Query, Limit),
    /// The hello did not come in time.
    Silent(Duration),
}

/// A conversation that ended before its time.
#[derive(Debug)]
pub(super) struct Broken {
    /// What happened, on one line or two.
    what: String,
    /// Whether it is no more than the end of what the program writes.
    pub(super) is_end: bool,
    /// The query that was not answered in time, and what is said of it.
    late: Option<(String, String)>,
    /// The command and the end of its standard error, each line after a line break.
    details: String,
}

impl Broken {
    pub(super) fn new(why: Break, end: End, stderr: &[Kept], command: &str, secrets: &Secrets) -> Self {
        let mut late = None;
        let is_end = matches!(why, Break::Ended { said_hello: true, rest: None });
        let mut blames_stderr = true;
        let what = match why {
            Break::Ended { said_hello, rest } => {
                let exited = match end.status {
                    Some(status) if !end.killed => format!("exited ({status})"),
                    _ => "closed its standard output".to_owned(),
                };
                match rest {
                    Some(rest) => format!("the program {exited} in the middle of a line: {rest}"),
                    None if said_hello => format!("the program {exited} before all queries were answered"),
                    None => format!("the program {exited} without saying hello"),
                }
            }
            Break::Exited => {
                let status = end.status.map_or_else(String::new, |status| format!(" ({status})"));
                format!(
                    "the program exited{status} after all queries were answered, which says that something went wrong"
                )
            }
            Break::Said(what) => {
                blames_stderr = false;
                format!("the program {what}")
            }
            Break::Late(Query { id, text, .. }, limit) => {
                let what = format!("the program had not answered query {} within {limit}", Quoted(&id));
                let text = Excerpt(&text, TEXT);
                late =
                    Some((id, format!("the program did not answer {text} within {limit}, and was stopped")));
                what + ", and was stopped"
            }
            Break::Silent(limit) => format!(
                "the program did not say hello within {} s; docs/protocol.md says what it should write",
                limit.as_secs_f64()
            ),
        };
        let mut details = format!("\ncommand: {}", Excerpt(command, 200));
        match stderr {
            [] if blames_stderr => details += "\nstandard error: nothing",
            [] => {}
            _ => details += "\nstandard error, its end:",
        }
        for line in stderr {
            let text = line.text();
            // A line may be cut within a character.
            let whole = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
            let text = if line.cut { secrets.hide_cut(whole) } else { secrets.hide(&text) };
            let _ = write!(details, "\n  {}", clean(&text.replace('\t', "    ")));
        }
        Self { what, is_end, late, details }
    }

    /// What is said of a query, or of the program as a whole.
    pub(super) fn told(&self, query: Option<&str>) -> String {
        let what = match &self.late {
            Some((id, what)) if query == Some(id.as_str()) => what,
            _ => &self.what,
        };
        format!("{what}{}", self.details)
    }
}

/// At most 300 characters of a line, which cannot move a cursor.
fn clean(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars();
    for c in rest.by_ref().take(300) {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    if rest.next().is_some() {
        text += "...";
    }
    text
}
