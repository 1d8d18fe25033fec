//! Reading values out of the tree: every problem is kept, and what can be read is read.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::path::Path;
use std::sync::Arc;

use super::Registry;
use crate::error::Quoted;
use crate::yaml::{Entry, Found, Kind, Node, Problem, Source, Span, Value, nearest};

/// The context in which a spec is read, and the problems found so far.
pub(crate) struct Reader<'a> {
    pub(crate) registry: &'a Registry,
    /// The folder of the spec, which its paths are relative to.
    pub(crate) folder: &'a Path,
    pub(crate) source: &'a Arc<Source>,
    pub(crate) found: Found,
}

/// A value of the spec: how it is read. How the JSON Schema describes it is in `spec/schema_tests.rs`.
pub(crate) trait FromNode: Sized {
    /// The value; `None` after a problem was reported.
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self>;

    /// The values that a node of a [`OneOrMany`] has: itself, unless one text may name several.
    fn parts(node: &Node, _: &Reader<'_>) -> Vec<Node> {
        vec![node.clone()]
    }

    /// One as it may be written; empty where a message needs none.
    const EXAMPLE: &'static str = "";
}

impl Reader<'_> {
    /// Reads a value, unless it is known already that there is none.
    pub(crate) fn read<T: FromNode>(&mut self, node: &Node) -> Option<T> {
        if matches!(node.value, Value::Broken) { None } else { T::from_node(node, self) }
    }

    pub(crate) fn report(&mut self, problem: Problem) {
        self.found.push(problem);
    }

    /// The name that was probably meant by `given`, as help for a problem.
    pub(crate) fn suggest<'n>(
        &self,
        problem: Problem,
        given: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Problem, Problem> {
        if self.found.is_full() {
            return Ok(problem);
        }
        match nearest(given, names) {
            Some(near) => Ok(problem.help(format!("did you mean `{near}`?"))),
            None => Err(problem),
        }
    }

    /// Reports a problem where a value was expected.
    pub(crate) fn refuse<T>(&mut self, at: Span, message: impl Into<String>) -> Option<T> {
        self.report(Problem::new(at, message));
        None
    }

    /// Reports that something else was expected.
    pub(crate) fn expected<T>(&mut self, node: &Node, what: &str) -> Option<T> {
        self.refuse(node.span, format!("expected {what}, found {}", node.describe()))
    }

    /// The same with an example, unless it is empty.
    pub(crate) fn expected_such_as<T>(&mut self, node: &Node, what: &str, example: &str) -> Option<T> {
        let problem = Problem::new(node.span, format!("expected {what}, found {}", node.describe()));
        self.report(match example {
            "" => problem,
            example => problem.help(format!("such as `{example}`")),
        });
        None
    }

    /// The scalar as it is written; nothing is no text.
    pub(crate) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        match &node.value {
            Value::Scalar(scalar) if !scalar.is_null() => Some(&scalar.text),
            Value::Scalar(scalar) if !matches!(&*scalar.text, "" | "~") => {
                let problem = Problem::new(node.span, format!("expected {what}, found nothing"));
                self.report(problem.help(format!("as text it needs quotes: \"{}\"", scalar.text)));
                None
            }
            _ => self.expected(node, what),
        }
    }

    /// The entries of a mapping, which should be `what`.
    pub(crate) fn entries<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        match &node.value {
            Value::Map(entries) => Some(entries),
            _ => self.expected(node, what),
        }
    }

    /// The number it is, which is finite.
    pub(crate) fn number(&mut self, node: &Node, what: &str) -> Option<f64> {
        let number = match &node.value {
            Value::Scalar(scalar) => scalar.float().filter(|number| number.is_finite()),
            _ => None,
        };
        number.or_else(|| self.no_number(node, what))
    }

    fn no_number<T>(&mut self, node: &Node, what: &str) -> Option<T> {
        let problem = Problem::new(node.span, format!("expected {what}, found {}", node.describe()));
        self.report(match &node.value {
            Value::Scalar(scalar) if scalar.kind == Kind::Text && scalar.text.parse::<f64>().is_ok() => {
                problem.help(format!("in quotes it is text: write `{}` without them", scalar.text))
            }
            Value::Scalar(scalar) if let Some(share) = share_of_percent(&scalar.text) => {
                problem.help(format!("shares are written as numbers from 0 to 1: `{share}`"))
            }
            _ => problem,
        });
        None
    }

    /// The whole number it is, within limits.
    pub(crate) fn integer(&mut self, node: &Node, from: u64, to: u64) -> Option<u64> {
        match &node.value {
            Value::Scalar(scalar) => scalar.integer().filter(|number| (from..=to).contains(number)),
            _ => None,
        }
        .or_else(|| self.no_number(node, &whole_number(from, to)))
    }
}

/// The share that a percentage is: .5 of `50%`.
fn share_of_percent(text: &str) -> Option<f64> {
    let number: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
    (0.0..=100.0).contains(&number).then_some(number / 100.0)
}

fn whole_number(from: u64, to: u64) -> String {
    if to == u64::MAX {
        format!("a whole number of {from} or more")
    } else {
        format!("a whole number from {from} to {to}")
    }
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Spanned<T> {
    pub(crate) at: Span,
    pub(crate) value: T,
}

/// A list of mappings. Items that are no mapping are left out, and have been reported.
pub(crate) struct List<T> {
    pub(crate) items: Vec<Item<T>>,
    /// How many items there are, those left out included.
    pub(crate) written: usize,
}

/// An item of a [`List`].
pub(crate) struct Item<T> {
    pub(crate) at: Span,
    /// Whether nothing of it had to be reported.
    pub(crate) sound: bool,
    pub(crate) value: T,
}

impl<T: FromNode> FromNode for List<T> {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::List(items) = &node.value else {
            let example = if T::EXAMPLE.is_empty() { String::new() } else { format!("[{}]", T::EXAMPLE) };
            return reader.expected_such_as(node, "a list", &example);
        };
        let mut read = Vec::with_capacity(items.len());
        for item in items.iter() {
            let before = reader.found.len();
            if let Some(value) = reader.read(item) {
                read.push(Item { at: item.span, sound: reader.found.len() == before, value });
            }
        }
        Some(Self { items: read, written: items.len() })
    }
}

/// One value, or a list of at least one that are all different. A text may be a list as well, as `nDCG@10, R@100` is.
pub(crate) struct OneOrMany<T>(pub(crate) Vec<Spanned<T>>);

impl<T> OneOrMany<T> {
    pub(crate) fn into_values(self) -> Vec<T> {
        self.0.into_iter().map(|item| item.value).collect()
    }
}

impl<T: FromNode + std::fmt::Display> FromNode for OneOrMany<T> {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let nodes = match &node.value {
            Value::List(items) => &items[..],
            _ => std::slice::from_ref(node),
        };
        let items: Vec<Node> = nodes.iter().flat_map(|node| T::parts(node, reader)).collect();
        if items.is_empty() {
            let problem = Problem::new(node.span, "this list is empty");
            reader.report(problem.help("name at least one, or leave the key out"));
            return None;
        }
        let mut read: Vec<Spanned<T>> = Vec::with_capacity(items.len());
        let mut places: HashMap<String, Span> = HashMap::with_capacity(items.len());
        for item in &items {
            let Some(value) = reader.read::<T>(item) else { continue };
            match places.entry(value.to_string()) {
                Slot::Vacant(slot) => {
                    slot.insert(item.span);
                    read.push(Spanned { at: item.span, value });
                }
                Slot::Occupied(first) => {
                    let problem =
                        Problem::new(item.span, format!("{} stands here twice", Quoted(first.key())));
                    reader.report(problem.related(*first.get(), "first here"));
                }
            }
        }
        // A list of which nothing can be read is no shorter demand.
        (!read.is_empty()).then_some(Self(read))
    }
}

/// Any value, to be read by somebody else.
impl FromNode for Node {
    fn from_node(node: &Node, _: &mut Reader<'_>) -> Option<Self> {
        Some(node.clone())
    }
}

impl FromNode for bool {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Scalar(scalar) = &node.value else { return reader.expected(node, "true or false") };
        if let Some(value) = scalar.bool() {
            return Some(value);
        }
        let meant = match scalar.text.to_lowercase().as_str() {
            "yes" | "on" | "true" => "true",
            "no" | "off" | "false" => "false",
            _ => return reader.expected(node, "true or false"),
        };
        let problem = Problem::new(node.span, format!("expected true or false, found {}", node.describe()));
        reader.report(problem.help(format!("write `{meant}`")));
        None
    }
}

/// Text that is not empty.
impl FromNode for String {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "text")?;
        if text.trim().is_empty() {
            reader.refuse(node.span, "this text is empty")
        } else {
            Some(text.to_owned())
        }
    }
}

/// A finite number.
impl FromNode for f64 {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.number(node, "a number")
    }
}

/// A whole number of 0 or more.
impl FromNode for u64 {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.integer(node, 0, u64::MAX)
    }
}

/// A whole number from 1 to `MOST`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count<const MOST: u64>(pub(crate) usize);

impl<const MOST: u64> FromNode for Count<MOST> {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        reader.integer(node, 1, MOST).and_then(|number| usize::try_from(number).ok()).map(Self)
    }
}
