//! Sorting by a closure, with one sorting routine for everything, and maps that are made without sorting.
//!
//! The standard library's is compiled for every type and closure it is used with, and is large. Where little is
//! sorted that is paid by everyone who builds this crate, and won by nobody.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Sorts; what compares equal stays in its order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    arrange(items, order);
}

/// Sorts in their own order; what compares equal stays in its order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
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

/// Numbers from 0 in the order of the items, equal ones alike: of each its number, and how many numbers there are.
pub fn numbers<T: Ord>(items: &[T]) -> (Vec<usize>, usize) {
    let compare = |a: usize, b: usize| items[a].cmp(&items[b]);
    let order = order(items.len(), &compare);
    let (mut numbers, mut next) = (vec![0; items.len()], 0);
    for (place, item) in order.iter().enumerate() {
        next += usize::from(place == 0 || compare(order[place - 1], *item).is_ne());
        numbers[*item] = next - 1;
    }
    (numbers, next)
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

    #[test]
    fn equal_items_have_one_number() {
        assert_eq!(numbers(&["b", "a", "b", "c", "a"]), (vec![1, 0, 1, 2, 0], 3));
        assert_eq!(numbers::<u8>(&[]), (Vec::new(), 0));
    }

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
