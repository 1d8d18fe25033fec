//! A service as an answerer.

use std::sync::Arc;

use super::{AnswerLine, LIMIT, request};
use crate::collection::{Document, Query};
use crate::error::chain;
use crate::measure::services::endpoint;
use crate::rag::{Answer, Answerer};
use crate::retriever::BoxError;
use crate::retriever::http::post::{Repetition, post};
use crate::spec::Template;
use crate::transport::http::{Client, Endpoint};
use crate::{Error, ErrorKind, Result};

/// A service, ready to be asked.
pub(crate) fn service(
    url: &Template,
    headers: &[(String, Template)],
    prompt: Option<String>,
) -> Result<Arc<dyn Answerer>> {
    Ok(Arc::new(ServiceAnswerer::new(endpoint(url, headers, Vec::new())?, prompt)?))
}

/// A service that is asked by POST.
struct ServiceAnswerer {
    client: Client,
    /// The URL as it is shown.
    shown: String,
    prompt: Option<String>,
}

impl ServiceAnswerer {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    /// An invalid URL or header once variables are filled in.
    fn new(endpoint: Endpoint, prompt: Option<String>) -> Result<Self> {
        let shown = endpoint.shown.clone();
        let client = Client::new(endpoint);
        let client = client.map_err(|error| {
            Error::with_kind(ErrorKind::Setup, format!("the answerer could not be set up: {}", chain(&error)))
        })?;
        Ok(Self { client, shown, prompt })
    }
}

impl Answerer for ServiceAnswerer {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        let mut request = request(query, contexts);
        if let Some(prompt) = &self.prompt {
            request["prompt"] = prompt.as_str().into();
        }
        let said = post(&self.client, query, &request, (LIMIT, Repetition::Allowed));
        let mut said = said.map_err(|what| format!("`{}` {what}", self.shown))?;
        let secrets = &self.client.secrets;
        match said.as_object_mut().and_then(|said| said.remove("error")).filter(|error| !error.is_null()) {
            Some(error) => {
                Err(format!("`{}` says: {}", self.shown, secrets.excerpt(&error.to_string())).into())
            }
            None => AnswerLine::read(said, &format!("the answer of `{}`", self.shown), secrets),
        }
    }
}
