//! Ways in for `fuzz/` to the bodies of requests. Nothing but `cargo fuzz` and the tests build this.

use std::time::Instant;

use crate::api::{alarms, commits, compare, evaluate, labels, reports::ReadReport, rescore};
use crate::gzip::decompressed;
use crate::problem::Answer;

/// Reads a body.
type Read = fn(&[u8]) -> Answer<()>;

/// The bodies: by their number, the first byte of what is read.
const BODIES: [Read; 8] = [
    |bytes| evaluate::read(bytes, Instant::now()),
    compare::read,
    commits::read,
    alarms::read,
    |bytes| ReadReport::from_report(bytes).map(drop),
    |bytes| decompressed(bytes, 1 << 20).map(drop),
    rescore::read,
    |bytes| labels::read(bytes).map(drop),
];

/// Reads a body, as far as that takes no store.
///
/// # Errors
/// What a client would be told.
pub fn body(which: u8, bytes: &[u8]) -> Result<(), String> {
    BODIES[usize::from(which) % BODIES.len()](bytes).map_err(|problem| problem.detail().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_body_is_read() {
        let queries = r#""queries": [{"relevant_docs": ["a"]}]"#;
        for (which, text) in [
            (0, format!("{{{queries}, \"retrieved\": [[\"a\"]]}}")),
            (1, format!("{{{queries}, \"retrievers\": {{\"a\": [[\"a\"]], \"b\": [[]]}}}}")),
            (
                2,
                format!(
                    r#"{{"branch": "main", "commits": [{{"commit": "{:040}", "time": 1, "subject": ""}}]}}"#,
                    1
                ),
            ),
            (3, r#"{"note": "known"}"#.to_owned()),
        ] {
            assert_eq!(body(which, text.as_bytes()), Ok(()), "{text}");
            assert!(body(which, b"{").is_err_and(|detail| !detail.is_empty()));
        }
        assert_eq!(body(4, b"{}"), Err("no report of rankgate: it has no `schema`".to_owned()));
        assert!(body(5, b"no gzip").is_err() && body(6, b"no run").is_err());
        assert!(body(7, b"\n").is_err());
    }
}
