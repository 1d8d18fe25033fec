//! The body of a request: limited as it comes and as it is decompressed, and with nothing guessed.

use std::io::Read;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt;

use crate::access::Caller;
use crate::problem::{Answer, Problem};
use crate::server::App;
use crate::work::Room;

/// A body as it came.
pub(crate) struct Received {
    bytes: Vec<u8>,
    gzipped: bool,
    limit: usize,
    /// Held as long as the body is.
    _room: Room,
}

/// Waits for the whole of a caller's body.
pub(crate) async fn receive(request: Request, app: &App, caller: &Caller) -> Answer<Received> {
    receive_from(request, app, &caller.key(), app.settings.limits.body).await
}

/// The same of somebody who has a name only, and with a limit.
pub(crate) async fn receive_from(
    request: Request,
    app: &App,
    caller: &str,
    limit: usize,
) -> Answer<Received> {
    let limits = &app.settings.limits;
    let too_large = || {
        let detail = format!("the body has more than {limit} bytes, which is the limit of this server");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
    };
    let gzipped = is_gzipped(request.headers())?;
    let length =
        request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > limit) {
        return Err(too_large());
    }
    let mut room = app.work.room(caller)?;
    let (mut body, mut bytes) = (request.into_body(), Vec::new());
    let whole = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                Problem::new(StatusCode::BAD_REQUEST, format!("the body broke off: {error}"))
            })?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > limit {
                return Err(too_large());
            }
            room.grow(data.len())?;
            bytes.extend_from_slice(&data);
        }
        Ok(())
    };
    tokio::time::timeout(limits.time(), whole).await.map_err(|_| {
        let detail = format!("the body did not arrive within {} seconds", limits.seconds);
        Problem::new(StatusCode::REQUEST_TIMEOUT, detail)
    })??;
    Ok(Received { bytes, gzipped, limit, _room: room })
}

fn is_gzipped(headers: &HeaderMap) -> Answer<bool> {
    let Some(encoding) = headers.get(header::CONTENT_ENCODING) else { return Ok(false) };
    match encoding.to_str().map(str::trim) {
        Ok("gzip" | "x-gzip") => Ok(true),
        Ok("identity" | "") => Ok(false),
        other => {
            let detail =
                format!("Content-Encoding: {}: gzip is read, and nothing else", other.unwrap_or("?"));
            Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail))
        }
    }
}

impl Received {
    pub(crate) fn is_gzipped(&self) -> bool {
        self.gzipped
    }

    /// How long it is decompressed, or one more than the limit; nothing of it is held.
    pub(crate) fn decoded_length(&self) -> Answer<usize> {
        if !self.gzipped {
            return Ok(self.bytes.len());
        }
        let mut most = MultiGzDecoder::new(&self.bytes[..]).take(self.limit as u64 + 1);
        let length = std::io::copy(&mut most, &mut std::io::sink()).map_err(|error| no_gzip(&error))?;
        Ok(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// The body decompressed; takes time.
    pub(crate) fn decoded(&self) -> Answer<Vec<u8>> {
        if self.gzipped { decompressed(&self.bytes, self.limit) } else { Ok(self.bytes.clone()) }
    }

    /// The same where nothing else is wanted of it.
    pub(crate) fn into_decoded(self) -> Answer<Vec<u8>> {
        if self.gzipped { decompressed(&self.bytes, self.limit) } else { Ok(self.bytes) }
    }

    /// The body compressed; takes time.
    pub(crate) fn into_gzip(self) -> Answer<Vec<u8>> {
        if self.gzipped { Ok(self.bytes) } else { compressed(&self.bytes) }
    }
}

/// At most `limit` bytes: what is small when it is sent may be large.
pub(crate) fn decompressed(gzip: &[u8], limit: usize) -> Answer<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = MultiGzDecoder::new(gzip).take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| no_gzip(&error))?;
    if bytes.len() > limit {
        let detail =
            format!("the body has more than {limit} bytes when it is decompressed, which is the limit");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
    }
    Ok(bytes)
}

fn no_gzip(error: &std::io::Error) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, format!("the body is not gzip: {error}"))
}

/// As bytes are kept.
pub(crate) fn compressed(bytes: &[u8]) -> Answer<Vec<u8>> {
    let mut gzip = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
    let mut packed = Vec::new();
    let read = gzip.read_to_end(&mut packed);
    let failed =
        |error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("cannot compress it: {error}"));
    read.map_err(failed).map(|_| packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decompressed_has_a_limit() {
        let bomb = compressed(&vec![b'a'; 1 << 20]).unwrap();
        assert!(bomb.len() < 10_000);
        assert_eq!(decompressed(&bomb, 1 << 20).unwrap().len(), 1 << 20);
        let problem = decompressed(&bomb, (1 << 20) - 1).unwrap_err();
        assert_eq!(problem.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(decompressed(b"no gzip", 10).unwrap_err().status(), StatusCode::BAD_REQUEST);
        // One that breaks off is not taken as far as it goes.
        assert!(decompressed(&bomb[..bomb.len() - 20], 1 << 21).is_err());
    }
}
