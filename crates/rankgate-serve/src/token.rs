//! Tokens: who may read, and who may write.

use std::fmt::Write;

/// The caller of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The name that the token was created with.
    pub(crate) name: String,
    pub(crate) can_write: bool,
}

/// A new token, which is printed once and kept only as a hash.
pub(crate) fn new_token() -> Result<String, String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system has no random numbers: {error}"))?;
    Ok(format!("rg_{}", hex(&bytes)))
}

/// What the database keeps of a token. A token has 256 random bits, so that a hash without salt is enough.
pub(crate) fn hash(token: &str) -> String {
    hex(&hmac_sha256::Hash::hash(token.as_bytes()))
}

/// A random id.
pub(crate) fn new_id() -> Result<String, String> {
    new_token().map(|token| token[3..19].to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The token in an `Authorization` header: `Bearer TOKEN`, or the password of `Basic`, as browsers send it.
pub(crate) fn from_header(header: &str) -> Option<String> {
    let (scheme, rest) = header.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(base64(rest.trim())?).ok()?;
    text.split_once(':').map(|(_, password)| password.to_owned())
}

fn base64(text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for one in text.trim_end_matches('=').bytes() {
        let value = ALPHABET.iter().position(|known| *known == one)?;
        held = (held << 6) | u32::try_from(value).ok()?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
            held &= (1 << bits) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_as_bearer_or_as_a_browsers_password() {
        assert_eq!(from_header("Bearer rg_1"), Some("rg_1".into()));
        // printf 'any:rg_12' | base64
        assert_eq!(from_header("Basic YW55OnJnXzEy"), Some("rg_12".into()));
        assert_eq!(from_header("Basic !!!"), None);
        assert_eq!(from_header("Digest x"), None);
    }

    #[test]
    fn tokens_are_random_and_their_hash_is_sha_256() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert!(one != other && one.len() == 67);
        // printf abc | sha256sum
        assert_eq!(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
