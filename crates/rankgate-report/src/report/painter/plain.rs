//! Lines of a width.

use crate::report::page::{Block, Kind, Part, Section, Table, Text};

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

/// How many lines a section takes.
pub fn height(section: &Section, width: usize) -> usize {
    lines(section, width.into()).len()
}

/// The lines of a section; none where it says nothing.
pub(super) fn lines(section: &Section, widths: Widths) -> Vec<Text> {
    let strong = section.heading.is_empty();
    let (is_apart, inside) = match section.kind {
        Kind::Part | Kind::Title | Kind::Folded => (false, widths),
        Kind::Message => (true, widths.inside()),
        Kind::Nested => (false, widths.inside()),
    };
    let mut lines = match section.kind {
        Kind::Title | Kind::Message => Vec::from([section.heading.clone()]),
        Kind::Part | Kind::Nested | Kind::Folded => wrap(&section.heading, widths.text, usize::MAX),
    };
    lines.retain(|line| !line.is_empty());
    let indent = " ".repeat(widths.text - inside.text);
    let parts = section.parts.iter().map(|part| of_part(part, inside, strong));
    for (index, part) in parts.filter(|part| !part.is_empty()).enumerate() {
        if is_apart || index > 0 {
            lines.push(Text::default());
        }
        lines.extend(part.into_iter().map(|line| Text::from(&indent).and(line)));
    }
    lines.into_iter().map(Text::trim_end).collect()
}

fn of_part(part: &Part, widths: Widths, strong: bool) -> Vec<Text> {
    let queries = part.iter().filter_map(|block| match block {
        Block::Queries(queries) => Some(&queries.rows),
        _ => None,
    });
    // All lists of a part in the same columns.
    let layout = Layout::for_rows(queries.flatten(), widths.text);
    part.iter().flat_map(|block| of_block(block, widths, strong, &layout)).collect()
}

fn of_block(block: &Block, widths: Widths, strong: bool, layout: &Layout) -> Vec<Text> {
    let width = widths.text;
    match block {
        Block::Paragraph { text, nested } => below(*nested, width, |width| wrap(text, width, usize::MAX)),
        Block::Preformatted { text, nested, lines } => {
            below(*nested, width, |width| wrap(text, width, *lines))
        }
        // A long name would leave no room for what is said of it.
        Block::Hanging { lead, text, nested: true, .. } if lead.length() + INDENT >= width / 2 => {
            below(true, width, |width| wrap(&lead.clone().and(text.clone()), width, usize::MAX))
        }
        Block::Hanging { lead, text, nested, lines } => {
            below(*nested, width, |width| hang(lead, text, width, *lines))
        }
        Block::List(items) => {
            items.iter().flat_map(|item| hang(&"- ".into(), item, width, usize::MAX)).collect()
        }
        Block::Line(text) => vec![text.clone()],
        Block::Table(table) => columns::tables(table, widths.tables, strong).join(&Text::default()),
        Block::Steps(steps) => {
            let mut table = Table::default();
            for (purpose, action) in steps {
                table.row([format!("{purpose}:"), action.clone()]);
            }
            columns::tables(&table, width, false).concat()
        }
        Block::Queries(queries) => layout.lines(queries),
    }
}

/// Lines that are indented if they are subordinate to what stands above.
fn below(nested: bool, width: usize, lines: impl Fn(usize) -> Vec<Text>) -> Vec<Text> {
    if !nested {
        return lines(width);
    }
    let indented = |line| Text::from(" ".repeat(INDENT)).and(line);
    lines(width.saturating_sub(INDENT)).into_iter().map(indented).collect()
}
