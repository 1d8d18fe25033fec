//! Values that are used but must never be shown.

use crate::base64::base64;
use crate::error::Excerpt;

/// The values of environment variables that a spec names, to be hidden in whatever others write:
/// services and programs like to repeat what they were sent.
///
/// What is shown instead is the variable as the spec writes it, such as `${TOKEN}`.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    /// What is hidden, and what is shown instead; the longest first.
    hidden: Vec<(String, String)>,
}

/// Shorter values are no secrets, and hiding them would leave a riddle of every message.
const SHORTEST: usize = 4;
/// Characters of an offending text that are shown.
const SHOWN: usize = 200;
/// Bytes of it that are looked at.
const SEEN: usize = 16 << 10;

impl Secrets {
    /// Hides the value of the variable `name`, also where it is written as part of JSON, of a URL or of
    /// HTML, or within anything in base64; and each line of it.
    pub(crate) fn add(&mut self, name: &str, value: &str) {
        self.add_as(&format!("${{{name}}}"), value);
    }

    /// Hides `value` behind `shown`.
    pub(crate) fn add_as(&mut self, shown: &str, value: &str) {
        for part in std::iter::once(value).chain(value.lines()) {
            let part = part.trim();
            let base64 = if part.len() >= SHORTEST { in_base64(part) } else { Vec::new() };
            for form in written(part).into_iter().chain(base64) {
                if form.len() >= SHORTEST && !self.hidden.iter().any(|(known, _)| *known == form) {
                    self.hidden.push((form, shown.to_owned()));
                }
            }
        }
        self.hidden.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    }

    /// `text` with every value hidden.
    pub(crate) fn hide(&self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some((value, instead)) = self.hidden.iter().find(|(value, _)| rest.starts_with(value)) {
                shown.push_str(instead);
                rest = &rest[value.len()..];
            } else {
                shown.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        shown
    }

    /// [`hide`](Self::hide) for a text that was cut off, perhaps within a value.
    pub(crate) fn hide_cut(&self, text: &str) -> String {
        let mut end = text.len();
        for (value, _) in &self.hidden {
            let begun = value.char_indices().map(|(at, _)| at).rev();
            if let Some(length) = begun.into_iter().find(|&at| at > 0 && text.ends_with(&value[..at])) {
                end = end.min(text.len() - length);
            }
        }
        self.hide(&text[..end])
    }

    /// The beginning of an offending text, quoted, with every value hidden.
    pub(crate) fn excerpt(&self, text: &str) -> String {
        let cut = text.char_indices().map(|(at, _)| at).find(|&at| at >= SEEN);
        let shown = cut.map_or_else(|| self.hide(text), |end| self.hide_cut(&text[..end]));
        Excerpt(&shown, SHOWN).to_string()
    }
}

/// Without the values.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.hidden.iter().map(|(_, shown)| shown)).finish()
    }
}

/// How others write a text: as it is, as part of JSON, of HTML, of a URL.
fn written(text: &str) -> Vec<String> {
    let json = in_json(text);
    let mut forms = Vec::new();
    // Services repeat the JSON that they were sent as a text in JSON of their own.
    for form in [text.to_owned(), in_html(text), json.replace('/', r"\/"), in_ascii(&json), json] {
        let within = in_json(&form);
        forms.extend([within.replace('/', r"\/"), in_ascii(&within), within, form]);
    }
    for kept in KEPT {
        let percent = percent_encoded(text, kept);
        forms.extend([percent.replace("%20", "+"), lower_digits(&percent), percent]);
    }
    forms
}

/// Characters that are no letters or digits and that encoders for URLs leave as they are: those of RFC 3986,
/// of Python's `quote`, of JavaScript's `encodeURIComponent` and `encodeURI`.
const KEPT: [&[u8]; 4] = [b"-._~", b"-._~/", b"-._~!'()*", b"-._~!'()*;/?:@&=+$,#"];

/// What is sure to stand in the base64 of anything that holds a text, in the standard's both alphabets: where
/// a text begins within a group of three bytes decides how it is written.
fn in_base64(text: &str) -> Vec<String> {
    let after = |before: usize| {
        let encoded = base64(&[&[0; 2][..before], text.as_bytes()].concat());
        let (start, end) = ((8 * before).div_ceil(6), 8 * (before + text.len()) / 6);
        encoded.get(start..end).map(|sure| [sure.to_owned(), sure.replace('+', "-").replace('/', "_")])
    };
    (0..3).filter_map(after).flatten().collect()
}

fn in_html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// JSON in ASCII alone, as Python writes it.
fn in_ascii(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                ascii += &format!("\\u{unit:04x}");
            }
        }
    }
    ascii
}

/// `%2f` for `%2F`.
fn lower_digits(percent: &str) -> String {
    let mut pieces = percent.split('%');
    let mut lower = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_at(2.min(piece.len()));
        lower += &format!("%{}{rest}", digits.to_ascii_lowercase());
    }
    lower
}

fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn percent_encoded(text: &str, kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
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
    fn values_are_hidden_in_every_form() {
        let secrets = secrets(&[("TOKEN", "s3\"cr/t"), ("LONG", "s3\"cr/t-and-more"), ("ON", "1")]);
        for (text, expected) in [
            ("", ""),
            ("nothing to hide: 1", "nothing to hide: 1"),
            ("Bearer s3\"cr/t!", "Bearer ${TOKEN}!"),
            ("s3\"cr/t-and-more", "${LONG}"),
            (r#"{"got":"s3\"cr/t"}"#, r#"{"got":"${TOKEN}"}"#),
            ("/x?key=s3%22cr%2Ft&a=b", "/x?key=${TOKEN}&a=b"),
            ("é s3\"cr/ é", "é s3\"cr/ é"),
            (r#"{"got":"s3\"cr\/t"}"#, r#"{"got":"${TOKEN}"}"#),
            (r#"{"got":"{\"key\":\"s3\\\"cr/t\"}"}"#, r#"{"got":"{\"key\":\"${TOKEN}\"}"}"#),
            ("/x?key=s3%22cr%2ft&key=s3%22cr/t", "/x?key=${TOKEN}&key=${TOKEN}"),
            ("<p>s3&quot;cr/t</p>", "<p>${TOKEN}</p>"),
        ] {
            assert_eq!(secrets.hide(text), expected);
        }
        assert_eq!(format!("{secrets:?}").matches("cr").count(), 0);
    }

    #[test]
    fn values_in_base64_are_hidden_wherever_they_begin() {
        let secrets = secrets(&[("TOKEN", "s3\"cr/t?ü>")]);
        let python = secrets.hide("{\"got\": \"s3\\\"cr/t?\\u00fc>\"}");
        assert_eq!(python, "{\"got\": \"${TOKEN}\"}");
        for before in ["", "u", "u:", "me:", "me::"] {
            for after in ["", "x", "xy", "xyz"] {
                let encoded = base64(format!("{before}s3\"cr/t?ü>{after}").as_bytes());
                for text in [encoded.replace('+', "-").replace('/', "_"), encoded] {
                    let shown = secrets.hide(&text);
                    let left = shown.replace("${TOKEN}", "");
                    assert!(shown.contains("${TOKEN}") && left.len() <= 12, "{text}: {shown}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(
            value in "[a-c\"/é\n]{4,8}",
            pieces in proptest::collection::vec("[a-c\"/é]{0,5}", 0..6),
        ) {
            // The name has no letter of the value.
            let secrets = secrets(&[("X", &value)]);
            let text = pieces.join(&value);
            if value.trim().len() >= SHORTEST && value.trim() == value {
                prop_assert!(!secrets.hide(&text).contains(&value));
                prop_assert!(!secrets.hide_cut(&text).contains(&value));
            }
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
        for padding in 150..250 {
            let text = "x".repeat(padding) + "abcdefgh and so on";
            assert!(!secrets.excerpt(&text).contains("ab"), "{padding}");
        }
        let text = "abcdefgh".repeat(3000);
        assert!(!secrets.excerpt(&text[3..]).contains("ab"));
    }

    #[test]
    fn the_beginning_of_a_value_at_a_cut_is_left_out() {
        let secrets = secrets(&[("TOKEN", "abcdefgh")]);
        assert_eq!(secrets.hide_cut("token abcdefgh, abcde"), "token ${TOKEN}, ");
        assert_eq!(secrets.hide_cut("nothing"), "nothing");
    }
}
