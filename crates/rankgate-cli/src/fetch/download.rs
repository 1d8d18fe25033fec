//! A file is downloaded, from the first address that has the published one.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use md5::{Digest, Md5};
use ureq::http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, RANGE};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, ResponseExt};

use super::collection::file_sha256;
use super::error::chain;
use super::{Error, ErrorKind, Remote, Result, Step};

/// How often in a row nothing more may come.
const TRIES: u32 = 4;
/// Pauses between them: this, twice this, four times this.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a server may send nothing before it is asked again.
const STALL: Duration = Duration::from_secs(30);
/// Redirections that are followed.
const HOPS: u32 = 5;
/// No benchmark's file is larger.
const MOST: u64 = 64 << 30;

/// Why an address gave nothing.
enum Miss {
    /// Another try may help.
    Cut(String),
    /// None will.
    Final(String),
}

/// Downloads a file into `part`. A partial one that has a published checksum is continued.
///
/// # Errors
/// All addresses, each with why it gave nothing.
pub(super) fn download(remote: &Remote, part: &Path, observer: &dyn Fn(Step<'_>)) -> Result<()> {
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(HOPS)
        .max_redirects_will_error(true)
        .timeout_connect(Some(STALL))
        .timeout_recv_response(Some(STALL))
        .timeout_per_read(Some(STALL))
        .tls_config(rankgate_http::roots().map_err(|error| Error::other(ErrorKind::Setup, error))?)
        .user_agent(concat!("rankgate/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let from = Source { agent: &agent, remote, part, observer };
    let mut misses = Vec::new();
    for address in std::iter::once(&remote.url).chain(&remote.mirrors) {
        // The beginning that is here may be of another file, so what is wrong is fetched again, once.
        for is_last in [!part.exists(), true] {
            let why = match from.address(address) {
                Err(why) => why,
                Ok(()) => match check(remote, part) {
                    Ok(()) => return Ok(()),
                    Err(error) => {
                        fs::remove_file(part).map_err(|error| Error::output("cannot remove", part, error))?;
                        if !is_last {
                            continue;
                        }
                        error.to_string()
                    }
                },
            };
            misses.push(format!("{address}: {why}"));
            break;
        }
    }
    let (file, tried) = (remote.file_name(), misses.join("\n  "));
    Err(Error::with_kind(ErrorKind::Missing, format!("{file} cannot be had\n  {tried}")))
}

/// Compares a file with its published size and checksums.
///
/// # Errors
/// Another file.
pub(super) fn check(remote: &Remote, path: &Path) -> Result<()> {
    let bytes = length(path);
    let mut compared = Vec::from_iter(remote.bytes.map(|bytes| ("size", bytes.to_string())));
    compared.extend(remote.md5.clone().map(|sum| ("md5", sum)));
    compared.extend(remote.sha256.clone().map(|sum| ("sha256", sum)));
    for (kind, expected) in compared {
        let found = match kind {
            "size" => bytes.to_string(),
            "md5" => file_md5(path)?,
            _ => file_sha256(path)?,
        };
        if !found.eq_ignore_ascii_case(&expected) {
            let message = format!("its {kind} is {found}, and {expected} was published: it is another file");
            return Err(Error::in_file(path, message));
        }
    }
    Ok(())
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

fn file_md5(path: &Path) -> Result<String> {
    let failed = |error| Error::io("cannot read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let (mut hasher, mut block) = (Md5::new(), vec![0; 64 << 10]);
    loop {
        match file.read(&mut block).map_err(failed)? {
            0 => return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            count => hasher.update(&block[..count]),
        }
    }
}

struct Source<'a> {
    agent: &'a Agent,
    remote: &'a Remote,
    part: &'a Path,
    observer: &'a dyn Fn(Step<'_>),
}

impl Source<'_> {
    /// Asks one address until all is here.
    fn address(&self, address: &str) -> Result<(), String> {
        let mut tries = 0;
        loop {
            let before = length(self.part);
            match self.attempt(address) {
                Ok(()) => return Ok(()),
                Err(Miss::Final(why)) => return Err(why),
                Err(Miss::Cut(why)) => {
                    let more = self.remote.has_checksum() && length(self.part) > before;
                    tries = if more { 1 } else { tries + 1 };
                    if tries >= TRIES {
                        return Err(why);
                    }
                    thread::sleep(PAUSE * 2_u32.pow(tries - 1));
                }
            }
        }
    }

    /// Requests the missing bytes once; without a checksum, which tells if they belong together, all of them.
    fn attempt(&self, address: &str) -> Result<(), Miss> {
        let Self { remote, part, observer, .. } = self;
        let here = if remote.has_checksum() { length(part) } else { 0 };
        let mut response = self.ask(address, here)?;
        let host = response.get_uri().authority().map(ToString::to_string).unwrap_or_default();
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        let begins = |from: u64| range.is_some_and(|range| range.starts_with(&format!("bytes {from}-")));
        let mut done = match response.status() {
            StatusCode::PARTIAL_CONTENT if begins(here) => here,
            StatusCode::OK => 0,
            // The checksum tells whether all of it is here.
            StatusCode::RANGE_NOT_SATISFIABLE if here > 0 => return Ok(()),
            status if status.is_server_error() || matches!(status.as_u16(), 408 | 429) => {
                return Err(Miss::Cut(format!("answered {status}")));
            }
            status => return Err(Miss::Final(format!("answered {status}"))),
        };
        let rest = response.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        let total = rest.and_then(|rest| rest.parse::<u64>().ok()).map(|rest| done + rest);
        if let (Some(total), Some(expected)) = (total, remote.bytes)
            && total != expected
        {
            return Err(Miss::Final(format!(
                "has {total} bytes, and {expected} were published: it is another file"
            )));
        }
        let failed = |error: std::io::Error| Miss::Final(format!("cannot write {}: {error}", part.display()));
        let mut options = File::options();
        let file = options.create(true).write(true).append(done > 0).truncate(done == 0).open(part);
        let mut file = file.map_err(failed)?;
        let mut block = vec![0; 256 << 10];
        let mut body = response.body_mut().with_config().limit(MOST).reader();
        loop {
            observer(Step::Downloading { file: remote.file_name(), host: &host, done, total });
            match body.read(&mut block) {
                Ok(0) => break,
                Ok(read) => {
                    file.write_all(&block[..read]).map_err(failed)?;
                    done += read as u64;
                }
                Err(error) => {
                    return Err(Miss::Cut(format!("was cut off after {done} bytes: {}", chain(&error))));
                }
            }
        }
        file.sync_all().map_err(failed)?;
        match total {
            Some(total) if done < total => {
                Err(Miss::Cut(format!("was cut off after {done} of {total} bytes")))
            }
            _ => Ok(()),
        }
    }

    /// Asks for a file from a byte on.
    fn ask(&self, address: &str, from: u64) -> Result<Response<ureq::Body>, Miss> {
        let parts = rankgate_http::parse_address(address)
            .map_err(|why| Miss::Final(format!("is no address: {why}")))?;
        if let Ok(uri) = address.parse() {
            rankgate_http::check_proxy(&uri).map_err(|error| Miss::Final(chain(&error)))?;
        }
        // As it is: what is unpacked on its way has no checksum.
        let mut request = self.agent.get(address).header(ACCEPT_ENCODING, "identity");
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        // What is asked for under encryption does not come without.
        let request = request.config().https_only(parts.scheme == "https").build();
        request.call().map_err(|error| match error {
            ureq::Error::TooManyRedirects => Miss::Final("redirects too often".to_owned()),
            ureq::Error::RequireHttpsOnly(to) => {
                Miss::Final(format!("leads to {to}, which is not encrypted"))
            }
            ureq::Error::Rustls(cause) => Miss::Final(rankgate_http::tls_reason(&cause)),
            ureq::Error::Io(error) => match error.get_ref().and_then(|cause| cause.downcast_ref()) {
                Some(cause) => Miss::Final(rankgate_http::tls_reason(cause)),
                None => Miss::Cut(format!("cannot be reached: {}", chain(&error))),
            },
            error => Miss::Cut(format!("cannot be reached: {}", chain(&error))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_one_that_was_published() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        fs::write(&path, "abc").unwrap();
        // RFC 1321, A.5; FIPS 180-2, B.1.
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        for (bytes, sums, expected) in [
            (Some(4), [None, None], Some("its size is 3, and 4 was published")),
            (
                None,
                [Some("0"), None],
                Some("its md5 is 900150983cd24fb0d6963f7d28e17f72, and 0 was published"),
            ),
            (None, [None, Some("0")], Some("and 0 was published: it is another file")),
            (Some(3), [Some(&*md5.to_uppercase()), Some(sha256)], None),
            (None, [None, None], None),
        ] {
            let mut remote = Remote::new("http://a/abc");
            remote.bytes = bytes;
            [remote.md5, remote.sha256] = sums.map(|sum| sum.map(str::to_owned));
            match (check(&remote, &path), expected) {
                (Ok(()), None) => {}
                (Err(error), Some(expected)) => assert!(error.to_string().contains(expected), "{error}"),
                (found, expected) => panic!("{found:?} {expected:?}"),
            }
        }
    }
}
