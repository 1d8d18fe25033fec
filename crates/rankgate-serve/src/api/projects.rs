//! Projects: the scope of a token.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;

use super::json_of;
use crate::access::Caller;
use crate::app::{App, blocking};
use crate::problem::Answer;
use crate::records::{self, Right};

#[derive(Serialize)]
struct Projects {
    projects: Vec<Named>,
}

#[derive(Serialize)]
struct Named {
    name: String,
}

/// Those that the caller may read.
pub(crate) async fn list(State(app): State<App>, caller: Caller) -> Answer<Response> {
    let all = blocking(&app, |app| app.store.read(records::projects)).await?;
    let own = all.into_iter().filter(|name| caller.may(name, Right::Read).is_ok());
    json_of(StatusCode::OK, &Projects { projects: own.map(|name| Named { name }).collect() })
}
