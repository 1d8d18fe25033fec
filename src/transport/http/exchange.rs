//! One request and its answer.

use std::io::{self, Read};
use std::time::Duration;

use serde_json::Value as Json;
use serde_json::error::Category;
use ureq::Body;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_TYPE, DATE, LOCATION, RETRY_AFTER};
use ureq::http::{Response, Uri};

use super::failure::Failure;
use super::{Client, retry, tls};
use crate::error::chain;
use crate::json::Distinct;

/// A longer answer is none that anybody meant to give, however few bytes it comes as.
const MAX_ANSWER: u64 = 64 << 20;
/// So many bytes of an answer are read to be shown.
const MAX_SNIPPET: u64 = 16 << 10;

impl Client {
    /// Sends a request and reads the answer, within `time`.
    pub(crate) fn exchange(&self, body: &[u8], time: Duration) -> Result<Json, Failure> {
        self.once(Some(body), time)
    }

    /// Sends a request whose answer says nothing but that it arrived.
    pub(crate) fn tell(&self, body: &[u8], time: Duration) -> Result<(), Failure> {
        self.answer(Some(body), time).map(drop)
    }

    /// The beginning of an answer, which is a success.
    fn answer(&self, body: Option<&[u8]>, time: Duration) -> Result<Response<Body>, Failure> {
        let response = match body {
            Some(body) => {
                let mut request = self.agent.post(self.url.clone());
                request.headers_mut().into_iter().for_each(|headers| headers.clone_from(&self.headers));
                request.config().timeout_global(Some(time)).build().send(body)
            }
            None => {
                let mut request = self.agent.get(self.url.clone());
                request.headers_mut().into_iter().for_each(|headers| headers.clone_from(&self.headers));
                request.config().timeout_global(Some(time)).build().call()
            }
        };
        let mut response = response.map_err(|error| self.miss(error))?;
        let status = response.status();
        if status.is_redirection() {
            return Err(Failure::Redirected { status, host: self.redirected_to(&response) });
        }
        if !status.is_success() {
            let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
            let wish = header(RETRY_AFTER).and_then(|wish| retry::wish(wish, header(DATE)));
            let (said, code) = self.snippet(response.body_mut());
            return Err(Failure::Status { status, wish, said, code });
        }
        Ok(response)
    }

    /// By POST, or by GET where there is no body.
    pub(super) fn once(&self, body: Option<&[u8]>, time: Duration) -> Result<Json, Failure> {
        let mut response = self.answer(body, time)?;
        let status = response.status();
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

    /// The beginning of an answer that is none, and what it names its error, where it does.
    fn snippet(&self, body: &mut Body) -> (String, Option<String>) {
        let mut bytes = Vec::new();
        // What could be read is shown.
        drop(io::copy(&mut body.as_reader().take(MAX_SNIPPET), &mut bytes));
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        let text =
            if bytes.len() as u64 == MAX_SNIPPET { self.secrets.hide_cut(text) } else { text.to_owned() };
        let json = serde_json::from_slice::<Json>(&bytes).ok();
        let at = |pointer: &str| json.as_ref()?.pointer(pointer)?.as_str().map(str::to_owned);
        let code = at("/error/code");
        // What `application/problem+json` (RFC 9457) says in words.
        if let Some(detail) = at("/detail").filter(|_| at("/title").is_some()) {
            return (format!(": {}", self.secrets.hide(&detail)), code);
        }
        let said = if text.is_empty() { String::new() } else { format!(": {}", self.secrets.excerpt(&text)) };
        (said, code)
    }

    fn miss(&self, error: ureq::Error) -> Failure {
        use io::ErrorKind::{
            AddrNotAvailable, BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset,
            HostUnreachable, NetworkUnreachable, NotConnected, TimedOut, UnexpectedEof,
        };
        let again = |error: &io::Error| {
            matches!(
                error.kind(),
                AddrNotAvailable
                    | BrokenPipe
                    | ConnectionAborted
                    | ConnectionRefused
                    | ConnectionReset
                    | HostUnreachable
                    | NetworkUnreachable
                    | NotConnected
                    | TimedOut
                    | UnexpectedEof
            )
        };
        let (what, again) = match error {
            ureq::Error::Timeout(_) => return Failure::TimedOut,
            ureq::Error::HostNotFound => ("cannot be found: no such host".to_owned(), true),
            ureq::Error::BodyExceedsLimit(_) => (too_long(), false),
            ureq::Error::Io(error) => match error.get_ref().and_then(|cause| cause.downcast_ref()) {
                Some(cause) => (tls::reason(cause), false),
                None => (format!("cannot be reached: {}", chain(&error)), again(&error)),
            },
            ureq::Error::Rustls(cause) => (tls::reason(&cause), false),
            ureq::Error::Decompress(kind, error) => {
                (format!("answered with {kind} that cannot be unpacked: {}", chain(&error)), again(&error))
            }
            ureq::Error::ConnectionFailed => ("cannot be reached".to_owned(), true),
            error => (format!("cannot be asked: {}", chain(&error)), false),
        };
        Failure::Unreadable { what: self.secrets.hide(&what), again }
    }

    /// The host that a redirection leads to, if it names one: paths and queries carry secrets.
    fn redirected_to(&self, response: &Response<Body>) -> Option<String> {
        let location = response.headers().get(LOCATION).and_then(|location| location.to_str().ok())?;
        let location = location.parse::<Uri>().ok()?;
        Some(self.secrets.hide(location.host()?))
    }
}

fn no(what: String) -> Failure {
    Failure::Unreadable { what, again: false }
}

fn too_long() -> String {
    format!("answered with more than {} MiB", MAX_ANSWER >> 20)
}
