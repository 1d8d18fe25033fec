//! A collection that can be read reads the same when it is written, in both formats that hold it all.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::{Collection, Document};
use rankgate_fuzz::{is_message, no_file};

fn documents(collection: &Collection) -> Vec<Document> {
    let Ok(corpus) = collection.corpus() else { return Vec::new() };
    let Ok(documents) = corpus.documents() else { return Vec::new() };
    documents.map_while(Result::ok).collect()
}

fuzz_target!(|bytes: &[u8]| {
    for read in [Collection::parse_json("a.json", bytes), Collection::parse_jsonl("a.jsonl", bytes)] {
        let collection = match read {
            Ok(collection) => collection,
            Err(error) => {
                is_message(&error.to_string());
                continue;
            }
        };
        let path = no_file("a.json");
        collection.save_json(&path).expect("any collection can be JSON");
        let again = Collection::json(&path).unwrap_or_else(|error| panic!("what was written cannot be read: {error}"));
        assert_eq!(again.queries_sha256(), collection.queries_sha256());
        assert_eq!(again.qrels().sha256(), collection.qrels().sha256());
        assert_eq!(documents(&again), documents(&collection));
    }
});
