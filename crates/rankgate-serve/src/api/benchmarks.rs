//! Specs that lie in a folder of the server's, carried out by their names. Nothing that is sent is carried out.

use std::path::PathBuf;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use rankgate::standalone::Standalone;
use serde::Serialize;

use super::{PathParams, json, json_of};
use crate::access::Caller;
use crate::app::{App, blocking};
use crate::body::receive;
use crate::compute::computing_benchmark;
use crate::names::checked_name;
use crate::problem::{Answer, Problem};
use crate::records::Right;

/// How a spec's file may end.
const ENDINGS: [&str; 2] = ["yaml", "yml"];

#[derive(Serialize)]
struct Benchmarks {
    benchmarks: Vec<Named>,
}

#[derive(Serialize)]
struct Named {
    name: String,
}

/// The names of files in the folder.
pub(crate) async fn list(State(app): State<App>, _: Caller) -> Answer<Response> {
    let names = blocking(&app, names).await?;
    let benchmarks = names.into_iter().map(|name| Named { name }).collect();
    json_of(StatusCode::OK, &Benchmarks { benchmarks })
}

fn names(app: &App) -> Answer<Vec<String>> {
    let Some(folder) = &app.settings.benchmarks else { return Ok(Vec::new()) };
    let failed = |error| {
        let detail = format!("the folder of benchmarks cannot be read: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_spec = path.extension().is_some_and(|ending| ENDINGS.iter().any(|one| ending == *one));
        let name = path.file_stem().and_then(|name| name.to_str()).filter(|_| is_spec && path.is_file());
        names.extend(name.filter(|name| checked_name("benchmark", name).is_ok()).map(str::to_owned));
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Carries a spec out and answers its report. Golden files are compared with, and not written.
pub(crate) async fn run(
    State(app): State<App>,
    caller: Caller,
    PathParams(name): PathParams<String>,
    request: Request,
) -> Answer<Response> {
    caller.may_somewhere(Right::Push)?;
    let body = receive(request, &app, &caller).await?;
    let own = caller.clone();
    let report = computing_benchmark(&app, &own, body, move |app, body| {
        if !body.into_decoded()?.trim_ascii().is_empty() {
            let detail = "a body is of no use here: specs in the server's folder are run by their names, and no others";
            return Err(Problem::invalid(detail));
        }
        let missing = || Problem::missing(format!("there is no benchmark {name}"));
        if checked_name("benchmark", &name).is_err() || !names(app)?.contains(&name) {
            return Err(missing());
        }
        let folder = app.settings.benchmarks.as_ref().ok_or_else(missing)?;
        let files = ENDINGS.map(|ending| folder.join(format!("{name}.{ending}")));
        let file: &PathBuf = files.iter().find(|file| file.is_file()).ok_or_else(missing)?;
        let benchmark = Standalone::new().output(app.settings.data.join("runs")).open(file)?;
        drop(benchmark.run_where(|_| true));
        Ok(rankgate::report::json(&benchmark.report()))
    });
    Ok(json(StatusCode::OK, report.await?))
}
