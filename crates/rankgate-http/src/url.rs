//! Addresses of services, checked as a whole: a client that takes an impossible port for none sends what is
//! meant for one service, secrets included, to another.

use std::net::{Ipv4Addr, Ipv6Addr};

/// An address in its parts, as they are written.
#[derive(Debug, PartialEq)]
pub struct Url<'a> {
    /// `http` or `https`.
    pub scheme: String,
    /// User and password.
    pub user: Option<&'a str>,
    /// The host, and the port where there is one.
    pub host: &'a str,
    /// What follows: path and query.
    pub path: &'a str,
}

/// Takes an address apart.
///
/// # Errors
/// Why it is none, as a sentence that shows no part of it: it may hold secrets.
pub fn parse(url: &str) -> Result<Url<'_>, &'static str> {
    let (scheme, rest) = url.split_once("://").ok_or(SCHEME)?;
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(&*scheme, "http" | "https") {
        return Err(SCHEME);
    }
    if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("a URL has no white space");
    }
    if rest.contains('\\') {
        return Err("a URL has no backslash; where it is part of a value it is written `%5C`");
    }
    if rest.contains('#') {
        return Err("what follows a `#` is never sent; where it is part of a value it is written `%23`");
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let (name, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((address, port)) => {
            address.parse::<Ipv6Addr>().map_err(|_| "what is in `[...]` is no IPv6 address")?;
            ("", port.strip_prefix(':').map(Some).or(port.is_empty().then_some(None)).ok_or(PORT)?)
        }
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        },
    };
    if port.is_some_and(|port| {
        !port.bytes().all(|b| b.is_ascii_digit()) || !matches!(port.parse(), Ok(1..=u16::MAX))
    }) {
        return Err(PORT);
    }
    if !host.starts_with('[') {
        let part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        if name.is_empty() || !name.bytes().all(part) {
            return Err(HOST);
        }
        // What ends in a number is no name, and some resolvers make an address of half of one.
        let last = name.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
        if last.bytes().all(|byte| byte.is_ascii_digit()) && name.parse::<Ipv4Addr>().is_err() {
            return Err(NUMBER);
        }
    }
    Ok(Url { scheme, user, host, path })
}

const SCHEME: &str = "a URL starts with `http://` or `https://`";
const HOST: &str = "its host is neither a name nor an address; one beyond ASCII is written as `xn--...`";
const NUMBER: &str = "its host is no IPv4 address, and no name ends in a number";
const PORT: &str = "its port is not a number from 1 to 65535";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        for (url, scheme, user, host, path) in [
            ("http://host", "http", None, "host", ""),
            (
                "HTTPS://me:a%40b@search_1.example.org.:65535/a@b?c=d",
                "https",
                Some("me:a%40b"),
                "search_1.example.org.:65535",
                "/a@b?c=d",
            ),
            ("http://a@b@127.0.0.1:1?q", "http", Some("a@b"), "127.0.0.1:1", "?q"),
            ("http://[::1]:9200/x", "http", None, "[::1]:9200", "/x"),
            ("http://[2001:db8::1]", "http", None, "[2001:db8::1]", ""),
            ("http://0x7f/", "http", None, "0x7f", "/"),
        ] {
            let scheme = scheme.to_owned();
            assert_eq!(parse(url), Ok(Url { scheme, user, host, path }), "{url}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_reason_that_shows_nothing_of_it() {
        for (url, expected) in [
            ("http://127.0.0.1:99999/", PORT),
            ("http://127.0.0.1:65536/", PORT),
            ("http://host:0/", PORT),
            ("http://host:00", PORT),
            ("http://host:/", PORT),
            ("http://host:+80/", PORT),
            ("http://host:8x/", PORT),
            ("http://host:80:80/", PORT),
            ("http://[::1]:99999/", PORT),
            ("http://[::1]80/", PORT),
            ("http://[::1]:/", PORT),
            // A password with a slash would make the user a host.
            ("http://me:pa/ss@host/", PORT),
            ("ftp://host/", SCHEME),
            ("host:9200", SCHEME),
            ("", SCHEME),
            ("://host", SCHEME),
            ("http:///search", HOST),
            ("http://me@/", HOST),
            ("http://:80/", HOST),
            ("http://münchen/", HOST),
            ("http://a%2eb/", HOST),
            ("http://::1/", PORT),
            ("http://[::g]/", "what is in `[...]` is no IPv6 address"),
            ("http://[::1/", PORT),
            (
                "http://host\\@other/",
                "a URL has no backslash; where it is part of a value it is written `%5C`",
            ),
            ("http://256.0.0.1/", NUMBER),
            ("http://127.1/", NUMBER),
            ("http://host/a b", "a URL has no white space"),
            (" http://host/", SCHEME),
            ("http://host/\n", "a URL has no white space"),
            (
                "http://host/#top",
                "what follows a `#` is never sent; where it is part of a value it is written `%23`",
            ),
        ] {
            assert_eq!(parse(url), Err(expected), "{url}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken_apart_or_refused(url in "(https?://)?.*") {
            if let Ok(Url { user, host, path, .. }) = parse(&url) {
                let user = user.map_or(String::new(), |user| format!("{user}@"));
                let after = format!("://{user}{host}{path}");
                proptest::prop_assert!(url.ends_with(&after));
            }
        }
    }
}
