//! Rows of runs and judgments, drawn by a fixed rule.

use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Clone, Debug)]
pub(crate) struct Retrieved {
    pub(crate) query: String,
    pub(crate) document: String,
    /// `None` is a null.
    pub(crate) score: Option<f64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) query: String,
    pub(crate) document: String,
    pub(crate) grade: i32,
}

/// Well mixed bits (SplitMix64, Steele et al. 2014).
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Queries from 1 on, of which two in thirty are not answered; one score in two ties with others.
pub(crate) fn run(queries: usize, depth: usize) -> Vec<Retrieved> {
    let mut rows = Vec::new();
    for query in (1..=queries).filter(|query| query % 30 != 7) {
        for place in 0..depth {
            let bits = mixed((query * depth + place) as u64);
            let score = match bits % 2 {
                0 => (bits >> 8) as f64 / 1e15,
                _ => ((bits >> 8) % 20) as f64,
            };
            let document = (place * 7 + query).to_string();
            rows.push(Retrieved { query: query.to_string(), document, score: Some(score) });
        }
    }
    rows
}

/// Some judgments of all queries but every twelfth, of documents that were retrieved and others.
pub(crate) fn judgments(queries: usize, depth: usize) -> Vec<Judged> {
    let mut rows = Vec::new();
    for query in (1..=queries).filter(|query| query % 12 != 5) {
        for place in (0..depth + 20).step_by(9) {
            let grade = (mixed((query * 1000 + place) as u64) % 4) as i32;
            let document = (place * 7 + query).to_string();
            rows.push(Judged { query: query.to_string(), document, grade });
        }
    }
    rows
}

/// The same rows in another order, always the same one.
pub(crate) fn shuffled<T: Clone>(rows: &[T]) -> Vec<T> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&index| mixed(index as u64));
    order.into_iter().map(|index| rows[index].clone()).collect()
}

pub(crate) fn retrieved(rows: &[(&str, &str, f64)]) -> Vec<Retrieved> {
    let row = |&(query, document, score): &(&str, &str, f64)| Retrieved {
        query: query.into(),
        document: document.into(),
        score: Some(score),
    };
    rows.iter().map(row).collect()
}

pub(crate) fn judged(rows: &[(&str, &str, i32)]) -> Vec<Judged> {
    let row = |&(query, document, grade): &(&str, &str, i32)| Judged {
        query: query.into(),
        document: document.into(),
        grade,
    };
    rows.iter().map(row).collect()
}

/// In the format of TREC.
pub(crate) fn text_of(rows: &[Retrieved]) -> String {
    rows.iter().fold(String::new(), |mut text, row| {
        writeln!(text, "{} Q0 {} 0 {} t", row.query, row.document, row.score.unwrap()).unwrap();
        text
    })
}

pub(crate) fn json_of(rows: &[Retrieved]) -> String {
    let mut all: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for row in rows {
        all.entry(&row.query).or_default().insert(&row.document, row.score.unwrap());
    }
    serde_json::to_string(&all).unwrap()
}

pub(crate) fn qrels_of(rows: &[Judged]) -> String {
    rows.iter().fold(String::new(), |mut text, row| {
        writeln!(text, "{} 0 {} {}", row.query, row.document, row.grade).unwrap();
        text
    })
}
