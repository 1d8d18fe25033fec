//! A YAML document as a tree in which everything knows its place.

use std::sync::Arc;

use super::source::Span;

/// A value and where it stands. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Node {
    pub span: Span,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub enum Value {
    Scalar(Scalar),
    List(Arc<[Node]>),
    Map(Arc<[Entry]>),
    /// It could not be read, which has been reported: it causes no further error.
    Broken,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: Key,
    pub value: Node,
}

/// A key: always text, as it is written. `no`, `01` and `1.10` are keys like any other.
#[derive(Clone, Debug)]
pub struct Key {
    pub span: Span,
    pub text: Arc<str>,
}

/// A scalar as it is written, so that the reader chooses its type: an id `01` stays `01`.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub text: Arc<str>,
    pub kind: Kind,
}

/// What the notation of a scalar says of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Without quotes: by the look of it.
    Plain,
    /// In quotes or a block: text, of any look.
    Text,
}

/// A scalar's value where no particular type is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Typed<'a> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'a str),
}

impl Node {
    /// Nothing, at a place.
    pub(super) fn null(span: Span) -> Self {
        Self { span, value: Value::Scalar(Scalar { text: "".into(), kind: Kind::Plain }) }
    }

    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// What it is, for messages: `a list`, or the scalar itself.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Scalar(scalar) if scalar.is_null() => "nothing".to_owned(),
            Value::Scalar(scalar) => crate::error::Quoted(&scalar.text).to_string(),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
            Value::Broken => "something unreadable".to_owned(),
        }
    }

    /// The same as JSON.
    ///
    /// A number that would be printed otherwise than it is written (`1.10`, `1e3`, `0x1F`) becomes
    /// text, so that what looks like a version or an id stays what it is.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Broken => Json::Null,
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => {
                let mut map = serde_json::Map::new();
                map.extend(entries.iter().map(|entry| (entry.key.text.to_string(), entry.value.to_json())));
                map.into()
            }
            Value::Scalar(scalar) => {
                let value = match scalar.typed() {
                    Typed::Null => return Json::Null,
                    Typed::Bool(value) => return Json::Bool(value),
                    Typed::Unsigned(value) => Json::from(value),
                    Typed::Signed(value) => Json::from(value),
                    Typed::Float(value) => Json::from(value),
                    Typed::Text(text) => Json::from(text),
                };
                let printed = value.to_string();
                if value.is_string() || printed == *scalar.text { value } else { Json::from(&*scalar.text) }
            }
        }
    }
}

impl Scalar {
    pub fn is_null(&self) -> bool {
        self.kind == Kind::Plain && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }

    /// The value by YAML 1.2's core schema, except that a number with leading zeros is text: it is
    /// an id or an octal number of YAML 1.1, and its form does not say which.
    pub fn typed(&self) -> Typed<'_> {
        let text = &*self.text;
        let found = match self.kind {
            Kind::Text => None,
            Kind::Plain if self.is_null() => Some(Typed::Null),
            Kind::Plain => self
                .bool()
                .map(Typed::Bool)
                .or_else(|| integer(text))
                .or_else(|| float(text).map(Typed::Float)),
        };
        found.unwrap_or(Typed::Text(text))
    }

    pub fn bool(&self) -> Option<bool> {
        match &*self.text {
            _ if self.kind == Kind::Text => None,
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    /// The whole number it is.
    pub fn integer(&self) -> Option<u64> {
        match self.typed() {
            Typed::Unsigned(number) => Some(number),
            _ => None,
        }
    }

    /// The number it is, integers included.
    pub fn float(&self) -> Option<f64> {
        match self.typed() {
            Typed::Unsigned(value) => Some(value as f64),
            Typed::Signed(value) => Some(value as f64),
            Typed::Float(value) => Some(value),
            _ => None,
        }
    }
}

fn integer(text: &str) -> Option<Typed<'static>> {
    let based = |digits: &str, base| {
        let ok = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
        ok.then(|| u64::from_str_radix(digits, base).ok()).flatten().map(Typed::Unsigned)
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if leading_zero(digits) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match text.parse().ok() {
        Some(value) => Some(Typed::Unsigned(value)),
        None => text.parse().ok().map(Typed::Signed),
    }
}

fn float(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (-1.0, &text[1..]),
        Some(b'+') => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if text == unsigned => return Some(f64::NAN),
        _ => {}
    }
    // Rust's parser also takes `inf`, `nan` and `infinity`, which are words here.
    let numeric = unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let digit = unsigned.bytes().any(|byte| byte.is_ascii_digit());
    if !numeric || !digit || leading_zero(unsigned) { None } else { text.parse().ok() }
}

fn leading_zero(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str, kind: Kind) -> Scalar {
        Scalar { text: text.into(), kind }
    }

    #[test]
    fn plain_scalars_follow_the_core_schema_of_yaml_1_2() {
        // YAML 1.2.2, section 10.3.2, but for leading zeros.
        let cases = [
            ("", Typed::Null),
            ("~", Typed::Null),
            ("NULL", Typed::Null),
            ("nUll", Typed::Text("nUll")),
            ("True", Typed::Bool(true)),
            ("no", Typed::Text("no")),
            ("0", Typed::Unsigned(0)),
            ("+12", Typed::Unsigned(12)),
            ("-19", Typed::Signed(-19)),
            ("0o7", Typed::Unsigned(7)),
            ("0x3A", Typed::Unsigned(58)),
            ("0x-1", Typed::Text("0x-1")),
            ("01", Typed::Text("01")),
            ("-01", Typed::Text("-01")),
            ("1_000", Typed::Text("1_000")),
            ("0.", Typed::Float(0.0)),
            ("-0.0", Typed::Float(-0.0)),
            (".5", Typed::Float(0.5)),
            ("+12e03", Typed::Float(12000.0)),
            ("-2E+05", Typed::Float(-200_000.0)),
            ("-.Inf", Typed::Float(f64::NEG_INFINITY)),
            ("inf", Typed::Text("inf")),
            ("nan", Typed::Text("nan")),
            ("e", Typed::Text("e")),
            ("-", Typed::Text("-")),
            (".", Typed::Text(".")),
            ("1e", Typed::Text("1e")),
            ("18446744073709551615", Typed::Unsigned(u64::MAX)),
            ("18446744073709551616", Typed::Float(18_446_744_073_709_551_616.0)),
        ];
        for (text, expected) in cases {
            assert_eq!(scalar(text, Kind::Plain).typed(), expected, "{text}");
        }
        assert!(matches!(scalar(".NaN", Kind::Plain).typed(), Typed::Float(value) if value.is_nan()));
    }

    #[test]
    fn quotes_decide() {
        assert_eq!(scalar("1", Kind::Text).typed(), Typed::Text("1"));
        assert_eq!(scalar("", Kind::Text).typed(), Typed::Text(""));
    }

    #[test]
    fn json_keeps_what_is_written() {
        use serde_json::json;
        for (text, expected) in [
            ("1", json!(1)),
            ("-1.5", json!(-1.5)),
            ("true", json!(true)),
            ("null", json!(null)),
            ("1.10", json!("1.10")),
            ("1e3", json!("1e3")),
            ("01", json!("01")),
            ("0x1F", json!("0x1F")),
            (".nan", json!(".nan")),
            ("no", json!("no")),
        ] {
            let value = Value::Scalar(scalar(text, Kind::Plain));
            assert_eq!(Node { span: Span::default(), value }.to_json(), expected, "{text}");
        }
    }
}
