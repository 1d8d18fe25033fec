//! A file is downloaded: gone on with where it was cut off, from a mirror where its own address has none.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use ureq::http::header::{
    ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_RANGE, LAST_MODIFIED, RANGE,
};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, ResponseExt, Timeout};

use super::error::chain;
use super::output::write_whole;
use super::{Error, ErrorKind, Result, http, parse_address};
use super::{Step, content, unavailable};
use rankgate::catalogue::Remote;

/// How often in a row nothing more may come.
const TRIES: u32 = 4;
/// Pauses between them: this, twice this, four times this.
const PAUSE: Duration = Duration::from_millis(500);
/// Redirections that are followed.
const HOPS: u32 = 5;
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

/// Downloads a file into `part`, continuing a partial one, until an address has one that `look` accepts; gives
/// what that gave.
///
/// # Errors
/// All addresses, each with why it gave nothing.
pub(super) fn download<T>(
    remote: &Remote,
    mirror: Option<&str>,
    stall: Duration,
    part: &Path,
    look: &dyn Fn(&Path) -> Result<T>,
    observer: &dyn Fn(Step<'_>),
) -> Result<T> {
    let mirror = mirror.map(|folder| format!("{}/{}", folder.trim_end_matches('/'), remote.file_name()));
    let addresses = mirror.iter().chain([&remote.url]).chain(&remote.mirrors);
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(HOPS)
        .max_redirects_will_error(true)
        .timeout_connect(Some(Duration::from_secs(30)))
        .timeout_recv_response(Some(stall))
        .timeout_per_read(Some(stall))
        .tls_config(http::roots().map_err(|error| Error::other(ErrorKind::Setup, error))?)
        .user_agent(concat!("rankgate/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let from = Source { agent: &agent, remote, part, stall, observer };
    let mut misses = Vec::new();
    for address in addresses {
        match from.address(address, look) {
            Ok(found) => return Ok(found),
            Err(Miss::Ours(error)) => return Err(error),
            Err(Miss::Cut(why) | Miss::Final(why)) => misses.push(format!("{address}: {why}")),
        }
    }
    let kept = match length(part) {
        0 => String::new(),
        bytes => format!("\n  {bytes} bytes are kept: the same command goes on from there"),
    };
    let (file, tried) = (remote.file_name(), misses.join("\n  "));
    Err(unavailable(format!("{file} cannot be had\n  {tried}{kept}")))
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

struct Source<'a> {
    agent: &'a Agent,
    remote: &'a Remote,
    part: &'a Path,
    /// How long nothing may come.
    stall: Duration,
    observer: &'a dyn Fn(Step<'_>),
}

impl Source<'_> {
    /// Asks one address as often as that helps, and looks at what came.
    fn address<T>(&self, address: &str, look: &dyn Fn(&Path) -> Result<T>) -> Result<T, Miss> {
        let resumed = length(self.part) > 0;
        self.download(address)?;
        let refused = match look(self.part) {
            Ok(found) => {
                drop(fs::remove_file(self.version_file()));
                return Ok(found);
            }
            Err(error) if error.kind() == ErrorKind::BadInput => error,
            Err(error) => return Err(Miss::Ours(error)),
        };
        // What is wrong is not gone on with.
        self.discard()?;
        if resumed {
            // Its beginning may have been of another file.
            return self.address(address, look);
        }
        let path = format!("{}: ", self.part.display());
        let why = refused.to_string();
        Err(Miss::Final(format!("what it has is refused: {}", why.strip_prefix(&path).unwrap_or(&why))))
    }

    /// Asks one address until all is here.
    fn download(&self, address: &str) -> Result<(), Miss> {
        let (mut tries, mut own) = (0, false);
        loop {
            let before = length(self.part);
            match self.attempt(address, own) {
                Err(Miss::Cut(why)) => {
                    let more = length(self.part) > before;
                    own |= more;
                    tries = if more { 1 } else { tries + 1 };
                    if tries >= TRIES {
                        return Err(Miss::Cut(why));
                    }
                    thread::sleep(PAUSE * 2_u32.pow(tries - 1));
                }
                done => return done,
            }
        }
    }

    /// Requests the missing bytes once; `own` where the existing ones came from this address just now.
    fn attempt(&self, address: &str, own: bool) -> Result<(), Miss> {
        let Self { remote, part, observer, .. } = self;
        let ours = |error| Miss::Ours(Error::output("cannot write", part, error));
        if remote.bytes.is_some_and(|bytes| bytes < length(part)) {
            self.discard()?;
        }
        let mut here = length(part);
        if here > 0 && remote.bytes == Some(here) && (own || remote.has_checksum()) {
            return Ok(());
        }
        // A checksum would tell if it went on with another file; without one, the server has to.
        let version = if remote.has_checksum() { None } else { self.version(address) };
        if here > 0 && !own && !remote.has_checksum() && version.is_none() {
            self.discard()?;
            here = 0;
        }
        let mut response = self.ask(address, here, version.as_deref())?;
        let host = response.get_uri().authority().map(ToString::to_string).unwrap_or_default();
        let status = response.status();
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        let mut done = match status {
            StatusCode::PARTIAL_CONTENT if range.and_then(begin) == Some(here) => here,
            StatusCode::OK => 0,
            // All of it is here.
            StatusCode::RANGE_NOT_SATISFIABLE if range.and_then(all) == Some(here) => return Ok(()),
            StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PARTIAL_CONTENT => {
                self.discard()?;
                return Err(Miss::Cut(format!("answered {status} to what is here")));
            }
            _ if status.is_server_error() || matches!(status.as_u16(), 408 | 429) => {
                return Err(Miss::Cut(format!("answered {status}")));
            }
            _ => return Err(Miss::Final(format!("answered {status}"))),
        };
        let rest = header(&response, CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
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
        if done == 0 {
            self.note_version(address, &response)?;
        }
        let file_name = remote.file_name();
        let mut block = vec![0; 256 << 10];
        let mut body = response.body_mut().with_config().limit(MOST).reader();
        observer(Step::Downloading { file: file_name, host: &host, done, total });
        loop {
            let read = match body.read(&mut block) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => {
                    return Err(Miss::Cut(format!(
                        "was cut off after {done} bytes: {}",
                        self.reason(&error)
                    )));
                }
            };
            // It is seen before gigabytes of it have come; what is whole is looked at again.
            if done == 0
                && let Some(page) = content::page(&block[..read])
            {
                self.discard()?;
                return Err(Miss::Final(page));
            }
            file.write_all(&block[..read]).map_err(ours)?;
            done += read as u64;
            observer(Step::Downloading { file: file_name, host: &host, done, total });
        }
        file.sync_all().map_err(ours)?;
        match total {
            Some(total) if done < total => {
                Err(Miss::Cut(format!("was cut off after {done} of {total} bytes")))
            }
            _ => Ok(()),
        }
    }

    /// Asks for a file from a byte on, of the version that a server named before.
    fn ask(&self, address: &str, from: u64, version: Option<&str>) -> Result<Response<ureq::Body>, Miss> {
        let parts = parse_address(address).map_err(|why| Miss::Final(format!("is no address: {why}")))?;
        if let Ok(uri) = address.parse() {
            http::check_proxy(&uri).map_err(|error| Miss::Ours(Error::other(ErrorKind::Setup, error)))?;
        }
        // As it is: what is unpacked on its way has no checksum.
        let mut request = self.agent.get(address).header(ACCEPT_ENCODING, "identity");
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
            if let Some(version) = version {
                request = request.header(IF_RANGE, version);
            }
        }
        // What is asked for under encryption does not come without.
        let request = request.config().https_only(parts.scheme == "https").build();
        request.call().map_err(|error| match error {
            ureq::Error::TooManyRedirects => Miss::Final("leads on and on".to_owned()),
            ureq::Error::RequireHttpsOnly(to) => {
                Miss::Final(format!("leads to {to}, which is not encrypted"))
            }
            ureq::Error::BadUri(_) | ureq::Error::Protocol(_) => {
                Miss::Final(format!("cannot be asked: {}", chain(&error)))
            }
            ureq::Error::Rustls(cause) => Miss::Final(http::tls_reason(&cause)),
            ureq::Error::Timeout(Timeout::RecvResponse | Timeout::PerRead) => Miss::Cut(self.silence()),
            ureq::Error::Io(error) => match error.get_ref().and_then(|cause| cause.downcast_ref()) {
                Some(cause) => Miss::Final(http::tls_reason(cause)),
                None => Miss::Cut(format!("cannot be reached: {}", chain(&error))),
            },
            error => Miss::Cut(format!("cannot be reached: {}", chain(&error))),
        })
    }

    fn silence(&self) -> String {
        format!("sent nothing for {} s", self.stall.as_secs_f64())
    }

    /// Why reading ended.
    fn reason(&self, error: &io::Error) -> String {
        match error.get_ref().and_then(|cause| cause.downcast_ref::<ureq::Error>()) {
            Some(ureq::Error::Timeout(_)) => format!("the server {}", self.silence()),
            _ => chain(error),
        }
    }

    /// The noted version of a partial file.
    fn version_file(&self) -> PathBuf {
        self.part.with_extension("version")
    }

    fn discard(&self) -> Result<(), Miss> {
        drop(fs::remove_file(self.version_file()));
        match fs::remove_file(self.part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Miss::Ours(Error::output("cannot remove", self.part, error)))
            }
            _ => Ok(()),
        }
    }

    /// The version of which the part is, if it came from this address and the server names versions.
    fn version(&self, address: &str) -> Option<String> {
        let text = fs::read_to_string(self.version_file()).ok()?;
        let (from, version) = text.split_once('\n')?;
        (from == address).then(|| version.trim_end().to_owned()).filter(|version| !version.is_empty())
    }

    /// Notes the version of a new partial file, where no checksum will identify it.
    fn note_version(&self, address: &str, response: &Response<ureq::Body>) -> Result<(), Miss> {
        if self.remote.has_checksum() {
            return Ok(());
        }
        // A weak tag says that a file means the same, and not that its bytes are.
        let tag = header(response, ETAG).filter(|tag| !tag.starts_with("W/"));
        let version = tag.or_else(|| header(response, LAST_MODIFIED)).unwrap_or_default();
        let text = format!("{address}\n{version}\n");
        write_whole(&self.version_file(), text.as_bytes()).map(drop).map_err(Miss::Ours)
    }
}

fn header(response: &Response<ureq::Body>, name: ureq::http::HeaderName) -> Option<&str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

/// The byte with which a part begins: `bytes 100-199/300`.
fn begin(range: &str) -> Option<u64> {
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}

/// How many bytes there are in all.
fn all(range: &str) -> Option<u64> {
    range.strip_prefix("bytes ")?.rsplit_once('/')?.1.trim().parse().ok()
}
