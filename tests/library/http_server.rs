//! A server on this machine that does as each test says.

#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// A request as the server got it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The first line and the headers, as they were sent.
    pub(crate) head: String,
    pub(crate) body: Value,
    /// The number of the connection that it came on, from 0.
    pub(crate) connection: usize,
    /// How many requests came before it.
    pub(crate) before: usize,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The document that is relevant for the query.
    pub(crate) fn right(&self) -> String {
        self.body["q"].as_str().unwrap().replace("question ", "d")
    }
}

/// What the server does with a request: the bytes that it sends, and whether the connection stays.
pub(crate) type Handler = dyn Fn(&Request) -> (Vec<u8>, bool) + Send + Sync;

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn new(handler: impl Fn(&Request) -> (Vec<u8>, bool) + Send + Sync + 'static) -> Self {
        Self::with(handler, Vec::new())
    }

    /// Sends as well, 20 ms after each answer, what nobody asked for.
    pub(crate) fn with(
        handler: impl Fn(&Request) -> (Vec<u8>, bool) + Send + Sync + 'static,
        late: Vec<u8>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let handler: Arc<Handler> = Arc::new(handler);
        let (all, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        let connections = AtomicUsize::new(0);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (handler, all, late) = (Arc::clone(&handler), Arc::clone(&all), late.clone());
                let connection = connections.fetch_add(1, Ordering::Relaxed);
                // The other side may go at any time.
                thread::spawn(move || drop(serve(stream.unwrap(), connection, &all, &*handler, &late)));
            }
        });
        Self { address, requests, stop }
    }

    /// Answers each request with a status, headers and a body.
    pub(crate) fn answering(
        answer: impl Fn(&Request) -> (u16, &'static str, String) + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |request| {
            let (status, headers, body) = answer(request);
            (response(status, headers, &body), true)
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
    }
}

fn serve(
    stream: TcpStream,
    connection: usize,
    all: &Mutex<Vec<Request>>,
    handler: &Handler,
    late: &[u8],
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let mut request = Request { head, body: Value::Null, connection, before: 0 };
        let length = request.header("content-length").unwrap_or("0").parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        request.body = serde_json::from_slice(&body).unwrap();
        {
            let mut all = all.lock().unwrap();
            request.before = all.len();
            all.push(request.clone());
        }
        let (answer, stays) = handler(&request);
        stream.write_all(&answer)?;
        stream.flush()?;
        if !late.is_empty() {
            let (mut stream, late) = (stream.try_clone()?, late.to_vec());
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                drop(stream.write_all(&late));
            });
        }
        if !stays {
            return Ok(());
        }
    }
}

pub(crate) fn response(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

pub(crate) const JSON: &str = "Content-Type: application/json\r\n";

pub(crate) fn right(request: &Request) -> (u16, &'static str, String) {
    (200, JSON, json!({"hits": [{"id": request.right(), "score": 1.5}]}).to_string())
}
