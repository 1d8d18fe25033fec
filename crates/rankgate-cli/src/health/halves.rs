//! Halves of a set of queries, by a keyed hash of their names: the same for every system, score and machine.

use hmac_sha256::HMAC;

/// The positions of names in the order of their hashes under a key.
pub(crate) fn by_hash<'a>(key: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
    let hash = |(at, name): (usize, &'a str)| (HMAC::mac(name, key), name, at);
    let mut hashed: Vec<_> = names.into_iter().enumerate().map(hash).collect();
    hashed.sort_unstable();
    hashed.into_iter().map(|(.., at)| at).collect()
}
