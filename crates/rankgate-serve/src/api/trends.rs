//! What happened, as `schemas/history.json` has it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use rankgate_history::{ConfigurationTimeline, Histories};

use super::{PathParams, QueryParams, json, project};
use crate::access::Caller;
use crate::app::App;
use crate::compute::computing_read;
use crate::history::{HistoryQuery, histories};
use crate::problem::{Answer, Problem};

/// The requested histories.
pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    QueryParams(asked): QueryParams<HistoryQuery>,
) -> Answer<Response> {
    let text = computing_read(&app, caller.key(), move |app| {
        Ok(rankgate_history::report::json(&all(app, &caller, &name, &asked)?))
    });
    Ok(json(StatusCode::OK, text.await?))
}

/// The same as data.
pub(crate) fn all(app: &App, caller: &Caller, name: &str, asked: &HistoryQuery) -> Answer<Histories> {
    let project = project(app, caller, name)?;
    let (told, refused) = histories(&app.store, &app.cache, &project, asked, &app.settings.limits)?;
    if told.is_empty() && refused.is_empty() && (asked.benchmark.is_some() || asked.configuration.is_some()) {
        return Err(Problem::missing("nothing was measured of that in this project"));
    }
    let own = |one: Arc<ConfigurationTimeline>| {
        Arc::try_unwrap(one).unwrap_or_else(|shared| ConfigurationTimeline::clone(&shared))
    };
    Ok(Histories::new(told.into_iter().map(own).collect(), refused))
}
