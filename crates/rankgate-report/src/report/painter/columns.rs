//! Tables in aligned columns; widths are counted in characters.

use crate::report::page::Table;
use crate::report::width::width as width_of;

use super::wrap::wrap;

/// Blanks between two columns.
const GAP: usize = 2;

/// A table as one table of lines, or, where it may be shown in parts, as many as it takes for every line
/// to fit `width`; a single column that is too wide stands alone.
pub(super) fn tables(table: &Table, width: usize) -> Vec<Vec<String>> {
    let widths = table.widths();
    let Some(keys) = table.keys else {
        return vec![Columns { table, widths: &widths, keys: 0 }.lines(0..widths.len(), width)];
    };
    let keys = keys.min(widths.len());
    let columns = Columns { table, widths: &widths, keys };
    let start: usize = widths.iter().take(keys).map(|width| width + GAP).sum();
    let mut parts = Vec::new();
    let (mut first, mut used) = (keys, start);
    for (column, own) in widths.iter().enumerate().skip(keys) {
        if used + own > width && column > first {
            parts.push(columns.lines(first..column, width));
            (first, used) = (column, start);
        }
        used += own + GAP;
    }
    parts.push(columns.lines(first..widths.len(), width));
    parts
}

/// How long the lines of a table are at most.
pub fn width(table: &Table) -> usize {
    table.widths().iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
}

struct Columns<'a> {
    table: &'a Table,
    widths: &'a [usize],
    keys: usize,
}

impl Columns<'_> {
    /// The keys and these columns; a row that has nothing in them is left out.
    fn lines(&self, shown: std::ops::Range<usize>, width: usize) -> Vec<String> {
        let columns: Vec<usize> = (0..self.keys).chain(shown.clone()).collect();
        let says =
            |cells: &[String]| cells.iter().take(shown.end).skip(shown.start).any(|cell| !cell.is_empty());
        let mut lines = Vec::new();
        if says(&self.table.header) {
            lines.push(self.line(&self.table.header, &columns));
        }
        for row in &self.table.rows {
            if says(row) {
                lines.extend(self.row(row, &columns, width));
            }
        }
        lines
    }

    /// A row, in as many lines as its last column takes.
    fn row(&self, cells: &[String], columns: &[usize], width: usize) -> Vec<String> {
        let last = self.widths.len().saturating_sub(1);
        let (Some(rest), Some(cell)) = (self.table.rest, cells.get(last)) else {
            return vec![self.line(cells, columns)];
        };
        let used: usize = self.widths.iter().take(last).map(|width| width + GAP).sum();
        let mut broken = wrap(cell, width.saturating_sub(used).max(rest.least), rest.lines).into_iter();
        let mut cells = cells.to_vec();
        cells[last] = broken.next().unwrap_or_default();
        let blank = |line| std::iter::repeat_n(String::new(), last).chain([line]).collect::<Vec<_>>();
        let more = broken.map(|line| self.line(&blank(line), columns));
        std::iter::once(self.line(&cells, columns)).chain(more).collect()
    }

    fn line(&self, cells: &[String], columns: &[usize]) -> String {
        let mut line = String::new();
        for (place, &column) in columns.iter().enumerate() {
            let cell = cells.get(column).map_or("", String::as_str);
            let width = self.widths.get(column).copied().unwrap_or(0);
            let blanks = " ".repeat(width.saturating_sub(width_of(cell)));
            let gap = if place == 0 { "" } else { "  " };
            line += &match self.table.right.contains(&column) {
                true => format!("{gap}{blanks}{cell}"),
                false => format!("{gap}{cell}{blanks}"),
            };
        }
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(table: &Table, width: usize) -> Vec<Vec<String>> {
        tables(table, width)
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::headed(["metric", "n", "note"]).right([1]);
        table.row(["R@100", "7", "é"]);
        table.row(["AP", "1200"]);
        assert_eq!(shown(&table, 9), [["metric     n  note", "R@100      7  é", "AP      1200"]]);
        assert_eq!(shown(&Table::default(), 9), [Vec::<String>::new()]);
    }

    #[test]
    fn columns_that_do_not_fit_go_into_the_next_table() {
        let mut table = Table::headed(["k", "aaaa", "bbbb", "cccccccccccc", "d"]).in_parts(1);
        table.row(["1", "2", "3", "4", "5"]);
        assert_eq!(
            shown(&table, 13),
            [vec!["k  aaaa  bbbb", "1  2     3"], vec!["k  cccccccccccc", "1  4"], vec!["k  d", "1  5"]]
        );
        assert_eq!(shown(&table, 100), shown(&Table { keys: None, ..table.clone() }, 0));
        table.row(["2", "", "3"]);
        assert_eq!(
            shown(&table, 8),
            [
                vec!["k  aaaa", "1  2"],
                vec!["k  bbbb", "1  3", "2  3"],
                vec!["k  cccccccccccc", "1  4"],
                vec!["k  d", "1  5"]
            ]
        );
        assert_eq!(shown(&Table::default().in_parts(1), 10), [Vec::<String>::new()]);
    }
}
