//! Pages by their words.

use std::collections::{BTreeSet, HashMap};

use rust_stemmers::{Algorithm, Stemmer};

/// How soon more of the same word stops to count.
const K1: f32 = 1.2;
/// How much longer pages are discounted.
const B: f32 = 0.75;

/// An index of stemmed words, searched by BM25.
pub struct Words {
    stemmer: Stemmer,
    ids: Vec<String>,
    /// Of each page, in words.
    lengths: Vec<f32>,
    mean_length: f32,
    /// The pages with a word, and how often they have it.
    pages_with: HashMap<String, Vec<(usize, f32)>>,
}

impl Words {
    /// Indexes pages, given by id and text.
    pub fn build(pages: &[(String, String)]) -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut pages_with: HashMap<String, Vec<(usize, f32)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (number, (_, text)) in pages.iter().enumerate() {
            let mut length = 0.0;
            for word in words(&stemmer, text) {
                length += 1.0;
                let with = pages_with.entry(word).or_default();
                match with.last_mut() {
                    Some((last, times)) if *last == number => *times += 1.0,
                    _ => with.push((number, 1.0)),
                }
            }
            lengths.push(length);
        }
        let mean_length = lengths.iter().sum::<f32>() / lengths.len() as f32;
        let ids = pages.iter().map(|(id, _)| id.clone()).collect();
        Self { stemmer, ids, lengths, mean_length, pages_with }
    }

    /// The ids and scores of the best `limit` pages that have a word of the query; equal ones by id.
    pub fn find(&self, query: &str, limit: usize) -> Vec<(&str, f32)> {
        // Sums in floating point depend on their order: words are sorted, and each counts once.
        let asked: BTreeSet<String> = words(&self.stemmer, query).collect();
        let mut scores: HashMap<usize, f32> = HashMap::new();
        for with in asked.iter().filter_map(|word| self.pages_with.get(word)) {
            let (all, found) = (self.ids.len() as f32, with.len() as f32);
            let rarity = (1.0 + (all - found + 0.5) / (found + 0.5)).ln();
            for &(page, times) in with {
                let length = self.lengths[page] / self.mean_length;
                let often = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length));
                *scores.entry(page).or_default() += rarity * often;
            }
        }
        let mut found: Vec<(&str, f32)> =
            scores.into_iter().map(|(page, score)| (self.ids[page].as_str(), score)).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        found.truncate(limit);
        found
    }
}

fn words(stemmer: &Stemmer, text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| stemmer.stem(&word.to_lowercase()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_count_more_and_forms_of_a_word_are_one() {
        let pages = [("a", "Lost parcels"), ("b", "A parcel, a parcel"), ("c", "The refund of a parcel")];
        let words = Words::build(&pages.map(|(id, text)| (id.to_owned(), text.to_owned())));
        let ids = |query, limit| words.find(query, limit).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids("lost parcels", 2), ["a", "b"]);
        assert_eq!(ids("refunded parcels", 9), ["c", "b", "a"]);
        assert_eq!(ids("passkey", 9), [""; 0]);
        // By hand: 3 pages, 1 has it; it is 5 words long where the mean is 11/3.
        let by_hand = (1.0 + 2.5 / 1.5_f32).ln() * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 15.0 / 11.0));
        assert!((words.find("refund", 1)[0].1 - by_hand).abs() < 1e-6);
    }
}
