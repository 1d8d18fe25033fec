//! The documents of a ranking, held in little more memory than their ids take.

/// Ids in rank order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Documents {
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
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lengths.iter().filter(|length| **length < 255).count()
    }

    /// The ids, in rank order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let mut rest = &*self.ids;
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
        for lengths in [&[][..], &[1], &[3, 254, 255, 256, 1, 510, 511, 2]] {
            let ids: Vec<String> =
                (b'a'..).zip(lengths).map(|(c, &n)| char::from(c).to_string().repeat(n)).collect();
            let documents: Documents = ids.iter().map(String::as_str).collect();
            assert!(documents.iter().eq(&ids), "{lengths:?}");
            assert_eq!(documents.len(), ids.len());
        }
        assert!(["é", "", "日本"].into_iter().collect::<Documents>().iter().eq(["é", "", "日本"]));
    }
}
