//! Any file is truth of some queries or an error; what is truth has each neighbour once, nearest first.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use rankgate::Query;
use rankgate_core::internal::neighbours::Neighbours;
use rankgate_fuzz::file;

fuzz_target!(|bytes: &[u8]| {
    let query = [Query::new("0", "")];
    let truth = match Neighbours::read(&file("a.run", bytes), &query) {
        Ok(truth) => truth,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let nearest: Vec<(&str, Option<f64>)> = truth.for_query("0").unwrap().iter().collect();
    let ids: BTreeSet<&str> = nearest.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids.len(), nearest.len());
    assert!(nearest.is_sorted_by(|a, b| a.1.zip(b.1).is_none_or(|(a, b)| a <= b)));
    assert!(truth.check_depth(&query, nearest.len() + 1).is_err());
    assert!(truth.check_depth(&query, nearest.len()).is_ok());
    assert_eq!(truth.has_distances(), nearest.iter().all(|(_, distance)| distance.is_some()));
});
