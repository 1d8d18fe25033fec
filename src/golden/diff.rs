//! The difference of two texts, as a failure message shows it.

use similar::{ChangeTag, TextDiff};

/// Lines of the difference, with three unchanged lines around each change; `-` is what was
/// blessed, `+` what came out now. Empty when the texts are the same.
pub(super) fn diff(old: &str, new: &str) -> String {
    let mut text = String::new();
    let lines = TextDiff::from_lines(old, new);
    for (index, group) in lines.grouped_ops(3).iter().enumerate() {
        if index > 0 {
            text += "  ...\n";
        }
        for change in group.iter().flat_map(|op| lines.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            text.push(sign);
            text.push(' ');
            text += change.value().trim_end_matches('\n');
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_stand_among_their_neighbours() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12";
        let new = "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ntwelve";
        assert_eq!(diff(old, new), "- 1\n+ one\n  2\n  3\n  4\n  ...\n  9\n  10\n  11\n- 12\n+ twelve\n");
        assert_eq!(diff(old, old), "");
    }
}
