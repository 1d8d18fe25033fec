//! A line of a run about one query.

/// One document, its id being a part of some text.
pub(super) struct Entry {
    pub(super) score: f64,
    pub(super) rank: i64,
    pub(super) line: u64,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Entry {
    pub(super) fn id<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }

    pub(super) fn id_bytes<'a>(&self, text: &'a str) -> &'a [u8] {
        &text.as_bytes()[self.start as usize..self.end as usize]
    }
}

/// A rank where scores say the order: of what is no whole number nothing is known.
pub(super) fn known_rank(rank: &str) -> i64 {
    rank.parse().unwrap_or_default()
}
