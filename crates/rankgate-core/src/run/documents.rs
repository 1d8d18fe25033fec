//! The documents of rankings, held in little more memory than their ids take.

use std::ops::Range;

/// Ids in rank order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Documents {
    /// One after the other.
    ids: Box<str>,
    /// The length of each: as many times 255 as it holds, and the rest.
    lengths: Box<[u8]>,
}

impl<'a> FromIterator<&'a str> for Documents {
    fn from_iter<I: IntoIterator<Item = &'a str>>(documents: I) -> Self {
        let (mut ids, mut lengths) = (String::new(), Vec::new());
        for id in documents {
            ids.push_str(id);
            lengths.resize(lengths.len() + id.len() / 255, 255);
            lengths.push((id.len() % 255) as u8);
        }
        Self { ids: ids.into(), lengths: lengths.into() }
    }
}

impl Documents {
    /// The ids, in rank order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        Ids { ids: &self.ids, lengths: &self.lengths }.iter()
    }
}

/// The documents of many rankings in one piece. When it is dropped, the system has it back as a whole: of
/// thousands of pieces an allocator keeps the most, in holes between others.
#[derive(Debug, Default)]
pub struct Shelf {
    ids: String,
    lengths: Vec<u8>,
}

/// Where on a shelf the documents of a ranking stand.
#[derive(Debug, Default)]
pub struct Place {
    ids: Range<usize>,
    lengths: Range<usize>,
}

impl Shelf {
    /// Keeps these.
    pub fn put(&mut self, documents: &Documents) -> Place {
        let (ids, lengths) = (self.ids.len(), self.lengths.len());
        self.ids.push_str(&documents.ids);
        self.lengths.extend_from_slice(&documents.lengths);
        Place { ids: ids..self.ids.len(), lengths: lengths..self.lengths.len() }
    }

    /// What stands at a place of this shelf.
    pub fn at(&self, place: &Place) -> Ids<'_> {
        Ids { ids: &self.ids[place.ids.clone()], lengths: &self.lengths[place.lengths.clone()] }
    }
}

/// Ids in rank order, held elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Ids<'a> {
    ids: &'a str,
    lengths: &'a [u8],
}

impl<'a> Ids<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.lengths.iter().filter(|length| **length < 255).count()
    }

    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        let mut rest = self.ids;
        self.lengths.split_inclusive(|length| *length < 255).map(move |lengths| {
            let (id, after) = rest.split_at(lengths.iter().map(|length| usize::from(*length)).sum());
            rest = after;
            id
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_length_come_back_in_order() {
        let mut shelf = Shelf::default();
        for lengths in [&[][..], &[1], &[3, 254, 255, 256, 1, 510, 511, 2]] {
            let ids: Vec<String> =
                (b'a'..).zip(lengths).map(|(c, &n)| char::from(c).to_string().repeat(n)).collect();
            let documents: Documents = ids.iter().map(String::as_str).collect();
            assert!(documents.iter().eq(&ids), "{lengths:?}");
            let place = shelf.put(&documents);
            assert!(shelf.at(&place).iter().eq(&ids), "{lengths:?}");
            assert_eq!(shelf.at(&place).len(), ids.len());
        }
        assert!(["é", "", "日本"].into_iter().collect::<Documents>().iter().eq(["é", "", "日本"]));
    }
}
