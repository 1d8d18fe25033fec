//! Signing in with a token, and out.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rankgate_history::report::site::{Block, Field, Form, Page, page as rendered};

use super::forms::{FormData, proof};
use super::{Fault, Served, Visitor, go, project_path, titled};
use crate::access::COOKIE;
use crate::app::{App, blocking};
use crate::audit::{self, Actor};
use crate::hash::sha256;
use crate::problem::{Answer, Problem};
use crate::records::{self, NewSession};

/// The page that asks for a token.
pub(super) fn page(wrong: Option<&str>) -> Page {
    let mut blocks: Vec<Block<'_>> = wrong.map(|why| Block::Error(why.to_owned())).into_iter().collect();
    blocks.push(Block::Text(
        "This server shows a project to those who have a token of it: rankgate-serve token add --project NAME --right \
         read, asked of whoever runs it."
            .to_owned(),
    ));
    blocks.push(Block::Form(Form {
        action: "/sign-in".to_owned(),
        post: true,
        fields: vec![proof(None), Field::Line("token", "Token".to_owned(), true)],
        button: "Sign in".to_owned(),
    }));
    rendered(&titled("Sign in"), "rankgate", &blocks)
}

pub(crate) async fn get() -> Served {
    page(None).into()
}

pub(crate) async fn sign_in(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    let secure = is_encrypted(request.headers());
    let sent = FormData::receive(request, &app, None).await?;
    let token = sent.get("token").unwrap_or_default().trim().to_owned();
    let hash = sha256(token.as_bytes());
    let signed = blocking(&app, move |app| start_session(app, &hash)).await?;
    let Some((cookie, project, age)) = signed else {
        let why = "this token is not known, has expired or was revoked";
        return Ok(Served(StatusCode::UNAUTHORIZED, page(Some(why))).into_response());
    };
    // A link from elsewhere brings it along, a form from elsewhere does not.
    let cookie = format!(
        "{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{}",
        if secure { "; Secure" } else { "" }
    );
    with_cookie(go(&project_path(&project, ""))?, &cookie)
}

/// What a browser keeps of a sign-in, of which project it is, and for how many seconds it stands.
fn start_session(app: &App, hash: &str) -> Answer<Option<(String, String, i64)>> {
    let now = app.now();
    let found = app.store.read(|session| records::token(session, hash))?;
    let Some(found) = found.filter(|found| found.is_valid(now)) else { return Ok(None) };
    let cookie = crate::random::secret().map_err(|error| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("no random numbers: {error}"))
    })?;
    let hours = i64::try_from(app.settings.limits.session.as_secs()).unwrap_or(i64::MAX);
    let expires = found.expires.min(now.saturating_add(hours));
    let new = NewSession { sha256: sha256(cookie.as_bytes()), token: found.id, expires };
    let actor = Actor { token: Some(found.id), who: found.name };
    let project = found.project.clone();
    app.store.write(move |session| {
        records::add_session(session, &new, now)?;
        let id = records::project(session, &project)?.map_or(0, |project| project.id);
        audit::add(session, (id, now), &actor, "sign in", "")
    })?;
    Ok(Some((cookie, found.project, expires - now)))
}

pub(crate) async fn sign_out(
    State(app): State<App>,
    Visitor(caller): Visitor,
    request: Request,
) -> Result<Response, Fault> {
    FormData::receive(request, &app, Some(&caller)).await?;
    if let Some(sha256) = caller.session().map(str::to_owned) {
        let (now, actor, project) = (app.now(), caller.actor(), caller.project().map(str::to_owned));
        blocking(&app, move |app| {
            app.store.write(move |session| {
                records::end_session(session, &sha256)?;
                let project = records::project(session, &project.unwrap_or_default())?;
                audit::add(session, (project.map_or(0, |project| project.id), now), &actor, "sign out", "")
            })
        })
        .await?;
    }
    with_cookie(go("/sign-in")?, &format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"))
}

fn with_cookie(mut answer: Response, cookie: &str) -> Result<Response, Fault> {
    let cookie = HeaderValue::from_str(cookie);
    let cookie = cookie.map_err(|_| Problem::invalid("this is no token: it holds what no token holds"))?;
    answer.headers_mut().insert(header::SET_COOKIE, cookie);
    // What browsers kept before there were sign-ins: the token itself.
    let gone = HeaderValue::from_static("rankgate_token=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    answer.headers_mut().append(header::SET_COOKIE, gone);
    Ok(answer)
}

/// Whether the proxy in front says that the browser's side is encrypted.
fn is_encrypted(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https")
        || headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}
