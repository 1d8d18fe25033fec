//! A folder of any three files is a collection or an error.
#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use rankgate::{Collection, Corpus};
use rankgate_fuzz::{file, is_message, parts};

fuzz_target!(|bytes: &[u8]| {
    let [queries, qrels, corpus] = parts(bytes);
    let folder = file("corpus.jsonl", corpus).parent().expect("the folder of files").to_owned();
    drop(fs::create_dir(folder.join("qrels")));
    file("queries.jsonl", queries);
    file("qrels/test.tsv", qrels);
    let collections = [
        Collection::beir(&folder, "test"),
        Collection::trec(
            folder.join("queries.jsonl"),
            folder.join("qrels/test.tsv"),
            Some(&folder.join("corpus.jsonl")),
        ),
    ];
    for collection in collections {
        match collection {
            Ok(collection) => {
                assert!(!collection.queries().is_empty());
                if let Err(error) = collection.check_corpus() {
                    is_message(&error.to_string());
                }
            }
            Err(error) => is_message(&error.to_string()),
        }
    }
    let documents = Corpus::open(folder.join("corpus.jsonl")).and_then(|corpus| corpus.documents());
    for document in documents.into_iter().flatten() {
        match document {
            Ok(document) => assert!(!document.id.is_empty()),
            Err(error) => return is_message(&error.to_string()),
        }
    }
});
