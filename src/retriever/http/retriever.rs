//! A service as a retriever.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use ureq::http::{HeaderMap, HeaderValue, Uri};
use ureq::{Agent, Proxy, ProxyProtocol};

use crate::collection::Query;
use crate::error::Excerpt;
use crate::retriever::limit::TEXT;
use crate::retriever::{BoxError, Limit, Retriever};
use crate::run::Hit;
use crate::url;

use super::authority;
use super::exchange::{Again, Line, Miss, header};
use super::service::Fill;
use super::{Service, Shape, retry};

/// A service that is asked by POST.
pub(crate) struct HttpRetriever {
    line: Line,
    /// The URL as it is shown.
    shown: String,
    body: Box<Fill>,
    shape: Shape,
    limit: Limit,
}

impl HttpRetriever {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    /// What is no URL or no header once variables are filled in.
    pub(crate) fn new(service: Service) -> Result<Self, BoxError> {
        let Service { url, shown, headers: given, body, shape, limit, mut secrets } = service;
        let no_address = |why: &str| format!("`{shown}` is not the address of a service: {why}");
        let parts = url::parse(&url).map_err(no_address)?;
        let authorization = parts.user.map(authority::basic);
        let url = format!("{}://{}{}", parts.scheme, parts.host, parts.path);
        let url: Uri = url.parse().map_err(|_| no_address("it holds what no URL can hold"))?;
        check_proxy(&url)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(authorization) = authorization {
            secrets.add_as("(the URL's user and password)", authorization.trim_start_matches("Basic "));
            let (name, value) =
                header(AUTHORIZATION.as_str(), &authorization, "(the URL's user and password)")?;
            headers.insert(name, value);
        }
        for field in given {
            let (name, value) = header(&field.name, &field.value, &field.shown)?;
            if name == AUTHORIZATION && headers.contains_key(AUTHORIZATION) {
                return Err(
                    "the URL has a user, and there is a header `Authorization`: one of them is enough".into(),
                );
            }
            headers.insert(name, value);
        }
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("rankgate/", env!("CARGO_PKG_VERSION")))
            .max_idle_connections_per_host(64)
            .max_idle_connections(64)
            .build()
            .new_agent();
        let line = Line { agent, url, headers, secrets };
        Ok(Self { line, shown, body, shape, limit })
    }

    /// Sends a request, repeatedly where that may help, until time is up.
    fn ask(&self, query: &Query, body: &[u8]) -> Result<Json, String> {
        let Limit { time, .. } = self.limit;
        let start = Instant::now();
        let mut last = None;
        for tries in 1..=retry::TRIES {
            let left = time.saturating_sub(start.elapsed());
            let Miss { what, again } = match self.line.exchange(body, left.max(Duration::from_millis(1))) {
                Ok(answer) => return Ok(answer),
                Err(miss) => miss,
            };
            let left = time.saturating_sub(start.elapsed());
            match again {
                Again::No => return Err(what),
                Again::TimedOut => {
                    let (text, limit) = (Excerpt(&query.text, TEXT), self.limit);
                    let before = last.map_or_else(String::new, |last| format!("; before, it {last}"));
                    return Err(format!("did not answer {text} within {limit}{before}"));
                }
                Again::After(wish) => {
                    let wait = retry::wait(tries, wish);
                    if tries == retry::TRIES {
                        return Err(format!("{what} (after {tries} tries)"));
                    }
                    if wait >= left {
                        let limit = time.as_secs_f64();
                        let wish = wish.map_or_else(String::new, |wish| {
                            format!(", and wishes to be asked again after {} s", wish.as_secs())
                        });
                        return Err(format!(
                            "{what}{wish} ({tries} {} within {limit} s)",
                            if tries == 1 { "try" } else { "tries" }
                        ));
                    }
                    thread::sleep(wait);
                    last = Some(what);
                }
            }
        }
        Err(last.unwrap_or_default())
    }
}

/// Checks the proxy that requests to `url` will take: the client leaves out one that it does not understand,
/// and asks without.
fn check_proxy(url: &Uri) -> Result<(), String> {
    let names = ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
    let given = |name: &&str| std::env::var_os(name).filter(|value| !value.is_empty());
    let Some((name, value)) = names.iter().find_map(|name| Some((name, given(name)?))) else { return Ok(()) };
    let exempt = ["NO_PROXY", "no_proxy"].iter().find_map(given).unwrap_or_default();
    let exempt = exempt.to_string_lossy();
    let any = exempt.split(',').fold(Proxy::builder(ProxyProtocol::Http), |proxy, host| proxy.no_proxy(host));
    if any.build().is_ok_and(|any| any.is_no_proxy(url)) {
        return Ok(());
    }
    let refused =
        |why: &str| format!("the variable `{name}` has no address of a proxy that can be used: {why}");
    let value = value.to_str().ok_or_else(|| refused("it is not UTF-8"))?;
    let with_scheme = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let parts = url::parse(&with_scheme).map_err(refused)?;
    if !matches!(parts.path, "" | "/") || Proxy::new(value).is_err() {
        return Err(refused("it is `http://host:port`, perhaps with `user:password@` before the host"));
    }
    Ok(())
}

impl Retriever for HttpRetriever {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        let body = (self.body)(query, depth)?.to_string();
        let named = |what: String| -> BoxError { format!("`{}` {what}", self.shown).into() };
        let answer = self.ask(query, body.as_bytes()).map_err(named)?;
        let hits = self.shape.read(&answer, &self.line.secrets);
        hits.map_err(|what| named(format!("answered what it should not: {what}")))
    }
}
