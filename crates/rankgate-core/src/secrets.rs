//! Values that are used but must never be shown.

use crate::error::Excerpt;
use crate::shown::in_address;
use crate::words::counted;

/// The values of environment variables that a spec names, hidden in whatever services and programs write.
///
/// Hidden are the value, each line of it, and both as URLs have them. What is shown instead is the variable as the spec
/// writes it, such as `${TOKEN}`. Other encodings are not searched for: no body of an answer is shown unless somebody
/// asks for it.
#[derive(Clone, Default)]
pub struct Secrets {
    /// Values and what is shown instead, longest first.
    hidden: Vec<(String, String)>,
    /// What shows the answers of a service to somebody who asks for them; `None` where they are shown.
    withheld: Option<&'static str>,
}

/// Shorter values are no secrets, and hiding them would leave a riddle of every message.
const SHORTEST: usize = 4;
/// Characters of an offending text that are shown.
const SHOWN: usize = 200;
/// Bytes of it that are looked at.
const SEEN: usize = 16 << 10;

impl Secrets {
    /// Hides the value of the variable `name`, and each line of it.
    pub fn add(&mut self, name: &str, value: &str) {
        self.add_as(&format!("${{{name}}}"), value);
    }

    /// Hides `value` behind `shown`.
    pub fn add_as(&mut self, shown: &str, value: &str) {
        for part in std::iter::once(value).chain(value.lines()).map(str::trim) {
            let encoded = in_address(part);
            for form in [part.to_owned(), in_lower_case(&encoded), encoded] {
                if form.len() >= SHORTEST && !self.hidden.iter().any(|(hidden, _)| *hidden == form) {
                    self.hidden.push((form, shown.to_owned()));
                }
            }
        }
        self.hidden.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
    }

    /// `text` with every value hidden.
    pub fn hide(&self, text: &str) -> String {
        let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(next) = rest.chars().next() {
            let (piece, instead) = (self.hidden.iter())
                .find(|(form, _)| rest.starts_with(form.as_str()))
                .map_or((next.len_utf8(), None), |(form, instead)| (form.len(), Some(instead)));
            shown.push_str(instead.map_or(&rest[..piece], String::as_str));
            rest = &rest[piece..];
        }
        shown
    }

    /// [`hide`](Self::hide) for a text that was cut off: the beginning of a value at its end is left out as well.
    pub fn hide_cut(&self, text: &str) -> String {
        let begun = |form: &str| {
            let lengths = (2..form.len()).rev().filter(|&length| form.is_char_boundary(length));
            lengths.into_iter().find(|&length| text.ends_with(&form[..length]))
        };
        let cut = self.hidden.iter().filter_map(|(form, _)| begun(form)).max().unwrap_or(0);
        self.hide(&text[..text.len() - cut])
    }

    /// Shows no part of what a service answers, but what would show it.
    pub fn withhold_answers(&mut self, shown_by: &'static str) {
        self.withheld = Some(shown_by);
    }

    /// Instead of an answer that is withheld: so many bytes, or more, and what shows them.
    pub fn withheld(&self, bytes: usize, more: bool) -> Option<String> {
        let beyond = if more { "more than " } else { "" };
        Some(format!("{beyond}{} that {} shows", counted(bytes, "byte", "bytes"), self.withheld?))
    }

    /// Whether nothing is shown of what was answered.
    pub fn withhold(&self) -> bool {
        self.withheld.is_some()
    }

    /// The beginning of an offending text, quoted, with every value hidden; its length alone where it is withheld.
    pub fn excerpt(&self, text: &str) -> String {
        if let Some(instead) = self.withheld(text.len(), false) {
            return instead;
        }
        let cut = text.char_indices().map(|(at, _)| at).find(|&at| at >= SEEN);
        let shown = cut.map_or_else(|| self.hide(text), |end| self.hide_cut(&text[..end]));
        Excerpt(&shown, SHOWN).to_string()
    }
}

/// A text for an address with its hexadecimal digits in lower case, as some programs write them.
fn in_lower_case(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let (digits, rest) = part.split_at(2);
        all + "%" + &digits.to_lowercase() + rest
    })
}

/// Without the values.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.hidden.iter().map(|(_, shown)| shown)).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secrets(values: &[(&str, &str)]) -> Secrets {
        let mut secrets = Secrets::default();
        for (name, value) in values {
            secrets.add(name, value);
        }
        secrets
    }

    #[test]
    fn values_are_hidden_as_they_are_and_as_urls_have_them() {
        let secrets = secrets(&[("TOKEN", "s3\"cr/t"), ("LONG", "s3\"cr/t-and-more"), ("ON", "1")]);
        for (text, expected) in [
            ("", ""),
            ("nothing to hide: 1", "nothing to hide: 1"),
            ("Bearer s3\"cr/t!", "Bearer ${TOKEN}!"),
            ("s3\"cr/t-and-more", "${LONG}"),
            ("/x?key=s3%22cr%2Ft&a=b", "/x?key=${TOKEN}&a=b"),
            ("/x?key=s3%22cr%2ft", "/x?key=${TOKEN}"),
            ("é s3\"cr/ é", "é s3\"cr/ é"),
        ] {
            assert_eq!(secrets.hide(text), expected);
        }
        assert_eq!(format!("{secrets:?}").matches("cr").count(), 0);
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(
            value in "[a-c\"/é]{4,8}",
            pieces in proptest::collection::vec("[a-c\"/é]{0,5}", 0..6),
        ) {
            // The name has no letter of the value.
            let secrets = secrets(&[("X", &value)]);
            let text = pieces.join(&value);
            prop_assert!(!secrets.hide(&text).contains(&value));
            prop_assert!(!secrets.hide_cut(&text).contains(&value));
        }
    }

    #[test]
    fn lines_of_a_value_are_hidden_too() {
        let secrets = secrets(&[("KEY", "-----BEGIN-----\nabcdef\n")]);
        assert_eq!(secrets.hide("read abcdef"), "read ${KEY}");
    }

    #[test]
    fn no_part_of_a_value_is_left_by_cutting() {
        let secrets = secrets(&[("TOKEN", "abcdefgh")]);
        assert_eq!(secrets.hide_cut("token abcdefgh, abcde"), "token ${TOKEN}, ");
        assert_eq!(secrets.hide_cut("nothing"), "nothing");
        for padding in 150..250 {
            let text = "x".repeat(padding) + "abcdefgh and so on";
            assert!(!secrets.excerpt(&text).contains("ab"), "{padding}");
        }
    }
}
