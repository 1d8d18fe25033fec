//! Scalars of a spec: names, metrics, durations, words to choose from.

use std::fmt;
use std::time::Duration;

use crate::error::Quoted;
use crate::gate::{Inconclusive, Level, name_fault};
use crate::mapping::{FromNode, Reader, Spanned};
use crate::metric::{Metric, names_in};
use crate::run::Order;
use crate::stats::Confidence;
use crate::words::Keyword;
use crate::yaml::{Entry, Kind, Node, Problem, Scalar, Span, Value, any_of};

/// The name of a benchmark or a configuration: part of test names and of file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(pub(crate) String);

impl Name {
    /// Why this is no name, if it is none.
    pub(crate) fn fault(name: &str) -> Option<(&'static str, &'static str)> {
        let reserved = ("is reserved", "`golden` is the blessed run, `spec` holds the errors of specs");
        name_fault(name).or_else(|| matches!(name, "golden" | "spec").then_some(reserved))
    }

    /// The name, unless it is none, which is reported.
    pub(crate) fn check(text: &str, at: crate::yaml::Span, reader: &mut Reader<'_>) -> Option<Self> {
        match Self::fault(text) {
            None => Some(Self(text.to_owned())),
            Some((fault, help)) => {
                reader.report(Problem::new(at, format!("the name {} {fault}", Quoted(text))).help(help));
                None
            }
        }
    }
}

impl Name {
    /// The values of a mapping by their names, unless a name is none. A value that cannot be read still has a name.
    pub(crate) fn of_all<T: FromNode>(
        entries: &[Entry],
        reader: &mut Reader<'_>,
    ) -> Option<Vec<(Spanned<Self>, Option<T>)>> {
        let named = |entry: &Entry| {
            let name = Self::check(&entry.key.text, entry.key.span, reader);
            let value = reader.read(&entry.value);
            Some((Spanned { at: entry.key.span, value: name? }, value))
        };
        entries.iter().map(named).collect::<Vec<_>>().into_iter().collect()
    }
}

impl FromNode for Name {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a name")?;
        Self::check(text, node.span, reader)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a configuration where it is referred to, or of a golden run. Whether there is one is seen later.
#[derive(Clone, Debug)]
pub(crate) struct Reference(pub(crate) String);

impl FromNode for Reference {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.text(node, "the name of a configuration").map(|text| Self(text.to_owned()))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromNode for Metric {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a metric")?;
        match reader.registry.metrics.parse(text) {
            Ok(metric) => Some(metric),
            Err(error) => {
                let message = error.to_string();
                let problem = match message.split_once("; ") {
                    Some((message, help)) => Problem::new(node.span, message).help(help),
                    None => Problem::new(node.span, message),
                };
                reader.report(problem);
                None
            }
        }
    }

    /// `nDCG@10, R@100` are two, each with its place. A metric of one's own may have blanks in its name.
    fn parts(node: &Node, reader: &Reader<'_>) -> Vec<Node> {
        let whole = || vec![node.clone()];
        let Value::Scalar(scalar) = &node.value else { return whole() };
        let names = names_in(&scalar.text);
        if names.len() < 2 || scalar.is_null() || reader.registry.metrics.parse(&scalar.text).is_ok() {
            return whole();
        }
        names.into_iter().map(|name| part(node, &scalar.text, name, reader)).collect()
    }
}

/// A part of a node's text as a node of its own; its place is that of the whole where the text is written another way.
fn part(node: &Node, text: &str, part: &str, reader: &Reader<'_>) -> Node {
    let written = reader.source.text().get(node.span.start as usize..node.span.end as usize);
    let before = written.and_then(|written| written.find(text)).zip(u32::try_from(part.len()).ok());
    let span = before.map_or(node.span, |(before, length)| {
        let start = node.span.start + (before + part.as_ptr() as usize - text.as_ptr() as usize) as u32;
        Span { start, end: start + length }
    });
    Node { span, value: Value::Scalar(Scalar { text: part.into(), kind: Kind::Text }) }
}

/// How keywords are read, each where it is used.
macro_rules! read_words {
    ($($keyword:ty),+ $(,)?) => {$(
        impl $crate::mapping::FromNode for $keyword {
            fn from_node(
                node: &$crate::yaml::Node,
                reader: &mut $crate::mapping::Reader<'_>,
            ) -> ::std::option::Option<Self> {
                $crate::spec::scalar::word(node, reader)
            }
        }

        #[cfg(test)]
        impl $crate::spec::schema_tests::Described for $keyword {
            fn schema() -> ::serde_json::Value {
                $crate::spec::schema_tests::words_schema::<Self>()
            }
        }
    )+};
}
pub(crate) use read_words;

read_words!(Inconclusive, Level, Order);

/// A word from a list.
pub(crate) fn word<K: Keyword>(node: &Node, reader: &mut Reader<'_>) -> Option<K> {
    one_of(K::WORDS, node, reader).map(|at| K::ALL[at])
}

/// Which of the words it is.
fn one_of(words: &[&'static str], node: &Node, reader: &mut Reader<'_>) -> Option<usize> {
    let all = || words.iter().copied();
    let text = reader.text(node, &any_of(all()))?;
    let found = words.iter().position(|word| *word == text);
    if found.is_none() {
        let problem = Problem::new(node.span, format!("expected {}, found {}", any_of(all()), Quoted(text)));
        let problem = reader.suggest(problem, text, all()).unwrap_or_else(|problem| problem);
        reader.report(problem);
    }
    found
}

/// A time with its unit: `200us`, `500ms`, `2s`, `1.5s`, `1m`, `1h`.
impl FromNode for Duration {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let what = "a duration such as `2s`";
        let text = reader.text(node, what)?;
        let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_at);
        let seconds = match unit {
            "us" => 1e-6,
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => {
                let problem = Problem::new(node.span, format!("expected a duration, found {}", Quoted(text)));
                reader.report(match number.trim().parse::<f64>() {
                    Ok(_) if unit.is_empty() => {
                        problem.help(format!("it needs a unit: `{number}s` or `{number}ms`"))
                    }
                    _ => problem.help("durations are written `200us`, `500ms`, `2s`, `1m` or `1h`"),
                });
                return None;
            }
        };
        let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let value = number.parse::<f64>().ok().filter(|_| plain).map(|number| number * seconds);
        match value {
            Some(value) if (1e-6..=86_400.0).contains(&value) => Some(Self::from_secs_f64(value)),
            Some(_) => reader.refuse(node.span, "a duration is from 1us to 24h"),
            None => reader.expected(node, what),
        }
    }
}

impl FromNode for Confidence {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let level = reader.number(node, "a confidence from 0.5 to below 1")?;
        if (0.5..1.0).contains(&level)
            && let Ok(confidence) = Self::new(level)
        {
            return Some(confidence);
        }
        let problem = Problem::new(node.span, format!("a confidence is from 0.5 to below 1, not {level}"));
        reader.report(if (50.0..100.0).contains(&level) {
            problem.help(format!("did you mean `{}`?", level / 100.0))
        } else {
            problem
        });
        None
    }
}

/// What sets a gate apart from others.
pub(crate) struct Label(pub(crate) String);

impl FromNode for Label {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text: String = reader.read(node)?;
        if text.chars().count() > 100 {
            return reader.refuse(node.span, "a name has up to 100 characters");
        }
        Some(Self(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_part_of_test_names_and_file_names() {
        for name in ["a", "0", "bm25-stem", "hnsw_v1.2", "con-1", "vs", "a-vs", "com", "golden2", "com10"] {
            assert!(Name::fault(name).is_none(), "{name}");
        }
        let long = "a".repeat(101);
        for name in [
            "", "-a", ".a", "_a", "A", "ä", "a b", "a/b", "a:b", "a__b", "a-vs-b", "golden", "spec", "con",
            "nul.txt", "com1", "lpt9.x", "aux", "a.", &long,
        ] {
            assert!(Name::fault(name).is_some(), "{name}");
        }
    }
}
