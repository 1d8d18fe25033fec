//! Judgments that can be read are all kept, and read the same when they are written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::Qrels;
use rankgate_fuzz::{is_message, no_file};

fuzz_target!(|bytes: &[u8]| {
    let qrels = match Qrels::parse("a", bytes) {
        Ok(qrels) => qrels,
        Err(error) => return is_message(&error.to_string()),
    };
    let mut again = Qrels::new();
    for (query, judgments) in qrels.iter() {
        assert!(!query.is_empty());
        for (document, grade) in judgments.iter() {
            again.insert(query, document, grade).expect("each pair comes once and has ids");
        }
    }
    assert_eq!(again.len(), qrels.len());
    assert_eq!(again.sha256(), qrels.sha256());
    let path = no_file("a.qrels");
    if qrels.write_trec(&path).is_ok() {
        let read = Qrels::read_trec(&path).unwrap_or_else(|error| panic!("what was written cannot be read: {error}"));
        assert_eq!(read.sha256(), qrels.sha256());
    }
});
