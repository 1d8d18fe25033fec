//! Pages. They work without script; the page of a report brings its own.

use std::collections::BTreeMap;
use std::fmt::Write;

use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use rankgate_history::{self as history, Alarm, day, escaped, section};
use rankgate_report::benchmark::model::Report;
use serde::Deserialize;

use crate::api::{Shared, keep, main};
use crate::problem::{Answer, Problem};
use crate::store::Summary;
use crate::token::Caller;
use crate::trend::trend;
use rankgate_core::internal::shown::in_address;

const POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The page of a report has the rest of its policy in its head.
const REPORT_POLICY: &str = "frame-ancestors 'none'; base-uri 'none'; object-src 'none'";
/// Reports that a benchmark's page lists.
const REPORTS: i64 = 50;

pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], history::style())
}

fn page(title: &str, content: &str) -> Response {
    let title = escaped(title);
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}</title>\
         <link rel=\"stylesheet\" href=\"/style.css\"></head><body>{content}</body></html>\n"
    );
    answer(html, POLICY)
}

fn answer(html: String, policy: &'static str) -> Response {
    let mut response = ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// All projects and their benchmarks.
pub(crate) async fn projects(State(app): Shared) -> Answer<Response> {
    let mut projects: BTreeMap<String, String> = BTreeMap::new();
    for (project, benchmark, reports) in app.store.benchmarks().await? {
        let link = format!("/projects/{}/{}", in_address(&project), in_address(&benchmark));
        let row = format!(
            "<tr><td><a href=\"{link}\">{}</a></td><td class=\"number\">{reports}</td></tr>",
            escaped(&benchmark)
        );
        projects.entry(project).or_default().push_str(&row);
    }
    let mut html = String::from("<h1>Projects</h1>");
    for (project, rows) in &projects {
        let _ = write!(
            html,
            "<h2>{}</h2><table><thead><tr><th>Benchmark</th><th class=\"number\">Reports</th></tr></thead>\
             <tbody>{rows}</tbody></table>",
            escaped(project)
        );
    }
    if projects.is_empty() {
        html +=
            "<p>There are no reports yet. Send some: <code>rankgate push --to URL --project NAME</code></p>";
    }
    Ok(page("Projects", &html))
}

#[derive(Deserialize)]
pub(crate) struct Branch {
    branch: Option<String>,
}

/// The trend of a benchmark, with its alarms and its newest reports.
pub(crate) async fn benchmark(
    State(app): Shared,
    Path((project, benchmark)): Path<(String, String)>,
    Query(Branch { branch }): Query<Branch>,
) -> Answer<Response> {
    let branch = branch.unwrap_or_else(main);
    let told = trend(&app, (project.clone(), benchmark.clone(), branch.clone())).await?;
    let reports = app.store.reports((&project, Some(&benchmark), Some(&branch)), (REPORTS, 0)).await?;
    let mut html = format!(
        "<nav><a href=\"/\">Projects</a> / {}</nav><h1>{}</h1><p class=\"soft\">branch {}</p>",
        escaped(&project),
        escaped(&benchmark),
        escaped(&branch)
    );
    let address = format!(
        "/projects/{}/{}?branch={}",
        in_address(&project),
        in_address(&benchmark),
        in_address(&branch)
    );
    let form = |alarm: &Alarm| {
        format!(
            "<form method=\"post\" action=\"{}\"><input type=\"hidden\" name=\"alarm\" value=\"{}\">\
             <label>Note <input name=\"note\" required maxlength=\"500\"></label> <button>Acknowledge</button></form>",
            escaped(&address),
            escaped(&alarm.id)
        )
    };
    for one in told.iter() {
        html += &section(one, &form);
    }
    html += "<h2>Reports</h2><table><thead><tr><th>Commit</th><th>Date</th><th>Gates</th><th>Message</th></tr></thead><tbody>";
    for one in &reports {
        html += &row(one);
    }
    Ok(page(&benchmark, &(html + "</tbody></table>")))
}

fn row(one: &Summary) -> String {
    let verdicts: Vec<String> =
        one.verdicts.iter().map(|(verdict, number)| format!("{number} {verdict}")).collect();
    format!(
        "<tr><td><a href=\"/reports/{}\"><code>{}</code></a></td><td>{}</td><td>{}</td><td>{}</td></tr>",
        in_address(&one.id),
        escaped(&one.commit.chars().take(8).collect::<String>()),
        day(one.time),
        escaped(&verdicts.join(", ")),
        escaped(&one.subject)
    )
}

#[derive(Deserialize)]
pub(crate) struct Note {
    alarm: String,
    note: String,
}

/// Acknowledges an alarm from the page.
pub(crate) async fn acknowledge(
    State(app): Shared,
    Path((project, benchmark)): Path<(String, String)>,
    Query(Branch { branch }): Query<Branch>,
    axum::Extension(caller): axum::Extension<Caller>,
    Form(Note { alarm, note }): Form<Note>,
) -> Answer<Redirect> {
    keep(&app, (&project, &benchmark, &alarm), &note, &caller).await?;
    let branch = in_address(&branch.unwrap_or_else(main));
    let (project, benchmark) = (in_address(&project), in_address(&benchmark));
    Ok(Redirect::to(&format!("/projects/{project}/{benchmark}?branch={branch}")))
}

/// A report as its own page.
pub(crate) async fn report(State(app): Shared, Path(id): Path<String>) -> Answer<Response> {
    let (_, report) = app.store.report(&id).await?;
    let html = app
        .compute(move || {
            let report: Report = serde_json::from_str(&report).map_err(|error| {
                Problem::new(
                    axum::http::StatusCode::UNPROCESSABLE_ENTITY,
                    format!("This version of the server cannot show the report: {error}"),
                )
            })?;
            Ok(rankgate_report::report::html(&report))
        })
        .await?;
    Ok(answer(html, REPORT_POLICY))
}
