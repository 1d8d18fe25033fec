//! From the words of a spec to the services that it names.

use std::sync::Arc;
use std::time::Duration;

use crate::Result;
use crate::retriever::{BoxError, HttpRetriever, Repetition, Retriever, Service, Shape};
use crate::spec::{Configuration, Http, Template};
use crate::transport::Secrets;
use crate::transport::http::{Connections, Endpoint, Header};

use super::connect::{Purpose, hide, limit};

/// Time for a query to a service where the spec does not say.
const SERVICE_TIMEOUT: Duration = Duration::from_secs(30);

/// Prepares to ask the service of an `http:`.
pub(super) fn service(
    http: &Http,
    configuration: &Configuration,
    purpose: Purpose,
) -> Result<Arc<dyn Retriever>, BoxError> {
    let body = http.body.clone();
    let endpoint = endpoint(&http.url, &http.headers, http.body.values()?)?;
    let (connections, repetition) = match purpose {
        Purpose::Rankings | Purpose::Again => (Connections::Single, Repetition::Allowed),
        Purpose::Times => (Connections::Kept, Repetition::Timed),
    };
    let service = Service {
        endpoint,
        body: Box::new(move |query, depth| body.fill(query, depth)),
        shape: Shape {
            metadata: http.metadata.as_ref().map(ToString::to_string),
            hits: http.hits.to_string(),
            id: http.id.to_string(),
            score: http.score.as_ref().map(ToString::to_string),
            scores: http.scores.iter().map(|(name, at)| (name.clone(), at.to_string())).collect(),
            said: http.answer.as_ref().map(ToString::to_string),
        },
        limit: limit(configuration, SERVICE_TIMEOUT),
        connections,
        repetition,
    };
    Ok(Arc::new(HttpRetriever::new(service)?))
}

/// Where a service is, as the words of a spec say; values of other variables are hidden with those of these.
///
/// # Errors
/// Variables that are not set.
pub(crate) fn endpoint(
    url: &Template,
    given: &[(String, Template)],
    others: Vec<(&str, String)>,
) -> Result<Endpoint> {
    let mut secrets = Secrets::default();
    hide(&mut secrets, url.values()?);
    hide(&mut secrets, others);
    let mut headers = Vec::with_capacity(given.len());
    for (name, value) in given {
        hide(&mut secrets, value.values()?);
        headers.push(Header { name: name.clone(), value: value.resolve()?, shown: value.to_string() });
    }
    Ok(Endpoint { url: url.resolve()?, shown: url.to_string(), headers, secrets })
}
