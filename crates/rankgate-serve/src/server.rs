//! One process: its settings, what it holds, and how it serves.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use tokio::net::TcpListener;

use crate::hook::Hooks;
use crate::limits::{Limits, Rates};
use crate::maintenance::{Retention, retain};
use crate::oidc::Issuers;
use crate::problem::{Answer, Problem};
use crate::store::{Database, Holding, Store, StoreError, Stored};
use crate::told::Cache;
use crate::work::Work;

/// How a server is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its folder.
    pub data: PathBuf,
    /// The address of PostgreSQL, where the data are not in the folder.
    pub database: Option<String>,
    /// Whether everyone on this machine may do everything; else everyone needs a token.
    pub open: bool,
    /// The file that names issuers whose runs of CI need no token of ours.
    pub oidc: Option<PathBuf>,
    /// Proxies whose word on who asks is believed, by their addresses.
    pub proxies: Vec<IpAddr>,
    /// How much is taken from anyone.
    pub limits: Limits,
    /// The folder of specs that may be run by their names; nothing else is ever run.
    pub benchmarks: Option<PathBuf>,
    /// What is deleted, once a day.
    pub retention: Retention,
    /// Where alarms are told to: an address of `http` or `https`, whose path may be a secret.
    pub webhook: Option<String>,
    /// Seconds since 1970.
    pub clock: fn() -> i64,
}

impl Settings {
    /// Everything in a folder, with the usual limits.
    #[must_use]
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            database: None,
            open: false,
            oidc: None,
            proxies: Vec::new(),
            limits: Limits::default(),
            benchmarks: None,
            retention: Retention::default(),
            webhook: None,
            clock: now,
        }
    }
}

/// Seconds.
const HOUR: i64 = 60 * 60;
const DAY: i64 = 24 * HOUR;

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// A running server; copies are the same one.
#[derive(Clone)]
pub struct App(Arc<Inner>);

/// What all requests share.
pub struct Inner {
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) cache: Cache,
    pub(crate) rates: Rates,
    pub(crate) counts: Counts,
    pub(crate) hooks: Hooks,
    pub(crate) work: Arc<Work>,
    pub(crate) issuers: Issuers,
}

/// What is counted for Prometheus.
#[derive(Default)]
pub(crate) struct Counts {
    /// Answers by the first digit of their status.
    pub(crate) answers: [AtomicU64; 6],
    pub(crate) reports: AtomicU64,
    pub(crate) evaluations: AtomicU64,
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

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
        let app = Self(Arc::new(Inner {
            settings,
            store,
            cache: Cache::default(),
            rates: Rates::default(),
            counts: Counts::default(),
            hooks,
            work,
            issuers,
        }));
        if let Some(begun) = begun {
            Hooks::begin(&app, begun)?;
        }
        Ok(app)
    }

    /// What ends with the last copy.
    pub(crate) fn weak(&self) -> Weak<Inner> {
        Arc::downgrade(&self.0)
    }

    pub(crate) fn new(inner: Arc<Inner>) -> Self {
        Self(inner)
    }
}

impl Inner {
    pub(crate) fn now(&self) -> i64 {
        (self.settings.clock)()
    }

    /// The data.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Counts an answer.
    pub(crate) fn counted(&self, answer: Response) -> Response {
        let class = usize::from(answer.status().as_u16() / 100).min(5);
        self.counts.answers[class].fetch_add(1, Ordering::Relaxed);
        answer
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let status = if error.is_invalid {
            StatusCode::UNPROCESSABLE_ENTITY
        } else if error.is_full {
            StatusCode::INSUFFICIENT_STORAGE
        } else if error.is_passing {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        };
        // What the database says of its statements is for whoever runs it.
        if let Some(public) = &error.public {
            log(&format!("error: {error}"));
            return Self::new(status, public.clone());
        }
        Self::new(status, error.to_string())
    }
}

/// Does what takes time, or waits for the disk, beside the threads that serve.
pub(crate) async fn blocking<T: Send + 'static, E: Into<Problem> + Send + 'static>(
    app: &App,
    job: impl FnOnce(&App) -> Result<T, E> + Send + 'static,
) -> Answer<T> {
    let app = app.clone();
    let done = tokio::task::spawn_blocking(move || job(&app)).await;
    let failed =
        |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the server has a fault; its log tells more");
    done.map_err(failed)?.map_err(Into::into)
}

/// Everything that it answers.
pub fn router(app: App) -> Router {
    crate::api::router(app)
}

/// Serves until `stop` ends; requests that were begun are answered, if that takes no longer than
/// [`Limits::stop`].
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

/// What is said of a clock that is behind what was received already: tokens, notes and what is deleted go by it.
fn clock_behind(app: &App) -> Answer<Option<String>> {
    let last = app.store.read(|session| session.one("SELECT MAX(received) FROM report", &[]))?;
    let (last, now) = (last.map_or(0, |row| row.int(0)), app.now());
    Ok((now < last - HOUR).then(|| {
        let [now, last] = [now, last].map(rankgate_history::report::site::day);
        format!("warning: the clock says {now}, and a report was received on {last} already: set the clock")
    }))
}

/// Deletes what is not to be kept, now and once a day, unless the clock has jumped: by what is too old on a wrong clock
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

/// What is said where the clock went on by so many seconds more than the process ran, if anything.
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

/// Writes a line into the server's log.
#[expect(clippy::print_stderr, reason = "this is the server's log")]
pub(crate) fn log(text: &str) {
    eprintln!("{text}");
}
