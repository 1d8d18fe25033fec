//! Who asks, and what they may.
//!
//! Everyone needs a token, a sign-in or a run of CI that is known. A server that is started with `--open` lets everyone on
//! its own machine do everything: but not what came through a proxy, or by another name than this machine's. What a page
//! elsewhere makes a browser send is refused.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::{App, blocking};
use crate::audit::Actor;
use crate::connections::owner;
use crate::hash::sha256;
use crate::oidc::is_signed;
use crate::problem::{Answer, Problem};
use crate::records::{self, Right, Rights, TokenRecord};

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A user on this machine, where no token is needed.
    Local,
    /// Somebody who may do something in a project.
    Known(Identity),
}

/// Somebody who may do something in projects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// One of a token, and one or more of a run of CI.
    pub(crate) projects: Vec<(String, Rights)>,
    /// Their name, which is empty where a token was made without.
    pub(crate) name: String,
    pub(crate) proof: Proof,
}

/// By what somebody is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// A token by its number.
    Token(i64),
    /// A sign-in by the hash of what the browser keeps, and the number of its token.
    SignIn { sha256: String, token: i64 },
    /// What an issuer says of a run of CI.
    Run,
}

/// The cookie that holds a sign-in in a browser.
pub(crate) const COOKIE: &str = "rankgate_session";

impl Caller {
    /// Refuses what the caller may not do in a project. One that is not theirs is as one that is not there.
    pub(crate) fn may(&self, project: &str, right: Right) -> Answer<()> {
        match self {
            Self::Local => Ok(()),
            Self::Known(own) => match own.projects.iter().find(|(own, _)| own == project) {
                None => Err(Problem::missing(format!("there is no project {project}"))),
                Some((_, rights)) if rights.allow(right) => Ok(()),
                Some((_, rights)) => Err(lacking(right, *rights)),
            },
        }
    }

    /// Refuses what the caller may do in no project.
    pub(crate) fn may_somewhere(&self, right: Right) -> Answer<()> {
        let Self::Known(own) = self else { return Ok(()) };
        let all = own.projects.iter().fold(Rights::READ, |all, (_, rights)| all.and(*rights));
        if all.allow(right) { Ok(()) } else { Err(lacking(right, all)) }
    }

    /// The project that is meant where none is named.
    pub(crate) fn project(&self) -> Option<&str> {
        match self {
            Self::Known(Identity { projects, .. }) if projects.len() == 1 => Some(&projects[0].0),
            _ => None,
        }
    }

    /// The name under which they do things, where it is not theirs to choose.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Local => None,
            Self::Known(own) => Some(&own.name),
        }
    }

    /// By what their work and requests are counted.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Local => "this machine".to_owned(),
            Self::Known(own) => match &own.proof {
                Proof::Token(token) | Proof::SignIn { token, .. } => format!("token {token}"),
                Proof::Run => format!("run of {}", own.name),
            },
        }
    }

    /// What ends when they sign out.
    pub(crate) fn session(&self) -> Option<&str> {
        match self {
            Self::Known(Identity { proof: Proof::SignIn { sha256, .. }, .. }) => Some(sha256),
            _ => None,
        }
    }

    /// For the audit.
    pub(crate) fn actor(&self) -> Actor {
        match self {
            Self::Local => Actor { token: None, who: "this machine".to_owned() },
            Self::Known(own) => {
                let token = match &own.proof {
                    Proof::Token(token) | Proof::SignIn { token, .. } => Some(*token),
                    Proof::Run => None,
                };
                Actor { token, who: own.name.clone() }
            }
        }
    }

    fn of_token(found: TokenRecord, proof: Proof) -> Self {
        let TokenRecord { project, rights, name, .. } = found;
        Self::Known(Identity { projects: vec![(project, rights)], name, proof })
    }
}

fn lacking(right: Right, own: Rights) -> Problem {
    let detail = format!("this needs the right `{}`, and whoever asks has: {own}", right.as_str());
    Problem::new(StatusCode::FORBIDDEN, detail)
}

fn refused(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, detail)
}

impl FromRequestParts<App> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
        let caller = if let Some(token) = bearer(&parts.headers).filter(|token| is_signed(token)) {
            let token = token.to_owned();
            let run = blocking(app, move |app| app.issuers.run(&token)).await?;
            Some(Self::Known(Identity { projects: run.projects, name: run.name, proof: Proof::Run }))
        } else if let Some(token) = bearer(&parts.headers) {
            let (hash, now) = (sha256(token.as_bytes()), app.now());
            let found =
                blocking(app, move |app| app.store.read(|session| records::token(session, &hash))).await?;
            found.filter(|found| found.is_valid(now)).map(|found| {
                let proof = Proof::Token(found.id);
                Self::of_token(found, proof)
            })
        } else if let Some(cookie) = cookie(&parts.headers) {
            let (hash, now) = (sha256(cookie.as_bytes()), app.now());
            let of = hash.clone();
            let found =
                blocking(app, move |app| app.store.read(|session| records::session_token(session, &of, now)));
            let found = found.await?.filter(|found| found.is_valid(now));
            found.map(|found| {
                let proof = Proof::SignIn { sha256: hash, token: found.id };
                Self::of_token(found, proof)
            })
        } else if app.settings.open && is_local(&parts.headers, peer) {
            Some(Self::Local)
        } else {
            return Err(refused("a token is asked for: `Authorization: Bearer ...`"));
        };
        let caller = caller
            .ok_or_else(|| refused("this token or sign-in is not known, has expired or was revoked"))?;
        within_rate(app, &caller.key())?;
        Ok(caller)
    }
}

/// The token that a request carries.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?;
    let (scheme, token) = value.to_str().unwrap_or_default().split_once(' ').unwrap_or_default();
    Some(if scheme.eq_ignore_ascii_case("bearer") { token.trim() } else { "" })
}

/// The sign-in that a request carries.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = cookies.flat_map(|value| value.split(';')).filter_map(|one| one.trim().split_once('='));
    cookies.find(|(name, _)| *name == COOKIE).map(|(_, cookie)| cookie)
}

/// The client's address: behind a known proxy, the one that the proxy saw.
pub(crate) fn address(headers: &HeaderMap, peer: Option<IpAddr>, proxies: &[IpAddr]) -> Option<IpAddr> {
    let peer = peer.map(|peer| peer.to_canonical());
    if peer.is_some_and(|peer| !proxies.contains(&peer)) {
        return peer.map(owner);
    }
    // The last one is what the proxy itself added; those before are what it was told.
    let forwarded = headers.get_all("x-forwarded-for").iter().next_back();
    let last = forwarded.and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    last.or(peer).map(owner)
}

fn within_rate(app: &App, client: &str) -> Answer<()> {
    if app.rates.allows(client, app.settings.limits.requests, std::time::Instant::now()) {
        return Ok(());
    }
    let detail = format!("more than {} requests a second", app.settings.limits.requests);
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, detail))
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

/// Refuses too many requests of an address, whoever they say they are, and those that a page elsewhere made a browser
/// send.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
    let address = address(request.headers(), peer, &app.settings.proxies);
    let address = address.map_or_else(String::new, |address| format!("address {address}"));
    if let Err(problem) = within_rate(&app, &address) {
        return app.counted(problem.into_response());
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
    fn a_token_is_of_one_project_and_has_its_rights() {
        let known = |rights| {
            let (projects, name) = (vec![("own".to_owned(), rights)], String::new());
            Caller::Known(Identity { projects, name, proof: Proof::Token(1) })
        };
        let status = |rights, project: &str, right| {
            known(rights).may(project, right).map_err(|problem| problem.status())
        };
        let all = [Right::Read, Right::Push, Right::Acknowledge, Right::Grade];
        for own in all {
            for right in all {
                let expected =
                    if right == own || right == Right::Read { Ok(()) } else { Err(StatusCode::FORBIDDEN) };
                assert_eq!(status(own.into(), "own", right), expected, "{own:?} {right:?}");
                assert_eq!(status(Rights::ALL, "own", right), Ok(()));
                assert_eq!(status(Rights::ALL, "other", right), Err(StatusCode::NOT_FOUND));
            }
        }
        for text in ["read", "push", "push,acknowledge", "acknowledge,grade", "push,acknowledge,grade"] {
            assert_eq!(text.parse::<Rights>().unwrap().to_string(), text);
        }
        assert_eq!("write".parse::<Rights>(), Ok(Rights::ALL));
        assert!("push,admin".parse::<Rights>().unwrap_err().starts_with("`admin` is no right"));
    }

    #[test]
    fn the_address_is_what_a_known_proxy_saw_and_no_other() {
        let (proxy, client): (IpAddr, IpAddr) =
            ("127.0.0.1".parse().unwrap(), "203.0.113.9".parse().unwrap());
        let sent = headers(&[("x-forwarded-for", "10.0.0.1, 198.51.100.7")]);
        let seen = |peer, proxies: &[IpAddr]| address(&sent, Some(peer), proxies).unwrap().to_string();
        assert_eq!(seen(proxy, &[proxy]), "198.51.100.7");
        assert_eq!((seen(client, &[proxy]), seen(proxy, &[])), ("203.0.113.9".into(), "127.0.0.1".into()));
        let odd = headers(&[("x-forwarded-for", "somewhere")]);
        assert_eq!(address(&odd, Some(proxy), &[proxy]), Some(proxy));
    }
}
