//! A service, with repeated requests as often as they may help.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use ureq::Agent;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderName};
use ureq::http::{HeaderMap, HeaderValue, Uri};
use ureq::tls::TlsConfig;

use super::failure::{Failure, GaveUp, Unusable};
use super::{Patience, authority, proxy, retry, roots};
use crate::secrets::Secrets;
use crate::{bodies, url};

/// Where requests go, and what goes with each of them.
pub struct Endpoint {
    /// The URL.
    pub url: String,
    /// The same as it is shown: variables as they are written.
    pub shown: String,
    /// Headers of every request.
    pub headers: Vec<Header>,
    /// What must not be shown of all this.
    pub secrets: Secrets,
}

/// A header of every request.
pub struct Header {
    /// Its name, which is one.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The value as it is shown: variables as they are written.
    pub shown: String,
}

/// What is done at an address, with a body of JSON where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request<'a> {
    /// Reads it.
    Get,
    /// Asks it, or adds to it: what arrived twice may be there twice.
    Post(&'a [u8]),
    /// Changes a part of it.
    Patch(&'a [u8]),
    /// Replaces it.
    Put(&'a [u8]),
}

/// What requests are made with.
pub struct Client {
    pub(super) agent: Agent,
    pub(super) url: Uri,
    pub(super) headers: HeaderMap,
    /// The variable of the environment that names the proxy through which requests go.
    pub(super) proxy: Option<&'static str>,
    /// What must not be shown of what comes back.
    pub secrets: Secrets,
}

/// How a URL's user and password are shown.
const USER: &str = "(the URL's user and password)";
/// How the password alone is shown.
const PASSWORD: &str = "(the URL's password)";

impl Client {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    /// An invalid URL, proxy or header once variables are filled in.
    pub fn new(endpoint: Endpoint) -> Result<Self, Unusable> {
        Self::with(endpoint, false)
    }

    /// The same, where connections may be kept, as clients do. Otherwise each is for one request: what comes over it after the
    /// answer, however late, answers no other.
    ///
    /// # Errors
    /// As those of [`new`](Self::new).
    pub(crate) fn with(endpoint: Endpoint, keeps_connections: bool) -> Result<Self, Unusable> {
        let Endpoint { url, shown, headers: given, mut secrets } = endpoint;
        let no_address = |why| Unusable::Address { shown: shown.clone(), why };
        let parts = url::parse(&url).map_err(no_address)?;
        let authorization = parts.user.map(authority::basic);
        let url = format!("{}://{}{}", parts.scheme, parts.host, parts.path);
        let url: Uri = url.parse().map_err(|_| no_address("it holds what no URL can hold"))?;
        let proxy = proxy::check(&url)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let idle = if keeps_connections { 64 } else { 0 };
        if !keeps_connections {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(authorization) = authorization {
            secrets.add_as(USER, authorization.trim_start_matches("Basic "));
            let user = parts.user.unwrap_or_default();
            let decoded = String::from_utf8_lossy(&authority::percent_decoded(user)).into_owned();
            // A user without a password is a token.
            for form in [user, decoded.as_str()] {
                secrets.add_as(USER, form);
                secrets.add_as(PASSWORD, form.split_once(':').map_or("", |(_, password)| password));
            }
            let (name, value) = header(AUTHORIZATION.as_str(), &authorization, USER)?;
            headers.insert(name, value);
        }
        for field in given {
            let (name, value) = header(&field.name, &field.value, &field.shown)?;
            if name == AUTHORIZATION && headers.contains_key(AUTHORIZATION) {
                return Err(Unusable::TwoUsers);
            }
            headers.insert(name, value);
        }
        let tls = if parts.scheme == "https" { roots::roots()? } else { TlsConfig::default() };
        let agent = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("rankgate/", env!("CARGO_PKG_VERSION")))
            .max_idle_connections_per_host(idle)
            .max_idle_connections(idle)
            .build()
            .new_agent();
        if let Some(shown_by) = bodies::shown_by() {
            secrets.withhold_answers(shown_by);
        }
        Ok(Self { agent, url, headers, proxy, secrets })
    }

    /// Sends a request, repeatedly where that may help, as long as there is patience.
    pub fn send(&self, request: Request<'_>, patience: Patience) -> Result<Json, GaveUp> {
        let Patience { time, tries: most, busy, crowded, once } = patience;
        let start = Instant::now();
        let (mut tries, mut before) = (0, None);
        loop {
            tries += 1;
            let left = time.saturating_sub(start.elapsed());
            let failure = match self.attempt(request, left.max(Duration::from_millis(1))) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let left = time.saturating_sub(start.elapsed());
            let wish = match &failure {
                Failure::TimedOut => return Err(GaveUp::TimedOut { before }),
                Failure::Unreadable { again: true, .. } if !once => None,
                // A forge's limit of requests; without a wish it is a refusal.
                Failure::Status { status, wish: Some(wish), .. } if status.as_u16() == 403 && crowded => {
                    Some(*wish)
                }
                Failure::Status { status, wish, .. } if busy.contains(&status.as_u16()) => *wish,
                Failure::Unreadable { .. } | Failure::Status { .. } | Failure::Redirected { .. } => {
                    return Err(GaveUp::Final(failure));
                }
            };
            if tries >= most {
                return Err(GaveUp::Tries { last: failure, tries });
            }
            let wait = if crowded { retry::wait_in_crowd(tries, wish) } else { retry::wait(tries, wish) };
            if wait >= left {
                return Err(GaveUp::NoTime { last: failure, tries, wish });
            }
            thread::sleep(wait);
            before = Some(failure);
        }
    }
}

/// A header as it is sent.
///
/// # Errors
/// A value that no header can have; it is not shown.
fn header(name: &str, value: &str, shown: &str) -> Result<(HeaderName, HeaderValue), Unusable> {
    let parsed = name.parse::<HeaderName>().ok().zip(HeaderValue::from_str(value).ok());
    let Some((name, mut value)) = parsed else {
        return Err(Unusable::Header { name: name.to_owned(), shown: shown.to_owned() });
    };
    value.set_sensitive(true);
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Services repeat what they were sent as they like; `dTpwQHNzdzByZA==` is `u:p@ssw0rd` in base64 (coreutils).
    #[test]
    fn the_user_and_password_of_a_url_are_hidden_in_every_form() {
        let of = |url: &str| {
            let (url, shown) = (url.to_owned(), String::new());
            let endpoint = Endpoint { url, shown, headers: Vec::new(), secrets: Secrets::default() };
            Client::new(endpoint).unwrap().secrets
        };
        let secrets = of("http://u:p%40ssw0rd@127.0.0.1:1/search");
        for (said, shown) in [
            ("u:p@ssw0rd", USER),
            ("u:p%40ssw0rd", USER),
            ("dTpwQHNzdzByZA==", USER),
            ("p@ssw0rd", PASSWORD),
            ("p%40ssw0rd", PASSWORD),
        ] {
            assert_eq!(secrets.hide(&format!("got {said} from u")), format!("got {shown} from u"), "{said}");
        }
        assert_eq!(of("http://t0ken-of-ours@127.0.0.1:1/").hide("got t0ken-of-ours"), format!("got {USER}"));
        // A password of three letters is no secret, and hiding it would leave a riddle.
        assert_eq!(of("http://u:the@127.0.0.1:1/").hide("the word"), "the word");
    }

    #[test]
    fn a_value_that_no_header_can_have_is_not_shown() {
        let (name, value) = header("X-Key", "s3cret", "${KEY}").unwrap();
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("x-key", "s3cret"));
        assert!(!format!("{value:?}").contains("s3cret"));
        let error = header("X-Key", "s3cret\n", "${KEY}").unwrap_err().to_string();
        assert!(error.starts_with("the header `X-Key: ${KEY}` cannot be sent: "), "{error}");
        assert!(!error.contains("s3cret"));
    }
}
