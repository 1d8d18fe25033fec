//! A file is downloaded: gone on with where it was cut off, from a mirror where its own address has none.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use ureq::Agent;
use ureq::http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, LOCATION, RANGE};
use ureq::http::{Response, StatusCode};

use super::{Step, unavailable};
use crate::catalogue::Remote;
use crate::error::chain;
use crate::url;
use crate::{Error, Result};

/// How often in a row nothing more may come.
const TRIES: u32 = 4;
/// Pauses between them: this, twice this, four times this.
const PAUSE: Duration = Duration::from_millis(500);
/// Redirections that are followed.
const HOPS: usize = 5;
/// An answer that takes longer is asked for again from where it is.
const PATIENCE: Duration = Duration::from_secs(600);
/// What no benchmark's file has.
const MOST: u64 = 64 << 30;

/// Why an address gave nothing.
enum Miss {
    /// Another try may help.
    Cut(String),
    /// None will.
    Final(String),
    /// This machine's fault.
    Ours(Error),
}

/// Downloads a file into `part`, going on with what is there.
///
/// # Errors
/// All addresses, each with why it gave nothing.
pub(super) fn download(
    remote: &Remote,
    mirror: Option<&str>,
    part: &Path,
    observer: &dyn Fn(Step<'_>),
) -> Result<()> {
    let mirror = mirror.map(|folder| format!("{}/{}", folder.trim_end_matches('/'), remote.file_name()));
    let addresses: Vec<&str> =
        mirror.iter().chain([&remote.url]).chain(&remote.mirrors).map(String::as_str).collect();
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(Duration::from_secs(60)))
        .timeout_recv_body(Some(PATIENCE))
        .user_agent(concat!("rankgate/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let mut told = Vec::new();
    for address in addresses {
        let mut tries = 0;
        loop {
            let before = length(part);
            match attempt(&agent, address, remote, part, observer) {
                Ok(()) => return Ok(()),
                Err(Miss::Ours(error)) => return Err(error),
                Err(Miss::Final(why)) => {
                    told.push(format!("{address}: {why}"));
                    break;
                }
                Err(Miss::Cut(why)) => {
                    tries = if length(part) > before { 1 } else { tries + 1 };
                    if tries >= TRIES {
                        told.push(format!("{address}: {why}"));
                        break;
                    }
                    thread::sleep(PAUSE * 2_u32.pow(tries - 1));
                }
            }
        }
    }
    let kept = match length(part) {
        0 => String::new(),
        bytes => format!("\n  {bytes} bytes are kept: the same command goes on from there"),
    };
    let (file, tried) = (remote.file_name(), told.join("\n  "));
    Err(unavailable(format!("{file} cannot be had\n  {tried}{kept}")))
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Asks once for what is missing.
fn attempt(
    agent: &Agent,
    address: &str,
    remote: &Remote,
    part: &Path,
    observer: &dyn Fn(Step<'_>),
) -> Result<(), Miss> {
    let ours = |error| Miss::Ours(Error::output("cannot write", part, error));
    let here = length(part);
    let (mut response, host) = ask(agent, address, here)?;
    let status = response.status();
    let mut done = match status {
        StatusCode::PARTIAL_CONTENT if begins_at(&response) == Some(here) => here,
        StatusCode::OK => 0,
        // All of it is here, or what is here is of another file: checksums tell.
        StatusCode::RANGE_NOT_SATISFIABLE if remote.bytes == Some(here) => return Ok(()),
        StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PARTIAL_CONTENT => {
            fs::remove_file(part).map_err(ours)?;
            return Err(Miss::Cut(format!("answered {status} to what is here")));
        }
        _ if status.is_server_error() || matches!(status.as_u16(), 408 | 429) => {
            return Err(Miss::Cut(format!("answered {status}")));
        }
        _ => return Err(Miss::Final(format!("answered {status}"))),
    };
    let rest =
        response.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let total = rest.map(|rest| done + rest).or(remote.bytes);
    if let (Some(total), Some(expected)) = (total, remote.bytes)
        && total != expected
    {
        return Err(Miss::Final(format!(
            "has {total} bytes, and {expected} were published: it is another file"
        )));
    }
    let mut options = File::options();
    let file = options.create(true).write(true).append(done > 0).truncate(done == 0).open(part);
    let mut file = file.map_err(ours)?;
    let file_name = remote.file_name();
    let mut block = vec![0; 256 << 10];
    let mut body = response.body_mut().with_config().limit(MOST).reader();
    observer(Step::Downloading { file: file_name, host: &host, done, total });
    loop {
        let read = match body.read(&mut block) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) => {
                return Err(Miss::Cut(format!("was cut off after {done} bytes: {}", chain(&error))));
            }
        };
        file.write_all(&block[..read]).map_err(ours)?;
        done += read as u64;
        observer(Step::Downloading { file: file_name, host: &host, done, total });
    }
    file.sync_all().map_err(ours)?;
    match total {
        Some(total) if done < total => Err(Miss::Cut(format!("was cut off after {done} of {total} bytes"))),
        _ => Ok(()),
    }
}

/// Asks for a file from a byte on, following redirections; gives the host that answered as well.
fn ask(agent: &Agent, address: &str, from: u64) -> Result<(Response<ureq::Body>, String), Miss> {
    let mut at = address.to_owned();
    for _ in 0..=HOPS {
        let parts = url::parse(&at).map_err(|why| Miss::Final(format!("is no address: {why}")))?;
        let (host, secure) = (parts.host.to_owned(), parts.scheme == "https");
        // As it is: what is unpacked on its way has no checksum.
        let mut request = agent.get(&at).header(ACCEPT_ENCODING, "identity");
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        let response = request.call().map_err(|error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Rustls(_) => {
                Miss::Final(format!("cannot be asked: {}", chain(&error)))
            }
            error => Miss::Cut(format!("cannot be reached: {}", chain(&error))),
        })?;
        if !response.status().is_redirection() {
            return Ok((response, host));
        }
        let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
        let to = to.ok_or_else(|| Miss::Final(format!("answered {} to nowhere", response.status())))?;
        let next = joined(&at, to);
        if secure && !next.starts_with("https://") {
            return Err(Miss::Final(format!("leads to {next}, which is not encrypted")));
        }
        at = next;
    }
    Err(Miss::Final(format!("leads on and on, at last to {at}")))
}

/// Where a reference of a page leads.
fn joined(base: &str, to: &str) -> String {
    if to.contains("://") {
        return to.to_owned();
    }
    let (scheme, rest) = base.split_once("://").unwrap_or(("http", base));
    if let Some(other) = to.strip_prefix("//") {
        return format!("{scheme}://{other}");
    }
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    if to.starts_with('/') {
        return format!("{scheme}://{host}{to}");
    }
    let folder =
        rest.split('?').next().and_then(|path| path.rsplit_once('/')).map_or(host, |(folder, _)| folder);
    format!("{scheme}://{folder}/{to}")
}

/// The byte with which a part begins.
fn begins_at(response: &Response<ureq::Body>) -> Option<u64> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_where_browsers_go() {
        // RFC 3986, section 5.4.1, as far as servers send such.
        for (to, expected) in [
            ("http://other/x", "http://other/x"),
            ("/g", "http://a/g"),
            ("//g/h", "http://g/h"),
            ("g", "http://a/b/c/g"),
            ("g/h?y", "http://a/b/c/g/h?y"),
        ] {
            assert_eq!(joined("http://a/b/c/d?q", to), expected, "{to}");
        }
        assert_eq!(joined("http://a", "g"), "http://a/g");
    }
}
