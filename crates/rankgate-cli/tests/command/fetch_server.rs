//! A server on loopback that breaks downloads in every way.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::collections::HashMap;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::loopback::request;

/// What the server does with a path.
#[derive(Clone)]
pub(crate) enum Does {
    Serve(Vec<u8>),
    /// Closes the connection after so many bytes, as often as is said, and then serves.
    CutAfter(usize, usize, Vec<u8>),
    /// Knows nothing of ranges, and cuts once.
    CutWhole(usize, Vec<u8>),
    Redirect(String),
    Status(u16),
}

pub(crate) struct Server {
    pub(crate) url: String,
    paths: Arc<Mutex<HashMap<String, Does>>>,
    /// Each request: its path, and the byte that it asks for first.
    asked: Arc<Mutex<Vec<(String, usize)>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (paths, asked) = (Arc::new(Mutex::new(HashMap::new())), Arc::new(Mutex::new(Vec::new())));
        let (known, noted) = (Arc::clone(&paths), Arc::clone(&asked));
        // It ends with the test.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, noted) = (Arc::clone(&known), Arc::clone(&noted));
                std::thread::spawn(move || answer(stream, &known, &noted));
            }
        });
        Self { url, paths, asked }
    }

    pub(crate) fn put(&self, path: &str, does: Does) {
        self.paths.lock().unwrap().insert(path.to_owned(), does);
    }

    pub(crate) fn take_requests(&self) -> Vec<(String, usize)> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, paths: &Mutex<HashMap<String, Does>>, asked: &Mutex<Vec<(String, usize)>>) {
    let Ok(Some((head, _))) = request(&stream) else { return };
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let range = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("range: bytes=")?.trim_end_matches('-').parse().ok()
    });
    let from = range.unwrap_or(0);
    asked.lock().unwrap().push((path.clone(), from));
    let does = paths.lock().unwrap().get(&path).cloned();
    let mut send = |status: &str, more: &str, length: usize, body: &[u8]| {
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n");
        // The other side may be gone.
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)));
    };
    let mut part = |bytes: &[u8], most: usize| {
        let rest = &bytes[from.min(bytes.len())..];
        let range = format!("Content-Range: bytes {from}-{}/{}\r\n", bytes.len() - 1, bytes.len());
        let status = if from > 0 { "206 Partial Content" } else { "200 OK" };
        send(status, if from > 0 { &range } else { "" }, rest.len(), &rest[..most.min(rest.len())]);
    };
    match does {
        None => send("404 Not Found", "", 0, b""),
        Some(Does::Serve(bytes) | Does::CutAfter(_, 0, bytes)) => part(&bytes, usize::MAX),
        Some(Does::CutAfter(most, times, bytes)) => {
            paths.lock().unwrap().insert(path, Does::CutAfter(most, times - 1, bytes.clone()));
            part(&bytes, most);
        }
        Some(Does::CutWhole(most, bytes)) => {
            paths.lock().unwrap().insert(path, Does::CutWhole(usize::MAX, bytes.clone()));
            send("200 OK", "", bytes.len(), &bytes[..most.min(bytes.len())]);
        }
        Some(Does::Redirect(to)) => send("302 Found", &format!("Location: {to}\r\n"), 0, b""),
        Some(Does::Status(status)) => send(&format!("{status} No"), "", 0, b""),
    }
}
