//! A collection that can be read reads the same when it is written.
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
        // Ids may have what no column holds.
        let folder = no_file("beir");
        if collection.save_beir(&folder, "test").is_err() {
            continue;
        }
        let again = Collection::beir(&folder, "test")
            .unwrap_or_else(|error| panic!("what was written cannot be read: {error}"));
        assert_eq!(again.queries_sha256(), collection.queries_sha256());
        assert_eq!(again.qrels().sha256(), collection.qrels().sha256());
        assert_eq!(documents(&again), documents(&collection));
    }
});
