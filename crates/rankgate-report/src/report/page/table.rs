//! Rows of cells.

use serde::Serialize;

use crate::report::width::width as width_of;

/// A table. Where a page is too narrow for it, painters may show it as several, if its keys are known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Table {
    #[serde(rename = "head")]
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Columns whose cells stand at their right edge.
    pub right: Vec<usize>,
    /// How many of the first columns say what a row is about, where it may be shown in parts.
    #[serde(skip)]
    pub keys: Option<usize>,
    /// How the last column is broken into lines, if it is.
    #[serde(skip)]
    pub rest: Option<Rest>,
}

/// Room for a column of sentences: as much as the others leave, but at least so many characters; and at most
/// so many lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    pub least: usize,
    pub lines: usize,
}

fn texts<C: Into<String>>(cells: impl IntoIterator<Item = C>) -> Vec<String> {
    cells.into_iter().map(Into::into).collect()
}

impl Table {
    /// A table with these titles of its columns.
    pub fn headed<C: Into<String>>(header: impl IntoIterator<Item = C>) -> Self {
        Self { header: texts(header), ..Self::default() }
    }

    /// The same with these columns aligned to the right.
    pub fn right(self, columns: impl IntoIterator<Item = usize>) -> Self {
        Self { right: columns.into_iter().collect(), ..self }
    }

    /// The same in as many parts as it takes, each beginning with its first `keys` columns.
    pub fn in_parts(self, keys: usize) -> Self {
        Self { keys: Some(keys), ..self }
    }

    /// The same with sentences in the last column.
    pub fn rest(self, least: usize, lines: usize) -> Self {
        Self { rest: Some(Rest { least, lines }), ..self }
    }

    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(texts(cells));
    }

    /// Puts these cells, the header's first, into the first column.
    pub fn first(&mut self, cells: impl IntoIterator<Item = String>) {
        for (row, cell) in std::iter::once(&mut self.header).chain(&mut self.rows).zip(cells) {
            if let Some(first) = row.first_mut() {
                *first = cell;
            }
        }
    }

    /// The header, if there is one, and the cells of each row.
    pub fn cells(&self) -> impl Iterator<Item = &[String]> {
        std::iter::once(&self.header).chain(&self.rows).map(Vec::as_slice)
    }

    /// How much of a terminal's width each column takes.
    pub fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.cells().map(<[String]>::len).max().unwrap_or(0)];
        for cells in self.cells() {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = width_of(cell).max(*width);
            }
        }
        widths
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
