//! Shown content, as a tree of texts, tables and queries: nothing of its looks.
//!
//! What builds such a tree knows no width and no colour, and no painter knows what a sentence means.

mod query;
mod table;

use serde::Serialize;

pub use query::{Detail, Queries, Query, add_titles};
pub use table::Table;

/// Something with a heading, or without one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    #[serde(skip)]
    pub kind: Kind,
    pub heading: String,
    pub parts: Vec<Part>,
}

/// Blocks that belong together; parts stand apart.
pub type Part = Vec<Block>;

/// What a section is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A part of a page.
    #[default]
    Part,
    /// The head of the page, in one line, and what stands directly below it.
    Title,
    /// What a gate says: a headline of one line, and the body below it.
    Message,
    /// A heading, and its subordinate parts.
    Nested,
    /// A part that is shown on request, where a page can do that.
    Folded,
}

/// A piece of a section. What comes from data may be in it as it is: painters make it fit to be shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Running text behind a word or a name, if there is one, in at most so many lines; subordinate to what stands above it
    /// where `nested`.
    Text {
        lead: String,
        text: String,
        nested: bool,
        lines: usize,
    },
    /// Text whose line breaks and indentation mean something, in at most so many lines.
    Preformatted {
        text: String,
        nested: bool,
        lines: usize,
    },
    /// One line that is never broken: a path, a command, what was laid out before.
    Line(String),
    Table(Table),
    Queries(Queries),
}

impl Block {
    pub fn paragraph(text: impl Into<String>) -> Self {
        Self::hanging("", text, usize::MAX)
    }

    pub fn nested(text: impl Into<String>) -> Self {
        Self::Text { lead: String::new(), text: text.into(), nested: true, lines: usize::MAX }
    }

    /// A text behind a word or a name.
    pub fn hanging(lead: impl Into<String>, text: impl Into<String>, lines: usize) -> Self {
        Self::Text { lead: lead.into(), text: text.into(), nested: false, lines }
    }

    /// A warning in at most so many lines.
    pub fn warning(text: &str, lines: usize) -> Self {
        Self::hanging("warning: ", text, lines)
    }

    pub fn preformatted(text: impl Into<String>, lines: usize) -> Self {
        Self::Preformatted { text: text.into(), nested: false, lines }
    }

    pub fn line(text: impl Into<String>) -> Self {
        Self::Line(text.into())
    }
}

impl Section {
    /// A section under this heading.
    pub fn headed(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    /// A section without a heading.
    pub fn from_blocks(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self::default().part(blocks)
    }

    pub fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    pub fn part(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.parts.push(Vec::from_iter(blocks));
        self
    }
}

/// Numbers and signs that no line is broken between.
pub fn whole(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}
