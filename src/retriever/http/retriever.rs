//! A service as a retriever.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Shape;
use super::post::{Repetition, post};
use crate::Result;
use crate::collection::Query;
use crate::retriever::said::{Answer, AnswersByQuery};
use crate::retriever::{BoxError, Limit, Response, Retriever};
use crate::run::Hit;
use crate::transport::http::{Client, Connections, Endpoint};

/// Makes the request for a query and a depth.
pub(crate) type Fill = dyn Fn(&Query, usize) -> Result<Json> + Send + Sync;

/// A service, and how it is asked.
pub(crate) struct Service {
    /// Where requests go.
    pub(crate) endpoint: Endpoint,
    /// The request's body.
    pub(crate) body: Box<Fill>,
    /// Where an answer has what.
    pub(crate) shape: Shape,
    /// Time for a query, its repetitions included.
    pub(crate) limit: Limit,
    /// How long a connection is used.
    pub(crate) connections: Connections,
    /// Whether queries are asked again.
    pub(crate) repetition: Repetition,
}

/// A service that is asked by POST.
pub(crate) struct HttpRetriever {
    client: Client,
    /// The URL as it is shown.
    shown: String,
    body: Box<Fill>,
    shape: Shape,
    limit: (Limit, Repetition),
    said: AnswersByQuery,
}

impl HttpRetriever {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    /// An invalid URL or header once variables are filled in.
    pub(crate) fn new(service: Service) -> Result<Self, BoxError> {
        let Service { endpoint, body, shape, limit, connections, repetition } = service;
        let shown = endpoint.shown.clone();
        Ok(Self {
            client: Client::with(endpoint, connections)?,
            shown,
            body,
            shape,
            limit: (limit, repetition),
            said: AnswersByQuery::default(),
        })
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
