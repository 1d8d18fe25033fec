//! `http:`: a service that answers queries as JSON over HTTP.

use std::collections::HashSet;
use std::fmt;

use super::body::Body;
use super::scalar::Name;
use super::template::Template;
use crate::error::Quoted;
use crate::mapping::{FromNode, Reader, Rule, mapping};
use crate::yaml::{Node, Problem};

mapping! {
    /// A service that is sent one POST with JSON per query and answers with JSON.
    pub(super) struct RawHttp as "an HTTP service", "{url: \"${SEARCH_URL}\", hits: /hits, id: /id, score: /score}" {
        /// Where requests go, such as `${SEARCH_URL}/search`.
        "url" => url: Url,
        /// Headers of every request besides `Content-Type`.
        "headers" => headers: Headers,
        /// The request as a mapping, sent as JSON, with `{text}` where the query's text goes and
        /// `{depth}` where the number of results goes; `{id}` and `{metadata.KEY}` are known too.
        "body" => body: Body,
        /// Where the answer has the list of hits, best first, as a JSON pointer such as `/hits`.
        "hits" => hits: Pointer,
        /// Where a hit has its document's id, as a JSON pointer such as `/id`; empty where hits are
        /// ids themselves.
        "id" => id: Pointer,
        /// Where a hit has its score, as a JSON pointer; without it only the order counts, as it
        /// does anyway.
        "score" => score: Pointer,
        /// Where the answer has what a model answered with the hits, as a JSON pointer such as `/answer`: a text, or `{text,
        /// contexts, citations, declined}`.
        "answer" => answer: Pointer,
        /// Where the answer has numbers about itself, as JSON pointers by name: `{tokens: /usage/total_tokens}`. They are
        /// columns that `score:` of gates names.
        "scores" => scores: ScorePointers,
    }
    rules: [Rule::Required("url"), Rule::Required("body"), Rule::Required("hits"), Rule::Required("id")]
}

/// A service that is sent one POST with JSON per query and answers with JSON.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Http {
    /// Where requests go.
    pub url: Template,
    /// Headers of every request, by name.
    pub headers: Vec<(String, Template)>,
    /// The request's body.
    pub body: Body,
    /// Where the answer has the list of hits, best first.
    pub hits: Pointer,
    /// Where a hit has its document's id.
    pub id: Pointer,
    /// Where a hit has its score.
    pub score: Option<Pointer>,
    /// Where the answer has what a model answered with the hits.
    pub answer: Option<Pointer>,
    /// Where the answer has numbers about itself, by name.
    pub scores: Vec<(String, Pointer)>,
}

impl RawHttp {
    pub(super) fn check(self, reader: &mut Reader<'_>) -> Option<Http> {
        if let Some(body) = self.body.field_value().filter(|body| !body.value.depends_on_query()) {
            let problem = Problem::new(body.at, "this body is the same for every query");
            reader.report(problem.help("put `{text}` where the query's text goes"));
        }
        Some(Http {
            url: self.url.into_value()?.0,
            headers: self.headers.into_value().map(|headers| headers.0).unwrap_or_default(),
            body: self.body.into_value()?,
            hits: self.hits.into_value()?,
            id: self.id.into_value()?,
            score: self.score.into_value(),
            answer: self.answer.into_value(),
            scores: self.scores.into_value().map(|scores| scores.0).unwrap_or_default(),
        })
    }
}

pub(super) struct Url(pub(super) Template);

impl FromNode for Url {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let url: Template = reader.read(node)?;
        let text = url.to_string();
        let scheme = text.starts_with("http://") || text.starts_with("https://") || text.starts_with("${");
        if !scheme {
            return reader.refuse(node.span, "a URL starts with `http://`, `https://` or a variable");
        }
        #[cfg(feature = "http")]
        {
            let known = url.literals().fold(String::new(), |known, text| known + text);
            // What variables hold is checked with their values.
            let checked = if url.literal().is_some() { &known } else { &format!("http://host/{known}") };
            if let Err(why) = rankgate_http::parse_address(checked) {
                return reader.refuse(node.span, why);
            }
        }
        Some(Self(url))
    }
}

pub(super) struct Headers(pub(super) Vec<(String, Template)>);

impl FromNode for Headers {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a mapping from headers to values")?;
        let mut headers: Vec<(String, Template)> = Vec::with_capacity(entries.len());
        let mut names = HashSet::new();
        for entry in entries.iter() {
            let name = &*entry.key.text;
            // RFC 9110, section 5.6.2.
            let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(token) {
                reader.report(Problem::new(
                    entry.key.span,
                    format!("{} is not the name of a header", Quoted(name)),
                ));
            } else if !names.insert(name.to_ascii_lowercase()) {
                let message =
                    format!("the header {} stands here twice, perhaps in another case", Quoted(name));
                reader.report(Problem::new(entry.key.span, message));
            }
            if let Some(value) = reader.read::<Template>(&entry.value) {
                if value.literals().any(|text| text.contains(char::is_control)) {
                    reader.report(Problem::new(entry.value.span, "a control character in a header"));
                }
                headers.push((name.to_owned(), value));
            }
        }
        Some(Self(headers))
    }
}

/// A JSON pointer (RFC 6901): where something is in a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer(String);

impl std::str::FromStr for Pointer {
    type Err = crate::Error;

    fn from_str(text: &str) -> crate::Result<Self> {
        let escapes = text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
        if !(text.is_empty() || text.starts_with('/')) || !escapes {
            return Err(crate::Error::invalid(format!(
                "{} is not a JSON pointer; it is empty or starts with `/`, as in `/hits`",
                Quoted(text)
            )));
        }
        Ok(Self(text.to_owned()))
    }
}

/// Where an answer has numbers about itself, by name.
pub(super) struct ScorePointers(Vec<(String, Pointer)>);

impl FromNode for ScorePointers {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a mapping from names of scores to JSON pointers")?;
        let all = Name::of_all(entries, reader)?.into_iter();
        all.map(|(name, pointer)| Some((name.value.0, pointer?))).collect::<Option<_>>().map(Self)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromNode for Pointer {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a JSON pointer such as `/hits`")?;
        let pointer = text.parse::<Self>().ok();
        if pointer.is_none() {
            let problem = Problem::new(node.span, format!("{} is not a JSON pointer", Quoted(text)));
            reader.report(if text.starts_with('/') {
                problem.help("`~` is written `~0` there")
            } else if text.len() < 80 {
                problem.help(format!("did you mean `/{}`?", text.replace('.', "/")))
            } else {
                problem
            });
        }
        pointer
    }
}
