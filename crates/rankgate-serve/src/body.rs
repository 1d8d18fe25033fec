//! The body of a request: limited as it comes and as it is decompressed, and with nothing guessed.

use std::io::Read;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use flate2::read::MultiGzDecoder;
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, SizeHint};

use crate::access::Caller;
use crate::app::{App, blocking};
use crate::gzip::{compressed, decompressed, no_gzip};
use crate::problem::{Answer, Problem};
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

/// Kept data as an answer: it holds room as an uploaded body does, until it was taken.
pub(crate) struct StoredBody {
    bytes: Full<Bytes>,
    _room: Room,
}

impl HttpBody for StoredBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.bytes).poll_frame(context)
    }

    fn size_hint(&self) -> SizeHint {
        self.bytes.size_hint()
    }
}

/// Reads so many bytes that are kept, when there is room for them.
pub(crate) async fn stored_body(
    app: &App,
    caller: &Caller,
    bytes: usize,
    read: impl FnOnce(&App) -> Answer<Vec<u8>> + Send + 'static,
) -> Answer<Body> {
    let mut room = app.work.answer_room(&caller.key())?;
    room.grow(bytes)?;
    let bytes = blocking(app, read).await?;
    Ok(Body::new(StoredBody { bytes: Full::new(bytes.into()), _room: room }))
}
