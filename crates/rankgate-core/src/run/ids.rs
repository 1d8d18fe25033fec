//! Ids in columns: white space and `%` are percent-encoded, so that any id fits into a run file.

use std::borrow::Cow;

use crate::error::Quoted;
use crate::shown::is_unfit;
use crate::{Error, Result};

/// Writes an id so that it is one column of a run file: white space, control characters, marks that
/// reorder a line or hide in it and `%` as `%` and two hexadecimal digits for each byte, and so is the first
/// character of an id that begins with `#` or `{"`, which at the beginning of a line or a file would
/// be taken for a comment or for JSON.
///
/// ```
/// use rankgate::run::{decode_id, encode_id};
///
/// assert_eq!(encode_id("50% off\tnow"), "50%25%20off%09now");
/// assert_eq!(decode_id("50%25%20off%09now").unwrap(), "50% off\tnow");
/// ```
pub fn encode_id(id: &str) -> Cow<'_, str> {
    let begins_something_else = id.starts_with('#') || is_misread_at_the_beginning(id);
    if !begins_something_else && !id.contains(needs_encoding) {
        return Cow::Borrowed(id);
    }
    let mut encoded = String::with_capacity(id.len() + 8);
    for (at, c) in id.char_indices() {
        if needs_encoding(c) || (at == 0 && begins_something_else) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                encoded += &format!("%{byte:02X}");
            }
        } else {
            encoded.push(c);
        }
    }
    Cow::Owned(encoded)
}

/// Reads an id that [`encode_id`] wrote.
///
/// # Errors
///
/// A `%` that two hexadecimal digits do not follow, or bytes that are not UTF-8.
pub fn decode_id(encoded: &str) -> Result<Cow<'_, str>> {
    if !encoded.contains('%') {
        return Ok(Cow::Borrowed(encoded));
    }
    let broken = || Error::invalid(format!("{} is not a percent-encoded id", Quoted(encoded)));
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
            let (Some(high), Some(low)) = (digit(), digit()) else { return Err(broken()) };
            bytes.extend(u8::try_from(high * 16 + low));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| broken())
}

/// Whether a file that begins with this id is taken for something other than a run.
pub(super) fn is_misread_at_the_beginning(id: &str) -> bool {
    id == "#" || id.starts_with("{\"") || id.starts_with('\u{feff}')
}

fn needs_encoding(c: char) -> bool {
    c == '%' || c.is_whitespace() || is_unfit(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_without_white_space_stay_as_they_are() {
        for id in ["d1", "a#b", "a/b?c=d", "straße", "{x}"] {
            assert!(matches!(encode_id(id), Cow::Borrowed(same) if same == id));
        }
    }

    #[test]
    fn what_would_begin_something_else_is_encoded() {
        let cases = [("#", "%23"), ("{\"a\":1}", "%7B\"a\":1}"), ("\u{feff}q", "%EF%BB%BFq"), ("##", "%23#")];
        for (id, expected) in cases {
            assert_eq!(encode_id(id), expected);
            assert_eq!(decode_id(expected).unwrap(), id);
        }
    }

    #[test]
    fn what_is_not_encoded_correctly_is_an_error() {
        for text in ["%", "a%2", "%zz", "%+1", "%ff", "100%"] {
            let message = decode_id(text).unwrap_err().to_string();
            assert_eq!(message, format!("`{text}` is not a percent-encoded id"));
        }
    }

    proptest! {
        #[test]
        fn any_id_comes_back_and_is_one_column(id in any::<String>()) {
            let encoded = encode_id(&id);
            prop_assert!(!encoded.contains(|c: char| c.is_whitespace() || c.is_control()));
            prop_assert_eq!(decode_id(&encoded).unwrap(), id.as_str());
        }
    }
}
