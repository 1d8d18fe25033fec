//! User and password in a URL.

use crate::base64::base64;

/// Takes `user:password@` out of a URL, as the value of an `Authorization` header: a request that
/// just left them out would be somebody else's.
pub(super) fn split(url: &str) -> (String, Option<String>) {
    let Some((scheme, rest)) = url.split_once("://") else { return (url.to_owned(), None) };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        None => (url.to_owned(), None),
        Some((user, host)) => {
            let header = format!("Basic {}", base64(&percent_decoded(user)));
            (format!("{scheme}://{host}{path}"), Some(header))
        }
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
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

    proptest::proptest! {
        #[test]
        fn any_text_is_split(url in proptest::prelude::any::<String>(), user in "[%:a-zé0-9]{0,9}") {
            split(&url);
            let (rest, header) = split(&format!("http://{user}@host/{url}"));
            proptest::prop_assert_eq!(rest, format!("http://host/{url}"));
            proptest::prop_assert!(header.is_some());
        }
    }

    #[test]
    fn user_and_password_become_a_header() {
        for (url, rest, header) in [
            ("http://host:1/a@b?c=d@e", "http://host:1/a@b?c=d@e", None),
            // RFC 7617, section 2.
            (
                "https://Aladdin:open%20sesame@host/x",
                "https://host/x",
                Some("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ),
            ("http://a:%@%c3@host?q", "http://host?q", Some("Basic YTolQMM=")),
            ("no url", "no url", None),
        ] {
            assert_eq!(split(url), (rest.to_owned(), header.map(str::to_owned)), "{url}");
        }
    }
}
