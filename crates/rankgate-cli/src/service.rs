//! Servers that get reports, over HTTP: one that keeps what CI measured (`rankgate-serve`), and forges with pull requests.

mod forge;

use std::fmt;
use std::io::Read;
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzEncoder;
use serde_json::Value as Json;

use rankgate::{Error, ErrorKind, Result};
use rankgate_core::internal::secrets::Secrets;
use rankgate_http::{Client, Endpoint, Failure, GaveUp, Header, Patience, Request, parse_address};

pub(crate) use forge::{Forge, Posted};

/// Time for an answer, and the number of tries: the caller is a run of CI, perhaps beside hundreds that end in the same moment.
const PATIENCE: Patience = Patience {
    time: Duration::from_secs(60),
    tries: 6,
    busy: &[429, 502, 503, 504],
    crowded: true,
    once: false,
};

/// A server, and with what it is asked.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    url: String,
    shown: String,
    token: Option<Token>,
}

/// What a server knows a caller by.
#[derive(Clone, Debug)]
struct Token {
    header: &'static str,
    /// What stands before it in the header.
    scheme: &'static str,
    /// The variable that holds it, which is shown in its place.
    variable: String,
    value: String,
}

/// Why nothing was done. None of them shows the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The server did not answer: it may accept the same later.
    Away(String),
    /// The server is busy, or has a fault (429, 5xx): the same may be accepted later.
    Failed {
        /// The status of HTTP.
        status: u16,
        /// What was answered, behind the address.
        why: String,
    },
    /// The server does not accept it.
    Refused {
        /// The status of HTTP, where there was one.
        status: Option<u16>,
        /// What was answered, behind the address.
        why: String,
    },
}

impl Unanswered {
    /// A refusal without a status: what was answered cannot be used, or nothing was sent.
    pub(crate) fn unusable(why: impl Into<String>) -> Self {
        Self::Refused { status: None, why: why.into() }
    }

    /// What was answered, behind the address.
    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Away(why) | Self::Failed { why, .. } | Self::Refused { why, .. } => why,
        }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why())
    }
}

impl std::error::Error for Unanswered {}

impl Server {
    /// A server by its address (`https://quality.example.org`), with a token by the name of the variable that holds it,
    /// and its value.
    ///
    /// # Errors
    /// An invalid address.
    pub(crate) fn new(url: &str, token: Option<(&str, &str)>) -> Result<Self> {
        let parts = parse_address(url).map_err(|why| {
            Error::with_kind(ErrorKind::BadInput, format!("this is not the address of a server: {why}"))
        })?;
        let path = parts.path.trim_end_matches('/');
        if path.contains('?') {
            return Err(Error::with_kind(ErrorKind::BadInput, "the address of a server has no `?`"));
        }
        let shown = format!("{}://{}{path}", parts.scheme, parts.host);
        let token = token.map(|(variable, value)| Token {
            header: "Authorization",
            scheme: "Bearer ",
            variable: variable.to_owned(),
            value: value.to_owned(),
        });
        Ok(Self { url: url.trim_end_matches('/').to_owned(), shown, token })
    }

    /// The same server, which takes the token in another header, as it is.
    fn token_in(mut self, header: &'static str) -> Self {
        if let Some(token) = &mut self.token {
            (token.header, token.scheme) = (header, "");
        }
        self
    }

    /// Gets a path (`/v1/projects`).
    ///
    /// # Errors
    /// No answer, or a refusal.
    pub(crate) fn get(&self, path: &str) -> Result<Json, Unanswered> {
        self.ask(path, Request::Get)
    }

    /// Sends bytes of JSON to a path; compressed.
    ///
    /// # Errors
    /// No answer, or a refusal.
    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Result<Json, Unanswered> {
        let mut packed = Vec::new();
        let gzip = GzEncoder::new(body, Compression::fast()).read_to_end(&mut packed);
        gzip.map_err(|error| Unanswered::unusable(format!("cannot compress it: {error}")))?;
        self.send(path, Request::Post(&packed), PATIENCE, true)
    }

    /// Makes a request as it is. What adds something is not repeated where it may have arrived.
    fn ask(&self, path: &str, request: Request<'_>) -> Result<Json, Unanswered> {
        let once = matches!(request, Request::Post(_));
        self.send(path, request, Patience { once, ..PATIENCE }, false)
    }

    fn send(
        &self,
        path: &str,
        request: Request<'_>,
        patience: Patience,
        packed: bool,
    ) -> Result<Json, Unanswered> {
        let client = self.client(path, packed);
        let answer = client.and_then(|client| self.explain_failure(client.send(request, patience)));
        answer.map_err(|why| self.with_address(why))
    }

    fn client(&self, path: &str, packed: bool) -> Result<Client, Unanswered> {
        let mut secrets = Secrets::default();
        let mut headers = Vec::new();
        if let Some(Token { header, scheme, variable, value }) = &self.token {
            secrets.add(variable, value);
            let (value, shown) = (format!("{scheme}{value}"), format!("{scheme}${{{variable}}}"));
            headers.push(Header { name: (*header).to_owned(), value, shown });
        }
        if packed {
            let gzip = "gzip".to_owned();
            headers.push(Header { name: "Content-Encoding".to_owned(), value: gzip.clone(), shown: gzip });
        }
        let [url, shown] = [&self.url, &self.shown].map(|base| format!("{base}{path}"));
        let client = Client::new(Endpoint { url, shown, headers, secrets });
        client.map_err(|error| Unanswered::unusable(error.to_string()))
    }

    fn explain_failure(&self, answer: Result<Json, GaveUp>) -> Result<Json, Unanswered> {
        answer.map_err(|gave_up| match gave_up {
            GaveUp::Final(failure) => failed(&failure, failure.to_string()),
            GaveUp::TimedOut { .. } => {
                Unanswered::Away(format!("did not answer within {} s", PATIENCE.time.as_secs()))
            }
            GaveUp::Tries { last, tries } => failed(&last, format!("{last} (after {tries} tries)")),
            GaveUp::NoTime { last, .. } => failed(&last, last.to_string()),
        })
    }

    fn with_address(&self, why: Unanswered) -> Unanswered {
        let named = |why: String| format!("{} {why}", self.shown);
        match why {
            Unanswered::Away(why) => Unanswered::Away(named(why)),
            Unanswered::Failed { status, why } => Unanswered::Failed { status, why: named(why) },
            Unanswered::Refused { status, why } => Unanswered::Refused { status, why: named(why) },
        }
    }
}

/// Who has to do something about a failure, in these words.
fn failed(failure: &Failure, why: String) -> Unanswered {
    match failure {
        Failure::Redirected { status, .. } => Unanswered::Refused {
            status: Some(status.as_u16()),
            why: format!("{why}; give the final address"),
        },
        // A refusal that ends at some moment is a limit of requests.
        Failure::Status { status, wish, .. }
            if status.is_server_error()
                || status.as_u16() == 429
                || (status.as_u16() == 403 && wish.is_some()) =>
        {
            Unanswered::Failed { status: status.as_u16(), why }
        }
        Failure::Status { status, .. } => Unanswered::Refused { status: Some(status.as_u16()), why },
        Failure::Unreadable { again: true, .. } | Failure::TimedOut => Unanswered::Away(why),
        Failure::Unreadable { .. } => Unanswered::unusable(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers with each of some heads once, and then that all is well.
    fn answering(heads: &[&'static str]) -> Server {
        use std::io::Write;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads = heads.to_vec();
        std::thread::spawn(move || {
            let heads = heads.into_iter().chain(std::iter::repeat("200 OK\r\n"));
            for (stream, head) in listener.incoming().zip(heads) {
                let mut stream = stream.unwrap();
                // All that is sent is little.
                let _ = stream.read(&mut [0; 4096]).unwrap();
                let answer = format!("HTTP/1.1 {head}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Server::new(&url, None).unwrap()
    }

    #[test]
    fn a_busy_server_is_asked_again_until_it_has_room() {
        const BUSY: &str = "429 Too Many Requests\r\n";
        let started = std::time::Instant::now();
        let server = answering(&[BUSY, "503 Service Unavailable\r\nRetry-After: 1\r\n", BUSY, BUSY]);
        assert_eq!(server.post("/v1/reports", b"{}"), Ok(serde_json::json!({})));
        // What it wishes is heard, and who waits for more waits longer.
        assert!(started.elapsed() >= Duration::from_millis(200 + 1_000 + 800 + 1_600));
        // A wish for more time than there is ends it at once.
        let started = std::time::Instant::now();
        let server = answering(&["503 Service Unavailable\r\nRetry-After: 3600\r\n"]);
        assert!(matches!(server.get("/"), Err(Unanswered::Failed { status: 503, .. })));
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    /// 2^64 - 1 seconds are no time that anything can wait, or be: such a header is as none.
    #[test]
    fn a_header_with_an_impossible_time_is_no_wish() {
        const LATER: &str = "429 Too Many Requests\r\nRetry-After: 18446744073709551615\r\n";
        const RESET: &str = "429 Too Many Requests\r\nX-RateLimit-Remaining: 0\r\n\
                             X-RateLimit-Reset: 18446744073709551615\r\n";
        const FORBIDDEN: &str = "403 Forbidden\r\nX-RateLimit-Remaining: 0\r\n\
                                 X-RateLimit-Reset: 18446744073709551615\r\n";
        let server = answering(&[LATER, RESET]);
        assert_eq!(server.post("/v1/reports", b"{}"), Ok(serde_json::json!({})));
        let server = answering(&[FORBIDDEN]);
        assert!(matches!(server.get("/"), Err(Unanswered::Refused { status: Some(403), .. })));
    }

    #[test]
    fn an_address_shows_no_user_and_takes_text_as_it_is() {
        let server = Server::new("https://me:secret@quality.example.org/rankgate/", None).unwrap();
        assert_eq!(server.shown, "https://quality.example.org/rankgate");
        for url in ["quality.example.org", "ftp://x", "http://x/?a=b", "http://x:99999"] {
            assert!(Server::new(url, None).is_err(), "{url}");
        }
    }
}
