//! Bytes as they are kept and sent: compressed.

use std::io::Read;

use axum::http::StatusCode;
use flate2::read::MultiGzDecoder;

use crate::problem::{Answer, Problem};

/// At most `limit` bytes: a small upload may be large when decompressed.
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

pub(crate) fn no_gzip(error: &std::io::Error) -> Problem {
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
