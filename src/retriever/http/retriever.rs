//! A service as a retriever.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Shape;
use crate::Result;
use crate::collection::Query;
use crate::error::Excerpt;
use crate::retriever::limit::TEXT;
use crate::retriever::said::{Answer, AnswersByQuery};
use crate::retriever::{BoxError, Limit, Retriever};
use crate::run::Hit;
use crate::transport::http::{Client, Connections, Endpoint, Failure, GaveUp, Patience};
use crate::words::counted;

/// So often a query is asked at most.
const TRIES: u32 = 5;
/// Statuses of a service that is there but busy.
const BUSY: &[u16] = &[429, 503];

/// Makes the request for a query and a depth.
pub(crate) type Fill = dyn Fn(&Query, usize) -> Result<Json> + Send + Sync;

/// A service, and how it is asked.
pub(crate) struct Service {
    /// Where requests go.
    pub(crate) endpoint: Endpoint,
    /// What is sent.
    pub(crate) body: Box<Fill>,
    /// Where an answer has what.
    pub(crate) shape: Shape,
    /// Time for a query, its repetitions included.
    pub(crate) limit: Limit,
    /// How long a connection is used.
    pub(crate) connections: Connections,
}

/// A service that is asked by POST.
pub(crate) struct HttpRetriever {
    client: Client,
    /// The URL as it is shown.
    shown: String,
    body: Box<Fill>,
    shape: Shape,
    limit: Limit,
    said: AnswersByQuery,
}

impl HttpRetriever {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    /// What is no URL or no header once variables are filled in.
    pub(crate) fn new(service: Service) -> Result<Self, BoxError> {
        let Service { endpoint, body, shape, limit, connections } = service;
        let shown = endpoint.shown.clone();
        Ok(Self {
            client: Client::with(endpoint, connections)?,
            shown,
            body,
            shape,
            limit,
            said: AnswersByQuery::default(),
        })
    }
}

/// Asks a service for an answer to a query, and again where it is busy.
///
/// # Errors
/// Why there is none, as a phrase that follows the URL.
pub(crate) fn post(client: &Client, query: &Query, body: &Json, limit: Limit) -> Result<Json, String> {
    let patience = Patience { time: limit.time, tries: TRIES, busy: BUSY };
    let seconds = limit.time.as_secs_f64();
    client.post(body.to_string().as_bytes(), patience).map_err(|gave_up| match gave_up {
        GaveUp::Final(failure) => describe(&failure),
        GaveUp::TimedOut { before } => {
            let before = before.map_or_else(String::new, |before| format!("; before, it {before}"));
            format!("did not answer {} within {limit}{before}", Excerpt(&query.text, TEXT))
        }
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

impl Retriever for HttpRetriever {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        let named = |what: String| -> BoxError { format!("`{}` {what}", self.shown).into() };
        let answer = post(&self.client, query, &(self.body)(query, depth)?, self.limit).map_err(named)?;
        let (shape, secrets) = (&self.shape, &self.client.secrets);
        let read =
            shape.read(&answer, secrets).and_then(|hits| Ok((hits, shape.read_answer(&answer, secrets)?)));
        let (hits, said) = read.map_err(|what| named(format!("answered what it should not: {what}")))?;
        self.said.keep(&query.id, said);
        Ok(hits)
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        self.said.take()
    }
}
