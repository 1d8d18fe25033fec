//! Errors as `application/problem+json` (RFC 9457), with the JSON pointer of what is wrong.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    #[serde(serialize_with = "number")]
    pub(crate) status: StatusCode,
    pub(crate) detail: String,
    /// The JSON pointer (RFC 6901) of the value that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
}

/// The result of request handlers.
pub(crate) type Answer<T> = Result<T, Problem>;

fn number<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("Error");
        Self { kind: "about:blank", title, status, detail: detail.into(), pointer: None }
    }

    /// A value in the body that cannot be used.
    pub(crate) fn at(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        let pointer = Some(pointer.into());
        Self { pointer, ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail) }
    }

    pub(crate) fn missing(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// A fault of the server: the log has the reason, the answer has not.
    pub(crate) fn fault(why: &dyn std::fmt::Display) -> Self {
        crate::log::event("fault", &[("reason", why.to_string().into())]);
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "The server has a fault; its log has the reason.")
    }
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        crate::log::event("database", &[("reason", error.to_string().into())]);
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "The database does not answer. Try again later.")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, serde_json::to_string(&self).unwrap_or_default()).into_response();
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        if self.status == StatusCode::UNAUTHORIZED {
            // A browser then asks for the token: any user name, and the token as the password.
            let challenge = HeaderValue::from_static("Basic realm=\"rankgate\", charset=\"UTF-8\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// The body as a value; an error has the pointer of what is wrong.
pub(crate) fn from_json<T: DeserializeOwned>(body: &[u8]) -> Answer<T> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let pointer = pointer(error.path());
        let cause = error.inner();
        let mut problem = Problem::at(pointer, cause.to_string());
        if !cause.is_data() {
            problem.status = StatusCode::BAD_REQUEST;
            problem.title = "Bad Request";
        }
        problem
    })?;
    reader.end().map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.to_string()))?;
    Ok(value)
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let part = |segment: &Segment| match segment {
        Segment::Seq { index } => Some(format!("/{index}")),
        Segment::Map { key } => Some(format!("/{}", escaped(key))),
        Segment::Enum { variant } => Some(format!("/{}", escaped(variant))),
        Segment::Unknown => None,
    };
    path.iter().filter_map(part).collect()
}

/// A key within a JSON pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Body {
        lists: Vec<Vec<String>>,
    }

    #[test]
    fn an_error_has_the_pointer_of_what_is_wrong() {
        let problem = from_json::<Body>(br#"{"lists": [["a"], ["b", 7]]}"#).unwrap_err();
        assert_eq!(problem.pointer.as_deref(), Some("/lists/1/1"));
        assert_eq!(problem.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(from_json::<Body>(b"{").unwrap_err().status, StatusCode::BAD_REQUEST);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(from_json::<Body>(deep.as_bytes()).is_err());
        assert!(from_json::<Body>(br#"{"lists": []} x"#).is_err());
    }
}
