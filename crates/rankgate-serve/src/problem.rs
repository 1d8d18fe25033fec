//! Errors as documents of `application/problem+json` (RFC 9457), with the place in what was sent.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rankgate::ErrorKind;
use serde::Serialize;

use crate::log::log;
use crate::store::StoreError;

/// Why a request was not carried out.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    detail: String,
    place: Option<Place>,
}

/// Where in the body.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Place {
    /// JSON that cannot be read.
    Text { line: usize, column: usize },
    /// A value, as a JSON pointer (RFC 6901).
    Value { pointer: String },
}

/// The result of request handlers.
pub type Answer<T> = Result<T, Problem>;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a Place>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), place: None }
    }

    /// Something that was sent, and cannot be used.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// The same of the value at a JSON pointer.
    pub(crate) fn at(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { place: Some(Place::Value { pointer: pointer.into() }), ..Self::invalid(detail) }
    }

    /// What contradicts something that is there, of the value at a JSON pointer.
    pub(crate) fn conflict_at(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { status: StatusCode::CONFLICT, ..Self::at(pointer, detail) }
    }

    /// Invalid JSON, or JSON of another form.
    pub(crate) fn json(error: &serde_json::Error) -> Self {
        let said = error.to_string();
        // The place stands in a field of its own.
        let detail = said.split(" at line ").next().unwrap_or(&said).to_owned();
        let place = (error.line() > 0).then(|| Place::Text { line: error.line(), column: error.column() });
        let status = if error.is_data() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
        Self { status, detail, place }
    }

    /// The same of something with a name.
    pub(crate) fn for_name(self, name: &str) -> Self {
        Self { detail: format!("{name}: {}", self.detail), ..self }
    }

    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, what)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let status = if error.is_invalid {
            StatusCode::UNPROCESSABLE_ENTITY
        } else if error.is_full {
            StatusCode::INSUFFICIENT_STORAGE
        } else if error.is_passing {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        };
        // What the database says of its statements is for whoever runs it.
        if let Some(public) = &error.public {
            log(&format!("error: {error}"));
            return Self::new(status, public.clone());
        }
        Self::new(status, error.to_string())
    }
}

impl From<rankgate::Error> for Problem {
    fn from(error: rankgate::Error) -> Self {
        let status = match error.kind() {
            ErrorKind::BadInput => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Missing => StatusCode::NOT_FOUND,
            ErrorKind::Retrieval => StatusCode::BAD_GATEWAY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let document = Document {
            kind: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: &self.detail,
            place: self.place.as_ref(),
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut response =
            (self.status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
