//! Shown content, as a tree: it states the role of each piece of text, and nothing of its looks.
//!
//! | file | what |
//! |---|---|
//! | `text.rs` | [`Text`]: spans, each with its [`Role`] |
//! | `table.rs` | [`Table`]: rows of cells |
//! | `query.rs` | [`Query`]: one query in a list, with its note |
//!
//! What builds such a tree knows no width and no colour, and no painter knows what a sentence means.

mod query;
mod table;
mod text;

pub use query::{Detail, Queries, Query, add_titles};
pub use table::{Row, Table};
pub use text::{Role, Span, Text};

/// Something with a heading, or without one.
#[derive(Clone, Debug, Default)]
pub struct Section {
    pub kind: Kind,
    pub heading: Text,
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

/// A piece of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Running text, subordinate to what stands above it where `nested`.
    Paragraph {
        text: Text,
        nested: bool,
    },
    /// A word or name, and its text in at most so many lines.
    Hanging {
        lead: Text,
        text: Text,
        nested: bool,
        lines: usize,
    },
    /// Text whose line breaks and indentation mean something, in at most so many lines.
    Preformatted {
        text: Text,
        nested: bool,
        lines: usize,
    },
    List(Vec<Text>),
    /// One line that is never broken: a path, a command, what was laid out before.
    Line(Text),
    Table(Table),
    /// Names and what they stand for, each in at most four lines.
    /// What to do next: what for, and a command to type or a place to open.
    Steps(Vec<(String, String)>),
    Queries(Queries),
}

impl Block {
    pub fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph { text: text.into(), nested: false }
    }

    pub fn nested(text: impl Into<Text>) -> Self {
        Self::Paragraph { text: text.into(), nested: true }
    }

    pub fn hanging(lead: impl Into<Text>, text: impl Into<Text>, lines: usize) -> Self {
        Self::Hanging { lead: lead.into(), text: text.into(), nested: false, lines }
    }

    /// A warning in at most so many lines.
    pub fn warning(text: &str, lines: usize) -> Self {
        Self::hanging(Text::with_role(Role::Warning, "warning:").and(" "), text, lines)
    }

    pub fn preformatted(text: impl Into<Text>, lines: usize) -> Self {
        Self::Preformatted { text: text.into(), nested: false, lines }
    }

    pub fn line(text: impl Into<Text>) -> Self {
        Self::Line(text.into())
    }
}

impl Section {
    /// A section under this heading.
    pub fn headed(heading: impl Into<Text>) -> Self {
        Self { heading: heading.into().strong(), ..Self::default() }
    }

    /// A section without a heading.
    pub fn from_blocks(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self::default().part(blocks)
    }

    pub fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    pub fn part(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        let mut part = Vec::new();
        for block in blocks {
            part.push(block);
        }
        self.parts.push(part);
        self
    }
}
