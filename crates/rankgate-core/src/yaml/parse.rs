//! YAML text to a tree.
//!
//! The tree is built from the event stream under `serde_yaml`'s deserializer, not through serde:
//! serde sees typed values (an id `01` would arrive as 1) and stops at the first duplicate key.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::Arc;

use granit_parser as granit;

use granit::{ErrorKind, Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::node::{Entry, Key, Kind, Node, Scalar, Value};
use super::problem::Found;
use super::source::{Source, Span};
use crate::error::Problem;
use crate::error::Quoted;

/// Deeper nesting is refused, so that nothing that walks a tree can exhaust the stack.
const MAX_DEPTH: usize = 64;

/// More values are refused, those that aliases repeat included, so that neither a large file nor a
/// small one full of aliases can exhaust memory.
const MAX_VALUES: usize = 1_000_000;

/// A file's tree, and its errors.
pub struct Parsed {
    /// The document; `None` where the text is no YAML at all.
    pub root: Option<Node>,
    pub problems: Found,
}

pub fn parse(source: &Arc<Source>) -> Parsed {
    let mut builder = Builder {
        source,
        open: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        values: 0,
        problems: Found::default(),
    };
    let ok = builder.run();
    let root = ok.then(|| builder.root.map_or_else(|| Node::null(Span::default()), |built| built.node));
    Parsed { root, problems: builder.problems }
}

/// A node with what its use through an alias costs.
#[derive(Clone)]
struct Built {
    node: Node,
    values: usize,
    depth: usize,
}

/// A list or mapping whose end has not been seen.
struct Open {
    start: Span,
    flow: bool,
    anchor: usize,
    values: usize,
    depth: usize,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    Map { entries: Vec<(Node, Node)>, key: Option<Node> },
}

struct Builder<'a> {
    source: &'a Source,
    open: Vec<Open>,
    root: Option<Built>,
    /// By the parser's number; `None` while the anchored node is still open.
    anchors: HashMap<usize, Option<Built>>,
    values: usize,
    problems: Found,
}

impl Builder<'_> {
    /// Reads the whole text; `false` where it cannot be read to its end.
    fn run(&mut self) -> bool {
        let mut options = granit::Options::default();
        options.set_emit_comments(false);
        options.emit_unresolved_aliases = true;
        options.flow_nesting_limit = MAX_DEPTH;
        options.block_nesting_limit = MAX_DEPTH;
        let mut documents = 0;
        for event in Parser::new_from_str_with_options(self.source.text(), options) {
            let (event, span, tagged) = match event {
                Ok((event, span)) => {
                    let tag = span.tag_span().unwrap_or(span);
                    (event, self.span(span), self.span(tag))
                }
                Err(error) => {
                    let at = self.source.clamp(error.marker().byte_offset().unwrap_or(usize::MAX));
                    self.stop(Span { start: at, end: at }, error.kind());
                    return false;
                }
            };
            let read = match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    documents == 1
                        || self.refuse(span, "a second document in the file", "a file holds one document")
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let kind = if style == ScalarStyle::Plain { Kind::Plain } else { Kind::Text };
                    // The parser writes `~` where nothing is written.
                    let text = if span.start == span.end { "".into() } else { text };
                    let value = match self.refuse_tag(tagged, tag.as_deref()) {
                        true => Value::Broken,
                        false => Value::Scalar(Scalar { text: text.into(), kind }),
                    };
                    self.add(Built { node: Node { span, value }, values: 1, depth: 0 }, anchor, 1)
                }
                Event::SequenceStart(style, anchor, tag) => {
                    self.refuse_tag(tagged, tag.as_deref());
                    self.start(span, style, anchor, Items::List(Vec::new()))
                }
                Event::MappingStart(style, anchor, tag) => {
                    self.refuse_tag(tagged, tag.as_deref());
                    self.start(span, style, anchor, Items::Map { entries: Vec::new(), key: None })
                }
                Event::SequenceEnd | Event::MappingEnd => self.end(span),
                Event::Alias(id) => self.alias(span, id),
                Event::UnresolvedAlias(name) => {
                    let message = format!("no anchor `&{name}` above this alias");
                    self.problems.push(Problem::new(span, message));
                    self.add(Built { node: Node { span, value: Value::Broken }, values: 1, depth: 0 }, 0, 1)
                }
                _ => true,
            };
            if !read {
                return false;
            }
        }
        true
    }

    fn span(&self, span: granit::Span) -> Span {
        let byte = |marker: &granit::Marker| self.source.clamp(marker.byte_offset().unwrap_or_default());
        let (start, end) = (byte(&span.start), byte(&span.end));
        Span { start, end: end.max(start) }
    }

    fn refuse(&mut self, at: Span, message: impl Into<String>, help: &str) -> bool {
        self.problems.push(Problem::new(at, message).help(help));
        false
    }

    /// Reports a tag, and returns true if there is one.
    fn refuse_tag(&mut self, at: Span, tag: Option<&Tag>) -> bool {
        let Some(tag) = tag else { return false };
        let problem = Problem::new(at, format!("the tag {} means nothing here", Quoted(&tag.original())));
        self.problems.push(problem.help("put quotes around a value that is text"));
        true
    }

    /// Says why the text cannot be read any further.
    fn stop(&mut self, at: Span, kind: &ErrorKind) {
        let mut problem = syntax(at, kind);
        let line = |span| self.source.position(span).0;
        let before = self.source.text().get(..at.start as usize).unwrap_or_default();
        if before.ends_with('$') && self.open.iter().any(|open| open.flow) {
            problem = problem.help("text that holds `${...}` needs quotes inside braces and brackets");
        }
        if let Some(open) = self.open.last().filter(|open| open.flow && line(open.start) < line(at)) {
            problem = problem.related(open.start, "this bracket is still open");
        }
        self.problems.push(problem);
    }

    fn start(&mut self, start: Span, style: StructureStyle, anchor: usize, items: Items) -> bool {
        if self.open.len() == MAX_DEPTH {
            return self.too_deep(start);
        }
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        let flow = style == StructureStyle::Flow;
        self.open.push(Open { start, flow, anchor, values: 1, depth: 0, items });
        true
    }

    fn too_deep(&mut self, at: Span) -> bool {
        self.problems.push(Problem::new(at, format!("nested more than {MAX_DEPTH} levels deep")));
        false
    }

    fn end(&mut self, end: Span) -> bool {
        let Some(open) = self.open.pop() else { return true };
        let span = Span { start: open.start.start, end: end.end.max(open.start.end) };
        let value = match open.items {
            Items::List(items) => Value::List(items.into()),
            Items::Map { entries, .. } => Value::Map(self.close_map(entries).into()),
        };
        let built = Built { node: Node { span, value }, values: open.values, depth: open.depth + 1 };
        self.add(built, open.anchor, 1)
    }

    fn alias(&mut self, span: Span, id: usize) -> bool {
        match self.anchors.get(&id) {
            Some(Some(built)) => {
                let mut built = built.clone();
                // Errors in what is repeated point to its definition, errors about it as a whole
                // to where it is used.
                built.node.span = span;
                let values = built.values;
                self.add(built, 0, values)
            }
            _ => self.refuse(span, "an alias to something that it is part of", "this would never end"),
        }
    }

    /// Adds a finished node, which brings `values` new values, to the innermost open list or mapping.
    fn add(&mut self, built: Built, anchor: usize, values: usize) -> bool {
        let at = built.node.span;
        self.values += values;
        if self.values > MAX_VALUES {
            let message = format!("more than {MAX_VALUES} values, those that aliases repeat included");
            return self.refuse(at, message, "queries and documents belong in files of their own");
        }
        if self.open.len() + built.depth > MAX_DEPTH {
            return self.too_deep(at);
        }
        if anchor != 0 {
            self.anchors.insert(anchor, Some(built.clone()));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(built);
            return true;
        };
        open.values += built.values;
        open.depth = open.depth.max(built.depth);
        match &mut open.items {
            Items::List(items) => items.push(built.node),
            Items::Map { entries, key } => match key.take() {
                None => *key = Some(built.node),
                Some(key) => entries.push((key, built.node)),
            },
        }
        true
    }

    /// The entries of a mapping: keys are text and stand once; `<<` brings in another mapping.
    fn close_map(&mut self, pairs: Vec<(Node, Node)>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
        let mut places: HashMap<Arc<str>, Span> = HashMap::with_capacity(pairs.len());
        let mut merged = Vec::new();
        for (key, mut value) in pairs {
            let Value::Scalar(Scalar { text, kind }) = key.value else {
                if !matches!(key.value, Value::Broken) {
                    self.problems
                        .push(Problem::new(key.span, format!("a key is text, not {}", key.describe())));
                }
                continue;
            };
            if value.span.start == value.span.end {
                // Nothing was written after the key: the key is all there is to point to.
                value.span = key.span;
            }
            if kind == Kind::Plain && &*text == "<<" {
                merged.push(value);
                continue;
            }
            match places.entry(Arc::clone(&text)) {
                Slot::Occupied(first) => {
                    let message = format!("the key {} stands here twice", Quoted(&text));
                    self.problems.push(Problem::new(key.span, message).related(*first.get(), "first here"));
                }
                Slot::Vacant(slot) => {
                    slot.insert(key.span);
                    entries.push(Entry { key: Key { span: key.span, text }, value });
                }
            }
        }
        for value in merged {
            self.merge(&value, &mut entries, &mut places);
        }
        entries
    }

    /// Adds the entries of other mappings whose keys are not there already.
    fn merge(&mut self, from: &Node, entries: &mut Vec<Entry>, places: &mut HashMap<Arc<str>, Span>) {
        match &from.value {
            Value::Map(others) => {
                for other in others.iter() {
                    if let Slot::Vacant(slot) = places.entry(Arc::clone(&other.key.text)) {
                        slot.insert(other.key.span);
                        entries.push(other.clone());
                    }
                }
            }
            Value::List(maps) if maps.iter().all(|map| matches!(map.value, Value::Map(_))) => {
                for map in maps.iter() {
                    self.merge(map, entries, places);
                }
            }
            Value::Broken => {}
            _ => {
                let message =
                    format!("`<<` brings in a mapping or a list of mappings, not {}", from.describe());
                self.problems.push(Problem::new(from.span, message));
            }
        }
    }
}

/// An error of the parser, with what usually is behind it.
fn syntax(at: Span, kind: &ErrorKind) -> Problem {
    let problem = Problem::new(at, format!("this is not YAML: {kind}"));
    match kind {
        ErrorKind::RecursionLimitExceeded => {
            Problem::new(at, format!("nested more than {MAX_DEPTH} levels deep"))
        }
        ErrorKind::UnexpectedCharacter { .. } => problem.help("text that starts with it needs quotes"),
        ErrorKind::MappingValueNotAllowed => problem.help("text that contains `: ` needs quotes"),
        ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            problem.help("YAML is indented with spaces")
        }
        _ => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str) -> (Option<serde_json::Value>, String) {
        let source = Source::new("x.yaml", text).unwrap();
        let parsed = parse(&source);
        let problems = super::super::Problems::new(Arc::clone(&source), parsed.problems);
        let lines: Vec<_> =
            problems.iter().map(|p| format!("{}:{} {}", p.line(), p.column(), p.message())).collect();
        (parsed.root.map(|root| root.to_json()), lines.join("\n"))
    }

    #[test]
    fn text_becomes_a_tree() {
        use serde_json::json;
        let cases = [
            ("", json!(null)),
            ("# only a comment\n", json!(null)),
            ("a: [1, x, {b: }]\n", json!({"a": [1, "x", {"b": null}]})),
            ("a: |\n  one\n  two\nb: >\n  c\n  d\n", json!({"a": "one\ntwo\n", "b": "c d\n"})),
            ("'01': \"a\\tb\"\nno: no\n", json!({"01": "a\tb", "no": "no"})),
            ("a: &x {b: 1}\nc: *x\n", json!({"a": {"b": 1}, "c": {"b": 1}})),
            ("- &x {b: 1, c: 1}\n- {<<: *x, c: 2}\n", json!([{"b": 1, "c": 1}, {"b": 1, "c": 2}])),
            (
                "- &x {b: 1}\n- &y {b: 2, c: 2}\n- <<: [*x, *y]\n",
                json!([{"b": 1}, {"b": 2, "c": 2}, {"b": 1, "c": 2}]),
            ),
            ("'<<': 1", json!({"<<": 1})),
            ("--- {a: 1}\n...\n", json!({"a": 1})),
        ];
        for (text, expected) in cases {
            assert_eq!(outcome(text), (Some(expected), String::new()), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_reading_goes_on() {
        let cases = [
            (
                "a: 1\nb: 2\na: 3\nb: 4",
                "3:1 the key `a` stands here twice\n4:1 the key `b` stands here twice",
            ),
            ("[a]: 1\n? {b: 1}\n: 2\n", "1:1 a key is text, not a list\n2:3 a key is text, not a mapping"),
            ("a: *x\nb: *y", "1:4 no anchor `&x` above this alias\n2:4 no anchor `&y` above this alias"),
            ("<<: 1", "1:5 `<<` brings in a mapping or a list of mappings, not `1`"),
            (
                "a: !!str 1\nb: !!set {c: }",
                "1:4 the tag `!!str` means nothing here\n2:4 the tag `!!set` means nothing here",
            ),
        ];
        for (text, expected) in cases {
            let (root, problems) = outcome(text);
            assert_eq!(problems, expected, "{text}");
            assert!(root.is_some(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_to_its_end_has_no_tree() {
        let cases = [
            ("a: b: c", "1:5 this is not YAML: mapping values are not allowed in this context"),
            ("a: @x", "1:4 this is not YAML: unexpected character: `@'"),
            ("a: [1, 2\nb: 3", "2:2 this is not YAML: illegal placement of ':' indicator"),
            ("a: \"x", "1:4 this is not YAML: unclosed quote"),
            ("a:\n\t- 1", "2:2 this is not YAML: tabs disallowed within this context (block indentation)"),
            ("a: 1\n---\nb: 2", "2:1 a second document in the file"),
            ("&x [*x]", "1:5 an alias to something that it is part of"),
            ("a: &x {b: *x}", "1:11 an alias to something that it is part of"),
        ];
        for (text, expected) in cases {
            assert_eq!(outcome(text), (None, expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_however_it_is_made() {
        let flow = format!("{}{}", "[".repeat(65), "]".repeat(65));
        let block = "- ".repeat(65);
        let mixed = format!("{}{}{}", "- ".repeat(33), "[".repeat(33), "]".repeat(33));
        let aliased: String = (0..65).map(|i| format!("- &a{} [*a{i}]\n", i + 1)).collect();
        for text in [flow, block, mixed, format!("- &a0 []\n{aliased}"), "[".repeat(1_000_000)] {
            let (root, problems) = outcome(&text);
            assert!(root.is_none() && problems.ends_with("nested more than 64 levels deep"), "{problems}");
        }
        let deepest = format!("{}{}", "[".repeat(64), "]".repeat(64));
        assert!(outcome(&deepest).0.is_some());
    }

    #[test]
    fn a_bomb_of_aliases_is_refused() {
        let lines: String = (0..40).map(|i| format!("- &a{} [*a{i}, *a{i}]\n", i + 1)).collect();
        let (root, problems) = outcome(&format!("- &a0 [x, x]\n{lines}"));
        assert!(root.is_none());
        assert!(
            problems.ends_with("more than 1000000 values, those that aliases repeat included"),
            "{problems}"
        );
    }
}
