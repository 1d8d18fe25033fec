//! Text in aligned columns.

/// Rows of cells; widths are counted in characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Columns whose cells stand at their right edge.
    right: Vec<usize>,
    rows: Vec<Vec<String>>,
}

/// Blanks between two columns.
const GAP: usize = 2;

impl Table {
    /// A table in which the columns with these indices are aligned to the right.
    pub(super) fn right(columns: impl IntoIterator<Item = usize>) -> Self {
        Self { right: columns.into_iter().collect(), rows: Vec::new() }
    }

    pub(super) fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Puts these cells, top to bottom, into the first column.
    pub(super) fn first(&mut self, cells: impl IntoIterator<Item = String>) {
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            if let Some(first) = row.first_mut() {
                *first = cell;
            }
        }
    }

    /// How long the lines are at most.
    pub(super) fn width(&self) -> usize {
        self.widths().iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// The columns, without those in `spare` that keep them from fitting `width`: the first of these is the
    /// first to go.
    pub(super) fn fitting(&self, spare: &[usize], width: usize) -> Vec<usize> {
        let widths = self.widths();
        let mut columns: Vec<usize> = (0..widths.len()).collect();
        let needed = |columns: &[usize]| columns.iter().map(|&column| widths[column] + GAP).sum::<usize>();
        for spare in spare {
            if needed(&columns) > width + GAP {
                columns.retain(|column| column != spare);
            }
        }
        columns
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let all: Vec<usize> = (0..self.columns()).collect();
        self.lines_of(&all, 0)
    }

    /// As many tables as it takes for every line to fit `width`, each beginning with the first
    /// `fixed` columns; a single column that is too wide stands alone, and a row without a cell is left
    /// out.
    pub(super) fn split(&self, fixed: usize, width: usize) -> Vec<Vec<String>> {
        let widths = self.widths();
        let keys: Vec<usize> = (0..fixed.min(widths.len())).collect();
        let start: usize = keys.iter().filter_map(|&column| widths.get(column)).map(|w| w + GAP).sum();
        let mut parts = Vec::new();
        let (mut columns, mut used) = (keys.clone(), start);
        for (column, own) in widths.iter().enumerate().skip(fixed) {
            if used + own > width && columns.len() > keys.len() {
                parts.push(self.lines_of(&columns, fixed));
                (columns, used) = (keys.clone(), start);
            }
            columns.push(column);
            used += own + GAP;
        }
        parts.push(self.lines_of(&columns, fixed));
        parts
    }

    fn columns(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.columns()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }

    /// These columns only; a row that has nothing in them but the first `fixed` ones is left out.
    pub(super) fn lines_of(&self, columns: &[usize], fixed: usize) -> Vec<String> {
        let widths = self.widths();
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            for &column in columns {
                let cell = row.get(column).map_or("", String::as_str);
                let width = widths.get(column).copied().unwrap_or(0);
                let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                if self.right.contains(&column) {
                    line += &blanks;
                    line += cell;
                } else {
                    line += cell;
                    line += &blanks;
                }
                line += &" ".repeat(GAP);
            }
            line.trim_end().to_owned()
        };
        let says = |row: &&Vec<String>| {
            let mut cells = columns.iter().filter(|&&column| column >= fixed).filter_map(|&c| row.get(c));
            cells.any(|cell| !cell.is_empty())
        };
        self.rows.iter().filter(says).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::right([1]);
        table.row(["metric", "n", "note"]);
        table.row(["R@100", "7", "é"]);
        table.row(["AP", "1200"]);
        assert_eq!(table.lines(), ["metric     n  note", "R@100      7  é", "AP      1200"]);
        assert!(Table::default().lines().is_empty());
    }

    #[test]
    fn columns_that_do_not_fit_go_into_the_next_table() {
        let mut table = Table::default();
        table.row(["k", "aaaa", "bbbb", "cccccccccccc", "d"]);
        table.row(["1", "2", "3", "4", "5"]);
        assert_eq!(
            table.split(1, 13),
            [vec!["k  aaaa  bbbb", "1  2     3"], vec!["k  cccccccccccc", "1  4"], vec!["k  d", "1  5"]]
        );
        assert_eq!(table.split(1, 100), [table.lines()]);
        table.row(["2", "", "3"]);
        assert_eq!(
            table.split(1, 8),
            [
                vec!["k  aaaa", "1  2"],
                vec!["k  bbbb", "1  3", "2  3"],
                vec!["k  cccccccccccc", "1  4"],
                vec!["k  d", "1  5"]
            ]
        );
        assert_eq!(Table::default().split(1, 10), [Vec::<String>::new()]);
    }
}
