//! What there is, as OpenAPI 3.1: `openapi.json`, which a test holds against the routes.

use axum::http::StatusCode;
use axum::response::Response;

use super::json;

/// The document.
pub(crate) const OPENAPI: &str = include_str!("openapi.json");

pub(crate) async fn document() -> Response {
    json(StatusCode::OK, OPENAPI)
}
