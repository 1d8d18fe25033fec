//! The resources of the API, one file each.

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

use crate::access::Caller;
use crate::app::App;
use crate::body::{Received, receive};
use crate::names::checked_name;
use crate::problem::{Answer, Problem};
use crate::records::{self, Project};

/// The routes, by address.
pub(crate) fn routes() -> Router<App> {
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
        .route("/v1/projects/{project}/alarms/{alarm}/withdraw", post(alarms::withdraw))
        .route("/v1/projects/{project}/labels", get(labels::lists))
        .route("/v1/projects/{project}/labels/{list}", put(labels::put))
        .route("/v1/projects/{project}/labels/{list}/grades", get(labels::grades))
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

/// An upload to a project, which may be new, by a caller who may write to it.
pub(crate) async fn sent_to(app: &App, caller: &Caller, project: &str, request: Request) -> Answer<Received> {
    caller.may(project, records::Right::Push)?;
    checked_name("project", project)?;
    receive(request, app, caller).await
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
