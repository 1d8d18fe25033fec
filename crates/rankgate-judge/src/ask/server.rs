//! A model behind a server that speaks as OpenAI's does.

use rankgate::internal::Secrets;
use rankgate::internal::http::{Client, Endpoint, Failure, Header};
use rankgate::internal::program::Limit;
use rankgate::judge::{Answer, Completion, Description, Pair, State};

use super::{JudgeBackend, JudgeReply, ReceivedAnswer};
use crate::{Error, ErrorKind, Result};

/// A server, and the form of its requests.
pub(crate) struct Server<'a> {
    client: Client,
    /// The address as it is shown.
    shown: String,
    judge: &'a Description,
    limit: Limit,
}

/// The address of a server, and its key; each as it is sent and as it is shown.
pub(crate) struct Address {
    pub(crate) endpoint: [String; 2],
    pub(crate) key: Option<[String; 2]>,
    /// What must not be shown of both.
    pub(crate) secrets: Secrets,
}

impl<'a> Server<'a> {
    /// Prepares to ask; nothing is sent yet.
    ///
    /// # Errors
    /// An invalid URL or key once variables are filled in.
    pub(crate) fn new(address: Address, judge: &'a Description, limit: Limit) -> Result<Self> {
        let Address { endpoint: [url, shown], key, secrets } = address;
        let key = key.map(|[value, shown]| Header {
            name: "Authorization".to_owned(),
            value: format!("Bearer {value}"),
            shown: format!("Bearer {shown}"),
        });
        let (url, shown) = (completions(&url), completions(&shown));
        let endpoint = Endpoint { url, shown: shown.clone(), headers: key.into_iter().collect(), secrets };
        let client = Client::new(endpoint).map_err(|error| Error::other(ErrorKind::Setup, error))?;
        Ok(Self { client, shown, judge, limit })
    }
}

/// The address of completions below that of a server, whose query stays behind it.
fn completions(endpoint: &str) -> String {
    let (path, query) = endpoint.split_at(endpoint.find('?').unwrap_or(endpoint.len()));
    format!("{}/chat/completions{query}", path.trim_end_matches('/'))
}

impl JudgeBackend for Server<'_> {
    fn ask(&self, pair: &Pair) -> JudgeReply {
        let request = pair.request(self.judge);
        let failure = match self.client.exchange(request.body.to_string().as_bytes(), self.limit.time) {
            Ok(answer) => {
                return match serde_json::from_value::<Completion>(answer.clone()) {
                    Ok(completion) => JudgeReply::Answered(
                        self.harmless(ReceivedAnswer::from_completion(self.judge, &request, completion)),
                    ),
                    Err(error) => {
                        // Its words hold what was answered.
                        let error = match self.client.secrets.withhold() {
                            true => String::new(),
                            false => format!(" ({})", self.client.secrets.hide(&error.to_string())),
                        };
                        JudgeReply::Never(format!(
                            "`{}` sent no chat completion{error}: {}",
                            self.shown,
                            self.client.secrets.excerpt(&answer.to_string())
                        ))
                    }
                };
            }
            Err(failure) => failure,
        };
        let why = format!("`{}` {failure}", self.shown);
        match failure {
            Failure::TimedOut => {
                let why = format!("{why} ({})", self.limit);
                JudgeReply::Later { why, wish: None, spent: true }
            }
            Failure::Unreadable { again: true, .. } => JudgeReply::Later { why, wish: None, spent: false },
            Failure::Unreadable { again: false, .. } => JudgeReply::Never(why),
            Failure::Redirected { .. } => {
                JudgeReply::Stop(format!("{why}; give the final address in `endpoint`"))
            }
            // Azure's, and those that copy it.
            Failure::Status { status, code: Some(code), .. } if code == "content_filter" => {
                let answer = Answer { state: State::Refused, ..Answer::abstained() };
                let answer =
                    answer.because(format!("the server's content filter (status {})", status.as_u16()));
                JudgeReply::Answered(ReceivedAnswer { answer, usage: None, written: 0, served: None })
            }
            Failure::Status { status, wish, .. } => match status.as_u16() {
                408 | 409 | 425 | 429 | 500.. => JudgeReply::Later { why, wish, spent: false },
                401 | 403 => JudgeReply::Stop(format!("{why}; is `api-key` right?")),
                404 => JudgeReply::Stop(format!(
                    "{why}; is `endpoint` the address before `/chat/completions`, and does it have the model?"
                )),
                402 | 405 | 407 => JudgeReply::Stop(why),
                _ => JudgeReply::Never(why),
            },
        }
    }

    fn size(&self, pair: &Pair) -> u64 {
        pair.prompt_bytes(self.judge)
    }
}

impl Server<'_> {
    /// What the server wrote, with what it must not repeat hidden.
    fn harmless(&self, told: ReceivedAnswer) -> ReceivedAnswer {
        told.without(&self.client.secrets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_are_below_the_endpoint() {
        for (endpoint, expected) in [
            ("http://localhost:8080/v1", "http://localhost:8080/v1/chat/completions"),
            ("http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions"),
            ("https://a.example/d?api-version=1", "https://a.example/d/chat/completions?api-version=1"),
        ] {
            assert_eq!(completions(endpoint), expected);
        }
    }
}
