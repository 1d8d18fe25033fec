//! A service that is asked for a ranking, and again where it is busy.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;

use crate::error::Excerpt;
use crate::run::Hit;
use crate::secrets::Secrets;
use crate::words::counted;
use crate::{Client, Endpoint, Failure, GaveUp, Patience, Request, Shape, Unusable};

/// So often a query is asked at most.
const TRIES: u32 = 5;
/// Statuses of a service that is there but busy.
const BUSY: &[u16] = &[429, 503];
/// Characters of a query's text that are shown where it was not answered in time.
const TEXT: usize = 60;

/// A service that is asked for rankings by POST.
pub struct Search {
    client: Client,
    /// The URL as it is shown.
    shown: String,
    /// Where an answer has what.
    shape: Shape,
    /// Time for a query, its repetitions included, and the same in words.
    limit: (Duration, String),
    /// Whether times are taken: a pause before another request would be among them.
    is_timed: bool,
}

/// What it answered to a query.
#[derive(Debug)]
pub struct Found {
    /// The ranking.
    pub hits: Vec<Hit>,
    /// Numbers about the answer, by name.
    pub scores: BTreeMap<String, f64>,
    /// What a model answered beside the hits, where the spec says that one does.
    pub said: Option<Json>,
}

impl Search {
    /// Prepares to ask; nothing is sent yet. Where times are taken connections are kept, as clients do, and no query is asked
    /// again.
    ///
    /// # Errors
    /// An invalid URL or header once variables are filled in.
    pub fn new(
        endpoint: Endpoint,
        shape: Shape,
        limit: (Duration, String),
        is_timed: bool,
    ) -> Result<Self, Unusable> {
        let shown = endpoint.shown.clone();
        Ok(Self { client: Client::with(endpoint, is_timed)?, shown, shape, limit, is_timed })
    }

    /// Asks for the ranking of a query, which has this text and this request.
    ///
    /// # Errors
    /// Why there is none, in words that begin with the URL.
    pub fn ask(&self, text: &str, body: &Json) -> Result<Found, String> {
        let answer = self.post(text, body).map_err(|what| format!("`{}` {what}", self.shown))?;
        self.shape.read(&answer, &self.client.secrets).map_err(|what| self.unfit(&what))
    }

    /// That it answered what it should not.
    pub fn unfit(&self, what: &str) -> String {
        format!("`{}` answered what it should not: {what}", self.shown)
    }

    /// What must not be shown of what it answers.
    pub fn secrets(&self) -> &Secrets {
        &self.client.secrets
    }

    fn post(&self, text: &str, body: &Json) -> Result<Json, String> {
        let (time, within) = &self.limit;
        let tries = if self.is_timed { 1 } else { TRIES };
        let patience = Patience { time: *time, tries, busy: BUSY, crowded: false, once: false };
        self.client.send(Request::Post(body.to_string().as_bytes()), patience).map_err(|gave_up| match gave_up {
            GaveUp::Final(failure) => describe(&failure),
            GaveUp::TimedOut { before } => {
                let before = before.map_or_else(String::new, |before| format!("; before, it {before}"));
                format!("did not answer {} within {within}{before}", Excerpt(text, TEXT))
            }
            GaveUp::Tries { last, .. } if self.is_timed => format!(
                "{} (it is asked once while times are taken: the pause before another request would be among them)",
                describe(&last)
            ),
            GaveUp::Tries { last, tries } => format!("{} (after {tries} tries)", describe(&last)),
            GaveUp::NoTime { last, tries, wish } => {
                let wish = wish.map_or_else(String::new, |wish| {
                    format!(", and wishes to be asked again after {} s", wish.as_secs())
                });
                let tries = counted(tries as usize, "try", "tries");
                format!("{}{wish} ({tries} within {} s)", describe(&last), time.as_secs_f64())
            }
        })
    }
}

/// A failure with what to do about it in the spec.
fn describe(failure: &Failure) -> String {
    match failure {
        Failure::Redirected { .. } => format!("{failure}; give the final address in `url`"),
        Failure::TimedOut | Failure::Unreadable { .. } | Failure::Status { .. } => failure.to_string(),
    }
}
