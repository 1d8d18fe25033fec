//! Which keys stand beside which.

use super::Keyboard;

/// The rows of letters from the top, each half a key further to the right than the one above; what stands in
/// the row of digits begins at the column given.
struct Layout {
    digits: (&'static str, usize),
    rows: [&'static str; 3],
}

const US: Layout = Layout { digits: ("", 0), rows: ["qwertyuiop", "asdfghjkl", "zxcvbnm"] };
const DE: Layout =
    Layout { digits: ("\u{df}", 10), rows: ["qwertzuiop\u{fc}", "asdfghjkl\u{f6}\u{e4}", "yxcvbnm"] };

/// The letters on the keys that touch that of a letter in lower case, left to right and top to bottom; none
/// where the keyboard does not have it.
pub(super) fn neighbours(letter: char, keyboard: Keyboard) -> Vec<char> {
    let layout = match keyboard {
        Keyboard::Us => US,
        Keyboard::De => DE,
    };
    let blank = " ".repeat(layout.digits.1) + layout.digits.0;
    let rows: Vec<Vec<char>> =
        std::iter::once(blank.as_str()).chain(layout.rows).map(|row| row.chars().collect()).collect();
    let Some((row, column)) = rows
        .iter()
        .enumerate()
        .find_map(|(index, row)| Some((index, row.iter().position(|key| *key == letter && letter != ' ')?)))
    else {
        return Vec::new();
    };
    let key = |row: Option<usize>, column: Option<usize>| rows.get(row?)?.get(column?).copied();
    let (above, below) = (row.checked_sub(1), Some(row + 1));
    let (left, right) = (column.checked_sub(1), Some(column + 1));
    let touching = [
        key(above, Some(column)),
        key(above, right),
        key(Some(row), left),
        key(Some(row), right),
        key(below, left),
        key(below, Some(column)),
    ];
    touching.into_iter().flatten().filter(|key| *key != ' ').collect()
}
