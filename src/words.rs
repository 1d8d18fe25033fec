//! Numbers in sentences.

/// `1 query`, `2 queries`: a number and what is counted.
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The one word after a single thing, the other after several: `has`, `have`.
pub(crate) fn agree<'a>(number: usize, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        for (number, expected) in [(0, "0 queries have"), (1, "1 query has"), (2, "2 queries have")] {
            let said = format!("{} {}", counted(number, "query", "queries"), agree(number, "has", "have"));
            assert_eq!(said, expected);
        }
    }
}
