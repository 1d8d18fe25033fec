//! The program itself, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rankgate_report::benchmark::model::SCHEMA;
use serde_json::Value;

/// A server that stops with this value.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// The write token of its first start.
    pub(crate) token: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

pub(crate) fn program(folder: &Path, database: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate-serve"));
    command.arg("--data").arg(folder);
    command.args(database.map(|address| ["--database", address]).into_iter().flatten());
    command
}

impl Running {
    pub(crate) fn start(folder: &Path, database: Option<&str>) -> Self {
        Self::start_with(folder, database, &[])
    }

    pub(crate) fn start_with(folder: &Path, database: Option<&str>, more: &[&str]) -> Self {
        let mut command = program(folder, database);
        command.args(["--listen", "127.0.0.1:0"]).args(more).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (mut token, mut address) = (String::new(), None);
        for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
            if let Some((_, printed)) = line.split_once("(printed only once): ") {
                token = printed.to_owned();
            }
            if let Some((_, printed)) = line.split_once("listens on http://") {
                address = Some(printed.parse().unwrap());
                break;
            }
        }
        Self { child, address: address.expect("it listens"), token }
    }

    /// Sends a request with the first token.
    pub(crate) fn send(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let header = format!("Authorization: Bearer {}", self.token);
        send(self.address, (method, path), &[&header], body).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, b"")
    }

    pub(crate) fn stop(&mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// One request on a connection of its own.
pub(crate) fn send(
    address: SocketAddr,
    (method, path): (&str, &str),
    headers: &[&str],
    body: &[u8],
) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    head += &format!("Content-Length: {}\r\n", body.len());
    headers.iter().for_each(|header| head += &format!("{header}\r\n"));
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    // A server that refuses a body does not read all of it.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or(std::io::ErrorKind::InvalidData)?;
    Ok(Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() })
}

/// A report of a commit, whose queries all score about `score`.
pub(crate) fn report(benchmark: &str, commit: usize, score: f64) -> String {
    let queries: Vec<String> = (0..60)
        .map(|query| {
            let own = score - f64::from(query % 7) / 1_000.0;
            format!("{{\"id\": \"q{query:02}\", \"scores\": {{\"nDCG@10\": {own}}}}}")
        })
        .collect();
    format!(
        "{{\"schema\": {SCHEMA}, \"benchmark\": \"{benchmark}\", \"spec\": \"x.yaml\", \"confidence\": 0.95, \"metrics\": [\"nDCG@10\"], \
         \"gates\": [], \"gates_in_spec\": 0, \"warnings\": [], \"history\": {{\"commit\": \"{commit:040x}\", \
         \"queries\": \"q\", \"judgments\": \"j\", \"corpus\": \"c\", \"definitions\": \"d\", \"configurations\": [{{\
         \"name\": \"words\", \"depth\": 10, \"ranking\": \"{score}\", \"gated\": [\"nDCG@10\"]}}]}}, \"configurations\": [\
         {{\"name\": \"words\", \"outcome\": {{\"measured\": {{\"queries\": [{}]}}}}}}]}}",
        queries.join(",")
    )
}
