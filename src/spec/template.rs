//! Text with `${VARIABLE}`s of the environment, and paths.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Quoted, direct};
use crate::mapping::{FromNode, Reader};
use crate::yaml::{Node, Problem, Problems, Source, Span};
use crate::{Error, ErrorKind, Result};

/// Text that may hold `${VARIABLE}`s of the environment, which are looked up when it is used.
///
/// Shown, and debugged, as it is written: a variable's value, which may be a secret, never gets into
/// a message or report. `$${` stands for `${` itself.
#[derive(Clone)]
pub struct Template {
    written: String,
    pieces: Vec<Piece>,
    source: Arc<Source>,
    at: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Variable(String),
}

impl Template {
    /// The text with the values of its variables.
    ///
    /// # Errors
    /// A variable that is not set, or whose value is not UTF-8; the message shows the line of the
    /// spec.
    pub fn resolve(&self) -> Result<String> {
        self.resolve_by(|name| std::env::var(name))
    }

    fn resolve_by(&self, variable: impl Fn(&str) -> Result<String, std::env::VarError>) -> Result<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Variable(name) => text.push_str(&self.look_up(name, &variable)?),
            }
        }
        Ok(text)
    }

    fn look_up(
        &self,
        name: &str,
        variable: &impl Fn(&str) -> Result<String, std::env::VarError>,
    ) -> Result<String> {
        variable(name).map_err(|error| {
            let what = match error {
                std::env::VarError::NotPresent => "set",
                std::env::VarError::NotUnicode(_) => "UTF-8",
            };
            self.error(format!("the environment variable `{name}` is not {what}"))
        })
    }

    /// An error that shows where the text stands.
    fn error(&self, message: String) -> Error {
        let problem = Problem::new(self.at, message).with_kind(ErrorKind::Setup);
        Problems::new(Arc::clone(&self.source), problem.into()).into()
    }

    /// The names of its variables, in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Variable(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The text, if no variable is in it.
    pub(super) fn literal(&self) -> Option<&str> {
        match &self.pieces[..] {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The parts of the text that are no variables.
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Variable(_) => None,
        })
    }

    /// Text at a place of the spec; `None` after a malformed variable was reported.
    pub(super) fn parse(text: &str, at: Span, reader: &mut Reader<'_>) -> Option<Self> {
        match pieces(text) {
            Ok(pieces) => {
                Some(Self { written: text.to_owned(), pieces, source: Arc::clone(reader.source), at })
            }
            Err(message) => {
                let problem = Problem::new(at, message);
                reader.report(problem.help("a variable is written `${NAME}`, and `$${` for the text `${`"));
                None
            }
        }
    }
}

#[doc(hidden)]
impl Template {
    /// The values of its variables, with their names, in the order of the text.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn values(&self) -> Result<Vec<(&str, String)>> {
        self.variables().map(|name| Ok((name, self.look_up(name, &|name| std::env::var(name))?))).collect()
    }
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            literal.push_str(&rest[..at]);
            literal.push('{');
            rest = &rest[at + 2..];
            continue;
        }
        literal.push_str(&rest[..at]);
        let Some((name, after)) = rest[at + 2..].split_once('}') else {
            return Err("this `${` has no `}`".to_owned());
        };
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !starts || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(format!("{} is not the name of a variable", Quoted(name)));
        }
        if !literal.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut literal)));
        }
        pieces.push(Piece::Variable(name.to_owned()));
        rest = after;
    }
    literal.push_str(rest);
    if !literal.is_empty() {
        pieces.push(Piece::Text(literal));
    }
    Ok(pieces)
}

impl FromNode for Template {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "text")?;
        Self::parse(text, node.span, reader)
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

/// As it is written.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.written)
    }
}

/// As it is written.
impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.written)
    }
}

/// A path relative to the folder of the spec, in which `/` separates on every system and which may
/// hold `${VARIABLE}`s.
#[derive(Clone, PartialEq)]
pub struct PathTemplate {
    template: Template,
    folder: PathBuf,
}

impl PathTemplate {
    /// The path, with the folder of the spec before it unless it is absolute.
    ///
    /// # Errors
    /// As [`Template::resolve`].
    pub fn resolve(&self) -> Result<PathBuf> {
        Ok(self.folder.join(self.template.resolve()?))
    }

    /// The folder of the spec itself.
    pub(super) fn folder_of_spec(reader: &Reader<'_>, at: Span) -> Self {
        let template =
            Template { written: ".".to_owned(), pieces: Vec::new(), source: Arc::clone(reader.source), at };
        Self { template, folder: reader.folder.to_owned() }
    }

    /// The path where it is known without the environment.
    pub(super) fn literal(&self) -> Option<PathBuf> {
        self.template.literal().map(|path| self.folder.join(path))
    }
}

#[doc(hidden)]
impl PathTemplate {
    /// The values of its variables, with their names.
    ///
    /// # Errors
    /// As [`Template::resolve`].
    pub fn values(&self) -> Result<Vec<(&str, String)>> {
        self.template.values()
    }
}

impl FromNode for PathTemplate {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a path")?;
        if text.is_empty() {
            return reader.refuse(node.span, "this path is empty");
        }
        if text.contains('\\') {
            let problem = Problem::new(node.span, "a backslash in a path");
            reader.report(problem.help("paths are written with `/` on every system"));
            return None;
        }
        if text.contains('\0') {
            return reader.refuse(node.span, "a zero byte in a path");
        }
        let template = Template::parse(text, node.span, reader)?;
        Some(Self { template, folder: reader.folder.to_owned() })
    }
}

/// As it is written.
impl fmt::Display for PathTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.template.fmt(f)
    }
}

/// As it is written.
impl fmt::Debug for PathTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.template, f)
    }
}

/// The path of an existing file or folder, as far as it is known without the environment.
pub(super) struct Existing<const FOLDER: bool>(pub(super) PathTemplate);

/// The path of a run, whose file exists unless nothing of it will be read.
pub(super) struct RunFile(pub(super) PathTemplate);

impl FromNode for RunFile {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        if reader.registry.absent_runs {
            return reader.read(node).map(Self);
        }
        reader.read::<InputFile>(node).map(|file| Self(file.0))
    }
}

pub(super) type InputFile = Existing<false>;
pub(super) type InputFolder = Existing<true>;

/// As it is written.
impl<const FOLDER: bool> fmt::Display for Existing<FOLDER> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const FOLDER: bool> FromNode for Existing<FOLDER> {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let path: PathTemplate = reader.read(node)?;
        let Some(place) = path.literal() else { return Some(Self(path)) };
        match (FOLDER, place.is_dir(), place.is_file()) {
            (true, true, _) | (false, _, true) => Some(Self(path)),
            (true, false, true) => reader.refuse(node.span, format!("`{path}` is a file, not a folder")),
            (false, true, false) => reader.refuse(node.span, format!("`{path}` is a folder, not a file")),
            (false, false, false) if place.exists() => {
                reader.refuse(node.span, format!("`{path}` is no file: it is a pipe or a device"))
            }
            (_, false, false) => missing(node.span, if FOLDER { "folder" } else { "file" }, &place, reader),
        }
    }
}

/// Reports that something is not there, and how far the path leads.
fn missing<T>(at: Span, what: &str, path: &Path, reader: &mut Reader<'_>) -> Option<T> {
    let path = direct(path);
    let shown = |path: &Path| path.display().to_string().replace('\\', "/");
    let problem =
        Problem::new(at, format!("no such {what}: {}", Quoted(&shown(&path)))).with_kind(ErrorKind::Missing);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let reached = parent.and_then(|parent| parent.ancestors().find(|ancestor| ancestor.is_dir()));
    reader.report(match (parent, reached) {
        (Some(parent), Some(reached)) if reached != parent && !reached.as_os_str().is_empty() => {
            problem.help(format!("paths are relative to the spec; {} is there", Quoted(&shown(reached))))
        }
        _ => problem.help("paths are relative to the spec"),
    });
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found() {
        let text = |text: &str| Piece::Text(text.into());
        let variable = |name: &str| Piece::Variable(name.into());
        for (written, expected) in [
            ("", vec![]),
            ("a/b", vec![text("a/b")]),
            ("${A}", vec![variable("A")]),
            ("Bearer ${TOKEN_2}!", vec![text("Bearer "), variable("TOKEN_2"), text("!")]),
            ("${A}${_b}", vec![variable("A"), variable("_b")]),
            ("$A $ {A} 5$", vec![text("$A $ {A} 5$")]),
            ("$${A} ${B}", vec![text("${A} "), variable("B")]),
        ] {
            assert_eq!(pieces(written), Ok(expected), "{written}");
        }
        for written in ["${", "${A", "${}", "${1}", "${A:-x}", "${A B}", "${é}"] {
            assert!(pieces(written).is_err(), "{written}");
        }
    }

    fn template(text: &str) -> Template {
        let source = Source::new("x.yaml", format!("url: {text}")).unwrap();
        let registry = super::super::Registry::new();
        let folder = Path::new("benchmarks");
        let mut reader = Reader { registry: &registry, folder, source: &source, found: Default::default() };
        let at = Span { start: 5, end: 5 + text.len() as u32 };
        Template::parse(text, at, &mut reader).unwrap()
    }

    #[test]
    fn variables_are_looked_up_when_the_text_is_used() {
        let template = template("http://${HOST}/x");
        assert_eq!(template.resolve_by(|name| Ok(format!("<{name}>"))).unwrap(), "http://<HOST>/x");
        assert_eq!(template.to_string(), "http://${HOST}/x");
        assert_eq!(format!("{template:?}"), "\"http://${HOST}/x\"");
        let unset = template.resolve_by(|_| Err(std::env::VarError::NotPresent)).unwrap_err();
        insta::assert_snapshot!(unset.to_string(), @"
        the environment variable `HOST` is not set
         --> x.yaml:1:6
          |
        1 | url: http://${HOST}/x
          |      ^^^^^^^^^^^^^^^^
        ");
    }

    #[test]
    fn paths_start_at_the_folder_of_the_spec() {
        let path = |text: &str| PathTemplate { template: template(text), folder: "benchmarks".into() };
        assert_eq!(path("../data/x").resolve().unwrap(), Path::new("benchmarks/../data/x"));
        // Set by cargo for every test.
        let root = std::env::var("CARGO_MANIFEST_DIR").unwrap();
        assert_eq!(path("${CARGO_MANIFEST_DIR}/x").resolve().unwrap(), Path::new(&root).join("x"));
    }
}
