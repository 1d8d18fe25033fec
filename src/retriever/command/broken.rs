//! Why a program no longer answers, in words.

use crate::collection::Query;
use crate::error::{Excerpt, Quoted};
use crate::retriever::Limit;
use crate::retriever::limit::TEXT;
use crate::transport::program::{Break, Broken, Unstarted};

/// The message on a program that could not be talked to.
pub fn why_unstarted(why: Unstarted, command: &str, limit: Limit) -> String {
    match why {
        Unstarted::Program(why) => why,
        Unstarted::Broken(broken) => why_broken(&broken, command, limit, None),
    }
}

/// The message on a query that got no answer, or on the program as a whole: the event, the command and the
/// end of its standard error.
pub fn why_broken(broken: &Broken, command: &str, limit: Limit, query: Option<&Query>) -> String {
    let mut said = what(broken, limit, query);
    said += &format!("\ncommand: {}", Excerpt(command, 200));
    let blames_stderr = match broken.why {
        Break::Ended { .. } | Break::Exited | Break::Late(_) | Break::Silent(_) => true,
        Break::Deaf(_)
        | Break::Unreadable(_)
        | Break::TooLong { .. }
        | Break::NotText(_)
        | Break::Refused(_)
        | Break::Unasked { .. } => false,
    };
    match broken.stderr[..] {
        [] if blames_stderr => said += "\nstandard error: nothing",
        [] => {}
        _ => said += "\nstandard error, its end:",
    }
    said.extend(broken.stderr.iter().map(|line| format!("\n  {line}")));
    said
}

/// What happened, on one line or two.
fn what(broken: &Broken, limit: Limit, query: Option<&Query>) -> String {
    let end = broken.end;
    match &broken.why {
        Break::Ended { said_hello, rest } => {
            let exited = match end.status {
                Some(status) if !end.killed => format!("exited ({status})"),
                _ => "closed its standard output".to_owned(),
            };
            match rest {
                Some(rest) => format!("the program {exited} in the middle of a line: {rest}"),
                None if *said_hello => format!("the program {exited} before all queries were answered"),
                None => format!("the program {exited} without saying hello"),
            }
        }
        Break::Exited => {
            let status = end.status.map_or_else(String::new, |status| format!(" ({status})"));
            format!(
                "the program exited{status} after all queries were answered, which says that something went wrong"
            )
        }
        Break::Deaf(error) => format!("the program does not read its standard input ({error})"),
        Break::Unreadable(error) => format!("the program cannot be read: {error}"),
        Break::TooLong { limit, text } => {
            format!("the program wrote a line of more than {limit} MiB: {text}")
        }
        Break::NotText(text) => format!("the program wrote a line that is not UTF-8: {text}"),
        Break::Refused(what) => format!("the program {what}"),
        Break::Unasked { again: true, id, line } => {
            format!("the program answered query {id} a second time: {line}")
        }
        Break::Unasked { again: false, id, line } => {
            format!("the program answered query {id}, which was not asked: {line}")
        }
        Break::Late(id) => match query.filter(|query| query.id == *id) {
            Some(Query { text, .. }) => {
                let text = Excerpt(text, TEXT);
                format!("the program did not answer {text} within {limit}, and was stopped")
            }
            None => {
                let id = Quoted(id);
                format!("the program had not answered query {id} within {limit}, and was stopped")
            }
        },
        Break::Silent(patience) => format!(
            "the program did not say hello within {} s; docs/protocol.md says what it should write",
            patience.as_secs_f64()
        ),
    }
}
