//! What a browser may do with the page, as a content security policy.

use sha2::{Digest, Sha256};

/// Runs this script and applies this style sheet, known by their hashes, and nothing else: a script
/// that slipped in from data would not run. Nothing is loaded and nothing is sent.
pub(super) fn policy(style: &str, script: &str) -> String {
    let [style, script] = [style, script].map(|code| base64(&Sha256::digest(code.as_bytes())));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    )
}

/// The alphabet of RFC 4648, section 4.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for sextet in 0..4_usize {
            let value = (bits >> (18 - 6 * sextet) & 63) as usize;
            text.push(if sextet <= three.len() { char::from(ALPHABET[value]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
    }

    #[test]
    fn a_policy_names_code_by_its_hash() {
        // From the specification's own example: alert('Hello, world.');
        let policy = policy("", "alert('Hello, world.');");
        assert!(policy.contains("'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"), "{policy}");
    }
}
