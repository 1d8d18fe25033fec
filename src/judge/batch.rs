//! Questions and answers as the lines of a batch file.

use serde_json::{Value, json};

use super::completion::Completion;
use super::request::Request;
use crate::{Error, Result};

impl Request {
    /// As a line of a batch file.
    #[must_use]
    pub fn batch_line(&self) -> String {
        json!({ "custom_id": self.id, "method": "POST", "url": "/v1/chat/completions", "body": self.body })
            .to_string()
            + "\n"
    }
}

/// A line of a batch's results: whose it is, and the answer, or why there is none.
///
/// # Errors
///
/// A line that is none.
pub fn batch_result(line: &str) -> Result<(String, std::result::Result<Completion, String>)> {
    let invalid = |what: &str| Error::invalid(format!("no result of a batch: {what}"));
    let mut value: Value = serde_json::from_str(line).map_err(|error| invalid(&error.to_string()))?;
    let id = value["custom_id"].as_str().ok_or_else(|| invalid("there is no `custom_id`"))?.to_owned();
    if !value["error"].is_null() {
        return Ok((id, Err(value["error"].to_string())));
    }
    let response = value["response"].take();
    match response["status_code"].as_u64() {
        Some(200) => {
            let body = response.get("body").cloned().unwrap_or_default();
            let completion = serde_json::from_value(body).map_err(|error| invalid(&error.to_string()))?;
            Ok((id, Ok(completion)))
        }
        Some(status) => Ok((id, Err(format!("status {status}: {}", response["body"])))),
        None => Err(invalid("there is no `response` with a `status_code`")),
    }
}
