//! Why a program no longer answers, in words.

use crate::collection::Query;
use crate::error::{Excerpt, Quoted};
use crate::program::{Break, Broken, Unstarted};
use crate::retriever::Limit;
use crate::retriever::limit::TEXT;

/// The message on a program that could not be talked to.
pub fn why_unstarted(why: Unstarted, command: &str, limit: Limit) -> String {
    match why {
        Unstarted::Program(why) => why,
        Unstarted::Broken(broken) => why_broken(&broken, command, limit, None),
    }
}

/// The message on a query that got no answer, or on the program as a whole: the event, the command and the
/// end of its standard error. No `command` is one that only carries queries to a process which runs already.
pub fn why_broken(broken: &Broken, command: &str, limit: Limit, query: Option<&Query>) -> String {
    if command.is_empty() {
        return why_behind(broken, limit, query);
    }
    let mut said = what(broken, limit, query);
    said += &format!("\ncommand: {}", Excerpt(command, 200));
    let blames_stderr = match broken.why {
        Break::Ended { .. } | Break::Exited | Break::Late(_) | Break::Silent(_) => true,
        Break::Refused(_) => false,
    };
    match broken.stderr[..] {
        [] if blames_stderr => said += "\nstandard error: nothing",
        [] => {}
        _ => said += "\nstandard error, its end:",
    }
    said.extend(broken.stderr.iter().map(|line| format!("\n  {line}")));
    said
}

/// The message where a program only carries queries: it says what the process behind it says of its retriever.
fn why_behind(broken: &Broken, limit: Limit, query: Option<&Query>) -> String {
    let said = broken.stderr.join("\n");
    match &broken.why {
        Break::Ended { said_hello: false, .. } if !said.is_empty() => said,
        Break::Silent(patience) => format!(
            "its build took longer than {} s; `timeout:` of its configuration gives it more",
            patience.as_secs_f64()
        ),
        _ if said.is_empty() => what(broken, limit, query),
        _ => format!("{}\n{said}", what(broken, limit, query)),
    }
}

/// Why an answer that was written may not have come.
const FLUSH: &str = "; write a newline after each answer, and flush";

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
        Break::Refused(what) => format!("the program {what}"),
        Break::Late(id) => match query.filter(|query| query.id == *id) {
            Some(Query { text, .. }) => {
                let text = Excerpt(text, TEXT);
                format!("the program did not answer {text} within {limit}, and was stopped{FLUSH}")
            }
            None => {
                let id = Quoted(id);
                format!("the program had not answered query {id} within {limit}, and was stopped{FLUSH}")
            }
        },
        Break::Silent(patience) => format!(
            "the program did not say hello within {} s; docs/protocol.md says what it should write",
            patience.as_secs_f64()
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::program::End;

    #[test]
    fn behind_a_program_that_only_carries_queries_the_process_speaks_that_it_carries_them_to() {
        let limit = Limit { time: Duration::from_secs(5), queries: 1, line: None };
        let broken = |why: Break, stderr: &[&str]| {
            let end = End { status: None, killed: true };
            Broken { why, end, stderr: stderr.iter().map(|line| (*line).to_owned()).collect() }
        };
        let ended = || Break::Ended { said_hello: false, rest: None };
        let raised = broken(ended(), &["KeyError: 'x'", "  in load()"]);
        assert_eq!(why_broken(&raised, "", limit, None), "KeyError: 'x'\n  in load()");
        let said = why_broken(&raised, "python3 search.py", limit, None);
        assert!(
            said.contains("without saying hello\ncommand: `python3 search.py`\nstandard error, its end:"),
            "{said}"
        );
        let silent = broken(Break::Silent(Duration::from_secs(300)), &[]);
        let expected = "its build took longer than 300 s; `timeout:` of its configuration gives it more";
        assert_eq!(why_broken(&silent, "", limit, None), expected);
        let late = why_broken(&broken(Break::Late("q1".to_owned()), &[]), "", limit, None);
        assert!(
            late.starts_with("the program had not answered query `q1` within 5 s")
                && !late.contains("command"),
            "{late}"
        );
    }
}
