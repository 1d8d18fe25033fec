//! Who asks, and what they may.
//!
//! A server that listens on this machine alone lets everyone on it do everything, unless it was told to ask for tokens.
//! A request that came through a proxy, or by another name than this machine's, is not from this machine: it needs a
//! token. What a page elsewhere makes a browser send is refused.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::hash::sha256;
use crate::problem::{Answer, Problem};
use crate::records::{self, Right};
use crate::server::{App, blocking};

/// Whoever sent a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Somebody on this machine, where no tokens are asked for.
    Local,
    /// The holder of a token.
    Token { id: i64, project: String, right: Right },
}

/// The cookie that holds a token in a browser.
pub(crate) const COOKIE: &str = "rankgate_token";

impl Caller {
    /// Refuses what the caller may not do in a project. One that is not theirs is as one that is not there.
    pub(crate) fn may(&self, project: &str, right: Right) -> Answer<()> {
        match self {
            Self::Local => Ok(()),
            Self::Token { project: own, .. } if own != project => {
                Err(Problem::missing(format!("there is no project {project}")))
            }
            Self::Token { right: own, .. } if right == Right::Write && *own == Right::Read => {
                Err(Problem::new(StatusCode::FORBIDDEN, "this token reads, and writes nothing"))
            }
            Self::Token { .. } => Ok(()),
        }
    }

    /// The project that is meant where none is named.
    pub(crate) fn project(&self) -> Option<&str> {
        match self {
            Self::Local => None,
            Self::Token { project, .. } => Some(project),
        }
    }

    /// By what their work is counted.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Local => "this machine".to_owned(),
            Self::Token { id, .. } => format!("token {id}"),
        }
    }

    /// The token's number, for the audit.
    pub(crate) fn token(&self) -> Option<i64> {
        match self {
            Self::Local => None,
            Self::Token { id, .. } => Some(*id),
        }
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        let Some(token) = token(&parts.headers) else {
            let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
            if !app.settings.tokens && is_local(&parts.headers, peer) {
                return Ok(Self::Local);
            }
            return Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "a token is asked for: `Authorization: Bearer ...`",
            ));
        };
        let (hash, now) = (sha256(token.as_bytes()), app.now());
        let found =
            blocking(app, move |app| app.store.read(|session| records::token(session, &hash))).await?;
        match found.filter(|found| found.expires > now && !found.revoked) {
            Some(found) => Ok(Self::Token { id: found.id, project: found.project, right: found.right }),
            None => Err(Problem::new(
                StatusCode::UNAUTHORIZED,
                "this token is not known, has expired or was revoked",
            )),
        }
    }
}

/// The token that a request carries.
fn token(headers: &HeaderMap) -> Option<&str> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let (scheme, token) = value.to_str().ok()?.split_once(' ').unwrap_or_default();
        return Some(if scheme.eq_ignore_ascii_case("bearer") { token.trim() } else { "" });
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = cookies.flat_map(|value| value.split(';')).filter_map(|one| one.trim().split_once('='));
    cookies.find(|(name, _)| *name == COOKIE).map(|(_, token)| token)
}

/// Whether a request was made on this machine, by its name: neither forwarded, nor for a name that somebody else let
/// point here.
fn is_local(headers: &HeaderMap, peer: Option<IpAddr>) -> bool {
    let forwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    peer.is_none_or(|peer| peer.is_loopback())
        && forwarded.iter().all(|name| !headers.contains_key(*name))
        && is_loopback_name(host)
}

/// Whether a host, with or without a port, is this machine.
fn is_loopback_name(host: &str) -> bool {
    if let Ok(address) = host.parse::<SocketAddr>() {
        return address.ip().is_loopback();
    }
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return address.is_loopback();
    }
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    name.eq_ignore_ascii_case("localhost")
}

/// Refuses too many requests, and those that a page elsewhere made a browser send.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_string());
    let client = token(request.headers()).map(|token| sha256(token.as_bytes())).or(peer).unwrap_or_default();
    if !app.rates.allows(&client, app.settings.limits.requests, std::time::Instant::now()) {
        let detail = format!("more than {} requests a second", app.settings.limits.requests);
        return app.counted(Problem::new(StatusCode::TOO_MANY_REQUESTS, detail).into_response());
    }
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !reads && is_from_elsewhere(request.headers()) {
        let detail = "this was sent by a page of another site";
        return app.counted(Problem::new(StatusCode::FORBIDDEN, detail).into_response());
    }
    let answer = next.run(request).await;
    app.counted(answer)
}

fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    if let Some(site) = text("sec-fetch-site") {
        return !matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text("origin") else { return false };
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_none() || host != text("host")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        all.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn only_this_machine_is_local() {
        let here = Some("127.0.0.1".parse().unwrap());
        for (host, expected) in [
            ("127.0.0.1:7878", true),
            ("localhost:7878", true),
            ("localhost", true),
            ("[::1]:7878", true),
            ("evil.example:7878", false),
            ("localhost.evil.example", false),
            ("192.168.1.5:7878", false),
            ("", false),
        ] {
            let headers: HeaderMap = [(header::HOST, HeaderValue::from_static(host))].into_iter().collect();
            assert_eq!(is_local(&headers, here), expected, "{host}");
        }
        assert!(!is_local(&headers(&[("host", "localhost")]), Some("192.168.1.5".parse().unwrap())));
        assert!(!is_local(&headers(&[("host", "localhost"), ("x-forwarded-for", "10.0.0.1")]), here));
    }

    #[test]
    fn a_page_elsewhere_is_told_by_its_origin() {
        for (sent, expected) in [
            (&[("host", "localhost:7878")][..], false),
            (&[("host", "localhost:7878"), ("origin", "http://localhost:7878")], false),
            (&[("host", "localhost:7878"), ("origin", "http://evil.example")], true),
            (&[("host", "localhost:7878"), ("origin", "null")], true),
            (&[("sec-fetch-site", "same-origin")], false),
            (&[("sec-fetch-site", "cross-site")], true),
            (&[("sec-fetch-site", "same-site")], true),
        ] {
            assert_eq!(is_from_elsewhere(&headers(sent)), expected, "{sent:?}");
        }
    }

    #[test]
    fn a_token_is_of_one_project() {
        let own = Caller::Token { id: 1, project: "own".into(), right: Right::Read };
        let status = |project: &str, right| own.may(project, right).map_err(|problem| problem.status());
        assert_eq!(status("own", Right::Read), Ok(()));
        assert_eq!(status("own", Right::Write), Err(StatusCode::FORBIDDEN));
        assert_eq!(status("other", Right::Read), Err(StatusCode::NOT_FOUND));
        assert_eq!(status("other", Right::Write), Err(StatusCode::NOT_FOUND));
    }
}
