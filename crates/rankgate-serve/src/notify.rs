//! Alarms sent to an address that the server was started with: one POST of JSON for each alarm.
//!
//! No push waits for it. An alarm that could not be sent is sent later, after ever longer waits. The database holds which
//! alarms were sent, so that none is sent twice.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use rankgate::service::Hook;
use serde::Serialize;

use crate::access::Caller;
use crate::api::alarms::{AlarmParameters, alarms};
use crate::app::App;
use crate::history::HistoryQuery;
use crate::hook::Telling;
use crate::log::log;
use crate::problem::{Answer, Problem};
use crate::records;
use crate::store::{StoreError, Stored};

/// Pushes of one run of CI come together: so long nothing else of the project is waited for.
const TOGETHER: Duration = Duration::from_millis(300);
/// The wait before an alarm is sent again; each next one is twice as long.
const AGAIN: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(3_600);

/// The notification's body.
#[derive(Serialize)]
struct AlarmEvent<'a> {
    event: &'static str,
    project: &'a str,
    /// The page below the server's address.
    page: String,
    #[serde(flatten)]
    alarm: &'a AlarmParameters,
}

/// A project whose alarms are to be looked at, and after which wait again where that fails.
struct Due {
    at: Instant,
    wait: Duration,
}

/// Starts the thread that sends alarms; those that stand already and were not sent are sent now.
pub(crate) fn notify(app: &App, (hook, waiting): Telling) -> Stored<()> {
    for name in app.store.read(records::projects)? {
        app.hooks.changed(&name);
    }
    let weak = app.weak();
    let told = move |project: &str| Some(send(&App::new(weak.upgrade()?), &hook, project));
    let begun = Builder::new().name("webhook".into()).spawn(move || work(told, &waiting));
    let thread = begun.map_err(|error| StoreError::new(format!("cannot start a thread: {error}")))?;
    app.hooks.told_by(thread);
    Ok(())
}

/// Has the alarms of projects sent until the server is gone, of which `send` says nothing.
fn work(mut send: impl FnMut(&str) -> Option<Answer<()>>, waiting: &Receiver<String>) {
    let mut due: BTreeMap<String, Due> = BTreeMap::new();
    loop {
        let next = due.values().map(|one| one.at.saturating_duration_since(Instant::now())).min();
        match waiting.recv_timeout(next.unwrap_or(LONGEST)) {
            Ok(project) => {
                // One that waits after a failure is not hurried by what comes in between.
                let soon = || Due { at: Instant::now() + TOGETHER, wait: AGAIN };
                due.entry(project).or_insert_with(soon);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let now = Instant::now();
        let ready: Vec<String> =
            due.iter().filter(|(_, one)| one.at <= now).map(|(project, _)| project.clone()).collect();
        for project in ready {
            // A fault in one delivery is a delivery that failed: the alarms after it are sent all the same.
            let sent = catch_unwind(AssertUnwindSafe(|| send(&project)));
            let Some(sent) = sent.unwrap_or_else(|_| Some(Err(fault()))) else { return };
            let wait = due.remove(&project).map_or(AGAIN, |one| one.wait);
            if let Err(problem) = sent {
                log(&format!("an alarm of {project} was not told: {}", problem.detail()));
                let next = Due { at: Instant::now() + wait, wait: (wait * 2).min(LONGEST) };
                due.insert(project, next);
            }
        }
    }
}

/// A panic, which has told its place.
fn fault() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has a fault, which stands above")
}

/// Sends the alarms that stand and were not sent yet.
fn send(app: &App, hook: &Hook, project: &str) -> Answer<()> {
    let Some(own) = app.store.read(|session| records::project(session, project))? else { return Ok(()) };
    let all = alarms(app, &Caller::Local, project, &HistoryQuery::default())?;
    for alarm in all.standing_ones() {
        let id = alarm.id().unwrap_or_default();
        let key = [&alarm.benchmark, &alarm.configuration, id].map(str::to_owned);
        let values = [&[own.id.into()], &key.clone().map(Into::into)[..]].concat();
        let sql = "SELECT 1 FROM notified \
                   WHERE project = $1 AND benchmark = $2 AND configuration = $3 AND alarm = $4";
        if app.store.read(|session| session.one(sql, &values))?.is_some() {
            continue;
        }
        let page = format!("/projects/{project}/alarms");
        let body = serde_json::to_vec(&AlarmEvent { event: "alarm", project, page, alarm });
        let body = body.map_err(|error| Problem::json(&error))?;
        hook.tell(&body).map_err(Problem::invalid)?;
        app.store.write(move |session| {
            let sql = "INSERT INTO notified (project, benchmark, configuration, alarm) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT DO NOTHING";
            session.execute(sql, &values)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_fault_in_one_delivery_is_tried_again_and_holds_up_no_other() {
        let (changed, waiting) = channel();
        let (told, heard) = channel();
        let mut asked = Vec::new();
        let send = move |project: &str| {
            asked.push(project.to_owned());
            let times = asked.iter().filter(|asked| *asked == project).count();
            assert!(project != "bad" || times > 1, "it breaks once");
            told.send((project.to_owned(), times)).ok().map(|()| Ok(()))
        };
        let thread = std::thread::spawn(move || work(send, &waiting));
        changed.send("bad".to_owned()).unwrap();
        changed.send("good".to_owned()).unwrap();
        let heard: Vec<(String, usize)> =
            (0..2).map(|_| heard.recv_timeout(Duration::from_secs(30)).unwrap()).collect();
        assert_eq!(heard, [("good".to_owned(), 1), ("bad".to_owned(), 2)]);
        drop(changed);
        thread.join().unwrap();
    }
}
