//! A service on this machine that answers as each test says.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

pub(crate) const JSON: &str = "Content-Type: application/json\r\n";

/// A request as the server got it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) body: Value,
}

/// Status, headers and body.
type Handler = dyn Fn(&Request) -> (u16, &'static str, String) + Send + Sync;

pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn answering(
        answer: impl Fn(&Request) -> (u16, &'static str, String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let answer: Arc<Handler> = Arc::new(answer);
        let (all, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (answer, all) = (Arc::clone(&answer), Arc::clone(&all));
                // The other side may go at any time.
                thread::spawn(move || drop(serve(stream.unwrap(), &all, &*answer)));
            }
        });
        Self { address, requests, stop }
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

fn serve(mut stream: TcpStream, all: &Mutex<Vec<Request>>, answer: &Handler) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let headers = head.lines().filter_map(|line| line.split_once(": "));
        let length = headers.into_iter().find(|(key, _)| key.eq_ignore_ascii_case("content-length"));
        let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
        reader.read_exact(&mut body)?;
        let request = Request { body: serde_json::from_slice(&body).unwrap() };
        all.lock().unwrap().push(request.clone());
        let (status, headers, body) = answer(&request);
        let head = format!("HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes())?;
        stream.flush()?;
    }
}
