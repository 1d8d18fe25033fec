//! Lines of a width.

use crate::report::page::{Block, Kind, Part, Section};
use crate::report::width::width as width_of;

use super::queries::Layout;
use super::wrap::{hang, wrap};
use super::{Style, columns, line};

/// Blanks before subordinate parts.
const INDENT: usize = 2;
/// Columns that text may take, and tables.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    pub text: usize,
    pub tables: usize,
}

impl From<usize> for Widths {
    fn from(width: usize) -> Self {
        Self { text: width, tables: width }
    }
}

impl Widths {
    fn inside(self) -> Self {
        Self { text: self.text.saturating_sub(INDENT), tables: self.tables.saturating_sub(INDENT) }
    }
}

/// A section in lines of at most `width` columns, commands and headlines apart; no newline at the end.
pub fn message(section: &Section, width: usize) -> String {
    let lines = lines(section, width.into());
    lines.iter().map(|text| line(text, Style::Plain)).collect::<Vec<_>>().join("\n")
}

/// The lines of a section; none where it says nothing.
pub(super) fn lines(section: &Section, widths: Widths) -> Vec<String> {
    let (is_apart, inside) = match section.kind {
        Kind::Part | Kind::Title | Kind::Folded => (false, widths),
        Kind::Message => (true, widths.inside()),
        Kind::Nested => (false, widths.inside()),
    };
    let mut lines = match section.kind {
        Kind::Title | Kind::Message => vec![section.heading.clone()],
        Kind::Part | Kind::Nested | Kind::Folded => wrap(&section.heading, widths.text, usize::MAX),
    };
    lines.retain(|line| !line.is_empty());
    let indent = " ".repeat(widths.text - inside.text);
    let parts = section.parts.iter().map(|part| of_part(part, inside));
    for (index, part) in parts.filter(|part| !part.is_empty()).enumerate() {
        if is_apart || index > 0 {
            lines.push(String::new());
        }
        lines.extend(part.into_iter().map(|line| format!("{indent}{line}").trim_end().to_owned()));
    }
    lines
}

fn of_part(part: &Part, widths: Widths) -> Vec<String> {
    let queries = part.iter().filter_map(|block| match block {
        Block::Queries(queries) => Some(&queries.rows),
        _ => None,
    });
    // All lists of a part in the same columns.
    let layout = Layout::for_rows(queries.flatten(), widths.text);
    part.iter().flat_map(|block| of_block(block, widths, &layout)).collect()
}

fn of_block(block: &Block, widths: Widths, layout: &Layout) -> Vec<String> {
    let width = widths.text;
    match block {
        Block::Preformatted { text, nested, lines } => {
            below(*nested, width, |width| wrap(text, width, *lines))
        }
        // A long name would leave no room for what is said of it.
        Block::Text { lead, text, nested: true, .. } if width_of(lead) + INDENT >= width / 2 => {
            below(true, width, |width| wrap(&format!("{lead}{text}"), width, usize::MAX))
        }
        Block::Text { lead, text, nested, lines } => {
            below(*nested, width, |width| hang(lead, text, width, *lines))
        }
        Block::Line(text) => vec![text.clone()],
        Block::Table(table) => columns::tables(table, widths.tables).join(&String::new()),
        Block::Queries(queries) => layout.lines(queries),
    }
}

/// Lines that are indented if they are subordinate to what stands above.
fn below(nested: bool, width: usize, lines: impl Fn(usize) -> Vec<String>) -> Vec<String> {
    let indent = if nested { INDENT } else { 0 };
    let lines = lines(width.saturating_sub(indent)).into_iter();
    lines.map(|line| " ".repeat(indent) + &line).collect()
}
