//! One request and its answer.

use std::io::{self, Read};
use std::time::Duration;

use serde_json::Value as Json;
use serde_json::error::Category;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderMap, HeaderValue, Response, Uri};
use ureq::{Agent, Body};

use crate::error::{Excerpt, chain};
use crate::input::Distinct;
use crate::retriever::Secrets;

use super::{retry, tls};

/// A longer answer is none that anybody meant to give, however few bytes it comes as.
const MAX_ANSWER: u64 = 64 << 20;
/// So many bytes of an answer are read to be shown.
const MAX_SNIPPET: u64 = 16 << 10;

/// How one request ended without an answer.
pub(super) struct Miss {
    /// What happened, for people, as a phrase that follows the URL.
    pub(super) what: String,
    /// Whether asking again may help.
    pub(super) again: Again,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Again {
    /// It would end the same way.
    No,
    /// After a while, or that which the service wishes.
    After(Option<Duration>),
    /// There is no time left.
    TimedOut,
}

/// What requests are made with.
pub(super) struct Line {
    pub(super) agent: Agent,
    pub(super) url: Uri,
    pub(super) headers: HeaderMap,
    pub(super) secrets: Secrets,
}

impl Line {
    /// Sends a request and reads the answer, within `time`.
    pub(super) fn exchange(&self, body: &[u8], time: Duration) -> Result<Json, Miss> {
        let mut request = self.agent.post(self.url.clone());
        if let Some(headers) = request.headers_mut() {
            headers.clone_from(&self.headers);
        }
        let request = request.config().timeout_global(Some(time)).build();
        let mut response = request.send(body).map_err(|error| self.miss(error))?;
        let status = response.status();
        if status.is_redirection() {
            return Err(no(self.secrets.hide(&redirection(&response))));
        }
        if !status.is_success() {
            let wish = response.headers().get(RETRY_AFTER).and_then(|wish| wish.to_str().ok());
            let wish = wish.and_then(retry::wish);
            let busy = retry::is_busy(status.as_u16());
            return Err(Miss {
                what: format!("answered {status}{}", self.snippet(response.body_mut())),
                again: if busy { Again::After(wish) } else { Again::No },
            });
        }
        // What the client has unpacked has no such header any more.
        if let Some(coding) = response.headers().get(CONTENT_ENCODING).filter(|coding| *coding != "identity")
        {
            let coding = self.secrets.excerpt(&String::from_utf8_lossy(coding.as_bytes()));
            return Err(no(format!("answered {status} in the encoding {coding}; only `gzip` is read")));
        }
        let mut answer = Vec::new();
        // The client's limit is that of the bytes that come; what they unpack to has the other.
        let body = response.body_mut().with_config().limit(MAX_ANSWER + 1).reader();
        let read = body.take(MAX_ANSWER + 1).read_to_end(&mut answer);
        read.map_err(|error| self.miss(error.into()))?;
        if answer.len() as u64 > MAX_ANSWER {
            return Err(no(too_long()));
        }
        let parsed = serde_json::from_slice(&answer).map(|Distinct(answer)| answer);
        parsed.map_err(|error| {
            let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            let kind = kind.map_or_else(String::new, |kind| format!(" as {}", self.secrets.excerpt(kind)));
            let start = String::from_utf8_lossy(&answer[..answer.len().min(64 << 10)]);
            let start = self.secrets.excerpt(&start);
            let what = if error.classify() == Category::Data { "ambiguous JSON" } else { "what is not JSON" };
            let error = self.secrets.hide(&error.to_string());
            no(format!("answered {status}{kind} with {what} ({error}): {start}"))
        })
    }

    /// The beginning of an answer that is none.
    fn snippet(&self, body: &mut Body) -> String {
        let mut bytes = Vec::new();
        // What could be read is shown.
        drop(io::copy(&mut body.as_reader().take(MAX_SNIPPET), &mut bytes));
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        let text =
            if bytes.len() as u64 == MAX_SNIPPET { self.secrets.hide_cut(text) } else { text.to_owned() };
        if text.is_empty() { String::new() } else { format!(": {}", self.secrets.excerpt(&text)) }
    }

    fn miss(&self, error: ureq::Error) -> Miss {
        use io::ErrorKind::{
            AddrNotAvailable, BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset,
            HostUnreachable, NetworkUnreachable, NotConnected, TimedOut, UnexpectedEof,
        };
        let again = |error: &io::Error| match error.kind() {
            AddrNotAvailable | BrokenPipe | ConnectionAborted | ConnectionRefused | ConnectionReset
            | HostUnreachable | NetworkUnreachable | NotConnected | TimedOut | UnexpectedEof => {
                Again::After(None)
            }
            _ => Again::No,
        };
        let (what, again) = match error {
            ureq::Error::Timeout(_) => (String::new(), Again::TimedOut),
            ureq::Error::HostNotFound => ("cannot be found: no such host".to_owned(), Again::After(None)),
            ureq::Error::BodyExceedsLimit(_) => (too_long(), Again::No),
            ureq::Error::Io(error) => match error.get_ref().and_then(|cause| cause.downcast_ref()) {
                Some(cause) => (tls::told(cause), Again::No),
                None => (format!("cannot be reached: {}", chain(&error)), again(&error)),
            },
            ureq::Error::Rustls(cause) => (tls::told(&cause), Again::No),
            ureq::Error::Decompress(kind, error) => {
                (format!("answered with {kind} that cannot be unpacked: {}", chain(&error)), again(&error))
            }
            ureq::Error::ConnectionFailed => ("cannot be reached".to_owned(), Again::After(None)),
            error => (format!("cannot be asked: {}", chain(&error)), Again::No),
        };
        Miss { what: self.secrets.hide(&what), again }
    }
}

fn no(what: String) -> Miss {
    Miss { what, again: Again::No }
}

fn too_long() -> String {
    format!("answered with more than {} MiB", MAX_ANSWER >> 20)
}

/// Where a redirection leads: the host, since paths and queries carry secrets.
fn redirection(response: &Response<Body>) -> String {
    let status = response.status();
    let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
    let host = location.and_then(|location| location.parse::<Uri>().ok());
    match host.as_ref().and_then(Uri::host) {
        Some(host) => format!(
            "answered {status}: it redirects to the host {}, which is not followed; give the final address in `url`",
            Excerpt(host, 80)
        ),
        None => format!(
            "answered {status}: it redirects to another path, which is not followed; give the final address in `url`"
        ),
    }
}

/// A header as it is sent.
///
/// # Errors
/// A value that no header can have; it is not shown.
pub(super) fn header(name: &str, value: &str, shown: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parsed = name.parse::<HeaderName>().ok().zip(HeaderValue::from_str(value).ok());
    let Some((name, mut value)) = parsed else {
        return Err(format!(
            "the header `{name}: {shown}` cannot be sent: with its variables filled in it holds a line break or \
             another control character"
        ));
    };
    value.set_sensitive(true);
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_no_header_can_have_is_not_shown() {
        let (name, value) = header("X-Key", "s3cret", "${KEY}").unwrap();
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("x-key", "s3cret"));
        assert!(!format!("{value:?}").contains("s3cret"));
        let error = header("X-Key", "s3cret\n", "${KEY}").unwrap_err();
        assert!(error.starts_with("the header `X-Key: ${KEY}` cannot be sent: "), "{error}");
        assert!(!error.contains("s3cret"));
    }
}
