//! What all requests share, and what each passes before its handler: log, limits, tokens.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::error_handling::HandleErrorLayer;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;
use tower::ServiceBuilder;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::decompression::RequestDecompressionLayer;
use tower_http::timeout::TimeoutLayer;

use crate::problem::{Answer, Problem};
use crate::store::Store;
use crate::token::{self, Caller};
use crate::trend::Trends;
use crate::{api, log, pages};

/// Bytes of a body, unpacked.
const BODY: usize = 32 << 20;
const TIME: Duration = Duration::from_secs(30);
/// Requests at a time; of more, the caller is asked to come again.
const REQUESTS: usize = 256;

/// Paths that need no token.
const OPEN: [&str; 5] = ["/health", "/ready", "/metrics", "/openapi.json", "/style.css"];

pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) trends: Trends,
    pub(crate) counts: Counts,
    computing: Semaphore,
    rate: f64,
    rates: Mutex<HashMap<String, Bucket>>,
}

/// What `/metrics` shows.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) reports: AtomicU64,
    pub(crate) evaluations: AtomicU64,
    /// Requests by the first digit of their status.
    pub(crate) requests: [AtomicU64; 6],
    pub(crate) micros: AtomicU64,
}

/// Requests that a token has left, and when that was counted.
struct Bucket {
    left: f64,
    counted: Instant,
}

impl App {
    pub(crate) fn new(store: Store, rate: u32) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            store,
            trends: Trends::default(),
            counts: Counts::default(),
            computing: Semaphore::new(cores),
            rate: f64::from(rate),
            rates: Mutex::default(),
        }
    }

    /// Does something that takes the processor, on a thread for that; as many at a time as there are cores.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let _permit = self.computing.acquire().await.map_err(|error| Problem::fault(&error))?;
        tokio::task::spawn_blocking(work).await.map_err(|error| Problem::fault(&error))?
    }

    /// Takes one request from the rate of a known token, or from that of all others together.
    fn take(&self, caller: &str) -> Answer<()> {
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let bucket = rates.entry(caller.to_owned()).or_insert(Bucket { left: self.rate, counted: now });
        let earned = now.duration_since(bucket.counted).as_secs_f64() * self.rate;
        bucket.left = (bucket.left + earned).min(self.rate);
        bucket.counted = now;
        if bucket.left < 1.0 {
            let detail = format!("This token may send {} requests a second.", self.rate);
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, detail));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/health", get(api::health))
        .route("/ready", get(api::ready))
        .route("/metrics", get(api::metrics))
        .route("/openapi.json", get(api::openapi))
        .route("/style.css", get(pages::style))
        .route("/v1/evaluate", post(api::evaluate))
        .route("/v1/compare", post(api::compare))
        .route("/v1/reports", post(api::push))
        .route("/v1/reports/{id}", get(api::report))
        .route("/v1/projects", get(api::projects))
        .route("/v1/projects/{project}/reports", get(api::reports))
        .route("/v1/projects/{project}/trends", get(api::trends))
        .route("/v1/projects/{project}/alarms", get(api::alarms))
        .route("/v1/projects/{project}/acknowledgements", post(api::acknowledge))
        .route("/", get(pages::projects))
        .route("/reports/{id}", get(pages::report))
        .route("/projects/{project}/{benchmark}", get(pages::benchmark).post(pages::acknowledge))
        .fallback(|| async { Problem::missing("There is nothing at this address.") })
        .layer(DefaultBodyLimit::max(BODY))
        .layer(RequestDecompressionLayer::new())
        .layer(from_fn_with_state(Arc::clone(&app), authorize))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, TIME))
        .layer(
            ServiceBuilder::new()
                .layer(HandleErrorLayer::new(|_| async {
                    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "The server is busy. Try again later.")
                }))
                .load_shed()
                .layer(GlobalConcurrencyLimitLayer::new(REQUESTS)),
        )
        .layer(from_fn_with_state(Arc::clone(&app), observe))
        .with_state(app)
}

/// Counts and logs a request, and answers every error as a problem.
async fn observe(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    let status = response.status();
    let is_problem = |headers: &HeaderMap| {
        headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/problem+json")
    };
    if (status.is_client_error() || status.is_server_error()) && !is_problem(response.headers()) {
        let detail = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "The body has more than 32 MiB when it is unpacked.",
            StatusCode::REQUEST_TIMEOUT => "This took longer than 30 s.",
            StatusCode::METHOD_NOT_ALLOWED => "This address takes another method.",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "Send JSON, plain or compressed with gzip.",
            _ => "The request cannot be read.",
        };
        response = Problem::new(status, detail).into_response();
    }
    let elapsed = begun.elapsed();
    let class = usize::from(status.as_u16() / 100).min(5);
    app.counts.requests[class].fetch_add(1, Ordering::Relaxed);
    app.counts.micros.fetch_add(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    let caller = response.extensions().get::<Caller>().map(|caller| caller.name.clone());
    log::event(
        "request",
        &[
            ("method", method.as_str().into()),
            ("path", path.into()),
            ("status", status.as_u16().into()),
            ("ms", (elapsed.as_secs_f64() * 1e3).into()),
            ("token", caller.into()),
        ],
    );
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Lets a request pass if its token may do what it wants.
async fn authorize(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if OPEN.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    // A body cannot be shared between threads while the database is asked.
    let (mut parts, body) = request.into_parts();
    match caller(&app, &parts).await {
        Ok(caller) => {
            parts.extensions.insert(caller.clone());
            let mut response = next.run(Request::from_parts(parts, body)).await;
            response.extensions_mut().insert(caller);
            response
        }
        Err(problem) => problem.into_response(),
    }
}

async fn caller(app: &App, request: &Parts) -> Answer<Caller> {
    let given = request.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(token::from_header);
    let known = match &given {
        Some(token) => app.store.caller(token).await?.map(|caller| (token::hash(token), caller)),
        None => None,
    };
    app.take(known.as_ref().map_or("", |(hash, _)| hash))?;
    let Some((_, caller)) = known else {
        let detail = match given {
            Some(_) => "This token is unknown, revoked or expired.",
            None => "Send a token: `Authorization: Bearer TOKEN`.",
        };
        return Err(Problem::new(StatusCode::UNAUTHORIZED, detail));
    };
    if request.method == Method::POST {
        same_origin(&request.headers)?;
        let is_reading = matches!(request.uri.path(), "/v1/evaluate" | "/v1/compare");
        if !caller.can_write && !is_reading {
            return Err(Problem::new(StatusCode::FORBIDDEN, "This token may only read."));
        }
    }
    Ok(caller)
}

/// Refuses what a page of another site makes a browser send, which adds the token by itself.
fn same_origin(headers: &HeaderMap) -> Answer<()> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_foreign = match (text("sec-fetch-site"), text("origin"), text("host")) {
        (Some(site), _, _) => !matches!(site, "same-origin" | "none"),
        (None, Some(origin), Some(host)) => origin.split_once("://").map(|(_, own)| own) != Some(host),
        (None, origin, _) => origin.is_some(),
    };
    match is_foreign {
        true => Err(Problem::new(StatusCode::FORBIDDEN, "A page of another site sent this.")),
        false => Ok(()),
    }
}
