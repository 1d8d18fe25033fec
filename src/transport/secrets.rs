//! Values that are used but must never be shown.

use std::cmp::Reverse;

use memchr::memmem;
use serde_json::Value;

use crate::error::Excerpt;
use crate::order;

use super::bodies;
use super::decoded::Decoded;

/// The values of environment variables that a spec names, to be hidden in whatever others write:
/// services and programs like to repeat what they were sent, each in its own encoding.
///
/// What is shown instead is the variable as the spec writes it, such as `${TOKEN}`.
#[derive(Clone, Default)]
pub struct Secrets {
    hidden: Vec<Hidden>,
    /// Whether what is excerpted is what a service answered, which is shown to whoever asks for it alone.
    withheld: bool,
}

#[derive(Clone)]
struct Hidden {
    bytes: Vec<u8>,
    /// Whether they are [folded](Decoded::folded), as almost all are.
    folded: bool,
    /// What is shown instead.
    shown: String,
}

/// Shorter values are no secrets, and hiding them would leave a riddle of every message.
const SHORTEST: usize = 4;
/// Characters of an offending text that are shown.
const SHOWN: usize = 200;
/// Bytes of it that are looked at.
const SEEN: usize = 16 << 10;
/// So often what is written is decoded: a URL in a URL in JSON in JSON.
const LEVELS: usize = 4;

impl Secrets {
    /// Hides the value of the variable `name`, and each line of it, in whatever encoding.
    pub fn add(&mut self, name: &str, value: &str) {
        self.add_as(&format!("${{{name}}}"), value);
    }

    /// Hides `value` behind `shown`.
    pub fn add_as(&mut self, shown: &str, value: &str) {
        for part in std::iter::once(value).chain(value.lines()) {
            let mut part = Decoded::new(part.trim());
            // A value that looks encoded is decoded with what holds it.
            for _ in 0..=LEVELS {
                let folded = part.folded();
                // Of a value beyond ASCII little is left, and it is often read as Latin-1.
                let is_folded = folded.bytes.len() >= SHORTEST;
                let misread = || part.bytes.iter().copied().map(char::from).collect::<String>().into_bytes();
                let forms = if is_folded { vec![folded.bytes] } else { vec![part.bytes.clone(), misread()] };
                for bytes in forms {
                    if bytes.len() >= SHORTEST && !self.hidden.iter().any(|hidden| hidden.bytes == bytes) {
                        self.hidden.push(Hidden { bytes, folded: is_folded, shown: shown.to_owned() });
                    }
                }
                let decoded = part.unescaped(false);
                if decoded.bytes == part.bytes {
                    break;
                }
                part = decoded;
            }
        }
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// `text` with every value hidden.
    pub fn hide(&self, text: &str) -> String {
        self.masked(text, false)
    }

    /// The same of a JSON value: of the texts and numbers in it, but for those that `is_known` elsewhere, and of its keys.
    pub fn hide_json(&self, value: Value, is_known: &dyn Fn(&str) -> bool) -> Value {
        let masked = |text: &str| Some(self.hide(text)).filter(|masked| masked != text && !is_known(text));
        match value {
            Value::String(text) => Value::String(masked(&text).unwrap_or(text)),
            Value::Number(number) => match masked(&number.to_string()) {
                Some(masked) => Value::String(masked),
                None => Value::Number(number),
            },
            Value::Array(items) => items.into_iter().map(|item| self.hide_json(item, is_known)).collect(),
            Value::Object(entries) => {
                let entry =
                    |(key, value): (String, Value)| (self.hide(&key), self.hide_json(value, is_known));
                entries.into_iter().map(entry).collect()
            }
            Value::Null | Value::Bool(_) => value,
        }
    }

    /// [`hide`](Self::hide) for a text that was cut off, perhaps within a value.
    pub fn hide_cut(&self, text: &str) -> String {
        self.masked(text, true)
    }

    fn masked(&self, text: &str, cut: bool) -> String {
        let mut found = Vec::new();
        if !self.hidden.is_empty() {
            self.search(Decoded::new(text), LEVELS, true, cut, &mut found);
        }
        order::sort_by_key(&mut found, |&(start, end, _)| (start, Reverse(end)));
        let (mut shown, mut at) = (String::with_capacity(text.len()), 0);
        for (start, end, instead) in found {
            let boundary = |at: &usize| text.is_char_boundary(*at);
            let start = (0..=start.min(text.len())).rev().find(boundary).unwrap_or(0);
            let end = (end.min(text.len())..text.len()).find(boundary).unwrap_or(text.len());
            // What is left of one that overlaps is no more than a part of it.
            if start >= at {
                shown.push_str(&text[at..start]);
                shown.push_str(instead);
            }
            at = at.max(end);
        }
        shown + &text[at..]
    }

    /// Finds values in a text and in what it says when it is decoded so often, and once from base64 or hexadecimal digits.
    fn search<'a>(
        &'a self,
        mut text: Decoded,
        levels: usize,
        base64: bool,
        cut: bool,
        found: &mut Vec<(usize, usize, &'a str)>,
    ) {
        for _ in 0..=levels {
            self.find(&text, cut, found);
            // Where a text begins within a group of digits decides what they are.
            for skipped in (0..4).filter(|_| base64) {
                self.search(text.base64_decoded(skipped), levels / 2, false, cut, found);
            }
            for skipped in (0..2).filter(|_| base64) {
                self.search(text.hex_decoded(skipped), levels / 2, false, cut, found);
            }
            let decoded = text.unescaped(cut);
            if decoded.bytes == text.bytes {
                break;
            }
            text = decoded;
        }
    }

    fn find<'a>(&'a self, text: &Decoded, cut: bool, found: &mut Vec<(usize, usize, &'a str)>) {
        let folded = text.folded();
        for Hidden { bytes, folded: is_folded, shown } in &self.hidden {
            let text = if *is_folded { &folded } else { text };
            let finder = memmem::Finder::new(bytes);
            let mut from = 0;
            // Values may overlap.
            while let Some(at) = finder.find(&text.bytes[from..]) {
                let (start, end) = text.place(from + at, from + at + bytes.len());
                found.push((start, end, shown));
                from += at + 1;
            }
            // One letter gives nothing away.
            let begun = |&length: &usize| text.bytes.ends_with(&bytes[..length]);
            if let Some(length) = (2..bytes.len()).rev().find(begun).filter(|_| cut) {
                let end = text.bytes.len();
                found.push((text.place(end - length, end).0, usize::MAX, ""));
            }
        }
    }

    /// The same of a service: of what it answers no part is shown, unless somebody asks for it.
    #[cfg(feature = "http")]
    pub fn of_service(mut self) -> Self {
        self.withheld = true;
        self
    }

    /// Whether nothing is shown of what was answered.
    pub fn withhold(&self) -> bool {
        self.withheld && !bodies::are_shown()
    }

    /// The beginning of an offending text, quoted, with every value hidden; its length alone where it is withheld.
    pub fn excerpt(&self, text: &str) -> String {
        if self.withhold() {
            return bodies::withheld(text.len(), false);
        }
        let cut = text.char_indices().map(|(at, _)| at).find(|&at| at >= SEEN);
        let shown = cut.map_or_else(|| self.hide(text), |end| self.hide_cut(&text[..end]));
        Excerpt(&shown, SHOWN).to_string()
    }
}

/// Without the values.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.hidden.iter().map(|hidden| &hidden.shown)).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base64::base64;

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
    fn values_are_hidden_wherever_they_stand_in_json() {
        use serde_json::json;
        let secrets = secrets(&[("TOKEN", "s3\"cr/t"), ("PIN", "12345")]);
        let value = json!({"a": ["s3\"cr/t", {"s3\"cr/t": "of s3%22cr%2Ft"}], "pin": 12345, "other": [1, null, true, 0.5]});
        let hidden = json!({"a": ["${TOKEN}", {"${TOKEN}": "of ${TOKEN}"}], "pin": "${PIN}", "other": [1, null, true, 0.5]});
        assert_eq!(secrets.hide_json(value.clone(), &|_| false), hidden);
        let known = secrets.hide_json(value, &|text| text == "12345");
        assert_eq!((&known["pin"], &known["a"]), (&json!(12345), &hidden["a"]));
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

        #[test]
        fn any_text_is_shown_whole_but_for_what_is_hidden(value in any::<String>(), text in any::<String>(), escaped in "[\\\\%&#;uUx0-9a-f{}\"'A-C+ é]{0,40}") {
            let secrets = secrets(&[("X", &value)]);
            for text in [text, escaped] {
                secrets.hide_cut(&text);
                let shown = secrets.hide(&text);
                let kept = shown == text || shown.contains("${X}");
                prop_assert!(kept);
            }
        }
    }

    /// Every byte of a value is written, or what is no letter or digit, as a format says.
    fn written(value: &str, all: bool, one: impl Fn(char) -> String) -> String {
        let plain = |c: &char| !all && c.is_ascii_alphanumeric();
        value.chars().map(|c| if plain(&c) { c.to_string() } else { one(c) }).collect()
    }

    #[test]
    fn a_value_is_hidden_in_whatever_encoding_it_is_written() {
        let value = "k+Yw1\"a&b'c~/<d\\ é\u{1f600}=%";
        let secrets = secrets(&[("TOKEN", value)]);
        let hex = |between: &str, upper: bool| {
            let digits: Vec<String> = value.bytes().map(|byte| format!("{byte:02x}")).collect();
            if upper { digits.join(between).to_uppercase() } else { digits.join(between) }
        };
        let units = |c: char| c.encode_utf16(&mut [0; 2]).to_vec();
        let percent = |c: char| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        let json = serde_json::to_string(value).unwrap();
        let encoded = base64(format!("{}:{value}, and so on", "user".repeat(12)).as_bytes());
        let wrap = |end: &str| {
            encoded
                .as_bytes()
                .chunks(20)
                .map(|line| String::from_utf8(line.to_vec()).unwrap() + end)
                .collect::<String>()
        };
        let all = [
            ("as it is", value.to_owned()),
            ("JSON", json.clone()),
            ("JSON in JSON", serde_json::to_string(&json).unwrap()),
            (
                ".NET",
                written(value, false, |c| units(c).iter().map(|unit| format!("\\u{unit:04X}")).collect()),
            ),
            ("Go", json.replace('&', "\\u0026").replace('<', "\\u003c")),
            ("PHP", json.replace('/', "\\/")),
            ("Python", format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))),
            (
                "Python, bytes",
                written(value, false, |c| {
                    c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect()
                }),
            ),
            ("Rust", format!("{value:?}")),
            ("Rust, ASCII", value.escape_default().to_string()),
            (
                "C",
                written(value, false, |c| {
                    c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect()
                }),
            ),
            (
                "HTML",
                value
                    .replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('"', "&quot;")
                    .replace('\'', "&#039;"),
            ),
            ("HTML, numbers", written(value, false, |c| format!("&#{};", u32::from(c)))),
            ("HTML, hexadecimal", written(value, false, |c| format!("&#x{:x};", u32::from(c)))),
            (
                "HTML in HTML",
                value.replace('&', "&amp;amp;").replace('<', "&amp;lt;").replace('\'', "&amp;#x27;"),
            ),
            (
                "HTML, names",
                value
                    .replace('&', "&amp;")
                    .replace('+', "&plus;")
                    .replace('/', "&sol;")
                    .replace('=', "&equals;"),
            ),
            ("URL", written(value, false, percent)),
            ("URL, every byte", written(value, true, percent)),
            ("URL, lower case", written(value, false, |c| percent(c).to_lowercase())),
            ("form", written(value, false, |c| if c == ' ' { "+".into() } else { percent(c) })),
            ("URL in URL", written(value, false, percent).replace('%', "%25")),
            (
                "URL in URL in JSON",
                serde_json::to_string(&written(value, false, percent).replace('%', "%25")).unwrap(),
            ),
            (
                "JavaScript's escape",
                written(value, false, |c| units(c).iter().map(|unit| format!("%u{unit:04X}")).collect()),
            ),
            ("shell", format!("'{}'", value.replace('\'', "'\\''"))),
            ("shlex", format!("'{}'", value.replace('\'', "'\"'\"'"))),
            ("CSV", value.replace('"', "\"\"")),
            ("Latin-1 for UTF-8", value.bytes().map(char::from).collect()),
            ("bytes that are not UTF-8", value.replace(|c: char| !c.is_ascii(), "\u{fffd}")),
            ("base64", encoded.clone()),
            ("base64 for URLs", encoded.replace('+', "-").replace('/', "_")),
            ("base64 on lines", wrap("\n")),
            ("base64 on lines, in JSON", serde_json::to_string(&wrap("\r\n")).unwrap()),
            ("base64 in a URL", wrap("").replace('+', "%2B").replace('/', "%2F").replace('=', "%3D")),
            ("hexadecimal digits", hex("", false)),
            ("hexadecimal digits, upper case, colons between", hex(":", true)),
            ("JSON in base64", base64(format!("{{\"key\":{json}}}").as_bytes())),
        ];
        for (encoding, text) in &all {
            for text in [format!("x {text} y"), format!("key={text}&"), format!("[{text}]")] {
                let shown = secrets.hide(&text);
                assert!(shown.contains("${TOKEN}"), "{encoding}: {text}: {shown}");
                assert!(!shown.contains("Yw1") && !shown.contains("WXcx"), "{encoding}: {text}: {shown}");
                // Whatever is left of it when it is cut off is less than would be of use.
                for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
                    let shown = secrets.hide_cut(&text[..end]);
                    assert!(
                        !shown.contains("k+Yw") && !shown.contains("Yw1"),
                        "{encoding}: {}: {shown}",
                        &text[..end]
                    );
                }
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_value_is_shown() {
        let secrets = secrets(&[("TOKEN", "abcd-1234"), ("SHORT", "abc"), ("WIDE", "東京")]);
        for text in
            ["abcd-123", "abcd_1234", "abc", "a\u{e9}b", "\\u0061bc", "東", "YWJjZA==", "%61%62%63%64"]
        {
            assert_eq!(secrets.hide(text), text);
        }
        assert_eq!(secrets.hide("in 東京都, \\u6771\\u4eac"), "in ${WIDE}都, ${WIDE}");
        assert_eq!(secrets.hide(r"\u00e6\u009d\u00b1\u00e4\u00ba\u00ac"), "${WIDE}");
        assert_eq!(secrets.hide("abcd-1234abcd-12345"), "${TOKEN}${TOKEN}5");
    }

    #[test]
    fn texts_made_to_take_long_are_searched_to_their_end() {
        let secrets = secrets(&[("A", "aaaaaaaaaaaaaaaa"), ("TOKEN", "s3\"cr/t?ü>"), ("P", "%25%25%25%25")]);
        let size = if cfg!(debug_assertions) { 1 << 13 } else { 1 << 20 };
        for piece in [
            "\\",
            "%25",
            "&amp;",
            "&",
            "%",
            "\\u00",
            "a",
            "aaaab",
            "\"",
            "'",
            "é",
            "s3\\\"cr",
            "YWFh",
            " \n",
            "\\\\u005c",
        ] {
            let text = piece.repeat(size / piece.len()) + " s3%22cr/t%3f%C3%BC>";
            assert!(secrets.hide(&text).ends_with("${TOKEN}"), "{piece}");
            secrets.hide_cut(&text);
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
