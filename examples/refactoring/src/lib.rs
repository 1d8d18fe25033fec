//! A search that is being refactored: the code that runs today and the one that is to replace it. This crate
//! knows nothing of rankgate.
//!
//! Pages are ranked by how many different words they share with the query, which is a small whole number: most
//! pages of a ranking are tied with others.

use std::collections::HashSet;

mod after;
mod before;

pub use after::Index;
pub use before::Scan;

/// A page's id and text.
pub type Page = (String, String);

/// A page's id, and how many words it shares with the query.
pub type Found<'a> = (&'a str, u32);

fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}
