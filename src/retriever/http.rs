//! A service that is asked by POST and answers with JSON, as `docs/http.md` says.

use std::collections::BTreeMap;

use rankgate_http::Search;
use serde_json::Value as Json;

use super::said::{Answer, AnswersByQuery};
use super::{BoxError, Response, Retriever};
use crate::Result;
use crate::collection::Query;
use crate::run::Hit;

/// Makes the request for a query and a depth.
pub(crate) type Fill = dyn Fn(&Query, usize) -> Result<Json> + Send + Sync;

/// A service as a retriever.
pub(crate) struct HttpRetriever {
    service: Search,
    /// The request's body.
    body: Box<Fill>,
    said: AnswersByQuery,
}

impl HttpRetriever {
    pub(crate) fn new(service: Search, body: Box<Fill>) -> Self {
        Self { service, body, said: AnswersByQuery::default() }
    }
}

impl Retriever for HttpRetriever {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.respond(query, depth).map(|response| response.hits)
    }

    fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
        let found = self.service.ask(&query.text, &(self.body)(query, depth)?)?;
        if let Some(said) = found.said {
            let said = Answer::read(&said, self.service.secrets());
            self.said.keep(&query.id, said.map_err(|what| self.service.unfit(&what))?);
        }
        Ok(Response { scores: found.scores, ..Response::new(found.hits) })
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        self.said.take()
    }
}
