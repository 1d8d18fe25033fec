//! Commits of a branch with their first parents: what the order of everything is.

use std::collections::HashSet;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use super::{PathParams, QueryParams, json_of, object, project, sent_to};
use crate::access::Caller;
use crate::app::{App, blocking};
use crate::audit;
use crate::compute::computing_body;
use crate::names::checked_text;
use crate::problem::{Answer, Problem};
use crate::records::{self, Commit};

/// Commits of one request: a long write holds up other writers.
const MOST: usize = 50_000;

/// Commits of a branch; the one that none of the others is made of is its newest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommitsRequest {
    branch: String,
    commits: Vec<Commit>,
    /// The first commit of the line, where all of it is known: a project is of one repository.
    #[serde(default)]
    root: Option<String>,
    /// The branch was set back, or rewritten: what it had beside this line is its own no more.
    #[serde(default)]
    reset: bool,
}

#[derive(Serialize)]
struct CommitsResult {
    branch: String,
    commits: usize,
    /// Those of which something was not known.
    new: usize,
}

/// Keeps commits.
pub(crate) async fn post(
    State(app): State<App>,
    caller: Caller,
    PathParams(project): PathParams<String>,
    request: Request,
) -> Answer<Response> {
    let body = sent_to(&app, &caller, &project, request).await?;
    let (name, actor) = (project.clone(), caller.actor());
    let learned = computing_body(&app, caller.key(), body, move |app, body| {
        let sent: CommitsRequest = object(&body.into_decoded()?)?;
        let newest = check(&sent)?;
        let (now, commits, branch) = (app.now(), sent.commits.len(), sent.branch.clone());
        let root = sent.root.clone();
        let new = app.store.write(move |session| {
            let project = records::project_or_new(session, &project, now)?;
            let of = (project, records::next_line(session, project)?);
            let known = sent.root.as_ref().map(|root| records::keep_root(session, project, root));
            if let Some(known) = known.transpose()?.flatten() {
                return Ok(Err(known));
            }
            let mut new = 0;
            for commit in &sent.commits {
                new += usize::from(records::add_commit(session, of, commit)?);
            }
            let is_tip = records::add_tip(session, of, &sent.branch, &newest)?;
            let is_reset = sent.reset && records::reset_to(session, of, &sent.branch, &newest)?;
            if is_reset {
                records::rewrite(session, project)?;
                let about = format!("{} set back to {newest}", sent.branch);
                audit::add(session, (project, now), &actor, "push", &about)?;
            }
            if is_tip || is_reset || new > 0 {
                // The next change gets another number: it came later.
                records::touch_line(session, project, of.1)?;
            }
            if is_tip || new > 0 {
                let about = format!("{new} commits of {}, the last {newest}", sent.branch);
                audit::add(session, (project, now), &actor, "push", &about)?;
            }
            Ok(Ok(new))
        })?;
        let new = new.map_err(|known| other_repository(&known, root.as_deref().unwrap_or_default()))?;
        Ok(CommitsResult { branch, commits, new })
    });
    let learned = learned.await?;
    app.hooks.changed(&name);
    json_of(StatusCode::OK, &learned)
}

/// That a project has the commits of another repository.
pub(super) fn other_repository(known: &str, sent: &str) -> Problem {
    let short = |id: &str| id.chars().take(12).collect::<String>();
    let detail = format!(
        "this project has the commits of another repository: the first of them is {}, and that of these is {}; push \
         each repository to a project of its own",
        short(known),
        short(sent)
    );
    Problem::new(StatusCode::CONFLICT, detail)
}

/// The newest of the commits.
fn check(sent: &CommitsRequest) -> Answer<String> {
    if sent.branch.is_empty() {
        return Err(Problem::at("/branch", "a branch has a name"));
    }
    checked_text("/branch", &sent.branch, 255)?;
    if let Some(root) = &sent.root {
        checked_commit("/root", root)?;
    }
    for (place, one) in sent.commits.iter().enumerate() {
        let at = |key: &str| format!("/commits/{place}/{key}");
        checked_commit(&at("commit"), &one.commit)?;
        if let Some(parent) = &one.parent {
            checked_commit(&at("parent"), parent)?;
        }
        if !rankgate_history::Commit::TIMES.contains(&one.time) {
            let detail =
                format!("{} s since 1970 is no time of a commit: they lie in the years 1 to 9999", one.time);
            return Err(Problem::at(at("time"), detail));
        }
        checked_text(&at("subject"), &one.subject, 1_000)?;
        checked_text(&at("author"), &one.author, 255)?;
        for release in &one.releases {
            checked_text(&at("releases"), release, 255)?;
        }
    }
    if sent.commits.len() > MOST {
        let detail = format!("{} commits: at most {MOST} are taken at a time", sent.commits.len());
        return Err(Problem::at("/commits", detail));
    }
    let parents: HashSet<&str> = sent.commits.iter().filter_map(|one| one.parent.as_deref()).collect();
    let newest: Vec<&str> =
        sent.commits.iter().map(|one| one.commit.as_str()).filter(|id| !parents.contains(id)).collect();
    match newest.as_slice() {
        [newest] => Ok((*newest).to_owned()),
        several => {
            let detail =
                format!("{} of the commits are the parent of no other: a line has one end", several.len());
            Err(Problem::at("/commits", detail))
        }
    }
}

pub(crate) fn checked_commit(pointer: &str, id: &str) -> Answer<()> {
    if matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(Problem::at(pointer, format!("{id:?} is no whole id of a commit: 40 or 64 hexadecimal digits")))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BranchQuery {
    branch: Option<String>,
}

#[derive(Serialize)]
struct Line {
    commits: Vec<OnLine>,
}

#[derive(Serialize)]
struct OnLine {
    commit: String,
    time: i64,
    subject: String,
    releases: Vec<String>,
}

/// The line of a branch, oldest first.
pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(of): QueryParams<BranchQuery>,
) -> Answer<Response> {
    let line = blocking(&app, move |app| {
        let project = project(app, &caller, &name)?;
        app.cache.line(&app.store, project.id, of.branch.as_deref())
    });
    let on_line = |one: rankgate_history::Commit| OnLine {
        commit: one.id,
        time: one.time,
        subject: one.subject,
        releases: one.releases,
    };
    json_of(StatusCode::OK, &Line { commits: line.await?.into_iter().map(on_line).collect() })
}

/// The handling of the body without a store.
#[cfg(any(fuzzing, test))]
pub(crate) fn read(body: &[u8]) -> Answer<()> {
    check(&object(body)?).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last second of the calendar are those of `date -u -d 0001-01-01 +%s` and `date -u -d
    /// '9999-12-31 23:59:59' +%s`.
    #[test]
    fn a_commit_was_made_in_a_year_of_the_calendar() {
        let refused = |time: &str| {
            let id = "a".repeat(40);
            let body = format!(
                r#"{{"branch": "main", "commits": [{{"commit": "{id}", "parent": null, "time": {time}, "subject": ""}}]}}"#
            );
            read(body.as_bytes()).err().map(|problem| problem.detail().to_owned())
        };
        for time in ["-62135596800", "-1", "0", "253402300799"] {
            assert_eq!(refused(time), None, "{time}");
        }
        for time in ["-9223372036854775808", "-62135596801", "253402300800", "9223372036854775807"] {
            assert!(refused(time).is_some_and(|said| said.contains("no time of a commit")), "{time}");
        }
    }

    /// Each with every other would be two and a half thousand million pairs.
    #[test]
    fn a_long_line_is_looked_at_once() {
        let commit = |number: usize| Commit {
            commit: format!("{number:040x}"),
            parent: number.checked_sub(1).map(|before| format!("{before:040x}")),
            time: 0,
            subject: String::new(),
            author: String::new(),
            releases: Vec::new(),
        };
        let sent = |number: usize| CommitsRequest {
            branch: "main".to_owned(),
            commits: (0..number).map(commit).collect(),
            root: None,
            reset: false,
        };
        assert_eq!(check(&sent(MOST)).ok(), Some(format!("{:040x}", MOST - 1)));
        let problem = check(&sent(MOST + 1)).err().map(|problem| problem.detail().to_owned());
        assert_eq!(problem.as_deref(), Some("50001 commits: at most 50000 are taken at a time"));
    }
}
