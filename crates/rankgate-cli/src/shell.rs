//! Words of a command to type.

use std::path::Path;

use rankgate::report::plain;

/// A word as a shell takes it; `None` where a terminal could not show it as it is.
pub(crate) fn quoted(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        Some(word.to_owned())
    } else if word.contains('\n') || plain(word) != word {
        None
    } else {
        Some(format!("'{}'", word.replace('\'', "'\\''")))
    }
}

/// A path in a command that a message shows; any path is quoted right.
pub(crate) fn quoted_path(path: &Path) -> String {
    let word = path.display().to_string();
    quoted(&word).unwrap_or_else(|| plain(&word).replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_word_of_the_shell() {
        for (word, expected) in [
            ("runs/a.run", Some("runs/a.run")),
            ("grün", Some("grün")),
            ("", Some("''")),
            ("a b", Some("'a b'")),
            ("it's", Some("'it'\\''s'")),
            ("$(rm)", Some("'$(rm)'")),
            ("a\u{1b}[2J", None),
            ("a\u{202e}b", None),
            ("a\nb", None),
        ] {
            assert_eq!(quoted(word).as_deref(), expected, "{word:?}");
        }
    }
}
