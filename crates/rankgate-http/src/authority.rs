//! User and password of a URL.

use crate::base64::base64;

/// `user:password` of a URL as the value of an `Authorization` header: a request that just left them out
/// would be somebody else's.
pub(super) fn basic(user: &str) -> String {
    format!("Basic {}", base64(&percent_decoded(user)))
}

/// The bytes that a part of a URL stands for.
pub(super) fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) if byte == b'%' => {
                decoded.push(value);
                at += 3;
            }
            _ => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_password_become_a_header() {
        for (user, header) in [
            // RFC 7617, section 2.
            ("Aladdin:open%20sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("a:%@%c3", "Basic YTolQMM="),
            ("é%", "Basic w6kl"),
        ] {
            assert_eq!(basic(user), header, "{user}");
        }
    }
}
