//! A map of few entries.
//!
//! The standard library's tree is compiled for every pair of types that it maps, six thousand instructions each. Of the
//! configurations, retrievers and gates of a spec there are some tens: a sorted list finds them as fast.

use std::borrow::Borrow;
use std::ops::Index;

/// A map whose entries lie in the order of their keys, one after another: an insertion moves all that follow.
#[derive(Clone, Debug)]
pub struct SmallMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> SmallMap<K, V> {
    /// A map of these entries; of equal keys the last holds.
    pub fn new(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut map = Self::default();
        map.extend(entries);
        map
    }

    /// The value that the key had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// The value of a key, which is made where there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, make()));
                place
            }
        };
        &mut self.0[place].1
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &self.0[place].1)
    }

    /// The same, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &mut self.0[place].1)
    }

    /// Takes a key out; the value that it had.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| self.0.remove(place).1)
    }

    /// Where the key is, or would be.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        let (mut from, mut to) = (0, self.0.len());
        while from < to {
            let middle = from.midpoint(to);
            match self.0[middle].0.borrow().cmp(key) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Equal => return Ok(middle),
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        Err(from)
    }
}

impl<K, V> SmallMap<K, V> {
    /// The entries, by key.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// The values, by key.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values, by key, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for SmallMap<K, V> {
    type Output = V;

    /// # Panics
    /// A key that is not there.
    fn index(&self, key: &Q) -> &V {
        match self.place(key) {
            Ok(place) => &self.0[place].1,
            Err(_) => panic!("there is no such key"),
        }
    }
}

impl<K: Ord, V> Extend<(K, V)> for SmallMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K, V> IntoIterator for SmallMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_holds_what_a_tree_holds(steps in proptest::collection::vec((0_u8..12, any::<Option<u16>>()), 0..60)) {
            let (mut small, mut tree) = (SmallMap::default(), BTreeMap::new());
            for (key, value) in steps {
                match value {
                    Some(value) => prop_assert_eq!(small.insert(key, value), tree.insert(key, value)),
                    None => prop_assert_eq!(small.remove(&key), tree.remove(&key)),
                }
                prop_assert_eq!(small.get(&key), tree.get(&key));
                prop_assert_eq!(small.get_mut(&key), tree.get_mut(&key));
            }
            *small.get_or_insert_with(5, || 7) += 1;
            *tree.entry(5).or_insert(7) += 1;
            prop_assert_eq!(small.keys().collect::<Vec<_>>(), tree.keys().collect::<Vec<_>>());
            prop_assert!(!small.is_empty());
            prop_assert_eq!(small[&5], tree[&5]);
            prop_assert_eq!(small.values().collect::<Vec<_>>(), tree.values().collect::<Vec<_>>());
            small.values_mut().for_each(|value| *value /= 2);
            tree.values_mut().for_each(|value| *value /= 2);
            prop_assert_eq!(small.iter().cloned().collect::<Vec<_>>(), tree.clone().into_iter().collect::<Vec<_>>());
            prop_assert_eq!(SmallMap::new(tree.clone()).into_iter().collect::<Vec<_>>(), tree.into_iter().collect::<Vec<_>>());
        }
    }
}
