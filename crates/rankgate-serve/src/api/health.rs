//! Whether it works, what it counted, and which metrics there are.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::time::timeout;

use super::{json, json_of};
use crate::access::Caller;
use crate::app::{App, blocking};
use crate::problem::{Answer, Problem};

/// It runs.
pub(crate) async fn health() -> Response {
    json(StatusCode::OK, r#"{"status": "healthy"}"#)
}

/// The time within which its data have to be read, so that a client learns that they cannot be.
const READY: Duration = Duration::from_secs(1);

/// Its data can be read: a thread and a reader are free for it. And whatever writes and sends alarms still runs.
pub(crate) async fn ready(State(app): State<App>) -> Answer<Response> {
    if let Some(detail) = ended(app.store.is_broken(), app.hooks.is_broken()) {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail));
    }
    let read = blocking(&app, |app| app.store.read(|session| session.one("SELECT 1", &[])));
    let busy = |_| {
        let detail = format!("no reader of the database was free for {} s", READY.as_secs());
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    };
    timeout(READY, read).await.map_err(busy)??;
    Ok(json(StatusCode::OK, r#"{"status": "ready"}"#))
}

/// Which thread has ended that has to run as long as the server does.
fn ended(writer: bool, webhook: bool) -> Option<&'static str> {
    match (writer, webhook) {
        (true, _) => {
            Some("the thread that writes has ended, so that nothing is kept: start the server again")
        }
        (_, true) => Some("the thread that sends alarms has ended: start the server again"),
        (false, false) => None,
    }
}

/// What was counted since it was started, for Prometheus.
pub(crate) async fn prometheus(State(app): State<App>, _: Caller) -> Response {
    let mut text = String::new();
    let mut told = |kind: &str, name: &str, help: &str, values: &[(String, u64)]| {
        let _ = write!(text, "# HELP rankgate_{name} {help}\n# TYPE rankgate_{name} {kind}\n");
        for (labels, value) in values {
            let _ = writeln!(text, "rankgate_{name}{labels} {value}");
        }
    };
    let load = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let counts = &app.counts;
    let answers: Vec<_> =
        (1..=5).map(|class| (format!("{{status=\"{class}xx\"}}"), load(&counts.answers[class]))).collect();
    let mut counter = |name, help, values: &[_]| told("counter", name, help, values);
    counter("answers_total", "Requests answered, by class of status.", &answers);
    counter("reports_total", "Reports received.", &[(String::new(), load(&counts.reports))]);
    counter(
        "evaluations_total",
        "Evaluations and comparisons.",
        &[(String::new(), load(&counts.evaluations))],
    );
    counter(
        "given_up_total",
        "Computations that were given up, since nobody waited or they took too long.",
        &[(String::new(), load(&counts.given_up))],
    );
    let (computing, waiting) = app.work.load();
    let mut gauge = |name, help, value: usize| told("gauge", name, help, &[(String::new(), value as u64)]);
    gauge("computing", "Requests that are being computed.", computing);
    gauge("waiting", "Evaluations and comparisons that wait to be computed.", waiting);
    (StatusCode::OK, [(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

#[derive(Serialize)]
struct Catalogue {
    metrics: Vec<MetricDescription>,
}

/// A metric.
#[derive(Serialize)]
struct MetricDescription {
    name: &'static str,
    description: &'static str,
    written: &'static [&'static str],
    aliases: Vec<String>,
    range: [Option<f64>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<&'static str>,
}

/// The metrics.
pub(crate) async fn catalogue(_: Caller) -> Answer<Response> {
    let finite = |limit: f64| limit.is_finite().then_some(limit);
    let described = |one: &&rankgate::metric::Definition| MetricDescription {
        name: one.name(),
        description: one.summary(),
        written: one.patterns(),
        aliases: one.aliases(),
        range: [finite(*one.range().start()), finite(*one.range().end())],
        needs: one.needs(),
    };
    json_of(
        StatusCode::OK,
        &Catalogue { metrics: rankgate::metric::catalogue().iter().map(described).collect() },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::Hooks;

    #[test]
    fn a_thread_that_has_ended_is_told() {
        let (hooks, telling) = Hooks::new(Some("http://127.0.0.1:1/")).unwrap();
        let (_, waiting) = telling.unwrap();
        hooks.told_by(std::thread::spawn(move || drop(waiting.recv())));
        assert_eq!(ended(false, hooks.is_broken()), None);
        // What it waits for comes, and it ends.
        hooks.changed("search");
        while !hooks.is_broken() {
            std::thread::yield_now();
        }
        let said = ended(false, hooks.is_broken());
        assert_eq!(said, Some("the thread that sends alarms has ended: start the server again"));
        assert!(ended(true, false).is_some_and(|said| said.contains("writes")));
    }
}
