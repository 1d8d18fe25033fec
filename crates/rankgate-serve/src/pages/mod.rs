//! Pages for a browser: what the API answers, rendered as reports are. They work without script.
//!
//! | file | shows |
//! |---|---|
//! | `projects.rs` | all projects, and one: its benchmarks, what stands, its reports |
//! | `trend.rs` | what became of a benchmark |
//! | `reports.rs` | a report, and two of them side by side |
//! | `alarms.rs` | alarms, and their acknowledgement |
//! | `labels.rs` | documents that people grade |
//! | `entry.rs` | signing in with a token, and out |
//! | `forms.rs` | data of forms, and the proof that a page of ours sent it |

mod alarms;
mod entry;
mod forms;
mod labels;
mod projects;
mod reports;
mod trend;

use std::collections::HashMap;

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use rankgate::benchmark::model::Verdict;
use rankgate::service::in_address;
use rankgate_history::ConfigurationTimeline;
use rankgate_history::report::site::{
    Block, Cell, Field, Form, Frame, Links, Page, View, head_state, page, standing,
};

use serde::de::DeserializeOwned;

use crate::access::Caller;
use crate::api::{PathParams, QueryParams};
use crate::app::App;
use crate::history::{HistoryQuery, reports_by_commit};
use crate::problem::{Answer, Problem};

/// Pages beside the API.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(projects::all))
        .route("/projects/{project}", get(projects::one))
        .route("/projects/{project}/trend", get(trend::get))
        .route("/projects/{project}/trend.svg", get(trend::svg))
        .route("/projects/{project}/badge.svg", get(trend::badge))
        .route("/projects/{project}/compare", get(reports::compare))
        .route("/projects/{project}/reports/{report}", get(reports::get))
        .route("/projects/{project}/alarms", get(alarms::get))
        .route("/projects/{project}/alarms/{alarm}/acknowledge", post(alarms::acknowledge))
        .route("/projects/{project}/alarms/{alarm}/withdraw", post(alarms::withdraw))
        .route("/projects/{project}/labels/{list}", get(labels::get).post(labels::post))
        .route("/sign-in", get(entry::get).post(entry::sign_in))
        .route("/sign-out", post(entry::sign_out))
}

/// A page, or a page that says why there is none.
type PageResult = Result<Served, Fault>;

/// A page as it is answered.
pub(crate) struct Served(StatusCode, Page);

/// Why there is no page.
pub(crate) struct Fault(Problem);

/// The reader of a page; without a token the page asks for one.
pub(crate) struct Visitor(Caller);

impl From<Page> for Served {
    fn from(page: Page) -> Self {
        Self(StatusCode::OK, page)
    }
}

impl IntoResponse for Served {
    fn into_response(self) -> Response {
        let Self(status, Page { html, policy }) = self;
        let mut answer = (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response();
        let headers = answer.headers_mut();
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        // Without any, forms would not say where they come from.
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        answer
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let Self(problem) = self;
        if problem.status() == StatusCode::UNAUTHORIZED {
            return Served(problem.status(), entry::page(None)).into_response();
        }
        let reason = problem.status().canonical_reason().unwrap_or("Error");
        let frame = Frame { above: home(), ..titled(reason) };
        let overline = problem.status().as_u16().to_string();
        Served(problem.status(), page(&frame, &overline, &[Block::Error(problem.detail().to_owned())]))
            .into_response()
    }
}

impl FromRequestParts<App> for Visitor {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        Ok(Self(Caller::from_request_parts(parts, app).await?))
    }
}

/// What stands in the path of a page: what cannot be read is said on a page.
pub(crate) struct PagePath<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PagePath<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let PathParams(path) = PathParams::from_request_parts(parts, state).await?;
        Ok(Self(path))
    }
}

/// What stands behind the question mark of a page.
pub(crate) struct PageQuery<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for PageQuery<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let QueryParams(query) = QueryParams::from_request_parts(parts, state).await?;
        Ok(Self(query))
    }
}

/// The answer where there is nothing, or something else is to be done: for programs a document, for people a page.
pub(crate) fn refusal(wants: &HeaderMap, path: &str, problem: Problem) -> Response {
    let accepts = wants.get(header::ACCEPT).and_then(|accepts| accepts.to_str().ok()).unwrap_or_default();
    match accepts.contains("text/html") && !path.starts_with("/v1/") {
        true => Fault(problem).into_response(),
        false => problem.into_response(),
    }
}

/// A page without anything around it.
fn titled(title: &str) -> Frame {
    Frame { title: format!("{title}: rankgate"), here: title.to_owned(), ..Frame::default() }
}

fn home() -> Vec<(String, String)> {
    vec![("Projects".to_owned(), "/".to_owned())]
}

/// A page below a project.
fn below(caller: &Caller, project: &str, title: &str) -> Frame {
    let mut above = home();
    above.push((project.to_owned(), project_path(project, "")));
    Frame { above, leave: leave(caller), ..titled(title) }
}

/// The form to sign out.
fn leave(caller: &Caller) -> Option<Form> {
    caller.session().map(|_| Form {
        action: "/sign-out".to_owned(),
        post: true,
        fields: vec![forms::proof(Some(caller))],
        button: "Sign out".to_owned(),
    })
}

/// The address of a page of a project, whose name needs no encoding.
fn project_path(project: &str, path: &str) -> String {
    format!("/projects/{project}{path}")
}

/// Values behind the question mark of an address.
fn query(fields: &[(&str, Option<&str>)]) -> String {
    let given: Vec<String> =
        fields.iter().filter_map(|(name, value)| Some(format!("{name}={}", in_address((*value)?)))).collect();
    if given.is_empty() { String::new() } else { format!("?{}", given.join("&")) }
}

/// The part of the address behind the question mark.
fn history_query(asked: &HistoryQuery) -> String {
    query(&[
        ("benchmark", asked.benchmark.as_deref()),
        ("configuration", asked.configuration.as_deref()),
        ("branch", asked.branch.as_deref()),
        ("base", asked.base.as_deref()),
    ])
}

/// Goes on with another page, after something was done.
fn go(to: &str) -> Answer<Response> {
    let to = HeaderValue::from_str(to);
    let to = to.map_err(|_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "no address"))?;
    Ok((StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response())
}

/// A hidden field, where there is a value.
fn hidden(name: &'static str, value: Option<&str>) -> Option<Field> {
    value.map(|value| Field::Hidden(name, value.to_owned()))
}

/// Where a report came from: a link where a browser opens that as a page.
fn source(source: &str) -> Cell {
    let is_page = source.starts_with("https://") || source.starts_with("http://");
    if is_page { Cell::link("run of CI", source) } else { Cell::from(source) }
}

/// The beginning of a commit's id.
fn short(commit: &str) -> String {
    commit.chars().take(8).collect()
}

/// Where the commits of a history lead: to their reports, and to these held against those of the commit measured before.
fn links_of(app: &App, project: (&str, i64), told: &ConfigurationTimeline) -> Answer<HashMap<String, Links>> {
    let (name, id) = project;
    let of_history = (told.benchmark.as_str(), told.configuration.as_str());
    let reports = app.store.read(|session| reports_by_commit(session, id, of_history))?;
    let view = View { days: None, commit_url: app.commit_url(name) };
    let mut links = HashMap::new();
    let mut before: Option<i64> = None;
    for entry in &told.timeline.commits {
        let Some(report) = reports.get(&entry.commit.commit).copied() else { continue };
        let own = Links {
            report: Some(project_path(name, &format!("/reports/{report}"))),
            comparison: before.map(|before| project_path(name, &format!("/compare?a={before}&b={report}"))),
            ..view.links(&entry.commit.commit)
        };
        links.insert(entry.commit.commit.clone(), own);
        before = Some(report);
    }
    Ok(links)
}

/// Whether alarms stand, and what else is to be known of the newest commits of branches.
fn states(told: &[ConfigurationTimeline]) -> Vec<(Verdict, String)> {
    let mut states = vec![standing(told)];
    if told.is_empty() {
        states = vec![(Verdict::Inconclusive, "nothing was measured".to_owned())];
    }
    for state in told.iter().filter_map(head_state) {
        if !states.contains(&state) {
            states.push(state);
        }
    }
    states
}

/// How many, in words.
fn counted(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
