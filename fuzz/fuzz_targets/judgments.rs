//! New judgments are added to a file beside the others without a change to anything else in it.
#![no_main]

use std::collections::BTreeMap;
use std::fs;

use libfuzzer_sys::fuzz_target;
use rankgate::collection::CollectionSource;
use rankgate::{Collection, Source};
use rankgate_cli::health::{NewJudgments, add_judgments};
use rankgate_fuzz::{file, is_message, parts};

fn graded(collection: &Collection) -> BTreeMap<(String, String), i32> {
    let all = collection.qrels().iter();
    all.flat_map(|(query, judged)| {
        judged.iter().map(move |(document, grade)| ((query.to_owned(), document.to_owned()), grade))
    })
    .collect()
}

fuzz_target!(|bytes: &[u8]| {
    let [new, queries, old] = parts(bytes);
    let new = match NewJudgments::read(Source::bytes("new.jsonl", new)) {
        Ok(new) => new,
        Err(error) => return is_message(&error.to_string()),
    };
    let path = file("old.qrels", old);
    let collection = Box::new(CollectionSource::Json { path: file("a.json", queries) });
    let source = CollectionSource::Judged { collection, judgments: vec![path.clone()], model: None, sample: None };
    let Ok(before) = source.load() else { return };
    match add_judgments(&source, &new, None) {
        Ok(_) => {
            let after = source.load().unwrap_or_else(|error| panic!("the file cannot be read any more: {error}"));
            let (before, mut after) = (graded(&before), graded(&after));
            assert!(after.len() <= before.len() + new.len());
            after.retain(|pair, _| before.contains_key(pair));
            assert_eq!(after, before, "a judgment that was there has changed");
        }
        Err(error) => {
            is_message(&error.to_string());
            assert_eq!(fs::read(&path).expect("the file is there"), old, "an error, and yet the file has changed");
        }
    }
});
