//! Halves of a set of names, by a keyed hash: the same for every run, metric and machine.

use std::collections::{BTreeMap, BTreeSet};

use hmac_sha256::HMAC;

/// The half that chooses, which is the larger one of an odd number of names; the others confirm.
pub(super) fn choosing<'a>(key: &str, names: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let by_hash: BTreeMap<_, &str> =
        names.into_iter().map(|name| ((HMAC::mac(name, key), name), name)).collect();
    let half = by_hash.len().div_ceil(2);
    by_hash.into_values().take(half).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_depend_on_names_and_the_key_alone() {
        let names: Vec<String> = (0..51).map(|at| format!("q{at}")).collect();
        let of = |key: &str| choosing(key, names.iter().map(String::as_str));
        assert_eq!(of("a"), choosing("a", names.iter().rev().chain(&names).map(String::as_str)));
        assert_ne!(of("a"), of("b"));
        assert_eq!(of("a").len(), 26);
    }
}
