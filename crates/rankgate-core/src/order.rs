//! Sorting by a closure, with one sorting routine for everything, and maps that are made without sorting.
//!
//! The standard library's is compiled for every type and closure it is used with, and is large. Where little is
//! sorted that is paid by everyone who builds this crate, and won by nobody.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::Result;

/// Sorts; what compares equal stays in its order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    arrange(items, order);
}

/// Sorts by a key; items with equal keys stay in their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// A map of these entries, of equal keys the last, as `collect` makes it, which sorts first.
pub fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(entries);
    map
}

/// The same of entries that may fail.
///
/// # Errors
///
/// That of the first that does.
pub fn try_map<K: Ord, V>(entries: impl IntoIterator<Item = Result<(K, V)>>) -> Result<BTreeMap<K, V>> {
    let mut map = BTreeMap::new();
    for entry in entries {
        let (key, value) = entry?;
        map.insert(key, value);
    }
    Ok(map)
}

/// By place: which item belongs there.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

/// Puts every item into its place, along the cycles of the permutation.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for start in 0..items.len() {
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            items.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_library_does(numbers in proptest::collection::vec((0_u8..6, any::<u16>()), 0..40)) {
            let mut expected = numbers.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut sorted = numbers;
            sort_by_key(&mut sorted, |(key, _)| *key);
            prop_assert_eq!(sorted, expected);
        }
    }
}
