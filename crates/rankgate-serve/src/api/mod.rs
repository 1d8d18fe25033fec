//! What is answered, one file a resource.

pub(crate) mod alarms;
mod benchmarks;
mod blobs;
pub(crate) mod commits;
pub(crate) mod compare;
pub(crate) mod evaluate;
mod health;
pub(crate) mod labels;
mod openapi;
mod plain;
mod projects;
pub(crate) mod reports;
pub(crate) mod rescore;
pub(crate) mod trends;

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use serde::de::DeserializeOwned;

use crate::access::{Caller, guard};
use crate::body::{Received, receive};
use crate::problem::{Answer, Problem};
use crate::records::{self, Project};
use crate::server::App;

pub(crate) fn router(app: App) -> Router {
    Router::new()
        .route("/health", get(health::health))
        .route("/ready", get(health::ready))
        .route("/metrics", get(health::prometheus))
        .route("/v1/openapi.json", get(openapi::document))
        .route("/v1/metrics", get(health::catalogue))
        .route("/v1/evaluate", post(evaluate::evaluate))
        .route("/v1/compare", post(compare::compare))
        .route("/v1/benchmarks", get(benchmarks::list))
        .route("/v1/benchmarks/{name}/run", post(benchmarks::run))
        .route("/v1/blobs/{sha256}", put(blobs::put).get(blobs::get))
        .route("/v1/projects", get(projects::list))
        .route("/v1/projects/{project}/commits", post(commits::post).get(commits::get))
        .route("/v1/projects/{project}/reports", post(reports::post).get(reports::list))
        .route("/v1/projects/{project}/reports/{report}", get(reports::get))
        .route("/v1/projects/{project}/runs", post(rescore::keep))
        .route("/v1/projects/{project}/rescore", post(rescore::rescore))
        .route("/v1/projects/{project}/trends", get(trends::get))
        .route("/v1/projects/{project}/alarms", get(alarms::get))
        .route("/v1/projects/{project}/alarms/{alarm}/acknowledge", post(alarms::acknowledge))
        .route("/v1/projects/{project}/labels", get(labels::lists))
        .route("/v1/projects/{project}/labels/{list}", put(labels::put))
        .route("/v1/projects/{project}/labels/{list}/grades", get(labels::grades))
        .merge(crate::pages::routes())
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .layer(axum::middleware::from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn nowhere() -> Problem {
    Problem::missing("nothing is here; /v1/openapi.json lists what there is")
}

async fn not_so() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this is not what can be done here; /v1/openapi.json lists what can",
    )
}

/// What stands in the path.
pub(crate) struct PathParams<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        let path: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, state).await;
        path.map(|Path(at)| Self(at)).map_err(|why| Problem::missing(why.body_text()))
    }
}

/// What stands behind the question mark.
pub(crate) struct QueryParams<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Answer<Self> {
        let query: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        query
            .map(|Query(with)| Self(with))
            .map_err(|why| Problem::new(StatusCode::BAD_REQUEST, why.body_text()))
    }
}

/// JSON that was written already.
pub(crate) fn json(status: StatusCode, body: impl Into<axum::body::Body>) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}

/// A value as JSON.
pub(crate) fn json_of<T: serde::Serialize>(status: StatusCode, value: &T) -> Answer<Response> {
    let body = serde_json::to_vec(value);
    let failed = |error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("no JSON: {error}"));
    Ok(json(status, body.map_err(failed)?))
}

/// The project of a name, if the caller may read it.
pub(crate) fn project(app: &App, caller: &Caller, name: &str) -> Answer<Project> {
    caller.may(name, records::Right::Read)?;
    let found = app.store.read(|session| records::project(session, name))?;
    found.ok_or_else(|| Problem::missing(format!("there is no project {name}")))
}

/// What is sent to a project, which need not be there yet, by a caller who may write to it.
pub(crate) async fn sent_to(app: &App, caller: &Caller, project: &str, request: Request) -> Answer<Received> {
    caller.may(project, records::Right::Push)?;
    checked_name("project", project)?;
    receive(request, app, caller).await
}

/// Refuses names that would be hard to write into an address, and text that not every database holds.
pub(crate) fn checked_name<'a>(what: &str, name: &'a str) -> Answer<&'a str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) || name.starts_with('.') {
        let detail = format!(
            "{name:?} is no name of a {what}: letters of ASCII, digits, `-`, `_` and `.`, at most 64"
        );
        return Err(Problem::invalid(detail));
    }
    Ok(name)
}

/// The same for text that is shown.
pub(crate) fn checked_text(pointer: &str, text: &str, longest: usize) -> Answer<()> {
    if text.contains('\0') {
        return Err(Problem::at(pointer, "a NUL character is no text"));
    }
    if text.len() > longest {
        return Err(Problem::at(pointer, format!("it has {} bytes; at most {longest} are kept", text.len())));
    }
    Ok(())
}

/// A body that is an object.
pub(crate) fn object<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Answer<T> {
    // A list would be taken for the values of an object in their order.
    match body.iter().position(|byte| !byte.is_ascii_whitespace()) {
        Some(first) if body[first] != b'{' && matches!(body[first], b'[' | b'"' | b'0'..=b'9') => {
            Err(Problem::invalid("the body is JSON, and not an object"))
        }
        _ => serde_json::from_slice(body).map_err(|error| Problem::json(&error)),
    }
}
