//! Asking a service for an answer, and again where it is busy.

use serde_json::Value as Json;

use crate::collection::Query;
use crate::error::Excerpt;
use crate::retriever::Limit;
use crate::retriever::limit::TEXT;
use crate::transport::http::{Client, Failure, GaveUp, Patience};
use crate::words::counted;

/// So often a query is asked at most.
const TRIES: u32 = 5;
/// Statuses of a service that is there but busy.
const BUSY: &[u16] = &[429, 503];

/// Asks a service for an answer to a query, and again where it is busy, unless times are taken (`is_timed`): the pause would be
/// among them.
///
/// # Errors
/// Why there is none, as a phrase that follows the URL.
pub(crate) fn post(
    client: &Client,
    query: &Query,
    body: &Json,
    (limit, is_timed): (Limit, bool),
) -> Result<Json, String> {
    let tries = if is_timed { 1 } else { TRIES };
    let patience = Patience { time: limit.time, tries, busy: BUSY, crowded: false, once: false };
    let seconds = limit.time.as_secs_f64();
    client.post(body.to_string().as_bytes(), patience).map_err(|gave_up| match gave_up {
        GaveUp::Final(failure) => describe(&failure),
        GaveUp::TimedOut { before } => {
            let before = before.map_or_else(String::new, |before| format!("; before, it {before}"));
            format!("did not answer {} within {limit}{before}", Excerpt(&query.text, TEXT))
        }
        GaveUp::Tries { last, .. } if is_timed => format!(
            "{} (it is asked once while times are taken: the pause before another request would be among them)",
            describe(&last)
        ),
        GaveUp::Tries { last, tries } => format!("{} (after {tries} tries)", describe(&last)),
        GaveUp::NoTime { last, tries, wish } => {
            let wish = wish.map_or_else(String::new, |wish| {
                format!(", and wishes to be asked again after {} s", wish.as_secs())
            });
            let tries = counted(tries as usize, "try", "tries");
            format!("{}{wish} ({tries} within {seconds} s)", describe(&last))
        }
    })
}

/// A failure with what to do about it in the spec.
fn describe(failure: &Failure) -> String {
    match failure {
        Failure::Redirected { .. } => format!("{failure}; give the final address in `url`"),
        Failure::TimedOut | Failure::Unreadable { .. } | Failure::Status { .. } => failure.to_string(),
    }
}
