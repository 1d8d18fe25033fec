//! A service as a retriever.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Shape;
use super::post::post;
use crate::Result;
use crate::collection::Query;
use crate::retriever::said::{Answer, AnswersByQuery};
use crate::retriever::{BoxError, Limit, Response, Retriever};
use crate::run::Hit;
use crate::transport::http::{Client, Endpoint};

/// Makes the request for a query and a depth.
pub(crate) type Fill = dyn Fn(&Query, usize) -> Result<Json> + Send + Sync;

/// A service that is asked by POST.
pub(crate) struct HttpRetriever {
    client: Client,
    /// The URL as it is shown.
    shown: String,
    /// The request's body.
    body: Box<Fill>,
    /// Where an answer has what.
    shape: Shape,
    /// Time for a query, its repetitions included, and whether times are taken.
    limit: (Limit, bool),
    said: AnswersByQuery,
}

impl HttpRetriever {
    /// Prepares to ask; nothing is sent yet. Where times are taken connections are kept, as clients do, and no query is asked
    /// again.
    ///
    /// # Errors
    /// An invalid URL or header once variables are filled in.
    pub(crate) fn new(
        endpoint: Endpoint,
        body: Box<Fill>,
        shape: Shape,
        (limit, is_timed): (Limit, bool),
    ) -> Result<Self, BoxError> {
        let shown = endpoint.shown.clone();
        let client = Client::with(endpoint, is_timed)?;
        Ok(Self { client, shown, body, shape, limit: (limit, is_timed), said: AnswersByQuery::default() })
    }
}

impl Retriever for HttpRetriever {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.respond(query, depth).map(|response| response.hits)
    }

    fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
        let named = |what: String| -> BoxError { format!("`{}` {what}", self.shown).into() };
        let answer = post(&self.client, query, &(self.body)(query, depth)?, self.limit).map_err(named)?;
        let (shape, secrets) = (&self.shape, &self.client.secrets);
        let read = shape.read_ranking(&answer, secrets).and_then(|ranking| {
            let response = Response { scores: shape.read_scores(&answer, secrets)?, ..ranking };
            Ok((response, shape.read_answer(&answer, secrets)?))
        });
        let (response, said) = read.map_err(|what| named(format!("answered what it should not: {what}")))?;
        self.said.keep(&query.id, said);
        Ok(response)
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        self.said.take()
    }
}
