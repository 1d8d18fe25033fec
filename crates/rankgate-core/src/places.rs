//! Finds ids in a list that somebody else holds: a hash table of their places, a word for each.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;

/// Where ids are in a list of fewer than 2^32.
#[derive(Default)]
pub(crate) struct Places {
    /// With a new key for each table, so that no file can be made of ids that collide.
    keys: RandomState,
    /// Upper half of an id's hash and its place + 1, 0 where the slot is free; a power of two of them, at most half full.
    slots: Vec<u64>,
}

const PLACE: u64 = u32::MAX as u64;

impl Places {
    /// Forgets all, and makes room for so many.
    pub(crate) fn clear(&mut self, count: usize) {
        self.slots.clear();
        self.slots.resize((2 * count).next_power_of_two(), 0);
    }

    /// Where an id is in the list, whose ids `at` tells.
    #[inline]
    pub(crate) fn find<'a>(&self, id: &[u8], at: impl Fn(usize) -> &'a [u8]) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        self.slot(self.mark(id), id, at).ok()
    }

    /// Adds the id at `place`, the next one in the list.
    ///
    /// # Errors
    /// Where the id has been added before: its place.
    #[inline]
    pub(crate) fn add<'a>(
        &mut self,
        id: &[u8],
        place: usize,
        at: impl Fn(usize) -> &'a [u8],
    ) -> Result<(), usize> {
        if 2 * (place + 1) > self.slots.len() {
            self.grow();
        }
        let mark = self.mark(id);
        match self.slot(mark, id, at) {
            Ok(earlier) => Err(earlier),
            Err(free) => {
                self.slots[free] = mark | (place as u64 + 1);
                Ok(())
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let before = std::mem::take(&mut self.slots);
        self.slots.resize((2 * before.len()).max(8), 0);
        for taken in before.into_iter().filter(|slot| *slot != 0) {
            let mut slot = self.first(taken);
            while self.slots[slot] != 0 {
                slot = self.next(slot);
            }
            self.slots[slot] = taken;
        }
    }

    #[inline]
    fn mark(&self, id: &[u8]) -> u64 {
        let mut hasher = self.keys.build_hasher();
        hasher.write(id);
        hasher.finish() & !PLACE
    }

    /// The slot in which a mark is looked for first.
    #[inline]
    fn first(&self, mark: u64) -> usize {
        (mark >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn next(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    /// The place of an id, or the free slot for it.
    #[inline]
    fn slot<'a>(&self, mark: u64, id: &[u8], at: impl Fn(usize) -> &'a [u8]) -> Result<usize, usize> {
        let mut slot = self.first(mark);
        while self.slots[slot] != 0 {
            let place = (self.slots[slot] & PLACE) as usize - 1;
            if self.slots[slot] & !PLACE == mark && at(place) == id {
                return Ok(place);
            }
            slot = self.next(slot);
        }
        Err(slot)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_those_of_a_map(ids in prop::collection::vec("[a-c]{0,4}", 0..200), room in prop::option::of(0..200_usize)) {
            let (mut places, mut map, mut list) = (Places::default(), HashMap::new(), Vec::new());
            if let Some(room) = room {
                places.clear(room);
            }
            for id in &ids {
                prop_assert_eq!(places.find(id.as_bytes(), |place| list[place]), map.get(id.as_bytes()).copied());
                match places.add(id.as_bytes(), list.len(), |place| list[place]) {
                    Err(earlier) => prop_assert_eq!(map.get(id.as_bytes()), Some(&earlier)),
                    Ok(()) => {
                        prop_assert_eq!(map.insert(id.as_bytes(), list.len()), None);
                        list.push(id.as_bytes());
                    }
                }
            }
            for (place, id) in list.iter().enumerate() {
                prop_assert_eq!(places.find(id, |place| list[place]), Some(place));
            }
            prop_assert_eq!(places.find(b"d", |place| list[place]), None);
        }
    }
}
