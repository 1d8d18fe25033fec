//! One process: what it opens, what it answers, and how it serves.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use rankgate_history::report::site::day;
use tokio::net::TcpListener;

use crate::access::guard;
use crate::app::{App, Counts, Inner, Settings, blocking};
use crate::history::Cache;
use crate::hook::Hooks;
use crate::limits::Rates;
use crate::log::log;
use crate::notify::notify;
use crate::oidc::Issuers;
use crate::problem::{Answer, Problem};
use crate::retention::retain;
use crate::store::{Database, Holding, Store, Stored};
use crate::whole::ReadLists;
use crate::work::Work;
use crate::{api, pages};

/// Seconds.
const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

impl App {
    /// Opens the data.
    ///
    /// # Errors
    /// Those of [`Store::open`]; an address of a webhook that is none; a file of issuers that cannot be read or is wrong.
    pub fn open(settings: Settings) -> Stored<Self> {
        let database = Database::new(&settings.data, settings.database.as_deref());
        let (hooks, begun) = Hooks::new(settings.webhook.as_deref())?;
        let store = Store::open(database, &settings.data, Holding::Alone)?;
        let issuers = Issuers::open(settings.oidc.as_deref())?;
        let work = Work::new(settings.limits);
        let app = Self::new(Arc::new(Inner {
            settings,
            store,
            cache: Cache::default(),
            rates: Rates::default(),
            counts: Counts::default(),
            read_lists: ReadLists::default(),
            hooks,
            work,
            issuers,
        }));
        if let Some(begun) = begun {
            notify(&app, begun)?;
        }
        Ok(app)
    }
}

/// Everything that it answers.
pub fn router(app: App) -> Router {
    api::routes()
        .merge(pages::routes())
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .layer(axum::middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn nowhere(at: Uri, wants: HeaderMap) -> Response {
    let problem = Problem::missing("nothing is here; /v1/openapi.json lists what there is");
    pages::refusal(&wants, at.path(), problem)
}

async fn not_so(at: Uri, wants: HeaderMap) -> Response {
    let problem = Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this is not what can be done here; /v1/openapi.json lists what can",
    );
    pages::refusal(&wants, at.path(), problem)
}

/// Serves until `stop` ends; requests that were begun are answered, if that takes no longer than
/// [`Limits::stop`](crate::Limits::stop).
///
/// # Errors
/// Those of the listener.
pub async fn serve(
    app: App,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    if let Some(why) = blocking(&app, clock_behind).await.ok().flatten() {
        log(&why);
    }
    if !app.settings.retention.is_none() {
        tokio::spawn(daily(app.clone()));
    }
    let limits = app.settings.limits;
    crate::connections::serve(router(app), listener, limits, stop).await;
    Ok(())
}

/// The message on a clock that is behind the last received data: tokens, notes and deletion go by it.
fn clock_behind(app: &App) -> Answer<Option<String>> {
    let last = app.store.read(|session| session.one("SELECT MAX(received) FROM report", &[]))?;
    let (last, now) = (last.map_or(0, |row| row.int(0)), app.now());
    Ok((now < last - HOUR).then(|| {
        let [now, last] = [now, last].map(day);
        format!("warning: the clock says {now}, and a report was received on {last} already: set the clock")
    }))
}

/// Deletes old data, now and once a day, unless the clock has jumped: by ages on a wrong clock
/// nothing is deleted.
async fn daily(app: App) {
    let mut last: Option<(i64, Instant)> = None;
    loop {
        let (now, instant) = (app.now(), Instant::now());
        let jump = last.map_or(0, |(then, at)| now - then - at.elapsed().as_secs() as i64);
        last = Some((now, instant));
        if let Some(why) = jumped(jump) {
            log(&why);
        }
        if jump.abs() < DAY {
            let retained = blocking(&app, |app| retain(&app.store, app.settings.retention, app.now())).await;
            if let Err(problem) = retained {
                log(&format!("what is old was not deleted: {}", problem.detail()));
            }
        }
        tokio::time::sleep(std::time::Duration::from_secs(DAY as u64)).await;
    }
}

/// The message where the clock went on by so many seconds more than the process ran, if any.
fn jumped(seconds: i64) -> Option<String> {
    if seconds.abs() < HOUR {
        return None;
    }
    let (hours, way) = (seconds.abs() / HOUR, if seconds > 0 { "forward" } else { "back" });
    let nothing = if seconds.abs() < DAY { "" } else { "; nothing is deleted today" };
    Some(format!(
        "the clock jumped {way} by {hours} h since yesterday, as it also does where a machine was suspended{nothing}"
    ))
}
