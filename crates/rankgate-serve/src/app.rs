//! The state that all requests share: settings, the data, and counters.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use axum::http::StatusCode;
use axum::response::Response;

use crate::clock::now;
use crate::history::Cache;
use crate::hook::Hooks;
use crate::limits::{Limits, Rates};
use crate::oidc::Issuers;
use crate::problem::{Answer, Problem};
use crate::retention::Retention;
use crate::store::Store;
use crate::whole::ReadLists;
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
    /// The rules of daily deletion.
    pub retention: Retention,
    /// Where alarms are sent: an address of `http` or `https`, whose path may be a secret.
    pub webhook: Option<String>,
    /// The address of a commit at a forge, with `{commit}` in place of its id and `{project}` in that of the project's name.
    pub commit_url: Option<String>,
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
            commit_url: None,
            clock: now,
        }
    }
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
    pub(crate) read_lists: ReadLists,
    pub(crate) hooks: Hooks,
    pub(crate) work: Arc<Work>,
    pub(crate) issuers: Issuers,
}

/// The counters for Prometheus.
#[derive(Default)]
pub(crate) struct Counts {
    /// Answers by the first digit of their status.
    pub(crate) answers: [AtomicU64; 6],
    pub(crate) reports: AtomicU64,
    pub(crate) evaluations: AtomicU64,
    /// Computations that did not come to their end.
    pub(crate) given_up: AtomicU64,
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl App {
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

    /// Where commits of a project lead.
    pub(crate) fn commit_url(&self, project: &str) -> Option<String> {
        self.settings.commit_url.as_ref().map(|pattern| pattern.replace("{project}", project))
    }

    /// Counts an answer.
    pub(crate) fn counted(&self, answer: Response) -> Response {
        let class = usize::from(answer.status().as_u16() / 100).min(5);
        self.counts.answers[class].fetch_add(1, Ordering::Relaxed);
        answer
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
