//! One request and its answer.

use std::io::{self, Read};
use std::time::Duration;

use serde_json::Value as Json;
use serde_json::error::Category;
use ureq::Body;
use ureq::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderMap, Response, StatusCode, Uri};

use super::failure::Failure;
use super::{Client, Request, retry, tls};
use crate::error::chain;
use crate::json::Distinct;
use crate::words::counted;

/// A longer answer is none that anybody meant to give, however few bytes it comes as.
const MAX_ANSWER: u64 = 64 << 20;
/// So many bytes of an answer are read to be shown.
const MAX_SNIPPET: u64 = 16 << 10;

/// The kind of an answer, where it is one that is known: what else stands in the header may repeat anything.
fn kind(headers: &HeaderMap) -> Option<&'static str> {
    const KNOWN: [&str; 10] = [
        "application/json",
        "application/problem+json",
        "application/octet-stream",
        "application/x-ndjson",
        "application/xml",
        "text/event-stream",
        "text/html",
        "text/plain",
        "text/xml",
        "application/grpc",
    ];
    let kind = headers.get(CONTENT_TYPE)?.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    Some(KNOWN.into_iter().find(|known| *known == kind).unwrap_or("of another kind"))
}

impl Client {
    /// Sends a request and reads the answer, within `time`.
    pub fn exchange(&self, body: &[u8], time: Duration) -> Result<Json, Failure> {
        self.attempt(Request::Post(body), time)
    }

    /// The beginning of an answer, which is a success.
    fn answer(&self, request: Request<'_>, time: Duration) -> Result<Response<Body>, Failure> {
        let url = self.url.clone();
        let (mut builder, body) = match request {
            Request::Get => {
                let mut request = self.agent.get(url);
                request.headers_mut().into_iter().for_each(|headers| headers.clone_from(&self.headers));
                let response = request.config().timeout_global(Some(time)).build().call();
                return self.success(response);
            }
            Request::Post(body) => (self.agent.post(url), body),
            Request::Patch(body) => (self.agent.patch(url), body),
            Request::Put(body) => (self.agent.put(url), body),
        };
        builder.headers_mut().into_iter().for_each(|headers| headers.clone_from(&self.headers));
        self.success(builder.config().timeout_global(Some(time)).build().send(body))
    }

    fn success(&self, response: Result<Response<Body>, ureq::Error>) -> Result<Response<Body>, Failure> {
        let mut response = response.map_err(|error| self.miss(error))?;
        let status = response.status();
        // 300 and 304 lead nowhere.
        if matches!(status.as_u16(), 301..=303 | 307 | 308) {
            return Err(Failure::Redirected { status, host: self.redirected_to(&response) });
        }
        if !status.is_success() {
            let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
            let wish = header(RETRY_AFTER.as_str()).and_then(retry::wish);
            let spent = || header("x-ratelimit-remaining").filter(|left| left.trim() == "0");
            let wish = wish.or_else(|| retry::wish_at(spent().and(header("x-ratelimit-reset"))?));
            let (said, code) = self.snippet(&mut response);
            return Err(Failure::Status { status, wish, said, code });
        }
        Ok(response)
    }

    /// Sends a request and reads the answer, within `time`.
    pub(super) fn attempt(&self, request: Request<'_>, time: Duration) -> Result<Json, Failure> {
        let mut response = self.answer(request, time)?;
        let status = response.status();
        // 202 has not answered yet, 203 was changed on its way, 206 is a part; the others have nothing to say.
        if !matches!(status, StatusCode::OK | StatusCode::CREATED) {
            return Err(no(format!("answered {status}, and only 200 and 201 are answers")));
        }
        // What the client has unpacked has no such header any more.
        if let Some(coding) = response.headers().get(CONTENT_ENCODING).filter(|coding| *coding != "identity")
        {
            // A name of an encoding is short; another text may be anything.
            let coding = coding.to_str().ok().filter(|name| name.len() <= 10);
            let coding = coding.map_or(String::new(), |name| format!(" `{name}`"));
            return Err(no(format!("answered {status} in the encoding{coding}; only `gzip` is read")));
        }
        let mut answer = Vec::new();
        // The client's limit is that of the bytes that come; what they unpack to has the other.
        let body = response.body_mut().with_config().limit(MAX_ANSWER + 1).reader();
        let read = body.take(MAX_ANSWER + 1).read_to_end(&mut answer);
        read.map_err(|error| match self.miss(error.into()) {
            // The service was reached: it is its answer that has no end.
            Failure::Unreadable { what, again: true } => {
                let why = what.rsplit_once(": ").map_or_else(String::new, |(_, why)| format!(": {why}"));
                let what =
                    format!("broke off after {} of its answer{why}", counted(answer.len(), "byte", "bytes"));
                Failure::Unreadable { what, again: true }
            }
            other => other,
        })?;
        if answer.len() as u64 > MAX_ANSWER {
            return Err(no(too_long()));
        }
        let parsed = serde_json::from_slice(&answer).map(|Distinct(answer)| answer);
        parsed.map_err(|error| {
            let kind = kind(response.headers());
            let said = self.described(kind, answer.len(), false);
            let is_ambiguous = error.classify() == Category::Data;
            let what = if is_ambiguous { "ambiguous JSON" } else { "what is not JSON" };
            // Where JSON is ambiguous its words say what it holds.
            let error = match is_ambiguous && self.secrets.withhold() {
                true => String::new(),
                false => format!(" ({})", self.secrets.hide(&error.to_string())),
            };
            let start =
                if self.secrets.withhold() { String::new() } else { format!(": {}", self.start(&answer)) };
            no(format!("answered {status}{said} with {what}{error}{start}"))
        })
    }

    /// What an answer that is none is: its kind, its length, and where somebody asks for it its beginning; and what it names
    /// its error, where it does.
    fn snippet(&self, response: &mut Response<Body>) -> (String, Option<String>) {
        let kind = kind(response.headers());
        let mut bytes = Vec::new();
        // What could be read is told of.
        drop(io::copy(&mut response.body_mut().as_reader().take(MAX_SNIPPET), &mut bytes));
        let is_cut = bytes.len() as u64 == MAX_SNIPPET;
        let json = serde_json::from_slice::<Json>(&bytes).ok();
        let at = |pointer: &str| json.as_ref()?.pointer(pointer)?.as_str().map(str::to_owned);
        let code = at("/error/code");
        let said = self.described(kind, bytes.len(), is_cut);
        if self.secrets.withhold() || bytes.is_empty() {
            return (said, code);
        }
        // What `application/problem+json` (RFC 9457) says in words.
        if let Some(detail) = at("/detail").filter(|_| at("/title").is_some()) {
            return (format!(": {}", self.secrets.hide(&detail)), code);
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = if is_cut { self.secrets.hide_cut(text.trim()) } else { text.trim().to_owned() };
        (format!("{said}: {}", self.secrets.excerpt(&text)), code)
    }

    /// ` (text/plain, 13 bytes)`, and how to see them; nothing of nothing.
    fn described(&self, kind: Option<&'static str>, length: usize, is_cut: bool) -> String {
        let length = match self.secrets.withheld(length, is_cut) {
            _ if length == 0 => None,
            None if is_cut => Some(format!("more than {length} bytes")),
            None => Some(counted(length, "byte", "bytes")),
            withheld => withheld,
        };
        let parts: Vec<String> = kind.map(str::to_owned).into_iter().chain(length).collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }

    /// The beginning of an answer, on request.
    fn start(&self, answer: &[u8]) -> String {
        self.secrets.excerpt(&String::from_utf8_lossy(&answer[..answer.len().min(64 << 10)]))
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
        // Its address may hold a password: the variable that has it is named.
        let through =
            self.proxy.map_or_else(String::new, |name| format!(" through the proxy that `{name}` names"));
        let (what, again) = match error {
            ureq::Error::Timeout(_) => return Failure::TimedOut,
            ureq::Error::HostNotFound => (format!("cannot be found{through}: no such host"), true),
            ureq::Error::BodyExceedsLimit(_) => (too_long(), false),
            ureq::Error::Io(error) => match error.get_ref().and_then(|cause| cause.downcast_ref()) {
                Some(cause) => (tls::reason(cause), false),
                None => (format!("cannot be reached{through}: {}", chain(&error)), again(&error)),
            },
            ureq::Error::Rustls(cause) => (tls::reason(&cause), false),
            ureq::Error::Decompress(kind, error) => {
                (format!("answered with {kind} that cannot be unpacked: {}", chain(&error)), again(&error))
            }
            ureq::Error::ConnectionFailed => (format!("cannot be reached{through}"), true),
            error => (format!("cannot be asked{through}: {}", chain(&error)), false),
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
