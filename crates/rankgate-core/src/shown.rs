//! Which characters of a text from data may be shown as they are.

/// Whether a character would move a terminal's cursor, reorder a line or hide in it.
///
/// Joiners do not: Persian and Hindi words, and many emoji, need them.
pub fn is_unfit(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        )
}

/// A text as a value in an address or as a piece of its path: all but letters, digits and `-._~` in hexadecimal digits (RFC
/// 3986).
pub fn in_address(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// JSON of the same value, with everything that would not stay in its place written as an escape:
/// outside of its strings, JSON has nothing of the kind but ends of lines.
pub fn in_json(json: String) -> String {
    let stays = |c| c == '\n' || !is_unfit(c);
    // A report may be so long that it is better not held twice.
    if json.chars().all(stays) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if stays(c) {
            escaped.push(c);
        } else {
            // Each of them is one unit of UTF-16.
            escaped += &format!("\\u{:04x}", u32::from(c));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_take_letters_and_digits_as_they_are() {
        assert_eq!(in_address("a b/c?d=é&-._~"), "a%20b%2Fc%3Fd%3D%C3%A9%26-._~"); // RFC 3986, section 2
    }

    #[test]
    fn json_holds_the_same_with_nothing_that_moves_the_cursor() {
        let text = "a\u{7f}\u{9b}31m\u{202e}\n\u{200c}\u{1f600}";
        let json = in_json(serde_json::Value::from(text).to_string());
        assert!(!json.chars().any(is_unfit), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
