//! JSON objects that lose no key, and errors in JSON that know their line.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use memchr::memchr_iter;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::Quoted;
use crate::input::{Line, excerpt};
use crate::{Error, Result};

/// The entries of a JSON object in the order of the file. A key that occurs twice is an error,
/// where a map would keep the last one without a word.
#[derive(Debug)]
pub struct Entries<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<V> {
    type Value = Entries<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry::<String, V>()? {
            entries.push(entry);
        }
        match repeated(&entries) {
            Some(key) => Err(A::Error::custom(format_args!("{} occurs twice", Quoted(key)))),
            None => Ok(Entries(entries)),
        }
    }
}

fn repeated<V>(entries: &[(String, V)]) -> Option<&str> {
    let mut seen = HashSet::with_capacity(entries.len());
    entries.iter().map(|(key, _)| key.as_str()).find(|key| !seen.insert(*key))
}

/// A JSON text, whole or a line of a file, whose errors name their line.
#[derive(Clone, Copy)]
pub struct Json<'a> {
    path: &'a Path,
    text: &'a str,
    first_line: u64,
    /// None where the text is one line.
    line_index: Option<&'a LineIndex>,
}

/// Where the lines of a text end: a file may have a million records.
pub struct LineIndex(Vec<usize>);

impl LineIndex {
    pub fn from_text(text: &str) -> Self {
        Self(memchr_iter(b'\n', text.as_bytes()).collect())
    }
}

impl<'a> Json<'a> {
    pub fn document(path: &'a Path, text: &'a str, line_index: &'a LineIndex) -> Self {
        Self { path, text, first_line: 1, line_index: Some(line_index) }
    }

    pub fn of_line(line: Line<'a>) -> Self {
        Self { path: line.path, text: line.text, first_line: line.number, line_index: None }
    }

    /// Parses a part of the text; `context` begins the message of an error.
    pub fn parse<T: Deserialize<'a>>(&self, part: &'a str, context: &str) -> Result<T> {
        // Values and lines are never empty; a whole file may be.
        if self.line_index.is_some() && part.trim_ascii().is_empty() {
            return Err(Error::in_file(self.path, "the file is empty"));
        }
        serde_json::from_str(part).map_err(|error| {
            let line_inside = error.line().max(1);
            let message = error.to_string();
            let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
            let shown = part.lines().nth(line_inside - 1).unwrap_or_default();
            // Of a long line the part around the error is shown.
            let start = if error.column() > 80 { error.column() - 60 } else { 0 };
            let start = (start..shown.len()).find(|at| shown.is_char_boundary(*at)).unwrap_or_default();
            let line = self.line(part) + line_inside as u64 - 1;
            Error::at_line(self.path, line, excerpt(&shown[start..]), format!("{context}{message}"))
        })
    }

    /// Parses the whole text as one object with a value for each query; `shape` says what one of this kind looks
    /// like.
    pub fn by_query(&self, shape: &str) -> Result<Vec<(String, &'a str)>> {
        let whole = self.text.trim_ascii();
        if whole.is_empty() {
            return Err(Error::in_file(self.path, format!("the file is empty; {shape}")));
        }
        if !whole.starts_with('{') {
            return Err(self.error(whole, format!("this is no JSON object; {shape}")));
        }
        let Entries(entries) = self.parse::<Entries<&RawValue>>(self.text, "").map_err(|error| {
            let several = ["}\n{", "}\r\n{"].iter().any(|between| whole.contains(between));
            let message = || format!("these are several JSON objects, and not one; {shape}");
            if several { self.error(whole, message()) } else { error }
        })?;
        let checked = entries.into_iter().map(|(query, value)| match value.get() {
            value if query.is_empty() => Err(self.error(value, "a query has an empty id")),
            value => Ok((query, value)),
        });
        checked.collect()
    }

    /// The line of the file on which a part of the text begins.
    pub fn line(&self, part: &str) -> u64 {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let offset = offset.min(self.text.len());
        self.first_line
            + self.line_index.map_or(0, |index| index.0.partition_point(|end| *end < offset) as u64)
    }

    /// An error about a part of the text, which it quotes.
    pub fn error(&self, part: &str, message: impl Into<String>) -> Error {
        Error::at_line(self.path, self.line(part), excerpt(part), message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn parse(text: &str) -> Result<Vec<(String, i32)>> {
        let index = LineIndex::from_text(text);
        let Entries(entries) = Json::document(Path::new("a.json"), text, &index).parse(text, "")?;
        Ok(entries)
    }

    #[test]
    fn entries_keep_the_order_of_the_file_and_no_key_is_lost() {
        assert_eq!(parse(r#"{"b": 1, "a": 2}"#).unwrap(), [("b".to_owned(), 1), ("a".to_owned(), 2)]);
        let error = parse("{\"b\": 1,\n\"b\": 1}").unwrap_err();
        assert_eq!(error.to_string(), "a.json:2: `b` occurs twice: `\"b\": 1}`");
    }

    #[test]
    fn an_error_names_the_line_of_the_file_and_shows_the_place() {
        let cases = [
            ("{", "a.json:1: EOF while parsing an object: `{`"),
            ("\n[]", "a.json:2: invalid type: sequence, expected an object: `[]`"),
            ("{\"a\":\n null}", "a.json:2: invalid type: null, expected i32: ` null}`"),
        ];
        for (text, message) in cases {
            assert_eq!(parse(text).unwrap_err().to_string(), message);
        }
        let message = parse(&format!("{{\"a\": {}x}}", " ".repeat(500))).unwrap_err().to_string();
        assert!(message.ends_with("x}`"), "{message}");
    }

    #[test]
    fn a_part_of_a_text_knows_its_line() {
        let text = "{\n\"a\": {},\n\n\"b\": [\n1]}";
        let index = LineIndex::from_text(text);
        let json = Json::document(Path::new("a.json"), text, &index);
        let Entries(parts) = json.parse::<Entries<&RawValue>>(text, "").unwrap();
        let lines: Vec<_> = parts.iter().map(|(_, part)| json.line(part.get())).collect();
        assert_eq!(lines, [2, 4]);
        let error = json.parse::<Entries<i32>>(parts[1].1.get(), "query `b`: ").unwrap_err();
        assert_eq!(error.to_string(), "a.json:4: query `b`: invalid type: sequence, expected an object: `[`");
    }

    #[test]
    fn lines_are_counted_to_any_place() {
        for length in [0, 1, 7, 100] {
            let text: String = (0..length).map(|at| if at % 3 == 0 { '\n' } else { 'x' }).collect();
            let index = LineIndex::from_text(&text);
            let json = Json::document(Path::new("a.json"), &text, &index);
            for offset in 0..=length {
                let counted = 1 + text[..offset].matches('\n').count() as u64;
                assert_eq!(json.line(&text[offset..]), counted, "{offset} of {length}");
            }
        }
    }
}
