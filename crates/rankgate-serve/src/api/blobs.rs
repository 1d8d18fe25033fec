//! Runs, judgments and reports by their SHA-256, of one project each.

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::{PathParams, QueryParams, json_of};
use crate::access::Caller;
use crate::app::{App, blocking};
use crate::audit;
use crate::body::receive;
use crate::body::stored_body;
use crate::compute::computing_body;
use crate::contents;
use crate::gzip::decompressed;
use crate::hash::sha256;
use crate::names::checked_name;
use crate::problem::{Answer, Problem};
use crate::records::{self, Right};
use crate::store::Stored;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BlobPath {
    /// That of the token where it is left out.
    project: Option<String>,
}

#[derive(Serialize)]
struct StoredBlob {
    sha256: String,
    size: usize,
    /// Whether it was not there yet.
    new: bool,
}

pub(crate) fn project_of(caller: &Caller, named: Option<&str>, right: Right) -> Answer<String> {
    let project = named.or_else(|| caller.project());
    let project = project.ok_or_else(|| Problem::invalid("say which project it is of: `?project=NAME`"))?;
    caller.may(project, right)?;
    Ok(checked_name("project", project)?.to_owned())
}

/// Keeps the body, if it is what its address says.
pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    PathParams(named): PathParams<String>,
    QueryParams(of): QueryParams<BlobPath>,
    request: Request,
) -> Answer<Response> {
    let project = project_of(&caller, of.project.as_deref(), Right::Push)?;
    let body = receive(request, &app, &caller).await?;
    let done = computing_body(&app, caller.key(), body, move |app, body| {
        let bytes = body.decoded()?;
        let (found, size) = (sha256(&bytes), bytes.len());
        if found != named.to_ascii_lowercase() {
            return Err(Problem::invalid(format!("the body is {found}, and not {named}: nothing was kept")));
        }
        let (gzip, now, hash) = (body.into_gzip()?, app.now(), found.clone());
        let actor = caller.actor();
        let new = app.store.write(move |session| {
            let id = records::project_or_new(session, &project, now)?;
            let new = contents::add(session, (id, now), (&hash, size), gzip, None)?;
            if new {
                audit::add(session, (id, now), &actor, "push", &format!("blob {hash}"))?;
            }
            Ok(new)
        })?;
        Ok(StoredBlob { sha256: found, size, new })
    });
    let done = done.await?;
    json_of(if done.new { StatusCode::CREATED } else { StatusCode::OK }, &done)
}

/// The bytes.
pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    PathParams(named): PathParams<String>,
    QueryParams(of): QueryParams<BlobPath>,
) -> Answer<Response> {
    let project = project_of(&caller, of.project.as_deref(), Right::Read)?;
    let (of, sha256) = (project.clone(), named.clone());
    let size = blocking(&app, move |app| size(app, &of, &sha256)).await?;
    let bytes = stored_body(&app, &caller, size, move |app| find(app, &project, &named)).await?;
    // Nothing that was sent is run or shown by a browser.
    let headers =
        [(header::CONTENT_TYPE, "application/octet-stream"), (header::CONTENT_DISPOSITION, "attachment")];
    Ok((StatusCode::OK, headers, bytes).into_response())
}

/// The number of bytes of a hash, decompressed; a missing one is reported by the code that reads it.
pub(crate) fn size(app: &App, project: &str, named: &str) -> Stored<usize> {
    let row = app.store.read(|session| match records::project(session, project)? {
        Some(project) => {
            let sql = "SELECT size FROM blob WHERE project = $1 AND sha256 = $2";
            session.one(sql, &[project.id.into(), named.to_ascii_lowercase().into()])
        }
        None => Ok(None),
    })?;
    Ok(row.map_or(0, |row| usize::try_from(row.int(0)).unwrap_or(0)))
}

/// Bytes of a project by their hash.
pub(crate) fn find(app: &App, project: &str, named: &str) -> Answer<Vec<u8>> {
    let found = app.store.read(|session| match records::project(session, project)? {
        Some(project) => contents::blob(session, project.id, &named.to_ascii_lowercase()),
        None => Ok(None),
    })?;
    let gzip = found.ok_or_else(|| Problem::missing(format!("the project {project} has no blob {named}")))?;
    decompressed(&gzip, app.settings.limits.body)
}
