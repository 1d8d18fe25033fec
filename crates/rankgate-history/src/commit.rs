//! Commits, and what they are called.

use std::ops::RangeInclusive;

use crate::json::record;

/// Characters of a fingerprint or of a commit's id.
const ID: usize = 12;

/// A commit of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// When it was made, in seconds since 1970; shown, and never an order.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// The name of its author, where it is known.
    pub author: String,
    /// Names of the releases made of it.
    pub releases: Vec<String>,
}

record! {
    /// A commit as it is named.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CommitName {
        /// Its id.
        pub commit: String,
        /// When it was made, in seconds since 1970.
        pub time: i64,
        /// The first line of its message.
        pub subject: String,
        /// The name of its author, where it is known.
        pub author?: String,
    }
}

impl Commit {
    /// The times that a commit can have: those of the calendar, from the year 1 to the end of 9999. Anybody may give a commit
    /// any number.
    pub const TIMES: RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

    pub(crate) fn to_name(&self) -> CommitName {
        let (subject, author) = (self.subject.clone(), self.author.clone());
        CommitName { commit: self.id.clone(), time: self.time, subject, author }
    }
}

/// As much of a fingerprint or a commit's id as something is known by.
pub(crate) fn short_id(id: &str) -> String {
    id.chars().take(ID).collect()
}
